"""Operations that write rows: from data that somebody gives to a commit. Rules: WRITE-1 to WRITE-24.

All of an input is drawn and checked before anything is written. Then the rows' keys are located, tasks write files, and one
transaction commits what they report; a write that loses against another writer is tried again on the table as it is then.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from os import PathLike, fspath
from typing import Any

from hudi_core.commit.times import next_time
from hudi_core.data_files.spool import Spool
from hudi_core.engine import InputRows
from hudi_core.errors import UnsupportedError, UsageError, list_names
from hudi_core.metadata.kinds import locates_keys
from hudi_core.rows.exact_types import without_floats_for_texts
from hudi_core.rows.outside_files import RowFile, options_beside, read_file
from hudi_core.schema.meta import bare_schema
from hudi_core.schema.names import names
from hudi_core.schema.schema import Schema
from hudi_core.table.open import look_to_plan
from hudi_core.table.table import Table
from hudi_core.tagging.bucket_layout import bucket_layout
from hudi_core.tagging.key_columns import KeyColumns
from hudi_core.tagging.key_reader import input_schema
from hudi_core.timeline.instants import REPLACE_COMMIT
from hudi_core.transactions.refusals import refuse_unwritable
from hudi_core.writing.batch_columns import BatchColumns
from hudi_core.writing.duplicates import DuplicatePolicy
from hudi_core.writing.idle_options import DELETE_PARTITIONS, refuse_idle, refuse_idle_in
from hudi_core.writing.incoming import incoming_keys, incoming_rows, row_schema
from hudi_core.writing.incoming_checks import refuse_lost_paths, refuse_repeated_keys
from hudi_core.writing.operation import (
    KEPT_GROUPS,
    Operation,
    WriteOptions,
    columns_of_write,
    latest_writable,
    operation_of,
    order_of,
    policy_of,
    refuse_unordered_upsert,
)
from hudi_core.writing.operation_plans import list_groups, locate_keys, plan_deletes, plan_rows
from hudi_core.writing.result import WriteResult
from hudi_core.writing.write_properties import refuse_idle_services
from hudi_core.writing.write_run import Planned, WriteRun, write_action


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
    latest = latest_writable(table, operation, settings.properties)
    refuse_idle(latest, operation, settings)
    order_of(latest, operation, settings)
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
        run = run_of(latest, operation, incoming.table, incoming.spool, settings, incoming.kept)
        return run.run(lambda table, instant_time: plan_rows(table, incoming, operation, instant_time, settings))


def _needs_keys(table: Table, options: WriteOptions) -> bool:
    """Whether rows that are added as they come are looked at by their record keys: no two may have one in a record index, and
    buckets are chosen by them."""
    return locates_keys(table.config.kept_partitions) or bucket_layout(table, options.properties) is not None


def delete_keys(table: Table, keys: KeyColumns, options: WriteOptions) -> WriteResult:
    """Deletes the rows of keys; keys that the table does not have are ignored."""
    bare = bare_schema(table.schema)
    run = run_of(table, Operation.DELETE, bare, Spool(table.engine, row_schema(table, bare)), options)
    return run.run(
        lambda latest, instant_time: plan_deletes(latest, locate_keys(latest, keys, options), instant_time, options)
    )


def delete_partitions(table: Table, partitions: Sequence[str], options: WriteOptions | None = None) -> WriteResult:
    """Deletes all rows of partitions. Raises `UsageError` for a partition that the table does not have."""
    settings, latest = options or WriteOptions(), look_to_plan(table)
    refuse_unwritable(latest, merges=False)
    refuse_idle_services(settings.properties, latest.config.properties)
    refuse_idle_in(latest, DELETE_PARTITIONS, settings)
    if latest.snapshot().has_hashing_nodes:
        raise UnsupportedError(latest.storage.uri, expected=KEPT_GROUPS, found="a delete of whole partitions")
    wanted = tuple(dict.fromkeys(partition.strip("/") for partition in names(partitions, "partition")))
    present = {file_slice.partition for file_slice in latest.slices()}
    missing = [partition for partition in wanted if partition not in present]
    if missing or not wanted:
        raise UsageError(
            "partition", expected=f"partitions of the table ({list_names(sorted(present))})", found=list_names(missing)
        )
    bare = bare_schema(latest.schema)

    def plan(table: Table, _: str) -> Planned:
        return Planned((), list_groups(table, wanted), wanted)

    run = WriteRun(latest, "DELETE_PARTITION", REPLACE_COMMIT, bare, bare, Spool(latest.engine, bare), settings)
    return run.run(plan)


def read_given_rows(table: Table, data: object, columns: BatchColumns | None = None) -> InputRows[Any]:
    """The rows of data in one of the forms that `write` takes. Where a value that one of them lacks would take a stored one
    away, `RowError` is raised for it as the rows are drawn, and as `without_floats_for_texts` says."""
    if isinstance(data, InputRows):
        return data
    like, whole = input_schema(table.schema), columns is not None and columns.has_no_gaps
    if isinstance(data, str | PathLike):
        path = fspath(data)
        data = RowFile(path, options_beside(table.storage, path))
    rows: InputRows[Any] = (
        read_file(table.engine, data.path, like, data.options, whole=whole)
        if isinstance(data, RowFile)
        else table.engine.rows.read_given(data, like, whole=whole)
    )
    return without_floats_for_texts(table.engine, rows, like)


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
    action = REPLACE_COMMIT if operation.overwrites else write_action(table)
    name = operation.recorded_as
    looks_up = policy_of(table, operation, options) is not DuplicatePolicy.NONE
    return WriteRun(table, name, action, schema, rows.schema, rows, options, kept=kept, looks_up=looks_up)
