"""Operations on Spark columns: a column is a plan with its type, a mask a boolean plan that is never null."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from hudi_core.errors import RowError, UnsupportedError
from hudi_core.expr.cuts import ranges_of
from hudi_core.expr.predicate import Cut
from hudi_core.functions.record import Function
from hudi_core.functions.scalar.like import Pattern
from hudi_core.types import nodes as t
from hudi_spark import casts, compare, functions
from hudi_spark.cells import Cell, constant, elements_of, field_of, lift_plan, mask, record, struct_of
from hudi_spark.literals import literal
from hudi_spark.scalars import by_value
from hudi_spark.ticks import from_ticks, ticks


class SparkValues:
    """`hudi_core.engine.Values` as plans, which run on executors. Nothing runs when an operation is called."""

    def field(self, struct: Cell, position: int) -> Cell:
        return field_of(struct, position)

    def is_branch(self, union: Cell, position: int) -> Cell:
        return mask(lambda plan: plan.isNotNull(), self.branch(union, position))

    def branch(self, union: Cell, position: int) -> Cell:
        return self.field(union, position)

    def struct(self, fields: Sequence[tuple[t.Field, Cell]], nulls: Cell, like: Cell) -> Cell:
        record_type = t.Record(tuple(field for field, _ in fields))
        named = [(field.name, cell) for field, cell in fields]
        if nulls.always is False and like.depth == 0:
            return record(named, record_type)
        return struct_of(named, record_type, nulls)

    def union(self, type: t.Union, parts: Sequence[tuple[Cell, int, Cell]], like: Cell) -> Cell:
        taken = self.some([chosen for chosen, _, _ in parts], like)
        fields = []
        for number, branch in enumerate(type.branches):
            value = self.literal(None, branch.type, like)
            for chosen, position, cell in parts:
                if position == number:
                    value = self.choose(chosen, cell, value, branch.type)
            fields.append((branch.name, value))
        return struct_of(fields, type, self.no(taken))

    def elements(self, array: Cell, element: t.Field, change: Callable[[Cell], Cell]) -> Cell:
        return elements_of(array, element, change)

    def entries(self, map: Cell, type: t.Map, change: Callable[[Cell], Cell]) -> Cell:
        assert isinstance(map.type, t.Map)
        items = lift_plan(F.map_values, map.type, map)
        changed = change(Cell(items.plan, map.type.value.type, map.depth + 1))
        return lift_plan(
            lambda stored, values: F.map_from_arrays(F.map_keys(stored), values),
            type,
            map,
            Cell(changed.plan, t.Array(type.value), map.depth),
        )

    def literal(self, value: object, type: t.Type, like: Cell) -> Cell:
        return lift_plan(lambda _: literal(value, type), type, like)

    def is_null(self, value: Cell) -> Cell:
        if value.parts is not None:
            return constant(False, value)
        return mask(lambda plan: plan.isNull(), value)

    def below(self, value: Cell, cut: Cut, type: t.Type) -> Cell:
        return compare.below(value, cut, type)

    def one_of(self, value: Cell, values: tuple[object, ...], type: t.Type) -> Cell:
        return compare.one_of(value, values, type)

    def within(self, value: Cell, values: tuple[object, ...], members: tuple[bool, ...], type: t.Type) -> Cell:
        present = self.no(self.is_null(value))
        parts = [
            self.every(
                [
                    present,
                    *([] if first is None else [self.no(self.below(value, first, type))]),
                    *([] if last is None else [self.below(value, last, type)]),
                ],
                value,
            )
            for first, last in ranges_of(values, members)
        ]
        return self.some(parts, value)

    def less(self, left: Cell, right: Cell, or_equal: bool, type: t.Type) -> Cell:
        return compare.less(left, right, or_equal, type)

    def matches(self, value: Cell, pattern: Pattern | str) -> Cell:
        return functions.matches(value, pattern)

    def matches_one(self, value: Cell, patterns: tuple[Pattern | str, ...]) -> Cell:
        return self.some([self.matches(value, pattern) for pattern in patterns], value)

    def apply(self, function: Function, arguments: Sequence[Cell], types: Sequence[t.Type], type: t.Type) -> Cell:
        return functions.apply(function, arguments, types, type)

    def convert(self, value: Cell, source: t.Type, to: t.Type) -> Cell:
        return casts.convert(value, source, to)

    def relabel(self, value: Cell, source: t.Timestamp, to: t.Timestamp) -> Cell:
        return lift_plan(lambda plan: from_ticks(ticks(plan, source), to), to, value)

    def choose(self, when: Cell, then: Cell, otherwise: Cell, type: t.Type) -> Cell:
        if when.always is not None:
            return then if when.always else otherwise
        return lift_plan(lambda chosen, yes, no: F.when(chosen, yes).otherwise(no), type, when, then, otherwise)

    def replace(self, value: Cell, where: Cell, constant: object, type: t.Type) -> Cell:
        return self.choose(where, self.literal(constant, type, value), value, type)

    def join(self, parts: Sequence[str | Cell]) -> Cell:
        columns = [part for part in parts if isinstance(part, Cell)]

        def join(*plans: Column) -> Column:
            left = iter(plans)
            return F.concat(*[next(left) if isinstance(part, Cell) else F.lit(part) for part in parts])

        return lift_plan(join, t.String(), *columns)

    def map(self, value: Cell, rule: Callable[[Any], Any], source: t.Type, to: t.Type) -> Cell:
        return by_value(rule, [value], [source], to)

    def number_rows(self, like: Cell, first: int, prefix: str) -> Cell:
        raise UnsupportedError("numbers of rows", message="rows of a Spark DataFrame have no order to number them by")

    def refuse(self, value: Cell, where: Cell, expected: str, found: str) -> Cell:
        """The error is raised on an executor, with the text of a `RowError` without the row's number."""
        if where.always is False:
            return value
        message = str(RowError(None, expected=expected, found=found))
        return lift_plan(
            lambda plan, refused: F.when(refused, F.raise_error(F.lit(f"{RowError.__name__}: {message}"))).otherwise(
                plan
            ),
            value.type,
            value,
            where,
        )

    def every(self, masks: Sequence[Cell], like: Cell) -> Cell:
        if any(one.always is False for one in masks):
            return constant(False, like)
        left = [one for one in masks if one.always is None]
        return _join(lambda a, b: a & b, left) if left else constant(True, like)

    def some(self, masks: Sequence[Cell], like: Cell) -> Cell:
        if any(one.always for one in masks):
            return constant(True, like)
        left = [one for one in masks if one.always is None]
        return _join(lambda a, b: a | b, left) if left else constant(False, like)

    def no(self, mask_: Cell) -> Cell:
        if mask_.always is not None:
            return constant(not mask_.always, mask_)
        return mask(lambda plan: ~plan, mask_)


def _join(join: Callable[[Column, Column], Column], masks: Sequence[Cell]) -> Cell:
    """All of them joined, in their order, as a tree that is as flat as can be: Catalyst goes down plans by recursion."""
    if len(masks) == 1:
        return masks[0]
    middle = len(masks) // 2
    return mask(join, _join(join, masks[:middle]), _join(join, masks[middle:]))
