"""The table's lock.

Also covers: `commit/times.py`.
"""

from __future__ import annotations

import json
import os
import re
import socket
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier, Event, Thread, Timer
from time import monotonic, sleep
from typing import Any

import pytest

from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.commit.lock import (
    EXPIRY,
    LOCK_PATH,
    PATIENCE,
    free_lock,
    lock_is_expired,
    lock_state,
    read_lock,
    table_lock,
    take_away,
    take_over,
)
from hudi_core.commit.lock_owner import this_owner
from hudi_core.commit.steps import Create, run
from hudi_core.commit.times import system_clock
from hudi_core.engine import Storage
from hudi_core.errors import ConflictError, LockedError, StorageError, UsageError
from hudi_core.front.opening import create_table
from hudi_core.options import PROPERTIES_PATH
from hudi_plain.storage import PlainStorage
from tests.core.commit.test_lock_owner import dead_process
from tests.support.locks import holders_at_once
from tests.support.written_tables import TYPES, rows


def test_one_writer_at_a_time_holds_the_lock(tmp_path: Path) -> None:
    """COMMIT-8."""
    storage = PlainStorage(str(tmp_path))
    assert holders_at_once(lambda: table_lock(storage), threads=4, times=10) == [1] * 40
    assert not (tmp_path / LOCK_PATH).exists()


def test_a_lock_of_a_dead_writer_is_taken_when_its_time_is_over(tmp_path: Path) -> None:
    """COMMIT-8."""
    storage = PlainStorage(str(tmp_path))
    long_ago = system_clock() - timedelta(hours=1)
    storage.create(LOCK_PATH, json.dumps({"owner": "x", "validUntil": int(long_ago.timestamp() * 1000)}).encode())
    os.utime(tmp_path / LOCK_PATH, (long_ago.timestamp(), long_ago.timestamp()))
    with table_lock(storage, patience=0):
        assert json.loads(storage.read(LOCK_PATH))["owner"].startswith("hudi-core ")


class Remote(PlainStorage):
    """A remote storage, which deletes no file before it may."""

    is_remote = True

    def __init__(self, folder: Path, error: StorageError | None = None) -> None:
        super().__init__(str(folder))
        self.may_delete, self.error = Event(), error

    def delete(self, path: str) -> None:
        self.may_delete.wait(60)
        if self.error is not None:
            raise self.error
        super().delete(path)


def test_remote_storage_lets_the_lock_go_beside_what_comes_next(tmp_path: Path) -> None:
    """STORE-1396."""
    storage = Remote(tmp_path)
    with ExitStack() as locks:
        with table_lock(storage, until=locks):
            pass
        assert read_lock(storage, LOCK_PATH) is not None  # the block has ended, and the deletion has not
        with pytest.raises(LockedError), table_lock(PlainStorage(str(tmp_path)), patience=0):
            pass
        Timer(0.1, storage.may_delete.set).start()
        with table_lock(storage, until=locks):  # waits for it
            assert storage.may_delete.is_set()
    assert read_lock(storage, LOCK_PATH) is None


def test_what_fails_while_the_lock_is_let_go_is_raised_at_the_end(tmp_path: Path) -> None:
    storage = Remote(tmp_path, StorageError("t/.hoodie/lock", message="no answer"))
    storage.may_delete.set()
    with pytest.raises(StorageError, match="no answer"), ExitStack() as locks:
        with table_lock(storage, until=locks):
            pass
        reached = True
    assert reached
    assert read_lock(storage, LOCK_PATH) is not None


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"lockCreateTime": "2020-01-01"}'])
def test_a_lock_without_a_time_does_not_expire(tmp_path: Path, content: bytes) -> None:
    """COMMIT-8: those of Apache Hudi."""
    storage = PlainStorage(str(tmp_path))
    storage.create(LOCK_PATH, content)
    with pytest.raises(ConflictError, match=r"held by unnamed since .* UTC"), table_lock(storage, patience=0.02):
        pytest.fail("nobody let go")
    assert storage.read(LOCK_PATH) == content


def lock(folder: Path, owner: str, seconds: float = 300) -> PlainStorage:
    """A table whose lock this owner has, for so long."""
    storage = PlainStorage(str(folder))
    until = int((system_clock() + timedelta(seconds=seconds)).timestamp() * 1000)
    (folder / LOCK_PATH).parent.mkdir(exist_ok=True)
    (folder / LOCK_PATH).write_bytes(json.dumps({"owner": owner, "validUntil": until}).encode())
    return storage


def test_a_lock_of_a_process_that_is_gone_is_taken_at_once(tmp_path: Path) -> None:
    """COMMIT-321."""
    storage = lock(tmp_path, f"hudi-core {socket.gethostname()} {dead_process()} MainThread x")
    with table_lock(storage, patience=0):
        assert lock_state(storage) is not None
    assert lock_state(storage) is None


@pytest.mark.parametrize("owner", [this_owner(), "hudi-core far-away 7 MainThread x", "unnamed"])
def test_a_lock_of_another_is_respected_and_named(tmp_path: Path, owner: str) -> None:
    """COMMIT-321, COMMIT-323."""
    storage = lock(tmp_path, owner)
    message = f"hudi-core unlock TABLE .*held by {re.escape(owner)} since 20"
    with pytest.raises(ConflictError, match=message), table_lock(storage, patience=0.02):
        pytest.fail("nobody let go")


def test_patience_is_longer_than_a_lock_counts(tmp_path: Path) -> None:
    """COMMIT-323."""
    assert PATIENCE > 300
    storage = lock(tmp_path, "hudi-core far-away 7 MainThread x", seconds=0.3)
    renewed = system_clock().timestamp() - 300 + 0.3  # else it counts for minutes: the clock of its owner may be behind
    os.utime(tmp_path / LOCK_PATH, (renewed, renewed))
    begun = monotonic()
    with table_lock(storage):
        assert 0.1 < monotonic() - begun < 60


@pytest.mark.parametrize(("minutes", "expires"), [("", False), ("0", False), ("60", False), ("5", True), ("x", False)])
def test_an_empty_lock_expires_as_the_properties_say(tmp_path: Path, minutes: str, expires: bool) -> None:
    """COMMIT-323."""
    storage = PlainStorage(str(tmp_path))
    storage.create(LOCK_PATH, b"")
    storage.create(PROPERTIES_PATH, f"{EXPIRY}={minutes}\n".encode())
    old = (system_clock() - timedelta(minutes=10)).timestamp()
    os.utime(tmp_path / LOCK_PATH, (old, old))
    assert lock_is_expired(storage, system_clock()) is expires
    if expires:
        with table_lock(storage, patience=0):
            pass


def test_a_lock_is_renewed_while_it_is_held(tmp_path: Path) -> None:
    """COMMIT-322."""
    storage, past = PlainStorage(str(tmp_path)), system_clock() - timedelta(minutes=4)
    times = iter([past, past])
    with table_lock(storage, clock=lambda: next(times, system_clock()), renewal=timedelta(milliseconds=20)) as held:
        first = json.loads(storage.read(LOCK_PATH))["validUntil"]
        for _ in range(200):
            if json.loads(storage.read(LOCK_PATH))["validUntil"] > first + 200_000:
                break
            sleep(0.02)
        else:
            pytest.fail("it was not renewed")
        held.refuse_lost()
    assert not (tmp_path / LOCK_PATH).exists()


@pytest.mark.parametrize("taken_by", ["another", None])
def test_a_lock_that_was_lost_is_noticed_and_left_alone(tmp_path: Path, taken_by: str | None) -> None:
    """COMMIT-322."""
    storage = PlainStorage(str(tmp_path))
    with table_lock(storage) as held:
        storage.delete(LOCK_PATH)
        if taken_by is not None:
            lock(tmp_path, taken_by)
        with pytest.raises(ConflictError, match=r"a lock that is still held, found (no lock|one held by another)"):
            held.refuse_lost()
        held.renew()
    assert (tmp_path / LOCK_PATH).exists() is (taken_by is not None)


def test_the_lock_of_a_dead_writer_is_freed_and_others_only_by_name(tmp_path: Path) -> None:
    """COMMIT-324."""
    storage = PlainStorage(str(tmp_path))
    assert free_lock(storage) is None
    lock(tmp_path, dead := f"hudi-core {socket.gethostname()} {dead_process()} MainThread x")
    freed = free_lock(storage)
    assert freed is not None
    assert freed.owner == dead
    for owner, life in ((this_owner(), "alive"), ("hudi-core far-away 7 MainThread x", "not known to be dead")):
        lock(tmp_path, owner)
        with pytest.raises(ConflictError, match=life):
            free_lock(storage)
        with pytest.raises(UsageError, match="expected the owner's name"):
            free_lock(storage, "x")
        assert (tmp_path / LOCK_PATH).exists()
        assert free_lock(storage, owner) is not None
    storage.create(LOCK_PATH, b"")
    with pytest.raises(ConflictError, match="--owner 'unnamed'"):
        free_lock(storage)
    assert free_lock(storage, "unnamed") is not None
    assert not (tmp_path / LOCK_PATH).exists()


def test_the_clock_has_a_zone() -> None:
    now = system_clock()
    assert now.tzinfo is UTC
    assert abs(datetime.now(UTC) - now) < timedelta(seconds=5)  # noqa: TID251 - what it is compared with


class Stopped:
    """A clock of a process that is stopped for a while."""

    def __init__(self) -> None:
        self.stopped_for = timedelta()

    def __call__(self) -> datetime:
        return system_clock() + self.stopped_for


def test_no_step_is_done_under_a_lock_that_was_lost(tmp_path: Path) -> None:
    """COMMIT-531: the process was stopped, and another took the lock meanwhile."""
    storage, clock = PlainStorage(str(tmp_path)), Stopped()
    with pytest.raises(ConflictError, match="still held"), table_lock(storage, clock=clock):
        run(storage, [Create("before")])
        storage.replace(LOCK_PATH, b'{"owner": "another"}')
        run(storage, [Create("in time")])  # nobody takes a lock so soon
        clock.stopped_for = timedelta(minutes=2)
        run(storage, [Create("after")])
    assert sorted(path.name for path in tmp_path.iterdir()) == [".hoodie", "before", "in time"]
    run(storage, [Create("without a lock")])


def test_steps_go_on_under_a_lock_that_is_still_held(tmp_path: Path) -> None:
    """COMMIT-531."""
    storage, clock = PlainStorage(str(tmp_path)), Stopped()
    with table_lock(storage, clock=clock):
        clock.stopped_for = timedelta(minutes=2)
        run(storage, [Create("after")])
    assert (tmp_path / "after").exists()


def test_a_lock_that_was_just_renewed_is_not_taken_for_old(tmp_path: Path) -> None:
    """COMMIT-861: its owner's clock is hours behind."""
    path = tmp_path / ".hoodie/lock"
    path.parent.mkdir()
    until = int((system_clock() - timedelta(hours=5)).timestamp() * 1000)
    path.write_text(json.dumps({"owner": "somebody elsewhere", "validUntil": until}))
    storage = PlainStorage(str(tmp_path))
    assert not lock_is_expired(storage, system_clock())
    with pytest.raises(LockedError, match="held by somebody elsewhere"), table_lock(storage, patience=0):
        pytest.fail("it is held")
    assert lock_is_expired(storage, system_clock() + timedelta(minutes=6))
    long_ago = (system_clock() - timedelta(minutes=6)).timestamp()
    os.utime(path, (long_ago, long_ago))
    with table_lock(storage, patience=0):
        assert "somebody" not in path.read_text()


LOCK = ".hoodie/lock"


@pytest.fixture(params=[PlainStorage, ArrowStorage])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    opened: Storage = request.param(str(tmp_path))
    opened.create(LOCK, b"dead")
    return opened


def names(storage: Storage) -> list[str]:
    return [info.path for info in storage.list(".hoodie", recursive=True)]


def test_only_what_was_read_goes(storage: Storage) -> None:
    """COMMIT-1024."""
    assert not take_away(storage, LOCK, b"another")
    assert not take_over(storage, LOCK, b"another", b"own")
    assert storage.read(LOCK) == b"dead"
    assert take_over(storage, LOCK, b"dead", b"own")
    assert storage.read(LOCK) == b"own"
    assert take_away(storage, LOCK, b"own")
    assert not take_away(storage, LOCK, b"own")
    assert read_lock(storage, LOCK) is None
    assert names(storage) == []


@pytest.mark.parametrize("there", [False, True])
def test_a_lock_that_was_taken_between_the_look_and_the_deletion_comes_back(
    storage: Storage, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    """COMMIT-1024: unless there is a new one by then."""
    rename = Path.rename

    def late(path: Path, target: Path) -> Path:
        storage.replace(LOCK, b"living")
        moved = rename(path, target)
        if there:
            storage.create(LOCK, b"newer")
        return moved

    monkeypatch.setattr(Path, "rename", late)
    assert not take_away(storage, LOCK, b"dead")
    assert storage.read(LOCK) == (b"newer" if there else b"living")
    assert names(storage) == [LOCK]


def test_of_many_that_take_a_dead_lock_one_has_it(storage: Storage) -> None:
    """COMMIT-1024."""
    ready, taken = Barrier(8), list[int]()

    def work(number: int) -> None:
        ready.wait()
        if take_over(storage, LOCK, b"dead", f"owner {number}".encode()):
            taken.append(number)

    threads = [Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == 1
    assert storage.read(LOCK) == f"owner {taken[0]}".encode()


@pytest.mark.parametrize("moment", [datetime(9999, 12, 31, tzinfo=UTC), datetime(1969, 12, 31, tzinfo=UTC), None, 1.5])
def test_a_clock_without_a_time_of_instants_is_refused(tmp_path: Path, moment: Any) -> None:
    """COMMIT-1685."""
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p")
    table.upsert(rows(("a", "x", 1)))
    before = sorted(tmp_path.rglob("*"))
    for change in (
        lambda: table.upsert(rows(("b", "x", 1)), clock=lambda: moment),
        lambda: table.delete(where="n = 1", clock=lambda: moment),
    ):
        with pytest.raises(UsageError, match="clock: expected a datetime of a year from 1970 to 9998, found"):
            change()
    assert sorted(tmp_path.rglob("*")) == before
