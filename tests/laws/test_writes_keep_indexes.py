"""Whatever is written in whatever order, the table's indexes state what its files hold, and reads by them lose no row.

Held for the statistics, bloom filters, record index, secondary and expression indexes that writes keep, of columns of every
type, with the meta columns and without, while columns are added, widened, reordered and dropped and another writer comes
between: WRITE-12, WRITE-40, WRITE-41, WRITE-60, WRITE-75, WRITE-76, VALID-24, VALID-30, TIME-230.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hudi_core.cluster.operations import cluster
from hudi_core.cluster.options import ClusterOptions
from hudi_core.front.opening import open_table
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.table import Table
from hudi_core.writing.alter_schema import alter_schema
from hudi_core.writing.by_predicate import update
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import delete_partitions, write
from hudi_core.writing.plan import FileSizes
from tests.support.drawing import SOAK, each_pair, seed
from tests.support.drawn_tables import VALUES, WIDER, DrawnTable, Row

NO_FILLING = WriteOptions(sizes=FileSizes(small=0))
"""New rows make new files: then the others of a merge-on-read table go to log files."""

SEQUENCES = 20 if SOAK else 1
STEPS = 7
CONDITIONS = 10
"""That are asked after each step."""

Written = list[Row] | None
"""Rows that a step may have put into the table; None where it puts none. A row may come back that a delete took."""


def upsert(drawn: DrawnTable) -> Written:
    rows = drawn.rows()
    options = drawn.random.choice([None, NO_FILLING])
    write(drawn.open(), drawn.batch(rows, shuffled=drawn.random.random() < 0.5), options=options)
    return rows


def widen(drawn: DrawnTable) -> Written:
    """The batch has wider types, for columns without an index of their own."""
    for name, kind in drawn.columns.items():
        if name not in drawn.fixed and drawn.random.random() < 0.7:
            drawn.columns[name] = WIDER.get(kind, kind)
    return upsert(drawn)


def add(drawn: DrawnTable) -> Written:
    """The batch has a column that the table lacks."""
    drawn.columns[f"new{drawn.added}"] = drawn.random.choice(list(VALUES))
    drawn.added += 1
    return upsert(drawn)


def drop(drawn: DrawnTable) -> Written:
    """A column goes by a schema change."""
    free = sorted(drawn.columns.keys() - drawn.fixed - {"id", "p", "ts", "v"})
    if free:
        name = drawn.random.choice(free)
        alter_schema(drawn.open(), f"DROP COLUMN {name}")
        del drawn.columns[name]
    return None


def delete(drawn: DrawnTable) -> Written:
    write(drawn.open(), drawn.batch(drawn.rows()).select(["id", "p"]), "delete")
    return None


def change(drawn: DrawnTable) -> Written:
    value, before = drawn.row()["v"], rows_of(drawn.open())
    update(drawn.open(), {"v": value}, where=f"ts <= {drawn.random.randrange(4)}")
    return [{**row, "v": value} for row in before]


def overwrite(drawn: DrawnTable) -> Written:
    """Overwrites partitions with rows of different keys that no other partition has: a record index has each key once."""
    table = drawn.open()
    places = {row["id"]: row["p"] for row in table.scan(columns=["id", "p"]).to_json_rows()}
    rows = {row["id"]: row for row in drawn.rows() if places.get(row["id"], row["p"]) == row["p"]}
    if rows:
        write(table, drawn.batch(list(rows.values())), "insert_overwrite")
    return list(rows.values())


def drop_partition(drawn: DrawnTable) -> Written:
    table = drawn.open()
    partitions = sorted({one.partition for one in table.slices()})
    if partitions:
        delete_partitions(table, [drawn.random.choice(partitions)])
    return None


def rewrite(drawn: DrawnTable) -> Written:
    cluster(drawn.open(), ClusterOptions(columns=("v",)))
    return None


def beside(drawn: DrawnTable) -> Written:
    """Another writer commits while this one runs: one of them loses, and tries again, or both stay. No key is new to both: of
    such a key nothing that they share states where it is."""
    rows, stored = drawn.rows(), {row["id"] for row in rows_of(drawn.open())}
    new = {row["id"] for row in rows} - stored
    others = [row for row in drawn.rows() if row["id"] not in new]
    came = False

    def meanwhile(_done: int, _all: int) -> None:
        nonlocal came
        if not came:
            came = True
            write(drawn.open(), drawn.batch(others))

    write(drawn.open(), drawn.batch(rows), options=WriteOptions(progress=meanwhile))
    return [*rows, *others]


OPERATIONS: dict[str, Callable[[DrawnTable], Written]] = {
    one.__name__: one
    for one in (upsert, upsert, widen, add, drop, delete, change, overwrite, drop_partition, rewrite, beside)
}


def rows_of(table: Table, where: str | None = None) -> list[Row]:
    names = [field.name for field in table.schema.fields if not field.name.startswith("_hoodie_")]
    rows: list[Row] = table.scan(where, columns=names).to_arrow().to_pylist()
    return rows


def as_text(row: Row, names: list[str]) -> str:
    return repr([row.get(name) for name in names])


@pytest.mark.one_of(3)
@each_pair(kind=["cow", "mor"], version=[6, 8, 9], meta=[True, False])
def test_indexes_state_what_the_files_hold(tmp_path: Path, kind: str, version: int, meta: bool) -> None:
    random = Random(seed(zlib.crc32(f"{kind} {version} {meta}".encode())))
    for number in range(SEQUENCES):
        drawn = DrawnTable.create(random, tmp_path / f"t{number}", kind=kind, version=version, meta=meta)
        steps: list[Any] = [drawn.settings]
        seen = rows_of(drawn.open())
        for _ in range(STEPS):
            steps.append(random.choice(list(OPERATIONS)))
            seen += OPERATIONS[steps[-1]](drawn) or []
            expect(drawn, seen, steps)


def expect(drawn: DrawnTable, seen: list[Row], steps: list[Any]) -> None:
    after, whole = drawn.open(), open_table(drawn.path, metadata=MetadataMode.OFF)
    assert [str(finding) for finding in after.validate()] == [], steps
    names = sorted(drawn.columns)
    rows = rows_of(whole)
    assert sorted(as_text(row, names) for row in rows_of(after)) == sorted(as_text(row, names) for row in rows), steps
    possible = {as_text(row, names) for row in seen}
    strange = [row for row in rows if as_text(row, names) not in possible]
    assert not strange, repr((strange, seen, steps))
    conditions = drawn.conditions()
    for condition in drawn.random.sample(list(conditions), min(CONDITIONS, len(conditions))):
        wanted = sorted(as_text(row, names) for row in rows if conditions[condition](row))
        for table in (after, whole):
            assert sorted(as_text(row, names) for row in rows_of(table, condition)) == wanted, (condition, steps)
