"""History of layout 2: Parquet files by ranges of requested times, named by a manifest. Rules TIME-20 to TIME-22."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from hudi_core.engine import FileInfo, FileReader, Rows, Storage
from hudi_core.errors import CorruptFileError
from hudi_core.schema.schema import Schema
from hudi_core.timeline.archived import Content, in_order
from hudi_core.timeline.instants import WRITES, Instant, InstantState, completed_action, time_order

_DATA_FILE = re.compile(r"([0-9]+)_([0-9]+)_([0-9]+)\.parquet", re.ASCII)
_MANIFEST = re.compile(r"manifest_([0-9]{1,18})", re.ASCII)
_VERSION_FILE = "_version_"
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
        return in_order(instant for file in self._files for instant in self._of(file))

    def completed_after(self, time: str) -> Sequence[Instant]:
        files = (file for file in self._files if file.path in self._instants or self._may_hold(file, time))
        late = time_order(time)
        return in_order(
            instant
            for file in files
            for instant in self._of(file)
            if instant.completion_time is not None and time_order(instant.completion_time) > late
        )

    def _may_hold(self, file: FileInfo, time: str) -> bool:
        """The file may hold an instant that completed after the time, as far as its footer tells."""
        told = self.reader.footer(self.storage, file).statistics.get((_NAMES[1],))
        # Times are of seconds or of milliseconds: their texts are compared as far as both go.
        return told is None or not isinstance(told.upper, str) or told.upper[:_SECONDS] >= time[:_SECONDS]

    def completion_time(self, requested_time: str) -> str | None:
        asked = time_order(requested_time)
        for file in self._files:
            first, last = _range(file)
            if time_order(first) <= asked <= time_order(last):
                for instant in self._of(file):
                    if instant.requested_time == requested_time and instant.completes_as in WRITES:
                        return instant.completion_time
        return None

    def content(self, instant: Instant) -> Content:
        if instant.file not in self._contents:
            # One file at a time: its instants are asked for one after the other, and hold far more than their names.
            self._contents.clear()
            file = next(each for each in self._files if each.path == instant.file)
            self._contents[instant.file] = {
                (row["instantTime"], completed_action(row["action"])): _bytes(row[_CONTENT])
                for row in self._rows(file, (*_NAMES, _CONTENT))
            }
        return self._contents[instant.file].get((instant.requested_time, instant.completes_as), b"")

    def _of(self, file: FileInfo) -> tuple[Instant, ...]:
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
        schema = self.reader.footer(self.storage, file).schema
        fields = tuple(each for each in schema.fields if each.name in names)
        if len(fields) != len(names):
            raise CorruptFileError(where, expected=f"columns {', '.join(names)}", found=f"{len(fields)} of them")
        part: Schema = replace(schema, record=replace(schema.record, fields=fields))
        for batch in self.reader.batches(self.storage, file, list(names)):
            for row in self.rows.to_json(batch, part):
                if not isinstance(row["instantTime"], str) or not isinstance(row["action"], str):
                    raise CorruptFileError(where, expected="a time and an action in each row", found=repr(row)[:80])
                yield row

    @cached_property
    def _files(self) -> Sequence[FileInfo]:
        """The files of the newest manifest, by range of times."""
        there = {info.name: info for info in self.storage.list(self.folder)}
        number = self._version(there)
        if number is None:
            return ()
        name = f"manifest_{number}"
        where = f"{self.storage.uri}/{self.folder}/{name}"
        names = _manifest(self.storage.read(f"{self.folder}/{name}"), where)
        missing = [each for each in names if each not in there]
        if missing:
            raise CorruptFileError(where, expected="files that are there", found=f"{missing[0]}, which is not")
        return tuple(there[each] for each in sorted(names))

    def _version(self, there: Mapping[str, FileInfo]) -> int | None:
        if _VERSION_FILE in there:
            path = f"{self.folder}/{_VERSION_FILE}"
            said = self.storage.read(path).strip()
            if said.isdigit():
                return int(said)
            # A writer is replacing it: the newest manifest is whole, for it is written first.
        found = (_MANIFEST.fullmatch(name) for name in there)
        return max((int(each[1]) for each in found if each), default=None)


def _manifest(content: bytes, where: str) -> list[str]:
    try:
        names = [entry["fileName"] for entry in json.loads(content)["files"]]
    except (ValueError, LookupError, TypeError) as error:
        raise CorruptFileError(where, expected="a manifest of files", found=repr(error)[:80]) from None
    for name in names:
        if not isinstance(name, str) or _DATA_FILE.fullmatch(name) is None:
            expected = "names like <time>_<time>_<level>.parquet"
            raise CorruptFileError(where, expected=expected, found=repr(name)[:80])
    return names


def _range(file: FileInfo) -> tuple[str, str]:
    first, last, _ = file.name.split("_")
    return first, last


def _bytes(value: object) -> bytes:
    """Bytes from the form of `values.json`."""
    return base64.b64decode(value["base64"]) if isinstance(value, Mapping) else b""
