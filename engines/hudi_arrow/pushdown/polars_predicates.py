"""Expressions of Polars as predicates. Rule TABLE-694.

Their parts come from their JSON form, which Polars changes between versions: what is not known here is not pushed down.
Values of literals are computed by Polars.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from typing import TYPE_CHECKING, Any

from hudi_arrow.pushdown import conditions
from hudi_arrow.pushdown.conditions import MIRRORED, Place, Pushed
from hudi_core.expr.nodes import Comparison
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t

if TYPE_CHECKING:
    import polars as pl

_Json = dict[str, Any]

_COMPARISONS = {
    "Eq": Comparison.EQ,
    "NotEq": Comparison.NE,
    "Lt": Comparison.LT,
    "LtEq": Comparison.LE,
    "Gt": Comparison.GT,
    "GtEq": Comparison.GE,
}
_LOWER = {"Both": Comparison.GE, "Left": Comparison.GE, "Right": Comparison.GT, "None": Comparison.GT}
_UPPER = {"Both": Comparison.LE, "Right": Comparison.LE, "Left": Comparison.LT, "None": Comparison.LT}
_HOLDS: dict[type[t.Type], tuple[str, ...]] = {
    t.Int: ("Int64", "Float64"),
    t.Long: ("Float64",),  # literals are compared below 2 to the 53 only
    t.Float: ("Float64",),
}
"""Polars' types that hold each value of ours."""


class _NoValueError(Exception):
    """A part of the expression is no constant."""


def push_predicate(expression: pl.Expr, schema: Schema, polars: Any) -> Pushed | None:
    """The predicate that holds for all rows for which the expression is true; None where there is none.

    `polars` is the module.
    """
    try:
        root = json.loads(expression.meta.serialize(format="json"))
    except polars.exceptions.ComputeError:  # a function of Python's, which has no JSON form
        return None
    return _Translation(schema, polars).condition(root)


class _Translation:
    def __init__(self, schema: Schema, polars: Any) -> None:
        self._schema, self._polars = schema, polars

    def condition(self, node: object) -> Pushed | None:
        match node:
            case {"Alias": [part, _]}:
                return self.condition(part)
            case {"BinaryExpr": {"left": left, "op": op, "right": right}}:
                return self._binary(op, left, right)
            case {"Function": {"input": [*inputs], "function": function}}:
                return self._function(function, inputs)
            case _:
                return conditions.truth(self._place(node))

    def _binary(self, op: object, left: object, right: object) -> Pushed | None:
        match op:
            case "And" | "LogicalAnd":
                return conditions.all_of([self.condition(left), self.condition(right)])
            case "Or" | "LogicalOr":
                return conditions.any_of([self.condition(left), self.condition(right)])
            case str() if op in _COMPARISONS:
                return self._compare(_COMPARISONS[op], left, right)
            case _:
                return None

    def _compare(self, operator: Comparison, left: object, right: object) -> Pushed | None:
        if _is_constant(left):
            left, right, operator = right, left, MIRRORED.get(operator, operator)
        place = self._place(left)
        try:
            return conditions.compare(operator, place, self._value(right))
        except _NoValueError:
            return None

    def _function(self, function: object, inputs: list[object]) -> Pushed | None:
        match function, inputs:
            case {"Boolean": "Not"}, [part]:
                return conditions.negate(self.condition(part))
            case {"Boolean": "IsNull"}, [part]:
                return conditions.is_null(self._place(part))
            case {"Boolean": "IsNotNull"}, [part]:
                return conditions.negate(conditions.is_null(self._place(part)))
            case {"Boolean": {"IsBetween": {"closed": str(closed)}}}, [part, low, high] if closed in _LOWER:
                bounds = [self._compare(_LOWER[closed], part, low), self._compare(_UPPER[closed], part, high)]
                return conditions.all_of(bounds)
            case {"Boolean": {"IsIn": {"nulls_equal": bool(nulls_equal)}}}, [part, values]:
                return self._member(part, values, nulls_equal)
            case {"StringExpr": name}, [part, value]:
                return self._match(name, part, value)
            case _:
                return None

    def _member(self, part: object, values: object, nulls_equal: bool) -> Pushed | None:
        try:
            choices = self._value(values)
        except _NoValueError:
            return None
        if not isinstance(choices, self._polars.Series):
            return None
        listed = choices.to_list()
        null = nulls_equal and None in listed
        return conditions.one_of(self._place(part), [value for value in listed if value is not None], null=null)

    def _match(self, name: object, part: object, value: object) -> Pushed | None:
        match name:
            case "StartsWith":
                make: Callable[[Place | None, object], Pushed | None] = conditions.begins_with
            case "EndsWith":
                make = conditions.ends_with
            case {"Contains": {"literal": True}}:
                make = conditions.contains
            case _:
                return None
        try:
            return make(self._place(part), self._value(value))
        except _NoValueError:
            return None

    def _place(self, node: object) -> Place | None:
        """The column of a node; a cast to a type that holds each of its values is the column."""
        path = _path(node)
        if path is not None:
            return conditions.place(self._schema, path)
        match node:
            case {"Cast": {"expr": part, "dtype": {"Literal": str(target)} | str(target)}}:
                place = self._place(part)
                return place if place is not None and target in _HOLDS.get(type(place.type), ()) else None
            case _:
                return None

    def _value(self, node: object) -> object:
        """The value of a constant. Raises `_NoValueError` for what has columns, and for what Polars cannot compute."""
        if not _is_constant(node):
            raise _NoValueError
        polars = self._polars
        try:
            expression = polars.Expr.deserialize(StringIO(json.dumps(node)), format="json")
            return polars.select(expression).to_series()[0]
        except (polars.exceptions.PolarsError, ValueError, OverflowError) as problem:
            raise _NoValueError from problem


def _path(node: object) -> tuple[str, ...] | None:
    match node:
        case {"Column": str(name)}:
            return (name,)
        case {"Function": {"input": [part], "function": {"StructExpr": {"FieldByName": str(name)}}}}:
            outer = _path(part)
            return None if outer is None else (*outer, name)
        case _:
            return None


def _is_constant(node: object) -> bool:
    match node:
        case {"Literal": _}:
            return True
        case {"Alias": [part, _]}:
            return _is_constant(part)
        case {"Cast": {"expr": part}}:
            return _is_constant(part)
        case _:
            return False
