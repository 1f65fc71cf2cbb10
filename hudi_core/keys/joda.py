"""Joda's date patterns, which Hudi's timestamp options are written in, and the string of an instant.

Not Java's of `functions/scalar/patterns.py`: years have no plus sign, and `x w e` are weeks. Rule KEY-19. Read: `joda_read.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.keys.zones import Zone
from hudi_core.values.calendar import DAY_SECONDS, civil_from_days, days_from_civil

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December")  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_PIECE = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|([^A-Za-z'])")
_LETTERS = "CxwyYMdDEeaKhHkmsSZ"
_SECONDS = {"a": 43_200, "K": 3600, "h": 3600, "H": 3600, "k": 3600, "m": 60, "Z": 60, "s": 1, "S": 0}
"""How long a string with a letter as its finest stays the same; the others are of days."""


@dataclass(frozen=True, slots=True)
class JodaPattern:
    """A pattern in pieces: (letter, width), or a string with width 0."""

    text: str
    pieces: tuple[tuple[str, int], ...]

    @property
    def parts(self) -> tuple[tuple[str, int], ...]:
        """The pieces without strings."""
        return tuple(piece for piece in self.pieces if piece[1])

    @property
    def step(self) -> int:
        """Seconds of a clock within which the string never changes; 0 when it has fractions of a second."""
        return min(_SECONDS.get(letter, DAY_SECONDS) for letter, _ in self.parts)


@lru_cache(maxsize=256)
def parse_pattern(text: str, option: str) -> JodaPattern:
    """Reads a pattern. Raises `UsageError` with the option for letters that are none, `UnsupportedError` for names of zones."""
    pieces: list[tuple[str, int]] = []
    position = 0
    while position < len(text):
        match = _PIECE.match(text, position)
        if match is None:
            raise UsageError(option, expected="a closing quote", found=repr(text))
        position = match.end()
        if not match[2]:
            pieces.append((match[3] or match[1].replace("''", "'") or "'", 0))
            continue
        letter, width = match[2], len(match[0])
        if letter in "zG" or (letter == "Z" and width > 2):
            raise UnsupportedError(option, message=f"`{match[0]}` in the pattern {text!r}: names of zones and eras")
        if letter in _LETTERS:
            pieces.append((letter, width))
            continue
        raise UsageError(option, expected="letters of a date pattern", found=f"`{match[0]}` in {text!r}")
    pattern = JodaPattern(text, tuple(pieces))
    if not pattern.parts:
        raise UsageError(option, expected="a date pattern", found=repr(text))
    return pattern


def print_instant(millis: int, zone: Zone, pattern: JodaPattern) -> str:
    """The string of milliseconds since 1970-01-01T00:00:00Z on a zone's clock.

    >>> print_instant(1_700_000_000_123, Zone(3600), parse_pattern("yyyy/MM/dd HH:mm:ss.SSSZZ EEE", ""))
    '2023/11/14 23:13:20.123+01:00 Tue'
    """
    ahead = zone.ahead(millis // 1000)
    days, within = divmod(millis + ahead * 1000, DAY_SECONDS * 1000)
    return "".join(_print(letter, width, days, within, ahead) if width else letter for letter, width in pattern.pieces)


def _print(letter: str, width: int, days: int, within: int, ahead: int) -> str:
    seconds = within // 1000
    match letter:
        case "x" | "w":
            year, week = week_of(days)
            return _year(year, width) if letter == "x" else f"{week:0{width}d}"
        case "e":
            return f"{(days + 3) % 7 + 1:0{width}d}"
        case "E":
            return WEEKDAYS[(days + 3) % 7][: 3 if width < 4 else None]
        case "a":
            return "PM" if seconds >= 43_200 else "AM"
        case "K" | "h" | "H" | "k":
            return f"{_hour(letter, seconds // 3600):0{width}d}"
        case "m":
            return f"{seconds // 60 % 60:0{width}d}"
        case "s":
            return f"{seconds % 60:0{width}d}"
        case "S":
            return f"{within % 1000:03d}".ljust(width, "0")[:width]
        case "Z":
            sign, minutes = "-" if ahead < 0 else "+", abs(ahead) // 60
            return f"{sign}{minutes // 60:02d}{':' if width == 2 else ''}{minutes % 60:02d}"
    year, month, day = civil_from_days(days)
    match letter:
        case "y" | "Y":
            return _year(year, width)
        case "C":
            return f"{year // 100:0{width}d}"
        case "M":
            return f"{month:0{width}d}" if width < 3 else MONTHS[month - 1][: 3 if width == 3 else None]
        case "d":
            return f"{day:0{width}d}"
        case _:
            return f"{days - days_from_civil(year, 1) + 1:0{width}d}"


def _year(year: int, width: int) -> str:
    return f"{year % 100:02d}" if width == 2 else f"{'-' if year < 0 else ''}{abs(year):0{width}d}"


def _hour(letter: str, hour: int) -> int:
    match letter:
        case "H":
            return hour
        case "k":
            return hour or 24
        case "K":
            return hour % 12
        case _:
            return hour % 12 or 12


def week_of(days: int) -> tuple[int, int]:
    """Year and number of the week of Monday to Sunday with most days in it."""
    thursday = days - (days + 3) % 7 + 3
    year = civil_from_days(thursday)[0]
    return year, (thursday - days_from_civil(year, 1)) // 7 + 1
