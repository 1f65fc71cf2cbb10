"""Functions of text on values. Positions and lengths count characters; of bytes, bytes."""

from __future__ import annotations

from typing import TypeVar

from hudi_core.errors import ExpressionError
from hudi_core.functions.scalar.regex import parse, replacement

Text = TypeVar("Text", str, bytes)
WHOLE = (1 << 31) - 1
"""A length that no text exceeds."""
MAX_MADE = 1 << 24
"""Characters of a text that a function makes by repeating another."""


def check_made(name: str, length: int) -> None:
    """Raises `ExpressionError` for a text longer than a function may make."""
    if length > MAX_MADE:
        raise ExpressionError(name, expected=f"a text of at most {MAX_MADE:,} characters", found=f"{length:,}")


def repeat(text: str, count: int) -> str:
    """The text so many times. Raises `ExpressionError` for a result that is too long, as the others here do.

    >>> repeat("ab", 2), repeat("ab", -1)
    ('abab', '')
    """
    check_made("repeat", len(text) * count)
    return text * count


def pad(value: Text, length: int, filling: Text, left: bool) -> Text:
    """The value, cut or filled up to a length.

    >>> pad("hi", 5, "ab", left=True), pad("hi", 1, "ab", left=False), pad("hi", 5, "", left=True)
    ('abahi', 'h', 'hi')
    """
    missing = length - len(value)
    if missing <= 0 or not filling:
        return value[: max(length, 0)]
    check_made("lpad" if left else "rpad", length)
    added = (filling * (missing // len(filling) + 1))[:missing]
    return added + value if left else value + added


def replace(value: str, part: str, by: str = "") -> str:
    """Every part exchanged.

    >>> replace("abcabc", "bc", "x"), replace("abc", "", "x")
    ('axax', 'abc')
    """
    if not part:
        return value
    if len(by) > len(part):
        check_made("replace", len(value) + value.count(part) * (len(by) - len(part)))
    return value.replace(part, by)


def span(count: int, position: int, length: int = WHOLE) -> tuple[int, int]:
    """Start and end, from 0, of SQL's substring in a text of `count` characters.

    Positions count from 1, negative ones from the end; 0 is 1. What would lie before the first character uses up length.

    >>> span(3, 2), span(3, -5, 3), span(3, 2, -1)
    ((1, 3), (0, 1), (1, 1))
    """
    start = position - 1 if position > 0 else count + position if position < 0 else 0
    first = max(start, 0)
    return first, max(min(start + length, count), first)


def substring(text: Text, position: int, length: int = WHOLE) -> Text:
    """SQL's substring.

    >>> substring("Hudi", 2, 2), substring("Hudi", -2), substring("Hudi", 0, 1)
    ('ud', 'di', 'H')
    """
    start, end = span(len(text), position, length)
    return text[start:end]


def trim(text: str, characters: str = " ", *, left: bool = True, right: bool = True) -> str:
    """Without the characters at its ends: blanks by default, never tabs or line ends."""
    text = text.lstrip(characters) if left and characters else text
    return text.rstrip(characters) if right and characters else text


def regexp_replace(string: str, pattern: str, by: str) -> str:
    """Every match replaced; `$1` in the replacement is a group, a backslash takes the next character as it is."""
    regex = parse(pattern)
    parts = replacement(by, regex)
    pieces: list[str] = []
    length = end = 0
    for match in regex.matches(string):
        new = "".join(part if isinstance(part, str) else match[part] or "" for part in parts)
        pieces += (string[end : match.start()], new)
        end = match.end()
        length += len(new)
        check_made("regexp_replace", length)
    return "".join((*pieces, string[end:]))


def regexp_extract(string: str, pattern: str, group: int = 1) -> str:
    """A group of the first match; empty when there is none, or the group took no part."""
    regex = parse(pattern)
    if not 0 <= group <= regex.groups:
        raise ExpressionError(pattern, expected=f"a group up to {regex.groups}", found=str(group))
    match = regex.compiled.search(string)
    return (match[group] or "") if match else ""


def split(string: str, pattern: str, index: int) -> str | None:
    """The part with this number, from 0, of the text between the matches; None when there is none.

    As in Java no empty part comes before a match of nothing at the start; an empty pattern parts all characters.

    >>> split("a,b", ",", 1), split("abc", "", 2), split("ab", "x*", 0), split("a", ",", 1)
    ('b', 'c', 'a', None)
    """
    if not pattern and string:
        return string[index] if 0 <= index < len(string) else None
    start = part_number = 0
    for match in parse(pattern).matches(string):
        if match.end() == 0:
            continue
        if part_number == index:
            return string[start : match.start()]
        start, part_number = match.end(), part_number + 1
    return string[start:] if part_number == index else None
