"""Files that a table may do without."""

from __future__ import annotations

from hudi_core.engine import Storage
from hudi_core.errors import NoSuchFileError, StorageError


def read_if_there(storage: Storage, path: str) -> bytes | None:
    """The content of a file, None where there is none. Raises `StorageError` for a file that cannot be read."""
    try:
        return storage.read(path)
    except NoSuchFileError:
        return None
    except StorageError:  # local storage may report a missing file so; remote storage does not, and was retried
        if storage.is_remote or storage.exists(path):
            raise
        return None
