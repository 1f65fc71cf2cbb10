"""Joda's patterns: printing and reading.

Also covers: `keys/joda_read.py`.
"""

from __future__ import annotations

import pytest

from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.keys.joda import parse_pattern, print_instant
from hudi_core.keys.joda_read import is_match, read_instant
from hudi_core.keys.zones import UTC, Zone, parse_zone

NEW_YORK = parse_zone("America/New_York", "")
AT = 1_709_248_323_045  # 2024-02-29T23:12:03.045Z


def shown(pattern: str, millis: int = AT, zone: Zone = UTC) -> str:
    return print_instant(millis, zone, parse_pattern(pattern, "option"))


def read(text: str, pattern: str, zone: Zone = UTC) -> str | None:
    found = read_instant(text, parse_pattern(pattern, "option"), zone, 2025)
    return None if found is None else print_instant(found.millis, UTC, parse_pattern("yyyy-MM-dd'T'HH:mm:ss.SSS", ""))


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("yyyy/MM/dd", "2024/02/29"),
        ("yy y yyyyyy", "24 2024 002024"),
        ("CC", "20"),
        ("M MM MMM MMMM", "2 02 Feb February"),
        ("D DDD", "60 060"),
        ("E EEEE e", "Thu Thursday 4"),
        ("xxxx-'W'ww-e", "2024-W09-4"),
        ("HH kk KK hh a", "23 23 11 11 PM"),
        ("mm:ss.S SSS SSSSS", "12:03.0 045 04500"),
        ("Z ZZ", "+0000 +00:00"),
        ("'at' ''yyyy''", "at '2024'"),
        ("yyyy.MM,dd|", "2024.02,29|"),
    ],
)
def test_letters_print(pattern: str, text: str) -> None:
    """KEY-19."""
    assert shown(pattern) == text


def test_midnight_is_hour_24_and_hour_12() -> None:
    assert shown("H k K h a", 0) == "0 24 0 12 AM"


def test_the_clock_of_the_zone_is_printed() -> None:
    assert shown("yyyy-MM-dd HHZZ", AT, NEW_YORK) == "2024-02-29 18-05:00"
    assert shown("yyyy-MM-dd HH:mm Z", AT, Zone(19_800)) == "2024-03-01 04:42 +0530"


def test_years_beyond_four_digits_have_no_plus_sign() -> None:
    assert shown("yyyy-MM-dd", 253_402_300_800_000) == "10000-01-01"
    assert shown("yyyy", -62_198_755_200_001) == "-0002"


@pytest.mark.parametrize("pattern", ["q", "yyyy'", "yyyy-MM-ddT", "", "''", "-"])
def test_invalid_patterns_are_refused(pattern: str) -> None:
    """KEY-19."""
    with pytest.raises(UsageError, match="option"):
        parse_pattern(pattern, "option")


@pytest.mark.parametrize("pattern", ["z", "ZZZ", "G"])
def test_names_of_zones_and_eras_are_not_known(pattern: str) -> None:
    """KEY-19."""
    with pytest.raises(UnsupportedError, match="names of zones and eras"):
        parse_pattern(pattern, "option")


@pytest.mark.parametrize(
    ("text", "pattern", "found"),
    [
        ("2024-2-9T1:2:3Z", "yyyy-MM-dd'T'HH:mm:ssZ", "2024-02-09T01:02:03.000"),
        ("2024-02-29T23:30:00.1+05:30", "yyyy-MM-dd't'HH:mm:ss.SSSZ", "2024-02-29T18:00:00.100"),
        ("20240229", "yyyyMMdd", "2024-02-29T00:00:00.000"),
        ("2024060", "yyyyDDD", "2024-02-29T00:00:00.000"),
        ("29/02/24", "dd/MM/yy", "2024-02-29T00:00:00.000"),
        ("01/01/45", "dd/MM/yy", "1945-01-01T00:00:00.000"),
        ("01/01/1999", "dd/MM/yy", "1999-01-01T00:00:00.000"),
        ("feb 29, 2024", "MMM dd, yyyy", "2024-02-29T00:00:00.000"),
        ("February 29", "MMM dd", "2000-02-29T00:00:00.000"),
        ("12 am", "hh a", "1970-01-01T00:00:00.000"),
        ("12 PM", "hh a", "1970-01-01T12:00:00.000"),
        ("24:05", "kk:mm", "1970-01-01T00:05:00.000"),
        ("2024-W09-4", "xxxx-'W'ww-e", "2024-02-29T00:00:00.000"),
        ("2020-W53", "xxxx-'W'ww", "2020-12-31T00:00:00.000"),
        ("Fri 2024-02-29", "EEE yyyy-MM-dd", "2024-03-01T00:00:00.000"),
        ("-1", "y", "-0001-01-01T00:00:00.000"),
    ],
)
def test_strings_are_read(text: str, pattern: str, found: str) -> None:
    """KEY-20, KEY-21."""
    assert read(text, pattern) == found


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("2024-02-30", "yyyy-MM-dd"),
        ("2024-13-01", "yyyy-MM-dd"),
        ("2023366", "yyyyDDD"),
        ("2021-W53", "xxxx-'W'ww"),
        ("13:00", "hh:mm"),
        ("24:00", "HH:mm"),
        ("00:30", "kk:mm"),
        ("25:30", "kk:mm"),
        ("00:60", "HH:mm"),
        ("20242", "yyyyMMdd"),
        ("202402291", "yyyyMMdd"),
        ("2024-02-29 ", "yyyy-MM-dd"),
        ("999999999", "y"),
        ("", "yyyy"),
    ],
)
def test_strings_that_do_not_match_the_pattern_are_none(text: str, pattern: str) -> None:
    assert read(text, pattern) is None


def test_a_number_takes_all_the_digits_it_may_have() -> None:
    """KEY-20."""
    assert not is_match("202412", parse_pattern("yyyyMMdd", ""))  # no digit is left for the day
    assert is_match("2024123", parse_pattern("yyyyMMdd", ""))


def test_skipped_local_times_are_invalid_and_of_two_equal_ones_the_first_is_meant() -> None:
    """KEY-21."""
    assert read("2024-03-10 02:30", "yyyy-MM-dd HH:mm", NEW_YORK) is None
    assert read("2024-11-03 01:30", "yyyy-MM-dd HH:mm", NEW_YORK) == "2024-11-03T05:30:00.000"
