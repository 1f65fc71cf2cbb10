"""Steps from table to table: however often they die, what is there in the end is what one run of the whole would leave."""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.changes.incremental import find_end
from hudi_core.commit.times import system_clock
from hudi_core.creating.create import create_table
from hudi_core.table.open import open_table
from hudi_core.table.table import Table
from hudi_core.transactions.stream_batches import StreamBatch, read_committed_batches
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from tests.support.crashes import Death, mortal
from tests.support.drawing import SOAK

TYPES = pa.schema([("event", pa.int64()), ("ride", pa.string()), ("fare", pa.int64())])
KINDS = [("cow", 9), ("mor", 9), ("mor", 6)]


def step(source: Path, target: Table, minutes: int) -> None:
    """What changed in the source since the last batch of the target, in one commit; a writer that died before is long gone."""
    raw = open_table(source)
    done = read_committed_batches(target).get("raw")
    until = find_end(raw.timeline)
    if until is None or (done is not None and int(until) <= done):
        return
    rows = raw.scan(since="earliest" if done is None else str(done), until=until, meta=False).to_arrow()
    clock = lambda: system_clock() + timedelta(minutes=minutes)  # noqa: E731
    write(target, rows, "upsert", WriteOptions(batch=StreamBatch(int(until), "raw"), clock=clock))


@pytest.mark.parametrize(("kind", "version"), KINDS)
@pytest.mark.parametrize("seed", range(8 if SOAK else 1))
def test_a_pipeline_that_dies_loses_and_doubles_nothing(tmp_path: Path, kind: str, version: int, seed: int) -> None:
    """WRITE-430, WRITE-421: the batch is in the commit, so a step that is run again knows what it has to do."""
    chance = random.Random(f"{kind}{version}{seed}")
    source, path = tmp_path / "raw", tmp_path / "rides"
    create_table(source, TYPES, "event", version=version)
    create_table(path, TYPES, "ride", ordering="event", type=kind, version=version)
    model: dict[str, Any] = {}
    event = minutes = rounds = 0
    for _ in range(3):
        rows = [{"event": event + n, "ride": f"r{chance.randrange(9)}", "fare": chance.randrange(99)} for n in range(4)]
        event += len(rows)
        model |= {row["ride"]: row for row in rows}
        write(open_table(source), pa.Table.from_pylist(rows, TYPES), "append")
        rounds += 1
        for _ in range(chance.randrange(3)):
            minutes += 10
            dying, _storage = mortal(path, chance.randrange(1, 40), after=chance.random() < 0.5)
            try:
                step(source, dying, minutes)
            except Death:
                continue
        minutes += 10
        step(source, open_table(path), minutes)
        step(source, open_table(path), minutes)
        latest = open_table(path)
        assert sorted(latest.scan(meta=False).to_json_rows(), key=str) == sorted(model.values(), key=str)
        assert len(latest.timeline.commits) == rounds
