"""FORMAT-712: rows are found in files that ascend by bytes and in those that ascend as Java sorts strings.

Earlier releases of Apache Hudi sorted the rows of metadata tables so.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.columns.strings import string_column
from hudi_core.errors import CorruptFileError
from hudi_core.formats.hfile.cells import has_late_rows, in_byte_order
from hudi_core.formats.hfile.file import HFile
from hudi_core.formats.random_access import InMemoryFile
from tests.support.drawing import cases
from tests.support.hfiles import NONE, Shape, build

CHARACTERS = "az~é\ud7ff\ue000\uf8ff\uffee\U00010000\U0001f600\U0010ffff"
ROWS = st.lists(st.text(CHARACTERS, min_size=1, max_size=3), min_size=1, max_size=40, unique=True)
ORDERS: list[Callable[[str], bytes]] = [str.encode, lambda text: text.encode("utf-16-be")]


SMALL_BLOCKS = Shape(block_size=64, codec=NONE)


def opened(rows: list[str], shape: Shape = SMALL_BLOCKS) -> HFile:
    return HFile(InMemoryFile(build([(row.encode(), b"value of " + row.encode()) for row in rows], shape), "f"))


@settings(max_examples=cases(300))
@given(
    ROWS,
    st.sampled_from(ORDERS),
    st.lists(st.text(CHARACTERS, min_size=1, max_size=3), max_size=6),
    st.sampled_from([None, 2]),
    st.sampled_from([40, 100, 1 << 12]),
)
def test_rows_are_found_in_either_order(
    rows: list[str], order: Callable[[str], bytes], others: list[str], fanout: int | None, block_size: int
) -> None:
    shape = Shape(block_size=block_size, codec=NONE, fanout=fanout, whole_keys=fanout is not None)
    file = opened(sorted(rows, key=order), shape)
    keys = sorted({*rows, *others}, key=str.encode)
    matches = file.lookup([key.encode() for key in keys])
    assert [matches.cells.key(n).decode() for n in range(len(matches.cells))] == sorted(rows, key=str.encode)
    assert [keys[n] for n in matches.key_indexes.tolist()] == sorted(rows, key=str.encode)
    assert all(matches.cells.value(n) == b"value of " + matches.cells.key(n) for n in range(len(matches.cells)))
    column = string_column(others)
    pieces = [
        cells.key(n).decode() for piece in file.pieces_for(column) for cells in [piece()] for n in range(len(cells))
    ]
    assert {*rows} & {*others} <= set(pieces)
    for part in others:
        prefix = part[:-1] or part
        starting = file.prefix([prefix.encode()])
        found = sorted(starting.key(n).decode() for n in range(len(starting)))
        assert found == sorted(row for row in rows if row.startswith(prefix))


def test_keys_without_late_characters_are_found_as_before() -> None:
    rows = sorted(["a", "b", "m\ue000", "m\U00010000", "n", "z"], key=lambda text: text.encode("utf-16-be"))
    file = opened(rows, Shape(block_size=1, codec=NONE))
    file.lookup([b"b"])
    assert file.blocks_read <= 2


def test_rows_in_no_order_are_damage() -> None:
    with pytest.raises(CorruptFileError, match="out of order"):
        opened(["b", "\U00010000", "\ue000", "a"], Shape(block_size=1, codec=NONE))


def test_cells_come_in_the_order_of_bytes() -> None:
    rows = ["a\U00010000", "a\ue000", "a\uffee"]
    cells = opened(rows).cells()
    assert has_late_rows(cells)
    ordered = in_byte_order(cells)
    assert [ordered.key(n).decode() for n in range(3)] == sorted(rows, key=str.encode) != rows
    assert in_byte_order(ordered) is ordered
    assert not has_late_rows(opened(["a", "é"]).cells())
    assert len(in_byte_order(cells.take(np.zeros(0, np.int64)))) == 0
