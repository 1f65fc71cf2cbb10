"""Running the plan of a clean: files first, then the metadata table, then the completed instant. Rules CLEAN-397 to CLEAN-402.

Every step can be repeated: a clean that died is run again from its plan, by this library or by Apache Hudi.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from time import perf_counter
from typing import Any, Final

from hudi_core.columns.strings import string_list
from hudi_core.commit.abandoned import delete_abandoned
from hudi_core.commit.avro_schemas import CLEAN_METADATA
from hudi_core.commit.lock import table_lock
from hudi_core.commit.markers import PARTITION_METADATA
from hudi_core.commit.steps import Create, Delete, run
from hudi_core.commit.times import next_time
from hudi_core.engine import Storage
from hudi_core.errors import HudiError, UsageError, list_times
from hudi_core.formats.avro.container import write_container
from hudi_core.parallel.ordered import in_order, request_threads
from hudi_core.parallel.reach import Reach
from hudi_core.paths import data_path, join_paths
from hudi_core.services.cleaning.metadata_steps import make_clean_steps
from hudi_core.services.cleaning.options import CleanOptions
from hudi_core.services.cleaning.plan import VERSION, CleanPlan, read_plan
from hudi_core.services.cleaning.planner import has_only, list_kept_files, replacements
from hudi_core.services.cleaning.result import CleanResult
from hudi_core.services.cleaning.selection import Rule, superfluous_versions
from hudi_core.services.cleaning.versions import group_versions
from hudi_core.table.open import look_to_commit, look_to_plan
from hudi_core.table.table import Table
from hudi_core.timeline.instants import CLEAN, WRITES, Instant, InstantFiles, describe_time

_TOGETHER: Final = 1000
"""Files that are deleted in one step."""
_SHARES_AT_ONCE: Final = 4
"""Steps for each task that runs at the same time, between two reports of progress."""

Names = Mapping[str, Sequence[str]]
"""Names of files by partition."""


def run_clean(table: Table, instant: Instant, options: CleanOptions) -> CleanResult:
    """Runs the plan of a requested clean, also one of Apache Hudi's that died.

    Files that are needed again since the plan was made stay. Raises `UsageError` where there is no such plan, `CorruptFileError`
    for one that cannot be read.
    """
    begun, storage = perf_counter(), table.storage
    latest = look_to_plan(table)
    plan = read_plan(latest.timeline, _pending(latest, instant))
    deleted = _without(plan.files, _find_needed(latest, plan))
    sizes = latest.snapshot().listing.by_name()
    files = InstantFiles(latest.timeline.folder, latest.config.layout, instant.requested_time, CLEAN)
    run(storage, [Create(files.inflight)])
    total, done = sum(map(len, deleted.values())), 0
    try:
        for count in _deletions(latest, deleted):
            done += count
            if options.progress is not None:
                options.progress(done, total)
    except BaseException:
        # Whatever ended the run is the error that counts; a plan that stays inflight is finished by the next clean.
        with suppress(HudiError):
            _let_wait(storage, files, deleted)
        raise
    for partition in plan.files:
        delete_abandoned(storage, options.clock(), partition, recursive=False)
    with table_lock(storage, clock=options.clock):
        latest = look_to_commit(latest)
        if _is_completed(latest, instant):  # by another run of the same plan
            partitions: tuple[str, ...] = ()
        else:
            partitions = tuple(_deletable(latest, plan))
            for partition in partitions:
                run(storage, [Delete(join_paths(partition, PARTITION_METADATA))])
                storage.delete_folder(partition)
            run(storage, make_clean_steps(latest, instant.requested_time, {**_nothing(plan), **deleted}, partitions))
            completion = next_time(latest.timeline, options.clock, after=[instant.requested_time])
            milliseconds = int((perf_counter() - begun) * 1000)
            record = _record(plan, instant.requested_time, {**_nothing(plan), **deleted}, partitions, milliseconds)
            run(storage, [Create(files.name_completed(completion), write_container(CLEAN_METADATA, [record]))])
    return CleanResult(
        instant.requested_time,
        "completed",
        plan.policy,
        plan.retained.time if plan.retained is not None else None,
        files=total,
        bytes=sum(sizes.get(partition, {}).get(name, 0) for partition, names in deleted.items() for name in names),
        files_kept=sum(map(len, plan.files.values())) - total,
        partitions_deleted=partitions,
        seconds=round(perf_counter() - begun, 3),
    )


def _let_wait(storage: Storage, files: InstantFiles, names: Names) -> None:
    """Lets a plan wait as before its run, unless a file of these is gone. Rule CLEAN-1405."""
    paths = (
        data_path(join_paths(partition, name)) for partition, of_partition in names.items() for name in of_partition
    )
    if all(in_order(storage.exists, paths, request_threads(storage))):
        run(storage, [Delete(files.inflight)])


def pending_cleans(table: Table) -> list[Instant]:
    """Cleans that are planned and not completed, oldest first."""
    return [instant for instant in table.timeline.pending if instant.action == CLEAN]


def _pending(table: Table, wanted: Instant) -> Instant:
    waiting = pending_cleans(table)
    for instant in waiting:
        if instant.requested_time == wanted.requested_time:
            return instant
    times = list_times([instant.requested_time for instant in waiting])
    raise UsageError(
        "clean", expected=f"a clean that is not completed ({times})", found=describe_time(wanted.requested_time)
    )


def _is_completed(table: Table, wanted: Instant) -> bool:
    return any(
        instant.action == CLEAN and instant.completed and instant.requested_time == wanted.requested_time
        for instant in table.timeline.instants
    )


def _find_needed(table: Table, plan: CleanPlan) -> Mapping[str, frozenset[str]]:
    """Names of files of the plan's partitions that a query of the latest state, a savepoint or a pending service reads."""
    files = table.snapshot().listing
    names = string_list(files.names)
    groups = list(group_versions(files, table.timeline, plan.files.keys()))
    kept = list_kept_files(table.timeline)
    superfluous = {
        row
        for one in superfluous_versions(groups, Rule(versions=1), kept, replacements(table.timeline, groups), names)
        for row in one.version.rows
    }
    needed: dict[str, set[str]] = {partition: set(of_partition) for partition, of_partition in kept.saved.items()}
    for group in groups:
        of_group = needed.setdefault(group.partition, set())
        of_group.update(names[row] for one in group.versions for row in one.rows if row not in superfluous)
    return {partition: frozenset(of_partition) for partition, of_partition in needed.items()}


def _without(files: Names, needed: Mapping[str, frozenset[str]]) -> Names:
    return {
        partition: [name for name in names if name not in needed.get(partition, ())]
        for partition, names in files.items()
    }


def _nothing(plan: CleanPlan) -> Names:
    """An entry for each partition that is to go: what has none stays in the metadata table."""
    return dict.fromkeys(plan.partitions, ())


def _deletions(table: Table, files: Names) -> Iterator[int]:
    """Deletes files, some side by side; gives how many are done each time. Tasks on other machines have a share each."""
    paths = [data_path(join_paths(partition, name)) for partition, names in files.items() for name in names]
    shares = [tuple(paths[start : start + _TOGETHER]) for start in range(0, len(paths), _TOGETHER)]
    runner = table.engine.runner
    at_once = 1 if runner.reach is Reach.MEMORY else runner.parallelism * _SHARES_AT_ONCE
    for start in range(0, len(shares), at_once):
        some = shares[start : start + at_once]
        if runner.reach is Reach.MEMORY:
            _delete(table.storage, *some)
        else:
            runner.run(partial(_delete, table.storage), some)
        yield sum(map(len, some))


def _delete(storage: Storage, paths: Sequence[str]) -> None:
    """Deletes files, in any order. It may be done again."""
    storage.delete_files(paths)


def _deletable(table: Table, plan: CleanPlan) -> Iterator[str]:
    """The partitions of the plan that have nothing left. While a write is pending there are none."""
    if any(instant.completes_as in WRITES for instant in table.timeline.pending):
        return
    for partition in plan.partitions:
        if has_only(table.storage, partition, ()):
            yield partition


def _record(plan: CleanPlan, time: str, deleted: Names, partitions: Sequence[str], milliseconds: int) -> dict[str, Any]:
    return {
        "startCleanTime": time,
        "timeTakenInMillis": milliseconds,
        "totalFilesDeleted": sum(map(len, deleted.values())),
        "earliestCommitToRetain": plan.retained.time if plan.retained is not None else "",
        "lastCompletedCommitTimestamp": plan.last_completed,
        "partitionMetadata": {
            partition: _of_partition(plan, partition, names, deleted=partition in partitions)
            for partition, names in deleted.items()
        },
        "version": VERSION,
        "bootstrapPartitionMetadata": {
            partition: {**_of_partition(plan, partition, (), deleted=False), **_describe_left(paths)}
            for partition, paths in plan.elsewhere.items()
        },
        "extraMetadata": dict(plan.extra),
    }


def _of_partition(plan: CleanPlan, partition: str, names: Sequence[str], *, deleted: bool) -> dict[str, Any]:
    return {
        "partitionPath": partition,
        "policy": plan.policy,
        "deletePathPatterns": list(names),
        "successDeleteFiles": list(names),
        "failedDeleteFiles": [],
        "isPartitionDeleted": deleted,
    }


def _describe_left(paths: Sequence[str]) -> dict[str, Any]:
    return {"deletePathPatterns": list(paths), "failedDeleteFiles": list(paths)}
