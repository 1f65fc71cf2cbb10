"""The calendar against NumPy's, clocks and zones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.values.calendar import (
    civil_from_days,
    clock_text,
    date_text,
    days_from_civil,
    is_zone,
    parse_clock,
    parse_date,
    parse_timestamp,
    timestamp_text,
    zone_shift,
)

DAYS = st.integers(-(1 << 31), (1 << 31) - 1)
MICROS = 1_000_000


@given(DAYS)
def test_days_and_civil_dates_are_each_others_inverse_as_numpy_counts_them(days: int) -> None:
    year, month, day = civil_from_days(days)
    moment = np.datetime64(days, "D")
    assert year == int(moment.astype("datetime64[Y]").astype(int)) + 1970
    assert month == int(moment.astype("datetime64[M]").astype(int)) % 12 + 1
    assert days_from_civil(year, month, day) == days


@given(DAYS)
def test_a_date_is_read_back_from_its_string(days: int) -> None:
    assert parse_date(date_text(days)) == days


@given(st.integers(-(1 << 63), (1 << 63) - 1), st.sampled_from([1_000, MICROS, 1_000_000_000]))
def test_a_timestamp_is_read_back_from_its_string(ticks: int, per_second: int) -> None:
    assert parse_timestamp(timestamp_text(ticks, per_second), per_second) == (ticks, False)
    assert parse_timestamp(timestamp_text(ticks, per_second, separator="T", digits=9) + "Z", per_second) == (
        ticks,
        True,
    )


@given(st.integers(0, 86_400 * MICROS - 1))
def test_a_time_of_day_is_read_back_from_its_string(ticks: int) -> None:
    assert parse_clock(clock_text(ticks, MICROS), MICROS) == ticks


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("1970-01-02", 1),
        (" 1970-1-2 ", 1),
        ("1970-02", 31),
        ("1971", 365),
        ("1970-01-02 junk", 1),
        ("+12024-01-01", 3_672_148),
    ],
)
def test_short_and_padded_dates_are_read(text: str, days: int) -> None:
    assert parse_date(text) == days


@pytest.mark.parametrize(
    "text", ["", "abc", "1970-13-01", "1970-02-30", "70-01-01", "1970/01/01", "1970-01-01x", "12345678901-01-01"]
)
def test_invalid_dates_give_none(text: str) -> None:
    assert parse_date(text) is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01 01:00:00Z", 3600),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1970-01-01 01:00:00 UTC", 3600),
        ("1970-01-01 01:00:00 GMT-0030", 5400),
        ("1970-01-01 01:00:00+5", -14_400),
        ("2024-07-01 12:00:00 Europe/Paris", 1_719_828_000),
        ("2024-01-01 12:00:00 Europe/Paris", 1_704_106_800),
    ],
)
def test_zones_bring_a_timestamp_to_utc(text: str, seconds: int) -> None:
    assert parse_timestamp(text, MICROS) == (seconds * MICROS, True)


@pytest.mark.parametrize(
    "text",
    [
        "1970-01-01 24:00:00",
        "1970-01-01 00:60:00",
        "1970-01-01 00:00:61",
        "1970-01-01 00:00:00 Nowhere/Town",
        "12:00:00",
    ],
)
def test_invalid_timestamps_give_none(text: str) -> None:
    assert parse_timestamp(text, MICROS) is None


def test_digits_finer_than_the_unit_are_cut_off() -> None:
    assert parse_timestamp("1970-01-01 00:00:00.123456789", 1_000) == (123, False)


def test_a_zone_is_ahead_by_what_its_clock_shows() -> None:
    assert zone_shift(1_719_835_200, "Europe/Paris") == 7200
    assert zone_shift(-99_999_999_999_999, "Europe/Paris") == zone_shift(-62_135_510_400, "Europe/Paris")


@pytest.mark.parametrize("name", ["", "Nowhere/Town", "../etc/passwd", "Europe"])
def test_unknown_zones_are_reported(name: str) -> None:
    assert not is_zone(name)
    with pytest.raises(KeyError):
        zone_shift(0, name)
