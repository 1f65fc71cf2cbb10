"""The proof that a restore keeps every file of the state that comes back, made before anything is written. Rules RESTORE-456,
RESTORE-457."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hudi_core.engine import FileInfo
from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.formats.names import parse_log_file
from hudi_core.paths import join_paths
from hudi_core.services.restoring.plan import RestorePlan
from hudi_core.services.restoring.result import DeletedFile, RestoredPartition
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.snapshot.snapshot import list_files
from hudi_core.table.table import Table
from hudi_core.timeline.instants import SAVEPOINT
from hudi_core.timeline.services import savepoint
from hudi_core.transactions.rollback_plans import RollbackPlan, rollback_plan


@dataclass(frozen=True)
class Proof:
    """What a restore deletes and keeps: the rollback of each instant in order, and the table as it will be."""

    rollbacks: tuple[RollbackPlan, ...]
    restored: Table
    files: tuple[DeletedFile, ...]
    kept: int

    @property
    def bytes(self) -> int:
        """The bytes of the files that are deleted."""
        return sum(file.bytes for file in self.files)

    def partitions(self, before: Table | None = None) -> tuple[RestoredPartition, ...]:
        """What is deleted in each partition; beside the table as it is, also the rows before and after, which are counted."""
        deleted: dict[str, list[DeletedFile]] = defaultdict(list)
        for file in self.files:
            deleted[file.path.rpartition("/")[0]].append(file)
        rows_before = {} if before is None else _rows(before)
        rows_after = {} if before is None else _rows(self.restored)
        return tuple(
            RestoredPartition(
                partition,
                len(deleted[partition]),
                sum(file.bytes for file in deleted[partition]),
                None if before is None else rows_before.get(partition, 0),
                None if before is None else rows_after.get(partition, 0),
            )
            for partition in sorted({*deleted, *rows_before, *rows_after})
        )


def prove(table: Table, plan: RestorePlan) -> Proof:
    """Computes what a plan deletes, and shows that no file of the state that comes back is among it or missing.

    Raises `UsageError` where a clean deleted files of that state, `CorruptFileError` where one is missing, `UnsupportedError`
    where an instant wrote into files of others, which cannot be undone apart.
    """
    restored = _without(table, plan)
    present = {info.path: info for _, info in list_files(table.storage).infos()}
    rollbacks = tuple(rollback_plan(table, instant) for instant in plan.undone)
    files = _list_deleted(rollbacks, present)
    needed = _find_needed(table, restored, plan, {file.path for file in files})
    for path in needed:
        if path not in present:
            where = f"{table.storage.uri}/{path}"
            raise CorruptFileError(
                where, expected=f"a file of the state at {plan.target}", found="none: it was deleted"
            )
    for file in files:
        if file.path in needed:
            raise UnsupportedError(
                f"{table.storage.uri}/{file.path}",
                expected=f"a file of {file.instant} alone",
                found=f"one that the state at {plan.target} needs",
            )
    return Proof(rollbacks, restored, files, len(needed))


def _without(table: Table, plan: RestorePlan) -> Table:
    """The table as it will be: without the instants that are undone, its files listed."""
    undone = {(instant.requested_time, instant.action) for instant in plan.undone}
    instants = tuple(one for one in table.timeline.instants if (one.requested_time, one.action) not in undone)
    timeline = replace(table.timeline, instants=instants)
    return replace(table, timeline=timeline, metadata_mode=MetadataMode.OFF, earlier=None)


def _find_needed(table: Table, restored: Table, plan: RestorePlan, deleted: set[str]) -> set[str]:
    """The files of the state that comes back: those of its savepoint, else those that a query of its time reads."""
    needed = {file.path for one in restored.slices() for file in one.files}
    if table.config.layout == 1:
        # A log file is named after the slice: readers tell by its blocks what counts, and to be deleted it has to have no others.
        needed -= {path for path in deleted if parse_log_file(path.rpartition("/")[2]) is not None}
    saved = [
        instant
        for instant in table.timeline.instants
        if instant.action == SAVEPOINT and instant.completed and instant.requested_time == plan.target
    ]
    for instant in saved:
        for partition, of_partition in savepoint(table.timeline, instant).partitions.items():
            needed |= {join_paths(partition, name) for name in of_partition.files}
    if not saved:
        read = {file.path for one in table.slices(plan.target) for file in one.files}
        needed |= read if table.config.layout > 1 else read - deleted
    return needed


def _list_deleted(rollbacks: Sequence[RollbackPlan], present: Mapping[str, FileInfo]) -> tuple[DeletedFile, ...]:
    return tuple(
        DeletedFile(path, rollback.instant.requested_time, present[path].size)
        for rollback in rollbacks
        for path in rollback.files
        if path in present
    )


def _rows(table: Table) -> Mapping[str, int]:
    """The rows of each partition."""
    scan = table.scan()
    rows: Counter[str] = Counter()
    for file_slice, count in zip(scan.plan.slices, scan.counts(), strict=True):
        rows[file_slice.partition] += count
    return rows
