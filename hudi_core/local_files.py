"""Local files: written so that each appears whole or not at all, listed without following links.

Raises `OSError` as the operating system does.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from shutil import rmtree
from typing import BinaryIO, Protocol, runtime_checkable
from uuid import uuid4


@runtime_checkable
class StorageWithLinks(Protocol):
    """An optional part of an engine's storage whose folders may have links."""

    @property
    def links(self) -> Collection[str]:
        """The paths of the links that listings met so far, and did not follow. Rule STORE-260."""
        ...


def create_file(path: Path, content: bytes) -> None:
    """A new file. Raises `FileExistsError` when there is one, also when another process creates it at the same moment."""
    with _temporary(path) as temporary:
        _write(temporary, content)
        os.link(temporary, path)


def replace_file(path: Path, content: bytes) -> None:
    """A file in place of another, or of none: readers see the one or the other."""
    with _temporary(path) as temporary:
        _write(temporary, content)
        temporary.replace(path)


@contextmanager
def output_file(path: Path) -> Iterator[BinaryIO]:
    """A file written as a stream. It takes its name when the block ends; with an error nothing remains."""
    with _temporary(path) as temporary:
        with temporary.open("xb") as file:
            yield file
        temporary.replace(path)


def delete_file(path: Path) -> None:
    """No error where there is no such file."""
    path.unlink(missing_ok=True)


def delete_folder(path: Path) -> None:
    """With all that is in it. No error where there is none."""
    with suppress(FileNotFoundError):
        rmtree(path)


def modified_time(path: Path) -> datetime | None:
    """When the file was written last, in UTC; None where there is no such file."""
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except FileNotFoundError:
        return None


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


def _write(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _temporary(path: Path) -> Iterator[Path]:
    """A name beside the file's, of a form that no reader of a table takes for a file of its own. Its folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".hudi-core-{uuid4().hex}.tmp")
    try:
        yield temporary
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()
