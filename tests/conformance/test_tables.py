"""Whole tables that Apache Hudi wrote: what we say of them equals what was recorded, with the metadata table and without.

Also covers: `planning/plan.py`, `reading/slices.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.errors import HudiError, UnsupportedError
from hudi_core.expr.build import col
from hudi_core.expr.nodes import And, Expr
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import And as BoundAnd
from hudi_core.expr.predicate import Is, Not, Opaque, Or, Predicate
from hudi_core.front.opening import open_table
from hudi_core.planning.plan import ALL_MATCH
from hudi_core.reading import small_files
from hudi_core.schema.meta import RECORD_KEY, is_meta
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.scan import Scan
from hudi_core.table.table import Table
from hudi_core.timeline.timeline import Timeline
from tests.conformance.deviations.queries import QUERIES
from tests.support.conformance import TableEntry, each_table, each_table_where, tables, visible_slice, visible_slices
from tests.support.drawing import SOAK
from tests.support.ledger import Ledger, settle_rows

pytestmark = pytest.mark.filterwarnings("ignore::hudi_core.errors.ConditionWarning")
"""Recorded filters are any that Apache Hudi answers, also those that nobody would mean."""

MODES = [MetadataMode.REQUIRE, MetadataMode.OFF]


def opened(entry: TableEntry, mode: MetadataMode = MetadataMode.AUTO) -> Table:
    return open_table(str(entry.unpacked()), metadata=mode)


@pytest.fixture
def in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads are those of larger tables."""
    monkeypatch.setattr(small_files, "ALONE_BYTES", -1)


@cache
def scans(entry: TableEntry, mode: MetadataMode) -> list[tuple[Scan, set[str], set[str]]]:
    """The recorded filters of a table as scans, which plan once for all tests that ask them: each with the keys of the rows that
    match, and the slices that hold them."""
    table = opened(entry, mode)
    columns = [RECORD_KEY] if entry.expected["table"]["populate_meta_fields"] else None
    return [(table.scan(where=where, columns=columns), keys, holding) for where, keys, holding, _ in filters(entry)]


def richest(entry: TableEntry) -> MetadataMode:
    """The mode in which tables are opened unless it is said."""
    return MetadataMode.REQUIRE if entry.expected["table"]["metadata_partitions"] else MetadataMode.OFF


@each_table()
def test_properties_are_as_recorded(entry: TableEntry) -> None:
    config, answer = opened(entry).config, entry.expected["table"]
    assert config.name == answer["table_name"]
    assert config.type.value == answer["table_type"]
    assert config.version == answer["table_version"]
    assert config.layout == int(answer["timeline_layout_version"])
    assert config.base_file_format.value == answer["base_file_format"]
    assert list(config.record_key_fields) == answer["record_key_fields"]
    assert list(config.stated_partition_fields) == answer["partition_fields"]
    assert list(config.ordering_fields) == answer["ordering_fields"]
    assert config.hive_style_partitioning is answer["hive_style_partitioning"]
    assert config.url_encode_partitioning is answer["url_encode_partitioning"]
    assert config.populate_meta_fields is answer["populate_meta_fields"]
    assert (config.merge_mode.value if config.merge_mode else None) == answer["merge_mode"]
    assert sorted(config.metadata_partitions) == answer["metadata_partitions"]


@each_table()
def test_timeline_is_as_recorded(entry: TableEntry) -> None:
    timeline: Timeline = opened(entry).timeline
    recorded = {
        (answer["requested_time"], answer["action"], answer["completion_time"])
        for answer in entry.expected["timeline"]
        if answer["state"] == "completed"
    }
    found = {(i.requested_time, i.completes_as, i.completion_time) for i in timeline.instants if i.completed}
    assert found == recorded


@each_table()
def test_schema_has_the_recorded_columns(entry: TableEntry) -> None:
    answer = entry.expected["schema"]["latest_table_schema_avro"]
    if answer is None:
        pytest.skip("no schema was recorded")
    names = [field.name for field in opened(entry).schema.fields if not is_meta(field.name)]
    assert names == [field["name"] for field in answer["fields"] if not is_meta(field["name"])]


@pytest.mark.each_value
@each_table()
@pytest.mark.parametrize("mode", MODES)
def test_file_slices_are_as_recorded(entry: TableEntry, mode: MetadataMode) -> None:
    """TABLE-3."""
    if mode is MetadataMode.REQUIRE and not entry.expected["table"]["metadata_partitions"]:
        pytest.skip("the table has no metadata table")
    table = opened(entry, mode)
    recorded = set(visible_slices(entry.expected))
    found = [visible_slice(item) for item in table.slices()]
    if table.config.layout == 1 and mode is MetadataMode.REQUIRE and table.timeline.pending:
        # A log file of a write that failed is on disk, and not in the metadata table. In layout 1 its name does not tell.
        assert {item[:-1] for item in found} == {item[:-1] for item in recorded}
        assert {log for item in found for log in item.logs} <= {log for item in recorded for log in item.logs}
        return
    assert set(found) == recorded
    assert len(found) == len(recorded)


def filters(entry: TableEntry) -> Iterator[tuple[Expr | str, set[str], set[str], int | None]]:
    """Predicate, keys of the rows that match, slices that hold them, and how many slices Apache Hudi kept, if it is right."""
    for answer in entry.expected["filters"]:
        if "error" in answer and "keys" not in answer:
            continue  # an expected refusal, asked by itself
        if "filter" in answer:
            parts = tuple(_condition(*condition) for condition in answer["filter"])
            whole = parts[0] if len(parts) == 1 else And(parts)
            yield whole, set(answer["keys"]), set(answer.get("slices_with_matches", ())), None
        elif "keys_by_file_value" in answer:
            # Apache Hudi shows a folder's text instead of the value in the file. The value is what counts.
            keys = set(answer["keys_by_file_value"])
            rows = entry.expected["snapshot"]["rows"]
            holding = {row["_hoodie_file_name"].partition("_")[0] for row in rows if row[RECORD_KEY] in keys}
            yield answer["sql"], keys, holding, None
        else:
            skipping = answer.get("hudi_skipping", {})
            right = not (
                answer.get("hudi_skipping_loses_rows") or answer.get("hudi_skipping_adds_rows") or "error" in skipping
            )
            kept = skipping.get("kept_file_slices") if right else None
            yield answer["sql"], set(answer["keys"]), set(answer.get("file_ids_with_matches", ())), kept


def refusals(entry: TableEntry) -> list[str]:
    return [item["sql"] for item in entry.expected.get("filters", ()) if "error" in item and "keys" not in item]


@each_table_where(refusals, "filters that are refused")
def test_filters_that_apache_hudi_refuses_are_refused(entry: TableEntry) -> None:
    for sql in refusals(entry):
        with pytest.raises(HudiError):
            opened(entry).scan(where=sql)


def _condition(name: str, operator: str, value: Any) -> Expr:
    """The corpus writes conditions as name, operator, value."""
    column = col(name)
    match operator:
        case "IN":
            return column.is_in(value).node
        case "NOT IN":
            return (~column.is_in(value)).node
        case _:
            literal = json.dumps(value).replace("'", "''") if not isinstance(value, str) else value.replace("'", "''")
            quoted = f"'{literal}'" if isinstance(value, str) else literal
            return parse_predicate(f"`{name}` {operator} {quoted}")


@pytest.mark.each_value
@each_table()
@pytest.mark.parametrize("mode", MODES)
def test_no_slice_with_a_matching_row_is_skipped(entry: TableEntry, mode: MetadataMode) -> None:
    if mode is MetadataMode.REQUIRE and not entry.expected["table"]["metadata_partitions"]:
        pytest.skip("the table has no metadata table")
    if entry.requires:
        pytest.skip(f"needs {', '.join(entry.requires)}")
    lost = []
    for scan, _, holding in scans(entry, mode):
        skipped = holding - {item.file_id for item in scan.plan.kept()}
        lost += [(scan.predicate, skipped)] if skipped else []
    assert not lost


@each_table()
def test_where_all_match_every_row_matches(entry: TableEntry) -> None:
    """A slice of which all rows are said to match holds no row that does not (TABLE-6)."""
    if entry.requires:
        pytest.skip(f"needs {', '.join(entry.requires)}")
    by_file: dict[tuple[str, str], set[str]] = {}
    for row in entry.expected["snapshot"]["rows"]:
        if row.get(RECORD_KEY) is not None:
            file = row["_hoodie_partition_path"], row["_hoodie_file_name"].partition("_")[0]
            by_file.setdefault(file, set()).add(row[RECORD_KEY])
    wrong = []
    for scan, keys, _ in scans(entry, richest(entry)):
        plan = scan.plan
        certain = (plan.slices[number] for number in np.flatnonzero(plan.codes == ALL_MATCH))
        files = ((item.partition, item.file_id) for item in certain)
        wrong += [(scan.predicate, item) for item in files if not by_file.get(item, set()) <= keys]
    assert not wrong


def has_opaque(part: Predicate) -> bool:
    """The predicate holds a function that the core does not know, and so cannot test on rows."""
    match part:
        case Opaque():
            return True
        case Not(inner) | Is(inner):
            return has_opaque(inner)
        case BoundAnd(parts) | Or(parts):
            return any(map(has_opaque, parts))
        case _:
            return False


def readable() -> list[TableEntry | None]:
    """The tables whose rows can be read; None stands for there being none."""
    return [entry for entry in tables() if not entry.requires] or [None]


def named(entry: TableEntry | None) -> str:
    return entry.name if entry else "absent"


@pytest.mark.each_value
@pytest.mark.parametrize("entry", readable(), ids=named)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.usefixtures("in_threads")
def test_snapshot_has_the_recorded_rows(entry: TableEntry | None, mode: MetadataMode) -> None:
    """TABLE-12."""
    if entry is None:
        pytest.skip("corpus and golden tables not present")
    if mode is MetadataMode.REQUIRE and not entry.expected["table"]["metadata_partitions"]:
        pytest.skip("the table has no metadata table")
    found = list(opened(entry, mode).scan().to_json_rows())
    settle_rows(entry, "snapshot", found, entry.expected["snapshot"]["rows"])


@pytest.mark.one_of(2)
@pytest.mark.parametrize("entry", readable(), ids=named)
def test_filters_give_the_recorded_rows(entry: TableEntry | None) -> None:
    if entry is None:
        pytest.skip("corpus and golden tables not present")
    if not entry.expected["table"]["populate_meta_fields"]:
        pytest.skip("virtual keys: rows are not named by a column")
    wrong = []
    for scan, keys, _ in scans(entry, richest(entry))[:: 1 if SOAK else 2]:
        if has_opaque(scan.predicate):
            with pytest.raises(UnsupportedError, match="not known"):
                list(scan.to_json_rows())
            continue
        found = {row[RECORD_KEY] for row in scan.to_json_rows()}
        if found != keys:
            wrong.append((scan.predicate, sorted(found ^ keys)))
    assert not wrong


def by_the_file(entry: TableEntry) -> list[dict[str, Any]]:
    """The recorded filters of which Apache Hudi answers something else than its files hold."""
    return [item for item in entry.expected.get("filters", ()) if "keys_by_file_value" in item]


@each_table_where(by_the_file, "filters on values that Apache Hudi takes from folders")
def test_filters_on_partition_columns_use_the_value_in_the_file(entry: TableEntry) -> None:
    ledger = Ledger("queries", QUERIES)
    for item in by_the_file(entry):
        question = {"ask": "filter", "table": entry.expected, "filter": item}
        question["shown"] = entry.expected["snapshot"]["rows"]
        rows = opened(entry).scan(where=item["sql"], columns=[RECORD_KEY]).to_json_rows()
        ledger.settle({"id": entry.name}, question, sorted(row[RECORD_KEY] for row in rows), sorted(item["keys"]))
    ledger.close()


def read_optimized() -> list[TableEntry | None]:
    return [entry for entry in tables() if not entry.requires and "read_optimized" in entry.expected] or [None]


@pytest.mark.one_of(2)
@pytest.mark.parametrize("entry", read_optimized(), ids=named)
def test_read_optimized_rows_are_the_recorded_ones(entry: TableEntry | None) -> None:
    if entry is None:
        pytest.skip("no table with recorded read-optimized rows")
    answer = entry.expected["read_optimized"]
    table = opened(entry)
    scan = table.scan(read_optimized=True, meta=False)
    assert not any(item.logs for item in scan.plan.slices)
    found = list(scan.to_json_rows())
    assert len(found) == answer["row_count"]
    if "columns" in answer:
        assert [field.name for field in scan.schema.fields] == answer["columns"]
    if "keys" in answer and table.config.populate_meta_fields:
        rows = table.scan(read_optimized=True, columns=[RECORD_KEY]).to_json_rows()
        assert sorted(row[RECORD_KEY] for row in rows) == sorted(answer["keys"])
    if "rows" in answer:  # of many rows only a checksum is recorded
        settle_rows(
            entry,
            "read_optimized",
            found,
            [dict(zip(answer["columns"], row[1:], strict=True)) for row in answer["rows"]],
        )


def shape_of(of: pa.DataType) -> Any:
    """An Arrow type without what files differ in: widths of offsets, names inside lists and maps."""
    if pa.types.is_struct(of):
        return tuple((field.name, shape_of(field.type)) for field in of)
    if pa.types.is_list(of) or pa.types.is_large_list(of):
        return "list", shape_of(of.value_type)
    if pa.types.is_map(of):
        return "map", shape_of(of.key_type), shape_of(of.item_type)
    return shape_of(of.value_type) if pa.types.is_dictionary(of) else str(of).removeprefix("large_")


@pytest.mark.one_of(2)
@pytest.mark.parametrize("entry", readable(), ids=named)
def test_snapshot_has_the_recorded_types(entry: TableEntry | None) -> None:
    if entry is None or not (entry.folder / "snapshot.parquet").is_file():
        pytest.skip("no typed snapshot is recorded")
    recorded = {field.name: shape_of(field.type) for field in pq.read_schema(entry.folder / "snapshot.parquet")}
    found = {field.name: shape_of(field.type) for field in opened(entry).scan(limit=0).to_arrow().schema}
    ledger = Ledger("queries", QUERIES)
    question = {"ask": "types", "table": entry.expected, "shown": entry.expected["snapshot"]["rows"]}
    ledger.settle({"id": entry.name}, question, found, recorded)
    ledger.close()
