"""Local files: written so that each appears whole or not at all, listed without following links.

Raises `OSError` as the operating system does.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from errno import EACCES
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from shutil import rmtree
from threading import Lock
from typing import BinaryIO, Final, Protocol, runtime_checkable
from uuid import uuid4

_SYNCS_AT_ONCE: Final = 8
_WRITERS: Final = 3
_TEMPORARY, _TEMPORARY_END = ".hudi-core-", ".tmp"
_DIGEST_BYTES: Final = 8
_PREFIX_LENGTH: Final = len(_TEMPORARY) + 2 * _DIGEST_BYTES + 1
_CHECKSUM_END: Final = ".crc"
_NAME_BYTES: Final = 255
_PATH_BYTES: Final = 4096


class TakenAwayError(FileNotFoundError):
    """Another process wrote or deleted a file while this one was writing it. Rule STORE-890."""


@runtime_checkable
class StorageWithLinks(Protocol):
    """An optional part of an engine's storage whose folders may have links."""

    @property
    def links(self) -> Collection[str]:
        """The paths of the links that listings met so far, and did not follow. Rule STORE-260."""
        ...


@runtime_checkable
class StorageWithFolders(Protocol):
    """An optional part of an engine's storage whose folders may be there without files. Object stores have none of these."""

    def list_folders(self, folder: str) -> Sequence[str]:
        """The names of the folders right below a folder, sorted, also of empty ones. None where there is no such folder."""
        ...


@runtime_checkable
class StorageWithSync(Protocol):
    """An optional part of an engine's storage: a loss of power can undo its changes until they are synced. Rule STORE-324."""

    def sync(self) -> None:
        """Makes all changes durable that were made here: contents of files and names in folders, many at once."""
        ...

    def defer(self) -> AbstractContextManager[None]:
        """Where contents of new files are not synced one by one while the block runs, but with the next `sync`."""
        ...


@dataclass(frozen=True, slots=True)
class NameLimits:
    """How long names may be, in bytes: one step of a path, and a path from the table's root on."""

    step: int
    path: int


@runtime_checkable
class StorageWithLimits(Protocol):
    """An optional part of an engine's storage whose names have a greatest length. Rule STORE-1154."""

    @property
    def limits(self) -> NameLimits | None:
        """None where it is not known."""
        ...


@runtime_checkable
class StorageWithOptions(Protocol):
    """An optional part of an engine's storage that was opened with options: another URL of the same store takes them too."""

    @property
    def options(self) -> Mapping[str, str]: ...


@runtime_checkable
class StorageWithTakeAway(Protocol):
    """An optional part of an engine's storage that deletes a file only as it was read. Rule COMMIT-1024."""

    def take_away(self, path: str, content: bytes) -> bool:
        """Deletes a file if it has this content, and only then; False where it is another one by now, or none. Raises
        `UnsupportedError` where the store cannot promise that."""
        ...


@dataclass(eq=False)
class Unsynced:
    """Changed files and folders that a loss of power can still undo. `at_once` where nobody is going to sync them: each file is
    synced when it is written."""

    at_once: bool = False
    defers: bool = False
    _paths: set[Path] = field(default_factory=set)
    _turn: Lock = field(default_factory=Lock)

    def __reduce__(self) -> tuple[type[Unsynced], tuple[bool]]:
        return Unsynced, (True,)  # where it arrives nobody syncs what tasks write

    def note(self, *paths: Path) -> None:
        if _PASSING.get():
            return
        with self._turn:
            self._paths.update(paths)
        if self.at_once and not self.defers:
            self.sync()

    @contextmanager
    def defer(self) -> Iterator[None]:
        """Where contents of new files are synced later, all together."""
        before, self.defers = self.defers, True
        try:
            yield
        finally:
            self.defers = before

    def sync(self) -> None:
        """Syncs what was noted, in threads: the disk then writes much of it together. With an `OSError` it is still noted."""
        with self._turn:
            paths, self._paths = self._paths, set()
        try:
            if len(paths) < _SYNCS_AT_ONCE:
                sync_paths(paths)
            else:
                shares = [islice(paths, first, None, _SYNCS_AT_ONCE) for first in range(_SYNCS_AT_ONCE)]
                with ThreadPoolExecutor(_SYNCS_AT_ONCE, "sync") as threads:
                    list(threads.map(sync_paths, shares))
        except OSError:
            self.note(*paths)
            raise


_PASSING: Final[ContextVar[bool]] = ContextVar("let_pass", default=False)


@contextmanager
def let_pass() -> Iterator[None]:
    """Changes in the block need not outlive a loss of power, which ends their writer: heartbeats, locks, markers of what is done.
    The content of a file that is created is durable before its name all the same; that of one that is replaced is not."""
    token = _PASSING.set(True)
    try:
        yield
    finally:
        _PASSING.reset(token)


def sync_paths(paths: Iterable[Path]) -> None:
    """Makes the contents of files durable, and the names in folders. Nothing where one is gone by now."""
    for path in paths:
        with suppress(FileNotFoundError):
            opened = os.open(path, os.O_RDONLY)
            try:
                os.fsync(opened)
            finally:
                os.close(opened)


def own_path(root: Path, path: str, *, to_delete: bool = False) -> Path:
    """The path of something below a root that is to be written, or deleted if it is there. Raises `OSError` where a folder on the
    way to it is a link: it belongs to somebody else, or is there a second time."""
    link = _find_link(root, path.rpartition("/")[0])
    if link is not None and (not to_delete or (root / path).exists()):
        raise OSError(f"{link}, on the way to it, is a link, and changes do not follow links")
    return root / path


def _find_link(root: Path, folder: str) -> Path | None:
    """The first step of the way to a folder, or the folder itself, that is a link."""
    place = root
    for step in folder.split("/") if folder else ():
        place /= step
        if place.is_symlink():
            return place
    return None


def create_file(path: Path, content: bytes, unsynced: Unsynced) -> None:
    """A new file. Raises `FileExistsError` when there is one, also when another process creates it at the same moment."""
    if content:
        with _temporary(path, unsynced) as temporary:
            _write(temporary, content, synced=not unsynced.defers)
            _link(temporary, path)
    else:
        _make_folder(path.parent, unsynced)
        path.open("xb").close()
    unsynced.note(path.parent, *([path] if content and unsynced.defers else []))


def _link(temporary: Path, path: Path) -> None:
    try:
        os.link(temporary, path)
    except FileNotFoundError:
        raise TakenAwayError(str(path)) from None


def replace_file(path: Path, content: bytes, unsynced: Unsynced) -> None:
    """A file in place of another, or of none: readers see the one or the other."""
    _delete_checksum(path)
    with _temporary(path, unsynced) as temporary:
        _write(temporary, content, synced=not _PASSING.get())
        temporary.replace(path)
    unsynced.note(path.parent)


@contextmanager
def output_file(path: Path, unsynced: Unsynced) -> Iterator[BinaryIO]:
    """A file written as a stream. It takes its name when the block ends; with an error nothing remains.

    What a process that is killed meanwhile leaves goes when the file is written by another, or deleted. Raises `TakenAwayError`
    where another process did so while this one was alive.
    """
    _make_folder(path.parent, unsynced)
    temporary, file = _open(path)
    try:
        with file:
            yield file
        _give_name(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    delete_unfinished(path)
    unsynced.note(path.parent, path)


def _give_name(temporary: Path, path: Path) -> None:
    try:
        temporary.replace(path)
    except FileNotFoundError:
        raise TakenAwayError(str(path)) from None


def delete_file(path: Path, unsynced: Unsynced) -> None:
    """No error where there is no such file."""
    _delete_checksum(path)
    path.unlink(missing_ok=True)
    delete_unfinished(path)
    unsynced.note(path.parent)


def delete_files(
    root: Path, paths: Sequence[str], unsynced: Unsynced, report: Callable[[str], AbstractContextManager[None]]
) -> None:
    """Deletes files below a root, one after the other; each as `own_path` and `delete_file` do it, but each folder is looked at
    once, before the first file goes. Errors are raised within `report` of the path. Rule STORE-1404."""
    first = {path.rpartition("/")[0]: path for path in reversed(paths)}
    folders: dict[str, dict[str, list[str]]] = {}
    for folder, path in first.items():
        with report(path):
            folders[folder] = _list_companions(root, folder)
    linked = {folder for folder in folders if _find_link(root, folder) is not None}
    try:
        for path in paths:
            with report(path):
                folder, _, name = path.rpartition("/")
                if folder in linked:
                    own_path(root, path, to_delete=True)
                if beside := folders[folder]:
                    for key in (_name_checksum(name), _temporary_prefix(name)):
                        for other in beside.get(key, ()):
                            (root / folder / other).unlink(missing_ok=True)
                Path(f"{root}/{path}").unlink(missing_ok=True)
    finally:
        unsynced.note(*(root / folder for folder in folders))


def _list_companions(root: Path, folder: str) -> dict[str, list[str]]:
    """The names of checksums, each its own key, and of temporary files by how they begin. `PermissionError` where none may go."""
    companions: dict[str, list[str]] = {}
    if not os.access(root / folder, os.W_OK | os.X_OK) and (root / folder).exists():
        raise PermissionError(EACCES, os.strerror(EACCES))
    with suppress(FileNotFoundError), os.scandir(root / folder) as entries:
        for entry in entries:
            if is_temporary(entry.name):
                companions.setdefault(entry.name[:_PREFIX_LENGTH], []).append(entry.name)
            elif entry.name.endswith(_CHECKSUM_END):
                companions[entry.name] = [entry.name]
    return companions


def find_limits(root: Path) -> NameLimits:
    """How long names may be below a folder that is there: what its file system says, else what most have."""
    step, whole = _NAME_BYTES, _PATH_BYTES
    with suppress(AttributeError, OSError, ValueError):
        step, whole = os.pathconf(root, "PC_NAME_MAX"), os.pathconf(root, "PC_PATH_MAX")
    return NameLimits(step, whole - len(os.fsencode(root.absolute())) - 2)


def take_away(path: Path, content: bytes, unsynced: Unsynced) -> bool:
    """Deletes a file if it has this content, and only then. The file is moved away first, where nobody changes it; another one
    than was expected comes back, unless there is a new one by then."""
    try:
        if path.read_bytes() != content:
            return False
        moved = path.with_name(_name_temporary(path.name))
        path.rename(moved)
    except FileNotFoundError:
        return False
    try:
        if moved.read_bytes() == content:
            return True
        with suppress(FileExistsError):
            os.link(moved, path)
        return False
    finally:
        moved.unlink()
        unsynced.note(path.parent)


def _delete_checksum(path: Path) -> None:
    """Hadoop keeps the checksum of a local file beside it, and refuses a file that has another one; one without is read."""
    path.with_name(_name_checksum(path.name)).unlink(missing_ok=True)


def _name_checksum(name: str) -> str:
    return f".{name}{_CHECKSUM_END}"


def delete_unfinished(path: Path) -> None:
    """Deletes what killed processes have left of a file. A process that is still writing it fails at its end."""
    for name in _name_temporaries(path.name):
        path.with_name(name).unlink(missing_ok=True)


def delete_folder(path: Path, unsynced: Unsynced) -> None:
    """With all that is in it. No error where there is none."""
    with suppress(FileNotFoundError):
        rmtree(path)
    unsynced.note(path.parent)


def read_modified_time(path: Path) -> datetime | None:
    """When the file was written last, in UTC; None where there is no such file."""
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except FileNotFoundError:
        return None


def list_folders(root: Path, folder: str) -> list[str]:
    """The names of the folders right below a folder, sorted, links left out. None where there is no such folder."""
    with suppress(FileNotFoundError), os.scandir(root / folder) as entries:
        return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    return []


def walk(
    root: Path, folder: str, *, recursive: bool = False, without: str = ""
) -> tuple[list[tuple[str, int]], list[str]]:
    """The files in a folder below a root, with their sizes, and the links that were met; paths from the root on, with slashes.

    With `recursive` those below the folder too, but for a folder right below it of the name `without`. Links are not followed,
    neither those to folders nor those to files: what they lead to is not in the folder, or is in it twice. Nothing where there
    is no such folder. Raises `OSError` with the name of the folder that cannot be listed.
    """
    files: list[tuple[str, int]] = []
    links: list[str] = []
    waiting = [folder] if (root / folder).is_dir() else []
    while waiting:
        current = waiting.pop()
        before = f"{current}/" if current else ""
        with (
            suppress(FileNotFoundError),
            os.scandir(root / current) as entries,
        ):  # another process may delete it meanwhile
            for entry in entries:
                if entry.is_symlink():
                    links.append(before + entry.name)
                elif entry.is_file():
                    with suppress(FileNotFoundError):
                        files.append((before + entry.name, entry.stat().st_size))
                elif recursive and not (current == folder and entry.name == without) and entry.is_dir():
                    waiting.append(before + entry.name)
    return sorted(files), sorted(links)


def _write(path: Path, content: bytes, *, synced: bool) -> None:
    with path.open("xb") as file:
        file.write(content)
    if synced and content:
        sync_paths([path])  # before it takes its name: no name without content


def _make_folder(folder: Path, unsynced: Unsynced) -> None:
    parent = folder
    while not parent.exists():
        parent = parent.parent
        unsynced.note(parent)
    if parent != folder:
        folder.mkdir(parents=True, exist_ok=True)


def is_temporary(name: str) -> bool:
    """Whether a file of this name is one that waits to take its own."""
    return name.startswith(_TEMPORARY) and name.endswith(_TEMPORARY_END)


def _temporary_prefix(name: str) -> str:
    """How the names begin under which a file waits for its own. They have a digest of that one: log files are known by how their
    names begin."""
    return f"{_TEMPORARY}{blake2b(name.encode(), digest_size=_DIGEST_BYTES).hexdigest()}-"


def _name_temporaries(name: str) -> list[str]:
    """The names under which a file is written as a stream, as many as may write it at once."""
    return [f"{_temporary_prefix(name)}{number}{_TEMPORARY_END}" for number in range(_WRITERS)]


def _name_temporary(name: str) -> str:
    """A name under which nobody else writes the file."""
    return f"{_temporary_prefix(name)}{uuid4().hex}{_TEMPORARY_END}"


def _open(path: Path) -> tuple[Path, BinaryIO]:
    """A new file for the content of another, under the first of its temporary names that is free."""
    for temporary in map(path.with_name, _name_temporaries(path.name)):
        with suppress(FileExistsError):
            return temporary, temporary.open("xb")
    temporary = path.with_name(_name_temporary(path.name))
    return temporary, temporary.open("xb")


@contextmanager
def _temporary(path: Path, unsynced: Unsynced) -> Iterator[Path]:
    """A name beside the file's, of a form that no reader of a table takes for a file of its own. Its folder is made."""
    _make_folder(path.parent, unsynced)
    temporary = path.with_name(_name_temporary(path.name))
    try:
        yield temporary
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()
