"""Truncation of points in time: to months, to seconds, and to parts of a second. Of numbers, and of arrays of them."""

from __future__ import annotations

from typing import Any

from hudi_core.values.calendar import DAY_SECONDS, civil_from_days, days_from_civil
from hudi_core.values.domain import LONG_RANGE

_SECONDS = {"WEEK": 7 * DAY_SECONDS, "DAY": DAY_SECONDS, "DD": DAY_SECONDS, "HOUR": 3600, "MINUTE": 60, "SECOND": 1}
_PARTS_OF_SECOND = {"MILLISECOND": 1_000, "MICROSECOND": 1_000_000}
_MONTHS = {"YEAR": 12, "YYYY": 12, "YY": 12, "QUARTER": 3, "MONTH": 1, "MM": 1, "MON": 1}
DATE_UNITS = frozenset({*_MONTHS, "WEEK"})
"""Units that a date is cut to."""
_MONDAY = -3 * DAY_SECONDS
"""1969-12-29, in seconds: a start of a week."""


def truncation(unit: str) -> tuple[str, int] | None:
    """The grain of a unit: ("months", n), ("seconds", n) or ("parts", n to a second); None for what is no unit."""
    name = unit.upper()
    if name in _MONTHS:
        return "months", _MONTHS[name]
    if name in _SECONDS:
        return "seconds", _SECONDS[name]
    return ("parts", _PARTS_OF_SECOND[name]) if name in _PARTS_OF_SECOND else None


def truncate(unit: str, ticks: Any, per_second: int) -> Any:
    """The start of the year, quarter, month, week (on Monday), day, hour, ... around; None when the unit is none.

    Beside it whether it is known: what lies before the first tick of 64 bits is not.
    """
    cut = truncation(unit)
    if cut is None:
        return None
    kind, size = cut
    origin = 0
    if kind == "months":
        step = DAY_SECONDS * per_second
        year, month, _ = civil_from_days(ticks // step)
        count = days_from_civil(year, (month - 1) // size * size + 1)
    elif kind == "parts":
        step = max(per_second // size, 1)
        count = ticks // step
    else:
        step = size * per_second
        origin = _MONDAY * per_second if unit.upper() == "WEEK" else 0
        count = ticks // step
        count = count + (ticks - count * step - origin) // step
    least = -((origin - LONG_RANGE[0]) // step)
    # Beyond the range the product of an array wraps, and adding the origin wraps it back.
    return count * step + origin, count >= least
