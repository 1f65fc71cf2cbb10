"""`Timeline`: the instants of a table, which of them count, and what they did. Rules TIME-6 to TIME-9, TIME-20 to TIME-25."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo
from functools import cached_property
from typing import Any

from hudi_core.engine import Storage
from hudi_core.options import TableConfig, TimeZone
from hudi_core.parallel.limits import STORAGE_REQUESTS
from hudi_core.parallel.ordered import in_order
from hudi_core.portable import Portable
from hudi_core.timeline.archived import ArchivedTimeline, Content
from hudi_core.timeline.commits import CommitMetadata, read_commit, read_extra, read_record
from hudi_core.timeline.instants import (
    CLUSTERING,
    COMPACTION,
    LOG_COMPACTION,
    REPLACE_COMMIT,
    SAVEPOINT,
    WRITES,
    Instant,
    InstantState,
    latest_states,
    parse_instant,
    time_order,
)
from hudi_core.timeline.times import query_time


@dataclass(frozen=True)
class Timeline(Portable):
    """Instants of the active timeline, each in its latest state, in Hudi's order. Content is read when asked for, once.

    Cuts take instants out of `completed`, `commits` and what follows from them: `until` those that were requested later,
    `completed_until` those that completed later, `passed_over` those requested at these times. `history` has the archived
    instants, `zone` is that of the times (None: the machine's own).
    """

    storage: Storage
    folder: str
    layout: int
    instants: tuple[Instant, ...]
    until: str | None = None
    completed_until: str | None = None
    passed_over: frozenset[str] = frozenset()
    history: ArchivedTimeline | None = None
    zone: tzinfo | None = None
    _read: dict[Instant, CommitMetadata] = field(default_factory=dict, repr=False, compare=False)
    _extras: dict[Instant, Mapping[str, str]] = field(default_factory=dict, repr=False, compare=False)

    def as_of(self, time: str | None) -> Timeline:
        """The timeline as a query of that time sees it: an instant's requested time, or a date. None is the latest.

        A time before the active timeline's start brings the archived instants in.
        """
        until = None if time is None else query_time(time, self.zone)
        whole = self.with_archived() if until is not None and self.starts_after(until) else self
        return replace(whole, until=until)

    def as_completed(self, time: str | None) -> Timeline:
        """The timeline with the writes that had completed by a time; in layout 1, that were requested by it."""
        until = None if time is None else query_time(time, self.zone)
        whole = self.with_archived() if until is not None and self.starts_after(until) else self
        return replace(whole, completed_until=until)

    def with_contents_of(self, earlier: Timeline) -> Timeline:
        """The timeline with what an earlier look at it has read: a completed instant's content never changes."""
        return replace(
            self,
            _read={each: known for each, known in earlier._read.items() if each.completed},
            _extras={each: known for each, known in earlier._extras.items() if each.completed},
        )

    def with_archived(self) -> Timeline:
        """The timeline with the instants of its history; itself where there are none."""
        return self._with(self.history.instants() if self.history is not None else ())

    def with_completed_after(self, time: str) -> Timeline:
        """The timeline with all instants that completed after a time, as far as anything tells of them: archived ones too, if
        they were long at work."""
        if self.starts_after(time):
            return self.with_archived()
        return self._with(self.history.completed_after(time) if self.history is not None else ())

    def _with(self, archived: Sequence[Instant]) -> Timeline:
        known = {(instant.requested_time, instant.completes_as) for instant in self.instants}
        found = [each for each in archived if (each.requested_time, each.completes_as) not in known]
        instants = tuple(sorted((*found, *self.instants), key=lambda instant: instant.order))
        return replace(self, instants=instants) if found else self

    def starts_after(self, time: str) -> bool:
        """The active timeline does not reach back to this instant time: only the history can tell of it."""
        return self.start is not None and time_order(time) < time_order(self.start)

    @cached_property
    def completed(self) -> tuple[Instant, ...]:
        """Completed instants of all actions."""
        return tuple(i for i in self.instants if i.completed and self._seen(i.requested_time, i.completion_time))

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
        return frozenset(time for time in scheduled if self._seen(time, None))

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
            and requested_time not in self._known_times
        )

    def committed(self, requested_time: str) -> bool:
        """Files of the write requested at this time count: it is completed, or so old that it is archived."""
        return requested_time in self._completion or (
            self.archived(requested_time) and self._archived_seen(requested_time)
        )

    def _seen(self, requested_time: str, completion_time: str | None) -> bool:
        if requested_time in self.passed_over:
            return False
        if self.until is not None and time_order(requested_time) > time_order(self.until):
            return False
        ended = completion_time or requested_time
        return self.completed_until is None or time_order(ended) <= time_order(self.completed_until)

    def _archived_seen(self, requested_time: str) -> bool:
        if not self._seen(requested_time, None) or self.completed_until is None:
            return self._seen(requested_time, None)
        return self._seen(requested_time, self.completion_time(requested_time))

    def completion_time(self, requested_time: str) -> str:
        """When the write requested at this time completed; the history is asked about archived ones. Its requested time where
        neither tells."""
        known = self._completion.get(requested_time)
        if known is None and self.layout > 1 and self.history is not None and self.archived(requested_time):
            known = self.history.completion_time(requested_time)
        return known or requested_time

    @cached_property
    def _completion(self) -> Mapping[str, str | None]:
        return {instant.requested_time: instant.completion_time for instant in self.commits}

    @cached_property
    def _known_times(self) -> frozenset[str]:
        """Requested times of writes, and of whatever is pending, also of those that are cut."""
        return frozenset(i.requested_time for i in self.instants if i.completes_as in WRITES or not i.completed)

    def metadata(self, instant: Instant) -> CommitMetadata:
        """What a commit, delta commit or replace commit did; for one at work, what it says it is about to do.

        Raises `CorruptFileError` and `StorageError`, which name the file.
        """
        known = self._read.get(instant)
        if known is None:
            known = self._read[instant] = read_commit(self._content(instant), self._where(instant))
        return known

    def extras(self) -> list[Mapping[str, str]]:
        """`metadata(instant).extra` of all commits, in order. Their files are read at the same time: each is a wait."""
        return list(in_order(self._extra, self.commits, STORAGE_REQUESTS))

    def _extra(self, instant: Instant) -> Mapping[str, str]:
        """`metadata(instant).extra`, which tells the schema of the rows written; faster where many files were."""
        known = self._extras.get(instant)
        if known is not None:
            return known
        if instant not in self._read:
            content = self._content(instant)
            found = read_extra(content, self._where(instant)) if isinstance(content, bytes) else None
            if found is not None:
                self._extras[instant] = found
                return found
        return self.metadata(instant).extra

    def operation(self, instant: Instant) -> str | None:
        """The operation behind an instant (`UPSERT`, `CLUSTER`, ...); None when nothing tells."""
        if instant.action in WRITES and instant.state is not InstantState.REQUESTED:
            return self.metadata(instant).operation
        if instant.completes_as == REPLACE_COMMIT and instant.state is InstantState.REQUESTED:
            said = self.record(instant).get("operationType")
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

    def record(self, instant: Instant) -> Mapping[str, Any]:
        """What an instant of another kind than a commit says, a plan or the account of a service; empty for nothing.

        Raises `CorruptFileError` and `StorageError`, which name the file.
        """
        content = self._content(instant)
        if isinstance(content, bytes):
            return read_record(content, self._where(instant)) if content else {}
        return content

    def plan(self, instant: Instant) -> Mapping[str, Any]:
        """What a pending instant was requested to do; empty when it does not say."""
        requested = f"{instant.requested_time}.{instant.action}.{InstantState.REQUESTED.name.lower()}"
        if not self.storage.exists(f"{self.folder}/{requested}"):
            return {}
        return self.record(replace(instant, file=requested, state=InstantState.REQUESTED))

    def _content(self, instant: Instant) -> Content:
        if instant.archived:
            assert self.history is not None
            return self.history.content(instant)
        return self.storage.read(f"{self.folder}/{instant.file}")

    def _where(self, instant: Instant) -> str:
        folder = "" if instant.archived else f"{self.folder}/"
        return f"{self.storage.uri}/{folder}{instant.file}"


def load_timeline(storage: Storage, config: TableConfig, history: ArchivedTimeline | None = None) -> Timeline:
    """The active timeline of a table: one listing, no file is read. Files that are not instants are passed over."""
    found = timeline_in(storage, config.timeline_folder, config.layout)
    return replace(found, history=history, zone=UTC if config.timezone is TimeZone.UTC else None)


def timeline_in(storage: Storage, folder: str, layout: int) -> Timeline:
    """The active timeline in a folder."""
    found = (parse_instant(info.name) for info in storage.list(folder))
    return Timeline(storage, folder, layout, latest_states(instant for instant in found if instant is not None))
