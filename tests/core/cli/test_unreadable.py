"""Folders that cannot be listed: the metadata table's costs a warning, where it lies in the message, and no rows. Folders that
cannot be written to: one error of one line."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import hudi_arrow
import hudi_core
import hudi_plain
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


@cache
def load_modules() -> None:
    """Loads what commands load by need: an interpreter that is the superuser's may lie where others may not read."""
    for package in (hudi_core, hudi_arrow, hudi_plain):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                import_module(module.name)


@contextmanager
def as_somebody() -> Iterator[None]:
    """As a user who is not the superuser."""
    if os.geteuid() != 0:
        yield
        return
    load_modules()
    os.seteuid(_SOMEBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.each_value
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


OUTPUTS = {
    "rows.parquet": ("read", "--limit", "3", "--output"),
    "rows.csv": ("read", "--limit", "3", "--output"),
    "rows.jsonl.gz": ("read", "--limit", "3", "--output"),
    "rows.arrow": ("read", "--limit", "3", "--output"),
    "report.html": ("report", "--html"),
    "explain.html": ("explain", "--where", "fare > 90", "--html"),
}


@pytest.mark.each_value
@pytest.mark.parametrize("mode", [0o500, 0])
@pytest.mark.parametrize("name", OUTPUTS)
def test_an_output_that_cannot_be_written(table: Path, name: str, mode: int) -> None:
    """ROWS-1299."""
    folder = table.parent / "out"
    folder.mkdir()
    folder.chmod(mode)
    command, *options = OUTPUTS[name]
    with as_somebody():
        done = ran(command, table, *options, folder / name)
    folder.chmod(0o700)
    assert (done.status, done.error) == (1, f"{folder / name}: Permission denied")
    assert list(folder.iterdir()) == []


def test_an_output_on_a_disk_that_is_full(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ROWS-1299: the error is the first one, also where the disk takes no deletion."""

    def refuse(path: Path, *_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    monkeypatch.setattr(Path, "unlink", refuse)
    monkeypatch.setattr(Path, "replace", refuse)
    for name, (command, *options) in OUTPUTS.items():
        done = ran(command, table, *options, table.parent / name)
        assert (done.status, done.error) == (1, f"{table.parent / name}: Read-only file system")


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet", "rows.json.gz", "folder"])
def test_an_input_that_cannot_be_read(table: Path, name: str) -> None:
    """ROWS-1301."""
    folder = table.parent / "in"
    (folder / "folder").mkdir(parents=True)
    (folder / "rows.csv").write_text("ride_id\n1\n")
    path, closed = folder / name, folder / name if name == "folder" else folder
    os.chown(closed, _SOMEBODY if os.geteuid() == 0 else -1, -1)
    closed.chmod(0)
    with as_somebody():
        for command in (("write", table, path), ("write", table, path, "--op", "delete"), ("tag", table, path)):
            done = ran(*command)
            assert (done.status, done.error) == (1, f"{path}: Permission denied"), command
        assert ran("delete", table, path).error.startswith("hudi-core delete: ")
    closed.chmod(0o700)
