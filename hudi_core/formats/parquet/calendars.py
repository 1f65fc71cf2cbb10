"""The calendar in which a Parquet file counts its days and instants: Spark before 3.0, and later releases of it if so configured,
count those before 1582-10-15 in the Julian calendar, and instants before 1900 by the standard time of the session's zone.

Spark notes it in the file and counts anew as it reads. Sources: `DataSourceUtils.datetimeRebaseSpec`, `RebaseDateTime` of Spark.
Rule FORMAT-1571.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.errors import UnsupportedError
from hudi_core.formats.parquet.statistics import counts_in_old_calendar
from hudi_core.types import nodes as t
from hudi_core.values.calendar import (
    DAY_SECONDS,
    FIRST_DAY,
    FIRST_NEW_DAY,
    days_from_civil,
    is_zone,
    zone_offset,
    zone_shift,
)

ZONE: Final = "org.apache.spark.timeZone"

_JULIAN_SHIFT: Final = 719_470
"""Days from 0000-03-01 of the Julian calendar, with which its periods of four years begin, to 1970-01-01."""
_FOUR_YEARS: Final = 1_461
_WINTER, _SUMMER = 1_704_067_200, 1_719_792_000
"""Instants of 2024, at one of which each zone has standard time."""


@dataclass(frozen=True, slots=True)
class OldCalendar:
    """What of a file is counted in the old calendar: dates, instants, or both."""

    dates: bool
    times: bool
    zone: str = "UTC"

    def limit(self, kind: t.Type) -> int | None:
        """The least value of a type that both calendars count alike; None for types of which all values are."""
        match kind:
            case t.Date() if self.dates:
                return FIRST_DAY
            case t.Timestamp(unit=unit, zoned=True) if self.times:
                return FIRST_NEW_DAY * DAY_SECONDS * unit.value
            case _:
                return None

    def count_days(self, days: Numbers) -> Numbers:
        """Days since 1970-01-01 as the proleptic Gregorian calendar counts days of the same names."""
        return np.where(days < FIRST_DAY, _in_gregorian(days), days)

    def count_ticks(self, ticks: Numbers, per_second: int, where: str) -> Numbers:
        """Instants that the same wall clock shows. Raises `UnsupportedError`, at `where`, for a zone that is not known."""
        if not is_zone(self.zone):
            raise UnsupportedError(where, expected=f"a zone that is known as {ZONE}", found=repr(self.zone))
        distinct, places = np.unique(ticks, return_inverse=True)
        seconds = distinct // per_second
        standard = min(zone_offset(moment, self.zone) for moment in (_WINTER, _SUMMER))
        days = (seconds + standard) // DAY_SECONDS
        clock = self.count_days(days) * DAY_SECONDS + (seconds + standard) % DAY_SECONDS
        moved = np.array([second - zone_shift(second, self.zone) for second in clock.tolist()], np.int64)
        counted = np.where(seconds < FIRST_NEW_DAY * DAY_SECONDS, moved, seconds) * per_second + distinct % per_second
        result: Numbers = counted[places.reshape(-1)]
        return result


def old_calendar(pairs: Mapping[str, str], *, int96: bool) -> OldCalendar | None:
    """The old calendar, where the key-value pairs of a file note it; None for the proleptic Gregorian one. `int96`: the file
    stores its instants so."""
    dates, times = counts_in_old_calendar(pairs, int96=int96)
    return OldCalendar(dates, times, pairs.get(ZONE, "UTC")) if dates or times else None


def _in_gregorian(days: Numbers) -> Numbers:
    """Days of the Julian calendar, as the Gregorian one counts them; 29 February of a year that has none is the next day."""
    since = days + _JULIAN_SHIFT
    period, day = since // _FOUR_YEARS, since % _FOUR_YEARS
    year = np.minimum(day // 365, 3)
    day = day - 365 * year
    month = (5 * day + 2) // 153
    first = day - (153 * month + 2) // 5
    late = month >= 10
    counted: Numbers = days_from_civil(4 * period + year + late, np.where(late, month - 9, month + 3)) + first
    return counted
