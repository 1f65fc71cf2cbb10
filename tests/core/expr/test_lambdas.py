"""Lambdas, structures compared, and patterns that are values, on rows of plain Python and of Arrow: FUNC-25 to FUNC-27."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from hudi_arrow.arrays import from_values
from hudi_arrow.values import ArrowValues
from hudi_core.errors import ExpressionError
from hudi_core.expr.bind import bind
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import columns_of, unknowns_of
from hudi_core.expr.row import truth_of
from hudi_core.rows.truth import truth_masks
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.truth import FALSE, NULL, TRUE, Truth
from hudi_core.types import nodes as t
from hudi_plain.values import PlainValues

_N, _F, _T = NULL, FALSE, TRUE


def array(of: t.Type) -> t.Array:
    return t.Array(t.Field(0, "element", of))


def record(**columns: t.Type) -> t.Record:
    return t.Record(tuple(t.Field(0, name, of) for name, of in columns.items()))


SCHEMA = Schema(
    record_with_ids(
        record(
            x=t.Int(),
            s=t.String(),
            pattern=t.String(),
            arr=array(t.Int()),
            wide=array(t.Long()),
            items=array(record(price=t.Double(), name=t.String())),
            nested=array(array(t.Int())),
            st=record(a=t.Int(), b=t.String()),
            other=record(A=t.Long(), b=t.String()),
            days=array(t.Date()),
            m=t.Map(t.Field(0, "key", t.String(), optional=False), t.Field(0, "value", t.Int())),
        )
    )
)
NAN = float("nan")
ROWS: list[tuple[Any, ...]] = [
    (
        2,
        "abc",
        "a%",
        (1, 2, 3),
        (1, 2, 3),
        ((1.0, "a"), (9.5, "b")),
        ((1,), (2, 3)),
        (1, "x"),
        (1, "x"),
        (0, 19000),
        (("a", 1), ("b", 5)),
    ),
    (
        9,
        "a%c",
        "a\\%c",
        (1, None),
        (1, None),
        ((None, None), None),
        ((), None),
        (1, None),
        (1, None),
        (None,),
        (("a", None),),
    ),
    (None, "", "", (), (7,), (), (), (None, None), (2, None), (), ()),
    (1, None, "%", None, None, None, None, None, None, None, None),
    (
        0,
        "x\ny",
        "_%y",
        (0,),
        (1 << 40,),
        ((NAN, "n"),),
        ((None,), (0,)),
        (3, "z"),
        (3, "y"),
        (1,),
        (("z", 9), ("b", 0)),
    ),
]


CASES: list[tuple[str, list[Truth]]] = [
    ("exists(arr, e -> e > 2)", [_T, _N, _F, _N, _F]),
    ("exists(arr, e -> e is null)", [_F, _T, _F, _N, _F]),
    ("exists(arr, e -> e = x)", [_T, _N, _F, _N, _T]),
    ("exists(arr, X -> x > 2)", [_T, _N, _F, _N, _F]),
    ("exists(arr, e -> e + x > length(s))", [_T, _T, _F, _N, _F]),
    ("forall(arr, e -> e > 0)", [_T, _N, _T, _N, _F]),
    ("forall(arr, e -> e > 1)", [_F, _F, _T, _N, _F]),
    ("not forall(arr, e -> e > 0)", [_F, _N, _F, _N, _T]),
    ("exists(items, i -> i.price > 9 and i.name = 'b')", [_T, _N, _F, _N, _F]),
    ("exists(items, i -> i.name like 'a%' or st.a = 3)", [_T, _N, _F, _N, _T]),
    ("exists(nested, a -> exists(a, e -> e = x))", [_T, _N, _F, _N, _T]),
    ("exists(nested, a -> exists(a, a -> a = 3))", [_T, _N, _F, _N, _N]),
    ("forall(nested, a -> size(a) < x)", [_F, _T, _T, _N, _F]),
    ("exists(days, d -> year(d) = 2022)", [_T, _N, _F, _N, _F]),
    ("size(filter(arr, e -> e > 1)) = 2", [_T, _F, _F, _F, _F]),
    ("filter(arr, e -> e > 1) = array(2, 3)", [_T, _F, _F, _N, _F]),
    ("transform(arr, e -> e * 2)[1] = 4", [_T, _N, _N, _N, _N]),
    ("element_at(transform(items, i -> i.price), 1) = 1", [_T, _N, _N, _N, _F]),
    ("exists(transform(arr, e -> e = x), found -> found)", [_T, _N, _F, _N, _T]),
    ("exists(transform(arr, (e, i) -> e + i), v -> v = 5)", [_T, _N, _F, _N, _F]),
    ("transform(arr, (e, i) -> i)[1] = 1", [_T, _T, _N, _N, _N]),
    ("exists(transform(arr, (e, i) -> e * i + x), v -> v = 4)", [_T, _N, _F, _N, _F]),
    ("size(filter(arr, (e, i) -> i > 0)) = 2", [_T, _F, _F, _F, _F]),
    ("filter(arr, (E, i) -> i = 0 and e < x) = array(1)", [_T, _T, _F, _N, _F]),
    ("filter(items, (i, n) -> n = 1)[0].name = 'b'", [_T, _N, _N, _N, _N]),
    ("exists(filter(items, (i, n) -> n = 0), i -> i.price = 1)", [_T, _N, _F, _N, _F]),
    ("zip_with(arr, wide, (a, b) -> a + b)[2] = 6", [_T, _N, _N, _N, _N]),
    ("exists(zip_with(arr, wide, (a, b) -> a is null or b is null), e -> e)", [_F, _T, _T, _N, _F]),
    ("zip_with(arr, array(5), (a, b) -> coalesce(a, 0) + b)[0] = 6", [_T, _T, _F, _N, _F]),
    ("size(map_filter(m, (k, v) -> v > 0)) = 1", [_F, _F, _F, _F, _T]),
    ("map_filter(m, (k, v) -> k = 'b' and v < x + 9)['b'] = 5", [_T, _N, _N, _N, _F]),
    ("transform_values(m, (k, v) -> v + length(k))['a'] = 2", [_T, _N, _N, _N, _N]),
    ("transform_keys(m, (k, v) -> upper(k))['B'] = 5", [_T, _N, _N, _N, _F]),
    ("exists(map_entries(m), e -> e.key = 'b' and e.value > 1)", [_T, _F, _F, _N, _F]),
    ("exists(nested, a -> size(filter(a, (e, i) -> e > i + x)) > 0)", [_F, _F, _F, _N, _F]),
    ("aggregate(arr, 0, (a, e) -> a + e) = 6", [_T, _N, _F, _N, _F]),
    ("reduce(arr, x, (a, e) -> a + coalesce(e, 0) * x, a -> a * 10) >= 100", [_T, _T, _N, _N, _F]),
    ("aggregate(items, double(0), (a, i) -> a + i.price, a -> a > length(s)) ", [_T, _N, _F, _N, _T]),
    ("aggregate(arr, s, (a, e) -> concat(a, e), a -> upper(a)) = 'ABC123'", [_T, _N, _F, _N, _F]),
    ("aggregate(nested, 0, (a, n) -> a + size(n)) = 3", [_T, _F, _F, _N, _F]),
    ("aggregate(arr, 0, (a, e) -> if(e > a, e, a)) = 3", [_T, _F, _F, _N, _F]),
    ("arr = array(1, 2, 3)", [_T, _F, _F, _N, _F]),
    ("arr = array(1, null)", [_F, _T, _F, _N, _F]),
    ("arr <> array()", [_T, _T, _F, _N, _T]),
    ("arr = array(1L, 2L, 3L)", [_T, _F, _F, _N, _F]),
    ("arr = wide", [_T, _T, _F, _N, _F]),
    ("wide <=> arr", [_T, _T, _F, _T, _F]),
    ("arr > array(1, 2)", [_T, _F, _F, _N, _F]),
    ("arr between array(0) and array(1, 2)", [_F, _T, _F, _N, _T]),
    ("arr in (array(0), array(1, null))", [_F, _T, _F, _N, _T]),
    ("arr in (array(0), null)", [_N, _N, _N, _N, _T]),
    ("arr not in (array(0), array())", [_T, _T, _F, _N, _F]),
    ("nested = array(array(1), array(2, 3))", [_T, _F, _F, _N, _F]),
    ("items = array(named_struct('price', 1, 'name', 'a'))", [_F, _F, _F, _N, _F]),
    ("items[0] = named_struct('price', double('NaN'), 'name', 'n')", [_F, _F, _N, _N, _T]),
    ("st = named_struct('a', 1, 'b', 'x')", [_T, _F, _F, _N, _F]),
    ("st = other", [_T, _T, _F, _N, _F]),
    ("st < other", [_F, _F, _T, _N, _F]),
    ("st in (struct(1, 'x'), struct(3, 'z'))", [_T, _F, _F, _N, _T]),
    ("coalesce(arr, array(5))[0] = 5", [_F, _F, _N, _T, _F]),
    ("nullif(arr, array(0)) is null", [_F, _F, _F, _T, _T]),
    ("case when x = 2 then arr else wide end[0] = 1", [_T, _T, _F, _N, _F]),
    ("s like pattern", [_T, _T, _T, _N, _T]),
    ("s not like pattern", [_F, _F, _F, _N, _F]),
    ("s like concat('a', '%')", [_T, _T, _F, _N, _F]),
    ("upper(s) ilike pattern", [_T, _T, _T, _N, _T]),
    ("s rlike substr(s, 1, 1)", [_T, _T, _T, _N, _T]),
    ("split(s, '[bx]', 2) = array('a', 'c')", [_T, _F, _F, _N, _F]),
    ("size(split(s, '', x)) = 1", [_F, _F, _F, _F, _F]),
]
"""Conditions, and their truths of the rows."""


@pytest.mark.parametrize(("sql", "truths"), CASES)
def test_rows_have_the_truth_of_spark(sql: str, truths: list[Truth]) -> None:
    predicate = bind(parse_predicate(sql), SCHEMA)
    assert unknowns_of(predicate) == []
    predicate = pickle.loads(pickle.dumps(predicate))
    plain = [truth_masks(predicate, PlainValues(), row, SCHEMA) for row in ROWS]
    assert [next(truth for truth, holds in masks.items() if holds) for masks in plain] == truths
    masks = truth_masks(predicate, ArrowValues(), from_values(ROWS, SCHEMA.record), SCHEMA)
    assert {truth: mask.to_pylist() for truth, mask in masks.items()} == {
        truth: [wanted is truth for wanted in truths] for truth in Truth
    }
    top = {field.id: place for place, field in enumerate(SCHEMA.fields)}
    if columns_of(predicate).keys() <= top.keys():
        assert [truth_of(predicate, {column: row[at] for column, at in top.items()}) for row in ROWS] == truths


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("exists(arr, e -> e)", "a lambda that gives a condition"),
        ("exists(arr, arr)", "a lambda such as"),
        ("aggregate(arr, 0, x) = 1", "a lambda such as"),
        ("aggregate(arr, 0) = 1", "3 to 4 arguments"),
        ("aggregate(x, 0, (a, e) -> a) = 1", "an array in aggregate"),
        ("size(map_filter(arr, (k, v) -> v > 1)) = 1", "a map in map_filter"),
        ("size(zip_with(arr, m, (k, v) -> v)) = 1", "an array in zip_with"),
        ("exists(st, e -> e > 1)", "an array in exists"),
        ("exists(arr, e -> nosuch > e)", "no column nosuch"),
        ("exists(items, i -> i.nosuch > 1)", "no column i.nosuch"),
        ("arr = 3", "a single value to compare"),
        ("st = struct(1, 2)", "comparable"),
        ("st = named_struct('a', 1, 'c', 'x')", "comparable"),
        ("arr = array('a')", "comparable"),
    ],
)
def test_expressions_that_spark_refuses_are_refused(sql: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        bind(parse_predicate(sql), SCHEMA)


def test_an_invalid_pattern_in_a_row_is_an_error() -> None:
    predicate = bind(parse_predicate("s like concat(s, '\\\\')"), SCHEMA)
    with pytest.raises(ExpressionError, match="after the escape character"):
        truth_masks(predicate, PlainValues(), ROWS[0], SCHEMA)


def test_the_columns_of_a_predicate_are_those_around_its_lambdas() -> None:
    predicate = bind(parse_predicate("exists(arr, e -> e > x + st.a)"), SCHEMA)
    assert sorted(column.name for column in columns_of(predicate).values()) == ["arr", "st.a", "x"]
