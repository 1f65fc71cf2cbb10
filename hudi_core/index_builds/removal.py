"""Dropping indexes, and removing what dead builds have left behind. Rules META-85, META-94, META-95."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

from hudi_core.commit.heartbeat import is_alive
from hudi_core.commit.lock import table_lock
from hudi_core.commit.properties import change_properties
from hudi_core.commit.steps import Create, Delete, DeleteFolder, run, sync_changes
from hudi_core.commit.times import Clock, next_time, system_clock
from hudi_core.errors import ConflictError, UsageError
from hudi_core.index_kinds.planned_builds import (
    PlannedBuild,
    indexing_files,
    list_planned_builds,
    make_completed_content,
)
from hudi_core.metadata.definitions import IndexDefinition, index_definitions
from hudi_core.metadata.kinds import KINDS, dependents, has_listing
from hudi_core.metadata.table import METADATA_FOLDER
from hudi_core.metadata_writer.initial import INFLIGHT_PROPERTY, PARTITIONS_PROPERTY, definitions_step
from hudi_core.options import FOLDER
from hudi_core.schema.names import refuse_no_name
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.instants import InstantState
from hudi_core.timeline.timeline import Timeline
from hudi_core.transactions.old_versions import refuse_read_only


def drop_index(table: Table, name: str, *, dry_run: bool = False, clock: Clock = system_clock) -> tuple[str, ...]:
    """Drops an index by name, and returns the names of all metadata partitions that went with it.

    Dropping `files` removes the whole metadata table. Dropping `column_stats` removes `partition_stats`, too, and dropping the
    record index removes the secondary indexes. What a dead build has left of the index is removed as well. Raises `UsageError`
    if there is no such index, and `ConflictError` while it is being built.
    """
    refuse_read_only(table.config, table.storage.uri)
    refuse_no_name(name, "index")
    with table_lock(table.storage, clock=clock):
        table = refreshed(table)
        builds = list_planned_builds(table.timeline)
        building = {partition for build in builds for partition in build.partitions}
        # A definition alone is what a drop leaves that storage ended.
        defined = index_definitions(table.storage, table.config)
        there = {*table.config.kept_partitions, *find_left_over(table), *building, *defined}
        partition = _partition_named(name, there, defined)
        gone = {partition} | dependents(partition, there)
        refuse_living(table, [build for build in builds if gone & set(build.partitions)], clock())
        if not dry_run:
            remove_partitions(table, gone)
            remove_definitions(table, gone)
            for build in builds:
                if gone.issuperset(build.partitions):
                    _forget(table, build)
    return tuple(sorted(gone))


def _partition_named(name: str, there: Collection[str], defined: Mapping[str, IndexDefinition]) -> str:
    """The metadata partition of an index by its own name, by the one that it was given, or by that of a partitioned one."""
    partitioned = (kind.name for kind in KINDS if kind.can_be_partitioned and name == kind.partitioned_name)
    of_kinds = [partition for partition in partitioned if partition in defined and defined[partition].is_partitioned]
    for partition in (name, *(kind.partition(name) for kind in KINDS.named), *of_kinds):
        if partition in there:
            return partition
    expected = f"one of {', '.join(sorted(there))}" if there else "an index of the table"
    raise UsageError("index", expected=expected, found=repr(name))


def find_left_over(table: Table) -> set[str]:
    """Folders of the metadata table that no property names: remains of an index."""
    files = table.storage.list(METADATA_FOLDER, recursive=True, without=FOLDER)
    places = [info.path.removeprefix(f"{METADATA_FOLDER}/").partition("/") for info in files]
    return {folder for folder, slash, _ in places if slash} - table.config.kept_partitions


def refuse_living(table: Table, builds: Collection[PlannedBuild], now: datetime) -> None:
    """Raises `ConflictError` where one of these builds is running."""
    for build in builds:
        if is_alive(table.storage, build.instant.requested_time, now):
            found = f"indexing {build.instant.requested_time} of {', '.join(build.partitions)}"
            raise ConflictError(table.storage.uri, expected="no other index build under way", found=found)


def end_dead_builds(table: Table, clock: Clock) -> tuple[Table, tuple[str, ...]]:
    """The table without what dead builds left, and the partitions that these were to make.

    A build whose partitions are all published is completed. Raises `ConflictError` where one goes on, or may: builds of Apache
    Hudi have no heartbeat, and people have to drop them.
    """
    builds = list_planned_builds(table.timeline)
    refuse_living(table, builds, clock())
    foreign = next((build for build in builds if not build.own), None)
    if foreign is not None:
        expected = "no index build of another writer; one that died goes when its index is dropped"
        found = f"indexing {foreign.instant.requested_time} of {', '.join(foreign.partitions)}"
        raise ConflictError(table.storage.uri, expected=expected, found=found)
    unfinished: list[str] = []
    for build in builds:
        missing = [partition for partition in build.partitions if partition not in table.config.metadata_partitions]
        has_begun = build.instant.state is not InstantState.REQUESTED  # else they are those that it was to replace
        if missing or not build.partitions or not has_begun:
            remove_partitions(table, missing)
            _forget(table, build)
        else:
            complete_build(table, table.timeline, build.instant.requested_time, build.partitions, clock)
        unfinished += missing
    return refreshed(table), tuple(dict.fromkeys(unfinished))


def complete_build(
    table: Table, planned_on: Timeline, instant_time: str, partitions: Collection[str], clock: Clock
) -> None:
    """Completes the `indexing` instant of a build whose partitions are published."""
    files = indexing_files(table, instant_time)
    completion_time = next_time(refreshed(table).timeline, clock, after=[instant_time])
    content = make_completed_content(planned_on, tuple(partitions))
    run(table.storage, [Create(files.inflight), Create(files.name_completed(completion_time), content)])


def remove_partitions(table: Table, names: Collection[str]) -> None:
    """Removes metadata partitions: from the table properties, then their files. `files` stands for the whole metadata table."""
    config = table.config
    complete = [name for name in config.metadata_partitions if name not in names]
    inflight = [name for name in config.metadata_partitions_inflight if name not in names]
    is_whole = has_listing(names)
    if is_whole:
        complete, inflight = [], []
    if len(complete) < len(config.metadata_partitions) or len(inflight) < len(config.metadata_partitions_inflight):
        changes = {PARTITIONS_PROPERTY: ",".join(complete), INFLIGHT_PROPERTY: ",".join(inflight)}
        change_properties(table.storage, changes)
    folders = [METADATA_FOLDER] if is_whole else [f"{METADATA_FOLDER}/{name}" for name in names]
    run(table.storage, map(DeleteFolder, folders), durable=False)
    sync_changes(table.storage)


def remove_definitions(table: Table, names: Collection[str]) -> None:
    """Removes the definitions of metadata partitions."""
    known = index_definitions(table.storage, table.config)
    left = {name: definition for name, definition in known.items() if name not in names}
    if len(left) < len(known):
        run(table.storage, [definitions_step(left, table.config.index_definitions_path)])


def _forget(table: Table, build: PlannedBuild) -> None:
    files = indexing_files(table, build.instant.requested_time)
    run(table.storage, [Delete(files.inflight), Delete(files.requested)])
