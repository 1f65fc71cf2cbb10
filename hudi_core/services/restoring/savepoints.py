"""Savepoints: writes whose files no clean deletes, and to which a table can be restored. Rules RESTORE-450 to RESTORE-452."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress

from hudi_core.commit.avro_schemas import SAVEPOINT_METADATA
from hudi_core.commit.lock import table_lock
from hudi_core.commit.steps import Create, Delete, run
from hudi_core.commit.times import Clock, next_time, system_clock
from hudi_core.errors import AlreadyExistsError, ConflictError, HudiError, UsageError, list_times
from hudi_core.formats.avro.container import write_container
from hudi_core.services.cleaning.plan import read_plan
from hudi_core.services.restoring.result import SavepointResult
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.tally import LISTING_FILES, WRITING, Tally, refuse_other_tally
from hudi_core.timeline.instants import CLEAN, SAVEPOINT, Instant, InstantFiles, describe_time
from hudi_core.timeline.services import savepoint as read_savepoint
from hudi_core.timeline.services import savepoints as saved_times
from hudi_core.transactions.refusals import refuse_unwritable


def savepoint(
    table: Table,
    instant: str | None = None,
    *,
    by: str = "",
    comment: str = "",
    clock: Clock = system_clock,
    tally: Tally | None = None,
) -> SavepointResult:
    """Saves a completed write, by its requested time; without one the latest.

    From then on no clean deletes the files of that state, archiving stops before it, and the table can be restored to it. `tally`
    gets how many of its files are recorded.
    Raises `UsageError` for a time that is no completed write of the timeline, that is saved already, or whose files were cleaned
    away, and `UnsupportedError` for a table that this library does not write to. Then nothing is written.
    """
    refuse_other_tally(tally)
    with table_lock(table.storage, clock=clock):
        latest = refreshed(table)
        refuse_unwritable(latest, merges=False, changes_files=False)
        time = _find_completed_write(latest, instant)
        if time in saved_times(latest.timeline):
            raise UsageError("savepoint", expected="a write without a savepoint", found=f"a savepoint of {time}")
        files: dict[str, list[str]] = defaultdict(list)
        if tally is not None:
            tally.enter(LISTING_FILES)
        for file_slice in latest.slices(time):  # raises where files of the state were cleaned away
            files[file_slice.partition] += [file.name for file in file_slice.files]
        count = sum(map(len, files.values()))
        if tally is not None:
            tally.enter(WRITING, count)
        _refuse_deleted(latest, time, files)
        record = {
            "savepointedBy": by,
            "savepointedAt": int(clock().timestamp() * 1000),
            "comments": comment,
            "partitionMetadata": {
                partition: {"partitionPath": partition, "savepointDataFile": names}
                for partition, names in files.items()
            },
            "version": 1,
        }
        names = _files(latest, time)
        completed = names.name_completed(next_time(latest.timeline, clock))
        begun = [Delete(_files(latest, other).inflight) for other in _dead(latest) if other != time]
        content = write_container(SAVEPOINT_METADATA, [record])
        run(latest.storage, begun)
        try:
            run(latest.storage, [Create(names.inflight), Create(completed, content)])
        except AlreadyExistsError:  # another process's
            raise
        except BaseException:
            # Whatever ended it is the error that counts; what cannot be removed goes with the next savepoint.
            with suppress(HudiError):
                run(latest.storage, [Delete(completed), Delete(names.inflight)])
            raise
        if tally is not None:
            tally.add(done=count)
    return SavepointResult(time, "saved", by, comment, count)


def list_savepoints(table: Table) -> list[SavepointResult]:
    """Lists the savepoints of the table as it is now, oldest first."""
    latest = refreshed(table)
    return [_result(latest, instant, "saved") for instant in _savepoints(latest)]


def drop_savepoint(table: Table, instant: str, *, clock: Clock = system_clock) -> SavepointResult:
    """Drops a savepoint: the next clean may delete its files. Raises `UsageError` where there is none of this time."""
    with table_lock(table.storage, clock=clock):
        latest = refreshed(table)
        refuse_unwritable(latest, merges=False, changes_files=False)
        if instant in _dead(latest):
            run(latest.storage, [Delete(_files(latest, instant).inflight)])
            return SavepointResult(instant, "dropped", "", "", 0)
        present = _savepoints(latest)
        dropped = next((one for one in present if one.requested_time == instant), None)
        if dropped is None:
            times = list_times([one.requested_time for one in present])
            raise UsageError("savepoint", expected=f"a savepoint of the table ({times})", found=describe_time(instant))
        result = _result(latest, dropped, "dropped")
        completed = f"{latest.timeline.folder}/{dropped.file}"
        run(latest.storage, [Delete(completed), Delete(_files(latest, instant).inflight)])
    return result


def _refuse_deleted(table: Table, time: str, files: Mapping[str, Sequence[str]]) -> None:
    """Raises `ConflictError` where a clean that is under way is about to delete a file of the state: it does so without the
    table's lock. Rule RESTORE-531."""
    for instant in table.timeline.pending:
        if instant.action == CLEAN:
            planned = read_plan(table.timeline, instant).files
            lost = sorted(
                name for partition, names in files.items() for name in set(names) & {*planned.get(partition, ())}
            )
            if lost:
                found = f"clean {instant.requested_time} is about to delete {lost[0]}"
                raise ConflictError(f"savepoint {time}", expected="a state whose files remain", found=found)


def _dead(table: Table) -> list[str]:
    """The times of savepoints whose making or dropping died: both are done under the table's lock alone. Rule RESTORE-530."""
    return [instant.requested_time for instant in table.timeline.pending if instant.action == SAVEPOINT]


def _savepoints(table: Table) -> list[Instant]:
    return [instant for instant in table.timeline.instants if instant.action == SAVEPOINT and instant.completed]


def _result(table: Table, instant: Instant, state: str) -> SavepointResult:
    record = read_savepoint(table.timeline, instant)
    count = sum(len(partition.files) for partition in record.partitions.values())
    return SavepointResult(instant.requested_time, state, record.by, record.comments, count)


def _find_completed_write(table: Table, instant: str | None) -> str:
    commits = table.timeline.commits
    if not commits:
        raise UsageError("savepoint", expected="a table with a completed write", found="none")
    if instant is None:
        return commits[-1].requested_time
    times = [commit.requested_time for commit in commits]
    if instant not in times:
        expected = f"a completed write of the timeline ({list_times(times)})"
        raise UsageError("savepoint", expected=expected, found=describe_time(instant, commits))
    return instant


def _files(table: Table, time: str) -> InstantFiles:
    return InstantFiles(table.timeline.folder, table.config.layout, time, SAVEPOINT)
