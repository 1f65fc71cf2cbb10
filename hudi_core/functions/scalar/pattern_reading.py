"""Texts read by Java's date patterns: the point in time that a text stands for.

As Java does, each piece takes as much of the text as it can and gives nothing back: a number before others without anything
between leaves them as many digits as they have, and a part in brackets that does not match takes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from hudi_core.errors import UnsupportedError
from hudi_core.functions.scalar.patterns import CLOSING, MICROS, MONTHS, OPENING, DatePattern
from hudi_core.values.calendar import civil_from_days, days_from_civil
from hudi_core.values.domain import LONG_RANGE

_NUMBERS = frozenset("MLdDHhkKms")
_CANONICAL = {"L": "M"}
_LIMITS = {
    "M": (1, 12), "d": (1, 31), "D": (1, 366), "H": (0, 23), "h": (1, 12), "k": (1, 24), "K": (0, 11), "m": (0, 59),
    "s": (0, 59),
}  # fmt: skip
_OFFSETS = {
    ("X", 1): r"Z|[+-][0-9]{2}(?:[0-9]{2})?+", ("X", 2): r"Z|[+-][0-9]{4}", ("X", 3): r"Z|[+-][0-9]{2}:[0-9]{2}",
    ("x", 1): r"[+-][0-9]{2}(?:[0-9]{2})?+", ("x", 2): r"[+-][0-9]{4}", ("x", 3): r"[+-][0-9]{2}:[0-9]{2}",
    ("Z", 1): r"[+-][0-9]{4}", ("Z", 2): r"[+-][0-9]{4}", ("Z", 3): r"[+-][0-9]{4}",
}  # fmt: skip
_MAX_OFFSET = 18 * 3600


def check_reading(pattern: DatePattern) -> None:
    """Raises `UnsupportedError` for a pattern by which texts are not read here."""
    _reader(pattern)


def parse_micros(text: str, pattern: DatePattern) -> int | None:
    """The microseconds a text stands for, absent parts at their start; None when it is not of the pattern.

    Raises as `check_reading`.

    >>> from hudi_core.functions.scalar.patterns import date_pattern
    >>> parse_micros("1970-01-02", date_pattern("yyyy-MM-dd[ HH:mm]")), parse_micros("02 Jan 70", date_pattern("dd MMM yy"))
    (86400000000, 3155846400000000)
    """
    match = _reader(pattern).fullmatch(text)
    if match is None:
        return None
    parts: dict[str, int] = {}
    letters = [(letter, width) for letter, width in pattern.pieces if width > 0]
    for (letter, width), part in zip(letters, match.groups(), strict=True):
        if part is None:
            continue
        name = _CANONICAL.get(letter, letter)
        value = _value(name, width, part)
        if value is None or parts.setdefault(name, value) != value:
            return None
    days, within = _days(parts), _within_day(parts)
    if days is None or within is None:
        return None
    micros = days * 86_400 * MICROS + within - parts.get("X", 0) * MICROS
    return micros if LONG_RANGE[0] <= micros <= LONG_RANGE[1] else None


def _value(letter: str, width: int, part: str) -> int | None:
    match letter:
        case "S":
            return int(part[:6].ljust(6, "0"))
        case "y":
            return 2_000 + int(part) if width == 2 else int(part)
        case "M" if width > 2:
            return next(place for place, name in enumerate(MONTHS, 1) if name[:3].lower() == part[:3].lower())
        case "a":
            return int(part.lower() == "pm")
        case "X":
            return _offset(part)
        case _:
            least, most = _LIMITS[letter]
            return int(part) if least <= int(part) <= most else None


def _offset(part: str) -> int | None:
    digits = part.replace(":", "")[1:].ljust(4, "0")
    seconds = int(digits[:2]) * 3600 + int(digits[2:4]) * 60 if part not in "Zz" else 0
    if seconds > _MAX_OFFSET or int(digits[2:4]) > 59:
        return None
    return -seconds if part.startswith("-") else seconds


def _days(parts: dict[str, int]) -> int | None:
    """The day; the first of the month and of the year where they are absent, 1970 where the year is."""
    year, month, day = parts.get("y", 1970), parts.get("M", 1), parts.get("d", 1)
    days = days_from_civil(year, month, day)
    if civil_from_days(days) != (year, month, day):
        return None
    if "D" not in parts or "y" not in parts:
        return days
    by_number = days_from_civil(year, 1) + parts["D"] - 1
    civil = civil_from_days(by_number)
    same = civil[0] == year and civil[1] == parts.get("M", civil[1]) and civil[2] == parts.get("d", civil[2])
    return by_number if same else None


def _within_day(parts: dict[str, int]) -> int | None:
    """Microseconds since midnight; an hour of twelve without AM or PM is one of the morning."""
    half = parts.get("a")
    of_twelve = {parts[letter] % 12 for letter in "hK" if letter in parts}
    hours = {parts["H"]} if "H" in parts else set()
    if "k" in parts:
        hours.add(parts["k"] % 24)
    if half is not None:
        hours |= {hour + 12 * half for hour in of_twelve}
    if len(hours) > 1 or len(of_twelve) > 1 or (hours and of_twelve and {hour % 12 for hour in hours} != of_twelve):
        return None
    hour = next(iter(hours or of_twelve), 12 * (half or 0))
    if half is not None and hour // 12 != half:
        return None
    return ((hour * 60 + parts.get("m", 0)) * 60 + parts.get("s", 0)) * MICROS + parts.get("S", 0)


# ---- the pattern as a regular expression


@lru_cache(maxsize=256)
def _reader(pattern: DatePattern) -> re.Pattern[str]:
    pieces = pattern.pieces
    parts = [_part(pattern, place) for place in range(len(pieces))]
    return re.compile("".join(parts), re.IGNORECASE)


def _part(pattern: DatePattern, place: int) -> str:
    letter, width = pattern.pieces[place]
    if width == 0:
        return re.escape(letter)
    if width in (OPENING, CLOSING):
        return "(?:" if width == OPENING else ")?+"
    if letter == "S":
        return f"([0-9]{{1,{width}}}+)"
    if letter == "a":
        return "(AM|PM)"
    if letter in "ML" and width > 2:
        return f"({'|'.join(name[: 3 if width == 3 else None] for name in MONTHS)})"
    if letter == "y" or letter in _NUMBERS:
        return f"({_number(letter, width, _digits_behind(pattern.pieces, place))})"
    if (letter, width) in _OFFSETS:
        return f"({_OFFSETS[letter, width]})"
    raise UnsupportedError(pattern.text, message=f"reading `{letter * width}` of a date pattern is not supported")


def _number(letter: str, width: int, behind: int) -> str:
    """A number with a sign where Java takes one, which leaves so many digits to those behind it."""
    stop = f"(?=[0-9]{{{behind}}}(?![0-9]))" if behind else "(?![0-9])"
    if letter == "y" and width >= 4:
        long = f"[0-9]{{{width + 1},19}}{stop}"
        return f"[0-9]{{{width}}}{stop}|\\+{long}|-(?!0+(?![0-9]))[0-9]{{{width},19}}{stop}"
    if _is_fixed(letter, width):
        return f"[0-9]{{{width}}}"
    sign = "-?" if letter == "y" else ""
    most = 3 if letter == "D" and width == 2 else 19
    return f"{sign}(?:[0-9]{{{width},{most}}}{stop})" if behind else f"{sign}[0-9]{{{width},{most}}}+"


def _is_fixed(letter: str, width: int) -> bool:
    return (width == 2 and letter != "D") or (letter == "D" and width == 3)


def _digits_behind(pieces: Sequence[tuple[str, int]], place: int) -> int:
    """The digits of the numbers of a fixed length that are behind a piece without anything between; 0 where another follows."""
    digits = 0
    for letter, width in pieces[place + 1 :]:
        if width <= 0 or not (letter == "y" or letter in _NUMBERS) or (letter in "ML" and width > 2):
            break
        if not _is_fixed(letter, width):
            return 0
        digits += width
    return digits
