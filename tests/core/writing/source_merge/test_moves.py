"""Merges by clauses and overwrites of a predicate's rows that move rows to other partitions, of the whole and in parts."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core import col
from hudi_core.errors import ConflictError, RowError, UsageError
from hudi_core.front.merging import Merge
from hudi_core.front.opening import create_table, open_table
from hudi_core.front.table import Table
from hudi_core.index_builds.build import build_indexes
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.services.compaction.operations import compact
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.validation.validate import validate
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.spread.source_merge import spread_merge, spread_overwrite_where
from hudi_core.writing.write_run import WriteRun
from tests.support.local_flow import local_rows
from tests.support.spread_writes import cut

TYPES = pa.schema(
    [("id", pa.string()), ("p", pa.string()), ("ts", pa.int64()), ("v", pa.int64()), ("_hoodie_is_deleted", pa.bool_())]
)
KINDS = [(kind, version) for kind in ("cow", "mor") for version in (6, 8, 9)]
STAYS = {"hoodie.record.index.update.partition.path": "false"}
Row = tuple[Any, ...]


def new_table(folder: Path, kind: str = "cow", version: int = 9, **settings: Any) -> Table:
    return create_table(
        folder / "t", TYPES, "id", partition_by="p", ordering="ts", type=kind, version=version,
        indexes=["record_index", "column_stats"], **settings,
    )  # fmt: skip


def arrow(*rows: Row) -> pa.Table:
    """Rows without the last columns that they lack, which are null."""
    return pa.Table.from_pylist([dict(zip(TYPES.names, row, strict=False)) for row in rows], TYPES)


def stored(table: Table) -> dict[str, Row]:
    """Each row by its key, as read with the metadata table, which must be usable, and without."""
    results = []
    for mode in (MetadataMode.REQUIRE, MetadataMode.OFF):
        scan = open_table(table.storage.uri, metadata=mode).scan()
        rows = [
            (*(row[name] for name in TYPES.names[:4]), row["_hoodie_partition_path"]) for row in scan.to_json_rows()
        ]
        results.append(sorted(rows))
    assert results[0] == results[1]
    assert all(row[1] == row[4] for row in results[0])
    assert len(results[0]) == len({row[0] for row in results[0]})
    return {row[0]: row[:4] for row in results[0]}


def merge(table: Table, source: pa.Table, parts: random.Random | None) -> Any:
    """A merge on `id` of the whole, or in parts that `parts` cuts."""
    if parts is None:
        return table.merge(source, "id")
    given = local_rows(table.engine, cut(parts, source), repeats=True)
    return Merge(lambda clauses, options: spread_merge(table, given, "id", clauses, options))


def is_sound(table: Table) -> bool:
    return [finding for finding in validate(open_table(table.storage.uri)) if finding.severity != "info"] == []


@pytest.mark.each_value
@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize(("kind", "version"), KINDS)
def test_rows_of_a_merge_move_to_their_partitions(tmp_path: Path, kind: str, version: int, in_parts: bool) -> None:
    """WRITE-1523: also rows that are older than the stored ones, and to where their keys were before; clauses see the stored
    row."""
    chance = random.Random(f"{kind}{version}{in_parts}")
    table = new_table(tmp_path, kind, version)
    given: list[Row] = [(f"k{number:02}", chance.choice("xyz"), 5, number) for number in range(24)]
    table.upsert(arrow(*given))
    model: dict[str, Row] = {one[0]: one for one in given}
    for number in range(4):
        source = [
            (f"k{key:02}", chance.choice("wxyz"), chance.randrange(10), chance.randrange(100))
            for key in chance.sample(range(30), 12)
        ]
        merging = merge(table.refresh(), arrow(*source), chance if in_parts else None)
        merging = merging.when_matched_delete("target.v % 5 = 0 AND target.p <> source.p")
        merging.when_matched_update(condition="source.v > 9").when_not_matched_insert().execute()
        for one in source:
            was = model.get(one[0])
            if was is not None and was[3] % 5 == 0 and was[1] != one[1]:
                del model[one[0]]
            elif was is None or one[3] > 9:
                model[one[0]] = one
        assert stored(table) == model
        if kind == "mor" and number == 2:
            compact(table.refresh())
            assert stored(table) == model
    assert is_sound(table)


@pytest.mark.each_value
@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize(("kind", "version"), KINDS)
def test_rows_of_an_overwrite_move_to_their_partitions(tmp_path: Path, kind: str, version: int, in_parts: bool) -> None:
    """WRITE-1523, WRITE-1583: from partitions that the predicate does not name, too."""
    table = new_table(tmp_path, kind, version)
    table.upsert(arrow(("a", "x", 5, 1), ("b", "x", 5, 2), ("c", "y", 5, 3), ("d", "z", 5, 4)))
    given = arrow(("b", "y", 1, 20), ("d", "y", 9, 40), ("e", "y", 9, 50))
    if in_parts:
        spread_overwrite_where(table.refresh(), local_rows(table.engine, cut(random.Random(1), given)), "p = 'y'")
    else:
        table.refresh().overwrite(given, where="p = 'y'")
    moved = {"a": ("a", "x", 5, 1), "b": ("b", "y", 1, 20), "d": ("d", "y", 9, 40), "e": ("e", "y", 9, 50)}
    assert stored(table) == moved
    if kind == "mor":
        compact(table.refresh())
        assert stored(table) == moved
    assert is_sound(table)


@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_rows_stay_where_they_are_not_to_move(tmp_path: Path, kind: str, in_parts: bool) -> None:
    """WRITE-1523, WRITE-480, WRITE-1584: the partition of the stored row is that of the new one."""
    table, parts = new_table(tmp_path, kind), random.Random(1) if in_parts else None
    table.upsert(arrow(("a", "x", 5, 1), ("b", "x", 5, 2)))
    merging = merge(table.refresh(), arrow(("a", "y", 9, 10), ("c", "y", 9, 30)), parts)
    merging.when_matched_update().when_not_matched_insert().execute(properties=STAYS)
    assert stored(table) == {"a": ("a", "x", 9, 10), "b": ("b", "x", 5, 2), "c": ("c", "y", 9, 30)}
    assert is_sound(table)
    before = sorted(tmp_path.rglob("*"))
    merging = merge(table.refresh(), arrow(("a", "y", 9, 10)), parts).when_matched_update({"p": col("source.p")})
    with pytest.raises(UsageError, match="outside of the record key and the partition path"):
        merging.execute(properties=STAYS)
    with pytest.raises(RowError, match="rows for which the predicate is true"):
        table.refresh().overwrite(arrow(("b", "y", 9, 10)), where="p = 'y'", properties=STAYS)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_clause_may_name_the_partition(tmp_path: Path) -> None:
    """WRITE-1523: for rows that match, and for those that match no row of the source; other columns stay as they are."""
    table = new_table(tmp_path)
    table.upsert(arrow(("a", "x", 5, 1), ("b", "x", 5, 2), ("c", "y", 5, 3)))
    source = pa.table({"id": ["a"], "v": [10], "to": ["z"]})
    merging = table.refresh().merge(source, "id").when_matched_update({"p": col("source.to")})
    result = merging.when_not_matched_by_source_update({"p": "old"}, "target.v = 3").execute()
    assert stored(table) == {"a": ("a", "z", 5, 1), "b": ("b", "x", 5, 2), "c": ("c", "old", 5, 3)}
    assert (result.inserted, result.deleted) == (2, 2)
    of_values = table.refresh().merge(pa.table({"id": ["a"], "ts": [6], "v": [7], "_hoodie_is_deleted": [False]}), "id")
    of_values.when_matched_update().execute()  # a source without the column of the partition
    assert stored(table)["a"] == ("a", "z", 6, 7)
    assert is_sound(table)


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_a_row_with_a_delete_marker_leaves_and_goes_nowhere(tmp_path: Path, kind: str) -> None:
    """WRITE-1523."""
    table = new_table(tmp_path, kind)
    table.upsert(arrow(("a", "x", 5, 1), ("b", "x", 5, 2)))
    table.refresh().merge(arrow(("a", "y", 1, 10, True)), "id").when_matched_update().execute()
    assert stored(table) == {"b": ("b", "x", 5, 2)}
    assert is_sound(table)


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_whole_rows_move_where_rows_are_merged_column_by_column(tmp_path: Path, kind: str) -> None:
    """WRITE-1523: a row of a merge is whole, also its nulls, so that nothing is merged."""
    table = new_table(tmp_path, kind, options={"hoodie.table.partial.update.mode": "IGNORE_DEFAULTS"})
    table.upsert(arrow(("a", "x", 5, 1), ("b", "y", 5, 2)))
    table.refresh().merge(arrow(("a", "y", 1, None), ("b", "x", 9, 3)), "id").when_matched_update().execute()
    assert stored(table) == {"a": ("a", "y", 1, None), "b": ("b", "x", 9, 3)}
    table.refresh().merge(arrow(("a", "x", 0, None)), "id").when_matched_update().execute()
    assert stored(table) == {"a": ("a", "x", 0, None), "b": ("b", "x", 9, 3)}
    assert is_sound(table)


def test_no_row_moves_among_buckets_or_partitions_of_an_index(tmp_path: Path) -> None:
    """WRITE-1523: there a key is looked for in the partition that its row names, and a merge names it."""
    buckets = {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "2"}
    in_buckets = new_table(tmp_path / "buckets", options=buckets)
    partitioned = create_table(tmp_path / "p" / "t", TYPES, "id", partition_by="p", ordering="ts", indexes=["files"])
    for table in (in_buckets, partitioned):
        table.upsert(arrow(("a", "x", 5, 1)))
    build_indexes(partitioned.refresh(), ["record_index"], IndexOptions(partitioned=True))
    for table in (in_buckets.refresh(), partitioned.refresh()):
        merging = table.merge(arrow(("a", "y", 5, 2)), ["id", "p"])
        merging.when_matched_update().when_not_matched_insert().execute()
        assert sorted(row["v"] for row in table.refresh().scan().to_json_rows()) == [1, 2]


def test_a_dry_run_counts_what_moves(tmp_path: Path) -> None:
    """WRITE-1523."""
    table = new_table(tmp_path)
    table.upsert(arrow(("a", "x", 5, 1)))
    options = WriteOptions(dry_run=True)
    planned = table.refresh().merge(arrow(("a", "y", 5, 2)), "id").when_matched_update().execute(options)
    moved = table.refresh().merge(arrow(("a", "y", 5, 2)), "id").when_matched_update().execute()
    assert (planned.inserted, planned.deleted) == (moved.inserted, moved.deleted) == (1, 1)


@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize("change", ["dropped", "built", "stays"])
def test_a_merge_ends_where_keys_are_looked_for_in_another_way_than_it_was_checked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, in_parts: bool
) -> None:
    """WRITE-1588: another writer wins, and drops or builds the record index, or states that rows stay."""
    monkeypatch.setattr("hudi_core.writing.write_run._WAIT_SECONDS", 0.0)
    table = new_table(tmp_path)
    if change == "built":
        table.drop_index("record_index")
    table.upsert(arrow(("a", "x", 5, 1), ("b", "x", 5, 2)))
    written, won = WriteRun._write, list[str]()

    def overtaken(run: WriteRun, *arguments: Any) -> Any:
        if not won:
            won.append(change)
            with monkeypatch.context() as inner:
                inner.setattr(WriteRun, "_write", written)
                table.refresh().upsert(arrow(("a", "x", 6, 7)))
            match change:
                case "dropped":
                    table.refresh().drop_index("record_index")
                case "built":
                    table.refresh().index("record_index")
                case _:
                    path = tmp_path / "t/.hoodie/hoodie.properties"
                    path.write_text(path.read_text() + "".join(f"{name}={value}\n" for name, value in STAYS.items()))
        return written(run, *arguments)

    monkeypatch.setattr(WriteRun, "_write", overtaken)
    source, parts = arrow(("a", "x" if change == "built" else "y", 9, 10)), random.Random(1) if in_parts else None
    if change == "built":
        given = source if parts is None else local_rows(table.engine, cut(parts, source), repeats=True)
        on = ["id", "p"]
        merging = (
            table.refresh().merge(source, on)
            if parts is None
            else Merge(lambda clauses, options: spread_merge(table.refresh(), given, on, clauses, options))
        )
    else:
        merging = merge(table.refresh(), source, parts)
    merging = merging.when_matched_update().when_not_matched_insert()
    with pytest.raises(ConflictError, match="as the merge was checked, found keys that are looked for in"):
        merging.execute()
    rows = open_table(table.storage.uri).scan(columns=["id", "p", "ts", "v"]).to_json_rows()
    assert sorted(tuple(row.values()) for row in rows) == [("a", "x", 6, 7), ("b", "x", 5, 2)]
    assert is_sound(table)
    monkeypatch.undo()
