"""Intervals (`INTERVAL '1' DAY`, `INTERVAL '1-6' YEAR TO MONTH`) as months, days and microseconds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from hudi_core.values.domain import EXACT

_MONTHS = {"YEAR": 12, "QUARTER": 3, "MONTH": 1}
_DAYS = {"WEEK": 7, "DAY": 1}
_MICROS = {"HOUR": 3_600_000_000, "MINUTE": 60_000_000, "SECOND": 1_000_000, "MILLISECOND": 1_000, "MICROSECOND": 1}
UNITS = frozenset({name + end for name in (*_MONTHS, *_DAYS, *_MICROS) for end in ("", "S")})
BARE_UNITS = (UNITS - {name for name in UNITS if name.endswith("S")}) | {"DAYOFYEAR"}
"""The units that stand as words before the arguments of TIMESTAMPADD, DATEDIFF and their like."""

_PAIR = re.compile(r"([+-]?\s*\d+(?:\.\d*)?|[+-]?\s*\.\d+)\s*([A-Za-z]+)\s*", re.ASCII)
_YEAR_TO_MONTH = re.compile(r"([+-]?)(\d+)-(\d+)", re.ASCII)
_CLOCK = ("DAY", "HOUR", "MINUTE", "SECOND")


@dataclass(frozen=True, slots=True)
class Interval:
    """Months and days have no fixed length in microseconds, so the three stay apart."""

    months: int = 0
    days: int = 0
    micros: int = 0

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.months + other.months, self.days + other.days, self.micros + other.micros)

    def __neg__(self) -> Interval:
        return Interval(-self.months, -self.days, -self.micros)


def of_unit(quantity: str, unit: str) -> Interval | None:
    """So many of one unit; None when the unit is none, or has no such fraction.

    >>> of_unit("1.5", "seconds"), of_unit("2", "WEEK"), of_unit("1.5", "month")
    (Interval(months=0, days=0, micros=1500000), Interval(months=0, days=14, micros=0), None)
    """
    name = unit.upper().removesuffix("S")
    size = _MONTHS.get(name) or _DAYS.get(name) or _MICROS.get(name) or 0
    exact = EXACT.multiply(Decimal(quantity.replace(" ", "")), Decimal(size))
    if exact != int(exact) or (name not in _MICROS and "." in quantity):
        return None
    count = int(exact)
    if name in _MONTHS:
        return Interval(months=count)
    if name in _DAYS:
        return Interval(days=count)
    return Interval(micros=count) if name in _MICROS else None


def of_text(text: str) -> Interval | None:
    """A text of numbers with their units; None when it is none.

    >>> of_text("1 day 2 hours")
    Interval(months=0, days=1, micros=7200000000)
    """
    total, offset = Interval(), 0
    bare = text.strip()
    while offset < len(bare):
        match = _PAIR.match(bare, offset)
        part = of_unit(match[1], match[2]) if match else None
        if match is None or part is None:
            return None
        total, offset = total + part, match.end()
    return total if bare else None


def of_range(text: str, first: str, last: str) -> Interval | None:
    """A text from one unit down to another, as in `'1 02:03:04.5' DAY TO SECOND` or `'1-6' YEAR TO MONTH`."""
    start, end = first.upper().removesuffix("S"), last.upper().removesuffix("S")
    if (start, end) == ("YEAR", "MONTH"):
        match = _YEAR_TO_MONTH.fullmatch(text.strip())
        if match is None or int(match[3]) > 11:
            return None
        months = int(match[2]) * 12 + int(match[3])
        return Interval(months=-months if match[1] == "-" else months)
    if start not in _CLOCK or end not in _CLOCK or _CLOCK.index(start) >= _CLOCK.index(end):
        return None
    bare = text.strip()
    sign, parts = bare[:1] == "-", re.split(r"[ :]", bare.lstrip("+-"))
    names = _CLOCK[_CLOCK.index(start) : _CLOCK.index(end) + 1]
    if len(parts) != len(names) or not all(re.fullmatch(r"\d+(\.\d*)?", part, re.ASCII) for part in parts):
        return None
    total = Interval()
    for part, name in zip(parts, names, strict=True):
        interval = of_unit(part, name)
        if interval is None:
            return None
        total += interval
    return -total if sign else total


def to_text(interval: Interval) -> str:
    """The text `of_text` reads back.

    >>> to_text(Interval(14, 3, -5))
    '14 months 3 days -5 microseconds'
    """
    parts = [(interval.months, "months"), (interval.days, "days"), (interval.micros, "microseconds")]
    return " ".join(f"{count} {unit}" for count, unit in parts if count) or "0 days"
