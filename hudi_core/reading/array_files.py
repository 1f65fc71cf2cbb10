"""Arrays in files of a folder that goes away with its last user: what a merge keeps outside of memory. Rule MERGE-861."""

from __future__ import annotations

import os
import shutil
import weakref
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hudi_core.errors import StorageError
from hudi_core.temporary import make_folder

FOLDER: Final = "HUDI_CORE_SPOOL_FOLDER"
"""The environment variable with the parent of such folders, in place of the system's folder of temporary files."""


class ScratchFolder:
    """A folder of its own for files that one process needs for a while."""

    def __init__(self) -> None:
        """Raises `StorageError` where it cannot be made."""
        parent = os.environ.get(FOLDER) or None
        self._path = make_folder("hudi-core-", parent)
        self._close = weakref.finalize(self, shutil.rmtree, self._path, ignore_errors=True)

    def path(self, name: str) -> Path:
        """Where a file of this name is, or may be made."""
        return self._path / name

    def close(self) -> None:
        """Removes the folder. What of it is mapped into memory stays there."""
        self._close()


class ArrayFile:
    """One array in a file: rows are added at its end, and any stretch of them is read."""

    def __init__(self, folder: ScratchFolder, name: str, dtype: Any, width: int | None = None) -> None:
        """With a `width` the array has so many columns."""
        self._folder = folder  # is there as long as its files are used
        self._path, self._dtype, self._width = folder.path(name), np.dtype(dtype), width
        self.rows = 0

    def add(self, values: NDArray[Any]) -> None:
        """Raises `StorageError` where the file cannot be written, as on a full disk."""
        try:
            with self._path.open("ab") as file:
                file.write(np.ascontiguousarray(values, self._dtype).data.cast("B") if len(values) else b"")
        except OSError as problem:
            raise StorageError(str(self._path), message=problem.strerror or str(problem)) from problem
        self.rows += len(values)

    def read(self, begin: int, end: int) -> NDArray[Any]:
        """The rows from `begin` up to `end`."""
        width = 1 if self._width is None else self._width
        count = (end - begin) * width
        if not count:
            flat = np.empty(0, self._dtype)
        else:
            flat = np.fromfile(self._path, self._dtype, count, offset=begin * width * self._dtype.itemsize)
        return flat if self._width is None else flat.reshape(end - begin, width)
