"""Local files: written so that each appears whole or not at all, listed without following links.

Raises `OSError` as the operating system does.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
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
from typing import BinaryIO, Final
from uuid import uuid4

from hudi_core.storage_parts import NameLimits

_SYNCS_AT_ONCE: Final = 8
_WRITERS: Final = 3
_TEMPORARY, _TEMPORARY_END = ".hudi-core-", ".tmp"
_DIGEST_BYTES: Final = 8
_PREFIX_LENGTH: Final = len(_TEMPORARY) + 2 * _DIGEST_BYTES + 1
_FENCED: Final = f"{_TEMPORARY}fenced-"
_CHECKSUM_END: Final = ".crc"
_NAME_BYTES: Final = 255
_PATH_BYTES: Final = 4096


class TakenAwayError(FileNotFoundError):
    """Another process wrote or deleted a file while this one was writing it. Rule STORE-890."""


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
    before = _PASSING.get()
    try:
        _PASSING.set(True)
        yield
    finally:
        _PASSING.set(before)


_NAMING: Final[ContextVar[Callable[[], None] | None]] = ContextVar("naming", default=None)


@contextmanager
def look_before_naming(look: Callable[[], None]) -> Iterator[None]:
    """Calls `look` before a file that this thread wrote as a stream in the block takes its name: it raises where it may not."""
    before = _NAMING.get()
    try:
        _NAMING.set(look)
        yield
    finally:
        _NAMING.set(before)


@dataclass(frozen=True, slots=True)
class _Fence:
    """A folder, and what is asked before a file below it takes its name."""

    folder: Path
    look: Callable[[], None]


_FENCE: Final[ContextVar[_Fence | None]] = ContextVar("fence", default=None)


@contextmanager
def fence(folder: Path, look: Callable[[], None]) -> Iterator[None]:
    """What this thread creates or replaces below the folder waits in it until `look` was called. Rule COMMIT-1475."""
    before = _FENCE.get()
    try:
        _FENCE.set(_Fence(folder, look))
        yield
    finally:
        _FENCE.set(before)


def drop_fenced(folder: Path) -> None:
    """Deletes what waits in the folder behind a fence: who wrote it cannot give it its name any more."""
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(_FENCED):
                folder.joinpath(entry.name).unlink(missing_ok=True)


def _fence_of(path: Path) -> _Fence | None:
    """The fence that a file is behind. A file on another disk than the fence's folder is behind none: it could not move."""
    fence = _FENCE.get()
    if fence is None or not path.is_relative_to(fence.folder):
        return None
    return fence if path.parent.stat().st_dev == fence.folder.stat().st_dev else None


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
            _take_name(os.link, temporary, path)
    else:
        _make_folder(path.parent, unsynced)
        path.open("xb").close()
    unsynced.note(path.parent, *([path] if content and unsynced.defers else []))


def _take_name(take: Callable[[Path, Path], None], temporary: Path, path: Path) -> None:
    """Gives a file its name, where its fence lets it. Raises `TakenAwayError` where another deleted it."""
    fence = _fence_of(path)
    if fence is not None:
        fence.look()
    try:
        take(temporary, path)
    except FileNotFoundError:
        if fence is not None:
            fence.look()  # says why
        raise TakenAwayError(str(path)) from None


def replace_file(path: Path, content: bytes, unsynced: Unsynced) -> None:
    """A file in place of another, or of none: readers see the one or the other."""
    _delete_checksum(path)
    with _temporary(path, unsynced) as temporary:
        _write(temporary, content, synced=not _PASSING.get())
        _take_name(os.replace, temporary, path)
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
        look = _NAMING.get()
        if look is not None:
            look()
        _take_name(os.replace, temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    delete_unfinished(path)
    unsynced.note(path.parent, path)


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


def _name_fenced() -> str:
    """A name under which a file waits behind a fence."""
    return f"{_FENCED}{uuid4().hex}{_TEMPORARY_END}"


def _open(path: Path) -> tuple[Path, BinaryIO]:
    """A new file for the content of another, under the first of its temporary names that is free."""
    for temporary in map(path.with_name, _name_temporaries(path.name)):
        with suppress(FileExistsError):
            return temporary, temporary.open("xb")
    temporary = path.with_name(_name_temporary(path.name))
    return temporary, temporary.open("xb")


@contextmanager
def _temporary(path: Path, unsynced: Unsynced) -> Iterator[Path]:
    """A name beside the file's, or in the folder of its fence, of a form that no reader of a table takes for a file of its own.
    The file's folder is made."""
    _make_folder(path.parent, unsynced)
    fence = _fence_of(path)
    temporary = path.with_name(_name_temporary(path.name)) if fence is None else fence.folder / _name_fenced()
    try:
        yield temporary
    finally:
        # What ended the block counts, or that the file has its name: what stays goes as that of killed processes.
        with suppress(OSError):
            temporary.unlink()
