"""Arrays in Arrow's other layouts give the answers of plain ones."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_arrow.arrays import from_values, to_values
from hudi_arrow.values import ArrowValues
from hudi_core.expr.predicate import Cut
from hudi_core.functions.record import Function
from hudi_core.functions.registry import function
from hudi_core.functions.scalar.like import AnyRun
from hudi_core.types import nodes as t
from hudi_core.values.text import to_text

VALUES = ArrowValues()
DAY = 86_400

LAYOUTS: list[tuple[str, pa.Array, t.Type]] = [
    ("dictionary", pa.array(["b", None, "a", "b"]).dictionary_encode(), t.String()),
    ("dictionary with null in it", pa.DictionaryArray.from_arrays([0, 1, 2], ["b", None, "a"]), t.String()),
    ("large text", pa.array(["b", None, "a"], pa.large_string()), t.String()),
    ("text view", pa.array(["b", None, "a" * 20], pa.string_view()), t.String()),
    ("bytes view", pa.array([b"b", None, b"a" * 20], pa.binary_view()), t.Binary()),
    ("large bytes", pa.array([b"b", None, b"\xff"], pa.large_binary()), t.Binary()),
    ("runs", pa.RunEndEncodedArray.from_arrays([2, 3], pa.array([5, None], pa.int32())), t.Int()),
    ("int8", pa.array([5, None, -1], pa.int8()), t.Int()),
    ("uint32", pa.array([5, None, 2**32 - 1], pa.uint32()), t.Long()),
    ("uint64", pa.array([5, None, 2**64 - 1], pa.uint64()), t.Decimal(20, 0)),
    ("half floats", pa.array([1.5, None, float("nan")], pa.float16()), t.Float()),
    ("seconds", pa.array([5, None, -1], pa.timestamp("s")), t.Timestamp(t.Unit.MILLIS, zoned=False)),
    ("another zone", pa.array([5, None, -1], pa.timestamp("us", "Europe/Berlin")), t.Timestamp()),
    ("seconds of day", pa.array([5, None, 7], pa.time32("s")), t.Time(t.Unit.MILLIS)),
    ("days in milliseconds", pa.array([DAY * 1000, None, -DAY * 1000], pa.date64()), t.Date()),
    ("small decimals", pa.array([Decimal("1.50"), None, Decimal("-2.00")], pa.decimal64(10, 2)), t.Decimal(10, 2)),
    ("wide decimals", pa.array([Decimal("1.50"), None, Decimal("-2.00")], pa.decimal256(50, 2)), t.Decimal(50, 2)),
    ("binary UUIDs", pa.array([b"\1" * 16, None, b"\2" * 16], pa.uuid()), t.Uuid(t.Fixed(16))),
]


@pytest.fixture(params=LAYOUTS, ids=lambda layout: layout[0])
def column(request: pytest.FixtureRequest) -> tuple[pa.Array, pa.Array, t.Type]:
    """An array, the same values in the type's own layout, and the type."""
    _, array, of = request.param
    return array, from_values(to_values(array, of), of), of


def both(
    operation: Callable[[pa.Array], pa.Array], column: tuple[pa.Array, pa.Array, t.Type], to: t.Type
) -> tuple[list[Any], list[Any]]:
    """What an operation gives on the one and on the other, as values of `to`."""
    array, plain, _ = column
    return to_values(operation(array), to), to_values(operation(plain), to)


def test_comparisons(column: tuple[pa.Array, pa.Array, t.Type]) -> None:
    *_, of = column
    value = next(value for value in to_values(column[1], of) if value is not None)
    for operation in (
        lambda a: VALUES.below(a, Cut(value, True), of),
        lambda a: VALUES.one_of(a, (value,), of),
        lambda a: VALUES.less(a, column[1], True, of),
        lambda a: VALUES.less(column[1], a, True, of),
        VALUES.is_null,
    ):
        found, wanted = both(operation, column, t.Boolean())
        assert found == wanted and True in found


def test_literals_are_in_the_values_that_were_meant() -> None:
    seconds = pa.array([5], pa.timestamp("s"))
    assert VALUES.one_of(seconds, (5000,), t.Timestamp(t.Unit.MILLIS, zoned=False)).to_pylist() == [True]


def test_choice_between_layouts(column: tuple[pa.Array, pa.Array, t.Type]) -> None:
    array, plain, of = column
    when = pa.array([True] * len(array))
    for then, otherwise in ((array, plain), (plain, array)):
        assert repr(to_values(VALUES.choose(when, then, otherwise, of), of)) == repr(to_values(plain, of))


def test_functions(column: tuple[pa.Array, pa.Array, t.Type]) -> None:
    *_, of = column
    calls: list[tuple[Function, t.Type]] = []
    match of:
        case t.String():
            calls = [(function("upper"), of), (function("length"), t.Int()), (function("trim"), of)]
            assert both(lambda a: VALUES.matches(a, ("a", AnyRun())), column, t.Boolean())[0].count(True) == 1
        case t.Timestamp() | t.Date():
            calls = [(function("year"), t.Int()), (function("unix_timestamp"), t.Long())]
        case t.Int() | t.Long() | t.Float() | t.Decimal():
            calls = [(function("abs"), of), (function("cast"), t.String())]
        case t.Binary():
            calls = [(function("length"), t.Int())]
        case t.Time() | t.Uuid():
            pytest.skip("no function takes the type")
    for known, to in calls:
        found, wanted = both(lambda a, f=known, to=to: VALUES.apply(f, [a], [of], to), column, to)
        assert repr(found) == repr(wanted)


def test_conversions(column: tuple[pa.Array, pa.Array, t.Type]) -> None:
    *_, of = column
    to = t.Binary() if isinstance(of, t.String) else t.Double() if isinstance(of, t.Int | t.Long | t.Float) else of
    found, wanted = both(lambda a: VALUES.convert(a, of, to), column, to)
    assert repr(found) == repr(wanted)


def test_lists_of_every_kind_are_taken_apart() -> None:
    of = t.Array(t.Field(0, "element", t.Int()))
    rows = [[1, None], None, [3, 4]]
    inner = pa.int32()
    kinds = [pa.list_(inner), pa.large_list(inner), pa.list_(inner, 2), pa.list_view(inner), pa.large_list_view(inner)]
    for kind in kinds:
        array = pa.array([[9, 9], *rows], kind).slice(1)
        assert to_values(array, of) == [(1, None), None, (3, 4)], kind
        doubled = VALUES.elements(array, of.element, lambda items: VALUES.convert(items, t.Int(), t.Long()))
        doubled.validate(full=True)
        assert doubled.to_pylist() == rows


def test_elements_below_a_null_list_are_ignored() -> None:
    hiding = pa.ListArray.from_arrays(
        pa.array([0, 1, 2], pa.int32()), pa.array(["1970-01-02", "nonsense"]), mask=pa.array([False, True])
    )
    read = VALUES.elements(
        hiding, t.Field(0, "element", t.Date()), lambda items: VALUES.convert(items, t.String(), t.Date())
    )
    assert to_values(read, t.Array(t.Field(0, "element", t.Date()))) == [(1,), None]


def test_unions_in_sparse_layout() -> None:
    union = t.Union((t.Field(0, "member0", t.Int(), False), t.Field(1, "member1", t.String(), False)))
    sparse = pa.UnionArray.from_sparse(
        pa.array([0, 1, 0], pa.int8()), [pa.array([1, None, 3], pa.int32()), pa.array([None, "b", None])]
    )
    assert to_values(sparse, union) == [(0, 1), (1, "b"), (0, 3)]
    assert VALUES.branch(sparse.slice(1), 0).to_pylist() == [None, 3]


@settings(deadline=None)
@given(
    st.lists(
        st.none()
        | st.just(0.0)
        | st.floats(0.0078125, 8_388_608.0, width=32)
        | st.floats(-8_388_608.0, -0.0078125, width=32)
    )
)
def test_strings_of_plain_floats_are_those_of_java(rows: list[float | None]) -> None:
    for of in (t.Float(), t.Double()):
        found = VALUES.convert(from_values(rows, of), of, t.String()).to_pylist()
        assert found == [None if row is None else to_text(row, of) for row in rows]


@pytest.mark.parametrize(
    "numbers",
    [
        [*range(-3, 3)] * 5 + [None],
        [2**63 - 1, 2**63 - 2] * 10,
        [-(2**63), None, -(2**63)],
        [-(2**63), 2**63 - 1] * 4,
        [None, None],
        [],
    ],
    ids=str,
)
def test_numbers_close_together_and_far_apart_have_the_same_digits(numbers: list[int | None]) -> None:
    column = pa.array(numbers, pa.int64())
    expected = [None if number is None else str(number) for number in numbers]
    text = VALUES.apply(function("cast"), [column], [t.Long()], t.String())
    assert to_values(text, t.String()) == expected
    assert VALUES.is_null(text).to_pylist() == [number is None for number in numbers]
    assert VALUES.matches(text, ("-", AnyRun())).to_pylist() == [
        number is not None and number < 0 for number in numbers
    ]
    assert VALUES.matches(text, ()).to_pylist() == [False] * len(numbers)
    shown = VALUES.replace(text, VALUES.is_null(text), "none", t.String())
    assert to_values(shown, t.String()) == [text or "none" for text in expected]
    assert VALUES.join([shown]).type == pa.string()


HALVES = st.builds(
    lambda whole, places: (2 * whole + 1) / 2 / 10**places, st.integers(-(10**7), 10**7), st.integers(0, 5)
)
"""Doubles next to which two numbers of so many places are equally near, or almost."""
INTS = st.one_of(st.integers(-9, 9), st.sampled_from([2**31 - 1, -(2**31), 2**31 - 2, 1 - 2**31]))


def like_the_record(name: str, columns: list[list[Any]], types: list[t.Type], to: t.Type) -> None:
    """Asserts that the engine gives what the function's record does, row by row."""
    meaning = function(name)
    got = VALUES.apply(meaning, [from_values(values, of) for values, of in zip(columns, types, strict=True)], types, to)
    wanted = [
        None if any(part is None for part in row) else meaning.apply(row, types, to)
        for row in zip(*columns, strict=True)
    ]
    assert list(map(repr, to_values(got, to))) == list(map(repr, wanted))


@settings(deadline=None)
@given(st.lists(st.none() | st.floats() | HALVES, min_size=1), st.integers(-2, 17))
def test_doubles_are_rounded_as_their_shortest_texts_are(values: list[float | None], places: int) -> None:
    """FUNC-13, ENGINE-1388."""
    like_the_record("round", [values, [places] * len(values)], [t.Double(), t.Int()], t.Double())
    like_the_record("round", [values], [t.Double()], t.Double())


@settings(deadline=None)
@given(st.lists(st.none() | st.decimals(-99999, 99999, places=3), min_size=1), st.integers(0, 4))
def test_decimals_are_rounded_half_up(values: list[Decimal | None], places: int) -> None:
    """FUNC-13, ENGINE-1388."""
    scale = min(places, 3)
    to = t.Decimal(6 + scale, scale)
    like_the_record("round", [values, [places] * len(values)], [t.Decimal(8, 3), t.Int()], to)


@settings(deadline=None)
@given(st.lists(st.tuples(st.none() | INTS, st.none() | INTS), min_size=1))
def test_remainders_are_raised_by_the_divisor(pairs: list[tuple[int | None, int | None]]) -> None:
    """FUNC-19, ENGINE-1388."""
    columns = [[pair[0] for pair in pairs], [pair[1] for pair in pairs]]
    for of in (t.Int(), t.Long()):
        like_the_record("pmod", columns, [of, of], of)


@settings(deadline=None)
@given(
    st.lists(st.none() | st.text("ab\u00e9\U0001f600."), min_size=1),
    st.text("ab\u00e9\U0001f600.", max_size=3),
    st.text("b.", max_size=3),
)
def test_texts_are_exchanged(values: list[str | None], part: str, by: str) -> None:
    """FUNC-15, ENGINE-1388."""
    count = len(values)
    like_the_record("replace", [values, [part] * count, [by] * count], [t.String()] * 3, t.String())
    like_the_record("replace", [values, [part] * count], [t.String()] * 2, t.String())


@pytest.mark.parametrize("coded", [False, True])
def test_words_have_letters_of_all_scripts(coded: bool) -> None:
    """FUNC-1390: RE2 knows those of ASCII alone."""
    array = pa.array(["un \u00e9lan", "un elan", None, "\u00e9t\u00e9lan", "elan"])
    array = array.dictionary_encode() if coded else array
    assert VALUES.matches(array, r"\b[\u00e9e]lan").to_pylist() == [True, True, False, False, True]
    assert VALUES.matches(array.slice(1, 1), r"\b[\u00e9e]lan").to_pylist() == [True]
    assert VALUES.matches(array, r"\B.lan").to_pylist() == [False, False, False, True, False]
