"""Calls as written to nodes: other names of known functions, and functions that are sugar for other nodes."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, TypeGuard

from hudi_core.by_need import ModuleByNeed
from hudi_core.expr.interval import Interval
from hudi_core.expr.nodes import (
    Call,
    Case,
    Cast,
    Compare,
    Comparison,
    Expr,
    Is,
    IsNull,
    Lambda,
    Like,
    Literal,
    Name,
    Not,
    RegexLike,
    Scalar,
)
from hudi_core.expr.place import error_at
from hudi_core.sql.place import Span
from hudi_core.truth import TRUE
from hudi_core.types.nodes import Date, Double, Float, String, Timestamp, Type
from hudi_core.types.sql import sql_type

if TYPE_CHECKING:
    from hudi_core.functions import registry
else:
    registry = ModuleByNeed("hudi_core.functions.registry")  # most predicates call no function

ALIASES = {"nvl": "coalesce", "ifnull": "coalesce", "dateadd": "date_add", "reduce": "aggregate"}
"""Other names of what is no function of values, or has another number of arguments."""
_SPECIAL = {"nan": math.nan} | {
    sign + name: float(sign + name) for sign in ("", "+", "-") for name in ("inf", "infinity")
}
_UNITS = {
    **dict.fromkeys(["year", "y", "years", "yr", "yrs"], "year"),
    **dict.fromkeys(["quarter", "qtr"], "quarter"),
    **dict.fromkeys(["month", "mon", "mons", "months"], "month"),
    **dict.fromkeys(["day", "d", "days"], "day"),
    **dict.fromkeys(["dayofweek", "dow"], "dayofweek"),
    "doy": "dayofyear",
    **dict.fromkeys(["week", "w", "weeks"], "weekofyear"),
    **dict.fromkeys(["hour", "h", "hours", "hr", "hrs"], "hour"),
    **dict.fromkeys(["minute", "m", "min", "mins", "minutes"], "minute"),
}
"""Parts that EXTRACT takes, and the functions that give the same: not for seconds, of which it keeps the fraction."""
_CASTS = frozenset({"boolean", "int", "bigint", "float", "double", "decimal", "date", "timestamp", "string", "binary"})


def build(name: str, arguments: tuple[Expr, ...], span: Span | None) -> Expr:
    """The node of `name(arguments)`. Raises `ExpressionError` for a wrong number of arguments of what is sugar."""
    to = sql_type(name) if name in _CASTS and len(arguments) == 1 else None
    if to is not None:
        return cast(scalar(arguments[0]), to, False, span)
    sugar = _SUGAR.get(name)
    if sugar is not None and (name, len(arguments)) not in _ALSO_CALLS:
        count, make = sugar
        if len(arguments) != count:
            raise error_at(span, expected=f"{count} arguments of {name}", found=str(len(arguments)))
        return make(*arguments, span)
    if name == "decode" and len(arguments) > 2:
        return _decode(arguments)
    if name in ("trim", "ltrim", "rtrim") and len(arguments) == 2:  # SQL has the characters to trim first
        arguments = arguments[::-1]
    function = registry.find(name)
    proper = function.name if function is not None else ALIASES.get(name, name)
    return Call(proper, tuple(scalar(argument) for argument in arguments), span)


def extract(unit: str, value: Scalar, span: Span | None) -> Expr:
    """`extract(unit FROM value)`; for a part without a function of its own, `date_part`, which knows seconds alone."""
    function = _UNITS.get(unit.lower())
    return Call(function, (value,), span) if function else Call("date_part", (Literal(unit), value), span)


def scalar(expr: Expr) -> Scalar:
    """A predicate where a value is wanted: the boolean it gives."""
    if isinstance(expr, Name | Literal | Call | Cast | Case | Lambda):
        return expr
    return Case(((expr, Literal(True)), (Not(expr), Literal(False))))


def cast(value: Scalar, to: Type, try_: bool, span: Span | None) -> Scalar:
    """A cast; of the name of NaN or an infinity it is the literal that has no other spelling."""
    special = _SPECIAL.get(value.value.lower()) if isinstance(value, Literal) and isinstance(value.value, str) else None
    if special is not None and isinstance(to, Double | Float):
        return Literal(special, to, span)
    return Cast(value, to, try_, span)


def named_struct(parts: tuple[Scalar, ...], span: Span | None) -> Call:
    """`struct(a, b + 1)` with the names of its fields: those of columns, and `col2` for what is none."""
    names = [part.path[-1] if isinstance(part, Name) else f"col{count}" for count, part in enumerate(parts, 1)]
    pairs = [item for name, part in zip(names, parts, strict=True) for item in (Literal(name), part)]
    return Call("named_struct", tuple(pairs), span)


def negative(value: Scalar, span: Span | None) -> Scalar:
    """`-value`; an interval is negated at once."""
    if isinstance(value, Call) and value.function == "interval":
        interval = interval_of(value)
        return interval_call(-interval, span)
    return Call("negative", (value,), span)


def positive(value: Scalar, span: Span | None) -> Scalar:
    """`+value`, which makes a number of a text; a number that is written out, and an interval, are what they are."""
    match value:
        case Literal(bool()):
            pass
        case Literal(int() | float() | Decimal()) | Call("interval", _):
            return value
    return Call("positive", (value,), span)


def interval_call(interval: Interval, span: Span | None) -> Call:
    """An interval as a node: a call of its months, days and microseconds."""
    return Call("interval", (Literal(interval.months), Literal(interval.days), Literal(interval.micros)), span)


def interval_of(call: Call) -> Interval:
    """The interval a node made by `interval_call` stands for."""
    months, days, micros = (part.value for part in call.arguments if isinstance(part, Literal))
    assert isinstance(months, int) and isinstance(days, int) and isinstance(micros, int)
    return Interval(months, days, micros)


def is_interval(node: Scalar) -> TypeGuard[Call]:
    """Whether a node is an interval."""
    return isinstance(node, Call) and node.function == "interval"


def interval_across(left: Scalar, right: Scalar) -> tuple[Scalar, Scalar]:
    """The sides of a comparison with an interval moved from the side of a column to that of a constant.

    `ts + INTERVAL '1' DAY < x` is `ts < x - INTERVAL '1' DAY`. Not so for months, of which adding loses days.
    """
    for side, other in ((left, right), (right, left)):
        if not isinstance(side, Call) or side.function not in ("+", "-") or len(side.arguments) != 2:
            continue
        moment, by = side.arguments if is_interval(side.arguments[1]) else side.arguments[::-1]
        if not is_interval(by) or interval_of(by).months or not _is_typed_constant(other):
            continue
        if side.function == "-" and by is side.arguments[0]:
            continue
        back = Call("-" if side.function == "+" else "+", (other, by), side.span)
        return (moment, back) if side is left else (back, moment)
    return left, right


def is_boolean_as_scalar(case: Case) -> bool:
    """Whether a CASE is but a predicate that stands for a value, as `scalar` makes it."""
    return bool(case.branches) and scalar(case.branches[0][0]) == case


def _is_typed_constant(node: Scalar) -> bool:
    match node:
        case Literal(_, type):
            return isinstance(type, Date | Timestamp)
        case Call("+" | "-", (left, right)):
            return _is_typed_constant(left) and (is_interval(right) or _is_typed_constant(right))
        case _:
            return False


def like(value: Scalar, pattern: Scalar, escape: str, span: Span | None, *, any_case: bool = False) -> Expr:
    """`value LIKE pattern`, or ILIKE. A pattern that is no literal string makes it a call."""
    if not isinstance(pattern, Literal) or not isinstance(pattern.value, str):
        escaped = () if escape == "\\" else (Literal(escape),)
        return Call("ilike" if any_case else "like", (value, pattern, *escaped), span)
    if any_case:
        return Like(Call("lower", (value,), span), pattern.value.lower(), escape, span)
    return Like(value, pattern.value, escape, span)


def literal_pattern(text: str) -> str:
    """A LIKE pattern, with the default escape, that only this text matches."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _affix(name: str, before: str, after: str) -> Callable[..., Expr]:
    def make(value: Expr, part: Expr, span: Span | None) -> Expr:
        if isinstance(part, Literal) and isinstance(part.value, str):
            return Like(scalar(value), before + literal_pattern(part.value) + after, "\\", span)
        return Call(name, (scalar(value), scalar(part)), span)

    return make


def affix_comparison(call: Call) -> Compare:
    """`startswith` or `endswith` of two texts of a row: as many characters of one as the other has, and the same."""
    value, part = (Cast(argument, String()) for argument in call.arguments)
    count = Call("length", (part,))
    start: Scalar = Literal(1)
    if call.function == "endswith":
        start = Call("+", (Call("-", (Call("length", (value,)), count)), Literal(1)))
    return Compare(Comparison.EQ, Call("substring", (value, start, count)), part)


def _if(condition: Expr, then: Expr, otherwise: Expr, _: Span | None) -> Expr:
    return Case(((condition, scalar(then)),), scalar(otherwise))


def _nvl2(value: Expr, then: Expr, otherwise: Expr, _: Span | None) -> Expr:
    return Case(((Not(IsNull(scalar(value))), scalar(then)),), scalar(otherwise))


def _nullif(value: Expr, other: Expr, _: Span | None) -> Expr:
    return Case(((Compare(Comparison.EQ, scalar(value), scalar(other)), Literal(None)),), scalar(value))


def _equal_null(value: Expr, other: Expr, _: Span | None) -> Expr:
    return Compare(Comparison.NULL_SAFE_EQ, scalar(value), scalar(other))


def _decode(arguments: tuple[Expr, ...]) -> Case:
    """`decode(value, search, result, ..., otherwise)`: the result beside what equals the value; nulls are equal."""
    value, *rest = map(scalar, arguments)
    if len(rest) % 2 == 0:  # what equals none is a null string then, beside which all results are strings
        rest[1::2] = [Cast(result, String()) for result in rest[1::2]]
    pairs = zip(rest[::2], rest[1::2], strict=False)
    branches = tuple((Compare(Comparison.NULL_SAFE_EQ, value, search), result) for search, result in pairs)
    return Case(branches, rest[-1] if len(rest) % 2 else Literal(None))


def _isnan(value: Expr, span: Span | None) -> Expr:
    return Is(Compare(Comparison.EQ, scalar(value), Literal(math.nan, Double(), span)), TRUE)


def _rlike(value: Expr, pattern: Expr, span: Span | None) -> Expr:
    if isinstance(pattern, Literal) and isinstance(pattern.value, str):
        return RegexLike(scalar(value), pattern.value, pattern.span)
    return Call("rlike", (scalar(value), scalar(pattern)), span)


def _like(value: Expr, pattern: Expr, span: Span | None) -> Expr:
    return like(scalar(value), scalar(pattern), "\\", span)


def _left(value: Expr, count: Expr, span: Span | None) -> Expr:
    return Call("substring", (scalar(value), Literal(1), scalar(count)), span)


def _date_part(unit: Expr, value: Expr, span: Span | None) -> Expr:
    if isinstance(unit, Literal) and isinstance(unit.value, str):
        return extract(unit.value, scalar(value), span)
    return Call("date_part", (scalar(unit), scalar(value)), span)


_SUGAR: dict[str, tuple[int, Callable[..., Expr]]] = {
    "startswith": (2, _affix("startswith", "", "%")),
    "endswith": (2, _affix("endswith", "%", "")),
    "contains": (2, _affix("contains", "%", "%")),
    "if": (3, _if),
    "iff": (3, _if),
    "nvl2": (3, _nvl2),
    "nullif": (2, _nullif),
    "isnull": (1, lambda value, _: IsNull(scalar(value))),
    "isnotnull": (1, lambda value, _: Not(IsNull(scalar(value)))),
    "zeroifnull": (1, lambda value, span: Call("coalesce", (scalar(value), Literal(0)), span)),
    "nullifzero": (1, lambda value, span: _nullif(value, Literal(0), span)),
    "equal_null": (2, _equal_null),
    "isnan": (1, _isnan),
    "rlike": (2, _rlike),
    "regexp": (2, _rlike),
    "regexp_like": (2, _rlike),
    "like": (2, _like),
    "left": (2, _left),
    "date_part": (2, _date_part),
    "datepart": (2, _date_part),
}
_ALSO_CALLS = frozenset({("like", 3)})
"""Sugar that is a call where it has so many arguments: LIKE with its escape character as the third."""

SUGAR_NAMES = frozenset(_SUGAR)
"""The functions that are sugar for other nodes."""
