"""Writing local files so that each appears whole or not at all. Raises `OSError` as the operating system does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from shutil import rmtree
from typing import BinaryIO
from uuid import uuid4


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
