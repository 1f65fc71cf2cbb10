"""MERGE-19: places in a binary log sort as their numbers do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.columns.nodes import StringColumn, validity_of
from hudi_core.columns.strings import string_column, string_list
from hudi_core.errors import CorruptFileError
from hudi_core.merge.ordering_values import sortable

numbers = st.integers(0, 2**63 - 1)


@given(st.lists(st.tuples(numbers, numbers, st.integers(0, 3))))
def test_places_sort_as_their_numbers(places: list[tuple[int, int, int]]) -> None:
    texts = [f"{'0' * min(zeros, 19 - len(str(file)))}{file}.{position}" for file, position, zeros in places]
    found = string_list(sortable(string_column(texts), "t"))
    assert [(int(item[:19]), int(item[19:])) for item in found] == [(file, position) for file, position, _ in places]
    assert all(len(item) == 38 for item in found)


def test_nulls_stay() -> None:
    column = string_column(["1.2", "", "3.4"])
    some = StringColumn(column.offsets, column.data, np.array([True, False, True]))
    assert validity_of(sortable(some, "t")).tolist() == [True, False, True]


@pytest.mark.parametrize("start", [0, 1, 2])
def test_rows_of_a_longer_column_sort_alone(start: int) -> None:
    """As the parts have it that a batch is cut into: the bytes before and behind are those of other rows."""
    column = string_column(["1.2", "10.20", "3.4", "5.6"])
    part = StringColumn(column.offsets[start : start + 3], column.data)
    assert string_list(sortable(part, "t")) == string_list(sortable(column, "t"))[start : start + 2]


@pytest.mark.parametrize("text", ["", ".", "1", "1.", ".1", "1.2.3", "a.1", "1.-2", f"1.{10**19}"])
def test_invalid_positions_are_refused(text: str) -> None:
    with pytest.raises(CorruptFileError, match="a file and a position of a binary log"):
        sortable(string_column(["1.2", text]), "t")
