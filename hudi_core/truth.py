"""Truth of a predicate: one of TRUE, FALSE, NULL on a row (SQL, Kleene); the set of those that can occur on a file."""

from __future__ import annotations

from enum import Enum


class Truth(Enum):
    """The truth of a predicate on a row."""

    TRUE = "true"
    FALSE = "false"
    NULL = "null"

    __hash__ = object.__hash__  # that of `Enum` is written in Python, and costs as much as a rule

    def __invert__(self) -> Truth:
        """NOT: swaps TRUE and FALSE, keeps NULL."""
        return _NEGATED[self]

    def __and__(self, other: Truth) -> Truth:
        """AND: FALSE wins, then NULL."""
        if self is FALSE or other is FALSE:
            return FALSE
        return NULL if self is NULL or other is NULL else TRUE

    def __or__(self, other: Truth) -> Truth:
        """OR: TRUE wins, then NULL."""
        return ~(~self & ~other)


TRUE, FALSE, NULL = Truth.TRUE, Truth.FALSE, Truth.NULL
_NEGATED = {TRUE: FALSE, FALSE: TRUE, NULL: NULL}

Outcomes = frozenset[Truth]
"""The truths a predicate may give on the rows of a file. Wider when less is known; never too narrow."""


class Verdict(Enum):
    """The verdict for a file that a set of outcomes implies."""

    SKIP = "skip"
    READ = "read"
    ALL_MATCH = "all_match"


def verdict(outcomes: Outcomes) -> Verdict:
    """Skip when no row can be TRUE; all rows match when nothing but TRUE can occur.

    >>> verdict(frozenset({FALSE, NULL}))
    <Verdict.SKIP: 'skip'>
    >>> verdict(frozenset({TRUE}))
    <Verdict.ALL_MATCH: 'all_match'>
    """
    if TRUE not in outcomes:
        return Verdict.SKIP
    return Verdict.ALL_MATCH if outcomes == {TRUE} else Verdict.READ
