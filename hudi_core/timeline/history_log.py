"""History of layout 1: log files of one record for each state of each instant. Rules TIME-20 and TIME-23."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hudi_core.engine import Storage
from hudi_core.errors import CorruptFileError
from hudi_core.formats.avro.block import avro_records
from hudi_core.formats.avro.container import read_records
from hudi_core.formats.log import BlockKind, read_blocks
from hudi_core.timeline.instants import (
    CLEAN,
    COMMIT,
    DELTA_COMMIT,
    INDEXING,
    REPLACE_COMMIT,
    RESTORE,
    ROLLBACK,
    SAVEPOINT,
    Content,
    Instant,
    InstantState,
    in_order,
    name_completed_action,
)

_ARCHIVE = re.compile(r"\.commits_\.archive\.([0-9]{1,10})(?:_[0-9-]*)?", re.ASCII)
_STATE = ("commitTime", "actionType", "actionState")
_CONTENTS = {
    COMMIT: "hoodieCommitMetadata",
    DELTA_COMMIT: "hoodieCommitMetadata",
    REPLACE_COMMIT: "hoodieReplaceCommitMetadata",
    CLEAN: "hoodieCleanMetadata",
    ROLLBACK: "hoodieRollbackMetadata",
    SAVEPOINT: "hoodieSavePointMetadata",
    INDEXING: "hoodieIndexCommitMetadata",
    RESTORE: "hoodieRestoreMetadata",
}


def archive_number(name: str) -> int | None:
    """The number of a log file of archived instants, by its name; None for another file."""
    match = _ARCHIVE.fullmatch(name)
    return int(match[1]) if match else None


@dataclass(frozen=True)
class LogHistory:
    """History of layout 1: numbered log files, oldest first, whose names have no times."""

    storage: Storage
    folder: str
    _contents: dict[str, Mapping[tuple[str, str], Content]] = field(default_factory=dict, repr=False, compare=False)

    def instants(self) -> Sequence[Instant]:
        return self._instants

    def list_completed_after(self, time: str) -> Sequence[Instant]:
        """None: this layout records no completion times."""
        return ()

    def completion_time(self, requested_time: str) -> str | None:
        """None: this layout records no completion times."""
        return None

    def content(self, instant: Instant) -> Content:
        contents = self._contents.get(instant.file)
        if contents is None:
            contents = dict(self._read(instant.file))
            self._contents.clear()
            self._contents[instant.file] = contents
        return contents.get((instant.requested_time, instant.completes_as), b"")

    def find(self, active: Instant) -> Instant | None:
        """The completed instant as the history has it."""
        return self._places.get((active.requested_time, active.completes_as))

    def newest_first(self) -> Iterator[Sequence[Instant]]:
        """The instants of each file, the file that was written last first."""
        for path in reversed(self._paths):
            yield list(self._complete(path))

    @cached_property
    def _instants(self) -> Sequence[Instant]:
        instants = [instant for path in self._paths for instant in self._complete(path)]
        return in_order(instants)

    @cached_property
    def _places(self) -> Mapping[tuple[str, str], Instant]:
        return {(instant.requested_time, instant.completes_as): instant for instant in self._instants}

    def _complete(self, path: str) -> Iterator[Instant]:
        for record in self._records(path, _STATE):
            if _is_completed(record):
                yield Instant(record["commitTime"], record["actionType"], InstantState.COMPLETED, None, path, True)

    @property
    def _paths(self) -> list[str]:
        numbered = ((archive_number(info.name), info.path) for info in self.storage.list(self.folder))
        return [path for _, path in sorted((number, path) for number, path in numbered if number is not None)]

    def _read(self, path: str) -> Iterator[tuple[tuple[str, str], Content]]:
        for record in self._records(path, None):
            if _is_completed(record):
                action = name_completed_action(record["actionType"])
                yield (record["commitTime"], action), record.get(_CONTENTS.get(action, "")) or b""

    def _records(self, path: str, names: Sequence[str] | None) -> Iterator[Mapping[str, Any]]:
        source = self.storage.open(path)
        for block in read_blocks(source):
            if block.kind is BlockKind.CORRUPT:
                raise CorruptFileError(block.where, expected="whole log blocks", found="a damaged block")
            if block.kind is BlockKind.AVRO_DATA:
                records = avro_records(block)
                yield from read_records(
                    records.schema_text,
                    records.data,
                    records.starts.tolist(),
                    records.lengths.tolist(),
                    block.where,
                    names,
                )


def _is_completed(record: Mapping[str, Any]) -> bool:
    """Whether the record is of a completed instant: writers before 0.9 archived no others and did not record the state."""
    return record.get("actionState") in (InstantState.COMPLETED.name, None) and bool(record.get("commitTime"))
