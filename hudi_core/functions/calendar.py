"""Days and ticks since 1970-01-01 as numbers, or as arrays of them: what functions of dates and timestamps are made of."""

from __future__ import annotations

from typing import TypeVar

from hudi_core.arrays import Numbers
from hudi_core.errors import UnsupportedError
from hudi_core.functions.record import Stretch
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text
from hudi_core.values.calendar import DAY_SECONDS, civil_from_days, days_from_civil

Whole = TypeVar("Whole", int, Numbers)
MICROS = 1_000_000
FIRST_DAY, LAST_DAY = days_from_civil(0, 1), days_from_civil(10_000, 1) - 1
"""Years that are written with four digits, so that their texts order as they do."""


def per_second(type: t.Type) -> int:
    """Ticks of a timestamp in a second; 1 for what counts seconds."""
    return type.unit.value if isinstance(type, t.Timestamp) else 1


def per_day(type: t.Type) -> int:
    """Positions of a date or timestamp in a day."""
    return DAY_SECONDS * type.unit.value if isinstance(type, t.Timestamp) else 1


def days_of(value: Whole, type: t.Type) -> Whole:
    """Days since 1970-01-01 of a date or timestamp."""
    match type:
        case t.Date():
            return value
        case t.Timestamp(unit):
            return value // (DAY_SECONDS * unit.value)
        case _:
            raise UnsupportedError("parts of dates", expected="a date or timestamp", found=type_text(type))


def micros_of(value: Whole, type: t.Type) -> Whole:
    """Microseconds since 1970-01-01 of a date or timestamp, which may be more than 64 bits hold."""
    match type:
        case t.Date():
            return value * (DAY_SECONDS * MICROS)
        case t.Timestamp(unit) if unit.value > MICROS:
            return value // (unit.value // MICROS)
        case t.Timestamp(unit):
            return value * (MICROS // unit.value)
        case _:
            raise UnsupportedError("points in time", expected="a date or timestamp", found=type_text(type))


def towards_zero(dividend: Whole, divisor: int) -> Whole:
    """Java's division of integers, by a positive one; Spark counts the seconds before 1970 so, but casts them down."""
    floor = dividend // divisor
    cut: Whole = floor + ((dividend < 0) & (dividend != floor * divisor))
    return cut


def wrap(value: Whole, bits: int = 32) -> Whole:
    """The number's lowest bits as a signed integer; `bits` may be 64 for numbers only."""
    half = 1 << (bits - 1)
    return (value + half) % (2 * half) - half


def last_day_of_month(year: Whole, month: Whole) -> Whole:
    """The day with which a month ends, as days since 1970-01-01."""
    return days_from_civil(year + month // 12, month % 12 + 1) - 1


def months_later(days: Whole, months: Whole) -> Whole:
    """The same day of another month; its last one where it is shorter."""
    year, month, day = civil_from_days(days)
    counted = year * 12 + month - 1 + months
    year, month = counted // 12, counted % 12 + 1
    late = days_from_civil(year, month) + day - 1
    last = last_day_of_month(year, month)
    return late - (late - last) * (late > last)


def four_digit_years(type: t.Type, ends: tuple[int, int]) -> Stretch:
    """Where the texts of dates, timestamps and seconds order as these do."""
    unit = 1 if isinstance(type, t.Date) else DAY_SECONDS * per_second(type)
    return Stretch(max(FIRST_DAY * unit, ends[0]), min((LAST_DAY + 1) * unit - 1, ends[1]))
