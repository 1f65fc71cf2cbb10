"""Files that a table may do without."""

from __future__ import annotations

from collections.abc import Callable

from hudi_core.engine import Storage
from hudi_core.errors import CorruptFileError, NoSuchFileError, StorageError
from hudi_core.options import FOLDER
from hudi_core.timeline.instants import time_order

SCHEMA_FOLDER = f"{FOLDER}/.schema"
"""The files of a schema history, each of which has the whole history up to a commit. Rule TIME-33."""
SCHEMA_COMMIT = "schemacommit"


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


def read_schema_file(storage: Storage, counts: Callable[[str], bool]) -> tuple[str, str] | None:
    """Path and text of the newest history of a commit that `counts`, by its requested time; None where there is none. Lists the
    folder. Raises `CorruptFileError` for what is not UTF-8."""
    names = {}
    for info in storage.list(SCHEMA_FOLDER):
        time, _, rest = info.name.partition(".")
        if rest == SCHEMA_COMMIT and info.size and counts(requested := time.partition("_")[0]):
            names[time_order(requested)] = info
    if not names:
        return None
    newest = names[max(names)]
    where, opened = f"{storage.uri}/{newest.path}", storage.open(newest.path, newest.size)
    try:
        return where, opened.read(0, opened.size).decode("utf-8")
    except UnicodeDecodeError as error:
        raise CorruptFileError(where, expected="a history of schemas as UTF-8", found=str(error)) from None
