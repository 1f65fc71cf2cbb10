"""LIKE, ILIKE and RLIKE with a pattern that is a value of the row. Constant patterns are leaves of predicates instead."""

from __future__ import annotations

from hudi_core.functions import parameters as p
from hudi_core.functions.record import Function, Native
from hudi_core.functions.scalar import regex
from hudi_core.functions.scalar.like import pattern_of
from hudi_core.types import nodes as t


def like(string: str, pattern: str, escape: str = "\\") -> bool:
    """Whether the whole string matches. Raises `ExpressionError` as `pattern_of`.

    >>> like("abc", "a%"), like("abc", "a_"), like("a%", "a!%", "!")
    (True, False, True)
    """
    return regex.like(pattern_of(pattern, escape)).compiled.search(string) is not None


def ilike(string: str, pattern: str, escape: str = "\\") -> bool:
    """`like` of both in lower case."""
    return like(string.lower(), pattern.lower(), escape)


def rlike(string: str, pattern: str) -> bool:
    """Whether a Java regular expression matches somewhere. Raises `ExpressionError`, `UnsupportedError` as `regex.parse`."""
    return regex.parse(pattern).compiled.search(string) is not None


_two = p.signature(p.string, p.string, gives=t.Boolean())
_with_escape = p.signature(p.string, p.string, p.string, gives=t.Boolean())
FUNCTIONS = (
    Function("like", range(2, 4), _with_escape, p.of_values(like), spark=Native("like", only=(t.String,), most=2)),
    Function("ilike", range(2, 4), _with_escape, p.of_values(ilike), spark=Native("ilike", only=(t.String,), most=2)),
    Function("rlike", range(2, 3), _two, p.of_values(rlike), spark=Native("rlike", only=(t.String,))),
)
