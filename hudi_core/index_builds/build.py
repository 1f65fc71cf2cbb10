"""Indexes built on a table that has rows, while writers continue. Rules META-80 to META-85, META-90 to META-97.

The table's lock is held to begin and to publish, for moments. Between the two every writer keeps the new partitions up to
date, so the base files need to hold no more than what the table held at the beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final, TypeVar

from hudi_core.commit.heartbeat import heartbeat
from hudi_core.commit.lock import table_lock
from hudi_core.commit.properties import change_properties
from hudi_core.commit.statuses import WriteStatus
from hudi_core.commit.steps import Create, DeleteFolder, run
from hudi_core.commit.times import Clock, next_time, system_clock
from hudi_core.errors import ConflictError, CorruptFileError, HudiError
from hudi_core.index_builds import group_files as index_files
from hudi_core.index_builds.built_rows import BuiltRows
from hudi_core.index_builds.check import metadata_fault, misses_commit
from hudi_core.index_builds.removal import complete_build, end_dead_builds, remove_partitions
from hudi_core.index_builds.undo import StateBefore, state_before, undo_build
from hudi_core.index_kinds.build_plan import IndexOptions, choose_partitions, read_kinds, refuse_renamed
from hudi_core.index_kinds.column_definitions import choose_definitions
from hudi_core.index_kinds.planned_builds import indexing_files, list_planned_builds, plan_content
from hudi_core.metadata.definitions import IndexDefinition, index_definitions
from hudi_core.metadata.kinds import beside_listing, get_known_kind, has_listing, has_statistics
from hudi_core.metadata.table import FILES, METADATA_FOLDER, MetadataTable, open_metadata_table
from hudi_core.metadata_rows.rows import IndexRows
from hudi_core.metadata_writer.building import (
    OWN_BASE_TIME_SINCE,
    NewGroups,
    groups_by_table_partition,
    groups_steps,
    new_groups,
    publishing_steps,
)
from hudi_core.metadata_writer.initial import (
    FEW_RECORDS,
    INDEX_DEFINITIONS_PATH,
    INDEX_DEFINITIONS_PROPERTY,
    INFLIGHT_PROPERTY,
    PARTITIONS_PROPERTY,
    NewPartition,
    definitions_step,
    first_commit_steps,
    first_instants,
    properties_step,
)
from hudi_core.schema.names import refuse_no_name
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.tally import Tally, refuse_other_tally
from hudi_core.timeline.instants import WRITES
from hudi_core.transactions.old_versions import refuse_read_only
from hudi_core.transactions.rollback import roll_back_failed

T = TypeVar("T", bound=Table)

Progress = Callable[[int], None]
"""Called for each base file that is written."""

_ATTEMPTS: Final = 3
"""How often a build is begun again because another writer did not keep its partitions up to date."""


@dataclass(frozen=True)
class _Build:
    """A build that has begun. `table` is the table whose rows it takes, as of its beginning."""

    table: Table
    instant_time: str
    groups: Sequence[NewGroups]
    definitions: Mapping[str, IndexDefinition]
    rows: BuiltRows
    groups_time: str
    base_time: str
    """When base files count: the time of the delta commit that publishes them."""
    clock: Clock
    before: StateBefore = field(repr=False)
    alive: ExitStack = field(repr=False)

    @property
    def partitions(self) -> tuple[str, ...]:
        return tuple(groups.partition for groups in self.groups)


def build_indexes(
    table: T,
    kinds: Sequence[str],
    options: IndexOptions | None = None,
    *,
    clock: Clock = system_clock,
    progress: Progress = lambda _: None,
    tally: Tally | None = None,
) -> T:
    """Builds indexes of a table from its files; writers may continue. Gives the table with them.

    `kinds` are as indexes are listed; `tally` gets how far the build is. Without a metadata table `files` is built first; to
    build `files` again is to build the whole metadata table again, with all its indexes. Indexes of builds that died are built
    too.
    Raises `UsageError` for indexes that cannot be or are there already, `ConflictError` where another build is running or other
    writers do not keep the index up to date, `UnsupportedError` for a table that cannot have the index, and `CorruptFileError`
    for a metadata table that has to be built again and for damaged files. Nothing is changed then. An index is built again only
    where its rows allow it; it is gone where other writers bring in meanwhile what it cannot have, or end the build.
    """
    options = options or IndexOptions()
    refuse_other_tally(tally)
    for kind in kinds:
        refuse_no_name(kind, "index")
    kinds, options = read_kinds(kinds, options)
    refuse_read_only(table.config, table.storage.uri)
    latest = refreshed(table)
    records = _record_estimate(latest, kinds, options)
    _refuse_unbuildable(latest, kinds, options, records)
    before: StateBefore | None = None
    for attempt in range(1, _ATTEMPTS + 1):
        with ExitStack() as alive:
            build = _begin(table, kinds, options, records, clock, alive, before)
            if build is None:
                return refreshed(table)
            before = build.before
            published = again = False
            try:
                published = _publish(build, _base_files(build, progress, tally))
                again = attempt < _ATTEMPTS
            finally:
                if not published:
                    alive.close()
                    _remove(build, again=again)
            if published:
                return refreshed(table)
            kinds = build.partitions
            columns = options.columns if has_statistics(kinds) else None
            options = IndexOptions(columns, options.partitioned, rebuild=True)
    raise ConflictError(
        table.storage.uri,
        expected="writers that keep indexes under construction up to date",
        found="one that does not",
    )


def build_metadata_table(
    table: Table, indexes: Sequence[str], *, partitioned_record_index: bool | None = None, clock: Clock = system_clock
) -> Table:
    """Builds the metadata table of a table again, with `files`, these partitions, and those that it had. See `build_indexes`."""
    options = IndexOptions(partitioned=partitioned_record_index, rebuild=True)
    return build_indexes(table, [FILES, *indexes], options, clock=clock)


def plan_partitions(table: Table, kinds: Sequence[str], options: IndexOptions) -> tuple[str, ...]:
    """The metadata partitions that `build_indexes` would make, of a table as it stands.

    Raises what that raises, but for conflicts and for what the rows do not allow.
    """
    return tuple(_plan_definitions(table, *read_kinds(kinds, options)))


def _plan_definitions(table: Table, kinds: Sequence[str], options: IndexOptions) -> dict[str, IndexDefinition | None]:
    """The metadata partitions that are to be made, in their order, with their definitions; None for those that have none."""
    pending = [
        partition
        for build in list_planned_builds(table.timeline)
        for partition in build.partitions
        if partition not in table.config.metadata_partitions
    ]
    partitions = choose_partitions(table, kinds, pending, options)
    definitions = choose_definitions(table, partitions, index_definitions(table.storage, table.config), options)
    return {partition: definitions.get(partition) for partition in partitions}


def _refuse_unbuildable(table: Table, kinds: Sequence[str], options: IndexOptions, records: int) -> None:
    """Raises what a build would, before it removes indexes that are there: the rows are read once more for that. META-500."""
    planned = _plan_definitions(table, kinds, options)
    if planned.keys().isdisjoint(table.config.metadata_partitions):
        return
    # The listing of a metadata table that is to be built again may be wrong.
    listed = replace(table, metadata_mode=MetadataMode.OFF, earlier=None) if has_listing(planned) else table
    definitions = {partition: known for partition, known in planned.items() if known is not None}
    others = beside_listing(planned)
    index_files.refuse_unbuildable(BuiltRows(listed), _new_groups(listed, others, definitions, records), definitions)


def _record_estimate(table: Table, kinds: Sequence[str], options: IndexOptions) -> int:
    """About how many rows an index of records begins with, read before the lock is taken; 0 where no index of records is
    built."""
    if not any(get_known_kind(name).counts_records for name in plan_partitions(table, kinds, options)):
        return 0
    return BuiltRows(table).row_count(unless=FEW_RECORDS)


def _begin(
    table: Table,
    kinds: Sequence[str],
    options: IndexOptions,
    records: int,
    clock: Clock,
    alive: ExitStack,
    before: StateBefore | None,
) -> _Build | None:
    """Under the lock: from here on every writer keeps the new partitions up to date. None where nothing is left to build.
    `before` is the state before an earlier attempt."""
    with table_lock(table.storage, clock=clock):
        table, resumed = end_dead_builds(refreshed(table), clock)
        partitions = choose_partitions(table, kinds, resumed, options)
        _refuse_damaged(table, partitions)
        table = roll_back_failed(table, clock)
        _refuse_pending(table, partitions)
        refuse_renamed(table, partitions)
        known = index_definitions(table.storage, table.config)
        definitions = choose_definitions(table, partitions, known, options)
        listing = BuiltRows(table).files() if has_listing(partitions) else None
        others = beside_listing(partitions)
        state = state_before(table) if before is None else before
        instant_time = next_time(table.timeline, clock)
        alive.enter_context(heartbeat(table.storage, instant_time))
        try:
            if others:
                plan = plan_content(table.timeline, others)
                run(table.storage, [Create(indexing_files(table, instant_time).requested, plan)])
            remove_partitions(table, partitions)
            table = refreshed(table)
            if definitions != known:
                run(table.storage, [definitions_step(definitions, table.config.index_definitions_path)])
            if listing is not None:
                _build_files(table, listing, clock)
                table = refreshed(table)
            if not others:
                return None
            build = _plan(table, instant_time, others, definitions, records, clock, state, alive)
            _begin_partitions(build)
        except BaseException:
            alive.close()
            _undo(table, state, partitions, clock)
            raise
        return build


def _refuse_damaged(table: Table, partitions: Sequence[str]) -> None:
    fault = None if has_listing(partitions) else metadata_fault(table)
    if fault is not None:
        fault.add_note("the metadata table has to be rebuilt first: hudi-core index build TABLE files --rebuild")
        raise fault


def _refuse_pending(table: Table, partitions: Sequence[str]) -> None:
    """In layout 1 a log file does not state which write made it, so files can be listed only while no write goes on.
    Raises `ConflictError`: rule RESTORE-890."""
    pending = [instant for instant in table.timeline.pending if instant.action in WRITES]
    if has_listing(partitions) and table.config.layout == 1 and pending:
        found = f"{pending[0].action} {pending[0].requested_time}"
        raise ConflictError(table.storage.uri, expected="no write under way (table version 6)", found=found)


def _build_files(table: Table, listing: IndexRows, clock: Clock) -> None:
    """The metadata table with `files` alone. Readers list folders until it is complete."""
    run(table.storage, [DeleteFolder(METADATA_FOLDER)], durable=False)
    latest = table.timeline.commits[-1].requested_time if table.timeline.commits else None
    instant_time = next(first_instants(table.config, latest))
    new = NewPartition(FILES, listing)
    completion_time = next_time(table.timeline, clock)
    run(table.storage, [properties_step(table.config)])
    run(table.storage, first_commit_steps(table.config, new, instant_time, completion_time))
    changes = {PARTITIONS_PROPERTY: FILES, INDEX_DEFINITIONS_PROPERTY: INDEX_DEFINITIONS_PATH}
    if table.config.properties.get(INDEX_DEFINITIONS_PROPERTY):
        del changes[INDEX_DEFINITIONS_PROPERTY]
    change_properties(table.storage, changes, clock)


def _plan(
    table: Table,
    instant_time: str,
    partitions: Sequence[str],
    definitions: Mapping[str, IndexDefinition],
    records: int,
    clock: Clock,
    before: StateBefore,
    alive: ExitStack,
) -> _Build:
    groups = _new_groups(table, partitions, definitions, records)
    latest = table.timeline.commits[-1].requested_time if table.timeline.commits else None
    taken = [instant.requested_time for instant in _metadata(table).timeline.instants]
    groups_time, base_time = islice(first_instants(table.config, latest, taken), 2)
    rows = BuiltRows(table)
    return _Build(table, instant_time, groups, definitions, rows, groups_time, base_time, clock, before, alive)


def _new_groups(
    table: Table, partitions: Sequence[str], definitions: Mapping[str, IndexDefinition], records: int
) -> list[NewGroups]:
    groups: list[NewGroups] = []
    for partition in partitions:
        if get_known_kind(partition).can_be_partitioned and definitions[partition].is_partitioned:
            groups.append(groups_by_table_partition(partition, {part.partition for part in table.slices()}))
        else:
            groups.append(new_groups(partition, records))
    return groups


def _begin_partitions(build: _Build) -> None:
    table, clock = build.table, build.clock
    completion_time = next_time(_metadata(table).timeline, clock, after=[build.instant_time])
    run(table.storage, groups_steps(table.config, build.groups, build.groups_time, completion_time))
    run(table.storage, [Create(indexing_files(table, build.instant_time).inflight)])
    inflight = sorted({*table.config.metadata_partitions_inflight, *build.partitions})
    changes = {INFLIGHT_PROPERTY: ",".join(inflight)}
    if build.definitions and not table.config.properties.get(INDEX_DEFINITIONS_PROPERTY):
        changes[INDEX_DEFINITIONS_PROPERTY] = INDEX_DEFINITIONS_PATH
    change_properties(table.storage, changes, clock)


def _base_files(build: _Build, progress: Progress, tally: Tally | None) -> list[WriteStatus]:
    """Without the lock: base files of what the table held when the build began."""
    version = build.table.config.version
    file_time = build.base_time if version >= OWN_BASE_TIME_SINCE else build.groups_time
    return list(
        index_files.write_base_files(
            build.rows,
            build.groups,
            build.definitions,
            file_time,
            build.groups_time,
            build.instant_time,
            progress,
            tally,
        )
    )


def _publish(build: _Build, statuses: Sequence[WriteStatus]) -> bool:
    """Under the lock: readers may use the partitions from here on. False where another writer did not keep them up to date."""
    storage, clock = build.table.storage, build.clock
    with table_lock(storage, clock=clock):
        latest = refreshed(build.table)
        _refuse_removed(build, latest)
        metadata = _metadata(latest)
        taken = {instant.requested_time for instant in metadata.timeline.instants}
        if build.base_time in taken or misses_commit(build.table, latest, metadata, build.partitions, statuses):
            return False
        completion_time = next_time(metadata.timeline, clock, after=[build.instant_time])
        run(storage, publishing_steps(latest.config, statuses, build.base_time, completion_time))
        complete = sorted({*latest.config.metadata_partitions, *build.partitions})
        inflight = sorted(set(latest.config.metadata_partitions_inflight) - set(build.partitions))
        change_properties(
            storage, {PARTITIONS_PROPERTY: ",".join(complete), INFLIGHT_PROPERTY: ",".join(inflight)}, clock
        )
        complete_build(latest, build.table.timeline, build.instant_time, build.partitions, clock)
    return True


def _refuse_removed(build: _Build, latest: Table) -> None:
    mine = any(planned.instant.requested_time == build.instant_time for planned in list_planned_builds(latest.timeline))
    if not mine or not set(build.partitions) <= set(latest.config.metadata_partitions_inflight):
        found = "one that another writer removed"
        raise ConflictError(latest.storage.uri, expected=f"index build {build.instant_time} under way", found=found)


def _remove(build: _Build, *, again: bool) -> None:
    """Removes a build that ended early; with `again` it is begun anew, by the definitions that stand."""
    with suppress(HudiError), table_lock(build.table.storage, clock=build.clock):
        if again:
            end_dead_builds(refreshed(build.table), build.clock)
        else:
            _undo(build.table, build.before, build.partitions, build.clock, build.groups_time)


def _undo(
    table: Table, before: StateBefore, partitions: Sequence[str], clock: Clock, groups_time: str | None = None
) -> None:
    """What ended the build is the error that counts, whatever comes here: the next build removes what is left."""
    with suppress(HudiError):
        undo_build(refreshed(table), before, partitions, clock, groups_time)


def _metadata(table: Table) -> MetadataTable:
    metadata = open_metadata_table(table.storage, table.config, table.timeline)
    if metadata is None:
        where = f"{table.storage.uri}/{METADATA_FOLDER}"
        found = ", ".join(table.config.metadata_partitions) or "none"
        raise CorruptFileError(where, expected="files among its partitions", found=found)
    return metadata
