"""Dates, times and timestamps as the integers that the core counts in, and back, whatever the session's time zone is.

A timestamp is held by Spark in microseconds; one that counts milliseconds and lies beyond their range is null. One
that counts nanoseconds, and a time of day, is held as the integer itself.
"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from hudi_core.types import nodes as t
from hudi_core.values.calendar import DAY_SECONDS

MICROS = t.Unit.MICROS.value
DAY_MICROS = DAY_SECONDS * MICROS


def floor_div(number: Column, by: int) -> Column:
    """The quotient of a long by a positive number, cut down."""
    if by == 1:
        return number
    divisor = F.lit(by).cast("long")
    return F.call_function("div", number, divisor) - F.when(number % divisor < 0, 1).otherwise(0)


def ticks(value: Column, type: t.Date | t.Time | t.Timestamp) -> Column:
    """Days of dates, units of times and timestamps, as int or long."""
    match type:
        case t.Date():
            return F.unix_date(value)
        case t.Time() | t.Timestamp(t.Unit.NANOS):
            return value
        case t.Timestamp(unit, zoned):
            micros = F.unix_micros(value) if zoned else _wall_micros(value)
            return floor_div(micros, MICROS // unit.value)


def from_ticks(number: Column, type: t.Date | t.Time | t.Timestamp) -> Column:
    """`ticks` undone; null for what Spark cannot hold."""
    match type:
        case t.Date():
            return F.date_from_unix_date(number)
        case t.Time() | t.Timestamp(t.Unit.NANOS):
            return number
        case t.Timestamp(unit, zoned):
            scale = MICROS // unit.value
            micros = number if scale == 1 else F.try_multiply(number.cast("long"), F.lit(scale).cast("long"))
            return F.timestamp_micros(micros) if zoned else _wall_clock(micros)


def _wall_micros(value: Column) -> Column:
    """Microseconds of a timestamp without zone. Its parts are taken, for a cast would go by the session's zone."""
    days = F.unix_date(value.cast("date")).cast("long")
    minutes = F.hour(value) * 60 + F.minute(value)
    within = (F.extract(F.lit("SECOND"), value) * MICROS).cast("long") + minutes.cast("long") * (60 * MICROS)
    # Towards zero first: the first day that a long can count does not fit as a whole.
    early = days < 0
    start = F.when(early, days + 1).otherwise(days) * F.lit(DAY_MICROS).cast("long")
    return start + (within - F.when(early, F.lit(DAY_MICROS).cast("long")).otherwise(F.lit(0).cast("long")))


def _wall_clock(micros: Column) -> Column:
    days = floor_div(micros, DAY_MICROS)
    within = F.pmod(micros, F.lit(DAY_MICROS).cast("long"))
    seconds = (within.cast("decimal(18,0)") / F.lit(MICROS).cast("decimal(7,0)")).cast("decimal(18,6)")
    zero = F.lit(0)
    since = F.call_function("make_dt_interval", days.cast("int"), zero, zero, seconds)
    return F.lit("1970-01-01").cast("timestamp_ntz") + since
