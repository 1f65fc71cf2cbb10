"""Writes of rows in parts: a law against writes of the whole, with every step of every part done twice.

Also covers: `writing/spread/prepared.py`, `writing/spread/located.py`,
`writing/spread/by_predicate.py`, `parallel/flow.py`.
"""

from __future__ import annotations

import random
import tempfile
import uuid
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.creating.create import create_table
from hudi_core.errors import HudiError, RowError, UsageError
from hudi_core.expr.build import col
from hudi_core.front.merging import Merge
from hudi_core.front.table import Table as FrontTable
from hudi_core.table.open import open_table, refreshed
from hudi_core.table.scan import Scan
from hudi_core.table.table import Table
from hudi_core.writing.by_predicate import delete_where, update
from hudi_core.writing.operation import Operation, WriteOptions, order_of
from hudi_core.writing.operations import write
from hudi_core.writing.plan import FileSizes
from hudi_core.writing.spread.by_predicate import spread_delete_where, spread_update
from hudi_core.writing.spread.operations import spread_write
from hudi_core.writing.spread.source_merge import spread_merge
from hudi_core.writing.write_properties import BULK_SORT
from tests.support.drawing import cases
from tests.support.local_flow import LocalRows, local_rows, scan_rows
from tests.support.spread_writes import (
    KINDS,
    OPERATIONS,
    assert_results,
    assert_twins,
    contents,
    cut,
    operation_rows,
    random_rows,
    rows_of,
    twins,
)

EACH = [
    pytest.param(*kind, marks=[] if kind in (("cow", 6), ("mor", 8), ("cow", 9)) else pytest.mark.soak)
    for kind in KINDS
]
"""The law draws from all of them."""
INDEXES = st.sampled_from([None, ("column_stats",), ("column_stats", "record_index", "bloom_filters")])


@given(
    st.sampled_from(KINDS),
    INDEXES,
    st.lists(st.sampled_from(OPERATIONS), min_size=1, max_size=4),
    st.randoms(),
    st.booleans(),
)
@settings(max_examples=cases(24, part=5), deadline=None)
def test_a_spread_write_leaves_what_a_write_of_the_whole_leaves(
    kind: tuple[str, int], indexes: Sequence[str] | None, operations: list[str], chance: random.Random, repeats: bool
) -> None:
    """WRITE-425, ENGINE-420: rows, statistics and indexes are equal, whatever the parts, with tasks that run twice."""
    with tempfile.TemporaryDirectory() as folder:
        spread, whole = twins(Path(folder), *kind, indexes)
        for number, op in enumerate(["upsert", *operations]):
            rows = operation_rows(chance, op, number, indexes, wide=number > 2)
            expected = write(whole, rows, op)
            made = spread_write(spread, local_rows(spread.engine, cut(chance, rows), repeats), op)
            assert_results(made, expected)
        assert_twins(spread, whole)
        assert no_leftovers(spread)


def no_leftovers(table: Table) -> bool:
    """Whether the folder has no data file but those of the table's commits, and no marker."""
    latest = open_table(table.storage.uri)
    listed = {info.path for info in latest.storage.list("", recursive=True, without=".hoodie")}
    commits = [latest.timeline.metadata(commit) for commit in latest.timeline.commits]
    stats = [stat for commit in commits for of_partition in commit.stats.values() for stat in of_partition]
    named = {path for stat in stats for path in (stat.path, *stat.cdc_files)}
    assert {path for path in listed if not path.endswith(".hoodie_partition_metadata")} <= named
    return latest.storage.list(".hoodie/.temp", recursive=True) == []


@pytest.mark.one_of(2)
@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_files_are_cut_as_those_of_the_whole(tmp_path: Path, kind: str) -> None:
    """WRITE-422, WRITE-17: small files are filled first; the others have about even sizes, and the order of keys."""
    options = WriteOptions(sizes=FileSizes(30_000, 20_000))
    tables = twins(tmp_path, kind, 9, ("column_stats",))
    chance = random.Random(4)
    for number, op in enumerate(["bulk_insert", "insert", "append"]):
        rows = random_rows(chance, 6_000, [number], keys=10_000)
        spread_write(tables[0], local_rows(tables[0].engine, cut(chance, rows)), op, options)
        write(tables[1], rows, op, options)
        slices = [refreshed(table).slices() for table in tables]
        sizes = [[file_slice.base.size for file_slice in of_table if file_slice.base] for of_table in slices]
        assert len(sizes[1]) > 6
        assert abs(len(sizes[0]) - len(sizes[1])) <= 0.2 * len(sizes[1])
        assert max(sizes[0]) < 1.3 * max(sizes[1])
        assert min(sizes[0]) > 0.6 * min(sizes[1])
    assert rows_of(refreshed(tables[0])) == rows_of(refreshed(tables[1]))


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("kind", "version"), EACH)
def test_rows_that_match_a_predicate(tmp_path: Path, kind: str, version: int) -> None:
    """WRITE-25, WRITE-26, WRITE-425: they are deleted and updated as in a write of the whole."""
    spread, whole = twins(tmp_path, kind, version, ("column_stats", "record_index"))
    rows = random_rows(random.Random(5), 60, [0], distinct=True)
    for table in (spread, whole):
        write(table, rows, "append")

    def rows_of_scan(scan: Scan) -> LocalRows:
        return scan_rows(scan, repeats=True)

    assigned = {"ts": col("ts") + 100, "f": 0.5}
    assert_results(spread_update(spread, assigned, "ts > 2", rows_of_scan), update(whole, assigned, "ts > 2"))
    assert_results(spread_delete_where(spread, "ts < 2", rows_of_scan), delete_where(whole, "ts < 2"))
    assert_results(
        spread_delete_where(spread, "ts = 2", rows_of_scan, WriteOptions(dry_run=True)),
        delete_where(whole, "ts = 2", WriteOptions(dry_run=True)),
    )
    assert_twins(spread, whole)
    before = contents(spread)
    with pytest.raises(RowError, match="expected a value of type"):
        spread_update(spread, {"ts": col("f")}, None, rows_of_scan)
    assert contents(spread) == before


def _bad(rows: pa.Table, column: str, row: int, value: Any) -> pa.Table:
    values = rows.column(column).to_pylist()
    values[row] = value
    place = rows.schema.get_field_index(column)
    return rows.set_column(place, rows.schema.field(column), pa.array(values, rows.schema.field(column).type))


@pytest.mark.parametrize(
    ("op", "column", "bad"),
    [
        ("upsert", "id", {7: None, 31: None}),
        ("append", "id", {22: ""}),
        ("upsert", "p", {5: "..", 40: "a/../b"}),
        ("insert", "id", {41: "k0-twice", 13: "k0-twice", 12: "k0-twice"}),
    ],
)
def test_a_row_that_is_refused_changes_nothing(tmp_path: Path, op: str, column: str, bad: dict[int, Any]) -> None:
    """WRITE-423: the error is that of a write of the whole, with the same row, and not one byte is written."""
    spread, whole = twins(tmp_path, "cow", 9, ("record_index",))
    rows = random_rows(random.Random(6), 80, [0], distinct=True)
    rows = pa.concat_tables([rows, random_rows(random.Random(7), 80, [1], distinct=True)])
    for row, value in bad.items():
        rows = _bad(rows, column, row, value)
    before = contents(spread)
    with pytest.raises(HudiError) as raised:
        write(whole, rows, op)
    with pytest.raises(HudiError) as raised_for_parts:
        spread_write(spread, local_rows(spread.engine, cut(random.Random(8), rows)), op)
    assert str(raised_for_parts.value) == str(raised.value)
    assert contents(spread) == before


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("kind", "version"), EACH)
def test_rows_stay_as_in_a_write_of_the_whole(tmp_path: Path, kind: str, version: int) -> None:
    """WRITE-480, WRITE-425."""
    spread, whole = twins(tmp_path, kind, version, ("column_stats", "record_index"))
    options = WriteOptions(properties={"hoodie.record.index.update.partition.path": "false"})
    rows = random_rows(random.Random(9), 60, [0], distinct=True)
    for table in (spread, whole):
        write(table, rows.slice(0, 50), "append")
    partitions = rows["p"].to_pylist()
    others = [partitions[number - 1] for number in range(len(partitions))]
    moved = rows.set_column(rows.schema.get_field_index("p"), rows.schema.field("p"), pa.array(others, rows["p"].type))
    expected = write(whole, moved, options=options)
    assert expected.updated > 0
    assert_results(
        spread_write(spread, local_rows(spread.engine, cut(random.Random(8), moved)), options=options), expected
    )
    assert_twins(spread, whole)


def test_rows_without_a_partition_are_warned_of(tmp_path: Path) -> None:
    """WRITE-1385: their number is that of all parts."""
    spread, whole = twins(tmp_path, "mor", 9, ("column_stats",))
    rows = random_rows(random.Random(2), 9, [0], distinct=True)
    nulls = rows.set_column(1, "p", pa.array([None, "p1", None] * 3, pa.string()).slice(0, len(rows)))
    count = nulls.column("p").null_count
    with pytest.warns(UserWarning, match=f"without a value in a partition column: {count}, which go to"):
        write(whole, nulls, "upsert")
    with pytest.warns(UserWarning, match=f"without a value in a partition column: {count}, which go to"):
        spread_write(spread, local_rows(spread.engine, [nulls.slice(0, 4), nulls.slice(4)]), "upsert")
    assert_twins(spread, whole)


def test_rows_may_be_none(tmp_path: Path) -> None:
    """WRITE-423: an input without rows makes no commit, as a write of the whole."""
    spread, whole = twins(tmp_path, "mor", 9, ("column_stats",))
    empty = random_rows(random.Random(1), 0, [0])
    for op in ("upsert", "append", "delete"):
        rows = empty if op != "delete" else empty.select(["id", "p"])
        assert_results(spread_write(spread, local_rows(spread.engine, [rows, rows]), op), write(whole, rows, op))
    assert_twins(spread, whole)


@pytest.mark.parametrize("spread", [False, True])
def test_a_bulk_insert_has_the_order_that_is_wanted(tmp_path: Path, spread: bool) -> None:
    """WRITE-616: over all files of a partition, within each, or that of the input; on one machine and in parts."""
    chance = random.Random(3)
    rows = random_rows(chance, 60, [0], distinct=True, keys=90).sort_by([("f", "ascending")])
    rows = rows.filter(pa.compute.invert(rows["_hoodie_is_deleted"]))
    given = rows["id"].to_pylist()
    for order in ("global", "partition", "none", None):
        table, _ = twins(tmp_path / str(order), "cow", 9, None)
        options = WriteOptions(sort=order, sizes=FileSizes(2_000, 0))
        if spread:
            spread_write(table, local_rows(table.engine, cut(chance, rows)), "bulk_insert", options)
        else:
            write(table, rows, "bulk_insert", options)
        latest = open_table(table.storage.uri)
        files = [_keys_of(latest, file_slice.base.path) for file_slice in latest.slices() if file_slice.base]
        assert sorted(key for keys in files for key in keys) == sorted(given)
        assert len(files) > 3
        if order == "none":
            assert all(keys == sorted(keys, key=given.index) for keys in files)
        else:
            assert all(keys == sorted(keys) for keys in files)
        ranges = sorted((min(keys), max(keys)) for keys in files)
        if order != "none" and order != "partition":
            of_partition = [[keys for keys in files if keys[0] in of] for of in _by_partition(rows)]
            for own in of_partition:
                bounds = sorted((keys[0], keys[-1]) for keys in own)
                assert all(one[1] < two[0] for one, two in pairwise(bounds)), ranges
    for op, sort, text in (
        ("upsert", "none", "sort: expected no such option for upsert, found none"),
        ("bulk_insert", "up", "one of global, partition"),
    ):
        with pytest.raises(UsageError, match=text):
            write(table, rows, op, WriteOptions(sort=sort))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mode", "of_table", "order"),
    [
        ("NONE", None, "none"),
        ("GLOBAL_SORT", "NONE", "global"),
        (None, "partition_sort", "partition"),
        ("partition_path_repartition", None, "none"),
        (None, "PARTITION_PATH_REPARTITION_AND_SORT", "global"),
    ],
)
def test_properties_name_the_order_of_a_bulk_insert(
    tmp_path: Path, mode: str | None, of_table: str | None, order: str
) -> None:
    """WRITE-940: for rows of one machine and in parts, which ask one function. An argument wins."""
    properties = {} if mode is None else {BULK_SORT: mode}
    table, _ = twins(tmp_path, "cow", 9, None)
    if of_table is not None:
        with (Path(table.storage.uri) / ".hoodie/hoodie.properties").open("a") as file:
            file.write(f"{BULK_SORT}={of_table}\n")
    table = open_table(table.storage.uri)
    assert order_of(table, Operation.BULK_INSERT, WriteOptions(properties=properties)) == order
    assert order_of(table, Operation.BULK_INSERT, WriteOptions(sort="global", properties=properties)) == "global"
    assert order_of(table, Operation.APPEND, WriteOptions(properties=properties)) == "none"
    assert order_of(table, Operation.UPSERT, WriteOptions(properties=properties)) == "global"
    with pytest.raises(UsageError, match=r"hoodie.bulkinsert.sort.mode: expected one of NONE, GLOBAL_SORT"):
        WriteOptions(properties={BULK_SORT: "SORT"})


def _keys_of(table: Table, path: str) -> list[str]:
    stored = pq.read_table(Path(table.storage.uri) / path, columns=["_hoodie_record_key"], partitioning=None)
    keys: list[str] = stored["_hoodie_record_key"].to_pylist()
    return keys


def _by_partition(rows: pa.Table) -> list[set[str]]:
    pairs = list(zip(rows["id"].to_pylist(), rows["p"].to_pylist(), strict=True))
    return [{key for key, own in pairs if own == path} for path in sorted({path for _, path in pairs})]


def test_values_without_a_type_have_that_of_the_table(tmp_path: Path) -> None:
    """WRITE-1504: columns of nulls alone, and bytes for fixed ones and for UUIDs, in all operations and in merges."""
    one = uuid.UUID(int=10)
    rows = pa.table(
        {
            "id": ["a", "b"],
            "n": pa.array([1, 2], pa.int64()),
            "m": pa.array([[("k", 1.5)], None], pa.map_(pa.string(), pa.float64())),
            "s": pa.array([{"x": 1}, None], pa.struct([("x", pa.int32())])),
            "f": pa.array([b"abcd", None], pa.binary(4)),
            "u": pa.array([one.bytes, None], pa.uuid()),
        }
    )
    plain = pa.table(
        {
            "id": ["b", "c"],
            "n": pa.nulls(2),
            "m": pa.array([[("k", None)], []], pa.map_(pa.string(), pa.null())),
            "s": pa.array([{"x": None}, None], pa.struct([("x", pa.null())])),
            "f": pa.array([b"efgh", None], pa.binary()),
            "u": pa.array([one.bytes, None], pa.binary(16)),
        }
    )
    pair = [create_table(tmp_path / name, rows.schema, "id") for name in ("spread", "whole")]
    write(pair[0], rows)
    write(pair[1], rows)
    spread, whole = map(refreshed, pair)
    given = [plain.slice(1), plain.slice(0, 1)]
    for op in ("upsert", "append", "insert_overwrite_table", "upsert", "delete"):
        assert_results(spread_write(spread, local_rows(spread.engine, given), op), write(whole, plain, op))
    for table in (spread, whole):
        write(table, rows)
    for merge in (
        Merge(lambda clauses, options: spread_merge(spread, local_rows(spread.engine, given), "id", clauses, options)),
        FrontTable.from_opened(whole).merge(plain, "id"),
    ):
        merge.when_matched_update().when_not_matched_insert().execute()
    stored = [refreshed(table).scan(meta=False).to_arrow().sort_by("id") for table in (spread, whole)]
    assert stored[0] == stored[1]
    assert refreshed(spread).schema == spread.schema
    assert stored[0].column("id").to_pylist() == ["a", "b", "c"]
