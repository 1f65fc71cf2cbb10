"""A write that may be undone alone leaves a table as if it had never been: ROLLBACK-571 to ROLLBACK-574."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from hudi_core.cluster.operations import cluster
from hudi_core.cluster.options import ClusterOptions
from hudi_core.creating.create import create_table
from hudi_core.errors import UsageError
from hudi_core.options import TableType
from hudi_core.services.cleaning.operations import clean
from hudi_core.services.cleaning.options import CleanOptions
from hudi_core.services.compaction.operations import compact
from hudi_core.services.restoring.undoing import rollback
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.open import open_table, refreshed
from hudi_core.table.table import Table
from hudi_core.validation.validate import validate
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from hudi_core.writing.plan import FileSizes
from tests.support.drawing import SOAK, seed
from tests.support.written_tables import TYPES, read, rows

Rows = dict[str, tuple[str, str, int]]

INDEXES = ("column_stats", "bloom_filters", "record_index")
KINDS = [
    ("cow", 6, None),
    ("cow", 8, INDEXES),
    ("cow", 9, (*INDEXES, "partition_stats")),
    ("mor", 6, INDEXES),
    ("mor", 8, None),
    ("mor", 9, (*INDEXES, "partition_stats")),
]
SEQUENCES = 12 if SOAK else 1
STEPS = 8 if SOAK else 6
SMALL = [WriteOptions(sizes=FileSizes(small=0)), WriteOptions()]


@dataclass(frozen=True)
class Change:
    """A change of a table, and what it does to its rows."""

    operation: str
    rows: Rows
    options: WriteOptions

    def run(self, table: Table) -> str | None:
        """Changes the table; the instant that did, None for none."""
        if self.operation == "cluster":
            return cluster(table, ClusterOptions(columns=("n",))).instant
        if self.operation == "compact":
            return compact(table).instant if table.config.type is TableType.MERGE_ON_READ else None
        if self.operation == "clean":
            clean(table, CleanOptions(keep_commits=2))
            return None
        given = rows(*self.rows.values())
        if self.operation == "delete":
            given = given.select(["id", "p"])
        return write(table, given, self.operation, self.options).instant

    def applied(self, before: Rows) -> Rows:
        """The rows after it."""
        if self.operation == "upsert":
            return before | self.rows
        if self.operation == "delete":
            return {key: row for key, row in before.items() if key not in self.rows}
        if self.operation == "insert_overwrite":
            gone = {row[1] for row in self.rows.values()}
            return {key: row for key, row in before.items() if row[1] not in gone} | self.rows
        return before


def drawn(random: Random) -> Change:
    operation = random.choice(["upsert"] * 4 + ["delete", "insert_overwrite", "cluster", "compact", "clean"])
    places = random.sample("xyz", random.randint(1, 2))
    drawn_rows: Rows = {}
    for _ in range(random.randint(1, 3)):
        place, key = random.choice(places), random.choice("abcdefgh")
        drawn_rows[key + place] = (key + place, place, random.randrange(100))
    return Change(operation, drawn_rows, random.choice(SMALL))


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("kind", "version", "indexes"), KINDS if SOAK else KINDS[1::2])
def test_a_table_without_a_write_is_as_if_it_had_never_been(
    tmp_path: Path, kind: str, version: int, indexes: tuple[str, ...] | None
) -> None:
    """ROLLBACK-571 to ROLLBACK-574: and where it may not be undone, nothing is changed."""
    alone = 0
    for sequence in range(SEQUENCES):
        random, path = Random(f"{seed(3)}{sequence}{kind}{version}"), tmp_path / str(sequence)
        table = create_table(path, TYPES, "id", partition_by="p", type=kind, version=version, indexes=indexes)
        history: list[tuple[Change, str | None]] = []
        for _ in range(STEPS):
            change = drawn(random)
            history.append((change, change.run(refreshed(table))))
        assert read(path) == sorted(_replayed(history, None).values())
        for number, (_, instant) in enumerate(history):
            if instant is None:
                continue
            copy = tmp_path / f"{sequence}-{number}"
            shutil.copytree(path, copy)
            with suppress(UsageError):
                (plan,) = rollback(open_table(copy), instant)
                alone += number < len(history) - 1
                expected = sorted(_replayed(history, number).values())
                assert read(copy) == expected, plan
                assert read(copy, MetadataMode.OFF) == expected, plan
                assert [str(one) for one in validate(open_table(copy))] == []
                write(refreshed(open_table(copy)), rows(("ax", "x", 7), ("new", "y", 8)))
                assert [str(one) for one in validate(open_table(copy))] == []
                assert read(copy) == sorted({*expected, ("ax", "x", 7), ("new", "y", 8)} - _old(expected, "ax"))
            shutil.rmtree(copy)
    assert alone or not SOAK


def _old(rows: list[tuple[str, str, int]], key: str) -> set[tuple[str, str, int]]:
    return {row for row in rows if row[0] == key and row != ("ax", "x", 7)}


def _replayed(history: list[tuple[Change, str | None]], without: int | None) -> Mapping[str, tuple[str, str, int]]:
    state: Rows = {}
    for number, (change, _) in enumerate(history):
        if number != without:
            state = change.applied(state)
    return state
