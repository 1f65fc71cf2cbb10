"""A merge of rows that are all here: from the source to a commit. Rules: WRITE-610 to WRITE-613."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from hudi_core.columns.strings import take_strings
from hudi_core.data_files.spool import Spool, spool
from hudi_core.engine import InputRows
from hudi_core.errors import RowError
from hudi_core.expr.queries import Condition
from hudi_core.schema.meta import bare_schema
from hudi_core.schema.schema import Schema
from hudi_core.table.table import Table
from hudi_core.tagging.key_columns import NOWHERE, KeyColumns, concat_keys, take_keys
from hudi_core.tagging.tag import Tagger, TagOptions
from hudi_core.transactions.refusals import refuse_other_keys
from hudi_core.writing.batch_columns import BatchColumns
from hudi_core.writing.by_predicate import writable_by_predicate
from hudi_core.writing.idle_options import MERGE, OVERWRITE_WHERE, refuse_idle_in
from hudi_core.writing.incoming import incoming_rows, row_schema
from hudi_core.writing.incoming_checks import refuse_lost_paths
from hudi_core.writing.operation import Operation, WriteOptions, refuse_unfit
from hudi_core.writing.operation_plans import plan_upsert
from hudi_core.writing.operations import read_given_rows, run_of
from hudi_core.writing.result import WriteResult
from hudi_core.writing.source_merge.bound import BoundMerge, bind_merge, bind_replacement
from hudi_core.writing.source_merge.clauses import Clause, On
from hudi_core.writing.source_merge.matched import (
    SourceRows,
    change_unmatched_rows,
    locate_source,
    merge_rows,
    rows_without_slices,
    scan_stored_rows,
    with_keys,
)
from hudi_core.writing.task_rows import group_rows
from hudi_core.writing.tasks import AppendLog, Task, numbers_of
from hudi_core.writing.update_outcomes import ChangedRows, SourceNumbers, winning_tasks
from hudi_core.writing.write_run import Planned


def merge(
    table: Table, source: object, on: On, clauses: Sequence[Clause], options: WriteOptions | None = None
) -> WriteResult:
    """Merges rows of a source into the table by clauses, in one commit: of those for a row, the first whose condition is true
    decides. Rows of the table are those of the moment at which the write is planned.

    Raises as `bind_merge` and `write`, and `RowError` where several rows of the source change one row of the table.
    """
    settings = options or WriteOptions()
    return _run(table, source, settings, lambda latest, given: bind_merge(latest, given, on, tuple(clauses), settings))


def overwrite_where(table: Table, source: object, where: Condition, options: WriteOptions | None = None) -> WriteResult:
    """Puts rows in the place of those that match a predicate, in one commit. Rule WRITE-1583.

    Raises as `bind_replacement` and `merge`, and `RowError` for a row that does not match.
    """
    settings = options or WriteOptions()
    return _run(table, source, settings, lambda latest, given: bind_replacement(latest, given, where, settings), where)


def _run(
    table: Table,
    source: object,
    settings: WriteOptions,
    bind: Callable[[Table, Schema], BoundMerge],
    where: Condition | None = None,
) -> WriteResult:
    latest = mergeable(table, settings, where)
    rows = read_given_rows(latest, source, BatchColumns(replaces=True))
    bound = bind(latest, rows.schema)
    bare = bare_schema(latest.schema)
    with closing(spool(latest.engine, rows.schema, rows.batches)) as given, ExitStack() as files:
        keys = concat_keys([keys for _, keys in bound.with_keys(given.batches)])
        bound.refuse_no_rows(len(keys))

        def plan(table: Table, instant_time: str) -> Planned:
            bound.refuse_changed_lookup(table, settings)
            loses, removes = [np.zeros(0, np.bool_)], [np.zeros(0, np.bool_)]

            numbers, refused = SourceNumbers(), list[RowError]()

            def change_rows() -> Iterator[Any]:
                for merged in merge_source():
                    numbers.add(merged)
                    loses.append(merged.loses)
                    removes.append(np.zeros(len(merged.loses), np.bool_) if merged.removes is None else merged.removes)
                    yield merged.batch

            def merge_source() -> Iterator[ChangedRows]:
                try:
                    yield from _merge(table, bound, given, keys, settings)
                except RowError as error:
                    refused.append(error)  # it names a row of the source
                    raise

            try:
                given_rows = InputRows(bound.rows, change_rows())
                incoming = incoming_rows(table, given_rows, instant_time, tally=settings.tally)
                files.callback(incoming.spool.close)
                refuse_lost_paths(table, incoming.keys)
            except RowError as error:
                raise error if refused else numbers.renumber(error) from None
            once = len(bound.unmatched) > 0
            planned = plan_upsert(table, incoming, instant_time, settings, np.concatenate(removes), once=once)
            lost = np.concatenate(loses)
            return of_merge(planned, table, bound, lambda task: bool(lost[numbers_of(task)].any()))

        no_rows = Spool(latest.engine, row_schema(latest, bare))
        return run_of(latest, Operation.UPSERT, bare, no_rows, settings).run(plan)


def mergeable(table: Table, options: WriteOptions, where: Condition | None = None) -> Table:
    """The table as it is now. Raises `UnsupportedError` for one that is not merged into, `UsageError` for options that a merge
    has no use for, and what a scan with the predicate raises."""
    latest = writable_by_predicate(table, where, options.properties)
    refuse_idle_in(latest, MERGE if where is None else OVERWRITE_WHERE, options)
    refuse_other_keys(latest)
    refuse_unfit(latest, False, options.properties)
    return latest


def of_merge(planned: Planned, table: Table, merge: BoundMerge, loses: Callable[[Task], bool]) -> Planned:
    """The plan of a merge whose rows win over the rows that they read, whatever the table's merge rule."""
    if merge.contest is None:
        return planned
    tasks = winning_tasks(table, planned.tasks, lambda task: loses(task) or _meets_deletes(task))
    return replace(planned, tasks=tasks)


def _meets_deletes(task: Task) -> bool:
    """Whether rows of a task are new in a slice whose log files deleted their keys: there a row that loses to the one which the
    base file has still would bring that one back."""
    return isinstance(task, AppendLog) and task.meets_deletes


def _merge(
    table: Table, merge: BoundMerge, given: Spool, keys: KeyColumns, options: WriteOptions
) -> Iterator[ChangedRows]:
    """What becomes of the source: of its rows whose keys a slice holds, slice by slice, then of the others."""
    tagger = Tagger(table, TagOptions(options.index, merge.whole_table))
    located = locate_source(tagger, keys, np.arange(len(keys)))
    rows_of = dict(group_rows(located.slices))
    scan = scan_stored_rows(merge, table).of_slices(list(rows_of), others=len(merge.unmatched) > 0)

    def source_rows(number: int) -> SourceRows:
        rows = rows_of.pop(number)
        return SourceRows(tuple(given.take(rows)), take_strings(keys.records, rows), rows)

    for number, batches in groupby(scan.batches_of_slices(), itemgetter(0)):
        stored = with_keys(merge, scan.schema, (batch for _, batch in batches))
        yield from (
            merge_rows(merge, source_rows(number), stored)
            if number in rows_of
            else change_unmatched_rows(merge, stored)
        )
    for number in list(rows_of):  # slices without a row
        yield from merge_rows(merge, source_rows(number), ())
    nowhere = np.flatnonzero(located.slices == NOWHERE)
    yield from rows_without_slices(merge, tuple(given.take(nowhere)), take_keys(keys, nowhere), nowhere)
