"""Rows of a source that meet rows of a table, and what becomes of them by clauses. Rules: WRITE-612, WRITE-613, WRITE-1580."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.nodes import StringColumn, length
from hudi_core.columns.string_index import index_strings
from hudi_core.columns.strings import string_list, take_strings
from hudi_core.engine import Engine
from hudi_core.errors import RowError
from hudi_core.expr.predicate import Predicate
from hudi_core.schema.meta import PARTITION_PATH, RECORD_KEY, is_meta
from hudi_core.schema.schema import Schema
from hudi_core.table.scan import Scan
from hudi_core.table.table import Table
from hudi_core.tagging.key_columns import KeyColumns, Locations
from hudi_core.tagging.key_reader import KeyReader
from hudi_core.tagging.tag import Tagger
from hudi_core.writing.assignments import INSTEAD, new_value, refusal
from hudi_core.writing.single_places import locate_once, refuse_repeated
from hudi_core.writing.source_merge.bound import BoundClause, BoundMerge
from hudi_core.writing.source_merge.clauses import Action
from hudi_core.writing.task_rows import group_by_partition
from hudi_core.writing.update_outcomes import ChangedRows

_PAIRS_AT_ONCE: Final = 1 << 15


@dataclass(frozen=True, slots=True, eq=False)
class SourceRows:
    """Rows of a source with their record keys, all of one partition, and their numbers among all rows of the source."""

    batches: Sequence[Any]
    records: StringColumn
    numbers: Numbers


def scan_stored_rows(merge: BoundMerge, table: Table) -> Scan:
    """All columns of the rows that clauses for unmatched rows may be for. Rows that the source may match are in whole slices."""
    return table.scan(merge.where, meta=table.config.populate_meta_fields)


def with_keys(merge: BoundMerge, schema: Schema, batches: Iterable[Any]) -> Iterator[tuple[Any, StringColumn]]:
    """Stored rows, which have this schema, without the meta columns, and with their record keys."""
    engine = merge.table.engine
    reader = KeyReader(merge.table, schema, columns=(RECORD_KEY, PARTITION_PATH))
    for batch in batches:
        if engine.rows.count(batch):
            yield _bare(engine, batch, schema), reader.keys(batch)[0]


def _bare(engine: Engine[Any, Any, Any], batch: Any, schema: Schema) -> Any:
    values, root = engine.values, engine.rows.root(batch)
    parts = [
        (column, values.field(root, position))
        for position, column in enumerate(schema.fields)
        if not is_meta(column.name)
    ]
    return engine.rows.batch(values.struct(parts, values.is_null(root), root))


def locate_source(tagger: Tagger, keys: KeyColumns, numbers: Numbers) -> Locations:
    """The slices that hold keys of a source, whose rows have these numbers. Raises `RowError` for a key that several slices hold:
    a merge would change a row in one of them. Rule WRITE-1444."""
    return locate_once(tagger, keys, numbers)[0]


def merge_rows(
    merge: BoundMerge, source: SourceRows, stored: Iterable[tuple[Any, StringColumn]]
) -> Iterator[ChangedRows]:
    """What becomes of rows of a source and the stored rows of their slice.

    Raises `RowError` with the row of the source where several rows of it match one row of the table, or make one new row, and
    where it matches several rows of the table.
    """
    index = index_strings(source.records)
    order = np.argsort(index.first, kind="stable")
    starts = np.searchsorted(index.first[order], np.arange(length(source.records) + 1))
    met = np.zeros(length(source.records), np.bool_)
    for batch, records in stored:
        firsts = index.find(records)
        if merge.unmatched:
            yield from _change_unmatched(merge, batch, records, np.flatnonzero(firsts < 0))
        rows = np.flatnonzero(firsts >= 0)
        if not len(rows):
            continue
        groups = firsts[rows]
        repeated = np.flatnonzero(met[groups] | (np.bincount(groups)[groups] > 1))
        if len(repeated):
            row = int(groups[repeated[0]])
            refuse_repeated(take_strings(source.records, np.array([row])), int(source.numbers[row]))
        counts = starts[groups + 1] - starts[groups]
        before = np.repeat(np.cumsum(counts) - counts, counts)
        sources = order[np.repeat(starts[groups], counts) + np.arange(len(before)) - before]
        met[sources] = True
        targets = np.repeat(rows, counts)
        if merge.deletes_alone:
            targets, kept = np.unique(targets, return_index=True)
            sources = sources[kept]
        yield from _change(merge, source, batch, sources, targets)
    yield from _new(merge, source, np.flatnonzero(~met), index.first)


def change_unmatched_rows(merge: BoundMerge, stored: Iterable[tuple[Any, StringColumn]]) -> Iterator[ChangedRows]:
    """What becomes of the stored rows of slices that hold no key of the source."""
    for batch, records in stored:
        yield from _change_unmatched(merge, batch, records, np.arange(length(records)))


def rows_without_slices(
    merge: BoundMerge, batches: Sequence[Any], keys: KeyColumns, numbers: Numbers
) -> Iterator[ChangedRows]:
    """What becomes of rows of a source whose keys no slice holds."""
    if not len(keys):
        return
    every = np.arange(len(keys))
    for _, rows in [("", every)] if merge.whole_table else group_by_partition(keys, every):
        columns = [rows] * len(merge.given.fields)
        given = tuple(merge.table.engine.rows.gather(batches, columns, merge.given))
        yield from merge_rows(merge, SourceRows(given, take_strings(keys.records, rows), numbers[rows]), ())


def _change(merge: BoundMerge, source: SourceRows, batch: Any, sources: Numbers, targets: Numbers) -> list[ChangedRows]:
    """The rows of a batch that pairs of a row of the source and one of the batch change or delete."""
    changes, hit = list[ChangedRows](), list[Numbers]()
    for start in range(0, len(sources), _PAIRS_AT_ONCE):
        part = slice(start, start + _PAIRS_AT_ONCE)
        given = _take(merge, source.batches, sources[part], merge.given)
        old = _take(merge, [batch], targets[part], merge.rows)
        root = merge.root(given, old)
        for clause, rows in _by_clause(merge, merge.matched, root, merge.both, source.numbers[sources[part]]):
            hit.append(start + rows)
            before = _keep(merge, old, rows)
            numbers = source.numbers[sources[part][rows]]
            pairs = merge.root(_keep(merge, given, rows), before)
            changed = _change_rows(merge, clause, pairs, merge.both, before, numbers)
            changes.append(replace(changed, numbers=numbers))
    pairs_hit = np.sort(np.concatenate(hit)) if hit else np.zeros(0, np.int64)
    twice = np.flatnonzero(np.diff(targets[pairs_hit]) == 0)
    if len(twice):
        pair = int(pairs_hit[twice[0] + 1])
        _refuse(source, int(sources[pair]), "one row of the source for each row of the table that it changes")
    return changes


def _change_unmatched(merge: BoundMerge, batch: Any, records: StringColumn, rows: Numbers) -> Iterator[ChangedRows]:
    """The rows of a batch, among these, that clauses for unmatched rows change or delete. Raises `RowError` with the key of a row
    for which a clause has no result."""
    if not len(rows):
        return
    old = _keep(merge, batch, rows)
    try:
        for clause, chosen in _by_clause(merge, merge.unmatched, merge.root(None, old), merge.stored, rows):
            before = _keep(merge, old, chosen)
            yield _change_rows(merge, clause, merge.root(None, before), merge.stored, before, rows[chosen])
    except RowError as error:
        if error.row is None:
            raise
        (key,) = string_list(take_strings(records, np.array([error.row])))
        found = f"{error.found} in the row of the key {key!r}"
        raise RowError(None, expected=error.expected or "", found=found, path=error.path) from None


def _change_rows(
    merge: BoundMerge, clause: BoundClause, root: Any, schema: Schema, before: Any, numbers: Numbers
) -> ChangedRows:
    """Rows of the table as a clause changes or deletes them."""
    none = np.zeros(len(numbers), np.bool_)
    if clause.action is Action.DELETE:
        return ChangedRows(before, none, ~none)
    after = _with_values(merge, clause, root, schema, before, numbers)
    return ChangedRows(after, none if merge.contest is None else merge.contest.find_lost(before, after), none)


def _new(merge: BoundMerge, source: SourceRows, rows: Numbers, firsts: Numbers) -> Iterator[ChangedRows]:
    """The rows that clauses make of rows of the source which match none."""
    if not merge.inserts:
        return
    made = np.zeros(length(source.records), np.bool_)
    changes = []
    for start in range(0, len(rows), _PAIRS_AT_ONCE):
        part = rows[start : start + _PAIRS_AT_ONCE]
        given = _take(merge, source.batches, part, merge.given)
        root = merge.root(given, None)
        for clause, chosen in _by_clause(merge, merge.inserts, root, merge.alone, source.numbers[part]):
            pairs = merge.root(_keep(merge, given, chosen), None)
            numbers = source.numbers[part[chosen]]
            batch = _with_values(merge, clause, pairs, merge.alone, None, numbers)
            none = np.zeros(len(chosen), np.bool_)
            made[part[chosen]] = True
            changes.append(ChangedRows(batch, none, none, numbers))
    inserted = np.flatnonzero(made)
    _, first_of_each = np.unique(firsts[inserted], return_index=True)
    if len(first_of_each) < len(inserted):
        again = np.setdiff1d(np.arange(len(inserted)), first_of_each)
        _refuse(source, int(inserted[again[0]]), "one row of the source for each new row")
    yield from changes


def _refuse(source: SourceRows, row: int, expected: str) -> None:
    (key,) = string_list(take_strings(source.records, np.array([row])))
    raise RowError(int(source.numbers[row]), expected=expected, found=f"another one of the key {key!r}")


def _by_clause(
    merge: BoundMerge, clauses: Sequence[BoundClause], root: Any, schema: Schema, numbers: Numbers
) -> Iterator[tuple[BoundClause, Numbers]]:
    """The rows of each clause: the first whose condition is true for them. Raises `RowError` with the number of a row of which a
    condition does not say whether it is true."""
    free = np.ones(len(numbers), np.bool_)
    for clause in clauses:
        for reason, condition in clause.undecided.items():
            undecided = free & merge.holds(condition, root, schema)
            if undecided.any():
                row, place = int(numbers[undecided.argmax()]), f"the condition of {clause.action}"
                raise RowError(row, expected=reason.value, found=INSTEAD[reason], path=place)
        holds = free if clause.condition is None else free & merge.holds(clause.condition, root, schema)
        free = free & ~holds
        if holds.any():
            yield clause, np.flatnonzero(holds)


def _with_values(
    merge: BoundMerge, clause: BoundClause, root: Any, schema: Schema, before: Any | None, numbers: Numbers
) -> Any:
    """Rows with the values of a clause, and those that they had in other columns. Raises `RowError` with the row."""
    engine, values = merge.table.engine, merge.table.engine.values
    old = None if before is None else engine.rows.root(before)
    parts = []
    for position, column in enumerate(merge.rows.fields):
        if position not in clause.values:
            parts.append((column, values.field(old, position)))
            continue
        new, lost = new_value(engine, clause.values[position], root, schema)
        if lost.any():
            row = int(lost.argmax())
            raise refusal(engine, clause.values[position], root, schema, row, int(numbers[row]))
        parts.append((column, new))
    batch = engine.rows.batch(values.struct(parts, values.is_null(root), root))
    if merge.required is not None:
        _refuse_others(merge, merge.required, batch, numbers)
    return batch


def _refuse_others(merge: BoundMerge, required: Predicate, batch: Any, numbers: Numbers) -> None:
    """Raises `RowError` for a row for which a predicate is not true. Rule WRITE-1584."""
    rows = merge.table.engine.rows
    others = np.flatnonzero(~merge.holds(required, rows.root(batch), merge.rows))
    if len(others):
        (shown,) = rows.to_json(_keep(merge, batch, others[:1]), merge.rows)
        found = f"one for which it is not: {json.dumps(shown, ensure_ascii=False)}"
        expected = "rows for which the predicate is true, as they come in the place of such rows"
        raise RowError(int(numbers[others[0]]), expected=expected, found=found, path="where")


def _take(merge: BoundMerge, batches: Sequence[Any], rows: Numbers, schema: Schema) -> Any:
    (batch,) = merge.table.engine.rows.gather(batches, [rows] * len(schema.fields), schema)
    return batch


def _keep(merge: BoundMerge, batch: Any, rows: Numbers) -> Any:
    flags = np.zeros(merge.table.engine.rows.count(batch), np.bool_)
    flags[rows] = True
    return merge.table.engine.rows.keep(batch, flags)
