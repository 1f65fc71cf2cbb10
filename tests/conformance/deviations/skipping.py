"""Deviations of data skipping: files that Apache Hudi skips and we keep, and the other way.

A question holds what `hudi` does with a file, whether a row of it `could` match (None: not known), and of the predicate its
`functions`, `patterns`, the numbers of `columns` in its comparisons, and whether a statistic is `unknown`.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.conformance.deviations import Deviation, Question, always, refused

_TAKEN_BACK = frozenset(
    (
        "+",
        "-",
        "*",
        "/",
        "negative",
        "cast",
        "date_add",
        "date_sub",
        "datediff",
        "date_format",
        "from_unixtime",
        "year",
        "substring",
    )
)
"""Functions that keep or turn an order, so that a range of what they give is one of what they are given."""


def _loses(kind: str) -> Callable[[Question], bool]:
    """A file that Apache Hudi skips, for a reason that is none."""

    def applies(question: Question) -> bool:
        if question["ask"] != "skipping" or question["hudi"] != "skipped":
            return False
        return kind == _why_kept(question)

    return applies


def _why_kept(question: Question) -> str | None:
    """Why a file is kept that Apache Hudi skips. Under functions it is kept without a look at whether a row could match."""
    if not question["functions"] <= _TAKEN_BACK:
        return "opaque"
    if question["unknown"] and (question["could"] or question["functions"]):
        return "unknown"
    if not question["could"]:
        return None
    return "prefix" if question["patterns"] else "function"


def decided_by_bounds(question: Question) -> bool:
    """Whether the predicate compares columns with literals and prefixes, and no more: then bounds tell all there is to tell."""
    prefixes = all("_" not in pattern and "%" not in pattern.rstrip("%") for pattern in question["patterns"])
    return not question["functions"] and prefixes and max(question["columns"], default=0) < 2


def _cannot_match(question: Question) -> bool:
    if question["ask"] != "skipping" or question["hudi"] != "kept":
        return False
    return question["could"] is False and decided_by_bounds(question)


def _sub_query(question: Question) -> bool:
    return question["ask"] == "planned" and "(select " in question["sql"]


def _rule(
    name: str, applies: Callable[[Question], bool], expected: Callable[[Question], object], ours: str, reason: str
) -> Deviation:
    return Deviation("expressions", name, applies, expected, ours, reason)


SKIPPING = (
    _rule(
        "unknown statistics",
        _loses("unknown"),
        always("kept"),
        "kept",
        "A bound or a count that is not known says nothing; a condition that comes out null prunes the file in Hudi.",
    ),
    _rule(
        "texts that start with",
        _loses("prefix"),
        always("kept"),
        "the range from the prefix to the first text after its continuations",
        "Hudi asks min <= p AND max >= p, and loses files whose least text begins with p.",
    ),
    _rule(
        "functions that fall, or do not go one way",
        _loses("function"),
        always("kept"),
        "taken back to the column where the function falls, else kept",
        "Hudi takes the function of the lower bound for the lower bound of the function: it loses rows of negative factors, of "
        "`datediff` from a literal and of month patterns.",
    ),
    _rule(
        "functions that say nothing of an order",
        _loses("opaque"),
        always("kept"),
        "kept",
        "Hudi takes the function of the two bounds for the bounds of the function: it loses rows of `lower`, bit operators and "
        "functions that wrap. Not known is not an error, and never a reason to skip.",
    ),
    _rule(
        "files that cannot match",
        _cannot_match,
        always("skipped"),
        "skipped",
        "Hudi translates comparisons of a column with a literal; under NOT, in `<=>`, patterns and between columns it keeps "
        "files of which no row can match.",
    ),
    _rule(
        "sub-queries",
        _sub_query,
        refused,
        "refused",
        "A predicate is about the rows of one table; engines plan sub-queries before they ask.",
    ),
)
