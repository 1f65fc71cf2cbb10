"""Batches of streams, each committed once: the number of a batch is in its commit's metadata. Rules WRITE-430, WRITE-431,
WRITE-1435, WRITE-1501.

The entry is that of Apache Hudi's streaming sink, so that a stream goes on from one writer to the other.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from hudi_core.errors import CorruptFileError, UsageError, describe
from hudi_core.json_texts import parse_json
from hudi_core.table.table import Table

T = TypeVar("T")

_CHECKPOINTS: Final = "_hudi_streaming_sink_checkpoint"
"""The key in `extraMetadata` of an object of batch numbers by stream."""
_QUERIES: Final = "hudi_core.streaming_sink_queries"
"""The key in `extraMetadata` of an object of the queries that these batches are of, by stream."""
DEFAULT_STREAM: Final = "default_single_writer"
"""The name that Apache Hudi gives a stream which has none: `hoodie.datasource.write.streaming.checkpoint.identifier`."""


@dataclass(frozen=True, slots=True)
class StreamBatch:
    """A batch of a stream. Numbers grow; a batch that comes again has the number it had. `stream` names the stream among those
    that write to the table."""

    number: int
    stream: str = DEFAULT_STREAM
    query: str | None = None
    """What counts the batches, by an id that it keeps when it starts again; None where that is not known."""

    def __post_init__(self) -> None:
        if not isinstance(self.number, int) or isinstance(self.number, bool) or self.number < 0:
            raise UsageError("batch", expected="a number of 0 or more", found=describe(self.number))
        if not self.stream:
            raise UsageError("stream", expected="a name", found="an empty one")

    def is_committed(self, table: Table) -> bool:
        """Whether the table has a commit of the batch, or of a later one of its stream. Raises `UsageError` where another query
        has committed that: its batches have other rows."""
        last = _read_last(table).get(self.stream)
        if last is None or last.number < self.number:
            return False
        if self.query is not None and last.query not in (None, self.query):
            where = f"{table.storage.uri}: stream {self.stream}"
            found = f"batch {self.number} of query {self.query}, where query {last.query} has written up to batch {last.number}"
            hint = "give a stream that counts from 0 again, with a checkpoint folder of its own, a name of its own"
            raise UsageError(where, expected="batches of one query", found=found, hint=hint)
        return True

    def entry(self, table: Table) -> dict[str, str]:
        """What the batch's commit records, with the last batches of all other streams."""
        last = {**_read_last(table), self.stream: _Last(self.number, self.query)}
        entry = {_CHECKPOINTS: json.dumps({stream: str(batch.number) for stream, batch in last.items()})}
        queries = {stream: batch.query for stream, batch in last.items() if batch.query is not None}
        return {**entry, _QUERIES: json.dumps(queries)} if queries else entry


@dataclass(frozen=True, slots=True)
class _Last:
    """The last batch of a stream that was committed."""

    number: int
    query: str | None


def read_committed_batches(table: Table) -> dict[str, int]:
    """The last batch that was committed of each stream: by the active timeline, and where it has none by the history. Raises
    `CorruptFileError` for an entry that cannot be read: a batch might be written twice."""
    return {stream: last.number for stream, last in _read_last(table).items()}


def _read_last(table: Table) -> dict[str, _Last]:
    last: dict[str, _Last] = {}
    for extra in reversed(table.timeline.extras()):
        for stream, batch in _entry(table, extra).items():
            if stream not in last or batch.number > last[stream].number:
                last[stream] = batch
    return last or _read_archived(table)


def _read_archived(table: Table) -> dict[str, _Last]:
    """As `_read_last`, by the newest archived commit of a batch, which has the last ones of all streams."""
    timeline = table.timeline.with_archived()
    archived = (instant for instant in reversed(timeline.commits) if instant.archived)
    return next((entry for instant in archived if (entry := _entry(table, timeline.extra(instant)))), {})


def _entry(table: Table, extra: Mapping[str, str]) -> dict[str, _Last]:
    numbers = _read_object(table, extra, _CHECKPOINTS, int, "an object of batch numbers")
    queries = _read_object(table, extra, _QUERIES, str, "an object of queries")
    return {stream: _Last(number, queries.get(stream)) for stream, number in numbers.items()}


def _read_object(
    table: Table, extra: Mapping[str, str], key: str, kind: Callable[[Any], T], expected: str
) -> dict[str, T]:
    text = extra.get(key)
    if not text:
        return {}
    try:
        return {str(stream): kind(value) for stream, value in parse_json(text).items()}
    except (ValueError, AttributeError, TypeError):
        where = f"{table.storage.uri}: {key} of a commit"
        raise CorruptFileError(where, expected=expected, found=repr(text[:80])) from None
