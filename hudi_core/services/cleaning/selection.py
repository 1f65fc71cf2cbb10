"""Which versions of file groups a clean deletes. Rules CLEAN-388 to CLEAN-394."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from hudi_core.services.cleaning.versions import GroupVersions, Version
from hudi_core.timeline.instants import time_order
from hudi_core.timeline.services import FileGroup


class Reason(StrEnum):
    """Why files are superfluous."""

    OLDER = "older version"
    REPLACED = "replaced file group"


@dataclass(frozen=True, slots=True)
class Replacement:
    """What replaced a file group, its requested time, and when it was there for readers. An archived one left younger files of
    the group as they are."""

    instant: str
    completed: str
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Kept:
    """What stays whatever the policy.

    `saved` are names of files of savepoints by partition; `planned` gives for file groups of pending plans the instant from
    which on slices are needed, empty for all; `pinned` are times of savepoints that are being made.
    """

    saved: Mapping[str, frozenset[str]] = field(default_factory=dict)
    planned: Mapping[FileGroup, str] = field(default_factory=dict)
    pinned: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """What a policy comes to: the time since which every state stays, or the number of versions that do."""

    since: str | None = None
    versions: int = 1


@dataclass(frozen=True, slots=True)
class Superfluous:
    """A version that is to be deleted."""

    group: GroupVersions
    version: Version
    reason: Reason


def superfluous_versions(
    groups: Iterable[GroupVersions],
    rule: Rule,
    kept: Kept,
    replacements: Mapping[FileGroup, Replacement],
    names: list[str],
) -> Iterator[Superfluous]:
    """The versions to delete, in order. `names` are the names of all files, by row."""
    for group in groups:
        replaced = replacements.get((group.partition, group.file_id))
        for version, reason in _candidates(group, rule, replaced):
            if not _is_kept(group, version, kept, names):
                yield Superfluous(group, version, reason)


def _candidates(group: GroupVersions, rule: Rule, replaced: Replacement | None) -> Iterator[tuple[Version, Reason]]:
    versions = group.versions
    if replaced is not None:
        gone, versions = _split(versions, replaced)
        if rule.since is None or max(time_order(replaced.instant), replaced.completed) < time_order(rule.since):
            yield from ((version, Reason.REPLACED) for version in gone)
    since = rule.since
    older = _before_last(versions, rule.versions) if since is None else _before_settled(versions, time_order(since))
    yield from ((version, Reason.OLDER) for version in older)


def _split(versions: tuple[Version, ...], replaced: Replacement) -> tuple[tuple[Version, ...], tuple[Version, ...]]:
    """The versions that were replaced, and those that count."""
    if not replaced.archived:
        return versions, ()
    end = time_order(replaced.instant)
    count = sum(time_order(version.instant) < end for version in versions)
    return versions[:count], versions[count:]


def _before_settled(versions: tuple[Version, ...], since: str) -> tuple[Version, ...]:
    """The versions before the last one that was there for all readers since a time."""
    settled = [
        number
        for number, version in enumerate(versions)
        if time_order(version.instant) < since and version.completed < since
    ]
    return versions[: settled[-1]] if settled else ()


def _before_last(versions: tuple[Version, ...], count: int) -> tuple[Version, ...]:
    """The versions before the last so many. One that waits for a compaction counts with the one before it."""
    whole = [number for number, version in enumerate(versions) if not version.is_waiting]
    return versions[: whole[-count]] if len(whole) > count else ()


def _is_kept(group: GroupVersions, version: Version, kept: Kept, names: list[str]) -> bool:
    needed = kept.planned.get((group.partition, group.file_id))
    if needed is not None and time_order(version.instant) >= time_order(needed):
        return True
    saved = kept.saved.get(group.partition)
    if saved is not None and any(names[row] in saved for row in version.rows):
        return True
    return any(_current(group, time) is version for time in kept.pinned)


def _current(group: GroupVersions, time: str) -> Version | None:
    """The version that counted at a time."""
    until = [version for version in group.versions if time_order(version.instant) <= time_order(time)]
    return until[-1] if until else None
