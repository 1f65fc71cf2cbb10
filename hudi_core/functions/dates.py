"""Parts of dates and times, sums of days, and truncation. One arithmetic, of numbers and of arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from hudi_core.functions import parameters as p
from hudi_core.functions.arithmetic import shift, subtract_from
from hudi_core.functions.calendar import days_of, per_day, per_second, towards_zero, wrap
from hudi_core.functions.record import (
    Argument,
    Evaluate,
    FirstNotBelow,
    Function,
    Native,
    PartialCall,
    Signature,
    Stretch,
    Zone,
)
from hudi_core.functions.scalar.dates import DATE_UNITS, truncate, truncation
from hudi_core.types import nodes as t
from hudi_core.values.calendar import DAY_SECONDS, civil_from_days, days_from_civil


def everywhere(call: PartialCall) -> list[Stretch]:
    """It never falls."""
    return [Stretch(*call.ends)]


def of_days(rule: Callable[..., Any]) -> Evaluate:
    """A meaning by the days of the first argument, and by the others as they are."""
    return lambda values, types, result_type: rule(days_of(values[0], types[0]), *values[1:])


def part_of_date(name: str, rule: Callable[..., Any], spark: str = "", **rest: Any) -> Function:
    """A function of the day alone."""
    return Function(
        *(name, range(1, 2), p.signature(p.moment_or_date, gives=t.Int()), of_days(rule)),
        zone=Zone.SHOWN,
        counts=True,
        spark=Native(spark or name, (t.Date(),)),
        **rest,
    )


def _part_of_day(name: str, seconds: int, count: int) -> Function:
    """Which one of `count` stretches of so many seconds it is."""

    def evaluate(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Any:
        if isinstance(types[0], t.Date):
            return values[0] * 0
        return values[0] // (seconds * per_second(types[0])) % count

    return Function(name, range(1, 2), p.signature(p.moment, gives=t.Int()), evaluate, zone=Zone.SHOWN, counts=True)


def _year_edge(call: PartialCall) -> FirstNotBelow:
    day = per_day(call.argument)
    return lambda value, after: days_from_civil(value + after, 1) * day


def _day_of_year(days: Any) -> Any:
    return days - days_from_civil(civil_from_days(days)[0], 1) + 1


def _move(sign: int) -> Callable[[PartialCall], Iterable[Stretch]]:
    def stretches(call: PartialCall) -> Iterable[Stretch]:
        is_known = call.variable == 0 and isinstance(call.argument, t.Date)
        return shift(call.ends, sign * call.values[1]) if is_known else ()

    return stretches


def _date_moved(name: str, sign: int, **rest: Any) -> Function:
    return Function(
        *(name, range(2, 3), p.signature(p.date, p.integer, gives=t.Date())),
        of_days(lambda days, by: wrap(days + sign * by)),
        zone=Zone.SHOWN,
        counts=True,
        stretches=_move(sign),
        **rest,
    )


def _days_between(call: PartialCall) -> Iterable[Stretch]:
    return subtract_from(call.ends, call.values[0]) if call.variable else shift(call.ends, -call.values[1])


# ---- truncation


def _signature_of_trunc(arguments: Sequence[Argument]) -> Signature | None:
    unit = p.find_known_string(arguments[1])
    is_known = unit is not None and truncation(unit) is not None and unit.upper() in DATE_UNITS
    return None if unit is None else Signature((t.Date(), t.String()), t.Date(), null=not is_known)


def _signature_of_date_trunc(arguments: Sequence[Argument]) -> Signature | None:
    unit, data_type = p.find_known_string(arguments[0]), p.moment(arguments[1])
    data_type = replace(data_type, zoned=True)
    return None if unit is None else Signature((t.String(), data_type), data_type, null=truncation(unit) is None)


def _date_trunc(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Any:
    assert isinstance(result_type, t.Timestamp)
    unit, ticks = values
    return truncate(unit, ticks, result_type.unit.value)


def _grain_of_unit(call: PartialCall) -> list[Stretch]:
    """Truncation to a year, month or day goes by days; to less, by itself."""
    kind, size = truncation(call.values[0]) or ("parts", 1)
    if not isinstance(call.argument, t.Timestamp) or kind == "parts":
        return [Stretch(*call.ends)]
    seconds = DAY_SECONDS if kind == "months" else min(size, DAY_SECONDS)
    return [Stretch(*call.ends, grain=seconds * call.argument.unit.value)]


def seconds_of(value: Any, type: t.Type) -> Any:
    """Seconds since 1970-01-01 of a date or timestamp, cut towards zero."""
    if isinstance(type, t.Date):
        return value * DAY_SECONDS
    assert isinstance(type, t.Timestamp)
    if type.unit is t.Unit.NANOS:
        return towards_zero(value // 1_000, t.Unit.MICROS.value)
    return towards_zero(value, type.unit.value)


DATE_ADD = _date_moved("date_add", 1)
YEAR = part_of_date("year", lambda days: civil_from_days(days)[0], stretches=everywhere, edge=_year_edge)
FUNCTIONS = (
    YEAR,
    part_of_date("quarter", lambda days: (civil_from_days(days)[1] + 2) // 3),
    part_of_date("month", lambda days: civil_from_days(days)[1]),
    part_of_date("day", lambda days: civil_from_days(days)[2], "dayofmonth", aliases=("dayofmonth",)),
    part_of_date("dayofweek", lambda days: (days + 4) % 7 + 1),
    part_of_date("dayofyear", _day_of_year),
    _part_of_day("hour", 3600, 24),
    _part_of_day("minute", 60, 60),
    _part_of_day("second", 1, 60),
    Function(
        *("unix_date", range(1, 2), p.signature(p.date, gives=t.Int()), of_days(lambda days: days)),
        zone=Zone.SHOWN,
        counts=True,
        stretches=lambda call: [Stretch(*call.ends, by_one=True)] if isinstance(call.argument, t.Date) else [],
        spark=Native("unix_date", (t.Date(),)),
    ),
    DATE_ADD,
    _date_moved("date_sub", -1),
    Function(
        *("datediff", range(2, 3), p.signature(p.date, p.date, gives=t.Int())),
        lambda values, types, result: wrap(days_of(values[0], types[0]) - days_of(values[1], types[1])),
        aliases=("date_diff",),
        zone=Zone.SHOWN,
        counts=True,
        stretches=_days_between,
    ),
    Function(
        *("date_trunc", range(2, 3), _signature_of_date_trunc, _date_trunc),
        zone=Zone.SHOWN,
        counts=True,
        stretches=_grain_of_unit,
    ),
    Function(
        *("trunc", range(2, 3), _signature_of_trunc),
        lambda values, types, result: truncate_day(*values),
        zone=Zone.SHOWN,
        counts=True,
        stretches=everywhere,
    ),
)


def truncate_day(days: Any, unit: str) -> Any:
    """The first day of the year, quarter, month or week; a day whose own lies before the first one of 32 bits is null."""
    cut = truncate(unit, days * DAY_SECONDS, 1)
    if cut is None:
        return None
    day, is_known = cut
    start = day // DAY_SECONDS
    return start, is_known & (start >= -(1 << 31))
