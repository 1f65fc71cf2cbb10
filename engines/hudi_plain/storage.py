"""Tables in local folders, with the standard library alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from hudi_core.engine import FileInfo
from hudi_core.errors import AlreadyExistsError, NoSuchFileError, StorageError, UnsupportedError, file_taken_away
from hudi_core.formats.random_access import RandomAccess
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
from hudi_core.local_uris import is_url, local_path
from hudi_core.options import FOLDER
from hudi_core.parallel.requests import Traffic
from hudi_core.paths import path_within
from hudi_core.storage_parts import NameLimits


def root_folder(uri: str) -> Path:
    """The folder of a local path or a `file:` URL. Raises `UnsupportedError` for other URLs, and as `local_path`."""
    if is_url(uri):
        scheme = uri.partition("://")[0]
        raise UnsupportedError(uri, expected="a local path with the plain engine", found=f"the scheme {scheme}")
    return Path(local_path(uri)).absolute()


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file read by position; nothing stays open between two reads."""

    path: Path
    size: int

    @property
    def where(self) -> str:
        return str(self.path)

    def read(self, offset: int, length: int) -> bytes:
        with _report_errors(self.where), self.path.open("rb") as file:
            file.seek(offset)
            return file.read(length)


class PlainStorage:
    """`hudi_core.engine.Storage` of a local folder."""

    def __init__(self, uri: str) -> None:
        self._uri, self._root = uri, root_folder(uri)
        self._unsynced = Unsynced()
        self.links: dict[str, None] = {}

    @property
    def uri(self) -> str:
        return self._uri

    def list(self, folder: str, *, recursive: bool = False, without: str = "") -> list[FileInfo]:
        self._path(folder)
        try:
            files, links = walk(self._root, folder, recursive=recursive, without=without)
        except OSError as problem:
            with _report_errors(str(problem.filename)):
                raise
        self.links.update(dict.fromkeys(links))
        return [FileInfo(path, size) for path, size in files]

    def list_folders(self, folder: str) -> Sequence[str]:
        with _report_errors(str(self._path(folder))):
            return list_folders(self._root, folder)

    def exists(self, path: str) -> bool:
        with _report_errors(str(self._path(path))):
            return (self._path(path)).exists()

    def read(self, path: str) -> bytes:
        with _report_errors(str(self._path(path))):
            return (self._path(path)).read_bytes()

    is_remote = False
    traffic = Traffic()

    def expect(self, *, folders: Sequence[str] = (), files: Sequence[FileInfo | str] = ()) -> None:
        """Does nothing: local files need no requests ahead."""

    def open(self, path: str, size: int | None = None) -> RandomAccess:
        whole = self._path(path)
        with _report_errors(str(whole)):
            if whole.is_dir():
                raise IsADirectoryError("expected a file, found a folder")
            return LocalFile(whole, whole.stat().st_size)

    def create(self, path: str, content: bytes) -> None:
        with _report_errors(str(self._path(path))):
            create_file(self._own(path), content, self._unsynced)

    def replace(self, path: str, content: bytes) -> None:
        with _report_errors(str(self._path(path))):
            replace_file(self._own(path), content, self._unsynced)

    def delete(self, path: str) -> None:
        with _report_errors(str(self._path(path))):
            delete_file(self._own(path, to_delete=True), self._unsynced)

    def delete_files(self, paths: Sequence[str], *, in_order: bool = False) -> None:
        own = [path_within(path, self.uri) for path in paths]
        delete_files(self._root, own, self._unsynced, lambda path: _report_errors(str(self._path(path))))

    def take_away(self, path: str, content: bytes) -> bool:
        with _report_errors(str(self._path(path))):
            return take_away(self._own(path, to_delete=True), content, self._unsynced)

    def fence(self, look: Callable[[], None]) -> AbstractContextManager[None]:
        return fence(self._path(FOLDER), look)

    def drop_fenced(self) -> None:
        with _report_errors(str(self._path(FOLDER))):
            drop_fenced(self._path(FOLDER))

    def delete_folder(self, path: str) -> None:
        with _report_errors(str(self._path(path))):
            delete_folder(self._own(path, to_delete=True), self._unsynced)

    def read_modified(self, path: str) -> datetime | None:
        with _report_errors(str(self._path(path))):
            return read_modified_time(self._path(path))

    def _path(self, path: str) -> Path:
        """The path in the file system, never one outside of the root."""
        return self._root / path_within(path, self.uri) if path else self._root

    def _own(self, path: str, *, to_delete: bool = False) -> Path:
        return own_path(self._root, path_within(path, self.uri), to_delete=to_delete)

    @property
    def limits(self) -> NameLimits:
        return find_limits(self._root)

    def sync(self) -> None:
        with _report_errors(self.uri):
            self._unsynced.sync()

    def defer(self) -> AbstractContextManager[None]:
        return self._unsynced.defer()

    @contextmanager
    def output(self, path: str) -> Iterator[BinaryIO]:
        with _report_errors(str(self._path(path))), output_file(self._own(path), self._unsynced) as file:
            yield file


@contextmanager
def _report_errors(where: str) -> Iterator[None]:
    try:
        yield
    except FileExistsError as problem:
        raise AlreadyExistsError(where, expected="no file of this name", found="one") from problem
    except StorageError:
        raise
    except TakenAwayError as problem:
        raise file_taken_away(where) from problem
    except FileNotFoundError as problem:
        raise NoSuchFileError(where, message=problem.strerror or str(problem)) from problem
    except OSError as problem:
        raise StorageError(where, message=problem.strerror or str(problem)) from problem
