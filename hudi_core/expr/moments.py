"""Arithmetic on dates and timestamps as function calls: `d + 1`, `ts - INTERVAL 1 DAY`, `ts - t0 > INTERVAL 1 HOUR`."""

from __future__ import annotations

from collections.abc import Callable

from hudi_core.expr.calls import interval_of, is_interval
from hudi_core.expr.comparisons import FLIPPED
from hudi_core.expr.interval import Interval
from hudi_core.expr.nodes import Call, Comparison, Literal, Scalar
from hudi_core.expr.predicate import Constant, Term
from hudi_core.types import nodes as t
from hudi_core.values.calendar import DAY_SECONDS

_DAY_MICROS = DAY_SECONDS * 1_000_000
_DAYS = {"+": "date_add", "-": "date_sub"}


def of_days(function: str, arguments: list[Term]) -> tuple[str, list[Term]]:
    """A date plus or minus an int, which is a number of days, as `date_add` or `date_sub`; any other call as it is."""
    if function not in _DAYS or len(arguments) != 2:
        return function, arguments
    match [type(argument.type) for argument in arguments]:
        case [t.Date, t.Int]:
            return _DAYS[function], arguments
        case [t.Int, t.Date] if function == "+":
            return _DAYS[function], arguments[::-1]
        case _:
            return function, arguments


def is_interval_between(function: str, arguments: list[Term]) -> bool:
    """Whether a call is the difference of two dates or timestamps: an interval, of which the core has no values.

    A string beside a date or timestamp is read as one.
    """
    if function != "-" or len(arguments) != 2:
        return False
    moments = [isinstance(argument.type, t.Date | t.Timestamp) for argument in arguments]
    strings = [isinstance(argument.type, t.String) for argument in arguments]
    return any(moments) and all(map(max, moments, strings))


def moving(moment: Term, by: Interval, utc: bool) -> tuple[str, list[Term]] | None:
    """The function that moves a date or timestamp by an interval; None where there is none for all of it."""
    match moment.type:
        case t.Date() if not by.months and not by.micros:
            return "date_add", [moment, Constant(by.days, t.Int())]
        case t.Date() if not by.days and not by.micros:
            return "add_months", [moment, Constant(by.months, t.Int())]
        case t.Timestamp() if by.months and not by.days and not by.micros:
            return "timestampadd", [Constant("MONTH", t.String()), Constant(by.months, t.Int()), moment]
        case t.Date() if not by.months:
            micros = Constant(by.days * _DAY_MICROS + by.micros, t.Long())
            return "timestampadd", [Constant("MICROSECOND", t.String()), micros, moment]
        case t.Timestamp(_, zoned) if not by.months and (utc or not zoned or not has_days(by)):
            micros = Constant(by.days * _DAY_MICROS + by.micros, t.Long())
            return "timestampadd", [Constant("MICROSECOND", t.String()), micros, moment]
        case _:
            return None


def has_days(by: Interval) -> bool:
    """Whether an interval has whole days, which are a zone's own: those of its hours are, too."""
    return bool(by.days) or abs(by.micros) >= _DAY_MICROS


def difference(
    operator: Comparison, left: Scalar, right: Scalar, type_of: Callable[[Scalar], t.Type], utc: bool
) -> tuple[Comparison, Scalar, Scalar] | None:
    """`a - b` of moments compared with an interval, as a comparison of moments or of days; None for any other comparison.

    `dt - d2 > INTERVAL 3 DAYS` is `datediff(dt, d2) > 3`; `ts - t0 > INTERVAL 1 HOUR` is `ts > t0 + INTERVAL 1 HOUR`, where one
    of the two is a constant, else their `timestampdiff` in microseconds. None holds with months, which have no fixed length.
    """
    if is_interval(left):
        operator, left, right = FLIPPED.get(operator, operator), right, left
    match left, right:
        case Call("-", (first, second)), Call("interval") if not (is_interval(first) or is_interval(second)):
            by = interval_of(right)
        case _:
            return None
    types = type_of(first), type_of(second)
    if by.months or not all(isinstance(data_type, t.Date | t.Timestamp) for data_type in types):
        return None
    if all(isinstance(data_type, t.Date) for data_type in types):
        return None if by.micros else (operator, Call("datediff", (first, second), left.span), Literal(by.days))
    if not utc and any(isinstance(data_type, t.Timestamp) and data_type.zoned for data_type in types):
        return None
    if isinstance(second, Literal):
        return operator, first, Call("+", (second, right), left.span)
    if isinstance(first, Literal):
        return operator, Call("-", (first, right), left.span), second
    micros = Literal(by.days * _DAY_MICROS + by.micros)
    return operator, Call("timestampdiff", (Literal("MICROSECOND"), second, first), left.span), micros
