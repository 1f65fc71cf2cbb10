"""A merge in the schemas of its source and its table: checked before anything is written.

Rules: WRITE-610 to WRITE-613, WRITE-1421, WRITE-1575, WRITE-1580, WRITE-1588.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from hudi_core.arrays import Bools
from hudi_core.errors import ConflictError, ExpressionError, UnsupportedError, UsageError, list_names
from hudi_core.expr.bind import bind
from hudi_core.expr.build import ExpressionBuilder
from hudi_core.expr.nodes import Expr, Lambda, Name, Or
from hudi_core.expr.predicate import Predicate
from hudi_core.expr.queries import Condition
from hudi_core.expr.sql_predicate import predicate_tree
from hudi_core.expr.walk import MAX_DERIVED_DEPTH, change_tree, walk
from hudi_core.portable import Portable
from hudi_core.rows.folds import NoResult
from hudi_core.rows.truth import is_true
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.meta import bare_schema, is_meta
from hudi_core.schema.schema import Schema
from hudi_core.table.table import Table
from hudi_core.tagging.key_columns import KeyColumns
from hudi_core.tagging.key_reader import KeyReader, key_columns
from hudi_core.types import nodes as t
from hudi_core.writing.assignments import Assignment, assignment, new_value, refusal, refuse_part, refuse_second_value
from hudi_core.writing.conditions import refuse_doubtful
from hudi_core.writing.no_result import find_undecided_rows
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operation_plans import tag_options
from hudi_core.writing.source_merge.clauses import (
    SOURCE,
    TARGET,
    Action,
    Clause,
    On,
    check_clauses,
    match_columns,
    refuse_other_columns,
)
from hudi_core.writing.update_outcomes import Contest, contest


@dataclass(frozen=True, slots=True)
class BoundClause:
    """A clause whose condition and values, by position in the table's rows, are bound."""

    action: Action
    condition: Predicate | None
    values: Mapping[int, Assignment]
    undecided: Mapping[NoResult, Predicate]
    """True in the rows of which the condition does not say whether it is true, by reason."""


@dataclass(frozen=True)
class BoundMerge(Portable):
    """A merge of rows of the schema `given` into a table. It can be pickled."""

    table: Table
    given: Schema
    rows: Schema
    """The schema of the table's rows, without the meta columns."""
    keys_of: tuple[tuple[t.Field, Assignment | None], ...]
    """The columns of the table's keys, and their values in the source; None where a key is looked for in all partitions."""
    whole_table: bool
    moves: bool
    """Rows move that get another partition than the stored row of their key."""
    matched: tuple[BoundClause, ...]
    inserts: tuple[BoundClause, ...]
    unmatched: tuple[BoundClause, ...] = ()
    """Clauses for rows of the table that no row of the source matches."""
    where: Expr | None = None
    """True in all rows of the table that clauses for unmatched rows may be for; None where that is not known."""
    required: Predicate | None = None
    """True in all rows that the merge may write; None where they may be any."""

    @property
    def deletes_alone(self) -> bool:
        """Whether all rows that are matched are deleted: it does not matter then by how many rows of the source."""
        return [(clause.action, clause.condition) for clause in self.matched] == [(Action.DELETE, None)]

    @cached_property
    def both(self) -> Schema:
        """The schema of pairs: a row of the source and one of the table."""
        return pair_schema(self.given, self.rows)

    @cached_property
    def alone(self) -> Schema:
        """The schema of rows of the source alone."""
        return pair_schema(self.given, None)

    @cached_property
    def stored(self) -> Schema:
        """The schema of rows of the table alone."""
        return pair_schema(None, self.rows)

    @cached_property
    def contest(self) -> Contest | None:
        """What decides which rows win; None where the newer one does."""
        return contest(self.table, self.rows)

    def refuse_no_rows(self, count: int) -> None:
        """Raises `UsageError` for a source of so many rows where that deletes all rows of the table. Rule WRITE-1582."""
        if count == 0 and (Action.DELETE, None) in [(clause.action, clause.condition) for clause in self.unmatched]:
            expected = (
                'rows in the source, since all rows of the table would be deleted; delete(where="true") does that'
            )
            raise UsageError("source", expected=expected, found="none")

    def refuse_changed_lookup(self, table: Table, options: WriteOptions) -> None:
        """Raises `ConflictError` where keys are looked for, or rows move, in another way than when the merge was bound. Its keys
        and its clauses are of that way. Rule WRITE-1588."""
        before, now = _way_of_keys(self.whole_table, self.moves), _way_of_keys(*_find_way_of_keys(table, options))
        if now != before:
            raise ConflictError(
                table.storage.uri, expected=f"keys {before}, as the merge was checked", found=f"keys {now}"
            )

    def with_keys(self, batches: Iterable[Any]) -> Iterator[tuple[Any, KeyColumns]]:
        """Batches of the source that have rows, with the keys of these. Raises `RowError` for a row without a key, and for one
        that has a value which a column of keys cannot have: it matches no row, and must not match another one."""
        fields = tuple(column for column, _ in self.keys_of)
        reader, first = KeyReader(self.table, Schema(t.Record(fields))), 0
        for batch in batches:
            if count := self.table.engine.rows.count(batch):
                yield batch, key_columns(*reader.keys(self._key_rows(batch, first)))
                first += count

    def _key_rows(self, batch: Any, first: int) -> Any:
        """The columns of keys of a batch. Its first row has this number among all rows."""
        engine, values = self.table.engine, self.table.engine.values
        root = self._alone(batch)
        parts = []
        for column, assigned in self.keys_of:
            if assigned is None:
                parts.append((column, values.literal(None, column.type, root)))
                continue
            key, lost = new_value(engine, assigned, root, self.alone)
            if lost.any():
                row = int(lost.argmax())
                raise refusal(engine, assigned, root, self.alone, row, first + row)
            parts.append((column, key))
        return engine.rows.batch(values.struct(parts, values.is_null(root), root))

    def root(self, source: Any | None, target: Any | None) -> Any:
        """Pairs of a row of the source and one of the table, or rows of one of them alone."""
        if source is None:
            return self._struct(self.stored, [self.table.engine.rows.root(target)])
        return self._alone(source) if target is None else self._pairs(source, target)

    def holds(self, condition: Predicate, root: Any, schema: Schema) -> Bools:
        """For each row whether the condition is true."""
        engine = self.table.engine
        return engine.rows.flags(is_true(condition, engine.values, root, schema))

    def _alone(self, source: Any) -> Any:
        return self._struct(self.alone, [self.table.engine.rows.root(source)])

    def _pairs(self, source: Any, target: Any) -> Any:
        rows = self.table.engine.rows
        return self._struct(self.both, [rows.root(source), rows.root(target)])

    def _struct(self, schema: Schema, sides: list[Any]) -> Any:
        values = self.table.engine.values
        return values.struct(list(zip(schema.fields, sides, strict=True)), values.is_null(sides[0]), sides[0])


def _find_way_of_keys(table: Table, options: WriteOptions) -> tuple[bool, bool]:
    """Whether a key is looked for in all partitions, and whether rows move between them."""
    whole_table = tag_options(table, options).whole_table
    return whole_table, whole_table and options.moves(table.config.properties)


def _way_of_keys(whole_table: bool, moves: bool) -> str:
    if not whole_table:
        return "that are looked for in the partitions that rows name"
    return f"that are looked for in all partitions, with rows that {'move' if moves else 'stay'}"


def pair_schema(source: Schema | None, target: Schema | None) -> Schema:
    """The schema of pairs of rows, or of rows of a source or a table alone."""
    sides = ((SOURCE, source), (TARGET, target))
    fields = [t.Field(0, name, side.record, optional=False) for name, side in sides if side is not None]
    return Schema(record_with_ids(t.Record(tuple(fields))))


def bind_merge(table: Table, given: Schema, on: On, clauses: tuple[Clause, ...], options: WriteOptions) -> BoundMerge:
    """The merge of rows of a schema into a table.

    Raises `UsageError` and `UnsupportedError` for columns and clauses that it cannot be made of, `ExpressionError` for a column
    that is not there, `SchemaError` for a value that a column's type cannot have.
    """
    checked = check_clauses(clauses)
    rows, pairs = bare_schema(table.schema), match_columns(on)
    config, case = table.config, table.case_sensitive
    whole_table, moves = _find_way_of_keys(table, options)
    keys, partitions = config.record_key_fields, config.partition_fields
    if not keys or any("." in name for name in (*keys, *partitions)):
        found = "none" if not keys else list_names(list(keys))
        raise UnsupportedError(table.storage.uri, expected="a table whose keys are columns of their own", found=found)
    refuse_other_columns(pairs, [keys] if whole_table else [(*keys, *partitions)])
    both, alone, stored = pair_schema(given, rows), pair_schema(given, None), pair_schema(None, rows)
    by_name = {name.lower(): source for name, source in pairs.items()}
    keys_of = []
    for name in dict.fromkeys((*keys, *partitions)):
        column = rows.get(name, case_sensitive=case).field
        source = by_name.get(column.name.lower())
        assigned = None if source is None else assignment(column, _of_source(source), alone, case_sensitive=case)
        keys_of.append((column, assigned))
    fixed = _lower(keys if moves else (*keys, *partitions))
    matched, inserts, unmatched = list[BoundClause](), list[BoundClause](), list[BoundClause]()
    conditions = list[Expr | None]()
    for clause in checked:
        is_insert = clause.action is Action.INSERT
        schema, of_kind = (
            (stored, unmatched) if clause.unmatched else (alone, inserts) if is_insert else (both, matched)
        )
        condition, undecided = None, dict[NoResult, Predicate]()
        tree = None if clause.condition is None else predicate_tree(clause.condition)
        if clause.unmatched:
            conditions.append(tree)
        if tree is not None:
            condition, undecided = bind(tree, schema, case_sensitive=case), _bind_undecided(tree, schema, case)
            refuse_doubtful(tree, schema, rows)
        values = dict[int, Assignment]()
        if is_insert:
            values = _bind_insert(clause, rows, schema, by_name, case_sensitive=case)
        elif clause.action is Action.UPDATE:
            values = _bind_update(clause, rows, schema, fixed, _lower(partitions), case_sensitive=case)
        of_kind.append(BoundClause(clause.action, condition, values, undecided))
    return BoundMerge(
        table, given, rows, tuple(keys_of), whole_table, moves, tuple(matched), tuple(inserts), tuple(unmatched),
        _any_of(conditions),
    )  # fmt: skip


def bind_replacement(table: Table, given: Schema, where: Condition, options: WriteOptions) -> BoundMerge:
    """The merge that puts rows of a schema in the place of those for which a condition on the table's columns is true. Raises as
    `bind_merge`, and `UnknownColumnError` for a column that the table lacks. Rule WRITE-1583."""
    config, rows, tree = table.config, bare_schema(table.schema), predicate_tree(where)
    for column in given.fields:
        if not is_meta(column.name):
            rows.get(column.name, case_sensitive=table.case_sensitive)
    partitions = () if tag_options(table, options).whole_table else config.partition_fields
    clauses = (Clause(Action.UPDATE), Clause(Action.INSERT), Clause(Action.DELETE, _to_target(tree), unmatched=True))
    bound = bind_merge(table, given, list(dict.fromkeys((*config.record_key_fields, *partitions))), clauses, options)
    return replace(bound, required=bind(tree, rows, case_sensitive=table.case_sensitive))


def _lower(names: Iterable[str]) -> set[str]:
    return {name.lower() for name in names}


def _any_of(conditions: Sequence[Expr | None]) -> Expr | None:
    """A condition on the table's columns that is true in all rows in which one of these is, or of which one does not say so; None
    for all rows."""
    parts = list[Expr]()
    for condition in conditions:
        tree = None if condition is None else _of_table(condition)
        if tree is None:
            return None
        undecided = find_undecided_rows(tree)
        parts += [tree, *([undecided.of_reasons(undecided.by_reason)] if undecided.by_reason else [])]
    return Or(tuple(parts)) if parts else None


def _of_table(condition: Expr) -> Expr | None:
    """A condition on `target` as one on the table's columns; None where it has `target` as a whole, or lambdas, whose parameters
    may have the name of a column."""
    if any(isinstance(node, Lambda) or (isinstance(node, Name) and len(node.path) < 2) for node in walk(condition)):
        return None

    def without_target(node: Expr) -> Expr | None:
        return replace(node, path=node.path[1:]) if isinstance(node, Name) else None

    return change_tree(condition, without_target)


def _to_target(condition: Expr, parameters: frozenset[str] = frozenset()) -> Expr:
    """A condition on the table's columns as one on `target`. Names of `parameters` are those of lambdas."""

    def with_target(node: Expr) -> Expr | None:
        match node:
            case Name(path) if path[0].lower() not in parameters:
                return replace(node, path=(TARGET, *path))
            case Lambda(own, body):
                return replace(node, body=_to_target(body, parameters.union(map(str.lower, own))))
        return None

    return change_tree(condition, with_target)


def _bind_undecided(condition: Expr, schema: Schema, case_sensitive: bool) -> dict[NoResult, Predicate]:
    undecided = find_undecided_rows(condition)
    trees = {reason: undecided.of_reasons([reason]) for reason in undecided.by_reason}
    return {
        reason: bind(tree, schema, case_sensitive=case_sensitive, max_depth=MAX_DERIVED_DEPTH)
        for reason, tree in trees.items()
    }


def _is_of_source(name: str, schema: Schema, case_sensitive: bool) -> bool:
    return schema.find((SOURCE, name), case_sensitive=case_sensitive) is not None


def _bind_update(
    clause: Clause, rows: Schema, schema: Schema, fixed: set[str], partitions: set[str], *, case_sensitive: bool
) -> dict[int, Assignment]:
    """The values of an update: of the columns that it names, or of all but those that are `fixed`, as keys are, which the rows
    have in common, and those of partitions that the source lacks."""
    given = clause.values
    if given is None:
        names = [name for name in rows.names if name.lower() not in fixed]
        own = [name for name in names if name.lower() not in partitions or _is_of_source(name, schema, case_sensitive)]
        given = _values_of_source(own, schema, case_sensitive)
    values = dict[int, Assignment]()
    for name, value in given.items():
        place = rows.get(name, case_sensitive=case_sensitive)
        refuse_second_value(values, place.positions[0], place.field)
        refuse_part(name, place)
        if place.field.name.lower() in fixed:
            expected = "columns outside of the record key and the partition path"
            raise UsageError(name, expected=expected, found="one of them")
        values[place.positions[0]] = assignment(place.field, value, schema, case_sensitive=case_sensitive)
    return values


def _bind_insert(
    clause: Clause, rows: Schema, schema: Schema, on: Mapping[str, str], *, case_sensitive: bool
) -> dict[int, Assignment]:
    """The values of new rows: null where none is named. Columns that rows are matched by have the source's values."""
    given = clause.values
    if given is None:
        others = [name for name in rows.names if name.lower() not in on]
        given = _values_of_source(others, schema, case_sensitive)
    places = {name: rows.get(name, case_sensitive=case_sensitive) for name in given}
    for name, place in places.items():
        refuse_part(name, place)
    named = {places[name].field.name: value for name, value in given.items()}
    if len(named) < len(given):
        raise UsageError("insert", expected="one value for each column", found=f"several in {', '.join(given)}")
    values = dict[int, Assignment]()
    for position, column in enumerate(rows.fields):
        value = named.get(column.name)
        source = on.get(column.name.lower())
        if source is not None:
            own = _of_source(source)
            if clause.values is not None and column.name in named and not _is_same(value, own):
                expected = f"{SOURCE}.{source}, by which the row was looked for"
                raise UsageError(column.name, expected=expected, found="another value")
            value = own
        values[position] = assignment(column, value, schema, case_sensitive=case_sensitive)
    return values


def _values_of_source(names: list[str], schema: Schema, case_sensitive: bool) -> dict[str, ExpressionBuilder]:
    """The source's column of each name. Raises `ExpressionError` for one that it lacks."""
    for name in names:
        if not _is_of_source(name, schema, case_sensitive):
            expected = "a column of this name in the source, as a clause without values takes all"
            raise ExpressionError(name, expected=expected, found="none")
    return {name: _of_source(name) for name in names}


def _of_source(name: str) -> ExpressionBuilder:
    return ExpressionBuilder(Name((SOURCE, *name.split("."))))


def _is_same(value: object, own: ExpressionBuilder) -> bool:
    if not isinstance(value, ExpressionBuilder) or not isinstance(value.node, Name) or not isinstance(own.node, Name):
        return False
    return [part.lower() for part in value.node.path] == [part.lower() for part in own.node.path]
