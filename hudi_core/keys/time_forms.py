"""Whether a stored partition path has the form that a key generator gives times: a path of another form shows that its rows got
it by other options. Rule KEY-1567."""

from __future__ import annotations

from typing import Final

from hudi_core.keys.generator import Generator, PathPart, TimePart
from hudi_core.keys.joda import JodaPattern, print_instant
from hudi_core.keys.joda_read import is_match, read_instant
from hudi_core.keys.path_values import unescape
from hudi_core.keys.zones import UTC

_PLAIN: Final = frozenset("yMdHmsS")
"""Letters of patterns of which a string that was printed is printed again from what is read of it."""


def can_make(path: str, generator: Generator) -> bool:
    """Whether the generator may make a partition path, by its times: false for one that it never makes."""
    segments = path.split("/")
    widths = [_count_segments(part, generator) for part in generator.parts]
    if len(segments) < sum(widths):
        return False
    if len(segments) > sum(widths):  # values may have slashes of their own: then nobody knows where the time is
        return not _is_fixed(generator)
    first = 0
    for part, width in zip(generator.parts, widths, strict=True):
        if isinstance(part, TimePart) and not _is_time("/".join(segments[first : first + width]), part, generator):
            return False
        first += width
    return True


def _count_segments(part: PathPart, generator: Generator) -> int:
    """How many folders a part makes, at least."""
    if not isinstance(part, TimePart) or generator.style.escaped:
        return 1
    return 1 + sum(text.count("/") for text, width in part.clock.output.pieces if width == 0)


def _is_fixed(generator: Generator) -> bool:
    """Whether all paths have as many folders."""
    return all(isinstance(part, TimePart) for part in generator.parts) or (
        generator.style.escaped and not generator.style.slashes
    )


def _is_time(text: str, part: TimePart, generator: Generator) -> bool:
    if generator.style.hive:
        name, sign, text = text.partition("=")
        if not sign or name != part.field:
            return False
    return _is_printed(unescape(text) if generator.style.escaped else text, part)


def _is_printed(text: str, part: TimePart) -> bool:
    """Whether a string is one that the clock of a part may print."""
    pattern = part.clock.output
    if not is_match(text, pattern):
        return False
    return not _is_plain(pattern) or _is_printed_again(text, pattern, part.clock.this_year)


def _is_plain(pattern: JodaPattern) -> bool:
    letters = [letter for letter, _ in pattern.parts]
    return set(letters) <= _PLAIN and len(set(letters)) == len(letters)


def _is_printed_again(text: str, pattern: JodaPattern, this_year: int) -> bool:
    instant = read_instant(text, pattern, UTC, this_year)
    return instant is not None and print_instant(instant.millis, UTC, pattern) == text
