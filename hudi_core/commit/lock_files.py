"""Lock files of others, taken or deleted only as they were looked at. Rule COMMIT-1024."""

from __future__ import annotations

from contextlib import suppress

from hudi_core.commit.versions import VersionedStorage
from hudi_core.engine import Storage
from hudi_core.errors import AlreadyExistsError, NoSuchFileError, UnsupportedError
from hudi_core.local_files import StorageWithTakeAway


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
