"""Comparisons of bound terms: with null, with a constant, with one another."""

from __future__ import annotations

from typing import assert_never

from hudi_core.expr import preimage
from hudi_core.expr.leaves import every, is_truth, negate, some
from hudi_core.expr.nodes import Comparison
from hudi_core.expr.predicate import ALWAYS_NULL, Apply, Constant, Cut, Less, Predicate, Term
from hudi_core.functions.casts import CAST
from hudi_core.truth import TRUE
from hudi_core.types import nodes as t

FLIPPED = {
    Comparison.LT: Comparison.GT,
    Comparison.LE: Comparison.GE,
    Comparison.GT: Comparison.LT,
    Comparison.GE: Comparison.LE,
}
"""The comparison that says the same with its sides exchanged, where that is another."""


def with_null(operator: Comparison, other: Term) -> Predicate:
    """A comparison with null."""
    return preimage.is_null(other) if operator is Comparison.NULL_SAFE_EQ else ALWAYS_NULL


def against(operator: Comparison, term: Term, constant: Constant) -> Predicate:
    """A comparison with a constant: one of one value, or a cut."""
    value = constant.value
    if value is None:
        return with_null(operator, term)
    match operator:
        case Comparison.EQ:
            return preimage.one_of(term, (value,))
        case Comparison.NE:
            return negate(preimage.one_of(term, (value,)))
        case Comparison.NULL_SAFE_EQ:
            return is_truth(preimage.one_of(term, (value,)), TRUE)
        case Comparison.LT:
            return preimage.below(term, Cut(value))
        case Comparison.LE:
            return preimage.below(term, Cut(value, after=True))
        case Comparison.GT:
            return negate(preimage.below(term, Cut(value, after=True)))
        case Comparison.GE:
            return negate(preimage.below(term, Cut(value)))
        case _:
            assert_never(operator)


def two_terms(operator: Comparison, left: Term, right: Term, common: t.Type) -> Predicate:
    """Two terms compared. Where they only seem to be of one type, as text and enumeration do, they are cast."""
    left, right = (term if term.type == common else Apply(CAST, (term,), common) for term in (left, right))
    equal = every([Less(left, right, or_equal=True), Less(right, left, or_equal=True)])
    match operator:
        case Comparison.EQ:
            return equal
        case Comparison.NE:
            return negate(equal)
        case Comparison.NULL_SAFE_EQ:
            both_null = every([preimage.is_null(left), preimage.is_null(right)])
            return some([both_null, is_truth(equal, TRUE)])
        case Comparison.LT | Comparison.LE:
            return Less(left, right, operator is Comparison.LE)
        case Comparison.GT | Comparison.GE:
            return Less(right, left, operator is Comparison.GE)
        case _:
            assert_never(operator)
