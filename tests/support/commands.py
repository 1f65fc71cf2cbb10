"""Running `hudi-core` in tests, on the table that comes with the package."""

from __future__ import annotations

import hashlib
import json
import tempfile
import zipfile
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hudi_core.cli.application import app

pytest.importorskip("pyarrow", reason="commands read tables with the arrow engine")


@dataclass(frozen=True)
class Ran:
    """What a command said."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Standard output as NDJSON."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def error(self) -> str:
        """The one line that an error is; fails when there is more or none of it, or anything on standard output."""
        (line,) = self.err.splitlines()
        assert line.startswith("error: "), line
        return line.removeprefix("error: ")


def ran(*arguments: object, stdin: str = "") -> Ran:
    """Runs a command in this process. An exception that the command does not report is raised."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)


def rides() -> Path:
    """The root of the packaged table, unpacked once for the whole run. Read only."""
    return _unpacked(None)


def rides_in(folder: Path) -> Path:
    """The root of a copy of the packaged table, to be damaged at will."""
    return _unpacked(folder)


@cache
def _scratch() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="hudi-rides-")


@cache
def _unpacked(folder: Path | None) -> Path:
    target = Path(_scratch().name) if folder is None else folder
    with as_file(files("hudi_core") / "demo" / "rides.zip") as archive, zipfile.ZipFile(archive) as opened:
        opened.extractall(target)
    return target / "rides"


def fingerprint(folder: Path) -> dict[str, str]:
    """Every file below a folder and a digest of what is in it."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
