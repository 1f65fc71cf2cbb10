"""The proleptic Gregorian calendar on integers, for every year a 32-bit date or a 64-bit timestamp can hold."""

from __future__ import annotations

import datetime
import re
import zoneinfo
from functools import lru_cache
from typing import TypeVar

from hudi_core.arrays import Numbers

DAY_SECONDS = 86_400

FIRST_DAY = -141_427
"""1582-10-15, the first day that this calendar and the Julian one, with which it began, count alike."""
FIRST_NEW_DAY = -25_567
"""1900-01-01: from then on files of Spark count instants alike too. Rule FORMAT-1571."""
FIRST_YEAR = -719_164
"""The first day of the year 1 in the Julian calendar."""
MOST_BACK, MOST_AHEAD = 11, 3
"""How many days a value of the Julian calendar moves at most, to the past and, since the year 1, to the future, with a day for a
zone."""

_FIRST, _LAST = -62_135_510_400, 253_402_214_400  # a day within the years 1 and 9999
_CYCLE = 146_097 * DAY_SECONDS
"""The seconds of 400 years."""
_ERA_DAYS = 146_097  # 400 years
_SHIFT = 719_468  # days from 0000-03-01, where an era begins, to 1970-01-01
_TEXT = re.compile(
    r"([+-]?\d{4,7})(?:-(\d{1,2})(?:-(\d{1,2})"
    r"(?:[ T](\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?\s*([A-Za-z+-].*)?)?)?)?)?)?",
    re.ASCII,
)
_YEAR_DIGITS = 6
"""Digits of the year of a timestamp, at most; a date has one more."""
_OFFSET = re.compile(r"(?:UTC|GMT|UT)?(?:([+-])(\d{1,2})(?:(?::?(\d{2})|:(\d))(?::?(\d{2}))?)?)", re.ASCII)
_MAX_OFFSET = 18 * 3600
_SHORT_ZONES = {
    "MST": "-07:00", "HST": "-10:00", "ACT": "Australia/Darwin", "AET": "Australia/Sydney",
    "AGT": "America/Argentina/Buenos_Aires", "ART": "Africa/Cairo", "AST": "America/Anchorage", "BET": "America/Sao_Paulo",
    "BST": "Asia/Dhaka", "CAT": "Africa/Harare", "CNT": "America/St_Johns", "CST": "America/Chicago", "CTT": "Asia/Shanghai",
    "EAT": "Africa/Addis_Ababa", "ECT": "Europe/Paris", "EST": "-05:00", "IET": "America/Indiana/Indianapolis",
    "IST": "Asia/Kolkata", "JST": "Asia/Tokyo", "MIT": "Pacific/Apia", "NET": "Asia/Yerevan", "NST": "Pacific/Auckland",
    "PLT": "Asia/Karachi", "PNT": "America/Phoenix", "PRT": "America/Puerto_Rico", "PST": "America/Los_Angeles",
    "SST": "Pacific/Guadalcanal", "VST": "Asia/Ho_Chi_Minh",
}  # fmt: skip
"""Java's short names of zones."""
_NOT_JAVAS = re.compile(r"(?:posix|right)/.*|ROC|Factory|localtime|posixrules")
"""Zones that Python may know and Java does not."""
BLANKS = "".join(map(chr, range(33))) + "\x7f"
"""What Spark passes over at the ends of a string that is cast: control characters and the blank, no other blank of Unicode."""


Whole = TypeVar("Whole", int, Numbers)
"""A whole number, or an array of 64-bit ones: the calendar is reckoned alike of both."""


def days_from_civil(year: Whole, month: Whole | int, day: Whole | int = 1) -> Whole:
    """Days since 1970-01-01 of a calendar date; the parts are taken as valid."""
    late = month > 2
    year = year - (1 - late * 1)
    era = year // 400
    year_of_era = year - era * 400
    day_of_year = (153 * (month + 9 - 12 * late) + 2) // 5 + day - 1
    days: Whole = era * _ERA_DAYS + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - _SHIFT
    return days


def civil_from_days(days: Whole) -> tuple[Whole, Whole, Whole]:
    """Year, month and day of a number of days since 1970-01-01."""
    era = (days + _SHIFT) // _ERA_DAYS
    day_of_era = days + _SHIFT - era * _ERA_DAYS
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    month = shifted + 3 - 12 * (shifted >= 10)
    return year_of_era + era * 400 + (month <= 2), month, day_of_year - (153 * shifted + 2) // 5 + 1


def date_text(days: int) -> str:
    """ISO text; a year beyond four digits has a sign.

    >>> date_text(0), date_text(2932897), date_text(-719529)
    ('1970-01-01', '+10000-01-01', '-0001-12-31')
    """
    year, month, day = civil_from_days(days)
    sign = "+" if year > 9999 else "-" if year < 0 else ""
    return f"{sign}{abs(year):04d}-{month:02d}-{day:02d}"


def clock_text(ticks: int, per_second: int, digits: int | None = None) -> str:
    """`HH:MM:SS` and the fraction of a second: with `digits` digits, or as many as it needs.

    >>> clock_text(3_600_500_000, 1_000_000), clock_text(1, 1_000, 6)
    ('01:00:00.5', '00:00:00.001000')
    """
    seconds, fraction = divmod(ticks, per_second)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    width = len(str(per_second)) - 1
    shown = f"{fraction:0{width}d}"
    shown = shown.rstrip("0") if digits is None else shown.ljust(digits, "0")
    return f"{text}.{shown}" if shown else text


def timestamp_text(ticks: int, per_second: int, *, separator: str = " ", digits: int | None = None) -> str:
    """Date and clock time of ticks since 1970-01-01T00:00:00."""
    days, within = divmod(ticks, DAY_SECONDS * per_second)
    return f"{date_text(days)}{separator}{clock_text(within, per_second, digits)}"


def parse_date(text: str) -> int | None:
    """Days of `[+-]YYYY[-M[-D]]`; None when it is no date.

    As in Spark's cast anything may follow a blank or `T` behind the day, and nothing a year or a month.

    >>> parse_date("1970-01-02 noon"), parse_date("1970-01"), parse_date("1970-01 02")
    (1, 0, None)
    """
    text = text.strip(BLANKS)
    head = re.split("[ T]", text, maxsplit=1)[0]
    match = _TEXT.fullmatch(head)
    return _days(match) if match and (match[3] or len(head) == len(text)) else None


def parse_timestamp(text: str, per_second: int, *, zoned: bool = True) -> tuple[int, bool] | None:
    """Ticks of a date and clock time, and whether a zone was given (the ticks are then UTC's).

    Zones are `Z`, `UTC`, `GMT`, offsets and the names of regions (`Europe/Paris`); finer fractions than the unit are cut
    off. A zone is passed over unless `zoned`. None when it is no timestamp.
    """
    match = _TEXT.fullmatch(text.strip(BLANKS))
    days = _days(match) if match and len(match[1].lstrip("+-")) <= _YEAR_DIGITS else None
    if match is None or days is None:
        return None
    hour, minute, second = (int(part or 0) for part in match.group(4, 5, 6))
    if hour > 23 or minute > 59 or second > 59:
        return None
    seconds = days * DAY_SECONDS + hour * 3600 + minute * 60 + second
    zone = (match[8] or "").strip()
    if zone and not is_zone(zone):
        return None
    if zone and zoned:
        seconds -= zone_shift(seconds, zone)
    width = len(str(per_second)) - 1
    return seconds * per_second + int((match[7] or "")[:width].ljust(width, "0") or 0), bool(zone) and zoned


def parse_clock(text: str, per_second: int) -> int | None:
    """Ticks since midnight of `HH:MM[:SS[.f]]`; None when it is no time of day."""
    moment = parse_timestamp(f"1970-01-01 {text.strip()}", per_second) if ":" in text else None
    return moment[0] if moment and not moment[1] else None


def is_zone(name: str) -> bool:
    """Whether a time zone of this name is known: a region, an offset, or one of Java's short names."""
    return _zone(name) is not None


def is_region(name: str) -> bool:
    """Whether a region of this name is known."""
    return _region(name) is not None


def zone_shift(seconds: int, name: str) -> int:
    """By how many seconds a wall clock in a zone is ahead of UTC when it shows `seconds` since 1970-01-01T00:00:00.

    A time that the clock skips counts as if it had not been put forward; of one that it shows twice the first is meant.
    Raises `KeyError` for a zone that is not known.
    """
    zone = _zone(name)
    if zone is None:
        raise KeyError(name)
    clock = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=_within_years(seconds))
    shift = clock.replace(tzinfo=zone).utcoffset()
    return int(shift.total_seconds()) if shift is not None else 0


def zone_offset(seconds: int, name: str) -> int:
    """By how many seconds a wall clock in a zone is ahead of UTC at the point in time `seconds` after 1970-01-01T00:00:00 in UTC.

    Raises `KeyError` for a zone that is not known.
    """
    zone = _zone(name)
    if zone is None:
        raise KeyError(name)
    moment = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    moment += datetime.timedelta(seconds=_within_years(seconds))
    shift = moment.astimezone(zone).utcoffset()
    return int(shift.total_seconds()) if shift is not None else 0


def _within_years(seconds: int) -> int:
    """A moment within the years 1 to 9999 at which all zones have the shift of this one.

    The calendar repeats after 400 years, its weekdays too, and so do rules that hold for ever; before the year 1 there were none.
    """
    beyond = -(-max(seconds - _LAST, 0) // _CYCLE)
    return max(seconds - beyond * _CYCLE, _FIRST)


@lru_cache(maxsize=4_096)
def _zone(name: str) -> datetime.tzinfo | None:
    name = _SHORT_ZONES.get(name, name)
    if name in ("Z", "UTC", "GMT", "UT"):
        return datetime.UTC
    seconds = _offset_seconds(name)
    if seconds is not None:
        return datetime.timezone(datetime.timedelta(seconds=seconds))
    return None if _NOT_JAVAS.fullmatch(name) else _region(name)


@lru_cache(maxsize=4_096)
def _region(name: str) -> zoneinfo.ZoneInfo | None:
    try:
        return zoneinfo.ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # not there, no name of a zone, or a folder of them
        return None


def _days(match: re.Match[str]) -> int | None:
    year, month, day = int(match[1]), int(match[2] or 1), int(match[3] or 1)
    if not 1 <= month <= 12 or day < 1:
        return None
    days = days_from_civil(year, month, day)
    return days if civil_from_days(days) == (year, month, day) else None


def _offset_seconds(zone: str) -> int | None:
    """The seconds of `+1`, `+01`, `+0130`, `+01:30`, `+01:30:15`, up to 18 hours; None for what is no offset."""
    match = _OFFSET.fullmatch(zone)
    if match is None:
        return None
    hours, minutes, seconds = int(match[2]), int(match[3] or match[4] or 0), int(match[5] or 0)
    total = hours * 3600 + minutes * 60 + seconds
    if minutes > 59 or seconds > 59 or total > _MAX_OFFSET:
        return None
    return -total if match[1] == "-" else total
