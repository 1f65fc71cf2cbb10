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
_FIRST_WAIT, _LONGEST_WAIT = 0.05, 1.0


@dataclass
class HeldStorageLock:
    """The lock while it is held, as it was written last."""

    storage: VersionedStorage
    taken: FileVersion
    owner: str
    _lost: bool = False
    _turn: Lock = field(default_factory=Lock)

    def refuse_lost(self) -> None:
        """Raises `ConflictError` where a renewal found that another writer had taken the lock, or its time is over."""
        with self._turn:
            lost = self._lost or self.storage.read_version(STORAGE_LOCK_PATH) != self.taken
        if lost:
            where = f"{self.storage.uri}/{STORAGE_LOCK_PATH}"
            raise ConflictError(where, expected="the table's lock, still held", found="one that another writer took")

    def renew(self, clock: Clock) -> None:
        """Lets the lock count for longer, where it still is this writer's."""
        content = _content(self.owner, int((clock() + _VALID).timestamp() * 1000), expired=False)
        with self._turn:
            try:
                self.taken = self.storage.exchange(STORAGE_LOCK_PATH, content, self.taken)
            except AlreadyExistsError:
                self._lost = True


@contextmanager
def storage_lock(
    storage: Storage, patience: float, clock: Clock, owner: str | None = None
) -> Iterator[HeldStorageLock | None]:
    """Holds the lock while the block runs, where the table has one. Raises `ConflictError` when others hold it for `patience`
    seconds. A store without conditional puts has no such lock."""
    name = owner or str(uuid4())
    taken = _take(storage, patience, clock, name) if isinstance(storage, VersionedStorage) else None
    if taken is None or not isinstance(storage, VersionedStorage):
        yield None
        return
    held = HeldStorageLock(storage, taken, name)
    try:
        yield held
    finally:
        fields = json.loads(held.taken.content)
        # Where another writer took it, its time was over: then there is nothing to let go.
        with suppress(AlreadyExistsError):
            content = _content(fields["owner"], fields["validUntil"], expired=True)
            storage.exchange(STORAGE_LOCK_PATH, content, held.taken)


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
        if _is_free(stored.content, now):
            content = _content(owner, int((now + _VALID).timestamp() * 1000), expired=False)
            try:
                return storage.exchange(STORAGE_LOCK_PATH, content, stored)
            except AlreadyExistsError:
                # A request that was repeated may meet its own first try.
                latest = storage.read_version(STORAGE_LOCK_PATH)
                if latest is not None and latest.content == content:
                    return latest
        elif monotonic() > deadline:
            where = f"{storage.uri}/{STORAGE_LOCK_PATH}"
            owner_now = lock_fields(stored.content).get("owner") or "another writer"
            raise LockedError(where, expected="the table's lock", found=f"held by {owner_now}")
        sleep(wait * random.uniform(0.5, 1.5))
        wait = min(2 * wait, _LONGEST_WAIT)


def _is_free(content: bytes, now: datetime) -> bool:
    """Whether nobody holds the lock. One that cannot be read is held: writers of Apache Hudi do not take it either."""
    fields = lock_fields(content)
    until = fields.get("validUntil")
    if not isinstance(until, int) or not isinstance(fields.get("expired"), bool):
        return False
    if life_of(str(fields.get("owner"))) is Life.DEAD:
        return True
    return fields["expired"] is True or until < (now - _DRIFT).timestamp() * 1000


def _content(owner: str, until: int, *, expired: bool) -> bytes:
    return json.dumps({"expired": expired, "validUntil": until, "owner": owner}, separators=(",", ":")).encode()


def lock_fields(content: bytes) -> dict[str, object]:
    """The fields of a lock's content; none where it is not JSON."""
    try:
        fields = parse_json(content)
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}
