"""Truth of rows on plain values; every engine is held to the same by `tests/contract/rows.py`."""

from __future__ import annotations

from typing import Any

import pytest

from hudi_core.errors import UnknownColumnError, UnsupportedError
from hudi_core.expr.predicate import Apply, Below, Column, Constant, Cut, IsNull, OneOf, Or
from hudi_core.functions.registry import function
from hudi_core.rows.truth import RowQuestions, is_true, truth_masks
from hudi_core.schema.schema import Schema
from hudi_core.truth import FALSE, NULL, TRUE
from hudi_core.types import nodes as t
from hudi_plain.values import PlainValues

SCHEMA = Schema(
    t.Record(
        (
            t.Field(0, "a", t.Int()),
            t.Field(1, "l", t.Array(t.Field(2, "element", t.Int()))),
            t.Field(3, "d", t.Double()),
        )
    )
)
A = Column(0, "a", t.Int())


class Counting(PlainValues):
    """Counts the functions it applies."""

    applied = 0

    def apply(self, *arguments: Any) -> Any:
        self.applied += 1
        return super().apply(*arguments)


def test_a_null_in_the_list_makes_absence_null_not_false() -> None:
    truths = truth_masks(OneOf(A, (1,), with_null=True), PlainValues(), (2, None, None), SCHEMA)
    assert truths == {TRUE: False, FALSE: False, NULL: True}


def test_terms_that_parts_share_are_evaluated_once() -> None:
    """ROWS-4."""
    values = Counting()
    parts = tuple(Below(Apply(function("abs"), (A,), t.Int()), Cut(cut)) for cut in (1, 2, 3))
    assert is_true(Or(parts), values, (-2, None, None), SCHEMA)
    assert values.applied == 1


def test_zeros_of_both_signs_are_different_constants() -> None:
    requested = RowQuestions(PlainValues(), (1, None, None), SCHEMA)

    def text(zero: float) -> str:
        return requested.value(Apply(function("cast"), (Constant(zero, t.Double()),), t.String()))

    assert (text(0.0), text(-0.0)) == ("0.0", "-0.0")


def test_a_column_inside_a_list_is_refused() -> None:
    """ROWS-3."""
    with pytest.raises(UnsupportedError, match=r"l\.element"):
        is_true(IsNull(Column(2, "l.element", t.Int())), PlainValues(), (1, (1,), None), SCHEMA)


def test_a_column_the_rows_do_not_have_is_an_error() -> None:
    with pytest.raises(UnknownColumnError):
        is_true(IsNull(Column(9, "gone", t.Int())), PlainValues(), (1, None, None), SCHEMA)
