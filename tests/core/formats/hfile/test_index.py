"""FORMAT-20: block indexes of an HFile."""

from __future__ import annotations

import struct

import pytest

from hudi_core.errors import CorruptFileError
from hudi_core.formats.hfile.index import parse_inner_index, parse_meta_index, parse_root_index
from tests.support.hfiles import SUFFIX, Shape, index_key, inner_node, sized

LENGTHS = [0, 1, 125, 126, 127, 128, 131, 140, 141, 142, 253, 254, 300, 5000, 20000, 32767]


@pytest.mark.parametrize("hadoop", [True, False])
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("length", LENGTHS)
def test_key_lengths_of_both_writers_are_understood(length: int, whole: bool, hadoop: bool) -> None:
    shape = Shape(hadoop_lengths=hadoop, whole_keys=whole)
    row = b"\x01" * length
    body = b"".join(struct.pack(">qi", at, 40) + sized(index_key(row, shape), shape) for at in (0, 40))
    node = parse_root_index(body, 2, 1, 80, "t")
    assert (node.rows, node.offsets, node.sizes) == ([row, row], [0, 40], [40, 40])


@pytest.mark.parametrize(("levels", "extra"), [(1, 0), (2, 0), (2, 16)])
def test_the_middle_key_after_the_root_of_several_levels_is_left_out(levels: int, extra: int) -> None:
    body = struct.pack(">qib", 0, 40, 3) + b"\0\x01a" + bytes(extra)
    assert parse_root_index(body, 1, levels, 80, "t").rows == [b"a"]


@pytest.mark.parametrize(
    ("count", "body"),
    [
        (1, b""),
        (1, struct.pack(">qi", 0, 40)),
        (1, struct.pack(">qib", 0, 40, 3) + b"\0\x02a"),
        (1, struct.pack(">qib", 0, 40, 9) + b"\0\x01a"),
        (1, struct.pack(">qib", 0, 99, 3) + b"\0\x01a"),
        (1, struct.pack(">qib", -5, 40, 3) + b"\0\x01a"),
        (1, struct.pack(">qib", 0, 40, 3) + b"\0\x01a."),
        (2**60, struct.pack(">qib", 0, 40, 3) + b"\0\x01a"),
        (2, struct.pack(">qib", 0, 40, 3) + b"\0\x01b" + struct.pack(">qib", 0, 40, 3) + b"\0\x01a"),
    ],
)
def test_a_root_that_contradicts_itself_is_corrupt(count: int, body: bytes) -> None:
    with pytest.raises(CorruptFileError, match=r"^t: root data index: expected "):
        parse_root_index(body, count, 1, 80, "t")


def test_the_entry_of_a_file_without_cells_is_none() -> None:
    """FORMAT-1121."""
    entry = struct.pack(">qib", 0, 37, 0)
    assert parse_root_index(entry, 0, 1, 80, "t").rows == []
    for more in (entry + b"\0", struct.pack(">qib", 0, 37, 3) + b"\0\x01a"):
        with pytest.raises(CorruptFileError, match=r"^t: root data index: expected 0 entries"):
            parse_root_index(more, 0, 1, 80, "t")


def test_inner_nodes_are_read_by_their_list_of_offsets() -> None:
    node = parse_inner_index(inner_node([(b"a", 0, 40), (b"bcd", 40, 50)]), 90, "t")
    assert (node.rows, node.offsets, node.sizes) == ([b"a", b"bcd"], [0, 40], [40, 50])


@pytest.mark.parametrize(
    "body",
    [
        b"",
        struct.pack(">i", -1),
        struct.pack(">ii", 2, 0),
        struct.pack(">iii", 1, 0, 11) + bytes(11),
        struct.pack(">iii", 1, 0, 50) + bytes(20),
        struct.pack(">iii", 1, -4, 20) + bytes(20),
        struct.pack(">iii", 1, 0, 13) + struct.pack(">qi", 0, 40) + b"\0",
        struct.pack(">iii", 1, 0, 25) + struct.pack(">qi", 0, 99) + b"\0\x01" + b"a" + SUFFIX,
        struct.pack(">i", 2**31 - 1),
    ],
)
def test_an_inner_node_that_contradicts_itself_is_corrupt(body: bytes) -> None:
    with pytest.raises(CorruptFileError, match=r"^t: expected "):
        parse_inner_index(body, 90, "t")


def test_meta_blocks_are_found_by_name() -> None:
    body = struct.pack(">qib", 5, 40, 1) + b"a" + struct.pack(">qib", 45, 45, 11) + b"bloomFilter"
    assert parse_meta_index(body, 2, 90, "t") == {b"a": (5, 40), b"bloomFilter": (45, 45)}


@pytest.mark.parametrize("body", [b"", struct.pack(">qi", 5, 40), struct.pack(">qib", 5, 40, 4) + b"abc"])
def test_a_meta_index_cut_short_is_corrupt(body: bytes) -> None:
    with pytest.raises(CorruptFileError, match=r"^t: meta index: expected "):
        parse_meta_index(body, 1, 90, "t")
