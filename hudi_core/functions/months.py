"""Months and weeks: the same day of another month, its last day, the week of a year, and dates from their parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hudi_core.functions import parameters as p
from hudi_core.functions.calendar import last_day_of_month, micros_of, months_later, wrap
from hudi_core.functions.dates import of_days, part_of_date
from hudi_core.functions.record import Function, Native, PartialCall, Stretch, Zone
from hudi_core.types import nodes as t
from hudi_core.values.calendar import DAY_SECONDS, civil_from_days, days_from_civil

_MONTH_DAYS = 31
_DAY_MICROS = DAY_SECONDS * 1_000_000
_DAYS_OF_WEEK = {
    name: number
    for number, names in enumerate(
        [("TH", "THU", "THURSDAY"), ("FR", "FRI", "FRIDAY"), ("SA", "SAT", "SATURDAY"), ("SU", "SUN", "SUNDAY"),
         ("MO", "MON", "MONDAY"), ("TU", "TUE", "TUESDAY"), ("WE", "WED", "WEDNESDAY")]
    )
    for name in names
}  # fmt: skip
"""Names of days, and how many days after a Thursday, such as 1970-01-01, they come."""


def _within(margin: int, call: PartialCall) -> list[Stretch]:
    """Days so far from the ends that the result is a day too."""
    is_known = call.variable == 0 and isinstance(call.argument, t.Date)
    return [Stretch(call.ends[0] + margin, call.ends[1] - margin)] if is_known else []


def _last_day(days: Any) -> Any:
    year, month, _ = civil_from_days(days)
    return wrap(last_day_of_month(year, month))


def _week_of_year(days: Any) -> Any:
    """ISO's: a week belongs to the year of its Thursday."""
    thursday = days + 3 - (days + 3) % 7
    return (thursday - days_from_civil(civil_from_days(thursday)[0], 1)) // 7 + 1


def _next_day(days: Any, name: str) -> Any:
    weekday = _DAYS_OF_WEEK.get(name.strip().upper())
    return None if weekday is None else wrap(days + 1 + (weekday - 1 - days) % 7)


def _make_date(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Any:
    year, month, day = values
    days = days_from_civil(year, month, day)
    civil = civil_from_days(days)
    is_known = (civil[0] == year) & (civil[1] == month) & (civil[2] == day)
    return days, is_known & (days >= -(1 << 31)) & (days < 1 << 31)


def months_between(late: int, early: int, rounded: bool = True) -> float:
    """Months, of 31 days where they are not whole, between microseconds.

    >>> months_between(micros_of(88, t.Date()), micros_of(58, t.Date()))
    1.06451613
    """
    (days, within), (other_days, other_within) = (divmod(micros, _DAY_MICROS) for micros in (late, early))
    (year, month, day), (other_year, other_month, other_day) = civil_from_days(days), civil_from_days(other_days)
    months = (year - other_year) * 12 + month - other_month
    last = days == last_day_of_month(year, month) and other_days == last_day_of_month(other_year, other_month)
    if day == other_day or last:
        return float(months)
    seconds = (day - other_day) * DAY_SECONDS + within // 1_000_000 - other_within // 1_000_000
    result = months + seconds / (_MONTH_DAYS * DAY_SECONDS)
    return float(int((result * 1e8 + 0.5) // 1)) / 1e8 if rounded else result


def _months_between(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> float:
    late, early, *rounded = values
    return months_between(micros_of(late, types[0]), micros_of(early, types[1]), *rounded)


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS = ("Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed")


def _name(name: str, rule: Callable[[int], str]) -> Function:
    """The short English name of a part of a date, of which Spark 4 has functions and 3.5 has none."""
    sign = p.signature(p.moment_or_date, gives=t.String())
    return Function(name, range(1, 2), sign, of_days(rule), zone=Zone.SHOWN)


FUNCTIONS = (
    _name("monthname", lambda days: _MONTHS[civil_from_days(days)[1] - 1]),
    _name("dayname", lambda days: _DAYS[days % 7]),
    part_of_date("weekday", lambda days: (days + 3) % 7),
    part_of_date("weekofyear", _week_of_year),
    Function(
        *("add_months", range(2, 3), p.signature(p.date, p.integer, gives=t.Date())),
        of_days(lambda days, months: wrap(months_later(days, months))),
        zone=Zone.SHOWN,
        counts=True,
        stretches=lambda call: _within(_MONTH_DAYS * (abs(call.values[1]) + 1), call) if call.variable == 0 else [],
    ),
    Function(
        *("last_day", range(1, 2), p.signature(p.date, gives=t.Date()), of_days(_last_day)),
        zone=Zone.SHOWN,
        counts=True,
        stretches=lambda call: _within(_MONTH_DAYS, call),
    ),
    Function(
        *("next_day", range(2, 3), p.signature(p.date, p.string, gives=t.Date()), of_days(_next_day)),
        zone=Zone.SHOWN,
        counts=True,
    ),
    Function(
        "make_date", range(3, 4), p.signature(p.integer, p.integer, p.integer, gives=t.Date()), _make_date, counts=True
    ),
    Function(
        *("date_from_unix_date", range(1, 2), p.signature(p.integer, gives=t.Date()), p.of_values(lambda days: days)),
        counts=True,
        stretches=lambda call: [Stretch(*call.ends, by_one=True)],
        spark=Native("date_from_unix_date", only=(t.Int,)),
    ),
    Function(
        *("months_between", range(2, 4), p.signature(p.moment, p.moment, p.boolean, gives=t.Double()), _months_between),
        zone=Zone.SHOWN,
    ),
)
