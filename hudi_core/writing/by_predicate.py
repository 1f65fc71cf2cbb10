"""Deletes and updates of the rows that match a predicate. Rules: WRITE-25 to WRITE-27, WRITE-208, WRITE-1421.

Rows are searched in the table as it is when the write is planned, again in each attempt, so that no other commit intervenes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, get_args

import numpy as np

from hudi_core.data_files.spool import Spool
from hudi_core.engine import InputRows
from hudi_core.errors import UsageError, describe
from hudi_core.expr.build import ExpressionBuilder
from hudi_core.expr.nodes import Compare, Comparison, Expr, Name
from hudi_core.expr.parse import parse_predicate
from hudi_core.local_uris import is_url, local_path
from hudi_core.portable import Portable
from hudi_core.rows.outside_files import is_there
from hudi_core.schema.meta import PARTITION_PATH, RECORD_KEY, bare_schema
from hudi_core.schema.schema import Schema
from hudi_core.sql.tokens import parts_between_commas
from hudi_core.table.open import look_to_plan
from hudi_core.table.table import Table
from hudi_core.transactions.refusals import refuse_other_keys, refuse_unwritable
from hudi_core.writing.assignments import Assignment, assignment, new_value, refusal, refuse_part, refuse_second_value
from hudi_core.writing.conditions import key_scan, refuse_doubtful, refuse_undecided
from hudi_core.writing.idle_options import DELETE_WHERE, UPDATE, refuse_idle_in
from hudi_core.writing.incoming import incoming_keys, incoming_rows, row_schema
from hudi_core.writing.operation import Operation, WriteOptions, refuse_unfit, with_key_options
from hudi_core.writing.operation_plans import LocatedKeys, plan_changes, plan_deletes
from hudi_core.writing.operations import write
from hudi_core.writing.partial_rows import merges_partial_rows, of_columns
from hudi_core.writing.read_places import ReadBatches
from hudi_core.writing.result import WriteResult
from hudi_core.writing.tasks import Task, numbers_of
from hudi_core.writing.update_outcomes import ChangedRows, Contest, contest, winning_tasks
from hudi_core.writing.write_run import Planned, WriteRun, write_action

Where = str | Expr | ExpressionBuilder
"""A predicate, as `Table.scan` takes it."""
Assigned = Mapping[str, object]
"""The new value by column name: a Python value, or an expression made with `hudi_core.col`."""
_SIGNS: Final = re.compile(r"[=<>]|\s(in|is|like|between|rlike)\s", re.IGNORECASE)
"""What predicates have and few paths."""


def delete(
    table: Table, data: object = None, where: Where | None = None, options: WriteOptions | None = None
) -> WriteResult:
    """Deletes the rows that have the keys of `data`, or those that match `where`. Raises `UsageError` unless exactly one is
    present."""
    refuse_delete_of_both(data, where)
    if where is not None:
        return delete_where(table, where, options)
    return write(table, data, Operation.DELETE, options)


def refuse_delete_of_both(data: object, where: Where | None) -> None:
    """Raises `UsageError` unless exactly one of rows and a predicate is present."""
    if (data is None) == (where is None):
        raise UsageError(
            "delete", expected="either rows or a predicate", found="both" if data is not None else "neither"
        )
    if isinstance(data, (ExpressionBuilder, *get_args(Expr))):
        raise UsageError("delete", expected="a predicate as where=..., or rows", found="a predicate in place of rows")
    if isinstance(data, str) and _SIGNS.search(data) and not is_url(data) and not is_there(Path(local_path(data))):
        raise UsageError("delete", expected="a predicate as where=..., or the path of a file of rows", found=repr(data))


def delete_where(table: Table, where: Where, options: WriteOptions | None = None) -> WriteResult:
    """Deletes the rows that match, in one commit. Raises what a scan with the predicate raises, `RowError` for a row of which it
    does not say whether it is true, and as `write`."""
    settings = options or WriteOptions()
    latest = writable_by_predicate(table, where, settings.properties)
    refuse_idle_in(latest, DELETE_WHERE, settings)
    refuse_unfit(latest, False, settings.properties)

    def plan(table: Table, instant_time: str) -> Planned:
        return plan_deletes(table, matching_keys(table, where), instant_time, settings)

    bare = bare_schema(latest.schema)
    rows = row_schema(latest, bare)
    run = WriteRun(latest, "DELETE", write_action(latest), bare, rows, Spool(latest.engine, rows), settings)
    return run.run(plan)


def update(
    table: Table, assigned: Assigned, where: Where | None = None, options: WriteOptions | None = None
) -> WriteResult:
    """Gives columns of the rows that match (without `where` of all rows) new values, in one commit.

    Raises `UsageError` for a column of the key or the partition, `UnknownColumnError` for one that is not there, `SchemaError`
    for a value that the column's type cannot have and `RowError` for one that a row's expression gives.
    """
    settings = options or WriteOptions()
    latest, changes = check_update(table, assigned, where, settings.properties)
    refuse_idle_in(latest, UPDATE, settings)
    refuse_unfit(latest, False, settings.properties)
    bare = bare_schema(latest.schema)
    with ExitStack() as files:

        def plan(table: Table, instant_time: str) -> Planned:
            refuse_undecided(table, where)
            scan = table.scan(where, meta=False)
            read, lost = ReadBatches(table, scan), [np.zeros(0, np.bool_)]

            def change_rows() -> Iterator[Any]:
                for made in changes.apply(read.batches()):
                    lost.append(made.loses)
                    yield made.batch

            incoming = incoming_rows(table, InputRows(scan.schema, change_rows()), instant_time, tally=settings.tally)
            files.callback(incoming.spool.close)
            places, loses = read.locate(incoming.keys, deletes=False)[0], np.concatenate(lost)
            planned = plan_changes(table, incoming, places, instant_time, settings)
            return of_changes(planned, table, changes, lambda task: bool(loses[numbers_of(task)].any()), settings)

        rows = row_schema(latest, bare)
        run = WriteRun(latest, "UPSERT", write_action(latest), bare, rows, Spool(latest.engine, rows), settings)
        return run.run(plan)


def check_update(
    table: Table, assigned: Assigned, where: Where | None, properties: Mapping[str, str]
) -> tuple[Table, RowChanges]:
    """The table as it is now, and the changes of its rows, checked before anything is written; `properties` are those of the
    write. Raises as `update`."""
    latest = writable_by_predicate(table, where, properties)
    refuse_other_keys(latest)
    assignments = _assignments(latest, bare_schema(latest.schema), assigned)
    return latest, RowChanges(latest, latest.scan(where, meta=False).schema, assignments)


def of_changes(
    planned: Planned, table: Table, changes: RowChanges, loses: Callable[[Task], bool], options: WriteOptions
) -> Planned:
    """The plan of an update whose rows win; `loses` says of a task whether some of its rows would not, in a log file. Log files
    have the changed columns alone where that is wanted and means the same."""
    if changes.contest is not None:
        planned = replace(planned, tasks=winning_tasks(table, planned.tasks, loses))
    if not options.partial_updates or not merges_partial_rows(table):
        return planned
    return of_columns(planned, frozenset(assignment.column.name for assignment in changes.assignments.values()))


def parse_assignments(text: str) -> list[tuple[str, ExpressionBuilder]]:
    """Columns and expressions of `column = expression, …` in SQL. Raises `ExpressionError` and `UsageError`."""
    return [_parse_assignment(part) for part in parts_between_commas(text)]


def _parse_assignment(text: str) -> tuple[str, ExpressionBuilder]:
    tree = parse_predicate(text) if text.strip() else None
    if not isinstance(tree, Compare) or tree.operator is not Comparison.EQ or not isinstance(tree.left, Name):
        raise UsageError("set", expected='an assignment, as "price = price * 2"', found=repr(text))
    return ".".join(tree.left.path), ExpressionBuilder(tree.right)


def matching_keys(table: Table, where: Where) -> LocatedKeys:
    """The keys of the rows that match, with the places of these. Raises `RowError` for a row of which the condition does not say
    whether it is true, and as `locate_read_rows`."""
    refuse_undecided(table, where)
    scan = key_scan(table, where)
    read = ReadBatches(table, scan)
    keys = incoming_keys(table, InputRows(scan.schema, read.batches()), (RECORD_KEY, PARTITION_PATH))
    return LocatedKeys(keys, *read.locate(keys, deletes=True))


def writable_by_predicate(table: Table, where: Where | None, properties: Mapping[str, str]) -> Table:
    """The table as it is now; `properties` are those of the write. Raises what a scan with the predicate raises,
    `ExpressionError` for one that is hardly meant, and `UnsupportedError` for a table that is not written to."""
    latest = look_to_plan(table, statistics=where is not None)
    refuse_unwritable(latest, merges=True)
    refuse_doubtful(where, latest.schema)
    latest.scan(where, limit=0)  # what is wrong with the predicate shows before anything is written
    return with_key_options(latest, properties)


def _assignments(table: Table, bare: Schema, assigned: object) -> dict[int, Assignment]:
    """The assignments by position in the rows."""
    if not isinstance(assigned, Mapping) or not all(isinstance(name, str) for name in assigned):
        expected = 'new values by column, as {"n": 7} or {"n": col("n") + 1}'
        raise UsageError("update", expected=expected, found=describe(assigned))
    if not assigned:
        raise UsageError("update", expected="a column to change", found="none")
    fixed = {*table.config.record_key_fields, *table.config.partition_fields}
    assignments: dict[int, Assignment] = {}
    for name, value in assigned.items():
        place = bare.get(name, case_sensitive=table.case_sensitive)
        column = place.field
        refuse_part(name, place)
        if any(field.split(".")[0] == column.name for field in fixed):
            expected = "columns outside of the record key and the partition path"
            raise UsageError(name, expected=expected, found="one of them")
        refuse_second_value(assignments, place.positions[0], column)
        assignments[place.positions[0]] = assignment(column, value, bare, case_sensitive=table.case_sensitive)
    return assignments


@dataclass(frozen=True)
class RowChanges(Portable):
    """New values of columns in rows of a schema, by position. It can be pickled."""

    table: Table
    schema: Schema
    assignments: Mapping[int, Assignment]

    def apply(self, batches: Iterator[Any]) -> Iterator[ChangedRows]:
        """The rows with the new values. Raises `RowError` with the row for a value that its column's type cannot have."""
        first, rows = 0, self.table.engine.rows
        for batch in batches:
            new, count = self._change(batch, first), rows.count(batch)
            yield ChangedRows(
                new, np.zeros(count, np.bool_) if self.contest is None else self.contest.find_lost(batch, new)
            )
            first += count

    @cached_property
    def contest(self) -> Contest | None:
        """What decides which rows win; None where the newer one does."""
        return contest(self.table, self.schema)

    def _change(self, batch: Any, first: int) -> Any:
        """A batch with new values; its first row has this number among all rows."""
        engine, schema = self.table.engine, self.schema
        values = engine.values
        root = engine.rows.root(batch)
        parts = []
        for position, column in enumerate(schema.fields):
            if position not in self.assignments:
                parts.append((column, values.field(root, position)))
                continue
            new, lost = new_value(engine, self.assignments[position], root, schema)
            if lost.any():
                row = int(lost.argmax())
                raise refusal(engine, self.assignments[position], root, schema, row, first + row)
            parts.append((column, new))
        return engine.rows.batch(values.struct(parts, values.is_null(root), root))
