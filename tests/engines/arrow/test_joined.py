"""Texts put together of columns and constants: of any lengths, in any layout, few rows or many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_arrow import text

TEXTS = st.text("ab,é\U0001f600", max_size=3) | st.integers(20, 200).map("x".__mul__)


def expected(parts: Sequence[str | pa.Array]) -> list[str | None]:
    rows = max(len(part) for part in parts if isinstance(part, pa.Array))
    columns = [[part] * rows if isinstance(part, str) else part.to_pylist() for part in parts]
    return [None if None in row else "".join(row) for row in zip(*columns, strict=True)]


def agrees(parts: Sequence[str | pa.Array]) -> pa.Array:
    found = text.join(parts)
    found.validate(full=True)
    assert found.to_pylist() == expected(parts)
    return found


@st.composite
def given_parts(draw: st.DrawFn) -> list[str | pa.Array]:
    """Columns, slices of longer ones now and then, some coded, some with one length in all rows, and constants among them."""
    rows = draw(st.integers(0, 8))
    parts: list[Any] = []
    for _ in range(draw(st.integers(1, 4))):
        parts += draw(st.lists(TEXTS, max_size=2))
        before = draw(st.integers(0, 2))
        item = draw(st.sampled_from([TEXTS, st.none() | TEXTS, st.text("ab", min_size=2, max_size=2), st.just("")]))
        values = draw(st.lists(item, min_size=rows + before, max_size=rows + before))
        kind = draw(st.sampled_from([pa.string(), pa.string(), pa.large_string()]))
        column = pa.array(values, kind)
        parts.append((column.dictionary_encode() if draw(st.booleans()) else column).slice(before))
    return parts + draw(st.lists(TEXTS, max_size=2))


@given(given_parts())
def test_joined_strings_are_those_of_the_rows(parts: list[Any]) -> None:
    agrees(parts)


@pytest.mark.parametrize("longest", [7, 70, 70_000])
def test_many_rows_of_like_and_of_unlike_lengths(longest: int) -> None:
    lengths = np.random.default_rng(5).integers(0, 7, 150_000)
    lengths[77_777] = longest
    column = pa.array(["abcdefghij"[: length % 10] * (1 + length // 10) for length in lengths.tolist()])
    agrees(["id:", column, ",no:", pa.array(np.arange(150_000)).cast(pa.string()), ",", column])


def test_values_below_a_null_do_not_show() -> None:
    hidden = pa.Array.from_buffers(
        pa.string(), 3, [pa.py_buffer(b"\5"), pa.py_buffer(np.array([0, 1, 5, 6], np.int32)), pa.py_buffer(b"abbbbc")]
    )
    assert agrees(["<", hidden, "|", pa.array(["x", "y", None]), ">"]).to_pylist() == ["<a|x>", None, None]


def test_a_column_of_large_strings_makes_large_strings() -> None:
    column = pa.array(["a", "b"])
    assert agrees(["<", column]).type == pa.string()
    assert agrees([column, column.cast(pa.large_string())]).type == pa.large_string()


def test_other_layouts_are_joined_as_their_values() -> None:
    column = pa.array(["b", None, "a" * 20])
    null_in_dictionary = pa.DictionaryArray.from_arrays([2, 1, 0], ["a" * 20, None, "b"])
    for other in (column.dictionary_encode(), null_in_dictionary, column.cast(pa.string_view())):
        assert text.join(["<", other]).to_pylist() == ["<b", None, "<" + "a" * 20]


def test_joined_strings_that_narrow_offsets_do_not_reach_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "_NARROW_BYTES", 30)
    assert agrees(["a longer constant ", pa.array(["x", "y"])]).type == pa.large_string()


def test_one_column_alone_has_no_encoding() -> None:
    column = pa.array(["b", None, "a"])
    assert text.join([column.dictionary_encode()]).equals(column)


def test_a_dictionary_of_one_long_string_and_many_short_ones_is_no_table() -> None:
    texts = pa.array([*map(str, range(5000)), "x" * 5000])
    agrees(["<", pa.DictionaryArray.from_arrays(np.arange(5001) % 4999, texts), ">"])
