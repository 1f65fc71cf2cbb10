"""Zones by Java's names."""

from __future__ import annotations

import datetime
import zoneinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import UsageError
from hudi_core.keys.zones import UTC, Zone, parse_zone

NAMES = ["Europe/Paris", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/St_Johns", "Asia/Gaza"]


@pytest.mark.parametrize(
    ("name", "offset"), [("GMT+8:00", 28_800), ("GMT-1", -3600), ("GMT+0530", 19_800), ("GMT-05:45", -20_700), ("Z", 0)]
)
def test_offsets_have_no_summer(name: str, offset: int) -> None:
    assert parse_zone(name, "") == Zone(offset)


def test_abbreviations_are_regions() -> None:
    """KEY-16."""
    assert parse_zone("EST", "") == parse_zone("America/New_York", "")


@pytest.mark.parametrize("name", ["No/Such", "GMT+25", "+05:45", "UTC+5", "UT+05:45", "", "../etc/passwd", "America"])
def test_unknown_zones_are_refused(name: str) -> None:
    """KEY-16."""
    with pytest.raises(UsageError, match="the option: expected a time zone"):
        parse_zone(name, "the option")


@given(st.sampled_from(NAMES), st.integers(-(2**33), 2**33))
def test_the_offset_is_that_of_the_zone_database(name: str, seconds: int) -> None:
    moment = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(seconds=seconds)
    shift = moment.astimezone(zoneinfo.ZoneInfo(name)).utcoffset()
    assert shift is not None
    assert parse_zone(name, "").ahead(seconds) == shift.total_seconds()


@given(st.sampled_from(NAMES), st.integers(-(2**33), 2**33))
def test_a_clock_time_that_was_shown_is_found_again(name: str, seconds: int) -> None:
    zone = parse_zone(name, "")
    clock = seconds + zone.ahead(seconds)
    found = zone.instant(clock)
    assert found is not None and found <= seconds and found + zone.ahead(found) == clock


def test_the_ends_of_time_are_answered_too() -> None:
    zone = parse_zone("Europe/Paris", "")
    assert zone.ahead(-(2**62)) and zone.ahead(2**62) == 3600
    assert zone.instant(2**62) == 2**62 - 3600


@given(st.sampled_from(NAMES), st.integers(2**29, 2**32), st.sampled_from([60, 3600, 86_400]))
def test_instants_of_one_step_show_one_clock_time(name: str, seconds: int, wanted: int) -> None:
    zone = parse_zone(name, "")
    step, since = zone.step(wanted)
    assert seconds >= since and wanted % step == 0
    first = seconds - seconds % step
    assert (first + zone.ahead(first)) // wanted == (seconds + zone.ahead(seconds)) // wanted


def test_steps_of_fixed_offsets_divide_them() -> None:
    assert Zone(19_800).step(86_400)[0] == 1800
    assert UTC.step(86_400)[0] == 86_400
