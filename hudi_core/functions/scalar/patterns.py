"""Java's date patterns (`yyyy-MM-dd HH:mm:ss[.SSS]`) taken apart, and the text of a point in time.

What reads such a text is `pattern_reading`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from hudi_core.errors import ExpressionError, UnsupportedError
from hudi_core.values.calendar import DAY_SECONDS, civil_from_days, days_from_civil

MICROS = 1_000_000
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December")  # fmt: skip
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_PIECE = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|([^A-Za-z'])")
_STEPS = {"S": 1, "s": MICROS, "m": 60 * MICROS, "H": 3600 * MICROS, "a": 43_200 * MICROS} | dict.fromkeys(
    "hkK", 3600 * MICROS
)
_OFFSETS = {
    **dict.fromkeys([("X", 1), ("X", 2), ("X", 3), ("X", 4), ("X", 5), ("Z", 5)], "Z"),
    ("x", 1): "+00",
    ("x", 2): "+0000",
    ("x", 3): "+00:00",
    ("x", 4): "+0000",
    ("x", 5): "+00:00",
    ("Z", 1): "+0000",
    ("Z", 2): "+0000",
    ("Z", 3): "+0000",
    ("Z", 4): "GMT",
    ("O", 1): "GMT",
    ("O", 4): "GMT",
    ("z", 1): "UTC",
    ("z", 2): "UTC",
    ("z", 3): "UTC",
    ("V", 2): "UTC",
}
"""The texts of UTC."""
_RESERVED = frozenset("{}#")
OPENING, CLOSING = -1, -2
"""Widths of the pieces `[` and `]`."""


@dataclass(frozen=True, slots=True)
class DatePattern:
    """A pattern in pieces: (letter, width), a text with width 0, or the beginning and the end of a part that may be missing."""

    text: str
    pieces: tuple[tuple[str, int], ...]

    @property
    def step(self) -> int:
        """Microseconds within which the text never changes; all points in time with one quotient by it have one text."""
        return min(
            (_STEPS.get(letter, DAY_SECONDS * MICROS) for letter, width in self.pieces if width > 0),
            default=DAY_SECONDS * MICROS,
        )


@lru_cache(maxsize=256)
def date_pattern(text: str) -> DatePattern:
    """Reads a pattern. Raises `ExpressionError` for what is none, `UnsupportedError` for a letter that is not known here."""
    pieces: list[tuple[str, int]] = []
    offset = depth = 0
    while offset < len(text):
        match = _PIECE.match(text, offset)
        if match is None:
            raise ExpressionError(text, expected="a closing quote", found="the end of the date pattern")
        offset = match.end()
        if match[2]:
            if not _is_known(match[2], len(match[0])):
                raise UnsupportedError(text, message=f"`{match[0]}` in a date pattern is not supported")
            pieces.append((match[2], len(match[0])))
        elif match[3] in ("[", "]"):
            depth += 1 if match[3] == "[" else -1
            if depth < 0:
                raise ExpressionError(text, expected="a date pattern with `[` before each `]`", found="`]`")
            pieces.append((match[3], OPENING if match[3] == "[" else CLOSING))
        elif match[3] in _RESERVED:
            raise ExpressionError(text, expected="a date pattern", found=f"`{match[3]}`, which Java reserves")
        else:
            pieces.append((match[3] or match[1].replace("''", "'") or "'", 0))
    pieces += [("]", CLOSING)] * depth
    return DatePattern(text, tuple(pieces))


def format_micros(micros: int, pattern: DatePattern) -> str:
    """The text of microseconds since 1970-01-01T00:00:00.

    >>> format_micros(0, date_pattern("yyyy/MM/dd'T'HH:mm:ss.SSS EEE"))
    '1970/01/01T00:00:00.000 Thu'
    """
    days, within = divmod(micros, DAY_SECONDS * MICROS)
    return "".join(
        _piece(letter, width, days, within) if width else letter for letter, width in pattern.pieces if width >= 0
    )


def _is_known(letter: str, width: int) -> bool:
    match letter:
        case "y":
            return width <= 6
        case "S":
            return width <= 9
        case "M" | "E" | "L" | "Q" | "q":
            return width <= 4
        case "D":
            return width <= 3
        case "d" | "H" | "h" | "k" | "K" | "m" | "s":
            return width <= 2
        case "a":
            return width == 1
        case _:
            return (letter, width) in _OFFSETS


def _piece(letter: str, width: int, days: int, within: int) -> str:
    if letter in "yMLdQq":
        year, month, day = civil_from_days(days)
        if letter == "y":
            return _year(year, width)
        if letter in "Qq":
            return _quarter((month + 2) // 3, width)
        if letter in "ML" and width > 2:
            return MONTHS[month - 1][: 3 if width == 3 else None]
        return f"{day if letter == 'd' else month:0{width}d}"
    match letter:
        case "E":
            return _WEEKDAYS[(days + 3) % 7][: 3 if width < 4 else None]
        case "D":
            return f"{days - days_from_civil(civil_from_days(days)[0], 1) + 1:0{width}d}"
        case "H":
            return f"{within // (3600 * MICROS):0{width}d}"
        case "h":
            return f"{(within // (3600 * MICROS) - 1) % 12 + 1:0{width}d}"
        case "k":
            return f"{(within // (3600 * MICROS) - 1) % 24 + 1:0{width}d}"
        case "K":
            return f"{within // (3600 * MICROS) % 12:0{width}d}"
        case "a":
            return "PM" if within >= 12 * 3600 * MICROS else "AM"
        case "m":
            return f"{within // (60 * MICROS) % 60:0{width}d}"
        case "s":
            return f"{within // MICROS % 60:0{width}d}"
        case "S":
            return f"{within % MICROS:06d}".ljust(9, "0")[:width]
        case _:
            return _OFFSETS[letter, width]


def _year(year: int, width: int) -> str:
    if width == 2:
        return f"{abs(year) % 100:02d}"
    sign = "-" if year < 0 else "+" if width >= 4 and len(str(year)) > width else ""
    return f"{sign}{abs(year):0{width}d}"


def _quarter(number: int, width: int) -> str:
    if width <= 2:
        return f"{number:0{width}d}"
    return f"Q{number}" if width == 3 else f"{number}{('st', 'nd', 'rd', 'th')[number - 1]} quarter"
