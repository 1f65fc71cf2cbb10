"""Tables of Apache Hudi are sound: what names and listings say of all of them, and what the files of a few hold. VALID-1.

All checks on all tables: `tests/interop/test_validation.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hudi_core.front.opening import open_table
from hudi_core.metadata.definitions import index_definitions
from hudi_core.options import TableType
from hudi_core.table.table import Table
from hudi_core.validation.findings import Finding, Severity
from hudi_core.validation.validate import validate
from tests.support.conformance import TableEntry, each_table, each_table_where

OF_NAMES = ["properties", "timeline", "leftovers", "listing", "commits", "orphans"]
EVERY_INDEX = {"column_stats", "partition_stats", "bloom_filters", "record_index"}


def errors(table: Table, only: list[str] | None = None) -> Iterator[Finding]:
    """Errors, but of keys that are in two partitions while a global record index has one place for each, and of secondary
    indexes of which Apache Hudi keeps one of several. SOURCE-14."""
    known = {"record_index": has_repeated_keys, "secondary_index": has_several_of_logs}
    for finding in validate(table, only):
        if finding.severity is Severity.ERROR and not (finding.check in known and known[finding.check](table)):
            yield finding


def has_several_of_logs(table: Table) -> bool:
    secondary = [name for name in table.config.metadata_partitions if name.startswith("secondary_index_")]
    return table.config.type is TableType.MERGE_ON_READ and len(secondary) > 1


def has_repeated_keys(table: Table) -> bool:
    definition = index_definitions(table.storage, table.config).get("record_index")
    if definition is not None and definition.is_partitioned:
        return False
    keys = table.scan(columns=["_hoodie_record_key"]).to_arrow().column(0).to_pylist()
    return len(set(keys)) < len(keys)


@pytest.mark.one_of(2)
@each_table()
def test_names_and_listings_have_no_error(entry: TableEntry) -> None:
    assert list(errors(open_table(entry.unpacked()), OF_NAMES)) == []


@each_table_where(
    lambda entry: set(entry.expected["table"]["metadata_partitions"]) >= EVERY_INDEX,
    "every index",
)
def test_a_table_with_every_index_has_no_error(entry: TableEntry) -> None:
    if entry.requires:
        pytest.skip(", ".join(entry.requires))
    assert list(errors(open_table(entry.unpacked()))) == []
