"""FORMAT-21 and FORMAT-22: cells found in blocks, rows found by key."""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.formats.hfile import cells as hfile_cells
from hudi_core.formats.hfile.cells import Cells, decode_cells, find_rows
from tests.support.hfiles import SUFFIX, cell

Pairs = list[tuple[bytes, bytes]]

BYTES = st.binary(max_size=6) | st.sampled_from(
    [b"\xff" * 9, SUFFIX, b"\0" * 5, cell(b"a", b"b"), b"k" * 80, b"k" * 300]
)
CELLS = st.lists(st.tuples(BYTES, BYTES), max_size=30)
ROWS = st.binary(max_size=4) | st.text("ab\0", max_size=4).map(str.encode)


def decoded(blocks: list[bytes], trailing: int = 1) -> Cells:
    return decode_cells(blocks, [f"block {number}" for number in range(len(blocks))], trailing)


def pairs(cells: Cells) -> Pairs:
    return [(cells.key(index), cells.value(index)) for index in range(len(cells))]


def contents(blocks: list[Pairs], timestamps: bool = True) -> list[bytes]:
    return [b"".join(cell(row, value, timestamps) for row, value in block) for block in blocks]


@pytest.fixture(params=["searched", "walked"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    way: str = request.param
    monkeypatch.setattr(hfile_cells, "_WALKED", 0 if way == "searched" else 1 << 62)
    return way


@given(st.lists(CELLS, max_size=4), st.booleans(), st.sampled_from([1, 200, 1 << 19]))
def test_cells_of_any_bytes_are_found_as_they_were_written(blocks: list[Pairs], timestamps: bool, window: int) -> None:
    for walked in (0, 1 << 62):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(hfile_cells, "_WALKED", walked)
            patch.setattr(hfile_cells, "_WINDOW", window)
            found = decoded(contents(blocks, timestamps), int(timestamps))
        assert pairs(found) == [pair for block in blocks for pair in block]


@pytest.mark.parametrize("row_lengths", [(48, 48), (1, 30), (60, 130)], ids=["equal", "short", "long"])
@pytest.mark.parametrize("value_lengths", [(0, 0), (0, 3), (20, 200)], ids=["none", "short", "long"])
def test_ordinary_cells_are_found_without_a_walk(
    row_lengths: tuple[int, int], value_lengths: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(3)
    block = [
        (chance.randbytes(chance.randint(*row_lengths)), chance.randbytes(chance.randint(*value_lengths)))
        for _ in range(2000)
    ]
    walked: list[int] = []
    walk = hfile_cells._walk

    def counted(*given: Any) -> Any:
        found = walk(*given)
        walked.append(len(found.starts))
        return found

    monkeypatch.setattr(hfile_cells, "_walk", counted)
    assert pairs(decoded(contents([block[:900], block[900:]]))) == block
    assert sum(walked) < 40


def test_some_cells_are_taken_in_the_requested_order() -> None:
    found = decoded(contents([[(b"a", b"1"), (b"b", b"2"), (b"c", b"3")]]))
    assert pairs(found.take(slice(1, None))) == [(b"b", b"2"), (b"c", b"3")]


def test_a_length_that_contradicts_the_row_is_corrupt(way: str) -> None:
    (block,) = contents([[(b"row", b"value")] * 40])
    at = 30 * len(cell(b"row", b"value"))
    damaged = block[: at + 3] + b"\x10" + block[at + 4 :]
    with pytest.raises(CorruptFileError, match=rf"^block 0: expected a cell of at most \d+ bytes at byte {at}, found"):
        decoded([damaged])


def test_cells_cut_short_are_corrupt(way: str) -> None:
    (block,) = contents([[(b"row", b"value")] * 40])
    for cut in (1, 5, 20, 25):
        with pytest.raises(CorruptFileError, match=r"^block 0: "):
            decoded([block[:-cut]])


@pytest.mark.parametrize("row", [b"r", b"ro", b"row", b"rows"])
@pytest.mark.parametrize("cells_before", [9, 10, 40])
def test_bytes_left_over_that_look_like_the_end_of_a_row_are_corrupt(way: str, cells_before: int, row: bytes) -> None:
    (block,) = contents([[(row, b"value")] * cells_before])
    for left in range(1, 12):
        with pytest.raises(CorruptFileError, match=r"^block 0: "):
            decoded([block + (b"\0" + SUFFIX)[-left:]])


@pytest.mark.parametrize("cells_before", [3, 100])
def test_a_cell_that_reaches_into_the_next_block_is_corrupt(way: str, cells_before: int) -> None:
    (block,) = contents([[(b"row", b"value")] * 200])
    cut = cells_before * len(cell(b"row", b"value")) + 4
    with pytest.raises(CorruptFileError, match=r"^block 0: "):
        decoded([block[:cut], block[cut:]])


def test_a_cell_that_deletes_is_refused(way: str) -> None:
    (block,) = contents([[(b"row", b"value")] * 40])
    at = 20 * len(cell(b"row", b"value")) + 22
    damaged = block[:at] + b"\x08" + block[at + 1 :]
    with pytest.raises(UnsupportedError, match=r"^block 0: expected cells that put a value, found a cell of type 8"):
        decoded([damaged])


@given(
    st.lists(ROWS, max_size=12),
    st.lists(ROWS | st.just(b"ab\0\0\0\0"), max_size=5),
    st.sampled_from([0, 1 << 13]),
    st.sampled_from([1, 12, 1 << 26]),
    st.sampled_from([4, 1 << 15]),
)
def test_rows_are_found_as_by_bisection(
    rows: list[bytes], targets: list[bytes], worth: int, together: int, widest: int
) -> None:
    rows.sort()
    lefts = [bisect_left(rows, target) for target in targets]
    rights = [bisect_right(rows, target) for target in targets]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hfile_cells, "_PADDED_WORTH", worth)
        patch.setattr(hfile_cells, "_PADDED_TOGETHER", together)
        patch.setattr(hfile_cells, "_MAX_ROW", widest)
        for held in (rows, decoded(contents([[(row, b"") for row in rows]]))):
            starts, stops = find_rows(held, targets)
            assert [starts.tolist(), stops.tolist()] == [lefts, rights]
