"""Orders of rows and their cuts into files.

Also covers: `cluster/cuts.py`, `cluster/sort_keys.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_arrow.types import to_arrow
from hudi_core.cluster.cuts import cuts
from hudi_core.cluster.layout import CurveLayout, LinearLayout, Strategy, layout
from hudi_core.cluster.sort_keys import SortKeys, concatenate, refuse_unsortable, row_order, sort_keys, sort_keys_of
from hudi_core.columns.nodes import EnumColumn, NullColumn, PrimitiveColumn
from hudi_core.columns.strings import string_column
from hudi_core.errors import UsageError
from hudi_core.schema.schema import Schema
from hudi_core.table.engines import load_engine
from hudi_core.types import nodes as t
from hudi_core.values.order import sort_key

ENGINE = load_engine("arrow")
NUMBERS = Schema(t.Record((t.Field(0, "v", t.Long(), optional=True),)))
DOUBLES = Schema(t.Record((t.Field(0, "v", t.Double(), optional=True),)))
STRATEGIES = pytest.mark.parametrize("strategy", list(Strategy))


def longs(values: Sequence[int] | np.ndarray, present: np.ndarray | None = None) -> SortKeys:
    return sort_keys(PrimitiveColumn(np.asarray(values, np.int64), present), t.Long())


def doubles(values: Sequence[float] | np.ndarray) -> SortKeys:
    return sort_keys(PrimitiveColumn(np.asarray(values, np.float64)), t.Double())


def strings(values: Sequence[str]) -> SortKeys:
    return sort_keys(string_column(values), t.String())


def boxes(files: np.ndarray, values: np.ndarray) -> list[tuple[Any, Any]]:
    return [(values[files == file].min(), values[files == file].max()) for file in np.unique(files)]


def kept(files: np.ndarray, values: np.ndarray, picked: np.ndarray) -> float:
    """How many files a predicate on one value keeps, on average."""
    ranges = boxes(files, values)
    return float(np.mean([sum(low <= value <= high for low, high in ranges) for value in picked]))


VALUES = {
    "long": (t.Long(), st.none() | st.integers(-(2**63), 2**63 - 1)),
    "double": (t.Double(), st.none() | st.floats()),
    "string": (t.String(), st.none() | st.text(max_size=20)),
    "binary": (t.Binary(), st.none() | st.binary(max_size=20)),
    "decimal": (t.Decimal(20, 3), st.none() | st.decimals(-(10**16), 10**16, places=3)),
    "date": (t.Date(), st.none() | st.integers(-800_000, 800_000)),
    "boolean": (t.Boolean(), st.none() | st.booleans()),
}


@pytest.mark.parametrize("kind", VALUES)
@given(st.data())
def test_ranks_and_places_are_those_of_the_order_of_values(kind: str, data: st.DataObject) -> None:
    """CLUSTER-3: nulls first, NaN last, strings by all their bytes."""
    type_, some = VALUES[kind]
    values = data.draw(st.lists(some, min_size=1, max_size=12))
    schema = Schema(t.Record((t.Field(0, "v", type_, optional=True),)))
    batches = [pa.record_batch({"v": pa.array(part, to_arrow(type_))}) for part in (values[:3], values[3:])]
    keys = concatenate([sort_keys_of(ENGINE, schema, batch, [("v",)])[0] for batch in batches])
    order: list[Any] = [None if value is None else sort_key(value, type_) for value in values]
    distinct = sorted({key for key in order if key is not None})
    wanted = [0 if key is None else distinct.index(key) + 1 for key in order]
    ranks = keys.ranks().tolist()
    zeros = {0.0, -0.0} if kind == "double" else set()
    if not any(value in zeros and math.copysign(1, value) < 0 for value in values if isinstance(value, float)):
        assert ranks == wanted
    chosen = np.array(sorted(data.draw(st.sets(st.integers(0, len(values) - 1)))), np.int64)
    among = keys.values(chosen)
    places = keys.places(among).tolist()
    known = {ranks[other] for other in chosen.tolist()} - {0}
    below = [2 * sum(other < rank for other in known) + 1 + (rank in known) for rank in ranks]
    assert places == [0 if rank == 0 else place for rank, place in zip(ranks, below, strict=True)]


def test_enumerations_compare_by_symbol_and_columns_of_nulls_with_any_other() -> None:
    """CLUSTER-3."""
    codes = EnumColumn(np.array([0, 1, 2], np.int32), ("pear", "apple", "fig"))
    assert sort_keys(codes, t.Enumeration("e", ("pear", "apple", "fig"))).ranks().tolist() == [3, 1, 2]
    for column in (strings(["b", "a"]), longs([2, 1])):
        kind = t.String() if column.items is not None and not isinstance(column.items, np.ndarray) else t.Long()
        assert concatenate([column, sort_keys(NullColumn(2), kind)]).ranks().tolist() == [2, 1, 0, 0]


@given(
    st.sampled_from([1 << 8, 1 << 40, (1 << 63) - 1]),
    st.integers(1, 3),
    st.lists(st.integers(-(1 << 63), (1 << 63) - 1), max_size=40),
)
def test_rows_are_ordered_by_columns_of_any_span(span: int, columns: int, numbers: list[int]) -> None:
    """CLUSTER-4: equal rows stay in their order, whether the columns fit in one number or not."""
    drawn = np.array(numbers[: len(numbers) // columns * columns], np.int64).reshape(columns, -1) % span
    mixed = [*drawn[:-1], drawn[-1].astype(np.uint64) << np.uint64(1)]
    assert row_order(mixed).tolist() == sorted(range(drawn.shape[1]), key=lambda row: drawn[:, row].tolist())


@pytest.mark.parametrize(
    "columns",
    [
        [[0, (1 << 63) - 1, 1]],
        [[1, (1 << 63) - 1, 1]],
        [[-(1 << 63), (1 << 63) - 1, 0]],
        [[0, (1 << 62) - 1, 1], [1, 0, 1]],
        [[0, 0, 0], [0, (1 << 63) - 1, 5], [7, 7, 7]],
    ],
    ids=["2**63", "one-less", "2**64", "two-columns", "beside-constants"],
)
def test_spans_about_the_greatest_number_are_no_overflow(columns: list[list[int]]) -> None:
    """CLUSTER-4: the values of these columns span exactly 2**63, one less, more."""
    drawn = np.array(columns, np.int64)
    assert row_order(list(drawn)).tolist() == sorted(range(3), key=lambda row: drawn[:, row].tolist())


@STRATEGIES
@pytest.mark.parametrize(
    "values", [[0.0, math.nan, 1.0, 2.0], [0, (1 << 63) - 1, 1, 2], [-(1 << 63), (1 << 63) - 1, 0, None]]
)
def test_rows_of_any_values_have_a_layout(strategy: Strategy, values: list[float | None]) -> None:
    """CLUSTER-4: as far apart as values can be, by one column and by two."""
    kind = pa.float64() if any(isinstance(value, float) for value in values) else pa.int64()
    drawn = pa.record_batch({"v": pa.array(values * 8, kind)})
    schema = NUMBERS if kind == pa.int64() else DOUBLES
    keys = sort_keys_of(ENGINE, schema, drawn, [("v",), ("v",)])
    made = layout(strategy, keys, 3)
    files = made.file_of(keys)
    order = made.order(keys)
    assert sorted(order.tolist()) == list(range(len(drawn)))
    assert (np.diff(files[order]) >= 0).all()
    assert strategy is not Strategy.LINEAR or (np.diff(keys[0].ranks()[order]) >= 0).all()


def test_codes_are_in_the_order_of_values() -> None:
    """CLUSTER-3: nulls first."""
    for values in ([3, 1, 2, 1], [5, None, -(1 << 63), 7]):
        keys = sort_keys_of(ENGINE, NUMBERS, pa.record_batch({"v": pa.array(values, pa.int64())}), [("v",)])[0]
        order = sorted(range(4), key=lambda row: (values[row] is not None, values[row] or 0))
        assert np.argsort(keys.codes(), kind="stable").tolist() == order


def test_columns_without_an_order_are_refused() -> None:
    item = t.Field(2, "element", t.Long())
    schema = Schema(t.Record((t.Field(0, "n", t.Long()), t.Field(1, "list", t.Array(item)))))
    refuse_unsortable(schema, [("n",)])
    for path in (("list",), ("list", "element"), ("missing",)):
        with pytest.raises(UsageError):
            refuse_unsortable(schema, [path])


@STRATEGIES
@given(st.lists(st.tuples(st.integers(0, 5), st.text(max_size=3)), min_size=1, max_size=60), st.integers(1, 9))
def test_a_layout_puts_each_row_into_one_file_and_orders_it_there(
    strategy: Strategy, rows: list[tuple[int, str]], files: int
) -> None:
    """CLUSTER-4, CLUSTER-8: a permutation of the rows; equal rows go to one file."""
    keys = [longs([row[0] for row in rows]), strings([row[1] for row in rows])]
    made = layout(strategy, keys, files)
    file_of = made.file_of(keys)
    assert file_of.min() >= 0
    assert file_of.max() < made.files
    assert {row: set(file_of[[other == row for other in rows]].tolist()) for row in rows} == {
        row: {int(file)} for row, file in zip(rows, file_of.tolist(), strict=True)
    }
    order = made.order(keys)
    assert sorted(order.tolist()) == list(range(len(rows)))
    if strategy is Strategy.LINEAR:
        assert [rows[row] for row in order] == sorted(rows, key=lambda row: (row[0], row[1].encode()))
        assert (np.diff(file_of[order]) >= 0).all()


def test_linear_files_have_ranges_that_touch_at_most() -> None:
    """CLUSTER-4, CLUSTER-5: of rows that the sample has not, too."""
    chance = np.random.default_rng(4)
    numbers, texts = chance.integers(0, 500, 20_000), [f"a long prefix {value:05}" for value in range(20_000)]
    for values, column in ((numbers, longs(numbers)), (np.arange(20_000), strings(texts))):
        some = chance.choice(20_000, 2_000, replace=False)
        made = layout(Strategy.LINEAR, [column.take(some)], 16)
        ranges = boxes(made.file_of([column]), values)
        assert len(ranges) == 16
        assert all(before[1] <= after[0] for before, after in pairwise(ranges))


def test_files_are_about_even_and_boundaries_move_to_gaps() -> None:
    """CLUSTER-6."""
    strength = np.ones(1000, np.int64)
    strength[[0, 240, 510, 770]] = 3
    assert cuts(strength, 4).tolist() == [240, 510, 770]
    assert cuts(np.zeros(1000, np.int64), 4).tolist() == []
    assert cuts(strength, 1).tolist() == cuts(np.zeros(0, np.int64), 5).tolist() == []


def test_a_value_that_fills_a_file_has_files_of_its_own() -> None:
    """CLUSTER-7."""
    values = np.random.default_rng(5).permutation(np.concatenate([np.full(5_000, 70), np.arange(5_000) % 100]))
    second = np.arange(10_000) * 7919 % 10_000
    keys = [longs(values), longs(second)]
    files = layout(Strategy.LINEAR, keys, 10).file_of(keys)
    holding = np.unique(files[values == 70])
    assert len(holding) >= 5
    assert set(values[np.isin(files, holding)].tolist()) == {70}


@pytest.mark.parametrize(("rows", "alone"), [(4, True), (3, False)], ids=["one-file", "a-row-less"])
def test_a_value_that_fills_exactly_one_file_has_that_file(rows: int, alone: bool) -> None:
    """CLUSTER-7: of 12 rows in three files."""
    values = np.concatenate([[-1, -2], np.full(rows, 5), np.arange(10 - rows) + 20])
    files = layout(Strategy.LINEAR, [longs(values)], 3).file_of([longs(values)])
    assert set(files[values != 5].tolist()).isdisjoint(files[values == 5].tolist()) is alone


def test_skipping_along_a_curve_is_alike_for_columns_of_any_scale_and_skew() -> None:
    """CLUSTER-8: 64 files, a timestamp, an id and an amount; a sort by the first column skips by that alone."""
    chance = np.random.default_rng(6)
    rows = 64_000
    times, ids = chance.integers(0, 90 * 86_400_000_000, rows), chance.integers(0, 5_000, rows)
    amounts = chance.lognormal(3, 1, rows)
    keys, columns = [longs(times), longs(ids), doubles(amounts)], (times, ids, amounts)
    sample = [column.take(chance.choice(rows, 16_000, replace=False)) for column in keys]
    picked = chance.choice(rows, 100, replace=False)
    for strategy in (Strategy.ZORDER, Strategy.HILBERT):
        files = layout(strategy, sample, 64).file_of(keys)
        assert len(np.unique(files)) == 64
        assert max(kept(files, column, column[picked]) for column in columns) <= 24
    files = layout(Strategy.LINEAR, sample, 64).file_of(keys)
    assert kept(files, times, times[picked]) <= 1.1
    assert kept(files, ids, ids[picked]) > 48


@STRATEGIES
def test_nulls_and_nan_have_places_of_their_own(strategy: Strategy) -> None:
    """CLUSTER-3, CLUSTER-8."""
    chance = np.random.default_rng(7)
    values = np.where(chance.random(4_000) < 0.3, math.nan, chance.random(4_000))
    present = chance.random(4_000) < 0.7
    keys = [doubles(values), longs(chance.integers(0, 9, 4_000), present)]
    files = layout(strategy, keys, 16).file_of(keys)
    with_nan = np.unique(files[np.isnan(values)])
    assert len(with_nan) <= 6
    assert np.bincount(files).max() < 1_000


def test_the_layout_refuses_what_it_cannot_do() -> None:
    with pytest.raises(UsageError, match="at most 64 columns"):
        layout(Strategy.ZORDER, [longs([1])] * 65, 2)
    with pytest.raises(UsageError, match="columns to order by"):
        layout(Strategy.LINEAR, [], 2)
    assert isinstance(layout(Strategy.HILBERT, [longs([1, 2])], 2), LinearLayout)
    assert isinstance(layout(Strategy.HILBERT, [longs([1, 2])] * 2, 2), CurveLayout)
