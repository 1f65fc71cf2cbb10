"""The plans of operations: the place of every row, and the tasks that write it there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.by_need import ModuleByNeed
from hudi_core.errors import UnsupportedError
from hudi_core.merge.rules import merge_rules
from hudi_core.planning.sources.sources import Sources
from hudi_core.schema.schema import Schema
from hudi_core.table.table import Table
from hudi_core.tagging.bucket_layout import INDEX_TYPE, BucketLayout, bucket_layout
from hudi_core.tagging.choose import IndexType, finds_keys_anywhere
from hudi_core.tagging.key_columns import NOWHERE, KeyColumns, Locations, slices_of_partitions, take_keys
from hudi_core.tagging.tag import Tagger, TagOptions
from hudi_core.timeline.services import list_logs_to_compact
from hudi_core.transactions.refusals import list_excluded_groups
from hudi_core.writing.bucket_places import bucket_places
from hudi_core.writing.bucket_plan import BucketUse, plan_buckets
from hudi_core.writing.deleted_keys import settle_deleted_rows, with_deleted_keys
from hudi_core.writing.duplicates import DuplicatePolicy, places_without_duplicates
from hudi_core.writing.incoming import Incoming, file_schema
from hudi_core.writing.moves import resolve_moves
from hudi_core.writing.operation import Operation, WriteOptions, order_of, policy_of, writes_logs
from hudi_core.writing.partial_rows import merges_partial_rows, of_columns
from hudi_core.writing.plan import Planner
from hudi_core.writing.row_size import row_bytes
from hudi_core.writing.single_places import locate_single
from hudi_core.writing.task_rows import (
    Places,
    RowOrder,
    deletes_of_tasks,
    group_by_partition,
    rows_of_tasks,
    with_deleted_places,
    without_removed,
)
from hudi_core.writing.tasks import Task
from hudi_core.writing.update_outcomes import deleting_tasks, merging_tasks
from hudi_core.writing.write_properties import needs_record_index
from hudi_core.writing.write_run import Planned

if TYPE_CHECKING:
    from hudi_core.writing import keys_to_compact
else:
    keys_to_compact = ModuleByNeed("hudi_core.writing.keys_to_compact")  # where a compaction waits

_NONE: Final = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class LocatedKeys:
    """Keys of a table and where each of them is."""

    keys: KeyColumns
    places: Locations
    repeated: frozenset[int] = frozenset()
    """The slices whose base files have several rows of one of the keys."""


def locate_keys(table: Table, keys: KeyColumns, options: WriteOptions) -> LocatedKeys:
    """The keys that the table has, each with every slice that holds it."""
    tagger = Tagger(table, tag_options(table, options))
    if len(keys) == 0 or len(tagger.sources.snapshot.slices) == 0:
        return LocatedKeys(take_keys(keys, _NONE), Locations.nowhere(0))
    rows, places, repeated = tagger.locate_every(keys)
    return LocatedKeys(take_keys(keys, rows), places, repeated)


def plan_deletes(table: Table, located: LocatedKeys, instant_time: str, options: WriteOptions) -> Planned:
    """The tasks that delete the rows of keys."""
    places = located.places
    slices = set(np.unique(places.slices[places.slices != NOWHERE]).tolist())
    routes = Planner(Sources(table.snapshot()), instant_time, 1.0).delete(slices, logs=writes_logs(table))
    tasks = deletes_of_tasks(routes, located.keys, Places(places.slices, _positions(places, options)))
    return Planned(with_every_row(table, tasks, located.repeated))


def with_every_row(table: Table, tasks: Sequence[Task], repeated: frozenset[int]) -> tuple[Task, ...]:
    """The tasks of a delete, so that every row of its keys goes, also from the slices `repeated`, which have several of one."""
    slices = table.snapshot().slices
    return deleting_tasks(table, tasks, {slices[number] for number in repeated})


def without_logs(table: Table, tasks: Sequence[Task], unlogged: Set[int]) -> tuple[Task, ...]:
    """The tasks of an upsert, of which some slices, by number, get no log file."""
    if not unlogged:
        return tuple(tasks)
    slices = table.snapshot().slices
    return merging_tasks(table, tasks, {slices[number] for number in unlogged})


def plan_upsert(
    table: Table,
    incoming: Incoming,
    instant_time: str,
    options: WriteOptions,
    removes: Bools | None = None,
    deleted: LocatedKeys | None = None,
    *,
    once: bool = False,
) -> Planned:
    """The tasks that merge rows into the table, and delete the keys of the rows that `removes` has, and those of `deleted`, which
    no row has. With `once` a key that several rows of the table have is a `RowError`."""
    layout = bucket_layout(table, options.properties)
    if layout is not None:
        operation = Operation.UPSERT
        return plan_in_buckets(table, incoming, operation, instant_time, options, layout, removes, deleted, once=once)
    tagger, located = locate(table, incoming.keys, options, once=once)
    bytes_of_row = row_bytes(tagger.sources, file_schema(incoming.table), incoming.spool, options.sizes.target)
    places = upsert_places(tagger, incoming, located, options, wins=removes is not None)
    if removes is not None:
        places = without_removed(places, incoming.keys.records, removes)
    if deleted is not None:
        places = with_deleted_places(places, deleted.keys.records, deleted.places.slices)
    planner = Planner(tagger.sources, instant_time, bytes_of_row, options.sizes, list_excluded_groups(table))
    inserts = {path: len(rows) for path, rows in group_by_partition(incoming.keys, places.new_rows)}
    routes = planner.upsert(places.updates, set(places.leaving), inserts, logs=writes_logs(table))
    tasks = rows_of_tasks(routes, incoming.keys, places, RowOrder.GLOBAL)
    tasks = without_logs(table, tasks, places.unlogged)
    return Planned(tasks if deleted is None else with_every_row(table, tasks, deleted.repeated), spool=incoming.spool)


def plan_changes(
    table: Table, incoming: Incoming, places: Locations, instant_time: str, options: WriteOptions
) -> Planned:
    """The tasks that put rows in the place of those that were read there. All stay in their file groups, also in buckets."""
    planner = Planner(Sources(table.snapshot()), instant_time, 1.0, options.sizes)
    own = Places(places.slices, _positions(places, options))
    routes = planner.upsert(own.updates, set(), {}, logs=writes_logs(table))
    tasks = rows_of_tasks(routes, incoming.keys, own, RowOrder.GLOBAL)
    return Planned(tasks, spool=incoming.spool, stays=True)


def plan_in_buckets(
    table: Table,
    incoming: Incoming,
    operation: Operation,
    instant_time: str,
    options: WriteOptions,
    layout: BucketLayout,
    removes: Bools | None = None,
    deleted: LocatedKeys | None = None,
    *,
    once: bool = False,
) -> Planned:
    """The tasks that put rows into the buckets of their keys: merged with those of their keys, or added to copy-on-write files as
    they are by operations that only add. `removes`, `deleted` and `once` are as in `plan_upsert`."""
    use, policy = bucket_use(table, operation), policy_of(table, operation, options)
    looks_up = use.looks_up(removes=removes is not None or policy is not DuplicatePolicy.NONE)
    if looks_up:
        tagger, located = locate(table, incoming.keys, options, once=once)
        sources = tagger.sources
    else:
        sources, located = Sources(table.snapshot()), Locations.nowhere(len(incoming.keys))
    partitions = [path for path, _ in incoming.keys.by_partition()]
    buckets, steps = bucket_places(sources.snapshot, partitions, layout, anew=use.anew)
    planner = Planner(sources, instant_time, 1.0, options.sizes)
    places = Places(located.slices, _positions(located, options))
    if policy is not DuplicatePolicy.NONE:
        places = places_without_duplicates(incoming.keys, located.slices, policy, whole_table=False)
    if removes is not None:
        places = without_removed(places, incoming.keys.records, removes)
    if looks_up:
        places = with_deletes_in_buckets(tagger, incoming, places, wins=removes is not None)
    if deleted is not None:
        places = with_deleted_places(places, deleted.keys.records, deleted.places.slices)
    tasks = without_logs(table, plan_buckets(planner, incoming.keys, buckets, places, use), places.unlogged)
    if deleted is not None:
        tasks = with_every_row(table, tasks, deleted.repeated)
    return Planned(tasks, list_replaced_groups(table, operation, partitions), spool=incoming.spool, before=steps)


def bucket_use(table: Table, operation: Operation) -> BucketUse:
    """What an operation does with the rows that it puts into buckets."""
    return BucketUse(writes_logs(table), not operation.adds_alone, operation.overwrites)


def upsert_places(
    tagger: Tagger, incoming: Incoming, located: Locations, options: WriteOptions, *, wins: bool
) -> Places:
    """Where rows go that are merged with those of their keys, which were located; `wins`: they win whatever these are."""
    places = Places(located.slices, _positions(located, options))
    if tagger.options.whole_table:
        moves = options.moves(tagger.table.config.properties)
        resolved = resolve_moves(tagger.sources, incoming, located.slices, moves=moves, wins=wins)
        positions = places.positions
        if positions is not None:  # that of a row which moves is its place in the slice that it leaves
            positions = np.where(resolved.places == located.slices, positions, NOWHERE)
        places = replace(places, slices=resolved.places, positions=positions, leaving=resolved.leaving)
    if not writes_logs(tagger.table):
        return places
    with_deleted = _with_deleted_keys(tagger, incoming.keys, places.slices)
    deleted = with_deleted != places.slices
    deleted_in = np.where(deleted, with_deleted, NOWHERE)
    places = replace(places, slices=with_deleted, new=deleted, deleted_in=deleted_in)
    return places if wins else settle_deleted_rows(tagger.sources, incoming, places)


def with_deletes_in_buckets(tagger: Tagger, incoming: Incoming, places: Places, *, wins: bool) -> Places:
    """The places of rows in buckets, with the slices whose log files delete keys of theirs; `wins` as in `upsert_places`. The
    slices were looked into: no other is read than those with such deletes, and none where the newer row wins in any case."""
    table = tagger.table
    if not writes_logs(table) or merge_rules(table.config, table.storage.uri).newer_wins:
        return places
    with_deleted = _with_deleted_keys(tagger, incoming.keys, places.slices)
    places = replace(places, deleted_in=np.where(with_deleted != places.slices, with_deleted, NOWHERE))
    return places if wins else settle_deleted_rows(tagger.sources, incoming, places)


def _with_deleted_keys(tagger: Tagger, keys: KeyColumns, places: Numbers) -> Numbers:
    """The slices of keys, with those of keys that log files delete and that a base file has, or will have once a planned
    compaction ran. In buckets the slices were looked into: no other is read than those with such deletes."""
    stored, in_buckets = tagger.stored, tagger.options.index is IndexType.BUCKET
    completed = with_deleted_keys(stored, keys, places, stored.deleting if in_buckets else None)
    planned = list_logs_to_compact(stored.sources.snapshot.timeline)
    if not planned:
        return completed
    place = (lambda wanted, _: tagger.place(wanted)) if in_buckets else slices_of_partitions
    return keys_to_compact.with_keys_to_compact(stored, keys, completed, planned, place)


def _positions(located: Locations, options: WriteOptions) -> Numbers | None:
    return located.positions if options.record_positions else None


def plan_rows(
    table: Table, incoming: Incoming, operation: Operation, instant_time: str, options: WriteOptions
) -> Planned:
    """The tasks that write all rows of an operation."""
    if operation is Operation.UPSERT:
        planned = plan_upsert(table, incoming, instant_time, options)
        return of_given_columns(planned, table, incoming.table, incoming.kept, options)
    layout = bucket_layout(table, options.properties)
    if layout is not None:
        return plan_in_buckets(table, incoming, operation, instant_time, options, layout)
    return _plan_added(table, incoming, operation, instant_time, options)


def _plan_added(
    table: Table, incoming: Incoming, operation: Operation, instant_time: str, options: WriteOptions
) -> Planned:
    """The tasks that add rows to small files and to new ones, and the file groups that are replaced by them."""
    sources, keys = Sources(table.snapshot()), incoming.keys
    bytes_of_row = row_bytes(sources, file_schema(incoming.table), incoming.spool, options.sizes.target)
    planner = Planner(sources, instant_time, bytes_of_row, options.sizes, list_excluded_groups(table))
    places = _place_added(table, keys, operation, options)
    inserts = {path: len(rows) for path, rows in group_by_partition(keys, places.new_rows)}
    routes = planner.insert(inserts, fill=operation is Operation.INSERT)
    tasks = rows_of_tasks(routes, keys, places, order_of(table, operation, options))
    return Planned(tasks, list_replaced_groups(table, operation, inserts))


def _place_added(table: Table, keys: KeyColumns, operation: Operation, options: WriteOptions) -> Places:
    """The places of rows that are added. Those whose key is there are looked up where a policy says so, anew in each attempt."""
    policy = policy_of(table, operation, options)
    if policy is DuplicatePolicy.NONE:
        return Places(np.full(len(keys), NOWHERE, np.int64))
    tagger, located = locate(table, keys, options)
    return places_without_duplicates(keys, located.slices, policy, whole_table=tagger.options.whole_table)


def of_given_columns(
    planned: Planned, table: Table, schema: Schema, kept: frozenset[int], options: WriteOptions
) -> Planned:
    """The plan of an upsert of rows that lack the columns `kept`, which log files lack too where that is wanted and means the
    same. `schema` is what the table's becomes."""
    if not (kept and options.partial_updates and merges_partial_rows(table)):
        return planned
    return of_columns(planned, frozenset(field.name for field in schema.fields if field.id not in kept))


def list_replaced_groups(table: Table, operation: Operation, partitions: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The file groups that an operation with rows of these partitions replaces."""
    if operation is Operation.INSERT_OVERWRITE_TABLE:
        return list_groups(table, None)
    if operation is Operation.INSERT_OVERWRITE:
        return list_groups(table, tuple(partitions))
    return {}


def list_groups(table: Table, partitions: Sequence[str] | None) -> dict[str, tuple[str, ...]]:
    """The ids of the file groups of partitions, None for all."""
    groups: dict[str, list[str]] = {}
    wanted = None if partitions is None else set(partitions)
    for file_slice in table.slices():
        if wanted is None or file_slice.partition in wanted:
            groups.setdefault(file_slice.partition, []).append(file_slice.file_id)
    return {partition: tuple(ids) for partition, ids in groups.items()}


def tag_options(table: Table, options: WriteOptions) -> TagOptions:
    """How a write locates keys. A record index that is not partitioned has each key once in the whole table, so with one a key is
    looked for in all partitions; in a table of buckets in the file group that its hash names."""
    layout = bucket_layout(table, options.properties)
    if layout is None:
        whole_table = finds_keys_anywhere(table.snapshot())
        if needs_record_index(options.properties) and not whole_table:
            found = f"{INDEX_TYPE}={options.properties[INDEX_TYPE]}"
            raise UnsupportedError(
                table.storage.uri, expected="a record index, which finds a key in any partition", found=found
            )
        return TagOptions(options.index, whole_table)
    return TagOptions(IndexType.BUCKET, False, None if layout.consistent else layout.buckets, layout.hash_fields)


def locate(table: Table, keys: KeyColumns, options: WriteOptions, *, once: bool = False) -> tuple[Tagger, Locations]:
    """For each key the number of the slice that holds it, and its place in the base file where it is known; `once` is as in
    `plan_upsert`."""
    tagger = Tagger(table, tag_options(table, options))
    if once:
        return tagger, locate_single(tagger, keys)
    if len(keys) == 0 or len(tagger.sources.snapshot.slices) == 0:
        return tagger, Locations.nowhere(len(keys))
    return tagger, tagger.locate(keys)
