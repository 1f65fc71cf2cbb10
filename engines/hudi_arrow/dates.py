"""Functions of dates and timestamps on Arrow arrays, with the answers of `hudi_core.expr.scalar.dates`.

The calendar is reckoned here because Arrow's own ends at the year 32767.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.arrays import Array, numbers, plain
from hudi_core.expr.functions import Function
from hudi_core.expr.scalar.dates import MONDAY, PARTS_OF_DAY, truncation
from hudi_core.types import nodes as t
from hudi_core.values.calendar import DAY_SECONDS
from hudi_core.values.domain import LONG_RANGE

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


def integers(array: Array) -> Integers:
    """The numbers of an array of integers, dates or ticks; zero where it is null."""
    found: Integers = pc.fill_null(numbers(plain(array)), 0).to_numpy().astype(np.int64)
    return found


def with_nulls(values: npt.NDArray[np.generic], like: Array, kind: pa.DataType, also: Flags | None = None) -> Array:
    """An array of the values, null where `like` is, and where `also` says so."""
    nulls = like.is_null().to_numpy(zero_copy_only=False)
    return pa.array(values, mask=nulls if also is None else nulls | also).cast(kind)


def days_of(values: Integers, of: t.Date | t.Timestamp) -> Integers:
    """Days since 1970-01-01 of dates or timestamps."""
    return values // (DAY_SECONDS * of.unit.value) if isinstance(of, t.Timestamp) else values


def part(function: Function, array: Array, of: t.Date | t.Timestamp) -> Array:
    """One of `PARTS`."""
    return with_nulls(PARTS[function](integers(array), of), array, pa.int32())


def _part_of_date(number: int) -> Callable[[Integers, t.Date | t.Timestamp], Integers]:
    """Year, month or day."""
    return lambda values, of: civil_from_days(days_of(values, of))[number]


def _quarter(values: Integers, of: t.Date | t.Timestamp) -> Integers:
    return (civil_from_days(days_of(values, of))[1] + 2) // 3


def _day_of_week(values: Integers, of: t.Date | t.Timestamp) -> Integers:
    return (days_of(values, of) + 4) % 7 + 1


def _day_of_year(values: Integers, of: t.Date | t.Timestamp) -> Integers:
    days = days_of(values, of)
    year = civil_from_days(days)[0]
    return days - days_from_civil(year, np.ones_like(year)) + 1


def _part_of_day(seconds: int, count: int) -> Callable[[Integers, t.Date | t.Timestamp], Integers]:
    """Hour, minute or second: which one of `count` stretches of so many seconds."""

    def part(values: Integers, of: t.Date | t.Timestamp) -> Integers:
        return values // (seconds * of.unit.value) % count if isinstance(of, t.Timestamp) else np.zeros_like(values)

    return part


PARTS: dict[Function, Callable[[Integers, t.Date | t.Timestamp], Integers]] = {
    Function.YEAR: _part_of_date(0),
    Function.QUARTER: _quarter,
    Function.MONTH: _part_of_date(1),
    Function.DAY: _part_of_date(2),
    Function.DAY_OF_WEEK: _day_of_week,
    Function.DAY_OF_YEAR: _day_of_year,
    **{function: _part_of_day(*stretches) for function, stretches in PARTS_OF_DAY.items()},
    Function.UNIX_DATE: days_of,
}
"""What is read off a date or timestamp, from its days or ticks."""


def date_trunc(unit: str, array: Array, per_second: int) -> Array:
    """The start of the unit around each timestamp; null when the unit is none, or the start lies before the first tick."""
    cut = truncation(unit)
    if cut is None:
        return pa.nulls(len(array), array.type)
    kind, number = cut
    values, origin = integers(array), 0
    match kind:
        case "months":
            step = DAY_SECONDS * per_second
            year, month, _ = civil_from_days(values // step)
            count = days_from_civil(year, (month - 1) // number * number + 1)
        case "parts":
            step = max(per_second // number, 1)
            count = values // step
        case _:
            step = number * per_second
            origin = MONDAY * per_second if unit.upper() == "WEEK" else 0
            count = values // step
            count = count + (values - count * step - origin) // step
    least = -((origin - LONG_RANGE[0]) // step)
    # Beyond the range the product wraps, and adding the origin wraps it back.
    return with_nulls(count * step + origin, array, pa.int64(), count < least).view(array.type)


def civil_from_days(days: Integers) -> tuple[Integers, Integers, Integers]:
    """Year, month and day of days since 1970-01-01: `hudi_core.values.calendar` on arrays."""
    era, day_of_era = np.divmod(days + 719_468, 146_097)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    month = np.where(shifted < 10, shifted + 3, shifted - 9)
    return year_of_era + era * 400 + (month <= 2), month, day_of_year - (153 * shifted + 2) // 5 + 1


def days_from_civil(year: Integers, month: Integers) -> Integers:
    """Days since 1970-01-01 of the first day of months."""
    era, year_of_era = np.divmod(year - (month <= 2), 400)
    day_of_year = (153 * np.where(month > 2, month - 3, month + 9) + 2) // 5
    found: Integers = era * 146_097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719_468
    return found
