"""Conditions of another engine as predicates of this package, so far as they can be expressed. Rules TABLE-691, TABLE-692.

The other engine filters the rows itself. A predicate that is pushed down may therefore let more rows through than the
condition, and never fewer: what has no counterpart is left out of an AND, and makes an OR have none.

Under NOT the roles change: a predicate may be negated only if it is true, false and null for the same rows as the condition.
Such a one is exact. Comparisons of floating-point columns are not: engines differ on NaN.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeGuard

import numpy as np

from hudi_core.expr import calls, nodes
from hudi_core.expr.build import lit
from hudi_core.expr.nodes import Comparison, Expr, Name
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.values.domain import LONG_RANGE

_EXACT_INTEGERS = 2**53
"""Below it a 64-bit integer and its floating-point form compare alike."""

MIRRORED = {
    Comparison.LT: Comparison.GT,
    Comparison.LE: Comparison.GE,
    Comparison.GT: Comparison.LT,
    Comparison.GE: Comparison.LE,
}
"""The operator with its sides exchanged, where it is another one."""


@dataclass(frozen=True, slots=True)
class Pushed:
    """A predicate that is true where the condition is; `exact` if it is also false and null for the same rows."""

    expr: Expr
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Place:
    """A column of the table with its type, as the other engine names it."""

    name: Name
    type: t.Type


def place(schema: Schema, path: Sequence[str]) -> Place | None:
    """The column of this path that is a plain value, not within an array or a map; None if there is none."""
    column = schema.find(tuple(path))
    if column is None or isinstance(column.field.type, t.Nested):
        return None
    outer = [schema.find(tuple(path[:depth])) for depth in range(1, len(path))]
    if not all(one is not None and isinstance(one.field.type, t.Record) for one in outer):
        return None
    return Place(Name(tuple(path)), column.field.type)


def all_of(parts: Sequence[Pushed | None], *, kleene: bool = True) -> Pushed | None:
    """The AND of conditions; one that has no counterpart is left out. Without `kleene` a null makes the whole null."""
    known = [part for part in parts if part is not None]
    if len(known) < 2:
        return Pushed(known[0].expr, exact=False) if known else None
    exact = kleene and len(known) == len(parts) and all(part.exact for part in known)
    return Pushed(nodes.And(_flat(known, nodes.And)), exact)


def any_of(parts: Sequence[Pushed | None], *, kleene: bool = True) -> Pushed | None:
    """The OR of conditions, if each has a counterpart."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or not parts:
        return None
    return Pushed(nodes.Or(_flat(known, nodes.Or)), kleene and all(part.exact for part in known))


def negate(part: Pushed | None) -> Pushed | None:
    """NOT of a condition, if its counterpart is exact."""
    return Pushed(nodes.Not(part.expr)) if part is not None and part.exact else None


def truth(column: Place | None) -> Pushed | None:
    """A boolean column as a condition."""
    return Pushed(column.name) if column is not None and isinstance(column.type, t.Boolean) else None


def is_null(column: Place | None) -> Pushed | None:
    """The test for null of a column."""
    return None if column is None else Pushed(nodes.IsNull(column.name))


def compare(operator: Comparison, column: Place | None, value: object) -> Pushed | None:
    """A comparison of a column with a value; none where engines could understand it differently."""
    if column is None or value is None:
        return None
    literal = _literal(column.type, value)
    if literal is None:
        return None
    return Pushed(nodes.Compare(operator, column.name, literal), not isinstance(column.type, t.Float | t.Double))


def one_of(column: Place | None, values: Iterable[object], *, null: bool = False) -> Pushed | None:
    """Membership of a column in a list without nulls; with `null` a null is a member. Never exact: engines differ on nulls."""
    if column is None:
        return None
    literals = [_literal(column.type, value) for value in values]
    known = tuple(literal for literal in literals if literal is not None)
    if len(known) < len(literals) or not (known or null):
        return None
    member = [nodes.In(column.name, known)] if known else []
    missing = [nodes.IsNull(column.name)] if null else []
    parts: tuple[Expr, ...] = (*member, *missing)
    return Pushed(parts[0] if len(parts) == 1 else nodes.Or(parts), exact=False)


def begins_with(column: Place | None, value: object) -> Pushed | None:
    """A string column begins with a text."""
    return _like(column, value, "", "%")


def ends_with(column: Place | None, value: object) -> Pushed | None:
    """A string column ends with a text."""
    return _like(column, value, "%", "")


def contains(column: Place | None, value: object) -> Pushed | None:
    """A string column contains a text."""
    return _like(column, value, "%", "%")


def _like(column: Place | None, value: object, before: str, after: str) -> Pushed | None:
    if column is None or not isinstance(column.type, t.String) or not isinstance(value, str):
        return None
    return Pushed(nodes.Like(column.name, f"{before}{calls.literal_pattern(value)}{after}"))


def _flat(parts: Sequence[Pushed], kind: type[nodes.And | nodes.Or]) -> tuple[Expr, ...]:
    """The parts of a chain side by side, so that a long one does not become a deep tree."""
    return tuple(
        inner for part in parts for inner in (part.expr.parts if isinstance(part.expr, kind) else (part.expr,))
    )


def _literal(type: t.Type, value: object) -> nodes.Literal | None:
    """The value as a literal that compares with a column of the type as in every engine; None if there is none."""
    fits = _fits(type, value)
    if not fits:
        return None
    node = lit(value).node
    return node if isinstance(node, nodes.Literal) else None


def _fits(type: t.Type, value: object) -> bool:
    match type:
        case t.Boolean():
            return isinstance(value, bool)
        case t.Int() | t.Long():
            if isinstance(value, float):
                return abs(value) < _EXACT_INTEGERS
            return _is_whole(value)
        case t.Float():
            return _is_finite(value) or (_is_whole(value) and int(np.float32(value)) == value)
        case t.Double():
            return _is_finite(value) or (_is_whole(value) and abs(value) <= _EXACT_INTEGERS)
        case t.Decimal():
            return _is_whole(value) or (isinstance(value, Decimal) and value.is_finite())
        case t.String():
            return isinstance(value, str)
        case t.Binary():
            return isinstance(value, bytes)
        case t.Date():
            return isinstance(value, datetime.date) and not isinstance(value, datetime.datetime)
        case t.Timestamp(unit, zoned):
            is_moment = isinstance(value, datetime.datetime) and (value.tzinfo is not None) == zoned
            return is_moment and unit is not t.Unit.NANOS and not hasattr(value, "nanosecond")
        case _:
            return False


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and LONG_RANGE[0] <= value <= LONG_RANGE[1]


def _is_finite(value: object) -> bool:
    return isinstance(value, float) and math.isfinite(value)
