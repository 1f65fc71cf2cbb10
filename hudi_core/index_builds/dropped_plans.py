"""Dropping plans that cannot be read: of a rollback at the next write, of all others when people ask for it. Rules ROLLBACK-320,
ROLLBACK-321.

Apache Hudi drops a rollback that it cannot read and plans another one. With others it fails at each write, or each query.
"""

from __future__ import annotations

from collections.abc import Collection

from hudi_core.commit.heartbeat import is_alive
from hudi_core.commit.steps import Delete, run
from hudi_core.commit.times import Clock
from hudi_core.formats.names import parse_log_file
from hudi_core.index_builds.removal import remove_partitions
from hudi_core.index_kinds.planned_builds import list_planned_builds
from hudi_core.snapshot.snapshot import list_files
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.instants import (
    CLUSTERING,
    COMPACTION,
    INDEXING,
    LOG_COMPACTION,
    REPLACE_COMMIT,
    RESTORE,
    Instant,
    InstantFiles,
    InstantState,
)
from hudi_core.timeline.plans import unreadable_plans
from hudi_core.transactions.rollback import roll_back

_ROLLED_BACK = frozenset({CLUSTERING, COMPACTION, LOG_COMPACTION, REPLACE_COMMIT})


def can_be_dropped(table: Table, instant: Instant) -> bool:
    """Whether a table goes on rightly without an action whose plan cannot be read. Not without a restore that was begun, nor
    without a compaction whose time log files of table version 6 have: their rows count from then on."""
    if instant.action == RESTORE:
        return instant.state is InstantState.REQUESTED
    if instant.action == COMPACTION and table.timeline.layout == 1:
        logs = (parse_log_file(info.name) for _, info in list_files(table.storage).infos())
        return all(log is None or log.instant != instant.requested_time for log in logs)
    return True


def drop_unreadable(table: Table, times: Collection[str], clock: Clock) -> tuple[str, ...]:
    """Drops the actions requested at these times whose plans cannot be read, with what runs of them wrote; gives the paths of the
    plans. One that can be read by now, or whose run is alive, stays. Under the table's lock."""
    dropped: list[str] = []
    for unreadable in unreadable_plans(table.timeline):
        instant = unreadable.instant
        if instant.requested_time not in times or is_alive(table.storage, instant.requested_time, clock()):
            continue
        if can_be_dropped(table, instant):
            files = InstantFiles(table.timeline.folder, table.config.layout, instant.requested_time, instant.action)
            if instant.action in _ROLLED_BACK:
                roll_back(table, instant, clock)
            else:
                run(table.storage, [Delete(files.inflight), Delete(files.requested)])
            table = refreshed(table)
            if instant.action == INDEXING:
                _remove_unplanned(table)
            dropped.append(files.requested)
    return tuple(dropped)


def _remove_unplanned(table: Table) -> None:
    """Removes metadata partitions under construction that no build is to make any more."""
    planned = {partition for build in list_planned_builds(table.timeline) for partition in build.partitions}
    remove_partitions(table, set(table.config.metadata_partitions_inflight) - planned)
