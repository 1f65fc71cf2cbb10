"""Tables of Apache Hudi in an object store: the same slices, rows and warnings as on a local disk, no file asked for twice."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from hudi_core.errors import HudiError
from hudi_core.front.opening import open_table
from hudi_core.table.table import Table
from tests.support.conformance import TableEntry, tables
from tests.support.measured_store import MeasuredStore

pytest.importorskip("obstore", reason="obstore is not installed")

SAMPLE = tables()[::10]
"""Others of each kind are alike: with a store between, it is the reads that differ, not what is made of them."""


def answers(table: Table) -> list[Any]:
    """Slices, rows in any order or the kind of error, and warnings."""
    try:
        rows: Any = sorted(map(repr, table.scan().to_json_rows()))
    except HudiError as error:
        rows = type(error)
    return [list(table.slices()), rows, table.warnings]


@pytest.mark.one_of(3)
@pytest.mark.parametrize("entry", SAMPLE, ids=lambda entry: entry.name)
def test_a_table_is_the_same_through_a_store(store: MeasuredStore, entry: TableEntry, tmp_path: Path) -> None:
    local = entry.unpacked()
    shutil.copytree(local, store.root / "lake" / entry.name)
    table = open_table(f"s3://lake/{entry.name}", storage_options=store.options)
    with store.measured() as requests:
        remote = answers(table)
    assert remote == answers(open_table(str(local)))
    assert not requests.repeated(), requests
