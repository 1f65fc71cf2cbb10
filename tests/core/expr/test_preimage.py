"""Functions taken back to their column: exactly the values for which the comparison holds, over whole ranges of values.

Also covers: `expr/inverse.py`.
"""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.expr.inverse import limits, position, value_at
from hudi_core.expr.predicate import (
    Apply,
    Below,
    Column,
    Constant,
    Cut,
    OneOf,
    Predicate,
    Term,
    columns_of,
    parts_of,
    terms_of,
)
from hudi_core.expr.preimage import below, is_null, one_of
from hudi_core.functions.record import Function
from hudi_core.functions.registry import function
from hudi_core.rows.truth import truth_masks
from hudi_core.schema.schema import Schema
from hudi_core.truth import Truth
from hudi_core.types import nodes as t
from hudi_core.values.domain import INT_RANGE, LONG_RANGE, to_binary32
from hudi_core.values.order import distinct
from hudi_plain.values import PlainValues

INT, L, F, D, P = (Column(0, "x", of) for of in (t.Int(), t.Long(), t.Float(), t.Double(), t.Decimal(4, 1)))
DT, TS, MS, S, B = (
    Column(0, "x", of) for of in (t.Date(), t.Timestamp(), t.Timestamp(t.Unit.MILLIS), t.String(), t.Boolean())
)


def cast(column: Column, to: t.Type) -> Apply:
    return Apply(function("cast"), (column,), to)


def call(function: Function, of: t.Type, *arguments: Term | Any) -> Apply:
    types: dict[type, t.Type] = {int: t.Int(), float: t.Double(), str: t.String(), Decimal: t.Decimal(2, 1)}
    given = (a if isinstance(a, Column | Apply) else Constant(a, types[type(a)]) for a in arguments)
    return Apply(function, tuple(given), of)


TAKEN_BACK: list[Apply] = [
    *(call(function("+"), t.Int(), INT, by) for by in (0, 1, -1, 2**31 - 1, -(2**31))),
    *(call(function("-"), t.Int(), INT, by) for by in (1, -1, -(2**31))),
    *(call(function("-"), t.Int(), by, INT) for by in (0, 5, -5, 2**31 - 1, -(2**31))),
    call(function("negative"), t.Int(), INT),
    call(function("abs"), t.Int(), INT),
    call(function("negative"), t.Double(), D),
    call(function("abs"), t.Double(), D),
    call(function("+"), t.Double(), D, 0.1),
    call(function("-"), t.Double(), 1e16, D),
    *(call(function("*"), t.Double(), D, by) for by in (2.0, -0.3, 1e-200, 1e200)),
    *(call(function("/"), t.Double(), D, by) for by in (3.0, -1e-200)),
    call(function("+"), t.Decimal(5, 1), P, Decimal("1.5")),
    call(function("*"), t.Decimal(7, 2), P, Decimal("-1.5")),
    call(function("abs"), t.Decimal(4, 1), P),
    cast(INT, t.Long()),
    cast(INT, t.Float()),
    cast(INT, t.Double()),
    cast(INT, t.Decimal(12, 2)),
    cast(L, t.Float()),
    cast(L, t.Double()),
    cast(L, t.Timestamp()),
    cast(F, t.Double()),
    cast(D, t.Float()),
    cast(D, t.Int()),
    cast(D, t.Long()),
    cast(P, t.Int()),
    cast(P, t.Double()),
    cast(P, t.Decimal(6, 2)),
    cast(P, t.Decimal(5, 0)),
    cast(B, t.Int()),
    cast(TS, t.Date()),
    cast(TS, t.Long()),
    cast(TS, t.Double()),
    cast(MS, t.Date()),
    call(function("year"), t.Int(), DT),
    call(function("year"), t.Int(), TS),
    call(function("date_add"), t.Date(), DT, 40),
    call(function("date_sub"), t.Date(), DT, 2**31 - 1),
    call(function("unix_timestamp"), t.Long(), TS),
    call(function("year"), t.Int(), call(function("date_add"), t.Date(), DT, 1)),
    call(function("abs"), t.Int(), call(function("-"), t.Int(), INT, 7)),
    *(call(function("substring"), t.String(), S, 1, count) for count in (-1, 0, 1, 2, 5)),
    *(call(function, t.Long(), column) for function in (function("ceil"), function("floor")) for column in (D, F)),
    *(call(function, t.Decimal(4), P) for function in (function("ceil"), function("floor"))),
    *(call(function("round"), column.type, column, places) for column in (D, F) for places in (0, 1, 7, -1, -40)),
    *(call(function("round"), t.Decimal(4), P, places) for places in (0, -1)),
    call(function("round"), t.Int(), INT, 2),
    *(call(function("/"), t.Int(), INT, by) for by in (1, 7, -7, -1)),
    call(function("unix_date"), t.Int(), DT),
    call(function("-"), t.Int(), 5, call(function("unix_date"), t.Int(), DT)),
]
"""Functions of which nothing must be left."""

LEFT_IN_PART: list[Apply] = [
    *(call(function("*"), t.Int(), INT, by) for by in (3, -3, 2**30)),
    *(call(function("round"), column.type, column, places) for column in (INT, L) for places in (-1, -5)),
    cast(L, t.Int()),
    cast(Column(0, "x", t.Decimal(12)), t.Int()),
    call(function("date_format"), t.String(), DT, "yyyy/MM"),
    call(function("date_format"), t.String(), TS, "yyyy-MM-dd HH"),
    call(function("from_unixtime"), t.String(), L, "yyyy-MM-dd"),
    cast(DT, t.String()),
    cast(TS, t.String()),
    call(function("date_trunc"), t.Timestamp(), "MONTH", TS),
    call(function("date_trunc"), t.Timestamp(), "WEEK", TS),
    call(function("date_trunc"), t.Timestamp(), "MILLISECOND", TS),
]
"""Functions that wrap, or are in order for some values only."""

_DAYS = [0, 1, -1, 18_261, 18_262, 18_627, 2_932_896, 2_932_897, -719_528, -719_529, 100_000_000, -100_000_000]
_DAY = 86_400_000_000
EDGES: dict[type[t.Type], list[Any]] = {
    t.Int: [*INT_RANGE, INT_RANGE[0] + 1, 0, 1, -1, 5, 6, 7, 8, 12, 715_827_882, 715_827_883, 16_777_217],
    t.Long: [
        *LONG_RANGE,
        0,
        1,
        -1,
        2**31,
        2**32,
        -(2**31) - 1,
        2**53 + 1,
        1_705_968_000,
        253_402_300_800,
        -62_167_219_201,
    ],
    t.Double: [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.1,
        1e16,
        1e16 + 2,
        5e-324,
        1.8e308,
        math.inf,
        -math.inf,
        math.nan,
        2147483647.5,
        -3.7,
    ],
    t.Float: [0.0, 1.5, to_binary32(0.1), math.inf, -math.inf, math.nan, 16_777_216.0],
    t.Decimal: [Decimal(text) for text in ("0.0", "1.5", "-1.5", "999.9", "-999.9", "0.1", "-0.5")],
    t.Date: [*INT_RANGE, *_DAYS],
    t.Timestamp: [day * _DAY + rest for day in _DAYS[:-2] for rest in (0, -1)],
    t.String: [
        "",
        "a",
        "ab",
        "abc",
        "abd",
        "b",
        "a\U0010ffff",
        "\U0010ffff",
        "\U0010ffff\U0010ffffz",
        "\ud7ff",
        "\ue000",
    ],
    t.Boolean: [False, True],
}


def values_of(term: Apply) -> list[Any]:
    (column,) = columns_of(Below(term, Cut(0))).values()
    found = EDGES[type(column.type)]
    if isinstance(column.type, t.Decimal) and column.type.scale == 0:
        found = [Decimal(number) for number in (*INT_RANGE, INT_RANGE[1] + 1, 999_999_999_999, 0, 5)]
    if isinstance(column.type, t.Timestamp) and column.type.unit is t.Unit.MILLIS:
        found = [ticks // 1_000 for ticks in found]
    return [*found, None]


def meant(term: Term, value: Any) -> Any:
    """What the function gives, by the functions' own meaning."""
    match term:
        case Constant(fixed):
            return fixed
        case Apply(function, arguments, of):
            return function.apply([meant(argument, value) for argument in arguments], [a.type for a in arguments], of)
        case _:
            return value


def truth(predicate: Predicate, term: Apply, value: Any) -> Truth:
    (column,) = columns_of(Below(term, Cut(0))).values()
    schema = Schema(t.Record((t.Field(0, "x", column.type),)))
    masks = truth_masks(predicate, PlainValues(), (value,), schema)
    (found,) = [outcome for outcome, holds in masks.items() if holds]
    return found


def results_of(term: Apply) -> list[Any]:
    return list(
        distinct(tuple(found for value in values_of(term) if (found := meant(term, value)) is not None), term.type)
    )


def cuts_of(term: Apply) -> list[Any]:
    """What the function gives somewhere, and where its type has them, the values next to these."""
    found, ends = results_of(term), limits(term.type)
    if ends is None:
        return found
    places = {position(value, term.type) + step for value in found for step in (-1, 0, 1)}
    return [value_at(place, term.type) for place in sorted(places) if ends[0] <= place <= ends[1]]


def is_of_columns_only(predicate: Predicate) -> bool:
    return all(isinstance(term, Column) for term in terms_of(predicate)) and all(
        map(is_of_columns_only, parts_of(predicate))
    )


@pytest.mark.one_of(2)
@pytest.mark.parametrize("term", [*TAKEN_BACK, *LEFT_IN_PART], ids=repr)
def test_a_cut_of_the_function_holds_for_just_the_values_for_which_it_holds(term: Apply) -> None:
    for wanted, after in itertools.product(cuts_of(term), (False, True)):
        raw, taken = Below(term, Cut(wanted, after)), below(term, Cut(wanted, after))
        for value in values_of(term):
            if value is None or meant(term, value) is not None:
                assert truth(taken, term, value) is truth(raw, term, value), (wanted, after, value, taken)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("term", [*TAKEN_BACK, *LEFT_IN_PART], ids=repr)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_membership_holds_for_just_the_values_for_which_it_holds(term: Apply, data: st.DataObject) -> None:
    wanted = tuple(data.draw(st.lists(st.sampled_from(results_of(term)), max_size=4)))
    with_null = data.draw(st.booleans())
    raw, taken = OneOf(term, distinct(wanted, term.type), with_null), one_of(term, wanted, with_null)
    for value in values_of(term):
        if value is None or meant(term, value) is not None:
            assert truth(taken, term, value) is truth(raw, term, value), (wanted, value, taken)


@pytest.mark.parametrize("term", TAKEN_BACK, ids=repr)
def test_nothing_is_left_of_a_function_that_is_known_everywhere(term: Apply) -> None:
    wanted = results_of(term)
    middle = wanted[len(wanted) // 2]
    assert is_of_columns_only(below(term, Cut(middle)))
    assert is_of_columns_only(one_of(term, (middle,)))
    assert is_of_columns_only(is_null(term))


@pytest.mark.parametrize(
    "term",
    [
        call(function("%"), t.Int(), INT, 2),
        call(function("month"), t.Int(), DT),
        call(function("quarter"), t.Int(), DT),
        call(function("minute"), t.Int(), TS),
        call(function("/"), t.Int(), INT, 0),
        call(function("round"), t.Int(), INT, -12),
        call(function("lower"), t.String(), S),
        call(function("+"), t.Double(), D, math.inf),
        call(function("*"), t.Double(), D, 0.0),
        call(function("/"), t.Double(), 1.0, D),
        call(function("date_format"), t.String(), DT, "MM-yyyy"),
        call(function("date_format"), t.String(), DT, "yyyy-M"),
        cast(S, t.Int()),
        cast(D, t.Decimal(5, 2)),
        cast(INT, t.Decimal(5, 2)),
        call(function("substring"), t.String(), S, 2, 3),
        call(function("+"), t.Int(), INT, INT),
    ],
    ids=repr,
)
def test_a_function_of_which_nothing_is_known_stays_as_it_is(term: Apply) -> None:
    wanted = {t.String: "b", t.Double: 1.0, t.Decimal: Decimal("1.00")}.get(type(term.type), 1)
    assert below(term, Cut(wanted)) == Below(term, Cut(wanted))
    assert one_of(term, (wanted,)) == OneOf(term, (wanted,))


def test_a_list_too_long_to_be_taken_back_keeps_its_outer_range() -> None:
    term = call(function("*"), t.Double(), D, 3.0)
    found = one_of(term, [float(number) for number in range(1_000)])
    assert columns_of(found) == {0: D} and OneOf(term, tuple(float(number) for number in range(1_000))) in parts_of(
        found
    )
    for value in (-1.0, 0.0, 5.0, 5.1, 333.0, 334.0, math.nan, None):
        assert truth(found, term, value) is truth(OneOf(term, tuple(float(n) for n in range(1_000))), term, value)
