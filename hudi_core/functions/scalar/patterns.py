"""Java's date patterns (`yyyy-MM-dd HH:mm:ss`): text of a point in time, and back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from hudi_core.errors import ExpressionError, UnsupportedError
from hudi_core.values.calendar import DAY_SECONDS, civil_from_days, days_from_civil

MICROS = 1_000_000
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December")  # fmt: skip
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_PIECE = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|([^A-Za-z'])")
_STEPS = {"S": 1, "s": MICROS, "m": 60 * MICROS, "H": 3600 * MICROS, "h": 3600 * MICROS, "a": 43_200 * MICROS}
_PARSED = {"y": r"(\d{4})", "M": r"(\d{2})", "d": r"(\d{2})", "H": r"(\d{2})", "m": r"(\d{2})", "s": r"(\d{2})"}


@dataclass(frozen=True, slots=True)
class DatePattern:
    """A pattern in pieces: (letter, width), or a text with width 0."""

    text: str
    pieces: tuple[tuple[str, int], ...]

    @property
    def step(self) -> int:
        """Microseconds within which the text never changes; all points in time with one quotient by it have one text."""
        return min(
            (_STEPS.get(letter, DAY_SECONDS * MICROS) for letter, width in self.pieces if width),
            default=DAY_SECONDS * MICROS,
        )


@lru_cache(maxsize=256)
def date_pattern(text: str) -> DatePattern:
    """Reads a pattern. Raises `ExpressionError` for a stray quote, `UnsupportedError` for a letter that is not known here."""
    pieces: list[tuple[str, int]] = []
    offset = 0
    while offset < len(text):
        match = _PIECE.match(text, offset)
        if match is None:
            raise ExpressionError(text, expected="a closing quote", found="the end of the date pattern")
        offset = match.end()
        if match[2]:
            if not _is_known(match[2], len(match[0])):
                raise UnsupportedError(text, message=f"`{match[0]}` in a date pattern is not supported")
            pieces.append((match[2], len(match[0])))
        else:
            pieces.append((match[3] or match[1].replace("''", "'") or "'", 0))
    return DatePattern(text, tuple(pieces))


def format_micros(micros: int, pattern: DatePattern) -> str:
    """The text of microseconds since 1970-01-01T00:00:00.

    >>> format_micros(0, date_pattern("yyyy/MM/dd'T'HH:mm:ss.SSS EEE"))
    '1970/01/01T00:00:00.000 Thu'
    """
    days, within = divmod(micros, DAY_SECONDS * MICROS)
    return "".join(_piece(letter, width, days, within) if width else letter for letter, width in pattern.pieces)


def parse_micros(text: str, pattern: DatePattern) -> int | None:
    """The microseconds a text stands for, absent parts at their start; None when it is not of the pattern.

    Raises `UnsupportedError` for patterns with other parts than full years and two-digit numbers.
    """
    match = _parser(pattern).fullmatch(text)
    if match is None:
        return None
    parts = {"y": 1970, "M": 1, "d": 1, "H": 0, "m": 0, "s": 0}
    letters = [letter for letter, width in pattern.pieces if width]
    fraction = 0
    for letter, digits in zip(letters, match.groups(), strict=True):
        if letter == "S":
            fraction = int(digits.ljust(6, "0")[:6])
        else:
            parts[letter] = int(digits)
    year, month, day, hour, minute, second = parts.values()
    if not (1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and second < 60):
        return None
    days = days_from_civil(year, month, day)
    if civil_from_days(days) != (year, month, day):
        return None
    return ((days * 24 + hour) * 3600 + minute * 60 + second) * MICROS + fraction


def _is_known(letter: str, width: int) -> bool:
    match letter:
        case "y":
            return True
        case "S":
            return width <= 9
        case "M" | "E":
            return width <= 4
        case "D":
            return width <= 3
        case "d" | "H" | "h" | "m" | "s":
            return width <= 2
        case _:
            return letter == "a" and width == 1


def _piece(letter: str, width: int, days: int, within: int) -> str:
    if letter in "yMd":
        year, month, day = civil_from_days(days)
        if letter == "y":
            return _year(year, width)
        if letter == "M" and width > 2:
            return _MONTHS[month - 1][: 3 if width == 3 else None]
        return f"{month if letter == 'M' else day:0{width}d}"
    match letter:
        case "E":
            return _WEEKDAYS[(days + 3) % 7][: 3 if width < 4 else None]
        case "D":
            return f"{days - days_from_civil(civil_from_days(days)[0], 1) + 1:0{width}d}"
        case "H":
            return f"{within // (3600 * MICROS):0{width}d}"
        case "h":
            return f"{(within // (3600 * MICROS) - 1) % 12 + 1:0{width}d}"
        case "a":
            return "PM" if within >= 12 * 3600 * MICROS else "AM"
        case "m":
            return f"{within // (60 * MICROS) % 60:0{width}d}"
        case "s":
            return f"{within // MICROS % 60:0{width}d}"
        case _:
            return f"{within % MICROS:06d}".ljust(9, "0")[:width]


def _year(year: int, width: int) -> str:
    if width == 2:
        return f"{year % 100:02d}"
    sign = "-" if year < 0 else "+" if width >= 4 and len(str(year)) > width else ""
    return f"{sign}{abs(year):0{width}d}"


@lru_cache(maxsize=256)
def _parser(pattern: DatePattern) -> re.Pattern[str]:
    parts = []
    for letter, width in pattern.pieces:
        if width == 0:
            parts.append(re.escape(letter))
        elif letter == "S":
            parts.append(rf"(\d{{1,{width}}})")
        elif letter in _PARSED and width == (4 if letter == "y" else 2):
            parts.append(_PARSED[letter])
        else:
            raise UnsupportedError(
                pattern.text, message=f"reading `{letter * width}` of a date pattern is not supported"
            )
    return re.compile("".join(parts), re.ASCII)
