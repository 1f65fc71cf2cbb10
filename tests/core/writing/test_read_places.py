"""Rows of one key in several file slices, as rows that are added leave them: the right ones are deleted and updated."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import hudi_core
from hudi_core.errors import RowError
from hudi_core.front.table import Table
from hudi_core.writing.source_merge.clauses import Action, Clause
from hudi_core.writing.spread.by_predicate import spread_delete_where, spread_update
from hudi_core.writing.spread.operations import spread_write
from hudi_core.writing.spread.source_merge import spread_merge
from tests.support.local_flow import local_rows, scan_rows

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64())])
Row = tuple[str, str, int]
KINDS = [
    ("cow", 9, None),
    ("mor", 9, ["record_index", "column_stats"]),
    ("mor", 6, ["column_stats"]),
    ("cow", 8, ["record_index"]),
]


def rows_of(*rows: Row) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(TYPES.names, row, strict=True)) for row in rows], TYPES)


def read(table: Table) -> list[Row]:
    return sorted((row["id"], row["p"], row["n"]) for row in table.refresh().to_arrow().to_pylist())


def delete_keys(table: Table, *keys: Row) -> None:
    table.delete(rows_of(*keys))


WAYS: dict[str, tuple[Callable[[Table, str], object], Callable[[Table, str], object], Callable[..., object]]] = {
    "here": (
        lambda table, where: table.delete(where=where),
        lambda table, where: table.update({"n": hudi_core.expr("n + 100")}, where=where),
        delete_keys,
    ),
    "in parts": (
        lambda table, where: spread_delete_where(table, where, scan_rows),
        lambda table, where: spread_update(table, {"n": hudi_core.expr("n + 100")}, where, scan_rows),
        lambda table, *keys: spread_write(table, local_rows(table.engine, [rows_of(*keys)]), "delete"),
    ),
}


def made(folder: Path, kind: str, version: int, indexes: list[str] | None, batches: list[list[Row]]) -> Table:
    table = hudi_core.create(folder / "t", TYPES, "id", partition_by="p", type=kind, version=version, indexes=indexes)  # type: ignore[call-overload]
    for batch in batches:
        table.refresh().append(rows_of(*batch))
    return table.refresh()


@pytest.mark.each_value
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("kind", "version", "indexes"), KINDS)
def test_of_rows_with_one_key_those_that_match_are_changed(
    tmp_path: Path, kind: str, version: int, indexes: list[str] | None, way: str
) -> None:
    """WRITE-25, WRITE-1443: also in another partition, where a record index names one place of each key."""
    chance, number = random.Random(f"{kind}{version}{way}"), 0
    batches: list[list[Row]] = []
    for _ in range(5):
        names = chance.sample("abcdefgh", 5)
        batches.append([(name, chance.choice("xy"), number := number + 1) for name in names])
    table = made(tmp_path, kind, version, indexes, batches)
    expected = [row for batch in batches for row in batch]
    delete, change, _ = WAYS[way]
    for modulus in (3, 4):
        change(table, f"n % {modulus} = 0")
        expected = [(key, p, n + 100 if n % modulus == 0 else n) for key, p, n in expected]
        assert read(table) == sorted(expected)
        table = table.refresh()
        delete(table, f"n % {modulus} = 1")
        expected = [row for row in expected if row[2] % modulus != 1]
        assert read(table) == sorted(expected)
        table = table.refresh()
    if kind == "mor":
        table.compact()
        assert read(table) == sorted(expected)


@pytest.mark.each_value
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_several_rows_of_a_key_in_one_file_are_refused(tmp_path: Path, kind: str, way: str) -> None:
    """WRITE-1443: unless a delete means all of them; rows of other keys are changed."""
    batches: list[list[Row]] = [[("a", "x", 1), ("a", "x", 2), ("b", "x", 3), ("c", "x", 4), ("c", "x", 4)]]
    table = made(tmp_path, kind, 9, None, batches)
    delete, change, _ = WAYS[way]
    for work, wheres in (
        (delete, (("n = 1", "a"), ("n = 2", "a"))),
        (change, (("n = 1", "a"), ("n = 2", "a"), ("n = 4", "c"), ("n < 4", "a"))),
    ):
        for where, key in wheres:
            with pytest.raises(RowError, match=rf"expected one row of each key in a file.*several of '{key}' in x/"):
                work(table, where)
    assert read(table) == sorted(batches[0])
    delete(table, "n = 3")
    assert read(table) == sorted(row for row in batches[0] if row[2] != 3)


@pytest.mark.each_value
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("by_key", [True, False], ids=["key", "predicate"])
@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 6), ("mor", 9)])
def test_all_rows_of_a_key_in_one_file_are_deleted(
    tmp_path: Path, kind: str, version: int, by_key: bool, way: str
) -> None:
    """WRITE-7, WRITE-1443: of files that were written once, that have log files, and whose log files hide the first row."""
    batches: list[list[Row]] = [
        [("a", "x", 1), ("a", "x", 2), ("b", "x", 3), ("c", "x", 4), ("c", "x", 4), ("d", "x", 5)]
    ]
    table = made(tmp_path, kind, version, ["column_stats"], batches)

    def delete(key: str) -> None:
        if by_key:
            WAYS[way][2](table.refresh(), (key, "x", 0))
        else:
            WAYS[way][0](table.refresh(), f"id = '{key}'")

    delete("a")
    assert read(table) == [("b", "x", 3), ("c", "x", 4), ("c", "x", 4), ("d", "x", 5)]
    table.refresh().upsert(rows_of(("c", "x", 6), ("d", "x", 7)))
    assert read(table) == [("b", "x", 3), ("c", "x", 4), ("c", "x", 6), ("d", "x", 7)]
    delete("c")
    assert read(table) == [("b", "x", 3), ("d", "x", 7)]
    delete("d")
    assert read(table) == [("b", "x", 3)]
    assert [str(finding) for finding in table.refresh().validate()] == []


@pytest.mark.each_value
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("kind", "version", "indexes"), KINDS)
def test_keys_are_deleted_in_every_slice(
    tmp_path: Path, kind: str, version: int, indexes: list[str] | None, way: str
) -> None:
    """WRITE-7."""
    batches: list[list[Row]] = [[("a", "x", 1), ("b", "x", 2)], [("a", "x", 3), ("c", "x", 4)], [("b", "x", 5)]]
    table = made(tmp_path, kind, version, indexes, batches)
    WAYS[way][2](table, ("a", "x", 0), ("b", "x", 0), ("none", "x", 0))
    assert read(table) == [("c", "x", 4)]


def test_a_transaction_deletes_what_matches_and_every_row_of_keys(tmp_path: Path) -> None:
    """WRITE-770, WRITE-1443: beside rows that are merged, too."""
    batches: list[list[Row]] = [[("a", "x", 1), ("b", "x", 2)], [("a", "x", 3), ("b", "x", 4)], [("d", "x", 5)]]
    table = made(tmp_path, "cow", 9, None, batches)
    with table.transaction() as changes:
        changes.delete(rows_of(("a", "x", 0)))
        changes.delete(where="n = 4")
        changes.upsert(rows_of(("d", "x", 6)))
    assert read(table) == [("b", "x", 2), ("d", "x", 6)]


@pytest.mark.parametrize("kind", ["cow", "mor"])
@pytest.mark.parametrize("in_one_file", [True, False])
def test_a_merge_refuses_a_row_that_matches_several(tmp_path: Path, kind: str, in_one_file: bool) -> None:
    """WRITE-1444: here and in parts, before anything is written; other rows are merged."""
    batches: list[list[Row]] = [[("b", "x", 3), ("a", "x", 1)], [("a", "x", 2)]]
    stored = [[row for batch in batches for row in batch]] if in_one_file else batches
    table = made(tmp_path, kind, 9, None, stored)
    source = rows_of(("b", "x", 9), ("a", "x", 9))
    with pytest.raises(
        RowError, match="row 2: expected a key that one row of the table has, found several rows of 'a'"
    ):
        table.merge(source, on=["id", "p"]).when_matched_update().execute()
    clauses = [Clause(Action.UPDATE)]
    with pytest.raises(
        RowError, match="row 2: expected a key that one row of the table has, found several rows of 'a'"
    ):
        spread_merge(table, local_rows(table.engine, [source]), ["id", "p"], clauses)
    assert read(table) == [("a", "x", 1), ("a", "x", 2), ("b", "x", 3)]
    table.merge(source.slice(0, 1), on=["id", "p"]).when_matched_update().execute()
    assert read(table) == [("a", "x", 1), ("a", "x", 2), ("b", "x", 9)]


@pytest.mark.parametrize("way", WAYS)
def test_rows_that_a_log_file_left_are_deleted_and_not_updated(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """WRITE-7, WRITE-1443: where another writer's delete took the first row of a key away, as readers take it."""
    table = made(tmp_path, "mor", 9, None, [[("a", "x", 1), ("a", "x", 2), ("b", "x", 3)]])
    with monkeypatch.context() as patched:
        patched.setattr("hudi_core.writing.operation_plans.deleting_tasks", lambda _table, tasks, _slices: tuple(tasks))
        WAYS["here"][2](table, ("a", "x", 0))
    assert read(table) == [("a", "x", 2), ("b", "x", 3)]
    delete, change, _ = WAYS[way]
    with pytest.raises(RowError, match="several of 'a' in x/"):
        change(table.refresh(), "id = 'a'")
    assert read(table) == [("a", "x", 2), ("b", "x", 3)]
    delete(table.refresh(), "id = 'a'")
    assert read(table) == [("b", "x", 3)]


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_a_delete_marker_takes_one_row_as_an_upsert_does(tmp_path: Path, kind: str) -> None:
    """MERGE-11: on both types of tables."""
    marked = TYPES.append(pa.field("_hoodie_is_deleted", pa.bool_()))
    table = hudi_core.create(tmp_path / "t", marked, "id", partition_by="p", type=kind)  # type: ignore[call-overload]
    table.append([{"id": "a", "p": "x", "n": n, "_hoodie_is_deleted": False} for n in (1, 2)])
    table.refresh().upsert([{"id": "a", "p": "x", "n": 3, "_hoodie_is_deleted": True}])
    assert read(table) == [("a", "x", 2)]
