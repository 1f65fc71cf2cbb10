"""Locks that go wrong: clocks hours apart, a lock that another rewrites, an owner that sleeps while its lock is taken."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.commit import lock
from hudi_core.commit.times import system_clock
from hudi_core.errors import ConflictError, HudiError, LockedError
from hudi_core.front.opening import create_table, open_table
from hudi_core.index_builds.build import build_indexes
from hudi_core.services.cleaning.operations import clean
from hudi_core.services.cleaning.options import CleanOptions
from hudi_core.services.compaction.operations import compact
from hudi_core.services.restoring.savepoints import savepoint
from hudi_core.table.table import Table
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from tests.support.crashes import later
from tests.support.drawing import SOAK
from tests.support.written_tables import TYPES, read, rows

Row = tuple[str, str, int]


def made(path: Path, kind: str = "mor", version: int = 9) -> Path:
    table = create_table(path, TYPES, "id", partition_by="p", type=kind, version=version, indexes=["column_stats"])
    write(table, rows(("a", "x", 1), ("b", "x", 2)))
    write(open_table(path), rows(("a", "x", 3)))
    return path


@pytest.mark.parametrize(
    ("hours", "version"),
    [(-5, 6), (5, 9), *(pytest.param(*case, marks=pytest.mark.soak) for case in [(-5, 9), (5, 6)])],
)
def test_writers_whose_clocks_are_hours_apart_lose_no_row(tmp_path: Path, hours: int, version: int) -> None:
    """COMMIT-322, COMMIT-861, COMMIT-1156: one takes the other's lock, or its heartbeat, for one of long ago. An attempt may
    end in any error, but loses nothing."""
    path = made(tmp_path / "t", "cow", version)

    def write_all(writer: str, skew: timedelta) -> list[Row]:
        done: list[Row] = []
        for number in range(4):
            row = (f"{writer}{number}", "x", number)
            for _ in range(20):
                with suppress(HudiError):
                    write(open_table(path), rows(row), options=WriteOptions(clock=lambda: system_clock() + skew))
                    done.append(row)
                    break
        return done

    with ThreadPoolExecutor(2) as pool:
        skewed = pool.submit(write_all, "s", timedelta(hours=hours))
        punctual = pool.submit(write_all, "p", timedelta())
        acknowledged = [*skewed.result(), *punctual.result()]
    assert len(acknowledged) >= 4
    present = read(path)
    assert [row for row in acknowledged if row not in present] == []
    assert len({row[0] for row in present}) == len(present)
    write(
        open_table(path), rows(("z", "x", 1)), options=WriteOptions(clock=lambda: system_clock() + timedelta(hours=6))
    )
    assert [one for one in open_table(path).validate() if one.severity == "error"] == []


class Intruded(ArrowStorage):
    """At one of its changes after the lock was taken, somebody else does something first."""

    def __init__(self, uri: str, at: int, intrude: Callable[[], object]) -> None:
        super().__init__(uri)
        self.left, self.intrude = at, intrude

    def __reduce__(self) -> tuple[type[ArrowStorage], tuple[str]]:
        return ArrowStorage, (self.uri,)

    def create(self, path: str, content: bytes) -> None:
        self._count()
        super().create(path, content)

    def replace(self, path: str, content: bytes) -> None:
        self._count()
        super().replace(path, content)

    @contextmanager
    def output(self, path: str) -> Iterator[BinaryIO]:
        self._count()
        with super().output(path) as stream:
            yield stream

    def _count(self) -> None:
        if self.left and super().exists(lock.LOCK_PATH):
            self.left -= 1
            if self.left == 0:
                self.intrude()


FOREIGN = json.dumps({"owner": "another on a machine far away", "validUntil": 1 << 50}).encode()
LOCKS: dict[str, Callable[[Path], object]] = {
    "another's": lambda path: path.write_bytes(FOREIGN),
    "empty": lambda path: path.write_bytes(b""),
    "gone": lambda path: path.unlink(missing_ok=True),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:20]),
}
ACTIONS: dict[str, Callable[[Table], Any]] = {
    "upsert": lambda table: write(table, rows(("a", "x", 9), ("c", "y", 1))),
    "compact": compact,
    "clean": lambda table: clean(table, CleanOptions(keep_commits=1)),
    "index": lambda table: build_indexes(table, ["record_index"]),
    "savepoint": savepoint,
}


IN_EACH_RUN = [("upsert", "another's"), ("compact", "cut"), ("clean", "gone")]
CASES = [
    pytest.param(action, state, marks=() if (action, state) in IN_EACH_RUN else pytest.mark.soak)
    for action in ACTIONS
    for state in LOCKS
]


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("action", "state"), CASES)
def test_a_lock_that_another_rewrites_stops_its_owner_or_comes_too_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str, state: str
) -> None:
    """COMMIT-322, COMMIT-323: whatever it becomes, and whenever."""
    monkeypatch.setattr(lock, "PATIENCE", 0.02)
    monkeypatch.setattr(lock, "UNNAMED_PATIENCE", 0.02)
    stopped = 0
    for at in range(1, 60, 1 if SOAK else 5):
        path = made(tmp_path / f"t{at}", "cow" if action == "clean" else "mor")
        if action == "clean":
            write(open_table(path), rows(("a", "x", 4)))  # else there is no file that no query needs
        before, lock_file = read(path), path / lock.LOCK_PATH
        opened = open_table(path)
        storage = Intruded(str(path), at, partial(LOCKS[state], lock_file))
        table = Table(opened.engine, storage, opened.config, opened.timeline)
        try:
            ACTIONS[action](table)
        except (ConflictError, LockedError):
            stopped += 1
        if storage.left:
            break
        after = read(path)
        assert after == before or action == "upsert"
        assert after in (before, [("a", "x", 9), ("b", "x", 2), ("c", "y", 1)])
        if state == "another's":
            assert not lock_file.exists() or lock_file.read_bytes() == FOREIGN
        lock_file.unlink(missing_ok=True)
        write(open_table(path), rows(("z", "x", 1)), options=WriteOptions(clock=later))
        assert read(path) == sorted([*after, ("z", "x", 1)])
        assert [one for one in open_table(path).validate() if one.severity == "error"] == [], at
    assert at > 1, "the action has changed nothing under its lock"
    # Where nobody took it nobody is in the way; a savepoint is one step.
    assert stopped or state == "gone" or action == "savepoint" or not SOAK


class Sleeper:
    """A clock that stands still while its owner sleeps, and then goes on from the true time."""

    def __init__(self) -> None:
        self.slept = timedelta()

    def __call__(self) -> datetime:
        return system_clock() + self.slept


@pytest.mark.parametrize("version", [pytest.param(6, marks=pytest.mark.soak), 9])
def test_an_owner_that_slept_while_another_took_its_lock_and_wrote_loses_no_row(tmp_path: Path, version: int) -> None:
    """COMMIT-530 to COMMIT-532."""
    for at in range(1, 60, 1 if SOAK else 17):
        path, clock = made(tmp_path / f"t{at}", "cow", version), Sleeper()
        others: list[Row] = []
        opened = open_table(path)

        def intrude(path: Path = path, clock: Sleeper = clock, others: list[Row] = others) -> None:
            clock.slept = timedelta(minutes=11)
            for kept in (path / lock.LOCK_PATH, *(path / ".hoodie/.heartbeat").glob("*")):
                if kept.exists() and b"owner" in kept.read_bytes():  # of a machine that is not this one
                    kept.write_bytes(kept.read_bytes().replace(b"hudi-core ", b"elsewhere "))
            write(open_table(path), rows(("o", "x", 7)), options=WriteOptions(clock=clock))
            others.append(("o", "x", 7))

        storage = Intruded(str(path), at, intrude)
        table = Table(opened.engine, storage, opened.config, opened.timeline)
        own = [("s", "x", 8)]
        try:
            write(table, rows(*own), options=WriteOptions(clock=clock))
        except ConflictError:
            own = []
        if storage.left:
            break
        assert read(path) == sorted([("a", "x", 3), ("b", "x", 2), *others, *own]), at
        assert [one for one in open_table(path).validate() if one.severity == "error"] == [], at
