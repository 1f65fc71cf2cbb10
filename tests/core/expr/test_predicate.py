"""What can be seen of a bound predicate."""

from __future__ import annotations

from hudi_core.expr.predicate import (
    ALWAYS_TRUE,
    And,
    Apply,
    Below,
    Choose,
    Column,
    Constant,
    Cut,
    Is,
    IsNull,
    Less,
    Not,
    OneOf,
    Opaque,
    Or,
    columns_of,
    parts_of,
    terms_of,
    unknowns_of,
)
from hudi_core.functions.registry import function
from hudi_core.truth import TRUE
from hudi_core.types import nodes as t

A, B = Column(4, "a", t.Int()), Column(2, "r.b", t.Int())


def test_columns_are_listed_once_in_the_order_of_their_appearance() -> None:
    chosen = Choose(((IsNull(B), A),), Constant(1, t.Int()), t.Int())
    predicate = And((Less(chosen, Apply(function("negative"), (B,), t.Int())), Not(OneOf(A, (1,)))))
    assert list(columns_of(predicate).values()) == [B, A]
    assert columns_of(Or((ALWAYS_TRUE, Opaque("f(a)")))) == {}


def test_unknown_expressions_are_reported_wherever_they_occur() -> None:
    chosen = Choose(((Opaque("f(a)"), A),), Apply(function("abs"), (B,), t.Int()), t.Int())
    predicate = Or((Is(Opaque("g(a)"), TRUE), Below(chosen, Cut(1)), IsNull(A)))
    assert unknowns_of(predicate) == ["g(a)", "f(a)"]
    assert unknowns_of(IsNull(A)) == []


def test_a_predicate_has_parts_or_terms() -> None:
    leaf = Less(A, B)
    assert terms_of(leaf) == (A, B) and parts_of(leaf) == ()
    assert parts_of(Not(leaf)) == (leaf,) and terms_of(Not(leaf)) == ()
