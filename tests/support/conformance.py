"""Finds the conformance data named by `HUDI_CONFORMANCE` and unpacks its tables, once for all processes of a test run."""

from __future__ import annotations

import atexit
import fnmatch
import json
import os
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hudi_arrow.engine import ENGINE
from hudi_core.timeline.slices import FileSlice
from tests.support.drawing import SOAK

ROOT = Path(os.environ.get("HUDI_CONFORMANCE") or Path(__file__).parents[3] / "shared")
"""The folder that holds `corpus/`, `golden/` and `vectors/`."""


@dataclass(frozen=True)
class TableEntry:
    """One table of the corpus or the golden set: its archive and what was recorded about it."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @cached_property
    def expected(self) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads((self.folder / "expected.json").read_text("utf-8"))
        return loaded

    @cached_property
    def files(self) -> list[str]:
        """The paths in its archive; they begin with the name of the table's folder."""
        with zipfile.ZipFile(self.folder / "table.zip") as archive:
            return archive.namelist()

    def has(self, *patterns: str) -> bool:
        """Whether a file of the table fits one of the patterns, in which `*` stands for any characters."""
        return any(fnmatch.filter(self.files, pattern) for pattern in patterns)

    @property
    def requires(self) -> list[str]:
        """Readers the table needs that are not here."""
        base_file_format = self.expected["table"]["base_file_format"]
        return [] if base_file_format.lower() in ENGINE.formats else [f"{base_file_format} reader for base files"]

    def unpacked(self) -> Path:
        """The table's root folder, unpacked into a temporary folder shared by the whole run. Read only."""
        return _unpack(self.folder)


UNPACKED = "HUDI_UNPACKED"
"""The variable of the environment with the folder of unpacked tables, for the processes that share the tests."""


@cache
def share_unpacked_tables() -> Path:
    """The folder of unpacked tables, which the process that calls this first removes at its end."""
    if UNPACKED not in os.environ:
        folder = tempfile.mkdtemp(prefix="hudi-conformance-")
        os.environ[UNPACKED] = folder
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(os.environ[UNPACKED])


@cache
def _unpack(folder: Path) -> Path:
    target = share_unpacked_tables() / f"{folder.name}-{zlib.crc32(os.fsencode(folder.absolute())):08x}"
    if not target.exists():
        own = Path(tempfile.mkdtemp(dir=target.parent))
        with zipfile.ZipFile(folder / "table.zip") as archive:
            archive.extractall(own)
        try:
            own.rename(target)
        except OSError:  # another process has been faster: its folder is as good
            shutil.rmtree(own)
    (found,) = {path.parent.parent for path in target.glob("*/.hoodie/hoodie.properties")}
    return found


@cache
def tables() -> list[TableEntry]:
    """Every table of the corpus and the golden set, sorted by name; empty when the data is absent."""
    archives = [*ROOT.glob("corpus/tables/*/table.zip"), *ROOT.glob("golden/*/table.zip")]
    return sorted((TableEntry(archive.parent) for archive in archives), key=lambda entry: entry.name)


def vectors(subject: str) -> list[dict[str, Any]]:
    """The cases of one vector file; skips the calling test with the reason when it is absent."""
    path = ROOT / "vectors" / f"{subject}.json"
    if not path.is_file():
        pytest.skip(f"conformance vectors {subject!r} not present under HUDI_CONFORMANCE")
    cases: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))
    return cases


def cases(subject: str, operation: str) -> list[dict[str, Any]]:
    """The cases of one operation; skips the calling test with the reason when none is recorded."""
    found = [case for case in vectors(subject) if case["op"] == operation]
    if not found:
        pytest.skip(f"no conformance vectors of {subject}, {operation}")
    return found


def each_table(*, every: int = 1) -> pytest.MarkDecorator:
    """Parametrise a test over all tables; one skipped case with the reason when there are none.

    Here as below: of `every` so many tables an ordinary run takes one, and a long run takes all.
    """
    return _over(tables(), "corpus and golden tables not present", every)


def each_table_where(concerned: Callable[[TableEntry], object], what: str, *, every: int = 1) -> pytest.MarkDecorator:
    """Parametrise a test over the tables that it has something to compare of; one skipped case when there are none."""
    return _over([entry for entry in tables() if concerned(entry)], f"no recorded table with {what}", every)


def each_table_with(*metadata_partitions: str, every: int = 1) -> pytest.MarkDecorator:
    """Parametrise a test over the tables whose metadata table has these partitions."""
    wanted = set(metadata_partitions)
    concerned = [entry for entry in tables() if wanted <= set(entry.expected["table"]["metadata_partitions"])]
    return _over(concerned, f"no recorded table with the metadata partitions {', '.join(metadata_partitions)}", every)


def _over(entries: list[TableEntry], reason: str, every: int) -> pytest.MarkDecorator:
    chosen = entries[:: 1 if SOAK else every]
    absent = pytest.param(None, marks=pytest.mark.skip(reason=reason), id="absent")
    return pytest.mark.parametrize("entry", chosen or [absent], ids=lambda entry: entry.name if entry else "absent")


class VisibleSlice(NamedTuple):
    """A file slice as queries see it; `logs` are the names of its log files, oldest first."""

    partition: str
    file_id: str
    instant: str
    base_file: str | None
    base_file_size: int | None
    logs: tuple[str, ...]


def visible_slice(item: FileSlice) -> VisibleSlice:
    """A slice that was read, to compare with `visible_slices`."""
    base, logs = item.base, tuple(log.name for log in item.logs)
    return VisibleSlice(
        item.partition, item.file_id, item.instant, base.name if base else None, base.size if base else None, logs
    )


def visible_slices(expected: dict[str, Any]) -> list[VisibleSlice]:
    """The recorded slices without what a query must not see.

    The record also has replaced file groups, logs of changes, and logs of writes that did not complete.
    """
    completed = [instant for instant in expected["timeline"] if instant["state"] == "completed"]
    replaced = {
        (partition, file_id)
        for instant in completed
        for partition, file_ids in (instant.get("replaced_file_ids") or {}).items()
        for file_id in file_ids
    }
    pending = {instant["requested_time"] for instant in expected["timeline"]}
    pending -= {instant["requested_time"] for instant in completed}
    visible: list[VisibleSlice] = []
    for item in expected["file_slices"]:
        group = item["partition"], item["file_id"]
        if group in replaced:
            continue
        paths = [file if isinstance(file, str) else file["file"] for file in item["log_files"]]
        logs = [name for path in paths if not (name := path.rpartition("/")[2]).endswith(".cdc")]
        if int(expected["table"]["timeline_layout_version"]) == 2:
            logs = [name for name in logs if name.partition("_")[2].partition(".log.")[0] not in pending]
        visible.append(
            VisibleSlice(*group, item["base_instant"], item["base_file"], item["base_file_size"], tuple(logs))
        )
    return visible
