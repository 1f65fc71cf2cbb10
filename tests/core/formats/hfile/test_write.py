"""FORMAT-14 to FORMAT-22, FORMAT-29 to FORMAT-31: HFiles written, and read back."""

from __future__ import annotations

import io
import random
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.errors import CorruptFileError, UsageError
from hudi_core.formats.hfile.block import HEADER, HEADER_SIZE
from hudi_core.formats.hfile.cells import Cells
from hudi_core.formats.hfile.file import HFile
from hudi_core.formats.hfile.trailer import Codec
from hudi_core.formats.hfile.write import MAX_ROW, HFileWriter, write_hfile
from hudi_core.formats.random_access import InMemoryFile

Pairs = list[tuple[bytes, bytes]]

each_codec = pytest.mark.parametrize("codec", [Codec.GZ, Codec.NONE], ids=lambda codec: codec.name)


def written(pairs: Pairs, codec: Codec = Codec.GZ, at_once: int = 1 << 20, **sizes: int) -> bytes:
    sink = io.BytesIO()
    writer = HFileWriter(sink, codec=codec, **sizes)
    for start in range(0, len(pairs), at_once):
        part = pairs[start : start + at_once]
        writer.add(ByteStrings.from_list([row for row, _ in part]), ByteStrings.from_list([value for _, value in part]))
    size = writer.finish({"schema": b"{}", "other": b"1"}, {"bloomFilter": b"bits", "second": b""})
    assert size == len(sink.getvalue())
    return sink.getvalue()


def opened(data: bytes) -> HFile:
    return HFile(InMemoryFile(data, "t"))


def listed(cells: Cells) -> Pairs:
    return [(cells.key(index), cells.value(index)) for index in range(len(cells))]


def rows(count: int, longest: int = 40) -> Pairs:
    chance = random.Random(count)
    keys = sorted({chance.randbytes(chance.randint(0, longest)) for _ in range(count)})
    return [(key, chance.randbytes(chance.randint(0, 60))) for key in keys]


@each_codec
@pytest.mark.parametrize("levels", [1, 2, 3])
def test_all_rows_are_read_back_and_found(codec: Codec, levels: int) -> None:
    pairs = rows(3000)
    sizes = {1: {}, 2: {"block_size": 500, "index_size": 5000}, 3: {"block_size": 500, "index_size": 300}}[levels]
    file = opened(written(pairs, codec, 700, **sizes))
    assert file.trailer.data_index_levels >= levels if levels == 3 else file.trailer.data_index_levels == levels
    assert listed(file.cells()) == pairs
    keys = [row for row, _ in pairs]
    assert listed(file.lookup(keys[::7]).cells) == pairs[::7]
    assert not len(file.lookup([b"\xff" * 50, b"no such row"]).cells)
    assert listed(file.prefix([b"\x10"])) == [pair for pair in pairs if pair[0].startswith(b"\x10")]


@each_codec
def test_a_lookup_in_an_index_of_several_levels_reads_few_blocks(codec: Codec) -> None:
    pairs = rows(3000)
    file = opened(written(pairs, codec, block_size=500, index_size=300))
    assert listed(file.lookup([pairs[1500][0]]).cells) == [pairs[1500]]
    assert file.blocks_read <= 2 * file.trailer.data_index_levels


@given(
    st.dictionaries(st.binary(max_size=12), st.binary(max_size=30), max_size=60),
    st.integers(1, 400),
    st.integers(1, 200),
    st.integers(1, 61),
)
def test_any_rows_in_any_blocks_come_back(cells: dict[bytes, bytes], block: int, index: int, at_once: int) -> None:
    pairs = sorted(cells.items())
    file = opened(written(pairs, Codec.NONE, at_once, block_size=block, index_size=index))
    assert listed(file.cells()) == pairs
    assert [row for row, _ in listed(file.lookup(sorted(cells)).cells)] == sorted(cells)
    assert file.entry_count == len(pairs)


def test_a_file_without_rows_is_whole() -> None:
    file = opened(written([]))
    assert (len(file.cells()), file.trailer.first_data_block_offset, file.entry_count) == (0, -1, 0)
    assert file.file_info[b"hfile.LASTKEY"] == b""
    assert file.meta("bloomFilter") == b"bits"


def test_file_info_and_meta_blocks_are_kept() -> None:
    file = opened(written([(b"a", b"12"), (b"abc", b"")]))
    assert file.schema_text == "{}"
    assert (file.meta("bloomFilter"), file.meta("second"), file.meta("third")) == (b"bits", b"", None)
    assert file.file_info[b"other"] == b"1"
    assert file.file_info[b"hfile.LASTKEY"] == b"\0\3abc\0\x7f" + b"\xff" * 7 + b"\4"
    assert struct.unpack(">i", file.file_info[b"hfile.AVG_KEY_LEN"]) == (2,)


def test_index_keys_longer_than_a_byte_states_are_read_back() -> None:
    """FORMAT-29: lengths are Hadoop's, which Apache Hudi's reader and HBase's expect."""
    pairs = [
        (bytes([97 + number]) * size, b"v") for number, size in enumerate((115, 116, 117, 240, 300, 5000, MAX_ROW))
    ]
    file = opened(written(pairs, block_size=1))
    assert listed(file.lookup([row for row, _ in pairs]).cells) == pairs
    root = file.trailer.load_on_open_offset
    assert file.trailer.data_index_count == len(pairs)
    assert root > 0


@each_codec
def test_every_block_has_one_checksum(codec: Codec) -> None:
    """FORMAT-30: Apache Hudi's reader takes a data block to end as many bytes early as its checksums have."""
    chance = random.Random(5)
    data = written([(b"%08d" % row, chance.randbytes(200)) for row in range(2000)], codec)
    file = opened(data)
    position = blocks = 0
    while position < len(data) - 4096:
        _, on_disk, _, _, kind, piece, checked = HEADER.unpack_from(data, position)
        assert (kind, on_disk - (checked - HEADER_SIZE)) == (1, 4)
        assert piece >= checked
        position += HEADER_SIZE + on_disk
        blocks += 1
    assert blocks == file.trailer.data_index_count + 2 + 3


def test_damage_is_noticed() -> None:
    data = bytearray(written(rows(200)))
    data[100] ^= 1
    with pytest.raises(CorruptFileError, match="checksum"):
        opened(bytes(data)).cells()


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ([b"b", b"a"], "greater than b'b', found b'a'"),
        ([b"a", b"a"], "greater than b'a', found b'a'"),
        ([b"abcdefgh1", b"abcdefgh"], "greater than b'abcdefgh1'"),
        ([b"a" * (MAX_ROW + 1)], "at most 32767 bytes"),
    ],
)
@pytest.mark.parametrize("at_once", [1, 2])
def test_rows_that_no_reader_finds_are_refused(keys: list[bytes], message: str, at_once: int) -> None:
    with pytest.raises(UsageError, match=message):
        written([(key, b"") for key in keys], at_once=at_once)


def test_a_codec_that_is_not_written_is_refused() -> None:
    with pytest.raises(UsageError, match="GZ or NONE"):
        HFileWriter(io.BytesIO(), codec=Codec.ZSTD)


def test_equal_rows_make_equal_files() -> None:
    strings = ByteStrings.from_list([b"a", b"b"])
    assert write_hfile(strings, strings, {}) == write_hfile(strings, strings, {})
