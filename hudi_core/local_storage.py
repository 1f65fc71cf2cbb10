"""Tables in local folders: what the storage of every engine does alike. An engine adds how it reads files. Rule STORE-260."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import datetime
from errno import ENOENT
from pathlib import Path
from typing import Any, BinaryIO, Final

from hudi_core.engine import FileInfo
from hudi_core.errors import AlreadyExistsError, HudiError, NoSuchFileError, StorageError, file_taken_away
from hudi_core.local_files import (
    TakenAwayError,
    Unsynced,
    create_file,
    delete_file,
    delete_files,
    delete_folder,
    drop_fenced,
    fence,
    find_limits,
    list_folders,
    output_file,
    own_path,
    read_modified_time,
    replace_file,
    take_away,
    walk,
)
from hudi_core.local_uris import local_path
from hudi_core.options import FOLDER
from hudi_core.parallel.requests import Traffic
from hudi_core.paths import path_within
from hudi_core.storage_parts import NameLimits, describe_encoding

ENCODING: Final = sys.getfilesystemencoding()
"""Python's encoding of names of files."""


def _cause(problem: Exception) -> Exception | None:
    return problem


@contextmanager
def report_file_errors(
    where: str,
    kinds: tuple[type[Exception], ...] = (OSError,),
    message_of: Callable[[Exception], str] = str,
    cause_of: Callable[[Exception], Exception | None] = _cause,
) -> Iterator[None]:
    """Turns errors of these kinds, the operating system's or also a library's, into one that names the place, with the system's
    message or that of `message_of`, and with the cause that `cause_of` shows."""
    try:
        yield
    except HudiError:
        raise
    except TakenAwayError as problem:
        raise file_taken_away(where) from problem
    except FileNotFoundError as problem:
        raise NoSuchFileError(where, message=os.strerror(ENOENT)) from cause_of(problem)
    except FileExistsError as problem:
        raise AlreadyExistsError(where, expected="no file of this name", found="one") from cause_of(problem)
    except kinds as problem:
        number = problem.errno if isinstance(problem, OSError) else None
        raise StorageError(where, message=os.strerror(number) if number else message_of(problem)) from cause_of(problem)


def _refuse_encoded(where: str, names: Iterable[str]) -> None:
    """Raises `StorageError` for a name that is another one in the encoding that Python has for names of files. STORE-1684."""
    if ENCODING == "utf-8":
        return
    for name in names:
        if not name.isascii():
            raise StorageError(where, expected=describe_encoding(ENCODING), found=ascii(name))


class LocalStorage:
    """`hudi_core.engine.Storage` of a local folder, but for `exists`, `read` and `open`, with the parts of `storage_parts` that
    local folders have. It can be pickled; where it arrives nobody syncs what tasks write, and each file is synced at once."""

    is_remote = False
    traffic = Traffic()

    def __init__(self, uri: str) -> None:
        """`uri` is a local path or a `file:` URL. Raises as `local_path`."""
        self._uri, self._root = uri, Path(local_path(uri)).absolute()
        self._unsynced = Unsynced()
        self.links: dict[str, None] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {"_uri": self._uri, "_root": self._root}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _unsynced=Unsynced(at_once=True), links={})

    @property
    def uri(self) -> str:
        return self._uri

    def report_errors(self, where: str) -> AbstractContextManager[None]:
        """Turns what reading and writing raise into an error that names the place."""
        return report_file_errors(where)

    def where(self, path: str) -> str:
        """The path as messages show it."""
        return f"{self._uri.rstrip('/')}/{path}" if path else self._uri

    def full(self, path: str) -> Path:
        """The path in the file system, never one outside of the root."""
        return self._root / self._within(path) if path else self._root

    def list(self, folder: str, *, recursive: bool = False, without: str = "") -> list[FileInfo]:
        self.full(folder)
        try:
            files, links = walk(self._root, folder, recursive=recursive, without=without)
        except OSError as problem:
            with self.report_errors(str(problem.filename)):
                raise
        _refuse_encoded(self._uri, (path for path, _ in files))
        self.links.update(dict.fromkeys(links))
        return [FileInfo(path, size) for path, size in files]

    def list_folders(self, folder: str) -> Sequence[str]:
        self.full(folder)
        with self._watch(folder):
            folders = list_folders(self._root, folder)
        _refuse_encoded(self._uri, folders)
        return folders

    def expect(
        self, *, folders: Sequence[str] = (), trees: Sequence[str] = (), files: Sequence[FileInfo | str] = ()
    ) -> None:
        """Does nothing: local files need no requests ahead."""

    def create(self, path: str, content: bytes) -> None:
        with self._watch(path):
            create_file(self._own(path), content, self._unsynced)

    def replace(self, path: str, content: bytes) -> None:
        with self._watch(path):
            replace_file(self._own(path), content, self._unsynced)

    def delete(self, path: str) -> None:
        with self._watch(path):
            delete_file(self._own(path, to_delete=True), self._unsynced)

    def delete_files(self, paths: Sequence[str], *, in_order: bool = False) -> None:
        """One after the other in any case."""
        own = [self._within(path) for path in paths]
        delete_files(self._root, own, self._unsynced, self._watch)

    def take_away(self, path: str, content: bytes) -> bool:
        with self._watch(path):
            return take_away(self._own(path, to_delete=True), content, self._unsynced)

    def fence(self, look: Callable[[], None]) -> AbstractContextManager[None]:
        return fence(self.full(FOLDER), look)

    def drop_fenced(self) -> None:
        with self._watch(FOLDER):
            drop_fenced(self.full(FOLDER))

    def delete_folder(self, path: str) -> None:
        with self._watch(path):
            delete_folder(self._own(path, to_delete=True), self._unsynced)

    def read_modified(self, path: str) -> datetime | None:
        with self._watch(path):
            return read_modified_time(self.full(path))

    @property
    def limits(self) -> NameLimits:
        return replace(find_limits(self._root), encoding=ENCODING)

    def sync(self) -> None:
        with self._watch(""):
            self._unsynced.sync()

    def defer(self) -> AbstractContextManager[None]:
        return self._unsynced.defer()

    @contextmanager
    def output(self, path: str) -> Iterator[BinaryIO]:
        with self._watch(path), output_file(self._own(path), self._unsynced) as file:
            yield file

    def _watch(self, path: str) -> AbstractContextManager[None]:
        return self.report_errors(self.where(path))

    def _own(self, path: str, *, to_delete: bool = False) -> Path:
        return own_path(self._root, self._within(path), to_delete=to_delete)

    def _within(self, path: str) -> str:
        within = path_within(path, self._uri)
        _refuse_encoded(self._uri, (within,))
        return within
