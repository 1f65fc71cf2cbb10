"""Updates by predicate that win over the rows that they read, whatever the table's merge rule, and deletes of every row of a
key. Rules: WRITE-7, WRITE-208.

A new base file has what an update says. A record in a log file competes with the stored ones when it is read: where it would
lose, by its ordering value or because its null leaves a stored value, the base file of the slice is rewritten instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.data_files.base_file import FileTarget
from hudi_core.errors import RowError, UnsupportedError
from hudi_core.merge.records import merge_records
from hudi_core.merge.rules import merge_rules
from hudi_core.reading.log_buffer import LogBuffer
from hudi_core.reading.merge_columns import MergeColumns, merge_columns
from hudi_core.schema.schema import Schema
from hudi_core.table.table import Table
from hudi_core.timeline.slices import FileSlice
from hudi_core.transactions.refusals import list_excluded_groups
from hudi_core.writing.tasks import AppendLog, RewriteFile, Task, row_count

_NO_ROW: Final = -1


@dataclass(frozen=True, slots=True, eq=False)
class ChangedRows:
    """Rows as a change makes them. `loses` are those that lose to what they were, as readers merge them; `removes` those that
    stand for the deletion of their keys, None for no row. `numbers` are those of the rows of a source that they are made of,
    None where they are made of none."""

    batch: Any
    loses: Bools
    removes: Bools | None = None
    numbers: Numbers | None = None


class SourceNumbers:
    """The rows of a source that changed rows are made of, in the order of these, for errors. Rule WRITE-1686."""

    def __init__(self) -> None:
        self._numbers: list[Numbers] = []
        self.are_known = False
        """Some row is made of one of a source."""

    def add(self, changed: ChangedRows) -> None:
        self.are_known = self.are_known or changed.numbers is not None
        none = np.full(len(changed.loses), _NO_ROW, np.int64)
        self._numbers.append(none if changed.numbers is None else changed.numbers)

    def renumber(self, error: RowError) -> RowError:
        """The error of a changed row, with the number of the source's row, or none."""
        if error.row is None:
            return error
        number = int(np.concatenate(self._numbers)[error.row])
        row = None if number == _NO_ROW else number
        return RowError(row, expected=error.expected or "", found=error.found or "", path=error.path)


@dataclass(frozen=True)
class Contest:
    """Which of the rows that an update changes lose to what they were, as readers merge them."""

    columns: MergeColumns

    def find_lost(self, before: Any, after: Any) -> Bools:
        """For each row of a batch, whether its value in some column stays as it was."""
        rows, partial = self.columns.engine.rows, self.columns.rules.partial is not None
        count, buffer = rows.count(before), LogBuffer(self.columns, partial)
        for batch in (before, after):
            buffer.add_rows(batch, "rows")
        records = buffer.join()[0]
        older, newer = (records.take(np.arange(first, first + count)) for first in (0, count))
        result = merge_records(older, newer, self.columns.rules.precedence, self.columns.latest)
        stays: Bools = (result.sources < count) & older.has_value
        lost: Bools = np.logical_or.reduce(stays, axis=1)
        return lost


def contest(table: Table, rows: Schema) -> Contest | None:
    """The contest of rows of a schema; None where the newer row wins as a whole."""
    where, engine = table.storage.uri, table.engine
    rules = merge_rules(table.config, where)
    if rules.newer_wins:
        return None
    return Contest(merge_columns(engine, table.config, rows, rules, rows, where, with_keys=False))


def winning_tasks(table: Table, tasks: Sequence[Task], loses: Callable[[Task], bool]) -> tuple[Task, ...]:
    """The tasks of an update, so that its rows win; `loses` says of a task whether some of its rows would lose in a log file.

    Raises `UnsupportedError` where a slice that has to be rewritten has no base file, or is to be compacted or clustered.
    """
    return tuple(
        replace(task, wins=True)
        if isinstance(task, RewriteFile)
        else _rewriting(table, task, "rows that lose by the merge rule cannot be in a log file")
        if isinstance(task, AppendLog) and loses(task)
        else task
        for task in tasks
    )


def deleting_tasks(table: Table, tasks: Sequence[Task], slices: Set[FileSlice]) -> tuple[Task, ...]:
    """The tasks of a delete, of which some `slices` have several rows of a key: readers would drop one of them for a log file.

    Raises as `winning_tasks`, and `UnsupportedError` where rows are merged into such a slice too.
    """
    for task in tasks:
        if isinstance(task, AppendLog) and task.slice in slices and row_count(task):
            raise UnsupportedError(
                f"{table.storage.uri}: file group {task.slice.file_id}",
                expected="deletes alone in a file group with several rows of one of the keys",
                found="rows to upsert in the same commit",
            )
    return tuple(
        _rewriting(table, task, "a log file deletes one of several rows of a key")
        if isinstance(task, AppendLog) and task.slice in slices
        else task
        for task in tasks
    )


def merging_tasks(table: Table, tasks: Sequence[Task], slices: Set[FileSlice]) -> tuple[Task, ...]:
    """The tasks of an upsert, of which some `slices` have rows that would bring back deleted ones in a log file: there they are
    merged into the base file, by the table's merge rule. Rule WRITE-1462. Raises as `winning_tasks`."""
    return tuple(
        _rewriting(table, task, "a row in a log file would bring back a deleted one", wins=False)
        if isinstance(task, AppendLog) and task.slice in slices
        else task
        for task in tasks
    )


def _rewriting(table: Table, task: AppendLog, reason: str, *, wins: bool = True) -> RewriteFile:
    """The base file of the slice in place of a log file."""
    file_slice = task.slice
    group = file_slice.partition, file_slice.file_id
    pending = group in list_excluded_groups(table)
    if pending or file_slice.base is None:
        raise UnsupportedError(
            f"{table.storage.uri}: file group {file_slice.file_id}",
            expected=f"a base file to rewrite: {reason}; compact it first",
            found="a pending compaction or clustering" if pending else "log files alone",
        )
    target = FileTarget(*group, task.target.instant_time, task.target.number)
    return RewriteFile(target, file_slice, task.rows, deleted_keys=task.deleted_keys, wins=wins)
