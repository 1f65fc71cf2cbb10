"""Texts of one column found in another are those that a dictionary finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.arrays import Octets, Offsets, Words64
from hudi_core.columns import string_index as module
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.string_index import equal_strings, first_rows, hash_strings, index_strings


def column(texts: list[str | None], before: bytes = b"") -> StringColumn:
    parts = [(text or "").encode() for text in texts]
    offsets = np.cumsum([len(before), *map(len, parts)])
    present = [text is not None for text in texts]
    return StringColumn(
        offsets, np.frombuffer(before + b"".join(parts), np.uint8), None if all(present) else np.array(present)
    )


def check(indexed: list[str | None], requested: list[str | None], before: bytes = b"") -> None:
    first: dict[str, int] = {}
    for row, text in enumerate(indexed):
        if text is not None:
            first.setdefault(text, row)
    index = index_strings(column(indexed, before))
    assert index.first.tolist() == [-1 if text is None else first[text] for text in indexed]
    found = index.find(column(requested))
    assert found.tolist() == [-1 if text is None else first.get(text, -1) for text in requested]


texts = st.one_of(
    st.none(), st.text("ab", max_size=3), st.text(max_size=20), st.integers(0, 30).map(lambda size: "key" * size)
)


@settings(deadline=None)
@given(st.lists(texts, max_size=40), st.lists(texts, max_size=40), st.binary(max_size=9))
def test_strings_are_found_at_their_first_row(
    indexed: list[str | None], requested: list[str | None], before: bytes
) -> None:
    check(indexed, requested, before)


@settings(deadline=None)
@given(st.lists(texts, max_size=40), st.lists(texts, max_size=40))
def test_strings_of_one_hash_are_distinguished(indexed: list[str | None], requested: list[str | None]) -> None:
    whole = module._block_hashes

    def few(starts: Offsets, lengths: Offsets, data: Octets) -> Words64:
        return whole(starts, lengths, data) >> np.uint64(62) << np.uint64(62)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_block_hashes", few)
        check(indexed, requested)


def test_long_strings_are_found_among_short_ones() -> None:
    long: list[str | None] = ["x" * size + end for size in (0, 503, 511, 512, 1024, 300_000) for end in ("", "y", "é")]
    check(long, [*reversed(long), "x" * 299_999 + "z"])


def test_many_blocks_of_rows_are_found() -> None:
    rows = 3 * module.BLOCK_ROWS
    indexed: list[str | None] = [f"user-{row:09}" for row in range(0, rows, 3)]
    check(indexed, [f"user-{row:09}" for row in range(rows)])


@settings(deadline=None)
@given(st.integers(1, 40), st.data())
def test_strings_of_one_length_are_found_among_others(length: int, data: st.DataObject) -> None:
    alike = st.lists(st.text("ab", min_size=length, max_size=length), max_size=20)
    one, other = data.draw(alike), data.draw(alike)
    more = [text for item in one for text in (item, item[1:], item + "a")]
    check([*one], [*other, *one], b"before")
    check([*one], [*more])
    check([*more], [*one, *other])


@settings(deadline=None)
@given(st.lists(st.integers(0, 99), min_size=1, max_size=30), st.lists(texts, max_size=30), st.integers(0, 30))
def test_strings_that_end_alike_are_found_among_others(
    numbers: list[int], others: list[str | None], ending: int
) -> None:
    keys: list[str | None] = [f"id:{number:08},{'line:1' * ending}" for number in numbers]
    cut = [key[at:] for key in keys if key for at in (1, 9, len(key) - 3)]
    check(keys, [*keys, *others, *cut])


@settings(deadline=None)
@given(st.lists(st.text("abc", max_size=2), max_size=60))
def test_first_rows_are_those_of_the_index(rows: list[str]) -> None:
    texts = column([*rows])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK_ROWS", 4)
        patch.setattr(module, "_PART", 10)
        assert first_rows(texts).tolist() == [rows.index(text) for text in rows]


def test_strings_that_differ_in_one_byte_have_different_hashes() -> None:
    texts = [bytes([*b"a" * at, 98, *b"a" * (100 - at)]).decode() for at in range(101)]
    assert len(np.unique(hash_strings(column([*texts])))) == 101


def test_pairs_of_rows_are_compared_by_their_bytes() -> None:
    left, right = column(["a", "", "abc", None, "abd"]), column(["abc", "b", ""])
    pairs = [(0, 1), (1, 2), (2, 0), (3, 2), (4, 0)]
    found = equal_strings(left, np.array([pair[0] for pair in pairs]), right, np.array([pair[1] for pair in pairs]))
    assert found.tolist() == [False, True, True, True, False]
