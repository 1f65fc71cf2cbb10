"""One known function of values, by Spark SQL's meaning without ANSI mode: the reference that every engine has to equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_never

from hudi_core.errors import UnsupportedError
from hudi_core.expr.functions import Function
from hudi_core.expr.scalar import dates, text
from hudi_core.expr.scalar.arithmetic import arithmetic, wrapped
from hudi_core.expr.scalar.cast import cast
from hudi_core.expr.scalar.patterns import MICROS, date_pattern, format_micros, parse_micros
from hudi_core.expr.scalar.rounding import rounded_at, whole
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text
from hudi_core.values.calendar import DAY_SECONDS
from hudi_core.values.domain import LONG_RANGE

DEFAULT_PATTERN = "yyyy-MM-dd HH:mm:ss"


def apply(function: Function, arguments: Sequence[Any], types: Sequence[t.Type], of: t.Type) -> Any:
    """The function's value, in the form of `hudi_core.values.domain` for the type `of`; null for any null but in COALESCE.

    `types` are the arguments'. Raises `UnsupportedError` for types the function does not take.

    >>> apply(Function.ADD, [2**31 - 1, 1], [t.Int(), t.Int()], t.Int())
    -2147483648
    """
    if function is Function.COALESCE:
        given = ((value, source) for value, source in zip(arguments, types, strict=True) if value is not None)
        return next((cast(value, source, of) for value, source in given), None)
    if any(value is None for value in arguments):
        return None
    return _applied(function, list(arguments), list(types), of)


def _applied(function: Function, arguments: list[Any], types: list[t.Type], of: t.Type) -> Any:
    first: Any = arguments[0] if arguments else ""
    match function:
        case Function.COALESCE:
            raise AssertionError(function)
        case Function.CAST:
            return cast(first, types[0], of)
        case (
            Function.ADD
            | Function.SUBTRACT
            | Function.MULTIPLY
            | Function.DIVIDE
            | Function.MODULO
            | Function.NEGATE
            | Function.ABS
        ):
            return arithmetic(function, arguments, types, of)
        case Function.CEIL | Function.FLOOR:
            return whole(function, first)
        case Function.ROUND:
            return rounded_at(first, arguments[1] if len(arguments) > 1 else 0, of)
        case Function.LOWER:
            return first.lower()
        case Function.UPPER:
            return first.upper()
        case Function.LENGTH:
            return len(first)
        case Function.SUBSTRING:
            return text.substring(*arguments)
        case Function.CONCAT:
            return first[:0].join(arguments)
        case Function.TRIM:
            return text.trim(*arguments)
        case Function.LTRIM:
            return text.trim(*arguments, right=False)
        case Function.RTRIM:
            return text.trim(*arguments, left=False)
        case Function.REGEXP_REPLACE:
            return text.regexp_replace(*arguments)
        case Function.REGEXP_EXTRACT:
            return text.regexp_extract(*arguments)
        case Function.SPLIT:
            return text.split(*arguments)
        case (
            Function.YEAR
            | Function.QUARTER
            | Function.MONTH
            | Function.DAY
            | Function.DAY_OF_WEEK
            | Function.DAY_OF_YEAR
        ):
            return dates.PARTS_OF_DATE[function](days_of(function, first, types[0]))
        case Function.HOUR | Function.MINUTE | Function.SECOND:
            seconds, count = dates.PARTS_OF_DAY[function]
            return micros_of(function, first, types[0]) // (seconds * MICROS) % count
        case Function.DATE:
            return cast(first, types[0], t.Date())
        case Function.DATE_TRUNC:
            return _date_trunc(first, arguments[1], types[1], of)
        case Function.DATE_ADD:
            return wrapped(days_of(function, first, types[0]) + arguments[1], 32)
        case Function.DATE_SUB:
            return wrapped(days_of(function, first, types[0]) - arguments[1], 32)
        case Function.UNIX_DATE:
            return days_of(function, first, types[0])
        case Function.DATE_FORMAT:
            return format_micros(micros_of(function, first, types[0]), date_pattern(arguments[1]))
        case Function.UNIX_TIMESTAMP:
            micros = _unix_micros(arguments, types)
            return None if micros is None else towards_zero(micros, MICROS)
        case Function.FROM_UNIXTIME:
            return format_micros(first * MICROS, date_pattern(arguments[1] if len(arguments) > 1 else DEFAULT_PATTERN))
        case _:
            assert_never(function)


def towards_zero(dividend: int, divisor: int) -> int:
    """Java's division of integers, by a positive one; Spark counts the seconds before 1970 so, but casts them down."""
    return dividend // divisor if dividend >= 0 else -(-dividend // divisor)


def days_of(function: Function, value: int, of: t.Type) -> int:
    """Days since 1970-01-01 of a date or timestamp."""
    match of:
        case t.Date():
            return value
        case t.Timestamp(unit):
            return value // (DAY_SECONDS * unit.value)
        case _:
            raise UnsupportedError(function.value, expected="a date or timestamp", found=type_text(of))


def micros_of(function: Function, value: int, of: t.Type) -> int:
    """Microseconds since 1970-01-01 of a date or timestamp."""
    match of:
        case t.Date():
            return value * DAY_SECONDS * MICROS
        case t.Timestamp(unit):
            return value * MICROS // unit.value
        case _:
            raise UnsupportedError(function.value, expected="a date or timestamp", found=type_text(of))


def _date_trunc(unit: str, value: int, source: t.Type, of: t.Type) -> int | None:
    if not isinstance(of, t.Timestamp):
        raise UnsupportedError(Function.DATE_TRUNC.value, expected="a timestamp as its result", found=type_text(of))
    ticks = cast(value, source, of)
    found = None if ticks is None else dates.date_trunc(unit, ticks, of.unit.value)
    return found if found is not None and found >= LONG_RANGE[0] else None


def _unix_micros(arguments: list[Any], types: list[t.Type]) -> int | None:
    if isinstance(types[0], t.String):
        return parse_micros(arguments[0], date_pattern(arguments[1] if len(arguments) > 1 else DEFAULT_PATTERN))
    return micros_of(Function.UNIX_TIMESTAMP, arguments[0], types[0])
