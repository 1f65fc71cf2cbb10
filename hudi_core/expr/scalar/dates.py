"""Functions of dates and timestamps on values: days, and ticks of a unit, since 1970-01-01; in UTC."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hudi_core.expr.functions import Function
from hudi_core.expr.scalar.patterns import MICROS
from hudi_core.values.calendar import DAY_SECONDS, civil_from_days, days_from_civil

_SECONDS = {"WEEK": 7 * DAY_SECONDS, "DAY": DAY_SECONDS, "DD": DAY_SECONDS, "HOUR": 3600, "MINUTE": 60, "SECOND": 1}
_PARTS_OF_SECOND = {"MILLISECOND": 1_000, "MICROSECOND": MICROS}
_MONTHS = {"YEAR": 12, "YYYY": 12, "YY": 12, "QUARTER": 3, "MONTH": 1, "MM": 1, "MON": 1}
MONDAY = -3 * DAY_SECONDS
"""1969-12-29, in seconds: a start of a week."""


def year(days: int) -> int:
    return civil_from_days(days)[0]


def month(days: int) -> int:
    return civil_from_days(days)[1]


def day(days: int) -> int:
    return civil_from_days(days)[2]


def quarter(days: int) -> int:
    return (month(days) + 2) // 3


def day_of_week(days: int) -> int:
    """From Sunday, 1, to Saturday, 7."""
    return (days + 4) % 7 + 1


def day_of_year(days: int) -> int:
    return days - days_from_civil(year(days), 1) + 1


PARTS_OF_DATE: Mapping[Function, Callable[[int], int]] = {
    Function.YEAR: year,
    Function.QUARTER: quarter,
    Function.MONTH: month,
    Function.DAY: day,
    Function.DAY_OF_WEEK: day_of_week,
    Function.DAY_OF_YEAR: day_of_year,
}
"""What is read off the calendar."""

PARTS_OF_DAY: Mapping[Function, tuple[int, int]] = {
    Function.HOUR: (3600, 24),
    Function.MINUTE: (60, 60),
    Function.SECOND: (1, 60),
}
"""What is read off the clock: the seconds that one of it takes, and how many there are before they begin anew."""


def truncation(unit: str) -> tuple[str, int] | None:
    """What `date_trunc` cuts to: ("months", n), ("seconds", n) or ("parts", n to a second); None for no unit of its."""
    name = unit.upper()
    if name in _MONTHS:
        return "months", _MONTHS[name]
    if name in _SECONDS:
        return "seconds", _SECONDS[name]
    return ("parts", _PARTS_OF_SECOND[name]) if name in _PARTS_OF_SECOND else None


def date_trunc(unit: str, ticks: int, per_second: int) -> int | None:
    """The start of the year, quarter, month, week (on Monday), day, hour, ... around; None when the unit is none."""
    found = truncation(unit)
    if found is None:
        return None
    kind, number = found
    if kind == "months":
        year, month, _ = civil_from_days(ticks // (DAY_SECONDS * per_second))
        start = days_from_civil(year, (month - 1) // number * number + 1)
        return start * DAY_SECONDS * per_second
    if kind == "parts":
        step = max(per_second // number, 1)
        return ticks // step * step
    origin = MONDAY * per_second if unit.upper() == "WEEK" else 0
    step = number * per_second
    return (ticks - origin) // step * step + origin
