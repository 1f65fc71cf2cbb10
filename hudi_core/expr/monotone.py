"""Where the known functions of one argument rise or fall: the stretches of its values, as positions on the type's axis.

Within a stretch a function never turns round and is never null; it may stand still. Outside all stretches nothing is
claimed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import Decimal

from hudi_core.errors import UnsupportedError
from hudi_core.expr import axis
from hudi_core.expr.functions import Function
from hudi_core.expr.predicate import Apply, Constant
from hudi_core.expr.scalar.apply import DEFAULT_PATTERN
from hudi_core.expr.scalar.dates import truncation
from hudi_core.expr.scalar.patterns import MICROS, date_pattern
from hudi_core.types import nodes as t
from hudi_core.values.calendar import DAY_SECONDS, days_from_civil
from hudi_core.values.domain import INT_RANGE, LONG_RANGE

_FOUR_DIGIT_DAYS = (days_from_civil(0, 1), days_from_civil(10_000, 1) - 1)
"""Years that are written with four digits, so that their texts order as they do."""
_PATTERN_ORDER = "yMdHmsS"
_DECIMAL_DIGITS = {"y": 4, "M": 2, "d": 2, "H": 2, "m": 2, "s": 2}


@dataclass(frozen=True, slots=True)
class MonotoneRange:
    """Positions from `first` to `last`, both included, over which a function never falls, or never rises.

    It stands still from one multiple of `grain` to the next. `by_one` says that it moves by one position with each.
    """

    first: int
    last: int
    rising: bool = True
    grain: int = 1
    by_one: bool = False


def stretches(term: Apply, variable: int, ends: tuple[int, int]) -> tuple[MonotoneRange, ...]:
    """The stretches of a function whose arguments are constants but for the one at `variable`; none when it is not known.

    `ends` are the limits of that argument's type.
    """
    if any(isinstance(argument, Constant) and argument.value is None for argument in term.arguments):
        return ()
    of = term.arguments[variable].type
    match term.function:
        case Function.CAST:
            found = _of_cast(of, term.type, ends)
        case Function.ADD | Function.SUBTRACT | Function.MULTIPLY | Function.DIVIDE | Function.NEGATE | Function.ABS:
            found = _of_arithmetic(term, variable, ends)
        case Function.DATE_ADD | Function.DATE_SUB if variable == 0 and isinstance(of, t.Date):
            days = _number(term, 1)
            found = _shifted(ends, int(days) if term.function is Function.DATE_ADD else -int(days))
        case Function.YEAR | Function.DATE | Function.UNIX_TIMESTAMP:
            found = [MonotoneRange(*ends)]
        case Function.UNIX_DATE if isinstance(of, t.Date):
            found = [MonotoneRange(*ends, by_one=True)]
        case Function.CEIL | Function.FLOOR:
            found = _of_cast(of, term.type, ends) if isinstance(term.type, t.Long) else [MonotoneRange(*ends)]
        case Function.ROUND if variable == 0:
            found = [_rounded(ends, int(_number(term, 1))) if isinstance(of, t.Int | t.Long) else MonotoneRange(*ends)]
        case Function.DATE_TRUNC:
            found = [MonotoneRange(*ends, grain=_grain_of_unit(term, of))]
        case Function.DATE_FORMAT | Function.FROM_UNIXTIME if variable == 0 and _orders(term):
            found = [replace(_four_digit_years(of), grain=_grain_of_pattern(term, of))]
        case _:
            found = []
    return tuple(stretch for stretch in found if stretch.first <= stretch.last)


def _of_cast(of: t.Type, to: t.Type, ends: tuple[int, int]) -> list[MonotoneRange]:
    real = isinstance(of, t.Float | t.Double)
    match to:
        case t.Int() | t.Long() if real:  # beyond the range it is the end of the range; NaN is 0
            return [MonotoneRange(ends[0], ends[1] - 1), MonotoneRange(ends[1], ends[1])]
        case t.Int() | t.Long() if isinstance(of, t.Int | t.Long | t.Boolean | t.Decimal):
            low, high = INT_RANGE if isinstance(to, t.Int) else LONG_RANGE
            unit = 10**of.scale if isinstance(of, t.Decimal) else 1
            return [MonotoneRange(max(low * unit, ends[0]), min(high * unit, ends[1]))]
        case t.Long() if isinstance(of, t.Timestamp):
            return [MonotoneRange(*ends)]
        case t.Float() | t.Double() | t.Decimal() if isinstance(of, t.Boolean | t.Int | t.Long | t.Decimal):
            return [MonotoneRange(*ends)]
        case t.Float() | t.Double() if real:
            return [MonotoneRange(*ends)]
        case t.Double() if isinstance(of, t.Timestamp):
            return [MonotoneRange(*ends)]
        case t.Date() if isinstance(of, t.Timestamp):
            return [MonotoneRange(*ends)]
        case t.Timestamp() if isinstance(of, t.Date | t.Timestamp | t.Int | t.Long):
            return [MonotoneRange(*ends)]
        case t.Time() if isinstance(of, t.Time):
            return [MonotoneRange(*ends)]
        case t.String() if isinstance(of, t.Date | t.Timestamp):
            return [_four_digit_years(of)]
        case _:
            return []


def _of_arithmetic(term: Apply, variable: int, ends: tuple[int, int]) -> list[MonotoneRange]:
    if isinstance(term.type, t.Float | t.Double):
        return _of_reals(term, variable, ends)
    falls = (term.function is Function.SUBTRACT and variable == 1) or term.function is Function.NEGATE
    whole = isinstance(term.type, t.Int | t.Long)
    if whole and term.arguments[variable].type != term.type:
        return []
    match term.function:
        case Function.ABS:
            return [
                MonotoneRange(ends[0] + whole, 0, False),
                MonotoneRange(1, ends[1]),
                *([MonotoneRange(ends[0], ends[0])] if whole else []),
            ]
        case Function.NEGATE:
            return [
                MonotoneRange(ends[0] + whole, ends[1], False, by_one=True),
                *([MonotoneRange(ends[0], ends[0])] if whole else []),
            ]
        case Function.DIVIDE if isinstance(term.type, t.Decimal) and variable == 0 and _number(term, 1) != 0:
            return [MonotoneRange(*ends, _number(term, 1) > 0)]
        case Function.DIVIDE if whole and variable == 0 and _number(term, 1) != 0:
            rising = _number(term, 1) > 0
            wraps = _number(term, 1) == -1  # the quotient of the least does
            return [
                MonotoneRange(ends[0] + wraps, ends[1], rising),
                *([MonotoneRange(ends[0], ends[0])] if wraps else []),
            ]
        case Function.MULTIPLY if not whole:
            return [MonotoneRange(*ends, _number(term, 1 - variable) >= 0)]
        case Function.MULTIPLY:
            return _multiplied(ends, int(_number(term, 1 - variable)))
        case Function.ADD | Function.SUBTRACT if not whole:
            return [MonotoneRange(*ends, not falls)]
        case Function.ADD:
            return _shifted(ends, int(_number(term, 1 - variable)))
        case Function.SUBTRACT if variable == 0:
            return _shifted(ends, -int(_number(term, 1)))
        case Function.SUBTRACT:
            number = int(_number(term, 0))  # number - x wraps where x < number - greatest, or x > number - least
            edges = [max(number - ends[1], ends[0]), min(number - ends[0], ends[1])]
            ranges = [(ends[0], edges[0] - 1), (edges[0], edges[1]), (edges[1] + 1, ends[1])]
            return [MonotoneRange(first, last, False, by_one=True) for first, last in ranges]
        case _:
            return []


def _of_reals(term: Apply, variable: int, ends: tuple[int, int]) -> list[MonotoneRange]:
    """Arithmetic of binary numbers. NaN, the last position, gives NaN, so what falls falls up to infinity only."""
    of = term.arguments[variable].type
    if term.function in (Function.NEGATE, Function.ABS):
        last = ends[1] - 1
        falling = MonotoneRange(ends[0], last if term.function is Function.NEGATE else 0, False)
        return [falling, MonotoneRange(falling.last + 1, ends[1])]
    number = float(_number(term, 1 - variable))
    if not math.isfinite(number):
        return []
    match term.function:
        case Function.ADD:
            rising = True
        case Function.SUBTRACT:
            rising = variable == 0
        case Function.MULTIPLY | Function.DIVIDE if number != 0 and (
            term.function is Function.MULTIPLY or variable == 0
        ):
            rising = number > 0
        case _:
            return []
    if rising or not isinstance(of, t.Float | t.Double):
        return [MonotoneRange(*ends, rising)]
    return [MonotoneRange(ends[0], ends[1] - 1, False), MonotoneRange(ends[1], ends[1])]


def _rounded(ends: tuple[int, int], places: int) -> MonotoneRange:
    """Integers of which none rounds beyond the ends, where it would wrap."""
    half = 10 ** min(max(-places, 0), 40) // 2
    return MonotoneRange(ends[0] + half, ends[1] - half)


def _shifted(ends: tuple[int, int], by: int) -> list[MonotoneRange]:
    """x + by, wrapping round: rising on either side of the place where it wraps."""
    low, high = ends
    edge = high - by if by >= 0 else low - by - 1
    return [MonotoneRange(low, edge, by_one=True), MonotoneRange(edge + 1, high, by_one=True)]


def _multiplied(ends: tuple[int, int], by: int) -> list[MonotoneRange]:
    """x * by where it does not wrap round."""
    if by == 0:
        return [MonotoneRange(*ends)]
    low, high = (-(-ends[0] // by), ends[1] // by) if by > 0 else (-(-ends[1] // by), ends[0] // by)
    return [MonotoneRange(max(low, ends[0]), min(high, ends[1]), by > 0)]


def _four_digit_years(of: t.Type) -> MonotoneRange:
    first, last = _FOUR_DIGIT_DAYS
    match of:
        case t.Date():
            return MonotoneRange(first, last)
        case t.Timestamp(unit):
            day = DAY_SECONDS * unit.value
            low, high = axis.limits(of) or (0, 0)
            return MonotoneRange(max(first * day, low), min((last + 1) * day - 1, high))
        case _:  # seconds
            low, high = axis.limits(of) or (0, 0)
            return MonotoneRange(max(first * DAY_SECONDS, low), min((last + 1) * DAY_SECONDS - 1, high))


def _grain_of_unit(term: Apply, of: t.Type) -> int:
    """Truncation to a year, month or day goes by days; to less, by itself."""
    kind, number = truncation(str(_constant(term, 0))) or ("parts", 1)
    if not isinstance(of, t.Timestamp) or kind == "parts":
        return 1
    return (DAY_SECONDS if kind == "months" else min(number, DAY_SECONDS)) * of.unit.value


def _grain_of_pattern(term: Apply, of: t.Type) -> int:
    """How far apart, at least, two points in time of different text are: in days, ticks or seconds."""
    step = date_pattern(str(_constant(term, 1)) if len(term.arguments) > 1 else DEFAULT_PATTERN).step
    per_micros = {t.Date: DAY_SECONDS * MICROS, t.Timestamp: MICROS // min(_per_second(of), MICROS)}.get(
        type(of), MICROS
    )
    return max(step // per_micros, 1) * max(_per_second(of) // MICROS, 1)


def _per_second(of: t.Type) -> int:
    return of.unit.value if isinstance(of, t.Timestamp) else 1


def _orders(term: Apply) -> bool:
    """Whether the texts of a date pattern order as the points in time do: the year first, no part left out before a finer one."""
    if len(term.arguments) < 2:
        return True  # the default pattern
    pattern = term.arguments[1]
    if not isinstance(pattern, Constant) or not isinstance(pattern.value, str):
        return False
    try:
        pieces = date_pattern(pattern.value).pieces
    except UnsupportedError:
        return False
    parts = [(letter, width) for letter, width in pieces if width]
    return all(
        letter == wanted and (letter == "S" or width == _DECIMAL_DIGITS[letter])
        for (letter, width), wanted in zip(parts, _PATTERN_ORDER, strict=False)
    ) and len(parts) <= len(_PATTERN_ORDER)


def _number(term: Apply, position: int) -> int | float | Decimal:
    value = _constant(term, position)
    assert isinstance(value, int | float | Decimal)
    return value


def _constant(term: Apply, position: int) -> object:
    constant = term.arguments[position]
    assert isinstance(constant, Constant)
    return constant.value
