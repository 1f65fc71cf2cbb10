"""`Timeline`: the active instants of a table, which of them count, and what they did. Rules TIME-6 to TIME-9."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from hudi_core.engine import Storage
from hudi_core.options import TableConfig
from hudi_core.timeline.commits import CommitMetadata, read_commit, read_record
from hudi_core.timeline.instants import (
    CLUSTERING,
    COMPACTION,
    LOG_COMPACTION,
    REPLACE_COMMIT,
    SAVEPOINT,
    WRITES,
    Instant,
    State,
    latest_states,
    parse_instant,
    time_order,
)
from hudi_core.timeline.times import query_time


@dataclass(frozen=True)
class Timeline:
    """Instants of the active timeline, each in its latest state, in Hudi's order. Content is read when asked for, once.

    `until` cuts it: instants that were requested later are not in `completed`, `commits` and what follows from them.
    """

    storage: Storage
    folder: str
    layout: int
    instants: tuple[Instant, ...]
    until: str | None = None
    _read: dict[str, CommitMetadata] = field(default_factory=dict, repr=False, compare=False)

    def as_of(self, time: str | None) -> Timeline:
        """The timeline as a query of that time sees it: an instant's requested time, or a date. None is the latest."""
        return replace(self, until=None if time is None else query_time(time))

    @cached_property
    def completed(self) -> tuple[Instant, ...]:
        """Completed instants of all actions."""
        return tuple(i for i in self.instants if i.completed and self._seen(i.requested_time))

    @cached_property
    def commits(self) -> tuple[Instant, ...]:
        """Completed commits, delta commits and replace commits: those that made data files visible."""
        return tuple(instant for instant in self.completed if instant.action in WRITES)

    @cached_property
    def pending(self) -> tuple[Instant, ...]:
        """Instants that are not completed, whether at work or failed."""
        return tuple(instant for instant in self.instants if not instant.completed)

    @cached_property
    def pending_compactions(self) -> frozenset[str]:
        """Requested times of compactions that are scheduled: each opened slices that have no base file yet."""
        scheduled = (instant.requested_time for instant in self.pending if instant.action == COMPACTION)
        return frozenset(time for time in scheduled if self._seen(time))

    @cached_property
    def start(self) -> str | None:
        """The requested time from which on the active timeline is whole; what was written before is archived.

        Savepointed commits do not count: they stay when later ones are archived. None: there was no write.
        """
        kept = {instant.requested_time for instant in self.instants if instant.action == SAVEPOINT}
        writes = WRITES | {COMPACTION, LOG_COMPACTION, CLUSTERING}
        times = (i.requested_time for i in self.instants if i.action in writes and i.requested_time not in kept)
        return next(times, None)

    def archived(self, requested_time: str) -> bool:
        """The time lies before the active timeline's start: only the history can tell of it."""
        return (
            self.start is not None
            and time_order(requested_time) < time_order(self.start)
            and requested_time not in self._completion
            and requested_time not in self._pending_times
        )

    def committed(self, requested_time: str) -> bool:
        """Files of the write requested at this time count: it is completed, or so old that it is archived."""
        return requested_time in self._completion or (self._seen(requested_time) and self.archived(requested_time))

    def _seen(self, requested_time: str) -> bool:
        return self.until is None or time_order(requested_time) <= time_order(self.until)

    def completion_time(self, requested_time: str) -> str:
        """When the write requested at this time completed; its requested time where the active timeline does not tell."""
        return self._completion.get(requested_time) or requested_time

    @cached_property
    def _completion(self) -> Mapping[str, str | None]:
        return {instant.requested_time: instant.completion_time for instant in self.commits}

    @cached_property
    def _pending_times(self) -> frozenset[str]:
        return frozenset(instant.requested_time for instant in self.pending)

    def metadata(self, instant: Instant) -> CommitMetadata:
        """What a commit, delta commit or replace commit did; for one at work, what it says it is about to do.

        Raises `CorruptFileError` and `StorageError`, which name the file.
        """
        known = self._read.get(instant.file)
        if known is None:
            known = self._read[instant.file] = read_commit(self._content(instant), self._where(instant))
        return known

    def operation(self, instant: Instant) -> str | None:
        """The operation behind an instant (`UPSERT`, `CLUSTER`, ...); None when nothing tells."""
        if instant.action in WRITES and instant.state is not State.REQUESTED:
            return self.metadata(instant).operation
        if instant.completes_as == REPLACE_COMMIT and instant.state is State.REQUESTED:
            content = self._content(instant)
            said = read_record(content, self._where(instant)).get("operationType") if content else None
            return said if isinstance(said, str) else None
        return None

    @cached_property
    def replaced(self) -> Mapping[tuple[str, str], str]:
        """File groups (partition, file id) that a completed replace commit took away, with its requested time."""
        found: dict[tuple[str, str], str] = {}
        for instant in self.commits:
            if instant.action == REPLACE_COMMIT:
                for partition, file_ids in self.metadata(instant).replaced.items():
                    found |= {(partition, file_id): instant.requested_time for file_id in file_ids}
        return found

    def newest_first(self) -> Iterator[tuple[Instant, CommitMetadata]]:
        """Completed commits with their metadata, latest first, read one by one as the caller goes on."""
        for instant in reversed(self.commits):
            yield instant, self.metadata(instant)

    def _content(self, instant: Instant) -> bytes:
        return self.storage.read(f"{self.folder}/{instant.file}")

    def _where(self, instant: Instant) -> str:
        return f"{self.storage.uri}/{self.folder}/{instant.file}"


def load_timeline(storage: Storage, config: TableConfig) -> Timeline:
    """The active timeline of a table: one listing, no file is read. Files that are not instants are passed over."""
    return timeline_in(storage, config.timeline_folder, config.layout)


def timeline_in(storage: Storage, folder: str, layout: int) -> Timeline:
    """The active timeline in a folder."""
    found = (parse_instant(info.name) for info in storage.list(folder))
    return Timeline(storage, folder, layout, latest_states(instant for instant in found if instant is not None))
