"""The table's lock: that of Apache Hudi's `FileSystemBasedLockProvider`, a file that only one writer can create. Rule COMMIT-8.

It is held for moments: to take an instant time, and to commit. Writers of Apache Hudi that are set to this provider exclude ours.
"""

from __future__ import annotations

import json
import os
import random
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import current_thread
from time import monotonic, sleep
from typing import Final
from uuid import uuid4

from hudi_core.commit.storage_lock import lock_fields, storage_lock
from hudi_core.commit.times import Clock, system_clock
from hudi_core.engine import Storage
from hudi_core.errors import AlreadyExistsError, ConflictError, NoSuchFileError

LOCK_PATH: Final = ".hoodie/lock"
_VALID: Final = timedelta(minutes=5)
"""How long a lock of ours counts when its writer does not release it: it died."""
_SETTLING: Final = 0.05
"""Seconds after which a lock taken from a dead writer is read again: another may have taken it at the same moment."""
_FIRST_WAIT, _LONGEST_WAIT = 0.005, 0.5


@contextmanager
def table_lock(storage: Storage, patience: float = 60.0, clock: Clock = system_clock) -> Iterator[None]:
    """Holds the lock while the block runs, and that of the storage-based provider where the table has one. Raises
    `ConflictError` when others hold either for `patience` seconds."""
    content = _take(storage, patience, clock)
    try:
        with storage_lock(storage, patience, clock):
            yield
    finally:
        if _read(storage) == content:
            storage.delete(LOCK_PATH)


def lock_is_expired(storage: Storage, now: datetime) -> bool:
    """Whether there is a lock whose writer died: the next one takes it."""
    content = _read(storage)
    return content is not None and _is_expired(content, now)


def _take(storage: Storage, patience: float, clock: Clock) -> bytes:
    deadline, wait = monotonic() + patience, _FIRST_WAIT
    while True:
        content = _content(clock())
        try:
            storage.create(LOCK_PATH, content)
            return content
        except AlreadyExistsError:
            held = _read(storage)
        if held is not None and _is_expired(held, clock()) and _read(storage) == held:
            storage.delete(LOCK_PATH)
            try:
                storage.create(LOCK_PATH, content)
            except AlreadyExistsError:
                continue
            sleep(_SETTLING)
            if _read(storage) == content:
                return content
            continue
        if monotonic() > deadline:
            raise ConflictError(
                f"{storage.uri}/{LOCK_PATH}", expected="the table's lock", found=f"held by {_owner(held)}"
            )
        sleep(wait * random.uniform(0.5, 1.5))
        wait = min(2 * wait, _LONGEST_WAIT)


def _content(now: datetime) -> bytes:
    owner = f"hudi-core {socket.gethostname()} {os.getpid()} {current_thread().name} {uuid4().hex}"
    until = int((now + _VALID).timestamp() * 1000)
    return json.dumps({"owner": owner, "lockCreateTime": now.isoformat(), "validUntil": until}).encode()


def _read(storage: Storage) -> bytes | None:
    """The content of the lock file; None where there is none."""
    try:
        return storage.read(LOCK_PATH)
    except NoSuchFileError:
        return None


def _is_expired(content: bytes, now: datetime) -> bool:
    """A lock without a time, as Apache Hudi's, does not expire."""
    until = lock_fields(content).get("validUntil")
    return isinstance(until, int) and until < now.timestamp() * 1000


def _owner(content: bytes | None) -> str:
    return "another writer" if content is None else str(lock_fields(content).get("owner") or "another writer")
