"""`archive`: old instants leave the active timeline for the history. Rules ARCHIVE-398 to ARCHIVE-405."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Final

from hudi_core.commit.lock import table_lock
from hudi_core.commit.markers import MARKERS, marker_folder
from hudi_core.commit.steps import run
from hudi_core.engine import Storage
from hudi_core.errors import UnsupportedError
from hudi_core.metadata.table import METADATA_FOLDER, open_metadata_table
from hudi_core.metadata_writer.compaction import MAX_DELTA_COMMITS
from hudi_core.services.archiving.actions import Action, actions_of, choose_instants
from hudi_core.services.archiving.bounds import NOTHING as NOTHING_GOES
from hudi_core.services.archiving.bounds import Bound, bounds, find_kept_numbers, metadata_bounds
from hudi_core.services.archiving.options import ArchiveOptions, ArchiveSettings, archive_settings
from hudi_core.services.archiving.result import NOTHING, ArchivedInstant, ArchiveResult
from hudi_core.services.archiving.target import ArchiveTarget
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.instants import Instant, time_order
from hudi_core.timeline.services import savepoints
from hudi_core.transactions.refusals import refuse_unwritable
from hudi_core.transactions.rollback import roll_back_failed

_ROUND: Final = 10_000
"""Actions that are archived while the table's lock is held once."""
_REMOTE_ROUND: Final = 1_000
"""The same of a remote store, which deletes one by one."""
_LATEST: Final = "~"
"""Sorts after every time."""


@dataclass(frozen=True)
class _Plan:
    """What leaves a timeline, and what holds the rest."""

    target: ArchiveTarget
    instants: Sequence[Instant]
    held_by: Bound | None


def archive(table: Table, options: ArchiveOptions | None = None) -> ArchiveResult:
    """Takes old instants off the active timeline, of the table and of its metadata table, and puts them into the history.

    What a pending action, a savepoint, the next compaction or clean, or the metadata table needs stays. Every query answers as
    before. `table` still shows what it showed. Raises `UnsupportedError` for a table that this library does not write to, while
    a restore is under way, and where the engine has no Parquet for the history, `UsageError` for properties that have no such
    value.
    """
    given, begun = options or ArchiveOptions(), perf_counter()
    latest = refreshed(table) if given.dry_run else table
    refuse_unwritable(latest, merges=False)
    settings = archive_settings(latest.config, given)
    _refuse_unreadable(latest)
    if given.dry_run:
        return _foreseen(latest, settings)
    total = metadata_total = merges = 0
    while True:
        with table_lock(latest.storage, clock=given.clock):
            latest = roll_back_failed(refreshed(latest), given.clock)
            refuse_unwritable(latest, merges=False)
            settings = archive_settings(latest.config, given)
            if total:
                # Whatever is more than the least number goes with this archive.
                settings = replace(settings, keep_max=settings.keep_min)
            settled = [_without_archived(target) for target in _targets(latest, settings)]
            if any(settled):
                latest = refreshed(latest)
            plan = _table_plan(latest, settings)
            goal = total + len(plan.instants)

            def report(done: int, before: int = total, goal: int = goal) -> None:
                if given.progress is not None:
                    given.progress(before + done, goal)

            done = _run(plan, report)
            _remove_markers(latest, done)
            total += len(done) + sum(settled[:1])
            latest = refreshed(latest)
            of_metadata = _metadata_plan(latest, settings)
            if of_metadata is not None:
                metadata_total += len(_run(of_metadata, _silent)) + sum(settled[1:])
            if len(done) < _round(latest.storage):
                merges = sum(target.tidy() for target in _targets(latest, settings))
                break
    return ArchiveResult(
        "completed" if total or metadata_total else NOTHING,
        total,
        metadata_total,
        latest.timeline.start,
        plan.held_by.reason if plan.held_by is not None else None,
        merges,
        round(perf_counter() - begun, 3),
    )


def is_due(table: Table, options: ArchiveOptions) -> bool:
    """Whether there are so many completed writes that some are to be archived, as far as their number goes."""
    settings = archive_settings(table.config, options)
    return settings.automatic and len(table.timeline.commits) > find_kept_numbers(table.timeline, settings)[1]


def _refuse_unreadable(table: Table) -> None:
    if table.config.layout > 1:
        for kind in (table.engine.reader, table.engine.writer):
            kind("parquet")
        if table.timeline.history is None:
            raise UnsupportedError(
                table.storage.uri, expected="an engine that reads the history", found=table.engine.name
            )


def _table_target(table: Table, settings: ArchiveSettings) -> ArchiveTarget:
    return ArchiveTarget(table.engine, table.storage, table.timeline, table.config.history_folder, settings)


def _targets(table: Table, settings: ArchiveSettings) -> Iterator[ArchiveTarget]:
    """The timelines: that of the table, and that of its metadata table."""
    yield _table_target(table, settings)
    metadata = open_metadata_table(table.storage, table.config, table.timeline) if _keeps_metadata(table) else None
    if metadata is not None:
        folder = f"{METADATA_FOLDER}/{metadata.config.history_folder}"
        yield ArchiveTarget(table.engine, table.storage, metadata.timeline, folder, settings)


def _keeps_metadata(table: Table) -> bool:
    return bool(table.config.kept_partitions)


def _table_plan(table: Table, settings: ArchiveSettings) -> _Plan:
    saved = savepoints(table.timeline) if settings.beyond_savepoint else ()
    target = _table_target(table, settings)
    if len(table.timeline.commits) <= find_kept_numbers(table.timeline, settings)[1] and table.config.layout > 1:
        return _Plan(target, (), None)
    return _plan(target, list(bounds(table, settings)), find_kept_numbers(table.timeline, settings), saved)


def _metadata_plan(table: Table, settings: ArchiveSettings) -> _Plan | None:
    """What leaves the metadata table's timeline, of which one write more stays."""
    metadata = open_metadata_table(table.storage, table.config, table.timeline) if _keeps_metadata(table) else None
    if metadata is None:
        return None
    own = replace(settings, delta_commits=MAX_DELTA_COMMITS)
    folder = f"{METADATA_FOLDER}/{metadata.config.history_folder}"
    target = ArchiveTarget(table.engine, table.storage, metadata.timeline, folder, own)
    least, most = find_kept_numbers(table.timeline, settings)
    return _plan(target, list(metadata_bounds(table, metadata, own)), (least + 1, most + 1))


def _plan(target: ArchiveTarget, held: Sequence[Bound], keep: tuple[int, int], saved: Sequence[str] = ()) -> _Plan:
    first = min(held, key=lambda bound: time_order(bound.time), default=None)
    first_kept = _LATEST if first is None else first.time
    chosen = (
        [] if first_kept == NOTHING_GOES else choose_instants(target.timeline, first_kept, keep, target.layout, saved)
    )
    commits = target.timeline.commits
    by_number = commits[-keep[0]].requested_time if len(commits) > keep[0] else ""
    holds = first is not None and len(commits) > keep[1] and time_order(first_kept) < time_order(by_number)
    return _Plan(target, sorted(chosen, key=lambda one: one.order), first if holds else None)


def _run(plan: _Plan, report: Callable[[int], None]) -> list[Action]:
    """Archives what a plan has, at most one round of it."""
    actions = actions_of(plan.target.timeline, plan.instants[: _round(plan.target.storage)])
    if actions:
        plan.target.add(actions, lambda _: None)
        run(plan.target.storage, plan.target.removals(actions))
        report(len(actions))
    return actions


def _without_archived(target: ArchiveTarget) -> int:
    """Deletes what an archive that died has put into the history already; gives the number of actions."""
    actions = actions_of(target.timeline, target.list_archived())
    run(target.storage, target.removals(actions))
    return len(actions)


def _remove_markers(table: Table, actions: Sequence[Action]) -> None:
    """Deletes what is left of the markers of archived writes."""
    if not actions:
        return
    start = len(MARKERS) + 1
    marked = {info.path[start:].partition("/")[0] for info in table.storage.list(MARKERS, recursive=True)}
    for action in actions:
        if action.time in marked:
            table.storage.delete_folder(marker_folder(action.time))


def _round(storage: Storage) -> int:
    return _REMOTE_ROUND if storage.is_remote else _ROUND


def _silent(_: int) -> None:
    return


def _foreseen(table: Table, settings: ArchiveSettings) -> ArchiveResult:
    """The result of a dry run."""
    plan, of_metadata = _table_plan(table, settings), _metadata_plan(table, settings)
    instants = [_name("table", one) for one in plan.instants]
    of_table = len(instants)
    if of_metadata is not None:
        instants += [_name("metadata table", one) for one in of_metadata.instants]
    gone = {one.requested_time for one in plan.instants}
    left = next((one.requested_time for one in table.timeline.commits if one.requested_time not in gone), None)
    return ArchiveResult(
        "planned" if instants else NOTHING,
        of_table,
        len(instants) - of_table,
        left,
        plan.held_by.reason if plan.held_by is not None else None,
        planned=tuple(instants),
    )


def _name(timeline: str, instant: Instant) -> ArchivedInstant:
    return ArchivedInstant(timeline, instant.requested_time, instant.completion_time, instant.action)
