"""Taking back a write that failed in its work, or a plan whose run did, as if it had not been.

Nobody has seen anything of such a write: no commit names its files, and neither does the metadata table. So no rollback has to
tell of it. Rules COMMIT-500, COMMIT-501, COMMIT-1410.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Set
from contextlib import ExitStack, contextmanager, suppress

from hudi_core.commit.heartbeat import heartbeat_path
from hudi_core.commit.lock import table_lock
from hudi_core.commit.markers import PARTITION_METADATA, list_marked_files, marker_folder
from hudi_core.commit.steps import Delete, DeleteMany, Ensure, run
from hudi_core.commit.times import Clock
from hudi_core.engine import Storage
from hudi_core.errors import HudiError, StorageError
from hudi_core.formats.names import parse_base_file
from hudi_core.formats.properties import parse_properties
from hudi_core.metadata_writer.undo import undo_steps
from hudi_core.options import FOLDER
from hudi_core.paths import join_paths, partition_path
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.files import read_if_there
from hudi_core.timeline.instants import CLUSTERING, REPLACE_COMMIT, ROLLBACK, Instant, InstantFiles, InstantState
from hudi_core.transactions.rollback_plans import rollback_plan
from hudi_core.transactions.schema_commit import undo_schema_commit


def take_back(table: Table, instant: Instant, partitions: Collection[str], *, keep_plan: bool) -> None:
    """Removes the files of a pending write, and the partitions of these that it began. With `keep_plan` its request stays.

    To be called under the table's lock, by the process that wrote, before it has changed the metadata table. A process that dies
    on the way leaves a dead write, which the next writer rolls back.
    """
    storage, time = table.storage, instant.requested_time
    files = InstantFiles(table.timeline.folder, table.config.layout, time, instant.action)
    # It announced each of its files before it made it.
    if storage.list(marker_folder(time), recursive=True):
        run(storage, [DeleteMany(rollback_plan(table, instant).files)])
    if all(pending.requested_time == time for pending in table.timeline.pending):
        # A writer that goes on may have taken a new partition for one that stays.
        for partition in sorted(partitions):
            _remove_new_partition(storage, partition, time)
    run(storage, [Delete(files.inflight), *([] if keep_plan else [Delete(files.requested)])])
    storage.delete_folder(marker_folder(time))


def take_back_commit(table: Table, instant: Instant, partitions: Collection[str], *, keep_plan: bool) -> None:
    """Takes back a write that failed while it was committed and whose rollback could not begin: a full disk takes deletions.
    Nothing where a rollback has begun, or has to be written: that of rows in log files of other writes.

    To be called as `take_back`, for a write that readers take for pending. Rule COMMIT-1410.
    """
    storage, time = table.storage, instant.requested_time
    if any(one.action == ROLLBACK for one in table.timeline.pending) or rollback_plan(table, instant).shared:
        return
    run(storage, [*undo_steps(storage, time), *undo_schema_commit(storage, time)])
    take_back(table, instant, partitions, keep_plan=keep_plan)


def forget(table: Table, time: str, action: str) -> None:
    """Removes what a run wrote after another writer had rolled its write back: its data files and its records in the metadata
    table. The markers of files that it announced before are gone with the rollback, so they are looked for by their names: once
    earlier instants are archived, such a file would count. To be called under the table's lock, by the process that wrote. Rules
    COMMIT-532, COMMIT-1437."""
    storage = table.storage
    written = rollback_plan(table, Instant(time, action, InstantState.INFLIGHT, None, ""), everywhere=True)
    run(storage, [DeleteMany(written.files)])
    run(storage, undo_steps(storage, time))
    storage.delete_folder(marker_folder(time))


def show_death(storage: Storage, time: str) -> None:
    """Leaves a heartbeat that nobody renews, also where it was removed: the run of a plan that never had any counts as going on.
    Rule COMMIT-1411."""
    with suppress(HudiError):
        run(storage, [Ensure(heartbeat_path(time))])


@contextmanager
def lock_to_undo(storage: Storage, clock: Clock, make_room: Callable[[], bool]) -> Iterator[bool]:
    """The table's lock, to undo a write. A full disk has no room for it either: then it is taken once `make_room` has made some.
    Gives whether it did. Rule COMMIT-1607."""
    with ExitStack() as held:
        has_made_room = False
        try:
            held.enter_context(table_lock(storage, clock=clock))
        except StorageError:
            if not make_room():
                raise
            has_made_room = True
            held.enter_context(table_lock(storage, clock=clock))
        yield has_made_room


def delete_base_files(storage: Storage, paths: Collection[str]) -> None:
    """Deletes those of a write's data files that are base files: these names no other write gives, unlike those of log files."""
    bases = sorted(path for path in paths if parse_base_file(path.rpartition("/")[2]) is not None)
    run(storage, [DeleteMany(tuple(bases))], durable=False)


def list_left_files(table: Table, announced: Set[str], instant: Instant) -> tuple[str, ...]:
    """The files that a run announced and another run does not have, which took its plan over under the same time: they would
    count with its commit. Files of compactions have the same names in each run. Rule COMMIT-1438."""
    if instant.completed:
        stats = table.timeline.metadata(instant).stats.values()
        other_paths = {path for of_partition in stats for stat in of_partition for path in (stat.path, *stat.cdc_files)}
    elif instant.action in (CLUSTERING, REPLACE_COMMIT):
        other_paths = {path for path, _ in list_marked_files(table.storage, instant.requested_time)}
    else:
        return ()
    return tuple(sorted(announced - other_paths))


def take_back_plan(table: Table, instant: Instant, clock: Clock) -> bool:
    """Removes a plan of this process whose run failed. False where it has to stay, or to be rolled back: others
    began to work since, and may count on it."""
    storage = table.storage
    with table_lock(storage, clock=clock):
        timeline = refreshed(table).timeline
        latest = max(one.requested_time for one in timeline.instants)
        mine = [one for one in timeline.pending if one.requested_time == instant.requested_time]
        if [one.state for one in mine] != [InstantState.REQUESTED] or latest > instant.requested_time:
            return False
        run(storage, [Delete(f"{timeline.folder}/{mine[0].file}")])
    return True


def _remove_new_partition(storage: Storage, partition: str, time: str) -> None:
    """Removes a partition that the write of this time began, unless it has files by now, and the folders that it leaves empty."""
    folder = partition_path(partition)
    path = join_paths(folder, PARTITION_METADATA)
    content = read_if_there(storage, path)
    if content is None or parse_properties(content, f"{storage.uri}/{path}").get("commitTime") != time:
        return
    if [info.path for info in storage.list(folder, recursive=True, without=FOLDER)] != [path]:
        return
    storage.delete(path)
    for empty in _upwards(folder):
        if storage.list(empty, recursive=True):
            return
        storage.delete_folder(empty)


def _upwards(folder: str) -> Iterator[str]:
    """A folder and those that hold it, up to the table's root, which is left out."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
