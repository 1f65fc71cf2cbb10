"""LIKE patterns, taken apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from hudi_core.errors import ExpressionError


@dataclass(frozen=True, slots=True)
class AnyChar:
    """`_` in LIKE: exactly one character."""


@dataclass(frozen=True, slots=True)
class AnyRun:
    """`%` in LIKE: any characters, also none."""


Pattern = tuple[str | AnyChar | AnyRun, ...]


@lru_cache(maxsize=256)
def pattern_of(text: str, escape: str = "\\") -> Pattern:
    """The parts of a pattern: `_`, `%` and the strings between. Raises `ExpressionError` for an escape of anything else.

    >>> pattern_of("a!%%", "!")
    ('a%', AnyRun())
    """
    parts: list[str | AnyChar | AnyRun] = []
    literal: list[str] = []
    characters = iter(text)
    for character in characters:
        if character == escape:
            escaped = next(characters, None)
            if escaped not in ("%", "_", escape):
                following = "the end of the pattern" if escaped is None else repr(escaped)
                expected = f"%, _ or {escape} after the escape character {escape}"
                raise ExpressionError(text, expected=expected, found=following)
            literal.append(escaped)
        elif character in "%_":
            if literal:
                parts.append("".join(literal))
                literal.clear()
            if character == "_" or not parts or parts[-1] != AnyRun():
                parts.append(AnyRun() if character == "%" else AnyChar())
        else:
            literal.append(character)
    return (*parts, "".join(literal)) if literal else tuple(parts)
