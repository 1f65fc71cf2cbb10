"""Batches of streams, each committed once: the number of a batch is in its commit's metadata. Rules WRITE-430, WRITE-431,
WRITE-1435.

The entry is that of Apache Hudi's streaming sink, so that a stream goes on from one writer to the other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hudi_core.errors import CorruptFileError, UsageError, describe
from hudi_core.json_texts import parse_json
from hudi_core.table.table import Table

_CHECKPOINTS: Final = "_hudi_streaming_sink_checkpoint"
"""The key in `extraMetadata` of an object of batch numbers by stream."""
DEFAULT_STREAM: Final = "default_single_writer"
"""The name that Apache Hudi gives a stream which has none: `hoodie.datasource.write.streaming.checkpoint.identifier`."""


@dataclass(frozen=True, slots=True)
class StreamBatch:
    """A batch of a stream. Numbers grow; a batch that comes again has the number it had. `stream` names the stream among those
    that write to the table."""

    number: int
    stream: str = DEFAULT_STREAM

    def __post_init__(self) -> None:
        if not isinstance(self.number, int) or isinstance(self.number, bool) or self.number < 0:
            raise UsageError("batch", expected="a number of 0 or more", found=describe(self.number))
        if not self.stream:
            raise UsageError("stream", expected="a name", found="an empty one")

    def is_committed(self, table: Table) -> bool:
        """Whether the table has a commit of the batch, or of a later one of its stream."""
        return read_committed_batches(table).get(self.stream, -1) >= self.number

    def entry(self, table: Table) -> dict[str, str]:
        """What the batch's commit records, with the last batches of all other streams."""
        numbers = {**read_committed_batches(table), self.stream: self.number}
        return {_CHECKPOINTS: json.dumps({stream: str(number) for stream, number in numbers.items()})}


def read_committed_batches(table: Table) -> dict[str, int]:
    """The last batch that was committed of each stream: by the active timeline, and where it has none by the history. Raises
    `CorruptFileError` for an entry that cannot be read: a batch might be written twice."""
    last: dict[str, int] = {}
    for extra in reversed(table.timeline.extras()):
        for stream, number in _entry(table, extra).items():
            last[stream] = max(number, last.get(stream, number))
    return last or _read_archived_batches(table)


def _read_archived_batches(table: Table) -> dict[str, int]:
    """As `read_committed_batches`, by the newest archived commit of a batch, which has the last ones of all streams."""
    timeline = table.timeline.with_archived()
    archived = (instant for instant in reversed(timeline.commits) if instant.archived)
    return next((entry for instant in archived if (entry := _entry(table, timeline.extra(instant)))), {})


def _entry(table: Table, extra: Mapping[str, str]) -> dict[str, int]:
    text = extra.get(_CHECKPOINTS)
    if not text:
        return {}
    try:
        return {str(stream): int(number) for stream, number in parse_json(text).items()}
    except (ValueError, AttributeError, TypeError):
        where = f"{table.storage.uri}: {_CHECKPOINTS} of a commit"
        raise CorruptFileError(where, expected="an object of batch numbers", found=repr(text[:80])) from None
