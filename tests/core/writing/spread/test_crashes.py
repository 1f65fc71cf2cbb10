"""Drivers of spread writes that die at each of their calls of the storage that changes something; tasks go on as they like."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest

from hudi_core.commit.times import Clock, system_clock
from hudi_core.front.opening import create_table, open_table
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.table import Table
from hudi_core.transactions.stream_batches import StreamBatch, read_committed_batches
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from hudi_core.writing.spread.by_predicate import spread_delete_where, spread_update
from hudi_core.writing.spread.operations import spread_write
from tests.support.crash_operations import ADDED, BEFORE, CHANGED
from tests.support.crashes import crashes, later
from tests.support.drawing import SOAK
from tests.support.local_flow import LocalRows, local_rows, scan_rows
from tests.support.spread_writes import cut
from tests.support.written_tables import TYPES, read, rows, rows_of

BATCH = StreamBatch(7, "rides")
OPERATIONS = {
    "append": [*BEFORE, *ADDED],
    "upsert": [*BEFORE[1:], *CHANGED],
    "delete": BEFORE[1:],
    "insert_overwrite": [*CHANGED, ("c", "y", 1)],
    "insert_overwrite_table": CHANGED,
    "delete_where": [("b", "x", 1)],
    "update": [("a", "x", 2), ("b", "x", 2), ("c", "y", 1)],
}
KINDS = [("cow", 9), ("mor", 9), ("mor", 6), ("cow", 8)]


def parts(table: Table, given: pa.Table) -> LocalRows:
    return local_rows(table.engine, cut(random.Random(3), given))


def change(table: Table, op: str, clock: Clock = system_clock) -> None:
    """An operation on rows in parts; writes of rows are a batch of a stream."""
    if op == "delete_where":
        spread_delete_where(table, "n = 1 AND id != 'b'", scan_rows)
    elif op == "update":
        spread_update(table, {"n": 2}, "p = 'x'", scan_rows)
    else:
        given = rows(*(ADDED if op == "append" else CHANGED))
        spread_write(table, parts(table, given), op, WriteOptions(batch=BATCH, clock=clock))


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    ("kind", "version", "op", "after"),
    [
        *((*KINDS[number % len(KINDS)], op, False) for number, op in enumerate(OPERATIONS)),
        *(
            pytest.param(kind, version, op, after, marks=pytest.mark.soak)
            for number, op in enumerate(OPERATIONS)
            for place, (kind, version) in enumerate(KINDS)
            for after in (False, True)
            if after or place != number % len(KINDS)
        ),
    ],
)
def test_a_dead_driver_leaves_the_table_before_or_after_its_write(
    tmp_path: Path, kind: str, version: int, op: str, after: bool
) -> None:
    """WRITE-30, WRITE-425, WRITE-430: nothing is lost or doubled, a batch that comes again is written once, and the next
    write goes on."""
    indexes = ("column_stats", "record_index")
    made = create_table(tmp_path / "made", TYPES, "id", partition_by="p", type=kind, version=version, indexes=indexes)
    write(made, rows(*BEFORE))
    then, seen = sorted(OPERATIONS[op]), set[bool]()
    is_batch = op not in ("delete_where", "update")
    for at, path in crashes(tmp_path / "made", lambda dying: change(dying, op), after=after, step=11):
        result = read(path)
        assert result in (sorted(BEFORE), then), at
        assert read(path, MetadataMode.OFF) == result, at
        seen.add(result == then)
        assert read_committed_batches(open_table(path)) == ({"rides": 7} if is_batch and result == then else {}), at
        if is_batch:
            change(open_table(path), op, later)
            assert read(path) == then, at
        healed = {row[:2]: row for row in read(path)} | {("e", "x"): ("e", "x", 3)}
        table = open_table(path)
        spread_write(table, parts(table, rows(("e", "x", 3))), options=WriteOptions(clock=later))
        for mode in (MetadataMode.REQUIRE, MetadataMode.OFF):
            assert rows_of(open_table(path, metadata=mode)) == sorted(healed.values()), (at, mode)
        assert [finding for finding in open_table(path).validate() if finding.severity == "error"] == [], at
    assert seen == {False, True} or not SOAK
