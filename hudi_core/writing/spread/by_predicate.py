"""Deletes and updates of the rows that match a predicate, which are read and written by parts. Rules: WRITE-25 to WRITE-27."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

from hudi_core.data_files.spool import Spool
from hudi_core.parallel.flow import SpreadRows
from hudi_core.schema.meta import PARTITION_PATH, RECORD_KEY, bare_schema
from hudi_core.table.scan import Scan
from hudi_core.table.table import Table
from hudi_core.writing.by_predicate import Assigned, Where, check_update, of_changes, writable_by_predicate
from hudi_core.writing.conditions import key_scan, refuse_undecided
from hudi_core.writing.idle_options import DELETE_WHERE, UPDATE, refuse_idle_in
from hudi_core.writing.incoming import preparation, row_schema
from hudi_core.writing.operation import Operation, WriteOptions, refuse_unfit
from hudi_core.writing.operations import run_of
from hudi_core.writing.result import WriteResult
from hudi_core.writing.spread.operations import prepare_rows, read_given_keys, sendable
from hudi_core.writing.write_run import Planned

RowsOf = Callable[[Scan], SpreadRows]
"""The rows of a scan in parts: batches of the scan's schema, each with the number of the file slice that it was read from."""


def spread_delete_where(
    table: Table, where: Where, rows_of: RowsOf, options: WriteOptions | None = None
) -> WriteResult:
    """As `writing.by_predicate.delete_where`."""
    settings = options or WriteOptions()
    latest = writable_by_predicate(table, where, settings.properties)
    refuse_idle_in(latest, DELETE_WHERE, settings)
    refuse_unfit(latest, False, settings.properties)
    bare = bare_schema(latest.schema)
    with ExitStack() as kept:

        def plan(table: Table, instant_time: str) -> Planned:
            refuse_undecided(table, where, partial(_has_rows, rows_of))
            rows = rows_of(key_scan(table, where))
            given = kept.enter_context(read_given_keys(table, rows, (RECORD_KEY, PARTITION_PATH), of_slices=True))
            return given.plan_delete(table, instant_time, settings, kept)

        no_rows = Spool(latest.engine, row_schema(latest, bare))
        return run_of(latest, Operation.DELETE, bare, no_rows, settings).run(plan)


def spread_update(
    table: Table, assigned: Assigned, where: Where | None, rows_of: RowsOf, options: WriteOptions | None = None
) -> WriteResult:
    """As `writing.by_predicate.update`."""
    settings = options or WriteOptions()
    latest, checked = check_update(table, assigned, where, settings.properties)
    refuse_idle_in(latest, UPDATE, settings)
    refuse_unfit(latest, False, settings.properties)
    changes = replace(checked, table=sendable(latest))
    bare = bare_schema(latest.schema)
    with ExitStack() as kept:

        def plan(table: Table, instant_time: str) -> Planned:
            refuse_undecided(table, where, partial(_has_rows, rows_of))
            scan = table.scan(where, meta=False)
            prepares = preparation(table, scan.schema, instant_time)
            given = kept.enter_context(prepare_rows(table, rows_of(scan), prepares, changes.apply, of_slices=True))
            planned = given.plan_upsert(table, instant_time, settings, kept, removes=True)
            return of_changes(planned.planned, table, changes, planned.loses, settings)

        no_rows = Spool(latest.engine, row_schema(latest, bare))
        return run_of(latest, Operation.UPSERT, bare, no_rows, settings).run(plan)


def _has_rows(rows_of: RowsOf, table: Table, where: Where) -> bool:
    with read_given_keys(table, rows_of(key_scan(table, where)), (RECORD_KEY, PARTITION_PATH), of_slices=True) as given:
        return given.report.rows > 0
