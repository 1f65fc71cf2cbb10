"""New values of columns: expressions in the types of the columns, exactly or not at all. Rules: WRITE-26, WRITE-27."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, get_args

import numpy as np

from hudi_core.arrays import Bools
from hudi_core.engine import Engine
from hudi_core.errors import RowError, SchemaError, UsageError
from hudi_core.expr.bind import bind_term
from hudi_core.expr.build import ExpressionBuilder
from hudi_core.expr.nodes import Cast, Literal, Scalar
from hudi_core.expr.predicate import Term
from hudi_core.rows.truth import evaluate
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text
from hudi_core.types.walk import fits
from hudi_core.values.domain import coerce

_LONGEST: Final = 100
"""Characters of a refused value that its error shows."""
_NUMBERS = t.Int | t.Long | t.Float | t.Double | t.Decimal
_TIMES = t.Date | t.Time | t.Timestamp
_KINDS: Final = (_NUMBERS, _TIMES, t.Boolean)
"""Kinds of types whose values do not become those of another kind, unless an expression says so; texts become all."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """A column, its new value as its expression has it, as the column's type has it, and that in the expression's type again."""

    column: t.Field
    own: Term
    new: Term
    back: Term | None = None


def refuse_second_value(values: Mapping[int, Assignment], position: int, column: t.Field) -> None:
    """Raises `UsageError` for a column that has a value already, by its name in other case: one of the two would be lost."""
    if position in values:
        raise UsageError(column.name, expected="one value for each column", found="several")


def assignment(column: t.Field, value: object, rows: Schema, *, case_sensitive: bool) -> Assignment:
    """A new value of a column, a Python value or an expression over rows of a schema.

    Raises `UsageError` for a predicate, `SchemaError` for a value that the column's type cannot have, and as `bind_term`.
    """
    node = value.node if isinstance(value, ExpressionBuilder) else _literal(value, column)
    if not isinstance(node, get_args(Scalar)):
        raise UsageError(column.name, expected="an expression of a value", found="a predicate")
    own = bind_term(node, rows, case_sensitive=case_sensitive)
    if isinstance(column.type, t.Nested) or isinstance(own.type, t.Nested):
        if not fits(own.type, column.type):
            raise SchemaError(column.name, expected=type_text(column.type), found=type_text(own.type))
        return Assignment(column, own, own)
    _refuse_kind(column, own.type)
    new = bind_term(Cast(node, column.type), rows, case_sensitive=case_sensitive)
    if isinstance(column.type, t.Int | t.Long) and isinstance(own.type, _NUMBERS):
        # A cast to integers wraps around and cuts: what it makes of a number has to be that number.
        back = bind_term(Cast(Cast(node, column.type), own.type), rows, case_sensitive=case_sensitive)
        return Assignment(column, own, new, back)
    return Assignment(column, own, new)


def _refuse_kind(column: t.Field, own: t.Type) -> None:
    """Raises `SchemaError` for a value of another kind: SQL's cast makes a time near 1970 of any number. Rule WRITE-1001."""
    kinds = [next((kind for kind in _KINDS if isinstance(data_type, kind)), None) for data_type in (own, column.type)]
    if None not in kinds and kinds[0] is not kinds[1]:
        hint = ", as DATE '2024-03-01' or TIMESTAMP '2024-03-01 12:00:00'" if kinds[1] is _TIMES else ""
        expected = f"an expression of type {type_text(column.type)}{hint}"
        raise SchemaError(column.name, expected=expected, found=f"one of type {type_text(own)}")


def new_value(engine: Engine[Any, Any, Any], assignment: Assignment, root: Any, schema: Schema) -> tuple[Any, Bools]:
    """The new value in each row, and the rows whose value the column's type cannot have."""
    values = engine.values
    new = evaluate(assignment.new, values, root, schema)
    made = evaluate(assignment.own, values, root, schema)
    lost = engine.rows.flags(values.is_null(new)) & ~engine.rows.flags(values.is_null(made))
    if assignment.back is not None:
        back = evaluate(assignment.back, values, root, schema)
        for left, right in ((made, back), (back, made)):
            lost |= engine.rows.flags(values.less(left, right, False, assignment.own.type))
    return new, lost


def refusal(
    engine: Engine[Any, Any, Any], assignment: Assignment, root: Any, schema: Schema, row: int, number: int
) -> RowError:
    """The error of a value that the column's type cannot have. `row` is its place among these rows, `number` among all."""
    values, own, column = engine.values, assignment.own, assignment.column
    made = t.Field(0, column.name, own.type)
    whole = values.struct([(made, evaluate(own, values, root, schema))], values.is_null(root), root)
    chosen = np.zeros(engine.rows.count(engine.rows.batch(root)), np.bool_)
    chosen[row] = True
    (shown,) = engine.rows.to_json(engine.rows.keep(engine.rows.batch(whole), chosen), Schema(t.Record((made,))))
    text = json.dumps(shown[column.name], ensure_ascii=False)
    found = f"{text[:_LONGEST]} of type {type_text(own.type)}"
    return RowError(number, expected=f"a value of type {type_text(column.type)}", found=found, path=column.name)


def _literal(value: object, column: t.Field) -> Scalar:
    if isinstance(column.type, t.Nested) and value is not None:
        raise SchemaError(column.name, expected="an expression for a column of a nested type", found="a value")
    try:
        return Literal(coerce(value, column.type, column.name), column.type)
    except SchemaError as error:
        if not isinstance(value, str):
            raise
        expected = f"{error.expected}, or an expression made with hudi_core.col"
        raise SchemaError(column.name, expected=expected, found=error.found) from None
