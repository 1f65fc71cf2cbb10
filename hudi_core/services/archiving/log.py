"""Writing the history of layout 1: log files of entries, one for each state of each instant. Rules ARCHIVE-396, ARCHIVE-397."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hudi_core.commit.steps import Create, run
from hudi_core.commit.times import time_of
from hudi_core.engine import Storage
from hudi_core.formats.avro.block import record_content
from hudi_core.formats.avro.container import write_records
from hudi_core.formats.log import BlockKind, HeaderKey
from hudi_core.formats.log_write import encode_block
from hudi_core.parallel.ordered import in_order, request_threads
from hudi_core.services.archiving.actions import Action
from hudi_core.services.archiving.entries import ENTRY, entry
from hudi_core.timeline.history_log import archive_number
from hudi_core.timeline.instants import Instant
from hudi_core.timeline.timeline import Timeline

_SCHEMA: Final = json.dumps(ENTRY, separators=(",", ":"))
_HEADER: Final = {HeaderKey.SCHEMA: _SCHEMA}
_TOGETHER: Final = 256
"""Actions of one file: their contents are in memory together."""
_TOKEN: Final = "1-0-1"


@dataclass(frozen=True)
class LogWriter:
    """Adds to the history in a folder. The lock of its table is held. Entries that a run left that died are in the history twice:
    readers take them once."""

    storage: Storage
    folder: str
    block_entries: int

    def add(self, timeline: Timeline, actions: Sequence[Action], progress: Callable[[int], None]) -> None:
        """Writes all states of the actions to new log files."""
        numbers = (archive_number(info.name) for info in self.storage.list(self.folder))
        number = max((one for one in numbers if one is not None), default=0)
        for start in range(0, len(actions), _TOGETHER):
            part = actions[start : start + _TOGETHER]
            number += 1
            path = f"{self.folder}/.commits_.archive.{number}_{_TOKEN}"
            run(self.storage, [Create(path, b"".join(self._blocks(timeline, part)))])
            progress(start + len(part))

    def _blocks(self, timeline: Timeline, actions: Sequence[Action]) -> Iterator[bytes]:
        states = [instant for action in actions for instant in action.states]
        entries = list(in_order(lambda instant: _entry(timeline, instant), states, request_threads(self.storage)))
        for start in range(0, len(entries), self.block_entries):
            records = write_records(
                _SCHEMA, entries[start : start + self.block_entries], f"{self.storage.uri}/{self.folder}"
            )
            yield encode_block(BlockKind.AVRO_DATA, _HEADER, record_content(records))


def _entry(timeline: Timeline, instant: Instant) -> Any:
    path = f"{timeline.folder}/{instant.file}"
    written = timeline.storage.read_modified(path)
    changed_at = instant.requested_time if written is None else time_of(written, timeline.zone)
    return entry(instant, timeline.storage.read(path), changed_at, f"{timeline.storage.uri}/{path}")
