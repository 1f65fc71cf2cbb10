"""The rules, written once: which truths a predicate can have, given answers to a handful of questions.

One law carries all of it: *wider knowledge never makes an outcome impossible*. Unknown statistics are the widest ones; a
block of files is the hull of its files; a row is a file with one row, whose bounds are exact, so that the same rules give
the truth of a row. NOT, AND and OR map outcomes to outcomes: there is no NOT-rewriting and no second, strict evaluator.
"""

from __future__ import annotations

from typing import Protocol, TypeVar, assert_never

from hudi_core.expr.predicate import (
    Always,
    And,
    Below,
    Cut,
    Is,
    IsNull,
    Less,
    Matches,
    MatchesOne,
    Not,
    OneOf,
    Opaque,
    Or,
    Predicate,
    Term,
    Within,
)
from hudi_core.functions.scalar.like import Pattern
from hudi_core.truth import FALSE, NULL, TRUE, Truth

M = TypeVar("M")


class Questions(Protocol[M]):
    """Questions about the rows, or the statistics, of a column. `M` is an answer: a yes or no for each row, file or block.

    An answer is yes where *some* row may be so, and where it is not known.
    """

    def lower_is_below(self, term: Term, cut: Cut) -> M:
        """Some value may lie below the cut."""
        ...

    def upper_is_above(self, term: Term, cut: Cut) -> M:
        """Some value may lie above the cut (that is, not below it)."""
        ...

    def may_hold_one_of(self, term: Term, values: tuple[object, ...]) -> M: ...

    def may_hold_none_of(self, term: Term, values: tuple[object, ...]) -> M:
        """Some value, not null, may be none of these."""
        ...

    def may_lie_within(self, term: Term, values: tuple[object, ...], members: tuple[bool, ...]) -> M:
        """Some value may be in the set, as `Within` has it."""
        ...

    def may_hold_null(self, term: Term) -> M: ...

    def may_hold_value(self, term: Term) -> M:
        """Some value may be not null."""
        ...

    def may_be_less(self, left: Term, right: Term, or_equal: bool) -> M:
        """In some row `left < right` (or `<=`) may hold, both not null."""
        ...

    def may_match(self, term: Term, pattern: Pattern | str, negated: bool) -> M:
        """Some text, not null, may match the pattern (or not match it, when negated)."""
        ...

    def may_match_one(self, term: Term, patterns: tuple[Pattern | str, ...], negated: bool) -> M:
        """Some text, not null, may match one of the patterns (or none of them, when negated)."""
        ...

    def unknown(self, predicate: Opaque) -> M:
        """Anything may be: the answer for an unknown function."""
        ...

    def every(self, answers: list[M]) -> M:
        """AND of answers about one and the same row, evaluated left to right; yes for none."""
        ...

    def some(self, answers: list[M]) -> M:
        """OR of answers; no for none."""
        ...


def can_be(outcome: Truth, predicate: Predicate, questions: Questions[M]) -> M:
    """Whether some row may give `outcome`. Only the questions that this outcome needs are evaluated."""
    match predicate:
        case Below(term, cut):
            if outcome is TRUE:
                return questions.lower_is_below(term, cut)
            return questions.upper_is_above(term, cut) if outcome is FALSE else questions.may_hold_null(term)
        case And(parts):
            return _and_can_be(outcome, parts, questions)
        case Not(part):
            return can_be(~outcome, part, questions)
        case Or(parts):  # De Morgan is exact in three-valued logic, so the rules of AND serve both
            return can_be(~outcome, And(tuple(Not(part) for part in parts)), questions)
        case Is(part, truth):
            if outcome is NULL:
                return questions.some([])
            if outcome is TRUE:
                return can_be(truth, part, questions)
            return questions.some([can_be(other, part, questions) for other in Truth if other is not truth])
        case OneOf(term, values, with_null):
            if outcome is TRUE:
                return questions.may_hold_one_of(term, values)
            absent = NULL if with_null else FALSE  # `5 IN (1, NULL)` is NULL, not FALSE
            answers = [questions.may_hold_null(term)] if outcome is NULL else []
            return questions.some(answers + ([questions.may_hold_none_of(term, values)] if outcome is absent else []))
        case Within(term, values, members):
            if outcome is NULL:
                return questions.may_hold_null(term)
            wanted = members if outcome is TRUE else tuple([not member for member in members])
            return questions.may_lie_within(term, values, wanted)
        case IsNull(term):
            if outcome is NULL:
                return questions.some([])
            return questions.may_hold_null(term) if outcome is TRUE else questions.may_hold_value(term)
        case Less(left, right, or_equal):
            if outcome is TRUE:
                return questions.may_be_less(left, right, or_equal)
            if outcome is FALSE:  # the order is total: not a < b is b <= a
                return questions.may_be_less(right, left, not or_equal)
            return questions.some([questions.may_hold_null(left), questions.may_hold_null(right)])
        case Matches(term, pattern):
            return (
                questions.may_hold_null(term)
                if outcome is NULL
                else questions.may_match(term, pattern, outcome is FALSE)
            )
        case MatchesOne(term, patterns):
            return (
                questions.may_hold_null(term)
                if outcome is NULL
                else questions.may_match_one(term, patterns, outcome is FALSE)
            )
        case Always(truth):
            return questions.every([]) if truth is outcome else questions.some([])
        case Opaque():
            return questions.unknown(predicate)
        case _:
            assert_never(predicate)


def _and_can_be(outcome: Truth, parts: tuple[Predicate, ...], questions: Questions[M]) -> M:
    if outcome is TRUE:
        return questions.every([can_be(TRUE, part, questions) for part in parts])
    if outcome is FALSE:
        return questions.some([can_be(FALSE, part, questions) for part in parts])
    some_null = questions.some([can_be(NULL, part, questions) for part in parts])
    not_false = [questions.some([can_be(truth, part, questions) for truth in (NULL, TRUE)]) for part in parts]
    return questions.every([some_null, *not_false])
