"""The table's lock: that of Apache Hudi's `FileSystemBasedLockProvider`, a file that only one writer can create. Rules COMMIT-8,
COMMIT-320 to COMMIT-325.

It is held for moments: to take an instant time, and to commit. Writers of Apache Hudi that are set to this provider exclude ours.
Lock files of others are taken or deleted only as they were looked at. Rule COMMIT-1024.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Event, Lock, Thread
from time import monotonic, sleep
from typing import Final

from hudi_core.commit.lock_owner import Life, life_of, this_owner
from hudi_core.commit.steps import finish, guard_steps
from hudi_core.commit.storage_lock import HeldStorageLock, has_storage_lock, lock_fields, storage_lock
from hudi_core.commit.times import Clock, read_clock, system_clock
from hudi_core.commit.versions import VersionedStorage
from hudi_core.engine import Storage
from hudi_core.errors import (
    AlreadyExistsError,
    ConflictError,
    LockedError,
    NoSuchFileError,
    StorageError,
    UnsupportedError,
    UsageError,
)
from hudi_core.formats.properties import parse_properties
from hudi_core.local_files import let_pass
from hudi_core.options import PROPERTIES_PATH
from hudi_core.storage_parts import StorageWithFence, StorageWithTakeAway

LOCK_PATH: Final = ".hoodie/lock"
UNNAMED: Final = "unnamed"
"""What the owner of a lock without content is called: Apache Hudi's locks are empty files."""
EXPIRY: Final = "hoodie.write.lock.filesystem.expire"
"""Minutes after which writers of Apache Hudi take a lock of another; 0, the default, for never."""
_VALID: Final = timedelta(minutes=5)
"""How long a lock of ours counts when its writer does not renew it: it died, where nobody can see that."""
RENEWAL: Final = timedelta(seconds=30)
"""How often a lock is renewed that is held for longer."""
PATIENCE: Final = _VALID.total_seconds() + 30
"""Seconds to wait for a lock that will expire: longer than it can count."""
UNNAMED_PATIENCE: Final = 60.0
"""Seconds to wait for a lock that never expires: its writer gives it back, or people do."""
_SETTLING: Final = 0.05
"""Seconds after which a lock taken from a dead writer is read again: another may have taken it at the same moment."""
_FIRST_WAIT, _LONGEST_WAIT = 0.005, 0.5
_FRESH: Final = 5.0
"""Seconds for which a look at the other provider's lock counts: its first one may be made at any time."""


@dataclass
class HeldLock:
    """The table's lock while it is held. It is renewed in the background, so that a slow writer keeps it."""

    storage: Storage
    owner: str
    clock: Clock
    content: bytes
    of_storage: HeldStorageLock | None = None
    _turn: Lock = field(default_factory=Lock)
    _lost: str | None = None
    _seen: datetime = field(init=False)
    """When the lock was seen last to be held."""

    def __post_init__(self) -> None:
        self._seen = self.clock()

    def refuse_doubtful(self) -> None:
        """As `refuse_lost`, where the lock was not seen for so long that another writer may have taken it: this process was
        stopped. To be called before each step under the lock; storage is seldom asked."""
        if self._lost is not None or self.clock() - self._seen > 2 * RENEWAL:
            self.refuse_lost()

    def refuse_lost(self) -> None:
        """Raises `ConflictError` where another writer took the lock: its clock is fast, or this process was stopped for long.
        To be called before the one act that readers see."""
        with self._turn:
            self._look_again()
        if self.of_storage is not None:
            self.of_storage.refuse_lost()

    def renew(self) -> None:
        """Lets the lock count for longer, where it still is this writer's."""
        with self._turn:
            self._look()
            if self._lost is None:
                content = _content(self.owner, self.clock())
                with _fence(self.storage, self._look_again):
                    self.storage.replace(LOCK_PATH, content)
                self.content = content
        if self.of_storage is not None:
            self.of_storage.renew()

    def _look_again(self) -> None:
        self._look()
        if self._lost is not None:
            where = f"{self.storage.uri}/{LOCK_PATH}"
            raise ConflictError(where, expected="a lock that is still held", found=self._lost)

    def _look(self) -> None:
        held = read_lock(self.storage, LOCK_PATH)
        if held == self.content:
            self._seen = self.clock()
        else:
            self._lost = "no lock" if held is None else f"one held by {_owner(held)}"


@contextmanager
def table_lock(
    storage: Storage,
    patience: float | None = None,
    clock: Clock = system_clock,
    renewal: timedelta = RENEWAL,
    *,
    until: ExitStack | None = None,
) -> Iterator[HeldLock]:
    """Holds the lock while the block runs, and that of the storage-based provider where the table has one. Raises
    `LockedError` when others hold either for too long: `patience` seconds, None for longer than it can count.

    A lock whose owner is known to be dead is taken at once. Behind the block, remote storage lets the lock go beside what comes
    next; the end of `until` waits for that, and raises what it raises. Rule STORE-1396.
    """
    owner = this_owner()
    try:
        content, is_absent = _take_and_look(storage, owner, patience, clock)
        held = HeldLock(storage, owner, clock, content)
        longest = PATIENCE if patience is None else patience
        with (
            storage_lock(storage, longest, clock, owner, is_absent=is_absent) as held.of_storage,
            _renew_while_held(held, renewal),
            guard_steps(held.refuse_doubtful),
            _fence(storage, held.refuse_lost),
        ):
            yield held
    finally:
        # Also where a signal came just after the lock was taken.
        if until is not None and storage.is_remote:
            thread = ThreadPoolExecutor(1, "lock-release")
            until.callback(thread.submit(_let_go, storage, owner).result)
            thread.shutdown(wait=False)
        else:
            finish(partial(_let_go, storage, owner))


def _let_go(storage: Storage, owner: str) -> None:
    """Deletes the lock where it is the owner's."""
    current = read_lock(storage, LOCK_PATH)
    if current is not None and lock_fields(current).get("owner") == owner:
        with let_pass():
            storage.delete(LOCK_PATH)


@contextmanager
def _renew_while_held(held: HeldLock, renewal: timedelta) -> Iterator[None]:
    ended = Event()

    def work() -> None:
        while not ended.wait(renewal.total_seconds()):
            try:
                held.renew()
            except (StorageError, ConflictError):
                continue  # the next one may come through; the loss is noticed before the commit

    thread = Thread(target=work, name="lock-renewal", daemon=True)
    try:
        thread.start()
        yield
    finally:
        finish(partial(_end, thread, ended))


def _end(thread: Thread, ended: Event) -> None:
    ended.set()
    if thread.is_alive():
        thread.join()


@dataclass(frozen=True, slots=True)
class LockState:
    """A lock as it lies there."""

    path: str
    owner: str
    since: datetime | None
    life: Life
    is_free: bool
    """It does not count any more: the next writer takes it."""


def lock_state(storage: Storage, clock: Clock = system_clock) -> LockState | None:
    """The table's lock; None where there is none."""
    content = read_lock(storage, LOCK_PATH)
    if content is None:
        return None
    since, life = storage.read_modified(LOCK_PATH), life_of(_owner(content))
    return LockState(LOCK_PATH, _owner(content), since, life, _may_be_taken(storage, content, clock()))


def lock_is_expired(storage: Storage, now: datetime) -> bool:
    """Whether there is a lock whose writer died: the next one takes it."""
    content = read_lock(storage, LOCK_PATH)
    return content is not None and _may_be_taken(storage, content, now)


def free_lock(storage: Storage, owner: str | None = None, clock: Clock = system_clock) -> LockState | None:
    """Deletes the lock of a dead writer, and gives what it was; None where there is none.

    Raises `ConflictError` where the owner is alive, or where that is not known, unless it is named, and `UsageError` for another
    name.
    """
    content = read_lock(storage, LOCK_PATH)
    state = lock_state(storage, clock)
    if content is None or state is None:
        return None
    where = f"{storage.uri}/{LOCK_PATH}"
    if owner is not None and owner != state.owner:
        raise UsageError(where, expected=f"the owner's name, {state.owner!r}", found=repr(owner))
    if owner is None and not state.is_free and state.life is not Life.DEAD:
        found = f"{_show(state)}, which is {state.life.value if state.life is Life.ALIVE else 'not known to be dead'}"
        expected = f"a lock of a dead writer; --owner {state.owner!r} frees it all the same"
        raise ConflictError(where, expected=expected, found=found)
    if not take_away(storage, LOCK_PATH, content, _content(this_owner(), clock())):
        raise ConflictError(where, expected=f"the lock of {state.owner}", found="another one, taken meanwhile")
    _drop_fenced(storage)
    return state


def _fence(storage: Storage, look: Callable[[], None]) -> AbstractContextManager[None]:
    """What is made in the block gets its name behind the look alone, where storage can promise that. Rule COMMIT-1475."""
    return storage.fence(look) if isinstance(storage, StorageWithFence) else nullcontext()


def _drop_fenced(storage: Storage) -> None:
    """Stops what the owners of earlier locks were about to do: a process may be stopped between its last look and the step after
    it, and go on later."""
    if isinstance(storage, StorageWithFence):
        storage.drop_fenced()


def _take_and_look(storage: Storage, owner: str, patience: float | None, clock: Clock) -> tuple[bytes, bool]:
    """Takes the lock. True: remote storage had no lock of the other provider meanwhile. That is asked at the same time, for few
    tables have one, and counts where the lock was free."""
    take = partial(_take, storage, owner, patience, clock)
    if not storage.is_remote:
        return take(), False
    begun = monotonic()
    with ThreadPoolExecutor(1, "lock-look") as thread:
        look = thread.submit(has_storage_lock, storage)
        content = take()
    is_absent = not look.result()
    return content, is_absent and monotonic() - begun < _FRESH


def _take(storage: Storage, owner: str, patience: float | None, clock: Clock) -> bytes:
    begun, wait = monotonic(), _FIRST_WAIT
    while True:
        content = _content(owner, read_clock(clock))
        try:
            with let_pass():
                storage.create(LOCK_PATH, content)
            _drop_fenced(storage)
            return content
        except AlreadyExistsError:
            held = read_lock(storage, LOCK_PATH)
        if held is not None and _may_be_taken(storage, held, clock()):
            with let_pass():
                taken = take_over(storage, LOCK_PATH, held, content)
            if not taken:
                continue
            _drop_fenced(storage)  # its renewal too, before the lock is read again
            sleep(_SETTLING)
            if read_lock(storage, LOCK_PATH) == content:
                return content
            continue
        if monotonic() - begun > _patience(held, patience):
            state = lock_state(storage, clock)
            found = "one that changes hands all the time" if state is None else f"it {_show(state)}"
            expected = "the table's lock (hudi-core unlock TABLE frees that of a dead writer)"
            raise LockedError(f"{storage.uri}/{LOCK_PATH}", expected=expected, found=found)
        sleep(wait * random.uniform(0.5, 1.5))
        wait = min(2 * wait, _LONGEST_WAIT)


def _patience(held: bytes | None, stated: float | None) -> float:
    if stated is not None:
        return stated
    return PATIENCE if held is None or "validUntil" in lock_fields(held) else UNNAMED_PATIENCE


def _show(state: LockState) -> str:
    since = "" if state.since is None else f" since {state.since.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    return f"held by {state.owner}{since}"


def _content(owner: str, now: datetime) -> bytes:
    until = int((now + _VALID).timestamp() * 1000)
    return json.dumps({"owner": owner, "lockCreateTime": now.isoformat(), "validUntil": until}).encode()


def _may_be_taken(storage: Storage, content: bytes, now: datetime) -> bool:
    """Whether a lock does not count any more: its owner is dead, or its time is over. One without a time, as Apache Hudi's,
    expires only where the table's properties say so, as for its own writers."""
    if life_of(_owner(content)) is Life.DEAD:
        return True
    until = lock_fields(content).get("validUntil")
    if isinstance(until, int):
        return until < now.timestamp() * 1000 and not _is_fresh(storage, now)
    minutes = _read_stated_expiry(storage)
    last = storage.read_modified(LOCK_PATH) if minutes else None
    return last is not None and now - last > timedelta(minutes=minutes)


def _is_fresh(storage: Storage, now: datetime) -> bool:
    """Whether the store says that the lock was renewed a moment ago: then its owner is at work, and its clock is behind."""
    renewed = storage.read_modified(LOCK_PATH)
    return renewed is not None and abs(now - renewed) < _VALID


def _read_stated_expiry(storage: Storage) -> int:
    try:
        content = storage.read(PROPERTIES_PATH)
    except NoSuchFileError:
        return 0  # a table that is being made
    stated = parse_properties(content, PROPERTIES_PATH).get(EXPIRY, "").strip()
    return int(stated) if stated.isdecimal() else 0


def _owner(content: bytes) -> str:
    return str(lock_fields(content).get("owner") or UNNAMED)


def read_lock(storage: Storage, path: str) -> bytes | None:
    """The content of a lock file; None where there is none."""
    try:
        return storage.read(path)
    except NoSuchFileError:
        return None


def take_over(storage: Storage, path: str, held: bytes, content: bytes) -> bool:
    """Puts a lock in the place of one with the content `held`, and only of that; False where it is another one by now. A store
    that promises neither conditional puts nor conditional deletes is asked once more before: between that look and the
    deletion another may have taken the lock."""
    if isinstance(storage, VersionedStorage):
        with suppress(UnsupportedError):
            return _exchange(storage, path, held, content)
    if not take_away(storage, path, held):
        return False
    try:
        storage.create(path, content)
    except AlreadyExistsError:
        return False
    return True


def take_away(storage: Storage, path: str, held: bytes, own: bytes = b"") -> bool:
    """Deletes a lock with the content `held`, and only that; False where it is another one by now. With conditional puts it is
    first taken under the content `own`, so that what is deleted is the caller's."""
    if own and isinstance(storage, VersionedStorage):
        with suppress(UnsupportedError):
            if not _exchange(storage, path, held, own):
                return False
            storage.delete(path)
            return True
    if isinstance(storage, StorageWithTakeAway):
        with suppress(UnsupportedError):
            return storage.take_away(path, held)
    if read_lock(storage, path) != held:
        return False
    storage.delete(path)
    return True


def _exchange(storage: VersionedStorage, path: str, held: bytes, content: bytes) -> bool:
    stored = storage.read_version(path)
    if stored is None or stored.content != held:
        return False
    try:
        storage.exchange(path, content, stored)
    except AlreadyExistsError:
        # A request that was repeated may meet its own first try.
        return read_lock(storage, path) == content
    return True
