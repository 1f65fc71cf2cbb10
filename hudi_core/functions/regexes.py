"""Matches of regular expressions: how many, the first one, where it begins, and all of them."""

from __future__ import annotations

from collections.abc import Sequence

from hudi_core.errors import ExpressionError
from hudi_core.functions import parameters as p
from hudi_core.functions.record import Argument, Function, Signature
from hudi_core.functions.scalar import regex
from hudi_core.types import nodes as t

_STRINGS = t.Array(t.Field(0, "element", t.String()))


def count(string: str, pattern: str) -> int:
    """How many matches there are, empty ones included.

    >>> count("abab", "b"), count("ab", "x*")
    (2, 3)
    """
    return sum(1 for _ in regex.parse(pattern).matches(string))


def first(string: str, pattern: str) -> str | None:
    """The first match; null where there is none, and where it is empty.

    >>> first("abc", "b."), first("abc", "x*")
    ('bc', None)
    """
    match = regex.parse(pattern).compiled.search(string)
    return (match[0] or None) if match else None


def place(string: str, pattern: str, group: int = 0) -> int:
    """Where the first match begins, from 1, in characters of Java's; 0 where there is none. The group changes nothing.

    >>> place("a@b", "@"), place("ab", "x")
    (2, 0)
    """
    match = regex.parse(pattern).compiled.search(string)
    return len(string[: match.start()].encode("utf-16-le")) // 2 + 1 if match else 0


def every(string: str, pattern: str, group: int = 1) -> tuple[str, ...]:
    """A group of each match; an empty string where it took no part.

    >>> every("1-2, 3-4", r"(\\d)-(\\d)", 2)
    ('2', '4')
    """
    wanted = regex.parse(pattern)
    if not 0 <= group <= wanted.groups:
        raise ExpressionError(pattern, expected=f"a group up to {wanted.groups}", found=str(group))
    return tuple(match[group] or "" for match in wanted.matches(string))


def _signature(gives: t.Type) -> p.BuildSignature:
    """The pattern, and the group, are the same in every row."""
    sign = p.signature(p.string, p.string, p.integer, gives=gives)

    def signature(arguments: Sequence[Argument]) -> Signature | None:
        if any(argument.is_null for argument in arguments):
            return Signature((), gives, null=True)
        pattern = p.find_known_string(arguments[1])
        if pattern is None or not all(argument.constant for argument in arguments[2:]):
            return None
        regex.parse(pattern)
        return sign(arguments)

    return signature


FUNCTIONS = (
    Function("regexp_count", range(2, 3), _signature(t.Int()), p.of_values(count)),
    Function("regexp_substr", range(2, 3), _signature(t.String()), p.of_values(first)),
    Function("regexp_instr", range(2, 4), _signature(t.Int()), p.of_values(place)),
    Function("regexp_extract_all", range(2, 4), _signature(_STRINGS), p.of_values(every)),
)
