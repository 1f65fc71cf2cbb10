"""Columns keep their rows whatever is done with them: joined, spread out, cut down to those that are not null.

Also covers: `columns/concat.py`, `columns/slicing.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.columns.concat import concat_columns
from hudi_core.columns.nodes import (
    BinaryColumn,
    Column,
    EnumColumn,
    NullColumn,
    PrimitiveColumn,
    StringColumn,
    StructColumn,
    UnionColumn,
    length,
    mask_column,
    select_nested_column,
    spread,
    to_list,
    validity_of,
)
from hudi_core.columns.slicing import filter_rows, slice_rows, widest, without_nulls
from hudi_core.formats.avro.columns import decode
from tests.support.avro_values import same, written
from tests.support.drawing import cases


def columns(case: tuple[str, list[bytes]]) -> Column:
    schema, records = case
    lengths = np.array([len(item) for item in records], np.int64)
    return decode(schema, b"".join(records), np.cumsum(lengths) - lengths, lengths, "file")


ROOMY = settings(deadline=None, max_examples=cases(60))


@ROOMY
@given(written(), st.integers(0, 60), st.sampled_from([0, 1, 100, 10_000]))
def test_parts_join_to_the_whole(case: tuple[str, list[bytes]], cut: int, rows: int) -> None:
    schema, records = case
    parts = [columns((schema, part)) for part in (records[:cut], records[cut:], records)]
    joined = concat_columns(parts, rows)
    assert same(to_list(joined)) == [row for part in parts for row in same(to_list(part))]
    assert length(joined) == 2 * len(records)


@ROOMY
@given(written(), st.data())
def test_rows_spread_out_have_nulls_between(case: tuple[str, list[bytes]], data: st.DataObject) -> None:
    column = columns(case)
    gaps = np.array(data.draw(st.lists(st.integers(1, 3), min_size=length(column), max_size=length(column))))
    rows = np.cumsum(gaps) - 1
    total = int(rows[-1]) + 2
    assert isinstance(column, StructColumn)
    for field in column.fields.values():
        found = same(to_list(spread(field, rows, total)))
        expected = [None] * total
        for row, value in zip(rows.tolist(), same(to_list(field)), strict=True):
            expected[row] = value
        assert found == expected


def texts(*values: str | None) -> StringColumn:
    data = [(value or "").encode() for value in values]
    offsets = np.cumsum([0, *map(len, data)])
    return StringColumn(
        offsets, np.frombuffer(b"".join(data), np.uint8), np.array([value is not None for value in values])
    )


@pytest.mark.parametrize(
    "column",
    [
        texts("a", None, "bc", None),
        BinaryColumn(*(lambda text: (text.offsets, text.data, text.validity))(texts(None, "x"))),
        PrimitiveColumn(np.array([1, 0, 3]), np.array([True, False, True])),
        EnumColumn(np.array([1, 0], np.int32), ("A", "B"), np.array([True, False])),
        StructColumn(2, {"f": texts("a", None)}, np.array([True, False])),
        PrimitiveColumn(np.array([1, 2])),
    ],
)
def test_rows_that_are_not_null_stay_in_order(column: Column) -> None:
    assert to_list(without_nulls(column)) == [row for row in to_list(column) if row is not None]


def test_a_column_of_nulls_has_no_rows_without_them() -> None:
    assert length(without_nulls(NullColumn(1))) == 0


def test_a_struct_without_its_null_rows_keeps_nulls_of_its_fields() -> None:
    fields: dict[str, Column] = {"t": texts("hidden", None, "a"), "n": PrimitiveColumn(np.array([7, 8, 9]))}
    column = StructColumn(3, fields, np.array([False, True, True]))
    assert to_list(without_nulls(column)) == [{"t": None, "n": 8}, {"t": "a", "n": 9}]


@ROOMY
@given(written(), st.data())
def test_rows_are_cut_out_and_kept_at_any_depth(case: tuple[str, list[bytes]], data: st.DataObject) -> None:
    column = columns(case)
    low = data.draw(st.integers(0, length(column)))
    high = data.draw(st.integers(low, length(column)))
    rows, part = same(to_list(column))[low:high], slice_rows(column, low, high)
    assert same(to_list(part)) == rows
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=high - low, max_size=high - low)), np.bool_)
    chosen = filter_rows(part, mask)
    assert same(to_list(chosen)) == [row for row, yes in zip(rows, mask.tolist(), strict=True) if yes]
    assert same(to_list(concat_columns([chosen, part, part], 9))) == same(to_list(chosen)) + 2 * rows
    total = int(np.count_nonzero(mask)) + 1
    assert same(to_list(spread(chosen, np.arange(1, total), total)))[1:] == same(to_list(chosen))
    assert widest(part) <= widest(column)


def test_validity_marks_the_rows_that_are_not_null() -> None:
    assert validity_of(NullColumn(2)).tolist() == [False, False]
    assert validity_of(texts("a", None)).tolist() == [True, False]
    union = UnionColumn(np.array([1, 0], np.int8), ("null", "string"), (NullColumn(1), texts("a")))
    assert validity_of(union).tolist() == [True, False]
    assert validity_of(PrimitiveColumn(np.array([1]))).tolist() == [True]


def test_a_mask_adds_nulls_and_takes_none_away() -> None:
    found = mask_column(texts("a", None, "c"), np.array([False, True, True]))
    assert to_list(found) == [None, None, "c"]
    assert mask_column(found, None) is found


def test_a_path_that_is_not_there_is_a_key_error() -> None:
    struct = StructColumn(1, {"f": NullColumn(1)})
    for path in (("g",), ("f", "g")):
        with pytest.raises(KeyError):
            select_nested_column(struct, *path)


def test_union_rows_know_their_place_in_their_branch() -> None:
    children: tuple[Any, ...] = (NullColumn(2), texts("a", "b"))
    union = UnionColumn(np.array([1, 0, 0, 1], np.int8), ("null", "string"), children)
    assert union.positions().tolist() == [0, 0, 1, 1]
    assert to_list(union) == ["a", None, None, "b"]
