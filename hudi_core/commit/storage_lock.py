"""The lock of Apache Hudi's `StorageBasedLockProvider`: a file of an object store that is replaced by conditional puts. Rules
COMMIT-20 to COMMIT-22.

Writers leave the file behind when they release the lock, so its existence shows that the writers of a table use this lock.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock
from time import monotonic, sleep
from typing import Final
from uuid import uuid4

from hudi_core.commit.lock_owner import Life, life_of
from hudi_core.commit.times import Clock
from hudi_core.commit.versions import FileVersion, VersionedStorage
from hudi_core.engine import Storage
from hudi_core.errors import AlreadyExistsError, ConflictError, LockedError
from hudi_core.json_texts import parse_json

STORAGE_LOCK_PATH: Final = ".hoodie/.locks/table_lock.json"
STORAGE_LOCK_PROVIDER: Final = "org.apache.hudi.client.transaction.lock.StorageBasedLockProvider"
LOCK_PROVIDER: Final = "hoodie.write.lock.provider"
"""An option of writers, which few tables have among their properties."""
_VALID: Final = timedelta(minutes=5)
_DRIFT: Final = timedelta(milliseconds=500)
"""How far the clocks of writers may differ: a lock counts for so much longer."""
_OLD: Final = 60.0
"""Seconds after which a lock that was not renewed is renewed before its holder relies on it."""
_FIRST_WAIT, _LONGEST_WAIT = 0.05, 1.0


@dataclass
class HeldStorageLock:
    """The lock while it is held, as it was written last."""

    storage: VersionedStorage
    taken: FileVersion
    owner: str
    clock: Clock
    _lost: bool = False
    _turn: Lock = field(default_factory=Lock)
    _renewed: float = field(default_factory=monotonic)

    def refuse_lost(self) -> None:
        """Raises `ConflictError` where another writer has taken the lock. One that was not renewed for long is renewed first: it
        does not end between this look and the commit."""
        if monotonic() - self._renewed > _OLD:
            self.renew()
        with self._turn:
            lost = self._lost or self.storage.read_version(STORAGE_LOCK_PATH) != self.taken
        if lost:
            where = f"{self.storage.uri}/{STORAGE_LOCK_PATH}"
            raise ConflictError(where, expected="a lock that is still held", found="one that another writer took")

    def renew(self) -> None:
        """Lets the lock count for longer, where it still is this writer's."""
        begun = monotonic()
        content = _content(self.owner, int((self.clock() + _VALID).timestamp() * 1000), expired=False)
        with self._turn:
            taken = _exchange(self.storage, content, self.taken)
            if taken is None:
                self._lost = True
            else:
                self.taken, self._renewed = taken, begun


@contextmanager
def storage_lock(
    storage: Storage, patience: float, clock: Clock, owner: str | None = None, *, is_absent: bool = False
) -> Iterator[HeldStorageLock | None]:
    """Holds the lock while the block runs, where the table has one: unless `is_absent`, as was seen just before. Raises
    `ConflictError` when others hold it for `patience` seconds. A store without conditional puts has no such lock."""
    name = owner or str(uuid4())
    taken = None
    if isinstance(storage, VersionedStorage) and not is_absent:
        taken = _take(storage, patience, clock, name)
    if taken is None or not isinstance(storage, VersionedStorage):
        yield None
        return
    held = HeldStorageLock(storage, taken, name, clock)
    try:
        yield held
    finally:
        fields = json.loads(held.taken.content)
        # Where another writer took it, its time was over: then there is nothing to let go.
        with suppress(AlreadyExistsError):
            content = _content(fields["owner"], fields["validUntil"], expired=True)
            storage.exchange(STORAGE_LOCK_PATH, content, held.taken)


def has_storage_lock(storage: Storage) -> bool:
    """Whether the table has the lock, held or not."""
    return isinstance(storage, VersionedStorage) and storage.read_version(STORAGE_LOCK_PATH) is not None


def free_storage_lock() -> bytes:
    """The content of a lock that nobody holds, for a new table whose writers are to use it."""
    return _content("hudi-core", 0, expired=True)


def _take(storage: VersionedStorage, patience: float, clock: Clock, owner: str) -> FileVersion | None:
    """The lock as it was written; None where the table has none."""
    deadline, wait = monotonic() + patience, _FIRST_WAIT
    while True:
        stored = storage.read_version(STORAGE_LOCK_PATH)
        if stored is None:
            return None
        now = clock()
        if _is_free(storage, stored.content, now):
            content = _content(owner, int((now + _VALID).timestamp() * 1000), expired=False)
            if (taken := _exchange(storage, content, stored)) is not None:
                return taken
        elif monotonic() > deadline:
            where = f"{storage.uri}/{STORAGE_LOCK_PATH}"
            owner_now = lock_fields(stored.content).get("owner") or "another writer"
            raise LockedError(where, expected="the table's lock", found=f"held by {owner_now}")
        sleep(wait * random.uniform(0.5, 1.5))
        wait = min(2 * wait, _LONGEST_WAIT)


def _exchange(storage: VersionedStorage, content: bytes, previous: FileVersion) -> FileVersion | None:
    """The lock as it is with a new content; None where it is not the previous version any more."""
    try:
        return storage.exchange(STORAGE_LOCK_PATH, content, previous)
    except AlreadyExistsError:
        # A request that was repeated may meet its own first try.
        latest = storage.read_version(STORAGE_LOCK_PATH)
        return latest if latest is not None and latest.content == content else None


def _is_free(storage: VersionedStorage, content: bytes, now: datetime) -> bool:
    """Whether nobody holds the lock. One that cannot be read is held: writers of Apache Hudi do not take it either."""
    fields = lock_fields(content)
    until = fields.get("validUntil")
    if not isinstance(until, int) or not isinstance(fields.get("expired"), bool):
        return False
    if life_of(str(fields.get("owner"))) is Life.DEAD:
        return True
    if fields["expired"] is True:
        return True
    return until < (now - _DRIFT).timestamp() * 1000 and not _is_fresh(storage, now)


def _is_fresh(storage: VersionedStorage, now: datetime) -> bool:
    """Whether the store says that the lock was renewed a moment ago: then its owner is at work, and its clock is behind."""
    renewed = storage.read_modified(STORAGE_LOCK_PATH)
    return renewed is not None and abs(now - renewed) < _VALID


def _content(owner: str, until: int, *, expired: bool) -> bytes:
    return json.dumps({"expired": expired, "validUntil": until, "owner": owner}, separators=(",", ":")).encode()


def lock_fields(content: bytes) -> dict[str, object]:
    """The fields of a lock's content; none where it is not JSON."""
    try:
        fields = parse_json(content)
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}
