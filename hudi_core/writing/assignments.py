"""New values of columns: expressions in the types of the columns, exactly or not at all.

Rules: WRITE-26, WRITE-27, WRITE-1001, WRITE-1294, WRITE-1453, WRITE-1455, WRITE-1456, WRITE-1458, WRITE-1575.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf, isinf
from typing import Any, Final, get_args

import numpy as np

from hudi_core.arrays import Bools
from hudi_core.engine import Engine
from hudi_core.errors import ExpressionError, HudiError, RowError, SchemaError, UsageError
from hudi_core.expr.bind import bind, bind_term
from hudi_core.expr.build import ExpressionBuilder, to_python
from hudi_core.expr.calls import scalar
from hudi_core.expr.nodes import Call, Cast, Expr, Literal, Name, Scalar
from hudi_core.expr.outcomes import can_be
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import Predicate, Term
from hudi_core.expr.sql_predicate import doubts_of_value
from hudi_core.expr.walk import MAX_DERIVED_DEPTH, check_depth, names_in
from hudi_core.functions.casts import CAST
from hudi_core.rows.exact_types import BEYOND
from hudi_core.rows.folds import FoldQuestions, NoResult
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import ColumnPlace, Schema
from hudi_core.truth import TRUE
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text
from hudi_core.types.walk import fits
from hudi_core.values.domain import coerce
from hudi_core.writing.no_result import find_rows_without_result

_LONGEST: Final = 100
"""Characters of a refused value that its error shows."""
_DIGITS: Final = 38
"""Digits of the widest decimals."""
_DIGITS_OF_MICROS: Final = 6
_INFINITE: Final = (inf, -inf)
INSTEAD: Final = {
    NoResult.WRAPS: "one that wraps around",
    NoResult.DIVIDES_BY_ZERO: "0",
    NoResult.BEYOND_TYPE: "none",
    NoResult.NOT_CAST: "another",
}
"""What an expression has in place of a result that is missing."""
_NUMBERS = t.Int | t.Long | t.Float | t.Double | t.Decimal
_TIMES = t.Date | t.Time | t.Timestamp
_KINDS: Final = (_NUMBERS, _TIMES, t.Boolean)
"""Kinds of types whose values do not become those of another kind, unless an expression says so; texts become all."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a value is before and after a cast, in a type that tells the values of both apart."""

    type: t.Type
    before: Term
    after: Term


@dataclass(frozen=True, slots=True)
class Assignment:
    """A column, its new value as its expression has it, and as the column's type has it. Casts round, cut and wrap around:
    the two values of each comparison have to be one. `missing` has the conditions in which a part of the expression has no
    result."""

    column: t.Field
    own: Term
    new: Term
    comparisons: tuple[Comparison, ...] = ()
    missing: Mapping[NoResult, Predicate] = field(default_factory=dict)


def refuse_part(name: str, place: ColumnPlace) -> None:
    """Raises `UsageError` for the name of a part of a column: a column has its new value as a whole."""
    if len(place.positions) > 1:
        expected = f"the name of a whole column, as {place.path[0]}"
        raise UsageError(name, expected=expected, found="a part of it")


def refuse_second_value(values: Mapping[int, Assignment], position: int, column: t.Field) -> None:
    """Raises `UsageError` for a column that has a value already, by its name in other case: one of the two would be lost."""
    if position in values:
        raise UsageError(column.name, expected="one value for each column", found="several")


def assignment(column: t.Field, value: object, rows: Schema, *, case_sensitive: bool) -> Assignment:
    """A new value of a column, a Python value or an expression over rows of a schema.

    Raises `UsageError` for a text that is an expression of columns, `ExpressionError` for an expression with a column in double
    quotes, `SchemaError` for a value that the column's type cannot
    have, and as `bind_term`.
    """
    if isinstance(value, np.generic):
        value = to_python(value, column.name)
    built = value.node if isinstance(value, ExpressionBuilder) else value
    built = None if isinstance(built, Literal) and built.value is built.type is None else built
    node = scalar(built) if isinstance(built, get_args(Expr)) else _literal(built, column)

    def bind_value(part: Scalar) -> Term:
        with _place_at(column.name):
            return bind_term(part, rows, case_sensitive=case_sensitive, max_depth=MAX_DERIVED_DEPTH)

    with _place_at(column.name):
        check_depth(node)
    if isinstance(value, str):
        _refuse_expression(value, column, bind_value)
    own = bind_value(node)
    for doubt in doubts_of_value(node, rows):
        raise ExpressionError(column.name, expected="a column, or a text in single quotes", found=doubt)
    conditions = {reason: find_rows_without_result(node, reason) for reason in NoResult}
    missing = {
        reason: bind(condition, rows, case_sensitive=case_sensitive, max_depth=MAX_DERIVED_DEPTH)
        for reason, condition in conditions.items()
        if condition is not None
    }
    if isinstance(column.type, t.Nested) or isinstance(own.type, t.Nested):
        if not fits(own.type, column.type):
            expected, given = type_text(column.type), type_text(own.type)
            if given == expected:  # texts of types do not say what may be null
                given = f"{given} with parts that may be null, which are never null in the column"
            raise SchemaError(column.name, expected=expected, found=given)
        return Assignment(column, own, own, missing=missing)
    _refuse_kind(column, own.type)
    new = bind_value(Cast(node, column.type))
    pairs: list[tuple[t.Type, Scalar, Scalar]] = []
    if (compared := _choose_comparison(own.type, column.type)) is not None:
        pairs.append((compared, Cast(node, compared), Cast(Cast(node, column.type), compared)))
    if isinstance(own.type, t.String) and (digits := _fraction_digits(compared or column.type)) is not None:
        beyond = Literal(f"([.][0-9]{{{digits}}})[0-9]*[1-9]")
        pairs.append((own.type, node, Call("regexp_replace", (node, beyond, Literal("$1")))))
    comparisons = (Comparison(data_type, bind_value(before), bind_value(after)) for data_type, before, after in pairs)
    return Assignment(column, own, new, tuple(comparisons), missing)


@contextmanager
def _place_at(column: str) -> Iterator[None]:
    """Errors of an expression name the column whose value it is, in place of a predicate."""
    try:
        yield
    except ExpressionError as error:
        where = error.where.replace("predicate", column, 1)
        raise ExpressionError(
            where, expected=error.expected, found=error.found, message=error.message, hint=error.hint
        ) from None


def _fraction_digits(data_type: t.Type) -> int | None:
    """The digits behind the point of a text that a cast to a type looks at; None where it looks at all. A text with other digits
    behind them is another value."""
    match data_type:
        case t.Timestamp() | t.Time():
            return _DIGITS_OF_MICROS
        case t.Decimal():
            return data_type.scale
    return None


def _choose_comparison(own: t.Type, column: t.Type) -> t.Type | None:
    """The type in which a value is compared with what its column has of it; None where a cast gives that value or null.

    A number that is rounded to the nearest one of a floating-point column is not another value.
    """
    if own == column:
        return None
    match own, column:
        case (t.Int() | t.Long(), t.Long()) | (t.Int() | t.Long(), t.Decimal()):
            return None
        case t.Decimal(), t.Decimal() if column.scale >= own.scale:
            return None
        case t.String(), t.Int() | t.Long():
            return t.Decimal(_DIGITS, _DIGITS // 2)
        case t.String(), t.Decimal(precision, scale):
            return t.Decimal(_DIGITS, _DIGITS - (precision - scale))
        case t.String(), t.Date():
            return t.Timestamp()
        case t.String(), t.Timestamp(unit, zoned) if unit is t.Unit.MILLIS or not zoned:
            return t.Timestamp(zoned=True)  # it has the zone of a text, too
        case t.String(), t.Time(t.Unit.MILLIS):
            return t.Time()
        case _, t.Int() | t.Long() | t.Decimal() if isinstance(own, _NUMBERS):
            return own
        case (t.Int() | t.Long(), t.Float() | t.Double()) | (t.Binary(), t.String()):
            return own
        case (t.Timestamp(), t.Date()) | (t.Timestamp(), t.Timestamp()) | (t.Time(), t.Time()):
            return own
    return None


def _refuse_kind(column: t.Field, own: t.Type) -> None:
    """Raises `SchemaError` for a value of another kind: SQL's cast makes a time near 1970 of any number. Rule WRITE-1001."""
    kinds = [next((kind for kind in _KINDS if isinstance(data_type, kind)), None) for data_type in (own, column.type)]
    if None not in kinds and kinds[0] is not kinds[1]:
        hint = ", as DATE '2024-03-01' or TIMESTAMP '2024-03-01 12:00:00'" if kinds[1] is _TIMES else ""
        expected = f"an expression of type {type_text(column.type)}{hint}"
        raise SchemaError(column.name, expected=expected, found=f"one of type {type_text(own)}")


def new_value(engine: Engine[Any, Any, Any], assignment: Assignment, root: Any, schema: Schema) -> tuple[Any, Bools]:
    """The new value in each row, and the rows whose value the column's type cannot have, or a part of which has no result."""
    values, flags = engine.values, engine.rows.flags
    own, column = assignment.own.type, assignment.column.type
    questions = FoldQuestions(values, root, schema)
    new, made = questions.value(assignment.new), questions.value(assignment.own)
    lost = flags(values.is_null(new)) & ~flags(values.is_null(made))
    for reason in NoResult:
        lost |= _find_without_result(engine, questions, assignment, reason)
    for compared in assignment.comparisons:
        before, after = map(questions.value, (compared.before, compared.after))
        for left, right in ((before, after), (after, before)):
            lost |= flags(values.less(left, right, False, compared.type))
    for whole, number, floating in ((column, made, own), (own, new, column)):
        if isinstance(whole, t.Int | t.Long) and isinstance(floating, t.Float | t.Double):
            # A cast stops at the greatest integer, which is that number again in floating point.
            lost |= flags(values.less(values.literal(BEYOND[type(whole)], floating, number), number, True, floating))
    if isinstance(column, t.Float) and isinstance(own, t.Double | t.String):
        double = values.apply(CAST, [made], [own], t.Double())
        lost |= flags(values.one_of(new, _INFINITE, column)) & ~flags(values.one_of(double, _INFINITE, t.Double()))
    return new, lost


def _find_without_result(
    engine: Engine[Any, Any, Any], questions: FoldQuestions[Any, Any], assignment: Assignment, reason: NoResult
) -> Bools:
    """The rows in which a part of an expression has no result for the reason."""
    condition, of_folds = assignment.missing.get(reason), questions.find_without_result(assignment.own, reason)
    masks = [] if condition is None else [can_be(TRUE, condition, questions)]
    return engine.rows.flags(questions.some(masks if of_folds is None else [*masks, of_folds]))


def refusal(
    engine: Engine[Any, Any, Any], assignment: Assignment, root: Any, schema: Schema, row: int, number: int
) -> RowError:
    """The error of a value that the column's type cannot have. `row` is its place among these rows, `number` among all."""
    values, own, column = engine.values, assignment.own, assignment.column
    questions = FoldQuestions(values, root, schema)
    made = t.Field(0, column.name, own.type)
    whole = values.struct([(made, questions.value(own))], values.is_null(root), root)
    chosen = np.zeros(engine.rows.count(engine.rows.batch(root)), np.bool_)
    chosen[row] = True
    (shown,) = engine.rows.to_json(
        engine.rows.keep(engine.rows.batch(whole), chosen), Schema(record_with_ids(t.Record((made,))))
    )
    text = json.dumps(shown[column.name], ensure_ascii=False)
    found = f"{text[:_LONGEST]} of type {type_text(own.type)}"
    for reason in NoResult:
        if _find_without_result(engine, questions, assignment, reason)[row]:
            instead = f"{text[:_LONGEST]}, after one wrapped around" if reason is NoResult.WRAPS else INSTEAD[reason]
            return RowError(number, expected=reason.value, found=instead, path=column.name)
    hint = ""
    if assignment.comparisons and isinstance(column.type, t.Decimal | _TIMES):
        hint = f" (CAST {'rounds' if isinstance(column.type, t.Decimal) else 'cuts'}, where that is meant)"
    return RowError(number, expected=f"a value of type {type_text(column.type)}{hint}", found=found, path=column.name)


def _literal(value: object, column: t.Field) -> Scalar:
    if isinstance(column.type, t.Nested) and value is not None:
        raise SchemaError(column.name, expected="an expression for a column of a nested type", found="a value")
    try:
        return Literal(_refuse_rounded(value, coerce(value, column.type, column.name), column), column.type)
    except SchemaError as error:
        if not isinstance(value, str):
            raise
        expected = f"{error.expected}, or an expression made with hudi_core.expr or hudi_core.col"
        raise SchemaError(column.name, expected=expected, found=error.found) from None


def _refuse_expression(text: str, column: t.Field, bind_value: Callable[[Scalar], Term]) -> None:
    """Raises `UsageError` for a text that, read as SQL, is an expression of columns, as `upper(name)` or `source.name`: other
    libraries take it for one, and all rows would have that text. A single word is a text. Rule WRITE-1458."""
    try:
        tree = parse_predicate(text)
        if (isinstance(tree, Name) and len(tree.path) == 1) or not names_in(tree):
            return
        bind_value(scalar(tree))
    except HudiError:
        return
    expected = f"hudi_core.expr({text!r}) for what that is in each row, or hudi_core.lit({text!r}) for the text"
    raise UsageError(column.name, expected=expected, found=f"{text!r}, which is an expression of columns")


def _refuse_rounded(value: object, new: object, column: t.Field) -> object:
    """The value as the column has it. Raises `SchemaError` for an integer that is rounded, a number that becomes infinite, and
    a time that loses its zone."""
    if isinstance(new, float) and isinstance(value, int | float):
        lost = new != value if isinstance(value, int) else isinf(new) and not isinf(value)
    else:
        has_zone = isinstance(value, datetime.datetime) and value.tzinfo is not None
        lost = has_zone and isinstance(column.type, t.Timestamp) and not column.type.zoned
    if lost:
        found = f"{value!r}, which it cannot have as it is"
        raise SchemaError(column.name, expected=f"a value of {type_text(column.type)}", found=found)
    return new
