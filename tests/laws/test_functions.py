"""The law of functions: a comparison that is taken back to the column has, on every row, the truth of the comparison itself.

Also covers: `functions/calendar.py`, `functions/dates.py`.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hudi_core.expr import preimage
from hudi_core.expr.predicate import Apply, Column, Constant, Cut, Predicate, Term
from hudi_core.expr.row import truth_of
from hudi_core.functions.record import Function
from hudi_core.functions.registry import FUNCTIONS
from hudi_core.truth import FALSE, NULL, TRUE, Truth
from hudi_core.types import nodes as t
from hudi_core.values.order import equal, is_ordered, less
from tests.support.calls import calls_of
from tests.support.strategies import values_of

COLUMN = 1
_UNORDERED = {
    "map",
    "get_field",
    "split",
    "array",
    "map_keys",
    "map_values",
    "->",
    "filter",
    "transform",
    "named_struct",
}
COMPARED = [known for known in FUNCTIONS if known.arity.stop > 1 and known.name not in _UNORDERED]
"""Functions of some argument that give values with an order."""


@pytest.mark.parametrize("known", COMPARED, ids=lambda known: known.name)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_comparison_of_a_function_keeps_its_truth(known: Function, data: st.DataObject) -> None:
    types, of = data.draw(calls_of(known).types)
    assume(types and is_ordered(of))
    variable = data.draw(st.integers(0, len(types) - 1))
    values = [data.draw(calls_of(known).values(place, source)) for place, source in enumerate(types)]
    term = _term(known, types, values, variable, of)
    rows = [data.draw(st.none() | calls_of(known).values(variable, types[variable])) for _ in range(4)]
    found = [_value(known, types, values, variable, row, of) for row in rows]
    wanted = [value for value in found if value is not None] or [data.draw(values_of(of))]
    against, after = data.draw(st.sampled_from(wanted)), data.draw(st.booleans())
    for row, value in zip(rows, found, strict=True):
        if value is None and row is not None and isinstance(of, t.Date | t.Timestamp):
            continue  # beyond the range of its type the comparison is made as if there were none
        below = None if value is None else less(value, against, of) or (after and equal(value, against, of))
        same = None if value is None else equal(value, against, of)
        assert _truth(preimage.below(term, Cut(against, after)), row) is _logic(below)
        assert _truth(preimage.one_of(term, (against,)), row) is _logic(same)
        assert _truth(preimage.is_null(term), row) is _logic(value is None)


def _term(known: Function, types: list[t.Type], values: list[Any], variable: int, of: t.Type) -> Term:
    arguments: list[Term] = [Constant(value, source) for value, source in zip(values, types, strict=True)]
    arguments[variable] = Column(COLUMN, "c", types[variable])
    return Apply(known, tuple(arguments), of)


def _value(known: Function, types: list[t.Type], values: list[Any], variable: int, row: Any, of: t.Type) -> Any:
    return known.apply([row if place == variable else value for place, value in enumerate(values)], types, of)


def _truth(predicate: Predicate, row: Any) -> Truth:
    return truth_of(predicate, {COLUMN: row})


def _logic(holds: bool | None) -> Truth:
    return NULL if holds is None else TRUE if holds else FALSE
