"""LOG-11: records of a data block, found by many walks at once, are those that one walk finds."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.columns import length_chain as module
from hudi_core.columns.length_chain import length_chain, walk
from hudi_core.errors import CorruptFileError
from tests.support.drawing import cases


def chained(items: list[bytes]) -> bytes:
    return b"head" + b"".join(struct.pack(">i", len(item)) + item for item in items)


def random_items(seed: int, count: int, low: int, high: int, zeros: bool) -> list[bytes]:
    random = np.random.default_rng(seed)
    sizes = random.integers(low, high, count)
    body = np.zeros(int(sizes.sum()), np.uint8) if zeros else random.integers(0, 256, int(sizes.sum()), np.uint8)
    ends = np.cumsum(sizes)
    return [body[end - size : end].tobytes() for end, size in zip(ends.tolist(), sizes.tolist(), strict=True)]


def check(items: list[bytes]) -> None:
    data = chained(items)
    starts, lengths = length_chain(data, 4, len(items), "file")
    assert lengths.tolist() == [len(item) for item in items]
    assert starts.tolist() == (4 + 4 * np.arange(1, len(items) + 1) + np.cumsum(lengths) - lengths).tolist()


@settings(deadline=None, max_examples=cases(30))
@given(st.integers(0, 2**32), st.integers(0, 300), st.integers(1, 400), st.booleans())
def test_items_of_any_sizes_are_found(seed: int, low: int, spread: int, zeros: bool) -> None:
    check(random_items(seed, module.MANY_WALKS_THRESHOLD + seed % 3000, low, low + spread, zeros))


@settings(deadline=None, max_examples=cases(30))
@given(st.integers(0, 2**32), st.integers(0, 300), st.integers(1, 400), st.booleans(), st.integers(50, 500))
def test_items_of_any_sizes_are_found_in_pieces(seed: int, low: int, spread: int, zeros: bool, piece: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MANY_WALKS_THRESHOLD", 200)
        patch.setattr(module, "PIECE_ITEMS", piece)
        check(random_items(seed, 500 + seed % 500, low, low + spread, zeros))


def test_items_longer_than_a_piece_and_than_half_a_length_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PIECE_ITEMS", 1000)
    items = random_items(5, 2 * module.MANY_WALKS_THRESHOLD, 50, 90, zeros=False)
    check([*items, b"\0" * 300_000, *items, b"\1" * 70_000])


def test_blocks_before_damage_are_given_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PIECE_ITEMS", 1000)
    count = 2 * module.MANY_WALKS_THRESHOLD
    data = bytearray(chained(random_items(3, count, 50, 90, zeros=False)))
    data[-100:] = bytes(100)
    pieces, found = module.chain_pieces(bytes(data), 4, count, "file"), 0
    with pytest.raises(CorruptFileError, match=r"^file"):
        for starts, _ in pieces:
            found += len(starts)
    assert found > count - 2000


def test_few_items_and_none_are_found() -> None:
    check([])
    check([b"", b"abc", b""])


def test_items_that_look_like_other_chains_are_found() -> None:
    check([chained([b"x" * 60] * 5)[4:]] * (2 * module.MANY_WALKS_THRESHOLD))
    check([b""] * (2 * module.MANY_WALKS_THRESHOLD))
    check([b"\0" * 200_000, *[b"\0\0\0\x20" * 9] * (2 * module.MANY_WALKS_THRESHOLD)])


def test_many_walks_find_ordinary_records_without_the_single_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_walk", None)
    check(random_items(7, 5 * module.MANY_WALKS_THRESHOLD, 60, 300, zeros=False))


@pytest.mark.parametrize("count", [10, 20_000])
def test_a_broken_chain_is_reported_with_the_item(count: int) -> None:
    items = random_items(3, count, 50, 90, zeros=False)
    data = bytearray(chained(items))
    broken = count // 2
    place = 4 + sum(4 + len(item) for item in items[:broken])
    data[place : place + 4] = struct.pack(">i", -5)
    with pytest.raises(
        CorruptFileError, match=rf"^file, record {broken}: expected a record in .* found a length of -5"
    ):
        length_chain(bytes(data), 4, count, "file")


@pytest.mark.parametrize("change", [-1, 1])
@pytest.mark.parametrize("count", [10, 20_000])
def test_a_wrong_count_is_reported(count: int, change: int) -> None:
    data = chained(random_items(3, count, 50, 90, zeros=False))
    with pytest.raises(CorruptFileError, match=r"^file[:,]"):
        length_chain(data, 4, count + change, "file")


@given(st.lists(st.integers(1, 9), min_size=1, max_size=200), st.data())
def test_of_chains_walked_from_guesses_only_what_is_linked_to_the_first_counts(
    sizes: list[int], data: st.DataObject
) -> None:
    offsets = np.cumsum([0, *sizes])
    end = int(offsets[-1])
    leads_to = np.full(end, 3 * end)  # nothing begins anywhere else
    leads_to[offsets[:-1]] = offsets[1:]
    guesses = np.array(sorted(data.draw(st.sets(st.integers(1, end), max_size=9))), np.int64)
    max_hops = data.draw(st.integers(1, 300))
    origins = np.append(0, guesses[guesses < end])
    proved, complete = walk(lambda at: leads_to[np.minimum(at, end - 1)], origins, end, max_hops)
    assert proved.tolist() == offsets[: len(proved)].tolist()
    assert complete == (len(proved) == len(sizes))
    assert len(proved) >= min(max_hops, len(sizes))
