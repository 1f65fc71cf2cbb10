"""The laws of functions: a comparison that is taken back to the column has, on every row, the truth of the comparison itself, and
bounds of the column leave that truth possible.

Also covers: `functions/calendar.py`, `functions/dates.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hudi_core.expr import preimage
from hudi_core.expr.predicate import Apply, Below, Column, Constant, Cut, IsNull, Not, OneOf, Predicate, Term
from hudi_core.expr.row import truth_of
from hudi_core.functions.record import Function
from hudi_core.functions.registry import FUNCTIONS
from hudi_core.pruning.statistics import from_values
from hudi_core.pruning.store import FileStatistics, StatisticsPart
from hudi_core.truth import FALSE, NULL, TRUE, Truth
from hudi_core.types import nodes as t
from hudi_core.values.order import equal, is_ordered, less, sort_key
from tests.support.calls import calls_of
from tests.support.drawing import cases
from tests.support.strategies import values_of

COLUMN = 1
_NOT_COMPARED = {
    *("map", "map_keys", "map_values", "get_field", "split", "array", "->", "filter", "transform", "named_struct"),
    *("->*", "#", "(,)", "map_entries", "zip_with", "map_filter", "transform_keys", "transform_values"),
    *(
        "array_distinct",
        "array_union",
        "array_intersect",
        "array_except",
        "sort_array",
        "array_remove",
        "slice",
        "flatten",
        "array_append",
        "array_prepend",
        "array_insert",
        "array_compact",
        "array_repeat",
        "array_sort",
        "map_concat",
        "map_from_arrays",
        "map_from_entries",
        "regexp_extract_all",
        "json_object_keys",
    ),
}
"""Functions that give arrays, maps and structs, of which no comparison is taken back to a column."""
COMPARED = [known for known in FUNCTIONS if known.arity.stop > 1 and known.name not in _NOT_COMPARED]
"""Functions of some argument that give values with an order."""
_OF_NESTED = {"size", "array_size", "array_max", "array_min", "arrays_overlap", "exists", "forall"}
BOUNDED = [known for known in COMPARED if known.name not in _OF_NESTED]
"""Those that take a column with bounds."""


@pytest.mark.one_of(2)
@pytest.mark.parametrize("known", COMPARED, ids=lambda known: known.name)
@settings(max_examples=cases(40, part=6), deadline=None)
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


@pytest.mark.one_of(2)
@pytest.mark.parametrize("known", BOUNDED, ids=lambda known: known.name)
@settings(max_examples=cases(15), deadline=None)
@given(data=st.data())
def test_no_row_is_lost_by_the_bounds_of_a_column_that_a_function_is_compared_of(
    known: Function, data: st.DataObject
) -> None:
    """PRUNE-2: whatever is TRUE, FALSE or NULL of a row is possible in its file."""
    types, of = data.draw(calls_of(known).types)
    assume(types and is_ordered(of))
    variable = data.draw(st.integers(0, len(types) - 1))
    assume(not isinstance(types[variable], t.Nested))
    values = [data.draw(calls_of(known).values(place, source)) for place, source in enumerate(types)]
    term = _term(known, types, values, variable, of)
    drawn = [data.draw(st.none() | calls_of(known).values(variable, types[variable])) for _ in range(6)]
    shown = [(row, _value(known, types, values, variable, row, of)) for row in drawn]
    bounded = isinstance(of, t.Date | t.Timestamp)  # beyond its type's range a comparison is made as if there were none
    rows = [(row, value) for row, value in shown if not (bounded and value is None and row is not None)]
    assume(rows)
    against = data.draw(
        st.sampled_from([value for _, value in rows if value is not None] or [data.draw(values_of(of))])
    )
    after, size = data.draw(st.booleans()), data.draw(st.integers(1, 3))
    files = [rows[begin : begin + size] for begin in range(0, len(rows), size)]
    store = _store(types[variable], [[row for row, _ in held] for held in files])

    def below(value: Any) -> bool | None:
        return None if value is None else less(value, against, of) or (after and equal(value, against, of))

    def same(value: Any) -> bool | None:
        return None if value is None else equal(value, against, of)

    forms: list[tuple[Predicate, Callable[[Any], bool | None]]] = [
        (preimage.below(term, Cut(against, after)), below),
        (Below(term, Cut(against, after)), below),
        (preimage.one_of(term, (against,)), same),
        (OneOf(term, (against,)), same),
        (preimage.is_null(term), lambda value: value is None),
        (IsNull(term), lambda value: value is None),
    ]
    for predicate, meaning in forms:
        positive, negative = store.plan(predicate), store.plan(Not(predicate))
        for number, held in enumerate(files):
            truths = {_logic(meaning(value)) for _, value in held}
            assert truths <= positive.outcomes(number), predicate
            assert {~truth for truth in truths} <= negative.outcomes(number), predicate


def _store(of: t.Type, files: list[list[Any]]) -> FileStatistics:
    """Statistics of files with these values of a column."""
    present = [[value for value in held if value is not None] for held in files]
    real = [[value for value in held if value == value] for held in present]
    lower, upper = (
        [choose(held, key=lambda value: sort_key(value, of), default=None) for held in real] for choose in (min, max)
    )
    nulls = [sum(value is None for value in held) for held in files]
    nans = [len(held) > len(known) for held, known in zip(present, real, strict=True)]
    statistics = from_values(of, lower, upper, nulls, list(map(len, files)), nans)
    return FileStatistics(len(files), lambda _: [StatisticsPart(np.arange(len(files)), statistics)])


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
