"""Comparisons: of bound terms with null, with a constant, with one another; by a collation as by the bytes of other strings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, assert_never

from hudi_core.expr import preimage
from hudi_core.expr.connectives import every, is_truth, negate, some
from hudi_core.expr.cuts import spell_uuid
from hudi_core.expr.nodes import Call, Comparison, Literal, Scalar
from hudi_core.expr.predicate import ALWAYS_NULL, Apply, Constant, Cut, Less, Predicate, Term
from hudi_core.expr.walk import place_of
from hudi_core.functions import coerce
from hudi_core.functions.casts import CAST
from hudi_core.functions.strings import LOWERED
from hudi_core.truth import TRUE
from hudi_core.types import nodes as t
from hudi_core.values.order import is_ordered

FLIPPED = {
    Comparison.LT: Comparison.GT,
    Comparison.LE: Comparison.GE,
    Comparison.GT: Comparison.LT,
    Comparison.GE: Comparison.LE,
}
"""The equivalent comparison with its sides exchanged, where that is another."""

_BUILT_IN: Final = "SYSTEM.BUILTIN."
_TRIMMED: Final = "_RTRIM"
_EQUALITIES = (Comparison.EQ, Comparison.NE, Comparison.NULL_SAFE_EQ)


def are_compared(one: t.Type, other: t.Type) -> bool:
    """Whether SQL compares two types of which one is nested: arrays and structs that have an order, by their parts."""
    return coerce.are_same_nesting([one, other]) and is_ordered(one) and is_ordered(other)


def with_elements_of(term: Term, other: Term) -> Term:
    """A constant array without a non-null element has no type of its own: it gets that of the other term, where it is an
    array."""
    match term:
        case Constant(tuple() as items, t.Array()) if isinstance(other.type, t.Array) and all(
            item is None for item in items
        ):
            return Constant(items, other.type)
        case _:
            return term


def with_uuid_of(term: Term, other: Term) -> Term:
    """Constant bytes beside a UUID that is stored in bytes become its string: rule EXPR-1426."""
    match term, other.type:
        case Constant(bytes() as value, t.Binary()), t.Uuid(fixed=t.Fixed()):
            spelled = spell_uuid(value)
            return term if spelled is None else Constant(spelled, t.String())
        case _:
            return term


def choose_comparison_type(operator: Comparison, first: Term, second: Term) -> t.Type | None:
    """The type two terms are compared in; None when they are not."""
    if coerce.is_nested(first.type):
        common = coerce.structure(first.type, second.type)
        return common if common is not None and coerce.have_same_names(first.type, second.type) else None
    one, other = coerce.sql_equivalent(first.type), coerce.sql_equivalent(second.type)
    for data_type, number, term in ((one, other, second), (other, one, first)):
        if isinstance(data_type, t.Boolean) and coerce.is_number(number):
            return number if operator in _EQUALITIES else None
        if isinstance(data_type, t.Time) and isinstance(number, t.Int | t.Long) and isinstance(term, Constant):
            return data_type  # a time of day is a number of ticks to SQL
    return coerce.find_comparison_type(one, other)


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
    left, right = (
        term if coerce.are_alike(term.type, common) else Apply(CAST, (term,), common) for term in (left, right)
    )
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


def drop_collations(sides: Sequence[Scalar]) -> Sequence[Scalar]:
    """Sides that compare by bytes as these compare by the collation that one of them names; the sides themselves
    where none does, and where it is not known."""
    names = {name for side in sides if (name := _collation(side)) is not None}
    if len(names) != 1:
        return sides
    (name,) = names
    plain = name.removesuffix(_TRIMMED)
    if plain not in ("UTF8_BINARY", "UTF8_LCASE"):
        return sides
    bare = [side.arguments[0] if isinstance(side, Call) and _collation(side) else side for side in sides]
    if plain != name:
        bare = [Call("rtrim", (side,), place_of(side)) for side in bare]
    return bare if plain == "UTF8_BINARY" else [Call(LOWERED.name, (side,), place_of(side)) for side in bare]


def _collation(side: Scalar) -> str | None:
    match side:
        case Call("collate", (_, Literal(str() as name))):
            return name.upper().removeprefix(_BUILT_IN)
        case _:
            return None
