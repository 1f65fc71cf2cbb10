"""Several changes of rows in one commit: rows that are merged, and keys that are deleted. Rules: WRITE-770 to WRITE-772."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np

from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.string_index import index_strings
from hudi_core.columns.strings import string_column, string_list, take_strings
from hudi_core.commit.times import next_time
from hudi_core.data_files.spool import Spool
from hudi_core.engine import InputRows
from hudi_core.errors import RowError, SchemaError, UsageError
from hudi_core.schema.meta import bare_schema
from hudi_core.table.table import Table
from hudi_core.tagging.choose import finds_keys_anywhere
from hudi_core.tagging.key_columns import KeyColumns, join_locations
from hudi_core.writing.batch_columns import BatchColumns
from hudi_core.writing.by_predicate import Where, matching_keys, writable_by_predicate
from hudi_core.writing.idle_options import TRANSACTION, TRANSACTION_OF_DELETES, refuse_idle_in
from hudi_core.writing.incoming import incoming_keys, incoming_rows, join_keys, row_schema
from hudi_core.writing.incoming_checks import refuse_lost_paths
from hudi_core.writing.operation import (
    Operation,
    WriteOptions,
    columns_of_write,
    latest_writable,
    refuse_unordered_upsert,
)
from hudi_core.writing.operation_plans import LocatedKeys, locate_keys, plan_deletes, plan_upsert
from hudi_core.writing.operations import read_given_rows, run_of
from hudi_core.writing.result import WriteResult
from hudi_core.writing.write_run import Planned


def write_several(
    table: Table,
    upserts: Sequence[object],
    deletes: Sequence[object] = (),
    wheres: Sequence[Where] = (),
    options: WriteOptions | None = None,
) -> WriteResult:
    """Merges the rows of all `upserts`, and deletes the rows that have keys of `deletes` or match one of `wheres`, in one commit.

    Rows that match are those of the table when the write is planned. Raises as `write` and `delete_where`; `SchemaError` for
    upserts of other columns than the first, `RowError` for a row whose key the same commit deletes, `UsageError` for nothing to
    do. Nothing is changed then.
    """
    settings = options or WriteOptions()
    if not (upserts or deletes or wheres):
        raise UsageError("transaction", expected="rows to upsert or to delete", found="none")
    latest = latest_writable(table, Operation.UPSERT if upserts else Operation.DELETE, settings.properties)
    refuse_idle_in(latest, TRANSACTION if upserts else TRANSACTION_OF_DELETES, settings)
    for where in wheres:
        writable_by_predicate(latest, where, {})
    keys = [incoming_keys(latest, read_given_rows(latest, rows)) for rows in deletes]

    def collect_deleted_keys(table: Table) -> LocatedKeys:
        given = _join(keys)
        located = [locate_keys(table, given, settings), *(matching_keys(table, where) for where in wheres)]
        repeated = frozenset[int]().union(*(one.repeated for one in located))
        return LocatedKeys(
            _join([one.keys for one in located]), join_locations([one.places for one in located]), repeated
        )

    if not upserts:
        bare = bare_schema(latest.schema)
        run = run_of(latest, Operation.DELETE, bare, Spool(latest.engine, row_schema(latest, bare)), settings)
        return run.run(lambda table, time: plan_deletes(table, collect_deleted_keys(table), time, settings))
    columns = columns_of_write(latest, Operation.UPSERT, settings)
    rows = _one_input(latest, upserts, columns)
    refuse_unordered_upsert(latest, rows.schema, Operation.UPSERT)
    incoming = incoming_rows(latest, rows, next_time(latest.timeline), columns, settings.tally)
    with closing(incoming.spool):
        refuse_lost_paths(latest, incoming.keys)

        def plan(table: Table, instant_time: str) -> Planned:
            deleted = collect_deleted_keys(table)
            _refuse_both(table, incoming.keys, deleted.keys)
            return plan_upsert(table, incoming, instant_time, settings, deleted=deleted)

        run = run_of(latest, Operation.UPSERT, incoming.table, incoming.spool, settings, incoming.kept)
        return run.run(plan)


def _one_input(table: Table, upserts: Sequence[object], columns: BatchColumns) -> InputRows[Any]:
    """The rows of all inputs, one after the other, which have the columns of the first."""
    first, *others = [read_given_rows(table, rows, columns) for rows in upserts]
    for other in others:
        if [(field.name, field.type) for field in other.schema.fields] != [
            (field.name, field.type) for field in first.schema.fields
        ]:
            expected = f"the columns of the transaction's first rows: {', '.join(first.schema.names)}"
            raise SchemaError("upsert", expected=expected, found=", ".join(other.schema.names))

    def batches() -> Iterator[Any]:
        for rows in (first, *others):
            yield from rows.batches

    return replace(first, batches=batches())


def _join(keys: Sequence[KeyColumns]) -> KeyColumns:
    return join_keys([one.records for one in keys], [_paths(one) for one in keys])


def _paths(keys: KeyColumns) -> StringColumn:
    return take_strings(string_column(list(keys.paths)), keys.partitions.astype(np.int64))


def _refuse_both(table: Table, rows: KeyColumns, deleted: KeyColumns) -> None:
    """Raises `RowError` for a row whose key is deleted by the same commit: which of the two is meant cannot be known."""
    if finds_keys_anywhere(table.snapshot()):
        pairs = [(np.arange(len(rows)), np.arange(len(deleted)))]
    else:
        of_deleted = dict(deleted.by_partition())
        pairs = [(numbers, of_deleted[path]) for path, numbers in rows.by_partition() if path in of_deleted]
    for of_rows, of_deletes in pairs:
        index = index_strings(take_strings(deleted.records, of_deletes))
        both = index.find(take_strings(rows.records, of_rows)) >= 0
        if both.any():
            row = int(of_rows[both][0])
            (key,) = string_list(take_strings(rows.records, np.array([row])))
            raise RowError(row, expected="rows whose keys the transaction does not delete", found=repr(key))
