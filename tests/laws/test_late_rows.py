"""Rows, delete markers and deletes come in any order of their ordering values: what a write answers is what readers get, and no
deleted row comes back, also where compactions wait and run between them. WRITE-75, WRITE-76, WRITE-1462, WRITE-1484, MERGE-6.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.errors import UnsupportedError
from hudi_core.front.opening import create_table, open_table
from hudi_core.front.table import Table
from hudi_core.services.compaction.operations import compact, plan_only
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.timeline.instants import COMPACTION, LOG_COMPACTION
from hudi_core.writing.result import WriteResult
from hudi_core.writing.spread.operations import spread_write
from tests.support.drawing import cases
from tests.support.inserts_into_logs import inserts_into_logs
from tests.support.local_flow import local_rows

TYPES = pa.schema([("id", pa.string()), ("n", pa.int64()), ("ts", pa.int64()), ("_hoodie_is_deleted", pa.bool_())])
KEYS = "abcd"
PLANNED = (COMPACTION, LOG_COMPACTION)
BUCKETS = {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "2"}
MADE: dict[str, dict[str, Any]] = {
    "files": {},
    "record_index": {"indexes": ["record_index"]},
    "buckets": {"options": BUCKETS},
    "log files": {"indexes": ["record_index"]},
}

KINDS = st.sampled_from(list(MADE))

Event = tuple[str, int, bool]
"""A key, an ordering value, and whether it is a delete marker."""
Seen = dict[str, tuple[int, int]]
"""By key the number and the ordering value of its row."""

EVENTS = st.lists(st.tuples(st.sampled_from(KEYS), st.integers(1, 9), st.booleans()), min_size=1, max_size=5)
ROWS = st.lists(st.tuples(st.sampled_from(KEYS), st.integers(1, 9), st.just(False)), min_size=1, max_size=5)
SOME = st.sets(st.sampled_from(KEYS), min_size=1, max_size=2)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("upsert"), EVENTS),
        st.tuples(st.just("upsert"), ROWS),
        st.tuples(st.just("delete"), SOME),
        st.tuples(st.just("delete_where"), SOME),
        st.tuples(st.just("update"), SOME),
        st.tuples(st.just("compact"), st.none()),
    ),
    min_size=3,
    max_size=8,
)

_OF_TWO = st.sampled_from(KEYS[1:3])
_BESIDE = st.one_of(
    st.tuples(
        st.just("upsert"), st.lists(st.tuples(_OF_TWO, st.integers(3, 7), st.booleans()), min_size=1, max_size=2)
    ),
    st.tuples(
        st.just("upsert"), st.lists(st.tuples(_OF_TWO, st.integers(3, 7), st.just(False)), min_size=1, max_size=2)
    ),
    st.tuples(st.just("delete"), st.sets(_OF_TWO, min_size=1, max_size=2)),
)
_PLAN = st.sampled_from([("plan", False), ("plan", False), ("plan", True)])
_RUN = st.sampled_from([("compact", None), ("compact", None), ("compact_logs", None)])
AROUND_PLANS = st.tuples(
    st.lists(_BESIDE, max_size=2), _PLAN.map(lambda one: [one]), st.lists(_BESIDE, min_size=2, max_size=4),
    st.lists(st.one_of(_PLAN, _BESIDE), max_size=2), _RUN.map(lambda one: [one]), st.lists(_BESIDE, max_size=1),
    st.just([("compact", None)]),
).map(lambda parts: [step for part in parts for step in part])  # fmt: skip
"""Steps on a key of a base file and one that may be in log files alone, before a compaction is planned, while it waits, and
after it."""


@dataclass
class Model:
    """What is there, and the highest ordering value of the delete markers that a key without a row may have. While a compaction
    waits, rows may be refused, and then nothing changes."""

    spread: bool
    rows: Seen = field(default_factory=dict)
    markers: dict[str, int] = field(default_factory=dict)
    number: int = 0

    def take(self, table: Table, operation: str, given: Any) -> None:
        """Raises AssertionError where the answer of a step is not what becomes of the rows."""
        try:
            self._take(table, operation, given)
        except UnsupportedError as error:
            assert any(one.action in PLANNED for one in table.timeline.pending)
            assert "compact it first, found a pending compaction" in str(error)
            assert seen(table) == self.rows

    def _take(self, table: Table, operation: str, given: Any) -> None:
        if operation == "upsert":
            self._upsert(table, given)
        elif operation == "plan":
            plan_only(table, CompactionOptions(of_logs=given, min_log_blocks=2))
        elif operation in ("compact", "compact_logs"):
            of_logs = operation == "compact_logs"
            compact(table, CompactionOptions(of_logs=of_logs, min_log_blocks=2))
            assert seen(table) == self.rows
            if not of_logs and not any(one.action in PLANNED for one in table.timeline.pending):
                self.markers.clear()
        elif operation == "update":
            table.update({"n": -1}, where=one_of(given))
            self.rows |= {key: (-1, self.rows[key][1]) for key in given & self.rows.keys()}
            assert seen(table) == self.rows
        else:
            keys = pa.table({"id": sorted(given)})
            result = table.delete(keys) if operation == "delete" else table.delete(where=one_of(given))
            assert result.deleted == len(given & self.rows.keys())
            for key in given & self.rows.keys():
                del self.rows[key]
            assert seen(table) == self.rows

    def _upsert(self, table: Table, events: list[Event]) -> None:
        numbered = [(key, ts, deleted, self.number + place) for place, (key, ts, deleted) in enumerate(events)]
        self.number += len(events)
        result, after = upsert(table, numbered, self.spread), seen(table)
        before, self.rows = self.rows, after
        for key in {*before, *after}:
            latest: tuple[int, bool, int] | None = None
            for ts, deleted, number in (event[1:] for event in numbered if event[0] == key):
                latest = (ts, deleted, number) if latest is None or ts >= latest[0] else latest
            self._check(key, before.get(key), latest, after.get(key))
        assert result.inserted == len(after.keys() - before.keys())

    def _check(self, key: str, before: tuple[int, int] | None, latest: Any, after: tuple[int, int] | None) -> None:
        if latest is None:
            assert after == before, key
            return
        ts, deleted, number = latest
        if before is not None:
            assert after == (before if ts < before[1] else None if deleted else (number, ts)), key
        elif after is None:
            assert deleted or ts < self.markers.get(key, 0), key
        else:
            assert not deleted and after == (number, ts), key
        if after is not None:
            self.markers.pop(key, None)
        elif deleted:
            self.markers[key] = max(ts, self.markers.get(key, 0))


def upsert(table: Table, events: list[tuple[str, int, bool, int]], spread: bool) -> WriteResult:
    made = [{"id": key, "n": number, "ts": ts, "_hoodie_is_deleted": deleted} for key, ts, deleted, number in events]
    batch = pa.Table.from_pylist(made, TYPES)
    return spread_write(table, local_rows(table.engine, [batch])) if spread else table.upsert(batch)


def seen(table: Table) -> Seen:
    """The rows, which are the same with the metadata table and without it."""
    rows = rows_of(table.refresh())
    assert rows == rows_of(open_table(table.uri, metadata=MetadataMode.OFF))
    return rows


def rows_of(table: Table) -> Seen:
    rows = table.scan(columns=["id", "n", "ts"]).to_arrow().to_pylist()
    assert len({row["id"] for row in rows}) == len(rows)
    return {row["id"]: (row["n"], row["ts"]) for row in rows}


def one_of(keys: set[str]) -> str:
    return f"id IN ({', '.join(map(repr, sorted(keys)))})"


@settings(max_examples=cases(480, part=32))
@given(version=st.sampled_from([6, 9]), made=KINDS, spread=st.booleans(), steps=STEPS)
def test_what_a_write_answers_is_what_readers_get(version: Any, made: str, spread: bool, steps: list[Any]) -> None:
    """WRITE-1462."""
    take_steps(version, made, spread, steps)


@settings(max_examples=cases(432, part=28))
@given(version=st.sampled_from([6, 8, 9]), made=KINDS, spread=st.booleans(), steps=AROUND_PLANS)
def test_compactions_that_wait_change_no_row(version: Any, made: str, spread: bool, steps: list[Any]) -> None:
    """WRITE-1484."""
    take_steps(version, made, spread, steps)


def take_steps(version: Any, made: str, spread: bool, steps: list[Any]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t"
        table = create_table(path, TYPES, "id", type="mor", ordering="ts", version=version, **MADE[made])
        model = Model(spread)
        model.take(table, "upsert", [(key, 5, False) for key in KEYS[:2]])
        with inserts_into_logs() if made == "log files" else nullcontext():
            model.take(table.refresh(), "upsert", [(key, 5, False) for key in KEYS[2:]])
        for operation, given_ in steps:
            model.take(table.refresh(), operation, given_)
        assert [str(finding) for finding in table.refresh().validate()] == []
