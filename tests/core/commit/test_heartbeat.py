"""How long a writer may be silent before it counts as dead."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread

import pytest

from hudi_core.commit.heartbeat import INTERVAL, heartbeat, heartbeat_path, is_alive
from hudi_core.commit.times import system_clock
from hudi_plain.storage import PlainStorage
from tests.support.properties_comments import HUDI_0_14, HUDI_1_1, HUDI_1_2_0, HUDI_1_2_1, HUDI_1_10, OURS

TIME = "20240101000000000"


def alive_after(root: Path, intervals: float) -> bool:
    modified = datetime.fromtimestamp(os.stat(root / heartbeat_path(TIME)).st_mtime, UTC)
    return is_alive(PlainStorage(str(root)), TIME, modified + intervals * INTERVAL)


def written(root: Path, comment: str | None) -> None:
    (root / heartbeat_path(TIME)).parent.mkdir(parents=True)
    (root / heartbeat_path(TIME)).write_bytes(b"")
    if comment is not None:
        (root / ".hoodie/hoodie.properties").write_text(f"{comment}hoodie.table.name=t\n")


@pytest.mark.parametrize(
    ("comment", "misses"),
    [
        (HUDI_0_14, 2),
        (HUDI_1_2_0, 2),
        (HUDI_1_1, 2),
        (HUDI_1_2_1, 10),
        (HUDI_1_10, 10),
        (OURS, 10),
        ("", 10),
        ("#something else\n", 10),
        ("#Updated at 2026-11-26T14:20:00+00:00\n", 10),
        (None, 10),
    ],
)
def test_other_writers_may_be_silent_as_long_as_their_release_may(
    tmp_path: Path, comment: str | None, misses: int
) -> None:
    """COMMIT-710: where that is not known, as long as any."""
    written(tmp_path, comment)
    assert [alive_after(tmp_path, misses + step) for step in (-1, 0, 0.01)] == [True, True, False]


@pytest.mark.parametrize("comment", [HUDI_1_2_1, OURS])
def test_a_writer_of_this_library_is_dead_after_two_intervals_whoever_wrote_before(
    tmp_path: Path, comment: str
) -> None:
    """COMMIT-7, COMMIT-710."""
    written(tmp_path, comment)
    storage = PlainStorage(str(tmp_path))
    with heartbeat(storage, TIME):
        assert is_alive(storage, TIME, system_clock())
        assert [alive_after(tmp_path, intervals) for intervals in (2, 2.01, 9)] == [True, False, False]


def test_a_run_knows_when_another_took_its_write_over(tmp_path: Path) -> None:
    """COMMIT-530."""
    storage, now = PlainStorage(str(tmp_path)), system_clock()
    stopped = timedelta()
    with heartbeat(storage, TIME, clock=lambda: now + stopped, lasting=False) as first:
        assert first.is_own()
        with heartbeat(storage, TIME) as second:
            assert first.is_own()  # it is not asked for so soon
            stopped = timedelta(minutes=10)
            assert not first.is_own()
            first.beat()
            assert second.is_own()
            first.end()
            assert storage.exists(heartbeat_path(TIME))
        assert not storage.exists(heartbeat_path(TIME))


def test_the_run_of_a_plan_knows_at_once_when_another_took_it_over(tmp_path: Path) -> None:
    """COMMIT-1431: the clock of the other is ahead."""
    storage = PlainStorage(str(tmp_path))
    with heartbeat(storage, TIME) as first, heartbeat(storage, TIME) as second:
        first.beat()
        assert second.is_own()
        assert not first.is_own()
        first.end()
        assert second.is_own()


def test_a_run_whose_heartbeat_was_removed_does_not_begin_it_again(tmp_path: Path) -> None:
    """COMMIT-530: who rolled its write back removed it."""
    storage, now = PlainStorage(str(tmp_path)), system_clock()
    stopped = timedelta()
    with heartbeat(storage, TIME, clock=lambda: now + stopped) as own:
        storage.delete(heartbeat_path(TIME))
        stopped = timedelta(minutes=10)
        own.beat()
        assert not own.is_own()
        assert not storage.exists(heartbeat_path(TIME))


def test_a_run_that_gets_no_thread_leaves_no_heartbeat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """COMMIT-7."""

    def refuse(thread: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", refuse)
    with pytest.raises(RuntimeError, match="new thread"), heartbeat(PlainStorage(str(tmp_path)), TIME):
        raise AssertionError("it has begun")
    assert not (tmp_path / heartbeat_path(TIME)).exists()
