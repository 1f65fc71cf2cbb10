"""History of layout 2: Parquet files by ranges of requested times, named by a manifest. Rules TIME-20 to TIME-22."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from hudi_core.engine import FileInfo, FileReader, Rows, Storage
from hudi_core.errors import CorruptFileError
from hudi_core.json_texts import parse_json
from hudi_core.schema.schema import Schema
from hudi_core.timeline.instants import (
    WRITES,
    Content,
    Instant,
    InstantState,
    in_order,
    name_completed_action,
    time_order,
)

_DATA_FILE = re.compile(r"([0-9]+)_([0-9]+)_([0-9]+)\.parquet", re.ASCII)
MANIFEST = "manifest_"
"""The prefix of names of manifests, before their number."""
_MANIFEST = re.compile(rf"{MANIFEST}([0-9]{{1,18}})", re.ASCII)
VERSION_FILE = "_version_"
"""The file with the number of the newest manifest."""
_NAMES = ("instantTime", "completionTime", "action")
_CONTENT = "metadata"
_SECONDS = len("yyyyMMddHHmmss")


@dataclass(frozen=True)
class LsmHistory:
    """History of layout 2: files of many instants each, merged level by level; the newest manifest names those that count."""

    storage: Storage
    folder: str
    reader: FileReader[Any]
    rows: Rows[Any, Any, Any]
    _instants: dict[str, tuple[Instant, ...]] = field(default_factory=dict, repr=False, compare=False)
    _contents: dict[str, Mapping[tuple[str, str], bytes]] = field(default_factory=dict, repr=False, compare=False)

    def instants(self) -> Sequence[Instant]:
        return in_order(instant for file in self._files for instant in self._instants_of(file))

    def list_completed_after(self, time: str) -> Sequence[Instant]:
        files = (file for file in self._files if file.path in self._instants or self._may_hold(file, time))
        earliest = time_order(time)
        return in_order(
            instant
            for file in files
            for instant in self._instants_of(file)
            if instant.completion_time is not None and time_order(instant.completion_time) > earliest
        )

    def _may_hold(self, file: FileInfo, time: str) -> bool:
        """Whether by its footer the file may hold an instant that completed after the time."""
        statistics = self.reader.open(self.storage, file).footer.statistics.get((_NAMES[1],))
        # Times have seconds or milliseconds: the common prefix is compared.
        return (
            statistics is None
            or not isinstance(statistics.upper, str)
            or statistics.upper[:_SECONDS] >= time[:_SECONDS]
        )

    def completion_time(self, requested_time: str) -> str | None:
        instants = self._instants_at(requested_time)
        return next((instant.completion_time for instant in instants if instant.completes_as in WRITES), None)

    def content(self, instant: Instant) -> Content:
        contents = self._contents.get(instant.file)
        if contents is None:
            file = next(file for file in self._files if file.path == instant.file)
            contents = {
                (row["instantTime"], name_completed_action(row["action"])): _bytes(row[_CONTENT])
                for row in self._rows(file, (*_NAMES, _CONTENT))
            }
            # One file at a time: its instants are requested one after the other, and their contents are large.
            self._contents.clear()
            self._contents[instant.file] = contents
        return contents.get((instant.requested_time, instant.completes_as), b"")

    def find(self, active: Instant) -> Instant | None:
        """The completed instant as the history has it."""
        instants = self._instants_at(active.requested_time)
        return next((instant for instant in instants if instant.completes_as == active.completes_as), None)

    def _instants_at(self, time: str) -> Iterator[Instant]:
        requested = time_order(time)
        for file in self._files:
            first, last = time_range(file)
            if time_order(first) <= requested <= time_order(last):
                yield from (instant for instant in self._instants_of(file) if instant.requested_time == time)

    def _instants_of(self, file: FileInfo) -> tuple[Instant, ...]:
        if file.path not in self._instants:
            self._instants[file.path] = tuple(
                Instant(
                    row["instantTime"], row["action"], InstantState.COMPLETED, row["completionTime"], file.path, True
                )
                for row in self._rows(file, _NAMES)
            )
        return self._instants[file.path]

    def _rows(self, file: FileInfo, names: Sequence[str]) -> Iterator[Mapping[str, Any]]:
        where = f"{self.storage.uri}/{file.path}"
        opened = self.reader.open(self.storage, file)
        schema = opened.footer.schema
        fields = tuple(field for field in schema.fields if field.name in names)
        if len(fields) != len(names):
            raise CorruptFileError(where, expected=f"columns {', '.join(names)}", found=f"{len(fields)} of them")
        part_schema: Schema = replace(schema, record=replace(schema.record, fields=fields))
        for batch in opened.batches(list(names)):
            for row in self.rows.to_json(batch, part_schema):
                if not isinstance(row["instantTime"], str) or not isinstance(row["action"], str):
                    raise CorruptFileError(where, expected="a time and an action in each row", found=repr(row)[:80])
                yield row

    @cached_property
    def _files(self) -> Sequence[FileInfo]:
        """The files of the newest manifest, by range of times."""
        return lsm_snapshot(self.storage, self.folder).files


@dataclass(frozen=True, slots=True)
class LsmSnapshot:
    """One state of a history: the number of its manifest, 0 where there is none, and the files that it names, by range of
    times."""

    number: int
    files: tuple[FileInfo, ...]


def lsm_snapshot(storage: Storage, folder: str, number: int | None = None) -> LsmSnapshot:
    """The newest state of the history in a folder, or that of a manifest. Raises `CorruptFileError` where a file is missing."""
    files = {info.name: info for info in storage.list(folder)}
    chosen = _version(storage, folder, files) if number is None else number
    if chosen is None:
        return LsmSnapshot(0, ())
    name = f"{MANIFEST}{chosen}"
    where = f"{storage.uri}/{folder}/{name}"
    names = _manifest(storage.read(f"{folder}/{name}"), where)
    missing = [name for name in names if name not in files]
    if missing:
        raise CorruptFileError(where, expected="the files of the manifest", found=f"no {missing[0]}")
    return LsmSnapshot(chosen, tuple(files[name] for name in sorted(names)))


def manifest_number(name: str) -> int | None:
    """The number of a manifest, by its name; None for another file."""
    match = _MANIFEST.fullmatch(name)
    return int(match[1]) if match else None


def is_history_file(name: str) -> bool:
    """Whether a file of this name holds instants."""
    return _DATA_FILE.fullmatch(name) is not None


def _version(storage: Storage, folder: str, files: Mapping[str, FileInfo]) -> int | None:
    if VERSION_FILE in files:
        version = storage.read(f"{folder}/{VERSION_FILE}").strip()
        if version.isdigit():
            return int(version)
        # A writer is replacing it: the newest manifest is whole, for it is written first.
    numbers = (manifest_number(name) for name in files)
    return max((number for number in numbers if number is not None), default=None)


def _manifest(content: bytes, where: str) -> list[str]:
    try:
        names = [entry["fileName"] for entry in parse_json(content)["files"]]
    except (ValueError, LookupError, TypeError) as error:
        raise CorruptFileError(where, expected="a manifest of files", found=repr(error)[:80]) from None
    for name in names:
        if not isinstance(name, str) or _DATA_FILE.fullmatch(name) is None:
            expected = "names like <time>_<time>_<level>.parquet"
            raise CorruptFileError(where, expected=expected, found=repr(name)[:80])
    return names


def time_range(file: FileInfo) -> tuple[str, str]:
    """The first and the last requested time in a file, by its name."""
    first, last, _ = file.name.split("_")
    return first, last


def _bytes(value: object) -> bytes:
    """Bytes from the form of `values.json`."""
    return base64.b64decode(value["base64"]) if isinstance(value, Mapping) else b""
