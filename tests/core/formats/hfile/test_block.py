"""FORMAT-16, FORMAT-17 and FORMAT-19: blocks of an HFile."""

from __future__ import annotations

import gzip
import struct
import tracemalloc

import pytest

from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.formats.hfile.block import Block, content, parse_block, verify
from hudi_core.formats.hfile.trailer import Codec


def framed(
    stored: bytes, uncompressed: int, checksum: int = 0, sums: bytes = bytes(4), piece: int = 16384
) -> memoryview:
    head = struct.pack(
        ">8siiqBii", b"DATABLK*", len(stored) + len(sums), uncompressed, -1, checksum, piece, 33 + len(stored)
    )
    return memoryview(head + stored + sums)


def block(stored: bytes, uncompressed: int) -> Block:
    return parse_block(framed(stored, uncompressed), 0, 7, "t")


def test_a_block_is_taken_from_the_bytes_around_it() -> None:
    data = memoryview(b"...." + framed(b"cells", 5).tobytes() + b"....")
    found = parse_block(data, 4, 104, "t")
    assert (found.kind, found.offset, found.size, bytes(found.stored[33:])) == (b"DATABLK*", 104, 42, b"cells")
    assert bytes(content(found, Codec.NONE, "t")) == b"cells"


def test_a_gzipped_block_is_inflated() -> None:
    assert content(block(gzip.compress(b"cells"), 5), Codec.GZ, "t") == b"cells"
    assert content(block(gzip.compress(b""), 0), Codec.GZ, "t") == content(block(b"", 0), Codec.GZ, "t") == b""


@pytest.mark.parametrize("cut", [0, 10, 32, 33, 41])
def test_a_block_cut_short_is_corrupt(cut: int) -> None:
    with pytest.raises(CorruptFileError, match=r"^t: block at offset 7: expected "):
        parse_block(framed(b"cells", 5)[:cut], 0, 7, "t")


@pytest.mark.parametrize(
    ("at", "number"), [(8, -1), (8, 2**31 - 1), (8, -(2**31)), (12, -1), (29, 32), (29, -1), (29, 43)]
)
def test_sizes_that_contradict_each_other_are_corrupt(at: int, number: int) -> None:
    data = bytearray(framed(b"cells", 5))
    data[at : at + 4] = struct.pack(">i", number)
    with pytest.raises(CorruptFileError, match=r"^t: block at offset 7: expected "):
        parse_block(memoryview(data), 0, 7, "t")


CELLS = gzip.compress(b"cells", mtime=0)


@pytest.mark.parametrize(
    ("stored", "uncompressed", "codec"),
    [
        (b"cells", 4, Codec.NONE),
        (CELLS, 4, Codec.GZ),
        (CELLS, 6, Codec.GZ),
        (CELLS + b"more", 5, Codec.GZ),
        (CELLS[:-1], 5, Codec.GZ),
        (CELLS[:-5] + bytes(5), 5, Codec.GZ),
        (b"cells", 5, Codec.GZ),
        (b"", 5, Codec.GZ),
        (CELLS, 2**31 - 1, Codec.GZ),
    ],
)
def test_data_of_another_kind_than_claimed_is_corrupt(stored: bytes, uncompressed: int, codec: Codec) -> None:
    with pytest.raises(CorruptFileError, match=r"^t: block at offset 7: expected "):
        content(block(stored, uncompressed), codec, "t")


def test_data_that_inflates_to_more_than_claimed_is_cut_off() -> None:
    bomb = block(gzip.compress(bytes(100_000_000), 9), 100_000)
    tracemalloc.start()
    try:
        with pytest.raises(
            CorruptFileError, match="expected gzip data of 100000 bytes, found data that ends with the size 100000000"
        ):
            content(bomb, Codec.GZ, "t")
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_another_codec_is_named() -> None:
    with pytest.raises(UnsupportedError, match="found codec SNAPPY"):
        content(block(b"", 0), Codec.SNAPPY, "t")


@pytest.mark.parametrize(
    ("checksum", "sums", "piece", "message"),
    [
        (3, bytes(4), 16384, "expected checksum type 0, 1 or 2, found 3"),
        (1, bytes(3), 16384, "found 3 bytes"),
        (2, b"", 16384, "found 0 bytes"),
        (2, bytes(4), 0, "expected a checksum of 4 bytes for each 0 of 38 bytes"),
        (2, bytes(4), -1, "expected a checksum of 4 bytes for each -1 of 38 bytes"),
        (1, bytes(4), 16384, "expected checksum 0x"),
        (2, bytes(8), 20, "expected checksum 0x"),
    ],
)
def test_checksums_that_do_not_fit_are_corrupt(checksum: int, sums: bytes, piece: int, message: str) -> None:
    wrong = parse_block(framed(b"cells", 5, checksum, sums, piece), 0, 7, "t")
    with pytest.raises(CorruptFileError, match=rf"^t: block at offset 7: .*{message}"):
        verify([wrong], "t")
