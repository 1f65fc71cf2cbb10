"""Times as people write them."""

from __future__ import annotations

import datetime
from datetime import UTC, timedelta, timezone
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import UsageError
from hudi_core.timeline.times import begins_instant, query_time, time_text

T = "20240402144910683"
EAST = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (T, T),
        (" 20240402144910 ", "20240402144910"),
        ("000", "000"),
        ("00000000000000010", "00000000000000010"),
        (f"{T}001", f"{T}001"),
        ("2024-04-02", "20240402000000000"),
        ("2024-04-02 14:49", "20240402144900000"),
        ("2024-04-02 14:49:10", "20240402144910000"),
        ("2024-04-02T14:49:10.6", "20240402144910600"),
        ("2024-04-02 14:49:10,6", "20240402144910600"),
        ("2024-04-02 14:49:10.683999", T),
    ],
)
def test_times_are_given_as_instant_or_date(text: str, expected: str) -> None:
    """TIME-5."""
    assert query_time(text, EAST) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-04-02T14:49:10Z", "20240402164910000"),
        ("2024-04-02 14:49:10 Z", "20240402164910000"),
        ("2024-04-02T14:49:10.683+00:00", "20240402164910683"),
        ("2024-04-02T23:49:10-0100", "20240403024910000"),
        ("2024-04-02T14:49:10+02", "20240402144910000"),
        ("1712069350", "20240402164910000"),
        ("1712069350683", "20240402164910683"),
    ],
)
def test_points_in_time_are_converted_to_the_zone_of_the_timeline(text: str, expected: str) -> None:
    """TIME-5."""
    assert query_time(text, EAST) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2024-04",
        "2024/04/02",
        "-1",
        "2024-13-02",
        "2024-04-02 25:00:00",
        "20241302144910",
    ],
)
def test_other_strings_are_no_time(text: str) -> None:
    with pytest.raises(UsageError, match="expected an instant"):
        query_time(text)


@given(st.text(max_size=30) | st.from_regex(r"[0-9:TZ .+-]{0,30}", fullmatch=True))
def test_any_string_is_digits_or_refused(text: str) -> None:
    try:
        found = query_time(text, UTC)
    except UsageError:
        return
    assert found.isdigit()


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_moment_is_the_same_however_it_is_written(moment: object) -> None:
    text = f"{moment:%Y}".rjust(4, "0") + f"{moment:-%m-%d %H:%M:%S.%f}"
    assert query_time(text, UTC) == query_time(f"{text}Z", UTC)


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        ("2024-04-02", "20240402000000000"),
        (datetime.date(2024, 4, 2), "20240402000000000"),
        (datetime.datetime(2024, 4, 2, 14, 49, 10, 683999), T),
        (datetime.datetime(2024, 4, 2, 12, 49, 10, 683000, UTC), T),
        (datetime.datetime(2024, 4, 2, 20, 19, 10, 683000, timezone(timedelta(hours=7, minutes=30))), T),
        (datetime.datetime(2024, 4, 2, 13, 6, 33, 683000, timezone(timedelta(minutes=17, seconds=23))), T),
        (pd.Timestamp("2024-04-02 14:49:10.683"), T),
        (pd.Timestamp("2024-04-02 12:49:10.683", tz="UTC"), T),
        (np.datetime64("2024-04-02"), "20240402000000000"),
        (np.datetime64("2024-04-02T14:49:10.683999001"), T),
        (int(T), T),
        (1712069350, "20240402164910000"),
    ],
)
def test_times_of_python_are_read_in_the_zone_of_the_timeline_unless_they_have_one(time: Any, expected: str) -> None:
    """TIME-5."""
    assert query_time(time_text(time), EAST) == expected


@pytest.mark.parametrize("time", [2.5, True, None, [T], datetime.time(1), pd.NaT, np.datetime64("NaT"), timedelta(1)])
def test_invalid_times_are_refused_with_their_type(time: Any) -> None:
    with pytest.raises(UsageError, match="expected a string, datetime or date, found"):
        time_text(time)


@pytest.mark.parametrize(("year", "hours"), [(1, 14), (9999, -14)])
def test_moments_that_utc_has_not_are_refused(year: int, hours: int) -> None:
    """TIME-1640."""
    zone = timezone(timedelta(hours=hours))
    moment = datetime.datetime(year, 1 if year == 1 else 12, 1 if year == 1 else 31, 12, tzinfo=zone)
    with pytest.raises(UsageError, match=r"^as_of: expected a time that UTC has from the year 1 to 9999, found"):
        time_text(moment, "as_of")


def test_the_first_ten_digits_of_an_instant_are_its_hour() -> None:
    """TIME-1297."""
    assert query_time("2026112707", UTC) == "2026112707"
    assert query_time("2099123123", UTC) == "2099123123"
    for no_hour, instant in [("2026132707", "20340316143827000"), ("1764229791", "20251127074951000")]:
        assert query_time(no_hour, UTC) == instant


def test_digits_that_begin_no_instant_are_told_apart() -> None:
    """TIME-1459."""
    for digits in (
        "0",
        "000",
        "2024",
        "202404",
        "20240402",
        "2024040214",
        "202404021449",
        T[:14],
        T[:15],
        T,
        f"{T}001",
    ):
        assert begins_instant(digits), digits
    for digits in (
        "3",
        "17",
        "202",
        "20241",
        "1234567",
        "202404021",
        "20241302",
        "2024040225",
        "202404022500",
        "1969",
        "9" * 30,
    ):
        assert not begins_instant(digits), digits
