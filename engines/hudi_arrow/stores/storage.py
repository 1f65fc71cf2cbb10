"""Tables in local folders, read by pyarrow, and what pyarrow's readers raise."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from textwrap import shorten
from typing import Final

import pyarrow as pa
from pyarrow import fs

from hudi_arrow.stores.native_files import RandomAccessFile, copy_owned
from hudi_core.engine import FileInfo, Storage
from hudi_core.errors import (
    CorruptFileError,
    HudiError,
    StorageError,
    UnsupportedError,
    UsageError,
)
from hudi_core.formats.random_access import InMemoryFile, RandomAccess
from hudi_core.local_storage import LocalStorage, report_file_errors
from hudi_core.secrets import is_without_secrets, public_url, without_secrets

_NO_FOOTER: Final = "Parquet magic bytes not found in footer"
_NO_CODEC: Final = re.compile(r"(codec|compression)\b.*\bnot (currently )?(supported|built)", re.IGNORECASE)
"""What pyarrow says of a codec that it does not know, or was built without."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file opened for random access; closed when it is collected."""

    where: str
    size: int
    file: pa.NativeFile

    def read(self, offset: int, length: int) -> bytes:
        with report_errors(self.where):
            data: bytes = self.file.read_at(length, offset)
            return data


class ArrowStorage(LocalStorage):
    """`hudi_core.engine.Storage` of a local folder. Paths go to pyarrow as they are: a `%2F` in one is no slash."""

    filesystem: Final = fs.LocalFileSystem()

    def __init__(self, uri: str, options: Mapping[str, str] | None = None) -> None:
        """Raises `UsageError` for options, which local paths have none of, and as `local_path`."""
        if options:
            found = f"a local path, and the option {min(options)}"
            raise UsageError(public_url(uri), expected="a URL that has options", found=found)
        super().__init__(uri)

    def report_errors(self, where: str) -> AbstractContextManager[None]:
        return report_errors(where)

    def exists(self, path: str) -> bool:
        with self._watch(path):
            info = self.filesystem.get_file_info(str(self.full(path)))
        return bool(info.type != fs.FileType.NotFound)

    def read(self, path: str) -> bytes:
        with self._watch(path), self._open(path) as file:
            data: bytes = file.readall()
            return data

    def open(self, path: str, size: int | None = None) -> RandomAccess:
        with self._watch(path):
            file = self._open(path)
            return StoredFile(self.where(path), file.size(), file)

    def base_file(self, file: FileInfo) -> AbstractContextManager[pa.NativeFile]:
        """A file that never changes."""
        with self._watch(file.path):
            opened: AbstractContextManager[pa.NativeFile] = self._open(file.path)
            return opened

    def _open(self, path: str) -> pa.NativeFile:
        return self.filesystem.open_input_file(str(self.full(path)))


def report_errors(where: str, secrets: Collection[str] = ()) -> AbstractContextManager[None]:
    """Turns what the file system raises into an error of one line without these secrets, shown behind it where it has none."""
    return report_file_errors(
        where,
        (OSError, pa.ArrowException),
        lambda problem: one_line(problem, secrets),
        lambda problem: show_cause(problem, secrets),
    )


def show_cause(problem: Exception, secrets: Collection[str]) -> Exception | None:
    return problem if is_without_secrets(problem, secrets) else None


def one_line(problem: BaseException, secrets: Collection[str] = ()) -> str:
    """The message of an exception in one readable line without secrets: some libraries list all they tried."""
    return shorten(without_secrets(str(problem), secrets), 400, placeholder=" ...") or type(problem).__name__


def native_file(storage: Storage, file: FileInfo) -> AbstractContextManager[pa.NativeFile]:
    """The file as pyarrow's readers take it, until the block ends."""
    if isinstance(storage, ArrowStorage):
        return storage.base_file(file)
    stored = storage.open(file.path, file.size)
    in_memory = pa.BufferReader(copy_owned(stored.data)) if isinstance(stored, InMemoryFile) else None
    return in_memory or RandomAccessFile.over(stored)


@contextmanager
def decoding(where: str, what: str) -> Iterator[None]:
    """Raises the errors of pyarrow's readers as ours: of storage that fails, formats it lacks, and bytes that are wrong."""
    try:
        yield
    except HudiError:
        raise
    except (pa.ArrowException, OSError, ValueError, IndexError, OverflowError, MemoryError) as problem:
        message = one_line(problem)
        if isinstance(problem, OSError) and problem.errno:
            raise StorageError(where, message=os.strerror(problem.errno)) from show_cause(problem, ())
        if isinstance(problem, pa.ArrowNotImplementedError) or _NO_CODEC.search(message):
            raise UnsupportedError(where, message=message) from show_cause(problem, ())
        found = "no footer of Parquet at its end" if _NO_FOOTER in message else message
        raise CorruptFileError(where, expected=what, found=found) from show_cause(problem, ())
