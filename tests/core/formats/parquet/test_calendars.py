"""Days and instants that Spark counted in the Julian calendar. Rule FORMAT-1571."""

from __future__ import annotations

import datetime

import numpy as np
import pytest

from hudi_core.errors import UnsupportedError
from hudi_core.formats.parquet.calendars import OldCalendar, old_calendar
from hudi_core.types import nodes as t
from hudi_core.values.calendar import FIRST_NEW_DAY, FIRST_YEAR

SPARK, OLD, OLD_INT96 = "org.apache.spark.version", "org.apache.spark.legacyDateTime", "org.apache.spark.legacyINT96"
SWITCHES = (
    -719164, -682945, -646420, -609895, -536845, -500320, -463795, -390745, -354220, -317695, -244645, -208120,
    -171595, -141427,
)  # fmt: skip
"""Days from which on the calendars differ by the next of these numbers of days, as Spark lists them."""
DIFFERENCES = (2, 1, 0, -1, -2, -3, -4, -5, -6, -7, -8, -9, -10, 0)
BOTH = OldCalendar(dates=True, times=True)


def test_days_are_counted_anew_as_spark_does() -> None:
    """FORMAT-1571: each day from the year 1 to 1700."""
    days = np.arange(SWITCHES[0], -98_000)
    differences = np.array(DIFFERENCES)[np.searchsorted(SWITCHES, days, side="right") - 1]
    assert (BOTH.count_days(days) - days == differences).all()


def test_names_of_days_stay() -> None:
    """FORMAT-1571: years before 1 have names too, and 29 February 1500 is no day of the new calendar."""
    counted = BOTH.count_days(np.array([-719_164, -719_165, -719_164 - 366, -171_596, -171_595])).tolist()
    first = (datetime.date(1, 1, 1) - datetime.date(1970, 1, 1)).days
    assert counted[:2] == [first, first - 1]
    assert counted[2] == first - 366
    assert counted[3] == counted[4] == (datetime.date(1500, 3, 1) - datetime.date(1970, 1, 1)).days


@pytest.mark.parametrize(
    ("zone", "second", "difference"),
    [
        ("UTC", -62_135_769_600, 172_800),
        ("UTC", -12_219_292_801, -864_000),
        ("UTC", -12_219_292_800, 0),
        ("America/Los_Angeles", -62_135_740_800, 172_378),  # standard time and the sun's differ by 422 seconds there
        ("America/Los_Angeles", -3_000_000_000, -422),
        ("America/Los_Angeles", -2_000_000_000, 0),
        ("+05:30", -12_219_292_800 - 19_800, 0),
        ("+05:30", -12_219_292_800 - 19_801, -864_000),
    ],
)
def test_a_wall_clock_shows_what_it_showed(zone: str, second: int, difference: int) -> None:
    """FORMAT-1571."""
    calendar = OldCalendar(dates=True, times=True, zone=zone)
    for unit in (t.Unit.MILLIS, t.Unit.MICROS):
        ticks = np.array([second * unit.value + 7, 0, second * unit.value + 7])
        counted = calendar.count_ticks(ticks, unit.value, "f")
        assert ((counted - ticks) == np.array([difference, 0, difference]) * unit.value).all()


def test_a_zone_that_is_not_known_is_refused() -> None:
    """FORMAT-1571."""
    with pytest.raises(
        UnsupportedError, match=r"^f: expected a zone that is known as org.apache.spark.timeZone, found 'Mars'$"
    ):
        OldCalendar(dates=True, times=True, zone="Mars").count_ticks(np.array([-(10**17)]), 10**6, "f")


@pytest.mark.parametrize(
    ("pairs", "int96", "expected"),
    [
        ({}, False, None),
        ({OLD: ""}, False, None),
        ({SPARK: "3.5.9"}, False, None),
        ({SPARK: "3.5.9", OLD: ""}, False, (True, True)),
        ({SPARK: "3.5.9", OLD: ""}, True, (True, False)),
        ({SPARK: "3.5.9", OLD_INT96: ""}, True, (False, True)),
        ({SPARK: "3.5.9", OLD_INT96: ""}, False, None),
        ({SPARK: "3.0.1"}, True, (False, True)),
        ({SPARK: "2.4.8"}, False, (True, True)),
    ],
)
def test_what_a_file_notes_decides(pairs: dict[str, str], int96: bool, expected: tuple[bool, bool] | None) -> None:
    """FORMAT-1571."""
    calendar = old_calendar(pairs, int96=int96)
    assert (None if calendar is None else (calendar.dates, calendar.times)) == expected


def test_types_have_limits() -> None:
    """FORMAT-1571: local timestamps are never counted anew."""
    assert BOTH.limit(t.Date()) == SWITCHES[-1]
    assert BOTH.limit(t.Timestamp(t.Unit.MILLIS)) == FIRST_NEW_DAY * 86_400_000
    others = (t.Timestamp(t.Unit.MICROS, zoned=False), t.Long(), t.String())
    assert [BOTH.limit(kind) for kind in others] == [None] * 3
    assert OldCalendar(dates=False, times=True).limit(t.Date()) is None
    assert SWITCHES[0] == FIRST_YEAR
