"""Spans of bytes are copied in order, whatever their lengths; beyond the buffer is an IndexError."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.columns.spans import copy_spans, gather, positions, typical_width, windows

DATA = np.arange(2000, dtype=np.int64).astype(np.uint8)


@given(st.lists(st.tuples(st.integers(0, 1000), st.one_of(st.integers(0, 30), st.integers(0, 1000))), max_size=40))
def test_spans_are_joined_in_order(spans: list[tuple[int, int]]) -> None:
    starts, lengths = np.array(spans, np.int64).reshape(-1, 2).T
    offsets, data = gather(DATA, starts, lengths)
    assert [data[low:high].tobytes() for low, high in pairwise(offsets)] == [
        DATA[start : start + size].tobytes() for start, size in spans
    ]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 9)), max_size=20))
def test_positions_are_those_of_each_span(spans: list[tuple[int, int]]) -> None:
    starts, lengths = np.array(spans, np.int64).reshape(-1, 2).T
    assert positions(starts, lengths).tolist() == [start + at for start, size in spans for at in range(size)]


@given(st.lists(st.integers(0, 90), min_size=1, max_size=30))
def test_spans_may_end_where_the_buffer_does(lengths: list[int]) -> None:
    sizes = np.array(lengths)
    data = DATA[: int(sizes.sum())]
    offsets, found = gather(data, np.cumsum(sizes) - sizes, sizes)
    assert found.tobytes() == data.tobytes()
    assert offsets.tolist() == [0, *np.cumsum(sizes).tolist()]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=20), st.booleans(), st.integers(0, 5))
def test_spans_are_copied_to_their_places(lengths: list[int], alike: bool, gap: int) -> None:
    sizes = np.array([lengths[0]] * len(lengths) if alike else lengths)
    starts, width = np.cumsum(sizes) - sizes, typical_width(sizes)
    to = np.cumsum(sizes + width + gap) - sizes - width - gap
    target = np.zeros(int((sizes + width + gap).sum()), np.uint8)
    copy_spans(target, to, DATA[: int(sizes.sum())], starts, sizes, width)
    for start, place, size in zip(starts, to, sizes, strict=True):
        assert target[place : place + size].tobytes() == DATA[start : start + size].tobytes()


@pytest.mark.parametrize("size", [0, 1, 7, 300])
def test_spans_of_one_length_need_no_lengths(size: int) -> None:
    starts = np.array([5, 0, 1000])
    offsets, data = gather(DATA, starts, size)
    same_offsets, same_data = gather(DATA, starts, np.full(3, size))
    assert offsets.tolist() == same_offsets.tolist()
    assert data.tobytes() == same_data.tobytes()


def test_windows_are_rows_of_bytes() -> None:
    assert windows(DATA, np.array([3, 10]), 4, shift=1).tolist() == [[4, 5, 6, 7], [11, 12, 13, 14]]


@pytest.mark.parametrize(("start", "size", "shift"), [(1999, 2, 0), (0, 1, 2000), (0, 3000, 0), (-2001, 1, 0)])
def test_beyond_the_buffer_is_an_index_error(start: int, size: int, shift: int) -> None:
    with pytest.raises(IndexError):
        windows(DATA, np.array([start]), size, shift)
