"""Operations that write rows: from data that somebody gives to a commit. Rules: WRITE-1 to WRITE-24.

All of an input is drawn and checked before anything is written. Then the rows' keys are located, tasks write files, and one
transaction commits what they report; a write that loses against another writer is tried again on the table as it is then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from enum import StrEnum
from os import PathLike, fspath
from typing import Any

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.commit.times import next_time
from hudi_core.data_files.spool import Spool
from hudi_core.engine import InputRows
from hudi_core.errors import UnsupportedError, UsageError, list_names
from hudi_core.merge.rules import merge_rules
from hudi_core.metadata.kinds import locates_keys
from hudi_core.options import TableType
from hudi_core.planning.sources.sources import Sources
from hudi_core.rows.outside_files import RowFile, options_beside, read_file
from hudi_core.schema.meta import bare_schema
from hudi_core.schema.names import names
from hudi_core.schema.schema import Schema
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.tagging.bucket_layout import BucketLayout, bucket_layout, is_consistent
from hudi_core.tagging.key_columns import NOWHERE, KeyColumns, Locations
from hudi_core.tagging.key_reader import input_schema
from hudi_core.tagging.tag import Tagger
from hudi_core.timeline.instants import REPLACE_COMMIT
from hudi_core.transactions.refusals import list_excluded_groups, refuse_other_keys, refuse_unwritable
from hudi_core.writing.batch_columns import BatchColumns, MissingColumns
from hudi_core.writing.bucket_places import bucket_places
from hudi_core.writing.bucket_plan import BucketUse, plan_buckets, refuse_other_buckets
from hudi_core.writing.deleted_keys import with_deleted_keys
from hudi_core.writing.duplicates import (
    INSERT_DUPLICATES,
    DuplicatePolicy,
    duplicate_policy,
    places_without_duplicates,
)
from hudi_core.writing.incoming import Incoming, file_schema, incoming_keys, incoming_rows, row_schema
from hudi_core.writing.incoming_checks import refuse_lost_paths, refuse_repeated_keys, refuse_unordered
from hudi_core.writing.key_lookup import locate
from hudi_core.writing.moves import resolve_moves
from hudi_core.writing.partial_rows import merges_partial_rows, of_columns
from hudi_core.writing.plan import Planner
from hudi_core.writing.result import WriteResult
from hudi_core.writing.row_size import row_bytes
from hudi_core.writing.task_rows import (
    Places,
    RowOrder,
    deletes_of_tasks,
    group_by_partition,
    rows_of_tasks,
    with_deleted_places,
    without_removed,
)
from hudi_core.writing.write_options import WriteOptions
from hudi_core.writing.write_properties import bulk_order
from hudi_core.writing.write_run import Planned, WriteRun, write_action


class Operation(StrEnum):
    """The treatment of rows whose key the table may have."""

    UPSERT = "upsert"
    """Rows are merged with the stored row of their key."""
    INSERT = "insert"
    """Rows are added as they are, to small files first."""
    APPEND = "append"
    """Rows are added as they are, in new files alone; the table's rows are not read."""
    BULK_INSERT = "bulk_insert"
    """As `append`, in the order of their keys within each partition."""
    DELETE = "delete"
    """The stored row of each key is deleted; the data gives only the keys."""
    INSERT_OVERWRITE = "insert_overwrite"
    """The rows replace all rows of their partitions."""
    INSERT_OVERWRITE_TABLE = "insert_overwrite_table"
    """The rows replace all rows."""


_ADDS_ALONE = frozenset({Operation.INSERT, Operation.APPEND, Operation.BULK_INSERT})
"""Operations that look up no keys or partitions of the table."""
_OVERWRITES = frozenset({Operation.INSERT_OVERWRITE, Operation.INSERT_OVERWRITE_TABLE})
_RECORDED_AS = {Operation.APPEND: "INSERT"}
"""Names of commits, where Apache Hudi has no operation of ours."""


_KEPT_GROUPS = "file groups that stay, as the nodes of consistent hashing name them"


def write(table: Table, data: object, op: str = "upsert", options: WriteOptions | None = None) -> WriteResult:
    """Writes rows to the table, in one commit that is seen as a whole or not at all.

    `data` is anything with `__arrow_c_stream__` (Arrow, pandas, Polars, DuckDB), a lazy frame of Polars, dictionaries (a row
    each, or one of columns), an iterable of these, or the path of a local file or folder (Parquet, Arrow, CSV, JSON). Columns
    go by name: see `WriteOptions.missing_columns` and `add_columns` for those that only one of the two
    has. `table` still shows what it showed; `refreshed` shows the commit.

    Raises `UsageError` for an unknown operation, `SchemaError` and `RowError` for data that does not fit, `UnsupportedError`
    for a table that this library does not write to, and `ConflictError` where other writers win again and again. Nothing is
    changed then.
    """
    operation, settings = operation_of(op), options or WriteOptions()
    order_of(table, operation, settings)
    latest = latest_writable(table, operation, settings.properties)
    if operation is Operation.DELETE:
        return delete_keys(latest, incoming_keys(latest, read_given_rows(latest, data)), settings)
    columns = columns_of_write(latest, operation, settings)
    rows = read_given_rows(latest, data, columns)
    refuse_unordered_upsert(latest, rows.schema, operation)
    keeps_records = operation is not Operation.APPEND or _needs_keys(latest, settings)
    instant = next_time(latest.timeline)
    incoming = incoming_rows(latest, rows, instant, columns, settings.tally, keeps_records=keeps_records)
    with closing(incoming.spool):
        refuse_lost_paths(latest, incoming.keys)
        if operation is not Operation.UPSERT and policy_of(latest, operation, settings) is DuplicatePolicy.NONE:
            refuse_repeated_keys(latest, incoming.keys)
        return _write_rows(latest, incoming, operation, settings)


def _needs_keys(table: Table, options: WriteOptions) -> bool:
    """Whether rows that are added as they come are looked at by their record keys: no two may have one in a record index, and
    buckets are chosen by them."""
    return locates_keys(table.config.kept_partitions) or bucket_layout(table, options.properties) is not None


def refuse_unordered_upsert(table: Table, rows: Schema, operation: Operation) -> None:
    """Raises `UnknownColumnError` for rows to merge, of this schema, without an ordering column of the table."""
    if _merges(table, operation):
        refuse_unordered(table, rows)


def _merges(table: Table, operation: Operation) -> bool:
    return operation is Operation.UPSERT and bool(table.config.record_key_fields)


def columns_of_write(table: Table, operation: Operation, options: WriteOptions) -> BatchColumns:
    """What an operation does with columns that only its rows or only the table has. Raises `UsageError` where stored values
    are to be kept by an operation that looks no rows up."""
    upserts = _merges(table, operation)
    columns = options.columns(table.config.properties, replaces=upserts or operation in _OVERWRITES)
    if columns.missing is MissingColumns.KEEP and operation is not Operation.UPSERT:
        raise UsageError(
            "missing_columns", expected="null: only upsert can keep stored values", found=f"keep for {operation}"
        )
    if upserts and columns.missing is None and merge_rules(table.config, table.storage.uri).keeps_stored_values:
        return replace(columns, missing=MissingColumns.NULL)
    return columns


def order_of(table: Table, operation: Operation, options: WriteOptions) -> RowOrder:
    """The order of the rows that an operation adds. Raises `UsageError` for an order of rows that are not inserted in bulk, and
    for one that is not known."""
    if options.sort is not None and operation is not Operation.BULK_INSERT:
        raise UsageError("sort", expected="no order, except for bulk_insert", found=f"{options.sort} for {operation}")
    if operation is Operation.APPEND:
        return RowOrder.NONE
    if operation is not Operation.BULK_INSERT:
        return RowOrder.GLOBAL
    stated = options.sort or bulk_order(options.properties, table.config.properties)
    return RowOrder(stated or RowOrder.GLOBAL)


def policy_of(table: Table, operation: Operation, options: WriteOptions) -> DuplicatePolicy:
    """What an operation does with rows whose key is there: other operations than insert look no keys up for it, or merge. Raises
    `UsageError` for a policy of a table without keys."""
    if operation is not Operation.INSERT:
        return DuplicatePolicy.NONE
    policy = duplicate_policy(options.properties, table.config.properties)
    if policy is not DuplicatePolicy.NONE and not table.config.record_key_fields:
        raise UsageError(INSERT_DUPLICATES, expected="none for a table without record keys", found=repr(str(policy)))
    return policy


def operation_of(op: str) -> Operation:
    """The operation of a name. Raises `UsageError` for an unknown one."""
    try:
        return Operation(op)
    except ValueError:
        raise UsageError("op", expected=f"one of {', '.join(Operation)}", found=repr(op)) from None


def latest_writable(table: Table, operation: Operation, properties: Mapping[str, str] | None = None) -> Table:
    """The table as it is now. `properties` are those of the write. Raises `UnsupportedError` where the operation may not write to
    it."""
    latest = refreshed(table)
    merges = operation in (Operation.UPSERT, Operation.DELETE)
    latest.snapshot().expect(statistics=merges)
    refuse_unwritable(latest, merges=merges)
    refuse_unfit(latest, operation in _OVERWRITES, properties or {})
    if operation not in _ADDS_ALONE:
        refuse_other_keys(latest)
    return latest


def refuse_unfit(table: Table, overwrites: bool, properties: Mapping[str, str]) -> None:
    """Raises `UnsupportedError` where file groups are buckets and the properties of a write or of the table do not state them as
    they are, or where an operation would replace the file groups that nodes of consistent hashing name."""
    layout = bucket_layout(table, properties)
    if layout is None:
        return
    if overwrites and layout.consistent:
        raise UnsupportedError(table.storage.uri, expected=_KEPT_GROUPS, found="an overwrite")
    refuse_other_buckets(table.snapshot(), layout)


def delete_keys(table: Table, keys: KeyColumns, options: WriteOptions) -> WriteResult:
    """Deletes the rows of keys; keys that the table does not have are ignored."""
    bare = bare_schema(table.schema)
    run = run_of(table, Operation.DELETE, bare, Spool(table.engine, row_schema(table, bare)), options)
    return run.run(lambda latest, instant_time: plan_deletes(latest, keys, instant_time, options))


def plan_deletes(table: Table, keys: KeyColumns, instant_time: str, options: WriteOptions) -> Planned:
    """The tasks that delete the rows of keys."""
    tagger, located = locate(table, keys, options)
    slices = set(np.unique(located.slices[located.slices != NOWHERE]).tolist())
    routes = Planner(tagger.sources, instant_time, 1.0).delete(slices, logs=writes_logs(table))
    return Planned(deletes_of_tasks(routes, keys, Places(located.slices, _positions(located, options))))


def plan_upsert(
    table: Table,
    incoming: Incoming,
    instant_time: str,
    options: WriteOptions,
    removes: Bools | None = None,
    deleted: KeyColumns | None = None,
) -> Planned:
    """The tasks that merge rows into the table, and delete the keys of the rows that `removes` has, and those of `deleted`, which
    no row has."""
    layout = bucket_layout(table, options.properties)
    if layout is not None:
        return plan_in_buckets(table, incoming, Operation.UPSERT, instant_time, options, layout, removes, deleted)
    tagger, located = locate(table, incoming.keys, options)
    bytes_of_row = row_bytes(tagger.sources, file_schema(incoming.table), incoming.spool, options.sizes.target)
    places = upsert_places(tagger, incoming, located, options)
    if removes is not None:
        places = without_removed(places, incoming.keys.records, removes)
    if deleted is not None:
        places = with_deleted_places(places, deleted.records, locate(table, deleted, options)[1].slices)
    planner = Planner(tagger.sources, instant_time, bytes_of_row, options.sizes, list_excluded_groups(table))
    inserts = {path: len(rows) for path, rows in group_by_partition(incoming.keys, places.new_rows)}
    routes = planner.upsert(places.updates, set(places.leaving), inserts, logs=writes_logs(table))
    return Planned(rows_of_tasks(routes, incoming.keys, places, RowOrder.GLOBAL), spool=incoming.spool)


def plan_in_buckets(
    table: Table,
    incoming: Incoming,
    operation: Operation,
    instant_time: str,
    options: WriteOptions,
    layout: BucketLayout,
    removes: Bools | None = None,
    deleted: KeyColumns | None = None,
) -> Planned:
    """The tasks that put rows into the buckets of their keys: merged with those of their keys, or added to copy-on-write files as
    they are by operations that only add. `removes` and `deleted` are as in `plan_upsert`."""
    use, policy = bucket_use(table, operation), policy_of(table, operation, options)
    if use.looks_up(removes=removes is not None or policy is not DuplicatePolicy.NONE):
        tagger, located = locate(table, incoming.keys, options)
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
    if deleted is not None:
        places = with_deleted_places(places, deleted.records, locate(table, deleted, options)[1].slices)
    tasks = plan_buckets(planner, incoming.keys, buckets, places, use)
    return Planned(tasks, list_replaced_groups(table, operation, partitions), spool=incoming.spool, before=steps)


def bucket_use(table: Table, operation: Operation) -> BucketUse:
    """What an operation does with the rows that it puts into buckets."""
    return BucketUse(writes_logs(table), operation not in _ADDS_ALONE, operation in _OVERWRITES)


def upsert_places(tagger: Tagger, incoming: Incoming, located: Locations, options: WriteOptions) -> Places:
    """Where rows go that are merged with those of their keys, which were located."""
    places = Places(located.slices, _positions(located, options))
    if tagger.options.whole_table:
        moves = options.moves(tagger.table.config.properties)
        resolved = resolve_moves(tagger.sources, incoming, located.slices, moves=moves)
        places = replace(places, slices=resolved.places, leaving=resolved.leaving)
    if not writes_logs(tagger.table):
        return places
    with_deleted = with_deleted_keys(tagger.stored, incoming.keys, places.slices)
    return replace(places, slices=with_deleted, deleted=with_deleted != places.slices)


def delete_partitions(table: Table, partitions: Sequence[str], options: WriteOptions | None = None) -> WriteResult:
    """Deletes all rows of partitions. Raises `UsageError` for a partition that the table does not have."""
    latest = refreshed(table)
    refuse_unwritable(latest, merges=False)
    if is_consistent(latest, latest.slices()):
        raise UnsupportedError(latest.storage.uri, expected=_KEPT_GROUPS, found="a delete of whole partitions")
    wanted = tuple(dict.fromkeys(partition.strip("/") for partition in names(partitions, "partition")))
    present = {file_slice.partition for file_slice in latest.slices()}
    missing = [partition for partition in wanted if partition not in present]
    if missing or not wanted:
        raise UsageError(
            "partition", expected=f"partitions of the table ({list_names(sorted(present))})", found=list_names(missing)
        )
    bare = bare_schema(latest.schema)

    def plan(table: Table, _: str) -> Planned:
        return Planned((), _groups_of(table, wanted), wanted)

    run = WriteRun(
        latest, "DELETE_PARTITION", REPLACE_COMMIT, bare, bare, Spool(latest.engine, bare), options or WriteOptions()
    )
    return run.run(plan)


def read_given_rows(table: Table, data: object, columns: BatchColumns | None = None) -> InputRows[Any]:
    """The rows of data in one of the forms that `write` takes. Where a value that one of them lacks would take a stored one
    away, `RowError` is raised for it as the rows are drawn."""
    if isinstance(data, InputRows):
        return data
    like, whole = input_schema(table.schema), columns is not None and columns.has_no_gaps
    if isinstance(data, str | PathLike):
        path = fspath(data)
        data = RowFile(path, options_beside(table.storage, path))
    if isinstance(data, RowFile):
        return read_file(table.engine, data.path, like, data.options, whole=whole)
    rows: InputRows[Any] = table.engine.rows.read_given(data, like, whole=whole)
    return rows


def _positions(located: Locations, options: WriteOptions) -> Numbers | None:
    return located.positions if options.record_positions else None


def writes_logs(table: Table) -> bool:
    """Updates and deletes go to log files."""
    return table.config.type is TableType.MERGE_ON_READ


def _write_rows(table: Table, incoming: Incoming, operation: Operation, options: WriteOptions) -> WriteResult:
    run = run_of(table, operation, incoming.table, incoming.spool, options, incoming.kept)

    def plan(table: Table, instant_time: str) -> Planned:
        if operation is Operation.UPSERT:
            planned = plan_upsert(table, incoming, instant_time, options)
            return of_given_columns(planned, table, incoming.table, incoming.kept, options)
        layout = bucket_layout(table, options.properties)
        if layout is not None:
            return plan_in_buckets(table, incoming, operation, instant_time, options, layout)
        sources, keys = Sources(table.snapshot()), incoming.keys
        bytes_of_row = row_bytes(sources, file_schema(incoming.table), incoming.spool, options.sizes.target)
        planner = Planner(sources, instant_time, bytes_of_row, options.sizes, list_excluded_groups(table))
        places = _place_added(table, keys, operation, options)
        inserts = {path: len(rows) for path, rows in group_by_partition(keys, places.new_rows)}
        routes = planner.insert(inserts, fill=operation is Operation.INSERT)
        tasks = rows_of_tasks(routes, keys, places, order_of(table, operation, options))
        return Planned(tasks, list_replaced_groups(table, operation, inserts))

    return run.run(plan)


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


def run_of(
    table: Table,
    operation: Operation,
    schema: Schema,
    rows: Spool,
    options: WriteOptions,
    kept: frozenset[int] = frozenset(),
) -> WriteRun:
    """The run of an operation whose rows are in a spool. `schema` is what the table's becomes, without the meta columns; `kept`
    are the columns that the rows lack and whose stored values stay."""
    action = REPLACE_COMMIT if operation in _OVERWRITES else write_action(table)
    name = _RECORDED_AS.get(operation, operation.upper())
    merges = operation not in _ADDS_ALONE | _OVERWRITES
    looks_up = policy_of(table, operation, options) is not DuplicatePolicy.NONE
    return WriteRun(
        table, name, action, schema, rows.schema, rows, options, merges=merges, kept=kept, looks_up=looks_up
    )


def list_replaced_groups(table: Table, operation: Operation, partitions: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The file groups that an operation with rows of these partitions replaces."""
    if operation is Operation.INSERT_OVERWRITE_TABLE:
        return _groups_of(table, None)
    if operation is Operation.INSERT_OVERWRITE:
        return _groups_of(table, tuple(partitions))
    return {}


def _groups_of(table: Table, partitions: Sequence[str] | None) -> dict[str, tuple[str, ...]]:
    """The ids of the file groups of partitions, None for all."""
    groups: dict[str, list[str]] = {}
    wanted = None if partitions is None else set(partitions)
    for file_slice in table.slices():
        if wanted is None or file_slice.partition in wanted:
            groups.setdefault(file_slice.partition, []).append(file_slice.file_id)
    return {partition: tuple(ids) for partition, ids in groups.items()}
