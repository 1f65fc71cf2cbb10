"""The actions that an archive takes off a timeline: all files of each, by state. Rule ARCHIVE-390."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from hudi_core.timeline.instants import CLEAN, ROLLBACK, Instant, InstantState, time_order
from hudi_core.timeline.timeline import Timeline


@dataclass(frozen=True, slots=True)
class Action:
    """A completed action: the instant that counts, and its files of every state, by name."""

    completed: Instant
    requested: Instant | None = None
    inflight: Instant | None = None
    others: tuple[Instant, ...] = ()
    """Further completed files, of a writer that retried."""

    @property
    def time(self) -> str:
        """Its requested time."""
        return self.completed.requested_time

    @property
    def pending(self) -> tuple[Instant, ...]:
        """The files of the states before completion."""
        return tuple(instant for instant in (self.requested, self.inflight) if instant is not None)

    @property
    def states(self) -> tuple[Instant, ...]:
        """One file of each state, the completed one last."""
        return (*self.pending, self.completed)


@dataclass(slots=True)
class _Files:
    """The files of one action."""

    requested: Instant | None = None
    inflight: Instant | None = None
    completed: list[Instant] = field(default_factory=list)


def actions_of(timeline: Timeline, instants: Collection[Instant]) -> list[Action]:
    """These completed instants with all their files, as the timeline was listed, by requested time."""
    if not instants:
        return []
    wanted = {(instant.requested_time, instant.completes_as) for instant in instants}
    files: dict[tuple[str, str], _Files] = {}
    for instant in timeline.files:
        key = instant.requested_time, instant.completes_as
        if key not in wanted:
            continue
        of_action = files.setdefault(key, _Files())
        match instant.state:
            case InstantState.REQUESTED:
                of_action.requested = instant
            case InstantState.INFLIGHT:
                of_action.inflight = instant
            case InstantState.COMPLETED:
                of_action.completed.append(instant)
    actions = [
        Action(one.completed[0], one.requested, one.inflight, tuple(one.completed[1:]))
        for one in files.values()
        if one.completed
    ]
    return sorted(actions, key=lambda action: action.completed.order)


def choose_instants(
    timeline: Timeline, first_kept: str, keep: tuple[int, int], layout: int, saved: Iterable[str] = ()
) -> list[Instant]:
    """The completed instants to archive: writes before `first_kept` but for the last ones that stay, and cleans and rollbacks.

    In layout 2 these go with the writes that they lie between, in layout 1 by their own number. `saved` are writes that stay,
    though later ones go.
    """
    keep_min, keep_max = keep
    commits, stay = timeline.commits, set(saved)
    chosen: list[Instant] = []
    if len(commits) > keep_max:
        chosen = [
            instant
            for instant in commits[: len(commits) - keep_min]
            if time_order(instant.requested_time) < time_order(first_kept) and instant.requested_time not in stay
        ]
    others = [one for one in timeline.completed if one.action in (CLEAN, ROLLBACK) and one.size != 0]
    if layout > 1:
        last = time_order(chosen[-1].requested_time) if chosen else ""
        return [*chosen, *(one for one in others if time_order(one.requested_time) < last)]
    for action in (CLEAN, ROLLBACK):
        of_action = [one for one in others if one.action == action]
        if len(of_action) > keep_max:
            before = of_action[: len(of_action) - keep_min]
            chosen += [one for one in before if time_order(one.requested_time) < time_order(first_kept)]
    return chosen
