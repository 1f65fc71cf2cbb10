"""Writing the history of layout 2: Parquet files by ranges of times, merged level by level, and the manifests that name them.
Rules ARCHIVE-391 to ARCHIVE-395."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hudi_core.columns.nodes import BinaryColumn, PrimitiveColumn, StructColumn
from hudi_core.columns.strings import string_column
from hudi_core.commit.steps import DeleteMany, Replace, run, sync_changes
from hudi_core.engine import Engine, FileInfo, Storage
from hudi_core.parallel.ordered import in_order, request_threads
from hudi_core.schema.schema import Schema
from hudi_core.services.archiving.actions import Action
from hudi_core.timeline.history_lsm import (
    MANIFEST,
    VERSION_FILE,
    LsmSnapshot,
    is_history_file,
    lsm_snapshot,
    manifest_number,
    time_range,
)
from hudi_core.timeline.instants import CLEAN, CLUSTERING, COMPACTION, LOG_COMPACTION, REPLACE_COMMIT, Instant
from hudi_core.timeline.timeline import Timeline
from hudi_core.types.nodes import Binary, Field, Int, Record, String

_TOGETHER: Final = 256
"""Actions whose contents are in memory together."""
_VERSION: Final = 1
_AVRO: Final = {
    "type": "record",
    "name": "HoodieLSMTimelineInstant",
    "namespace": "org.apache.hudi.avro.model",
    "fields": [
        *(
            {"name": name, "type": ["null", {"type": "string", "avro.java.string": "String"}], "default": None}
            for name in ("instantTime", "completionTime", "action")
        ),
        *({"name": name, "type": ["null", "bytes"], "default": None} for name in ("metadata", "plan")),
        {"name": "version", "type": "int", "default": _VERSION},
    ],
}
_SCHEMA: Final = Schema(
    Record(
        (
            Field(0, "instantTime", String()),
            Field(1, "completionTime", String()),
            Field(2, "action", String()),
            Field(3, "metadata", Binary()),
            Field(4, "plan", Binary()),
            Field(5, "version", Int(), optional=False),
        )
    )
)
_FOOTER: Final = {
    "parquet.avro.schema": json.dumps(_AVRO, separators=(",", ":")),
    "writer.model.name": "avro",
}
_REQUESTED_PLAN: Final = (CLEAN, COMPACTION, LOG_COMPACTION)
_REPLACING: Final = (REPLACE_COMMIT, CLUSTERING)


@dataclass(frozen=True)
class LsmWriter:
    """Adds to the history in a folder. The lock of its table is held; what a run that died left is written over."""

    engine: Engine[Any, Any, Any]
    storage: Storage
    folder: str

    def add(self, timeline: Timeline, actions: Sequence[Action], progress: Callable[[int], None]) -> None:
        """Writes actions of a timeline to a file of their own, and names it in a new manifest."""
        snapshot = lsm_snapshot(self.storage, self.folder)
        name = f"{actions[0].time}_{actions[-1].time}_0.parquet"
        if any(file.name == name for file in snapshot.files):
            return
        self._write(name, self._rows(timeline, actions, progress))
        self._publish(snapshot, (), name)

    def merge(self, files_together: int, largest: int) -> int:
        """Merges the oldest files of each level that has so many; gives the number of merges."""
        merges, level = 0, 0
        while True:
            snapshot = lsm_snapshot(self.storage, self.folder)
            merged = _to_merge([file for file in snapshot.files if _level(file) == level], files_together, largest)
            if not merged:
                return merges
            ranges = [time_range(file) for file in merged]
            name = f"{min(first for first, _ in ranges)}_{max(last for _, last in ranges)}_{level + 1}.parquet"
            self._write(name, self._store(merged))
            self._publish(snapshot, merged, name)
            merges, level = merges + 1, level + 1

    def remove_obsolete(self, manifests: int) -> None:
        """Deletes old manifests, and then the files that no manifest names which stays."""
        numbers = {
            number: info.path
            for info in self.storage.list(self.folder)
            if (number := manifest_number(info.name)) is not None
        }
        kept = sorted(numbers, reverse=True)[:manifests]
        if len(numbers) <= len(kept):
            return
        named = {file.name for number in kept for file in lsm_snapshot(self.storage, self.folder, number).files}
        obsolete = [numbers[number] for number in sorted(set(numbers).difference(kept))]
        obsolete += [
            info.path
            for info in self.storage.list(self.folder)
            if is_history_file(info.name) and info.name not in named
        ]
        run(self.storage, [DeleteMany(tuple(obsolete), in_order=True)], durable=False)

    def _write(self, name: str, batches: Iterator[Any]) -> None:
        path = f"{self.folder}/{name}"
        # A file that no manifest names is what a run left that died.
        self.storage.delete(path)
        self.engine.writer("parquet").write(self.storage, path, _SCHEMA, batches, lambda: _FOOTER)

    def _publish(self, before: LsmSnapshot, removed: Sequence[FileInfo], added: str) -> None:
        """A new manifest, and then its number: until that is written the history is the one before. What it names is durable by
        then: a manifest of a file that power was lost before would make the history unreadable."""
        sync_changes(self.storage)
        gone = {file.name for file in removed}
        sizes = {info.name: info.size for info in self.storage.list(self.folder)}
        names = sorted({*(file.name for file in before.files), added}.difference(gone))
        number = before.number + 1
        manifest = Replace(f"{self.folder}/{MANIFEST}{number}", _manifest({name: sizes[name] for name in names}))
        run(self.storage, [manifest, Replace(f"{self.folder}/{VERSION_FILE}", str(number).encode())], durable=False)

    def _rows(self, timeline: Timeline, actions: Sequence[Action], progress: Callable[[int], None]) -> Iterator[Any]:
        threads = request_threads(self.storage)
        for start in range(0, len(actions), _TOGETHER):
            part = actions[start : start + _TOGETHER]
            contents = list(in_order(lambda action: _contents(timeline, action), part, threads))
            columns = StructColumn(
                len(part),
                {
                    "instantTime": string_column([action.time for action in part]),
                    "completionTime": string_column([action.completed.completion_time or "" for action in part]),
                    "action": string_column([action.completed.action for action in part]),
                    "metadata": _binary([metadata for metadata, _ in contents]),
                    "plan": _binary([plan for _, plan in contents]),
                    "version": PrimitiveColumn(np.full(len(part), _VERSION, np.int32)),
                },
            )
            yield from self.engine.rows.from_columns(columns, _SCHEMA, self.folder)
            progress(start + len(part))

    def _store(self, files: Sequence[FileInfo]) -> Iterator[Any]:
        reader = self.engine.reader("parquet")
        names = [field.name for field in _SCHEMA.fields]
        for file in files:
            yield from reader.open(self.storage, file).batches(names)


def _contents(timeline: Timeline, action: Action) -> tuple[bytes | None, bytes | None]:
    """The content of a completed action, and its plan where it has one."""
    metadata = _read(timeline, action.completed)
    plan: bytes | None = None
    pending = action.requested or action.inflight
    if pending is not None and pending.action in _REQUESTED_PLAN:
        plan = _read(timeline, action.requested)
    elif pending is not None and pending.action in _REPLACING:
        # An overwrite has its workload in the inflight file, a clustering its plan in the requested one.
        plan = _read(timeline, action.inflight) or _read(timeline, action.requested)
    return metadata, plan


def _read(timeline: Timeline, instant: Instant | None) -> bytes | None:
    content = b"" if instant is None else timeline.storage.read(f"{timeline.folder}/{instant.file}")
    return content or None


def _binary(values: Sequence[bytes | None]) -> BinaryColumn:
    offsets = np.cumsum([0, *(len(value or b"") for value in values)], dtype=np.int64)
    data = np.frombuffer(b"".join(value or b"" for value in values), np.uint8)
    return BinaryColumn(offsets, data, np.array([value is not None for value in values], np.bool_))


def _level(file: FileInfo) -> int:
    return int(file.name.removesuffix(".parquet").rpartition("_")[2])


def _to_merge(files: Sequence[FileInfo], together: int, largest: int) -> list[FileInfo]:
    """The oldest files of a level to merge, up to a size in bytes; none where there are too few. A file that is large by itself
    stays."""
    if len(files) < together:
        return []
    chosen: list[FileInfo] = []
    size = 0
    for file in files:
        chosen.append(file)
        size += file.size
        if len(chosen) >= together:
            break
        if size > largest:
            if len(chosen) > 1:
                break
            chosen, size = [], 0
    return chosen if len(chosen) > 1 else []


def _manifest(sizes: Mapping[str, int]) -> bytes:
    """A manifest in the form of Apache Hudi's."""
    entries = ", ".join(f'{{\n    "fileName" : "{name}",\n    "fileLen" : {size}\n  }}' for name, size in sizes.items())
    return f'{{\n  "files" : [ {entries} ]\n}}'.encode()
