"""`Timeline`: the instants of a table, which of them count, and what they did. Rules TIME-6 to TIME-9, TIME-20 to TIME-25."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo
from functools import cached_property
from typing import Any, Final

from hudi_core.engine import FileInfo, Storage
from hudi_core.errors import CorruptFileError, NoSuchFileError
from hudi_core.notebook import html_table
from hudi_core.options import TableConfig, TimeZone
from hudi_core.parallel.ordered import in_order, request_threads
from hudi_core.portable import Portable
from hudi_core.tally import READING_COMMITS, Tally
from hudi_core.timeline.commits import CommitMetadata, read_commit, read_extra, read_record
from hudi_core.timeline.files import read_if_there, read_schema_file
from hudi_core.timeline.instants import (
    CLUSTERING,
    COMPACTION,
    DELTA_COMMIT,
    LOG_COMPACTION,
    REPLACE_COMMIT,
    SAVEPOINT,
    WRITES,
    ArchivedTimeline,
    Content,
    Instant,
    InstantState,
    latest_states,
    parse_instant,
    time_order,
)
from hudi_core.timeline.times import begins_instant, query_time, refuse_digits

_FIRSTS: Final = "0" * 14
"""How times of first commits of a metadata table's partitions begin, from version 8 on."""
_SHOWN: Final = 20
"""Instants that a notebook shows: the latest."""


@dataclass(frozen=True, slots=True)
class InstantContents:
    """What was read of instants. The content of a completed instant never changes, so a table's timelines share it, and a
    writer that goes on from one table reads each commit once; that of others, `pending`, is of one timeline."""

    commits: dict[Instant, CommitMetadata] = field(default_factory=dict)
    extras: dict[Instant, Mapping[str, str]] = field(default_factory=dict)
    pending: dict[Instant, CommitMetadata] = field(default_factory=dict)

    def has(self, instant: Instant) -> bool:
        return instant in self.extras or instant in self.metadata_like(instant)

    def metadata_like(self, instant: Instant) -> dict[Instant, CommitMetadata]:
        """The metadata of instants in this one's state."""
        return self.commits if instant.completed else self.pending

    def share(self, instants: Iterable[Instant]) -> InstantContents:
        """The contents of completed instants for another timeline. Of the others only these stay: nobody asks for what was
        archived meanwhile."""
        kept = frozenset(instants)
        for contents in (self.commits, self.extras):
            for instant in list(contents):
                if instant not in kept:
                    contents.pop(instant, None)
        return InstantContents(self.commits, self.extras)


@dataclass(frozen=True)
class Timeline(Portable):
    """Instants of the active timeline, each in its latest state, in Hudi's order. Content is read on first use.

    Cuts remove instants from `completed`, `commits` and what follows from them: `until` those requested later,
    `completed_until` those completed later, `excluded_times` those requested at these times. `history` has the archived
    instants, `zone` is that of the times (None: the machine's own).
    """

    storage: Storage
    folder: str
    layout: int
    instants: tuple[Instant, ...]
    until: str | None = None
    completed_until: str | None = None
    excluded_times: frozenset[str] = frozenset()
    history: ArchivedTimeline | None = None
    zone: tzinfo | None = None
    files: tuple[Instant, ...] = field(default=(), repr=False)
    """The files of the listing, each as an instant in its own state: an instant may have one of every state, and more than one
    of its completion."""
    _contents: InstantContents = field(default_factory=InstantContents, repr=False, compare=False)

    def __repr__(self) -> str:
        """One line; no content is read for it."""
        latest = f", latest commit {self.commits[-1].requested_time}" if self.commits else ""
        return f"Timeline of {len(self.instants):,} instants: {len(self.commits):,} commits{latest}"

    def _repr_html_(self) -> str:
        """A notebook's table of the latest instants."""
        latest = self.instants[-_SHOWN:]
        rows = ((one.requested_time, one.completion_time or "", one.action, one.state.name.lower()) for one in latest)
        return html_table(rows, ("requested", "completed", "action", "state"), title=repr(self))

    def query_time(self, text: str, name: str = "time") -> str:
        """A time as people write it in the form in which the timeline has it, as `times.query_time`.

        Raises `UsageError` about the argument of this name also for digits that begin no instant, unless instants of the timeline
        have as many: the version of a table of another format, `3`, would sort after all instants (TIME-1459).
        """
        time = query_time(text, self.zone, name)
        if not begins_instant(time) and all(len(instant.requested_time) != len(time) for instant in self.instants):
            refuse_digits(time, name)
        return time

    def as_of(self, time: str | None) -> Timeline:
        """The timeline as a query of that time sees it: an instant's requested time, or a date. None is the latest.

        For a time before the active timeline's start, archived instants are included.
        """
        until = None if time is None else self.query_time(time, "as_of")
        if until == self.until:
            return self
        timeline = self.with_archived() if until is not None and self.starts_after(until) else self
        return replace(timeline, until=until)

    def as_completed(self, time: str | None) -> Timeline:
        """The timeline with the writes that had completed by a time; in layout 1, that were requested by it."""
        until = None if time is None else self.query_time(time)
        timeline = self.with_archived() if until is not None and self.starts_after(until) else self
        return replace(timeline, completed_until=until)

    def with_contents_of(self, earlier: Timeline) -> Timeline:
        """The timeline with the contents that an earlier one of the same table has read. What either reads from here on, both
        have."""
        return replace(self, _contents=earlier._contents.share((*earlier.instants, *self.instants)))

    def list_again(self) -> Timeline:
        """The timeline as its folder is now, without cuts and history; itself where nothing has changed. Lists the folder."""
        now = timeline_in(self.storage, self.folder, self.layout)
        return self if now.files == self.files else replace(now, zone=self.zone).with_contents_of(self)

    def with_write(self, requested_time: str) -> Timeline:
        """The timeline as if a write requested at this time, which is pending or not there yet, had completed, at that time."""
        done = Instant(requested_time, DELTA_COMMIT, InstantState.COMPLETED, requested_time, "")
        others = (instant for instant in self.instants if instant.requested_time != requested_time)
        return replace(self, instants=tuple(sorted((*others, done), key=lambda instant: instant.order)))

    def with_archived(self) -> Timeline:
        """The timeline with the instants of its history; itself where there are none."""
        return self._with(self.history.instants() if self.history is not None else ())

    def with_completed_after(self, time: str) -> Timeline:
        """The timeline with all known instants that completed after a time, also archived ones that were inflight for
        long."""
        if self.starts_after(time):
            return self.with_archived()
        return self._with(self.history.list_completed_after(time) if self.history is not None else ())

    def _with(self, archived: Sequence[Instant]) -> Timeline:
        keys = {(instant.requested_time, instant.completes_as) for instant in self.instants}
        added = [instant for instant in archived if (instant.requested_time, instant.completes_as) not in keys]
        instants = tuple(sorted((*added, *self.instants), key=lambda instant: instant.order))
        return replace(self, instants=instants) if added else self

    def starts_after(self, time: str) -> bool:
        """Whether the active timeline starts after this instant time: only the history reaches back to it."""
        return self.start is not None and time_order(time) < time_order(self.start)

    @property
    def is_cut(self) -> bool:
        """Whether instants may be left out: the timeline is that of an earlier time, or without some writes."""
        return self.until is not None or self.completed_until is not None or bool(self.excluded_times)

    @cached_property
    def completed(self) -> tuple[Instant, ...]:
        """Completed instants of all actions."""
        return tuple(i for i in self.instants if i.completed and self._is_visible(i.requested_time, i.completion_time))

    @cached_property
    def commits(self) -> tuple[Instant, ...]:
        """Completed commits, delta commits and replace commits: those that made data files visible."""
        return tuple(instant for instant in self.completed if instant.action in WRITES)

    @cached_property
    def pending(self) -> tuple[Instant, ...]:
        """Instants that are not completed, whether inflight or failed."""
        return tuple(instant for instant in self.instants if not instant.completed)

    @cached_property
    def pending_times(self) -> frozenset[str]:
        """Requested times of pending instants that write. A savepoint has that of the write that it saves, which is complete."""
        return frozenset(instant.requested_time for instant in self.pending if instant.action != SAVEPOINT)

    @cached_property
    def pending_compactions(self) -> frozenset[str]:
        """Requested times of compactions that are scheduled: each opened slices that have no base file yet."""
        scheduled = (instant.requested_time for instant in self.pending if instant.action == COMPACTION)
        return frozenset(time for time in scheduled if self._is_visible(time, None))

    @cached_property
    def start(self) -> str | None:
        """The requested time from which on the active timeline is whole; what was written before is archived.

        Savepointed commits do not count: they stay when later ones are archived. Where there are no others, as after a restore,
        the last of them is the start. None: there was no write. Rules TIME-7, TIME-586, TIME-1476.
        """
        savepoints = {instant.requested_time for instant in self.instants if instant.action == SAVEPOINT}
        writes = WRITES | {COMPACTION, LOG_COMPACTION, CLUSTERING}
        times = [i.requested_time for i in self._without_late_firsts() if i.action in writes]
        return next((time for time in times if time not in savepoints), times[-1] if times else None)

    def _without_late_firsts(self) -> Sequence[Instant]:
        """The instants without first commits of a metadata table's partitions that completed behind others: a partition that is
        added later gets a time before all others, also where instants that have later times are archived. Rule TIME-1476."""
        if self.layout == 1 or not self.instants or not self.instants[0].requested_time.startswith(_FIRSTS):
            return self.instants
        others = [i for i in self.instants if not i.requested_time.startswith(_FIRSTS)]
        since = min((i.completion_time for i in others if i.completion_time is not None), default=None)
        if since is None:
            return self.instants
        return [
            i
            for i in self.instants
            if not i.requested_time.startswith(_FIRSTS) or (i.completion_time is not None and i.completion_time < since)
        ]

    def is_archived(self, requested_time: str) -> bool:
        """Whether the requested time lies before the active timeline's start: only the history has the instant."""
        return (
            self.start is not None
            and time_order(requested_time) < time_order(self.start)
            and requested_time not in self._known_times
        )

    def is_committed(self, requested_time: str) -> bool:
        """Whether files of the write requested at this time count: it is completed, or archived."""
        return requested_time in self._completion or (
            self.is_archived(requested_time) and self._is_visible_archived(requested_time)
        )

    def list_unknown(self, times: Iterable[str], *, archived: bool) -> frozenset[str]:
        """Which of the times are those of no write of the active timeline, and of none that may be in the history; with
        `archived` the latter too."""
        unknown = (time for time in times if time not in self._known_times)
        return frozenset(time for time in unknown if archived or not self.is_archived(time))

    def _is_visible(self, requested_time: str, completion_time: str | None) -> bool:
        if requested_time in self.excluded_times:
            return False
        if self.until is not None and time_order(requested_time) > time_order(self.until):
            return False
        completed_at = completion_time or requested_time
        return self.completed_until is None or time_order(completed_at) <= time_order(self.completed_until)

    def _is_visible_archived(self, requested_time: str) -> bool:
        if not self._is_visible(requested_time, None) or self.completed_until is None:
            return self._is_visible(requested_time, None)
        return self._is_visible(requested_time, self.completion_time(requested_time))

    def completion_time(self, requested_time: str) -> str:
        """The completion time of the write requested at this time, for an archived one by the history; its requested time
        where neither records it."""
        completed = self._completion.get(requested_time)
        if completed is None and self.layout > 1 and self.history is not None and self.is_archived(requested_time):
            completed = self.history.completion_time(requested_time)
        return completed or requested_time

    @cached_property
    def _completion(self) -> Mapping[str, str | None]:
        return {instant.requested_time: instant.completion_time for instant in self.commits}

    @cached_property
    def _known_times(self) -> frozenset[str]:
        """Requested times of writes, and of whatever is pending, also of those that are cut."""
        return frozenset(i.requested_time for i in self.instants if i.completes_as in WRITES or not i.completed)

    def metadata(self, instant: Instant) -> CommitMetadata:
        """The commit metadata of a commit, delta commit or replace commit; of an inflight one, what it is about to do.

        Raises `CorruptFileError` and `StorageError`, which name the file.
        """
        read = self._contents.metadata_like(instant)
        metadata = read.get(instant)
        if metadata is None:
            metadata = read[instant] = self._read_commit(instant, self._content(instant))
        return metadata

    def _read_commit(self, instant: Instant, content: Content) -> CommitMetadata:
        """The metadata in this content. Rule TIME-1487: without what a replace commit replaced, deleted rows would be read."""
        metadata = read_commit(content, self._where(instant))
        replaces = instant.action == REPLACE_COMMIT and instant.completed and not instant.archived
        if replaces and not metadata.states_replaced:
            is_empty = isinstance(content, bytes) and not content.strip()
            expected = "commit metadata, which says what file groups are replaced (partitionToReplaceFileIds)"
            found = "an empty file" if is_empty else "metadata without it"
            raise CorruptFileError(self._where(instant), expected=expected, found=found)
        return metadata

    def expect_contents(self, instants: Iterable[Instant]) -> None:
        """Announces to the storage that the contents of these instants will be read next, except for archived ones."""
        unread = (instant for instant in instants if not instant.archived and not self._contents.has(instant))
        self.storage.expect(files=[self._file(instant) for instant in unread])

    def extras(self, tally: Tally | None = None) -> list[Mapping[str, str]]:
        """`metadata(instant).extra` of all commits, in order. Files that were not read before are read side by side; `tally` gets
        how many of them are."""
        unread = [instant for instant in self.commits if not self._contents.has(instant)]
        if tally is not None:
            tally.enter(READING_COMMITS, len(unread))
        for _ in in_order(self.extra, unread, request_threads(self.storage)):
            if tally is not None:
                tally.add(done=1)
        return [self.extra(instant) for instant in self.commits]

    def extra(self, instant: Instant) -> Mapping[str, str]:
        """`metadata(instant).extra`, which has the schema of the rows written; faster where many files were written."""
        cached = self._contents.extras.get(instant)
        if cached is not None:
            return cached
        read = self._contents.metadata_like(instant)
        metadata = read.get(instant)
        if metadata is None:
            content = self._content(instant)
            # Of replace commits, all will be needed.
            if instant.completed and instant.action != REPLACE_COMMIT and isinstance(content, bytes):
                extra = read_extra(content, self._where(instant))
                if extra is not None:
                    self._contents.extras[instant] = extra
                    return extra
            metadata = read[instant] = self._read_commit(instant, content)
        return metadata.extra

    @cached_property
    def schema_file(self) -> tuple[str, str] | None:
        """Path and text of the newest schema history of a commit that counts; None where there is none."""
        return read_schema_file(self.storage, self.is_committed)

    def operation(self, instant: Instant) -> str | None:
        """The operation behind an instant (`UPSERT`, `CLUSTER`, ...); None where it is not recorded."""
        if instant.action in WRITES and instant.state is not InstantState.REQUESTED:
            return self.metadata(instant).operation
        if instant.completes_as == REPLACE_COMMIT and instant.state is InstantState.REQUESTED:
            operation = self.record(instant).get("operationType")
            return operation if isinstance(operation, str) else None
        return None

    @cached_property
    def replaced(self) -> Mapping[tuple[str, str], str]:
        """File groups (partition, file id) that a completed replace commit replaced, with its requested time."""
        groups: dict[tuple[str, str], str] = {}
        for instant in self.commits:
            if instant.action == REPLACE_COMMIT:
                for partition, file_ids in self.metadata(instant).replaced.items():
                    groups |= {(partition, file_id): instant.requested_time for file_id in file_ids}
        return groups

    def newest_first(self) -> Iterator[tuple[Instant, CommitMetadata]]:
        """Completed commits with their metadata, latest first, read as the caller iterates."""
        for instant in reversed(self.commits):
            yield instant, self.metadata(instant)

    def record(self, instant: Instant) -> Mapping[str, Any]:
        """The record of an instant other than a commit: a plan, or the metadata of a table service; empty without content.

        Raises `CorruptFileError` and `StorageError`, which name the file.
        """
        content = self._content(instant)
        if isinstance(content, bytes):
            return read_record(content, self._where(instant)) if content else {}
        return content

    def plan(self, instant: Instant) -> Mapping[str, Any]:
        """The plan in the requested file of a pending instant; empty where it is not recorded."""
        requested = f"{instant.requested_time}.{instant.action}.{InstantState.REQUESTED.name.lower()}"
        content = read_if_there(self.storage, f"{self.folder}/{requested}")
        return read_record(content, self._where(replace(instant, file=requested))) if content else {}

    def _content(self, instant: Instant) -> Content:
        if instant.archived:
            assert self.history is not None
            return self.history.content(instant)
        try:
            return self._active_content(instant)
        except NoSuchFileError:
            # An archive came between the listing and now. Rule TIME-1141.
            moved = self.history.read_moved(instant) if self.history is not None and instant.completed else None
            if moved is None:
                raise
            return moved

    def _active_content(self, instant: Instant) -> Content:
        file = self._file(instant)
        if isinstance(file, str):
            return self.storage.read(file)
        opened = self.storage.open(file.path, file.size)
        return opened.read(0, opened.size)

    def _file(self, instant: Instant) -> FileInfo | str:
        """The file of an instant, with its size where it never changes."""
        path = f"{self.folder}/{instant.file}"
        return FileInfo(path, instant.size) if instant.completed and instant.size is not None else path

    def _where(self, instant: Instant) -> str:
        folder = "" if instant.archived else f"{self.folder}/"
        return f"{self.storage.uri}/{folder}{instant.file}"


def load_timeline(storage: Storage, config: TableConfig, history: ArchivedTimeline | None = None) -> Timeline:
    """The active timeline of a table: one listing, no file is read. Files that are not instants are ignored."""
    timeline = timeline_in(storage, config.timeline_folder, config.layout)
    return replace(timeline, history=history, zone=UTC if config.timezone is TimeZone.UTC else None)


def timeline_in(storage: Storage, folder: str, layout: int) -> Timeline:
    """The active timeline in a folder."""
    parsed = (parse_instant(info.name, info.size) for info in storage.list(folder))
    files = tuple(instant for instant in parsed if instant is not None)
    return Timeline(storage, folder, layout, latest_states(files), files=files)
