"""Nodes to SQL text, which `parse` reads back to the same nodes and Spark SQL understands."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import assert_never

from hudi_core.expr import interval
from hudi_core.expr.calls import interval_of, is_boolean_as_scalar
from hudi_core.expr.interval import BARE_UNITS
from hudi_core.expr.nodes import (
    And,
    Between,
    Call,
    Case,
    Cast,
    Compare,
    Expr,
    In,
    Is,
    IsNull,
    Lambda,
    Like,
    Literal,
    Name,
    Not,
    Or,
    RegexLike,
    Scalar,
)
from hudi_core.truth import NULL
from hudi_core.types.nodes import Date, Double, Float, Int, Long, Time, Timestamp, Unit
from hudi_core.types.nodes import Decimal as DecimalType
from hudi_core.types.sql import sql_name
from hudi_core.values.text import to_text

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_QUOTED = frozenset(
    {
        "AND",
        "OR",
        "NOT",
        "IN",
        "IS",
        "LIKE",
        "ILIKE",
        "RLIKE",
        "REGEXP",
        "BETWEEN",
        "CASE",
        "WHEN",
        "THEN",
        "ELSE",
        "END",
    }
    | {"FROM", "FOR", "AS", "SELECT", "EXISTS", "ESCAPE", "NULL", "TRUE", "FALSE", "INTERVAL", "DIV", "DISTINCT", "TO"}
    | {"CURRENT_DATE", "CURRENT_TIMESTAMP", "CURRENT_TIME", "LOCALTIMESTAMP", "ANY", "SOME", "ALL", "BOTH", "LEADING"}
    | {"TRAILING"}
)
_LEVELS = {"|": 50, "^": 55, "&": 60, "+": 70, "-": 70, "*": 80, "/": 80, "%": 80, "div": 80}
_LAMBDA, _OR, _AND, _NOT, _PREDICATE, _UNARY, _PRIMARY = 0, 10, 20, 30, 40, 90, 100
_SIDES = {"trim": "BOTH", "ltrim": "LEADING", "rtrim": "TRAILING"}


def to_sql(expr: Expr) -> str:
    """One line of SQL.

    >>> from hudi_core.expr.nodes import Comparison
    >>> to_sql(And((Compare(Comparison.GT, Name(("a", "b c")), Literal(Decimal("1.50"))), Not(IsNull(Name(("d",)))))))
    'a.`b c` > 1.50 AND d IS NOT NULL'
    """
    return _expr(expr, 0)


def _expr(expr: Expr, floor: int) -> str:
    """Text that binds at least as tightly as `floor`."""
    level, text = _level(expr)
    return text if level >= floor else f"({text})"


def _level(expr: Expr) -> tuple[int, str]:
    match expr:
        case And(parts):
            return (_AND, " AND ".join(_expr(part, _AND + 1) for part in parts)) if parts else (_PRIMARY, "TRUE")
        case Or(parts):
            return (_OR, " OR ".join(_expr(part, _OR + 1) for part in parts)) if parts else (_PRIMARY, "FALSE")
        case Not(IsNull(value)):
            return _PREDICATE, f"{_scalar(value)} IS NOT NULL"
        case Not(In(value, choices)):
            return _PREDICATE, f"{_scalar(value)} NOT IN ({_list(choices)})"
        case Not(part):
            return _NOT, f"NOT {_expr(part, _NOT)}"
        case Is(part, truth):
            return _PREDICATE, f"{_expr(part, _PREDICATE + 1)} IS {'UNKNOWN' if truth is NULL else truth.name}"
        case Compare(operator, left, right):
            return _PREDICATE, f"{_scalar(left)} {operator.value} {_scalar(right)}"
        case In(value, choices):
            return _PREDICATE, f"{_scalar(value)} IN ({_list(choices)})"
        case Between(value, lower, upper):
            return _PREDICATE, f"{_scalar(value)} BETWEEN {_scalar(lower)} AND {_scalar(upper)}"
        case Like(value, pattern, escape):
            tail = "" if escape == "\\" else f" ESCAPE {quote(escape)}"
            return _PREDICATE, f"{_scalar(value)} LIKE {quote(pattern)}{tail}"
        case RegexLike(value, pattern):
            return _PREDICATE, f"{_scalar(value)} RLIKE {quote(pattern)}"
        case IsNull(value):
            return _PREDICATE, f"{_scalar(value)} IS NULL"
        case Name(path):
            return _PRIMARY, ".".join(map(name, path))
        case Literal():
            return _PRIMARY, _literal(expr)
        case Cast(value, to, try_):
            return _PRIMARY, f"{'TRY_' if try_ else ''}CAST({_scalar(value, 0)} AS {sql_name(to)})"
        case Case(branches, otherwise):
            whens = "".join(f" WHEN {_expr(when, 0)} THEN {_scalar(then, 0)}" for when, then in branches)
            tail = "" if otherwise == Literal(None) else f" ELSE {_scalar(otherwise, 0)}"
            return _PRIMARY, f"CASE{whens}{tail} END"
        case Lambda((parameter,), body):
            return _LAMBDA, f"{name(parameter)} -> {_expr(body, 0)}"
        case Lambda(parameters, body):
            return _LAMBDA, f"({', '.join(map(name, parameters))}) -> {_expr(body, 0)}"
        case Call():
            return _call(expr)
        case _:
            assert_never(expr)


def _scalar(value: Scalar, floor: int = _PREDICATE + 1) -> str:
    """A value; a predicate that was made one is written as the predicate, in brackets."""
    if isinstance(value, Case) and is_boolean_as_scalar(value):
        return f"({_expr(value.branches[0][0], 0)})"
    return _expr(value, floor)


def _list(choices: tuple[Scalar, ...]) -> str:
    return ", ".join(_scalar(choice, 0) for choice in choices)


def _call(call: Call) -> tuple[int, str]:
    match call.function, call.arguments:
        case operator, (left, right) if operator in _LEVELS:
            level = _LEVELS[operator]
            return level, f"{_scalar(left, level)} {operator.upper()} {_scalar(right, level + 1)}"
        case "negative", (value,):
            text = _scalar(value, _UNARY)
            return _UNARY, f"-({text})" if text.startswith("-") or isinstance(value, Literal) else f"-{text}"
        case "~", (value,):
            return _UNARY, f"~{_scalar(value, _UNARY)}"
        case "[]", (value, index):
            return _PRIMARY, f"{_scalar(value, _PRIMARY)}[{_scalar(index, 0)}]"
        case "get_field", (value, Literal(str() as part)):
            return _PRIMARY, f"{_bracket(value)}.{name(part)}"
        case ("cast" | "try_cast") as function, (value, Literal(str() as type)):
            return _PRIMARY, f"{function.upper()}({_scalar(value, 0)} AS {type})"
        case "=>", (Literal(str() as part), value):
            return _PRIMARY, f"{name(part)} => {_scalar(value, 0)}"
        case ("timestampadd" | "timestampdiff") as function, (Literal(str() as unit), first, second) if (
            unit in BARE_UNITS
        ):
            return _PRIMARY, f"{function}({unit}, {_list((first, second))})"
        case "interval", _:
            return _PRIMARY, f"INTERVAL {quote(interval.to_text(interval_of(call)))}"
        case ("trim" | "ltrim" | "rtrim") as side, (value, characters):
            return _PRIMARY, f"TRIM({_SIDES[side]} {_scalar(characters, 0)} FROM {_scalar(value, 0)})"
        case function, arguments:
            return _PRIMARY, f"{function}({_list(arguments)})"


def _bracket(value: Scalar) -> str:
    text = _scalar(value, _PRIMARY)
    return f"({text})" if isinstance(value, Name | Literal) else text


def name(part: str) -> str:
    """A name as SQL writes it, in back-ticks where it needs them."""
    if _PLAIN_NAME.fullmatch(part) and part.upper() not in _QUOTED:
        return part
    return f"`{part.replace('`', '``')}`"


def quote(text: str) -> str:
    """A text as SQL writes it. Quotes are escaped, not doubled, for Spark reads doubled ones differently by version."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _literal(literal: Literal) -> str:
    match literal.value, literal.type:
        case None, _:
            return "NULL"
        case bool() as truth, _:
            return "TRUE" if truth else "FALSE"
        case bytes() as data, _:
            return f"X'{data.hex().upper()}'"
        case str() as text, (Date() | Time(Unit.MICROS) | Timestamp(Unit.MICROS)) as type:
            return f"{sql_name(type)} {quote(text)}"
        case int() as count, (Date() | Time(Unit.MICROS) | Timestamp(Unit.MICROS)) as type:
            return f"{sql_name(type)} {quote(to_text(count, type))}"
        case (int() | str()) as value, (Date() | Time() | Timestamp()) as type:
            return f"CAST({quote(value if isinstance(value, str) else to_text(value, type))} AS {sql_name(type)})"
        case int() as ticks, None:
            return str(ticks)
        case int() as ticks, Long():
            return f"{ticks}L"
        case int() as ticks, Int():
            return f"CAST({ticks} AS INT)"
        case Decimal() as exact, DecimalType():
            return f"{exact:f}BD"
        case Decimal() as exact, _:
            text = f"{exact:f}"
            return text if "." in text else f"{text}."
        case float() as real, Float():
            return f"{real!r}F" if math.isfinite(real) else f"float('{_special(real)}')"
        case float() as real, None | Double():
            return f"{real!r}D" if math.isfinite(real) else f"double('{_special(real)}')"
        case value, _:
            return quote(str(value))


def _special(real: float) -> str:
    return "NaN" if real != real else "Infinity" if real > 0 else "-Infinity"
