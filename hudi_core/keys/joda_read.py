"""Reading texts of Joda's date patterns. Rules KEY-20 and KEY-21."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from hudi_core.keys.joda import MONTHS, WEEKDAYS, JodaPattern, week_of
from hudi_core.keys.zones import Zone
from hudi_core.values.calendar import civil_from_days, days_from_civil

_DIGITS = {"C": 9, "D": 3, "e": 1}
"""Digits that are read of a number at most, where it is not 2."""
_DEFAULT_YEAR = 2000
"""The year of a string that has a month or day but no year."""
_LAST_YEAR = 292_000_000
"""Beyond it Joda's milliseconds end."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A point in time read from a string: milliseconds since 1970-01-01T00:00:00Z, and the zone of its clock."""

    millis: int
    zone: Zone


def read_instant(text: str, pattern: JodaPattern, zone: Zone, this_year: int) -> Parsed | None:
    """The point in time in a string, None when there is none; the zone's clock is meant where the string has no offset.

    `this_year` decides the century of years with two digits: from 80 years before to 19 after.
    """
    match = _reader(pattern).fullmatch(text)
    if match is None:
        return None
    widths = dict(pattern.parts)
    parts = dict(zip((letter for letter, _ in pattern.parts), match.groups(), strict=True))
    seconds = _clock_seconds(parts, widths, this_year)
    if seconds is None:
        return None
    if "Z" in parts:
        own = Zone(_offset(parts["Z"]))
        return Parsed((seconds - own.offset) * 1000 + _millis(parts), own)
    instant = zone.instant(seconds)
    return None if instant is None else Parsed(instant * 1000 + _millis(parts), zone)


def is_match(text: str, pattern: JodaPattern) -> bool:
    """Whether the string has the pattern's form, whatever its numbers are."""
    return _reader(pattern).fullmatch(text) is not None


@lru_cache(maxsize=256)
def _reader(pattern: JodaPattern) -> re.Pattern[str]:
    """Takes as many digits as a number may have and never gives one back, as Joda reads."""
    parts = []
    for index, (letter, width) in enumerate(pattern.pieces):
        following = pattern.pieces[index + 1] if index + 1 < len(pattern.pieces) else ("", 0)
        digits_follow = following[1] > 0 and _is_number(*following)
        if width == 0:
            parts.append(re.escape(letter))
        elif letter in "xyY" and width == 2:
            parts.append(r"(\d{2})" if digits_follow else r"([+-]?\d++)")
        elif letter in "xyY":
            parts.append(rf"([+-]?\d{{1,{width if digits_follow else 9}}}+)")
        elif letter == "M" and width > 2:
            parts.append(_names(MONTHS))
        elif letter == "E":
            parts.append(_names(WEEKDAYS))
        elif letter == "a":
            parts.append("(AM|PM)")
        elif letter == "Z":
            parts.append(r"(Z|[+-]\d{2}(?::?\d{2}(?::?\d{2})?)?)")
        elif letter == "S":
            parts.append(rf"(\d{{1,{width}}}+)")
        else:
            parts.append(rf"(\d{{1,{max(_DIGITS.get(letter, 2), width)}}}+)")
    return re.compile("".join(parts), re.ASCII | re.IGNORECASE)


def _is_number(letter: str, width: int) -> bool:
    return letter not in "EaZ" and not (letter == "M" and width > 2)


def _names(names: tuple[str, ...]) -> str:
    return f"({'|'.join([*names, *(name[:3] for name in names)])})"


def _clock_seconds(parts: Mapping[str, str], widths: Mapping[str, int], this_year: int) -> int | None:
    days, hour = _days(parts, widths, this_year), _hours(parts)
    minute, second = int(parts.get("m", 0)), int(parts.get("s", 0))
    if days is None or hour is None or minute > 59 or second > 59:
        return None
    return ((days * 24 + hour) * 60 + minute) * 60 + second


def _days(parts: Mapping[str, str], widths: Mapping[str, int], this_year: int) -> int | None:
    if parts.keys() & {"x", "w"}:
        days = _days_of_week(parts, widths, this_year)
    else:
        letter = "y" if "y" in parts else "Y"
        dated = parts.keys() & {"M", "d", "D", "e", "E"}
        year = _DEFAULT_YEAR if dated else 1970
        if letter in parts:
            year = _read_year(parts[letter], widths[letter], this_year)
        if abs(year) > _LAST_YEAR:
            return None
        if "C" in parts:
            year = int(parts["C"]) * 100 + year % 100
        days = _day_of_year(year, int(parts["D"])) if "D" in parts else _day_of_month(year, parts)
    if days is None or not parts.keys() & {"e", "E"}:
        return days
    weekday = int(parts["e"]) if "e" in parts else _number(parts["E"], WEEKDAYS)
    return days - (days + 3) % 7 + weekday - 1 if 1 <= weekday <= 7 else None


def _days_of_week(parts: Mapping[str, str], widths: Mapping[str, int], this_year: int) -> int | None:
    year = _read_year(parts["x"], widths["x"], this_year) if "x" in parts else 1970
    if abs(year) > _LAST_YEAR:
        return None
    fourth = days_from_civil(year, 1, 4)
    thursday = fourth - (fourth + 3) % 7 + 3 + (int(parts.get("w", 1)) - 1) * 7
    return thursday if week_of(thursday)[0] == year else None


def _day_of_year(year: int, day: int) -> int | None:
    first = days_from_civil(year, 1)
    return first + day - 1 if 1 <= day <= days_from_civil(year + 1, 1) - first else None


def _day_of_month(year: int, parts: Mapping[str, str]) -> int | None:
    month_field, day = parts.get("M", "1"), int(parts.get("d", 1))
    month = int(month_field) if month_field.isdigit() else _number(month_field, MONTHS)
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    days = days_from_civil(year, month, day)
    return days if civil_from_days(days) == (year, month, day) else None


def _read_year(digits: str, width: int, this_year: int) -> int:
    year = int(digits)
    if width != 2 or len(digits) != 2 or not digits.isdigit():
        return year
    first_year = this_year - 80
    return first_year + (year - first_year) % 100


def _hours(parts: Mapping[str, str]) -> int | None:
    spans: Mapping[str, tuple[range, Callable[[int], int]]] = {
        "H": (range(24), lambda hour: hour),
        "k": (range(1, 25), lambda hour: hour % 24),
        "K": (range(12), lambda hour: hour),
        "h": (range(1, 13), lambda hour: hour % 12),
    }
    afternoon = 12 if parts.get("a", "").upper() == "PM" else 0
    for letter, (span, hour) in spans.items():
        if letter in parts:
            value = int(parts[letter])
            hour_of_day = hour(value) + (afternoon if letter in "Kh" else 0)
            return hour_of_day if value in span else None
    return afternoon


def _millis(parts: Mapping[str, str]) -> int:
    return int(parts.get("S", "0").ljust(3, "0")[:3])


def _offset(offset: str) -> int:
    if offset.upper() == "Z":
        return 0
    padded = offset[1:].replace(":", "").ljust(6, "0")
    seconds = int(padded[:2]) * 3600 + int(padded[2:4]) * 60 + int(padded[4:])
    return -seconds if offset[0] == "-" else seconds


def _number(written: str, names: tuple[str, ...]) -> int:
    """The number of a month or weekday, from 1, by the first three letters of its name."""
    return next(number for number, name in enumerate(names, 1) if name[:3].lower() == written[:3].lower())
