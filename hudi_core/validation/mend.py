"""Mending: indexes are built again; leftovers, plans that cannot be read, and definitions of no index are removed. Nothing else
is touched. Rules VALID-19, VALID-20, VALID-230, VALID-320.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Set
from dataclasses import dataclass
from datetime import datetime

from hudi_core.commit.abandoned import is_abandoned
from hudi_core.commit.lock import table_lock
from hudi_core.commit.markers import MARKERS, METADATA_MARKERS, marker_folder
from hudi_core.commit.steps import Delete, DeleteFolder, run
from hudi_core.commit.times import Clock, system_clock
from hudi_core.engine import Storage
from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.index_builds.build import build_metadata_table
from hudi_core.index_builds.dropped_plans import drop_unreadable
from hudi_core.index_builds.removal import remove_definitions
from hudi_core.index_kinds.planned_builds import list_planned_builds
from hudi_core.local_files import is_temporary
from hudi_core.metadata.kinds import beside_listing
from hudi_core.metadata_rows.rows_of_change import is_kept
from hudi_core.notebook import show_briefly
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.transactions.old_versions import refuse_read_only
from hudi_core.transactions.remains import list_remains
from hudi_core.transactions.rollback import list_failed_writes
from hudi_core.transactions.rollback_plans import rollback_plan
from hudi_core.validation.findings import Finding


@show_briefly
@dataclass(frozen=True, slots=True)
class Mended:
    """What was mended: paths that were removed, partitions of the metadata table that were built anew; and the table after it."""

    removed: tuple[str, ...]
    rebuilt: tuple[str, ...]
    table: Table
    forgotten: tuple[str, ...] = ()
    """Metadata partitions whose definition was removed: there were none."""


def mend(table: Table, findings: Iterable[Finding], clock: Clock = system_clock) -> Mended:
    """Mends damaged indexes, and removes leftovers of writes that are over. Findings of other kinds stay.

    The metadata table is built again as a whole, with the partitions that it has, before anything else. Where it cannot be
    built, this raises `UnsupportedError`, or as `hudi_core.build_indexes` does, and no file is changed.
    """
    refuse_read_only(table.config, table.storage.uri)
    listed = list(findings)
    partitions = _rebuilt(table, clock) if any(finding.mending.rebuilds for finding in listed) else ()
    dropped = _drop(table, {finding.mending.drops for finding in listed if finding.mending.drops}, clock)
    paths = dict.fromkeys(finding.mending.removes for finding in listed if finding.mending.removes)
    removed = (*dropped, *_remove(table, paths, clock))
    forgotten = _forget(table, {finding.mending.forgets for finding in listed if finding.mending.forgets}, clock)
    return Mended(removed, partitions, refreshed(table), forgotten)


def _rebuilt(table: Table, clock: Clock) -> tuple[str, ...]:
    """Builds the metadata table again; the partitions that it has."""
    latest = refreshed(table)
    partitions = sorted(latest.config.metadata_partitions)
    strange = [name for name in partitions if not is_kept(name)]
    if strange:
        expected = "a metadata table of indexes that can be built here"
        raise UnsupportedError(latest.storage.uri, expected=expected, found=", ".join(strange))
    build_metadata_table(latest, beside_listing(partitions), clock=clock)
    return tuple(partitions)


def _forget(table: Table, names: Collection[str], clock: Clock) -> tuple[str, ...]:
    """Removes the definitions of these indexes, where there are still none."""
    if not names:
        return ()
    with table_lock(table.storage, clock=clock):
        latest = refreshed(table)
        building = {name for build in list_planned_builds(latest.timeline) for name in build.partitions}
        over = set(names) - latest.config.kept_partitions - building
        remove_definitions(latest, over)
    return tuple(sorted(over))


def _drop(table: Table, times: Collection[str], clock: Clock) -> tuple[str, ...]:
    """Drops plans that still cannot be read when others are locked out."""
    if not times:
        return ()
    with table_lock(table.storage, clock=clock):
        return drop_unreadable(refreshed(table), times, clock)


def _with_useless_markers(table: Table, clock: Clock) -> set[str]:
    """The times of dead writes whose markers cannot be followed: they are rolled back without."""
    times: set[str] = set()
    for instant in list_failed_writes(table, clock):
        try:
            rollback_plan(table, instant)
        except CorruptFileError:
            times.add(instant.requested_time)
    return times


def _remove(table: Table, paths: Iterable[str], clock: Clock) -> tuple[str, ...]:
    """Removes leftovers of writes that are still over when others are locked out."""
    wanted = list(paths)
    if not wanted:
        return ()
    with table_lock(table.storage, clock=clock):
        latest = refreshed(table)
        now = clock()
        remains = {*list_remains(latest, now), *map(marker_folder, _with_useless_markers(latest, clock))}
        over = [path for path in wanted if _is_over(table.storage, path, remains, now)]
        folders = (f"{MARKERS}/", f"{METADATA_MARKERS}/")
        heartbeats_first = reversed(over)  # as writes end
        run(
            table.storage,
            [DeleteFolder(path) if path.startswith(folders) else Delete(path) for path in heartbeats_first],
            durable=False,
        )
    return tuple(over)


def _is_over(storage: Storage, path: str, remains: Set[str], now: datetime) -> bool:
    """Whether a leftover is still one: the temporary file of a dead process, or what a write has left that is over."""
    return is_abandoned(storage, path, now) if is_temporary(path.rpartition("/")[2]) else path in remains
