"""Folders that cannot be listed: the metadata table's costs a warning, where it lies in the message, and no rows."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.commands import ran, rides, rides_in

_SOMEBODY = 65_534
_WHERE = ("--where", "fare > 90", "--json")


@pytest.fixture
def table() -> Iterator[Path]:
    """A copy of the packaged table, of a user to whom permissions count: the superuser may read what nobody may."""
    with tempfile.TemporaryDirectory(prefix="hudi-unreadable-") as folder:
        root = rides_in(Path(folder))
        if os.geteuid() == 0:
            for path in (Path(folder), *Path(folder).rglob("*")):
                os.chown(path, _SOMEBODY, -1)
        yield root
        for path in root.rglob("*"):
            if path.is_dir():
                path.chmod(0o700)


@contextmanager
def as_somebody() -> Iterator[None]:
    """As a user who is not the superuser."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(_SOMEBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("folder", [".hoodie/metadata", ".hoodie/metadata/files", ".hoodie/metadata/column_stats"])
@pytest.mark.parametrize("mode", ["auto", "off"])
def test_the_metadata_table(table: Path, folder: str, mode: str) -> None:
    wanted = [line["file_id"] for line in ran("files", rides(), *_WHERE).lines]
    (table / folder).chmod(0)
    with as_somebody():
        done = ran("files", table, *_WHERE, "--metadata", mode)
    assert done.status == 0
    assert [line["file_id"] for line in done.lines] == wanted
    if mode == "off":
        assert done.err == ""
    else:
        (line,) = done.err.splitlines()
        assert line.startswith(f"warning: {table / folder}")
        assert line.endswith(": Permission denied; listing folders and reading footers instead")


@pytest.mark.parametrize("engine", ["arrow", "plain"])
def test_a_partition(table: Path, engine: str) -> None:
    (table / "city=oslo").chmod(0)
    with as_somebody():
        done = ran("files", table, "--metadata", "off", "--engine", engine)
    assert (done.status, done.error) == (1, f"{table / 'city=oslo'}: Permission denied")
