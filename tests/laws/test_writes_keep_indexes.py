"""Whatever is written in whatever order, the table's indexes state what its files hold, and reads by them lose no row.

Held for the statistics, bloom filters, record index and secondary indexes that writes keep: WRITE-12, WRITE-40, WRITE-41,
WRITE-75, WRITE-76, VALID-24.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.cluster.operations import cluster
from hudi_core.cluster.options import ClusterOptions
from hudi_core.front.opening import create_table, open_table
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.writing.by_predicate import update
from hudi_core.writing.index_build import build_indexes
from hudi_core.writing.index_plan import IndexOptions
from hudi_core.writing.operations import delete_partitions, write
from hudi_core.writing.plan import FileSizes
from hudi_core.writing.write_run import WriteOptions
from tests.support.drawing import SOAK, seed

TYPES = pa.schema(
    [
        ("id", pa.string()), ("p", pa.string()), ("v", pa.int64()), ("ts", pa.int64()),
        ("_hoodie_is_deleted", pa.bool_()),
    ]
)  # fmt: skip
KINDS = [(kind, version) for kind in ("cow", "mor") for version in (6, 8, 9)]
INDEXES = {6: ["column_stats", "bloom_filters", "record_index"]}
SINCE_8 = [*INDEXES[6], "partition_stats"]
NO_FILLING = WriteOptions(sizes=FileSizes(small=0))
"""New rows make new files: then the others of a merge-on-read table go to log files."""
PREDICATES = ["v < 40", "v IS NULL", "id = 'b'", "id IN ('c', 'd') AND p = 'x'", "v >= 60 OR ts = 2"]

SEQUENCES = 20 if SOAK else 1
STEPS = 8

Row = tuple[str, str, int | None, int, bool]


def drawn_rows(random: Random) -> list[Row]:
    """A few rows of few keys; some have a delete marker."""
    return [
        (
            random.choice("abcd"), random.choice("xy"), random.choice([None, random.randrange(100)]), random.randrange(4),
            random.random() < 0.3,
        )
        for _ in range(random.randint(1, 6))
    ]  # fmt: skip


def batch(rows: list[Row]) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(TYPES.names, row, strict=True)) for row in rows], TYPES)


def replace_rows(table: Table, rows: list[Row]) -> None:
    """Overwrites partitions with rows of different keys that no other partition has: the record index has each key once."""
    places = {row["id"]: row["p"] for row in table.scan(columns=["id", "p"]).to_json_rows()}
    live = {row[0]: (*row[:4], False) for row in rows if places.get(row[0], row[1]) == row[1]}
    if live:
        write(table, batch(list(live.values())), "insert_overwrite")


def drop(table: Table, rows: list[Row]) -> None:
    stored = {file_slice.partition for file_slice in table.slices()}
    if rows[0][1] in stored:
        delete_partitions(table, [rows[0][1]])


def rewrite(table: Table, rows: list[Row]) -> None:
    cluster(table, ClusterOptions(columns=("v",)))


OPERATIONS: dict[str, Callable[[Table, list[Row]], object]] = {
    "upsert": lambda table, rows: write(table, batch(rows)),
    "upsert into log files": lambda table, rows: write(table, batch(rows), options=NO_FILLING),
    "delete": lambda table, rows: write(table, batch(rows).select(["id", "p"]), "delete"),
    "update": lambda table, rows: update(table, {"v": rows[0][2]}, where=f"ts <= {rows[0][3]}"),
    "insert_overwrite": replace_rows,
    "drop": drop,
    "cluster": rewrite,
}


def rows_of(table: Table, where: str | None = None) -> list[tuple[Any, ...]]:
    return sorted((tuple(row.values()) for row in table.scan(where, columns=TYPES.names[:4]).to_json_rows()), key=str)


@pytest.mark.parametrize("ordering", [(), "ts"], ids=["by-commit", "by-ts"])
@pytest.mark.parametrize(("kind", "version"), KINDS)
def test_indexes_state_what_the_files_hold(tmp_path: Path, kind: str, version: int, ordering: str | tuple[()]) -> None:
    random = Random(seed(7))
    for number in range(SEQUENCES):
        path = tmp_path / f"t{number}"
        indexes = INDEXES.get(version, SINCE_8)
        table = create_table(
            path, TYPES, "id", partition_by="p", type=kind, version=version, ordering=ordering, indexes=indexes
        )
        write(table, batch([("a", "x", 1, 1, False), ("b", "x", 50, 1, False), ("c", "y", None, 1, False)]))
        if version > 6 and random.random() < 0.5:
            build_indexes(refreshed(table), ["secondary_index"], IndexOptions(columns=["v"], name="v"))
        steps: list[tuple[str, list[Row]]] = []
        for _ in range(STEPS):
            steps.append((random.choice(list(OPERATIONS)), drawn_rows(random)))
            OPERATIONS[steps[-1][0]](refreshed(table), steps[-1][1])
            after, whole = open_table(path), open_table(path, metadata=MetadataMode.OFF)
            assert [str(finding) for finding in after.validate()] == [], steps
            for predicate in (None, *PREDICATES):
                assert rows_of(after, predicate) == rows_of(whole, predicate), (predicate, steps)
