"""The timeline: names and times of instants, states that are missing, metadata that cannot be read. Rules VALID-7, VALID-8,
VALID-320."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final

from hudi_core.errors import TableError
from hudi_core.index_builds.dropped_plans import can_be_dropped
from hudi_core.metadata.table import FILES
from hudi_core.options import PROPERTIES_PATH
from hudi_core.parallel.ordered import in_order, request_threads
from hudi_core.snapshot.snapshot import resolve_listing
from hudi_core.timeline.instants import SAVEPOINT, WRITES, Instant, InstantState, parse_instant, time_order
from hudi_core.timeline.plans import unreadable_plans
from hudi_core.validation.findings import Finding, Mending, Severity, by_hand, problem, rebuild
from hudi_core.validation.subject import Subject

TIMELINE: Final = "timeline"
_DIGITS: Final = (14, 17)
_NO_TIME: Final = "0"
"""Times of first commits of metadata tables begin so."""


def timeline(subject: Subject) -> Iterator[Finding]:
    """What is wrong with the files of the active timeline."""
    resolve_listing(subject.table.timeline)
    folder = subject.table.timeline.folder
    instants: dict[tuple[str, str], list[Instant]] = defaultdict(list)
    for info in subject.table.storage.list(folder):
        instant = parse_instant(info.name)
        if instant is not None:
            instants[instant.requested_time, instant.completes_as].append(instant)
        elif _looks_like_an_instant(info.name):
            words = by_hand("rename or delete the file: readers pass it by")
            yield Finding(TIMELINE, Severity.WARNING, info.path, "the name of an instant", info.name, words)
    for states in instants.values():
        yield from _times(folder, states)
        yield from _states(subject, folder, states)
    yield from _contents(subject)
    yield from _plans(subject)


def _looks_like_an_instant(name: str) -> bool:
    """Whether a file that is none begins as an instant does; others, as the properties in layout 1, belong to Hudi."""
    return name != PROPERTIES_PATH and name[:8].isdigit()


def _times(folder: str, states: Iterable[Instant]) -> Iterator[Finding]:
    """Times that are none, and writes that completed before they began."""
    for instant in states:
        where = f"{folder}/{instant.file}"
        for time in (instant.requested_time, instant.completion_time):
            if time is not None and not _is_time(time):
                words = by_hand("find out which writer named the instant; tools that parse its time refuse it")
                expected = "a time of the form yyyyMMddHHmmssSSS"
                yield Finding(TIMELINE, Severity.WARNING, where, expected, time, words)
        begun, ended = instant.requested_time, instant.completion_time
        if ended is not None and time_order(ended) < time_order(begun):
            words = by_hand("roll the instant back and write again, with clocks that agree")
            yield Finding(TIMELINE, Severity.ERROR, where, f"a completion time from {begun} on", ended, words)


def _is_time(time: str) -> bool:
    if len(time) not in _DIGITS:
        return False
    try:
        datetime.strptime(time[:14], "%Y%m%d%H%M%S")
    except ValueError:
        return time.startswith(_NO_TIME)
    return True


def _states(subject: Subject, folder: str, states: list[Instant]) -> Iterator[Finding]:
    """Actions that have two ends, or an end without a beginning."""
    completed = [instant for instant in states if instant.completed]
    reached = {instant.state for instant in states}
    if len(completed) > 1:
        names = " and ".join(sorted(instant.file for instant in completed))
        words = by_hand("delete the later of the two files: readers take the first")
        yield Finding(TIMELINE, Severity.ERROR, f"{folder}/{completed[0].file}", "one completed file", names, words)
    last = max(states, key=lambda instant: instant.state)
    if InstantState.REQUESTED in reached:
        return
    if last.state is InstantState.INFLIGHT and last.action == SAVEPOINT:
        words = by_hand(f"drop it: hudi-core savepoint TABLE --drop {last.requested_time}")
        yield Finding(
            TIMELINE, Severity.WARNING, f"{folder}/{last.file}", "a savepoint that is complete", "none", words
        )
    elif last.state is InstantState.INFLIGHT:
        words = by_hand("roll the write back: hudi-core rollback TABLE --failed")
        expected = "the requested file of the instant beside the inflight one"
        yield Finding(TIMELINE, Severity.ERROR, f"{folder}/{last.file}", expected, "none", words)
    elif last.action != SAVEPOINT and not subject.table.timeline.is_archived(last.requested_time):
        words = by_hand("nothing: readers need the completed file alone")
        expected = "the requested file of the instant beside the completed one"
        yield Finding(TIMELINE, Severity.WARNING, f"{folder}/{last.file}", expected, "none", words)


def _contents(subject: Subject) -> Iterator[Finding]:
    """Completed instants whose metadata is empty or cannot be read."""
    completed = [instant for instant in subject.table.timeline.instants if instant.completed]
    threads = request_threads(subject.table.storage)
    for finding in in_order(lambda instant: _content(subject, instant), completed, threads):
        if finding is not None:
            yield finding


def _plans(subject: Subject) -> Iterator[Finding]:
    """Pending actions of the table, and of its metadata table, whose plans cannot be read."""
    for unreadable in unreadable_plans(subject.table.timeline):
        instant = unreadable.instant
        if can_be_dropped(subject.table, instant):
            words = f"drop the {instant.action}, which cannot be run (validate --mend)"
            mending = Mending(words, drops=instant.requested_time)
        else:
            mending = by_hand(f"restore the file from a copy: the table needs the {instant.action} to be run")
        yield problem(TIMELINE, subject.root, unreadable.problem, mending)
    if subject.metadata is not None:
        for unreadable in unreadable_plans(subject.metadata.timeline):
            yield problem(TIMELINE, subject.root, unreadable.problem, rebuild(FILES))


def _content(subject: Subject, instant: Instant) -> Finding | None:
    timeline, words = subject.table.timeline, by_hand("restore the file from a copy, or roll the instant back")
    where = f"{timeline.folder}/{instant.file}"
    try:
        if instant.action in WRITES:
            timeline.metadata(instant)
        else:
            timeline.record(instant)
    except TableError as error:
        return problem(TIMELINE, subject.root, error, words)
    if instant.size == 0 and instant.action in WRITES:
        return Finding(TIMELINE, Severity.ERROR, where, "the metadata of the completed instant", "0 bytes", words)
    return None
