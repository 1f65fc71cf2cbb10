"""Plans of pending actions: what a rollback undoes, and which plans cannot be read. Rules TIME-320, TIME-321.

A plan is written whole or not at all, so one that is empty or cut off is damage, or was left by a store that lost its end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hudi_core.errors import CorruptFileError
from hudi_core.paths import instant_name
from hudi_core.timeline.instants import (
    CLEAN,
    CLUSTERING,
    COMPACTION,
    INDEXING,
    LOG_COMPACTION,
    REPLACE_COMMIT,
    RESTORE,
    ROLLBACK,
    Instant,
)
from hudi_core.timeline.services import list_planned_file_groups
from hudi_core.timeline.timeline import Timeline

_ALWAYS_PLANNED: Final = frozenset({CLEAN, CLUSTERING, COMPACTION, INDEXING, LOG_COMPACTION, RESTORE, ROLLBACK})
"""Actions that stand for nothing without a plan. A replace commit that overwrites has none."""


@dataclass(frozen=True, slots=True)
class Undone:
    """The instant that a rollback undoes."""

    requested_time: str
    action: str


@dataclass(frozen=True, slots=True)
class UnreadablePlan:
    """A pending action, and what is wrong with its plan."""

    instant: Instant
    problem: CorruptFileError


def rollback_target(timeline: Timeline, rollback: Instant) -> Undone:
    """What a pending rollback undoes. Raises `CorruptFileError` for a plan that cannot be read, or that names no instant."""
    where = _where(timeline, rollback)
    target = timeline.plan(rollback).get("instantToRollback")
    if not isinstance(target, dict):
        raise CorruptFileError(where, expected="a plan that names an instant", found="none")
    return Undone(instant_name(str(target.get("commitTime") or ""), where), str(target.get("action") or ""))


def unreadable_plans(timeline: Timeline) -> list[UnreadablePlan]:
    """The pending actions whose plans cannot be read, in order."""
    unreadable: list[UnreadablePlan] = []
    for instant in timeline.pending:
        try:
            _read(timeline, instant)
        except CorruptFileError as problem:
            unreadable.append(UnreadablePlan(instant, problem))
    return unreadable


def _read(timeline: Timeline, instant: Instant) -> None:
    if instant.action == ROLLBACK:
        rollback_target(timeline, instant)
    elif instant.action in _ALWAYS_PLANNED:
        if not timeline.plan(instant):
            raise CorruptFileError(_where(timeline, instant), expected=f"the plan of a {instant.action}", found="none")
        list_planned_file_groups(timeline, instant)
    elif instant.action == REPLACE_COMMIT:
        list_planned_file_groups(timeline, instant)


def _where(timeline: Timeline, instant: Instant) -> str:
    return f"{timeline.storage.uri}/{timeline.folder}/{instant.requested_time}.{instant.action}.requested"
