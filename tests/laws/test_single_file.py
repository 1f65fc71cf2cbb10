from __future__ import annotations

import math

from hudi_core.expr.outcomes import can_be
from hudi_core.expr.predicate import Apply, Below, Column, Cut, IsNull, Less, Not, OneOf, Predicate
from hudi_core.truth import FALSE, NULL, TRUE, Outcomes, Truth
from hudi_core.types import nodes as t
from tests.support.single_file import ANY, SingleFile, ValueInterval

X, Y = Column(1, "x", t.Double()), Column(2, "y", t.Double())


def _outcomes(p: Predicate, **known: ValueInterval) -> Outcomes:
    file = SingleFile({{"x": 1, "y": 2}[name]: interval for name, interval in known.items()})
    return frozenset(outcome for outcome in Truth if can_be(outcome, p, file))


def test_nothing_is_known_of_a_column_that_is_not_there() -> None:
    assert _outcomes(Below(X, Cut(1.0))) == ANY
    assert _outcomes(IsNull(X)) == {TRUE, FALSE}


def test_bounds_decide() -> None:
    known = ValueInterval(1.0, 5.0, nulls=False, nans=False)
    assert _outcomes(Below(X, Cut(1.0)), x=known) == {FALSE}
    assert _outcomes(Below(X, Cut(1.0, after=True)), x=known) == {TRUE, FALSE}
    assert _outcomes(Below(X, Cut(5.0, after=True)), x=known) == {TRUE}
    assert _outcomes(OneOf(X, (0.0, 7.0)), x=known) == {FALSE}
    assert _outcomes(Not(OneOf(X, (1.0,))), x=ValueInterval(1.0, 1.0, nulls=False, nans=False)) == {FALSE}


def test_nan_is_above_all_and_outside_the_bounds() -> None:
    known = ValueInterval(1.0, 5.0, nulls=False)
    assert _outcomes(Below(X, Cut(9.0)), x=known) == {TRUE, FALSE}
    assert _outcomes(OneOf(X, (math.nan,)), x=known) == {TRUE, FALSE}
    assert _outcomes(Below(X, Cut(math.nan, after=True)), x=known) == {TRUE}


def test_a_column_without_values_is_null() -> None:
    known = ValueInterval(1.0, 5.0, values=False)
    assert _outcomes(Below(X, Cut(3.0)), x=known) == {NULL}
    assert _outcomes(Not(OneOf(X, (3.0,))), x=known) == {NULL}
    assert _outcomes(Less(X, Y), x=known, y=ValueInterval(1.0, 2.0)) == {NULL}


def test_two_columns_are_compared_by_their_bounds() -> None:
    lower, upper = ValueInterval(1.0, 2.0, nulls=False, nans=False), ValueInterval(3.0, 4.0, nulls=False, nans=False)
    assert _outcomes(Less(X, Y), x=lower, y=upper) == {TRUE}
    assert _outcomes(Less(Y, X), x=lower, y=upper) == {FALSE}
    assert _outcomes(Less(X, Y), x=lower, y=lower) == {TRUE, FALSE}
    assert _outcomes(Less(Y, X), x=ValueInterval(1.0, 2.0, nulls=False), y=upper) == {TRUE, FALSE}


def test_a_function_may_give_anything() -> None:
    assert _outcomes(Below(Apply(None, (X,), t.Double()), Cut(1.0)), x=ValueInterval(1.0, 2.0)) == ANY  # type: ignore[arg-type]
