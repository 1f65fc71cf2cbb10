"""Instants: the names of their files in both timeline layouts, their states, and their order.

Rules TIME-1 to TIME-5.

`ArchivedTimeline` is what either layout of the history answers about archived instants.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Protocol

from hudi_core.notebook import show_briefly
from hudi_core.paths import instant_name

COMMIT, DELTA_COMMIT, REPLACE_COMMIT = "commit", "deltacommit", "replacecommit"
CLUSTERING, COMPACTION, LOG_COMPACTION = "clustering", "compaction", "logcompaction"
CLEAN, ROLLBACK, RESTORE, SAVEPOINT, INDEXING = "clean", "rollback", "restore", "savepoint", "indexing"

WRITES = frozenset({COMMIT, DELTA_COMMIT, REPLACE_COMMIT})
"""Actions whose completion makes data files visible."""

_COMPLETES_AS = {COMPACTION: COMMIT, LOG_COMPACTION: DELTA_COMMIT, CLUSTERING: REPLACE_COMMIT}
_ACTIONS = WRITES | frozenset(_COMPLETES_AS) | {CLEAN, ROLLBACK, RESTORE, SAVEPOINT, INDEXING}

_NAME = re.compile(r"([0-9]+)(?:_([0-9]+))?(?:\.([a-z]+))?(?:\.(requested|inflight))?", re.ASCII)


class InstantState(IntEnum):
    """How far an action has come."""

    REQUESTED = 0
    INFLIGHT = 1
    COMPLETED = 2


@show_briefly
@dataclass(frozen=True, slots=True)
class Instant:
    """An action on the table's timeline. `file` is the name of the file that holds its latest state.

    `completion_time` is None when the action is not completed, and in layout 1, which does not record it.
    """

    requested_time: str
    action: str
    state: InstantState
    completion_time: str | None
    file: str
    archived: bool = False
    """`file` is a path from the table's root, of a file that holds many archived instants."""
    size: int | None = field(default=None, compare=False)
    """Bytes of the file, where they are known."""

    @property
    def completed(self) -> bool:
        return self.state is InstantState.COMPLETED

    @property
    def completes_as(self) -> str:
        """The action that is in the name of its completed file: a compaction completes as a commit."""
        return name_completed_action(self.action)

    @property
    def order(self) -> tuple[str, str, int]:
        """Hudi's order: by requested time, then action, then state."""
        return time_order(self.requested_time), self.completes_as, self.state


def name_completed_action(action: str) -> str:
    """The name of the action once it has completed."""
    return _COMPLETES_AS.get(action, action)


def time_order(time: str) -> str:
    """The string by which an instant time compares: itself, but 14-digit times of old writers stand for the end of their
    second. Metadata tables append digits to a data table's time; such a time sorts right after it."""
    return f"{time}999" if len(time) == 14 else time


def describe_time(text: str, instants: Iterable[Instant] = ()) -> str:
    """What was found in the place of an instant's requested time, for an error; with the instant that completed then.

    >>> describe_time("20261121124819754"), describe_time("")
    ('20261121124819754', "''")
    """
    requested = next((one.requested_time for one in instants if one.completion_time == text), None)
    if requested is not None:
        return f"{text}, when the one of {requested} completed"
    return text if text.isalnum() else repr(text)


def parse_instant(file: str, size: int | None = None) -> Instant | None:
    """The instant of a file name of a timeline folder, of so many bytes; None for other files.

    Names of both layouts are parsed: they differ only in whether they have a completion time.
    """
    match = _NAME.fullmatch(file)
    if match is None:
        return None
    time, completion, action, suffix = match.groups()
    if action == "inflight" and suffix is None:
        action, suffix = COMMIT, "inflight"
    if action not in _ACTIONS:
        return None
    if suffix is None:
        return Instant(time, action, InstantState.COMPLETED, completion, file, size=size)
    if completion is not None:
        return None
    state = InstantState.REQUESTED if suffix == "requested" else InstantState.INFLIGHT
    return Instant(time, action, state, None, file, size=size)


def latest_states(instants: Iterable[Instant]) -> tuple[Instant, ...]:
    """One instant for each action: the furthest state of it, in order. A compaction and the commit it became are one."""
    latest: dict[tuple[str, str], Instant] = {}
    for instant in instants:
        key = instant.requested_time, instant.completes_as
        known = latest.get(key)
        # Of two completed files of one action, the first that was completed counts: a writer that retried kept it.
        if known is None or instant.state > known.state:
            latest[key] = instant
    return tuple(sorted(latest.values(), key=lambda instant: instant.order))


Content = bytes | Mapping[str, Any]
"""The content of an instant: bytes as the active timeline has them, or the record itself."""


class ArchivedTimeline(Protocol):
    """The completed instants that left the active timeline. Raises `CorruptFileError` and `StorageError`."""

    def instants(self) -> Sequence[Instant]:
        """All of them, in order; `Instant.file` is the path of the file that has it, from the table's root."""
        ...

    def list_completed_after(self, time: str) -> Sequence[Instant]:
        """The instants that completed later than a time, in order; empty where completion times are not recorded."""
        ...

    def completion_time(self, requested_time: str) -> str | None:
        """When the write requested at this time completed; None where the history does not record it."""
        ...

    def content(self, instant: Instant) -> Content:
        """The content of the completed instant; empty bytes where it has none."""
        ...

    def read_moved(self, active: Instant) -> Content | None:
        """The content of a completed instant that was on the active timeline when that was listed; None where the newest
        history has no such instant."""
        ...


def in_order(instants: Iterable[Instant]) -> tuple[Instant, ...]:
    """The instants in order, without duplicates: an archive that was interrupted and begun again holds some twice."""
    distinct = {(instant.requested_time, instant.completes_as): instant for instant in instants}
    return tuple(sorted(distinct.values(), key=lambda instant: instant.order))


@dataclass(frozen=True, slots=True)
class InstantFiles:
    """Paths, from the table's root, of the files of one action requested at one time: of its three states, in both layouts of the
    timeline."""

    folder: str
    layout: int
    requested_time: str
    action: str

    def __post_init__(self) -> None:
        instant_name(self.requested_time, self.folder)

    @property
    def requested(self) -> str:
        return f"{self.folder}/{self.requested_time}.{self.action}.requested"

    @property
    def inflight(self) -> str:
        # A commit's inflight file does not name the action.
        action = "" if self.action == COMMIT else f".{self.action}"
        return f"{self.folder}/{self.requested_time}{action}.inflight"

    def name_completed(self, completion_time: str) -> str:
        action = name_completed_action(self.action)
        if self.layout == 1:
            return f"{self.folder}/{self.requested_time}.{action}"
        return f"{self.folder}/{self.requested_time}_{completion_time}.{action}"
