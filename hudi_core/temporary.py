"""Temporary files and folders of this process. Rule STORE-1602."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hudi_core.errors import StorageError


@contextmanager
def report_unusable(parent: str | None = None) -> Iterator[None]:
    """Raises `StorageError` in place of the `OSError` of what makes a temporary file or folder in the block: in `parent`, else in
    the system's folder of temporary files, of which there may be none."""
    try:
        yield
    except OSError as problem:
        if parent is None and tempfile.tempdir is None:
            hint = "set TMPDIR to a folder that this process may write to"
            raise StorageError("temporary files", message="there is no folder for them", hint=hint) from problem
        where = parent or tempfile.gettempdir()
        raise StorageError(where, message=problem.strerror or str(problem)) from problem


def make_folder(prefix: str, parent: str | None = None) -> Path:
    """A new folder, which the caller removes. Raises `StorageError` where it cannot be made."""
    with report_unusable(parent):
        return Path(tempfile.mkdtemp(prefix=prefix, dir=parent))


def temporary_folder(prefix: str, parent: str | None = None) -> tempfile.TemporaryDirectory[str]:
    """A new folder, which goes with the block or the object. Raises `StorageError` where it cannot be made."""
    with report_unusable(parent):
        return tempfile.TemporaryDirectory(prefix=prefix, dir=parent, ignore_cleanup_errors=True)
