"""LOG rules: blocks tile their file, damage is a CORRUPT region or an error, and contents are what Apache Hudi wrote.

Also covers: `formats/deletes.py`, `formats/wrappers.py`.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.columns.nodes import length, to_list
from hudi_core.errors import CorruptFileError, HudiError, UnsupportedError
from hudi_core.formats.avro.block import AvroRecords, avro_records, join_records
from hudi_core.formats.avro.columns import decode
from hudi_core.formats.avro.lanes import PADDING
from hudi_core.formats.deletes import read_deletes
from hudi_core.formats.hfile.file import HFile
from hudi_core.formats.log import MAGIC, READ_AHEAD, BlockKind, HeaderKey, LogBlock, read_blocks, rollback_target
from hudi_core.formats.names import parse_log_file
from hudi_core.formats.random_access import InMemoryFile
from tests.support.avro_values import rows_by_fastavro, same
from tests.support.conformance import ROOT, TableEntry, each_table_where

# -- making log files ------------------------------------------------------------------------------------------------------


def metadata(entries: dict[int, str]) -> bytes:
    texts = [struct.pack(">ii", key, len(text.encode())) + text.encode() for key, text in entries.items()]
    return struct.pack(">i", len(texts)) + b"".join(texts)


def frame(kind: int, header: dict[int, str], content: bytes = b"", version: int = 1, footer: bytes = bytes(4)) -> bytes:
    body = struct.pack(">ii", version, kind) + metadata(header) + struct.pack(">q", len(content)) + content + footer
    size = len(body) + 8
    return MAGIC + struct.pack(">q", size) + body + struct.pack(">q", size + 6)


def avro_frame(*records: bytes, schema: str = '"long"', version: int = 3) -> bytes:
    listed = b"".join(struct.pack(">i", len(record)) + record for record in records)
    return frame(3, {0: "001", 2: schema}, struct.pack(">ii", version, len(records)) + listed)


COMMAND = frame(0, {0: "003", 1: "001", 3: "0"})
DATA = avro_frame(b"\x02", b"\x04")
EMPTY_DELETE = frame(1, {0: "000"}, struct.pack(">iib", 3, 1, 0))


def blocks(data: bytes) -> list[LogBlock]:
    return list(read_blocks(InMemoryFile(data, "file")))


def summary(data: bytes) -> list[tuple[str, int, int]]:
    return [(block.kind.name, block.offset, block.length) for block in blocks(data)]


def tiles(found: list[LogBlock], size: int) -> bool:
    ends = [0, *(block.offset + block.length for block in found)]
    return [block.offset for block in found] == ends[:-1] and ends[-1] == size


# -- frames ----------------------------------------------------------------------------------------------------------------


def test_blocks_come_in_file_order_with_header_and_content() -> None:
    """LOG-1, LOG-2."""
    command, data, delete = blocks(COMMAND + DATA + EMPTY_DELETE)
    assert command.header == {
        HeaderKey.INSTANT_TIME: "003",
        HeaderKey.TARGET_INSTANT_TIME: "001",
        HeaderKey.COMMAND_BLOCK_TYPE: "0",
    }
    assert rollback_target(command) == "001"
    assert data.kind is BlockKind.AVRO_DATA
    assert data.content() == struct.pack(">iiib", 3, 2, 1, 2) + struct.pack(">ib", 1, 4)
    assert length(read_deletes(delete).record_keys) == 0
    assert blocks(b"") == []


def test_a_header_key_that_is_not_known_keeps_its_number() -> None:
    """LOG-2."""
    (block,) = blocks(frame(4, {0: "001", 77: "é"}, footer=metadata({3: "x"})))
    assert block.header[77] == "é"
    assert block.footer == {3: "x"}


@given(st.integers(0, len(COMMAND) - 1))
def test_a_cut_off_tail_is_a_corrupt_region(cut: int) -> None:
    """LOG-5."""
    kept = [("AVRO_DATA", 0, len(DATA))]
    tail = [("CORRUPT", len(DATA), cut)] if cut else []
    assert summary(DATA + COMMAND[:cut]) == kept + tail


def test_bytes_between_blocks_make_the_block_before_them_corrupt() -> None:
    assert summary(DATA + b"??????" + COMMAND) == [
        ("CORRUPT", 0, len(DATA) + 6),
        ("COMMAND", len(DATA) + 6, len(COMMAND)),
    ]


@pytest.mark.parametrize("size", [-1, 0, 31, 2**40, 2**63 - 1, len(DATA) - 15])
def test_a_wrong_size_makes_a_corrupt_region_up_to_the_next_magic(size: int) -> None:
    """LOG-5."""
    damaged = DATA[:6] + struct.pack(">q", size) + DATA[14:]
    assert summary(damaged + COMMAND) == [("CORRUPT", 0, len(DATA)), ("COMMAND", len(DATA), len(COMMAND))]


def test_a_wrong_trailing_length_makes_a_corrupt_region() -> None:
    """LOG-5."""
    damaged = DATA[:-1] + bytes([DATA[-1] ^ 1])
    assert summary(damaged + COMMAND) == [("CORRUPT", 0, len(DATA)), ("COMMAND", len(DATA), len(COMMAND))]


def test_the_next_magic_is_found_across_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hudi_core.formats.log.SCAN", 16)
    for junk in range(40):
        found = summary(b"x" * junk + COMMAND)
        assert found == [("CORRUPT", 0, junk)] * bool(junk) + [("COMMAND", junk, len(COMMAND))]


@given(st.integers(0, len(COMMAND + DATA + EMPTY_DELETE) - 1), st.integers(0, 255))
def test_blocks_tile_a_damaged_file_or_the_damage_is_named(place: int, byte: int) -> None:
    """LOG-4."""
    damaged = bytearray(COMMAND + DATA + EMPTY_DELETE)
    damaged[place] = byte
    try:
        found = blocks(bytes(damaged))
        assert tiles(found, len(damaged))
        for block in found:
            consume(block)
    except (CorruptFileError, UnsupportedError) as error:
        assert str(error).startswith("file, block at ")


def consume(block: LogBlock) -> None:
    match block.kind:
        case BlockKind.AVRO_DATA | BlockKind.CDC_DATA:
            records = avro_records(block)
            decode(records.schema_text, records.data, records.starts, records.lengths, block.where)
        case BlockKind.DELETE:
            read_deletes(block)
        case BlockKind.COMMAND:
            rollback_target(block)
        case _:
            block.content()


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (frame(3, {}, version=2), UnsupportedError, "expected log format version 1, found 2"),
        (frame(9, {}), UnsupportedError, "expected a block type from 0 to 6, found 9"),
        (
            frame(3, {}, footer=bytes(5)),
            CorruptFileError,
            "expected the trailing length after the footer, found 1 more",
        ),
        (
            frame(3, {}, footer=b"\0\0\1\0"),
            CorruptFileError,
            "expected count of header or footer entries within the block",
        ),
        (
            frame(3, {0: "001"}, footer=b""),
            CorruptFileError,
            "expected count of header or footer entries within the block",
        ),
        (COMMAND.replace(b"003", b"\xff03"), CorruptFileError, "expected UTF-8 text under header key 0"),
    ],
)
def test_a_whole_frame_with_a_bad_inside_is_an_error(data: bytes, error: type[HudiError], message: str) -> None:
    """LOG-3, LOG-6."""
    with pytest.raises(error, match=f"^file, block at 0: {message}"):
        blocks(data)


def test_a_block_without_a_header_that_it_needs_is_corrupt() -> None:
    (block,) = blocks(frame(0, {3: "0"}))
    with pytest.raises(CorruptFileError, match="expected header TARGET_INSTANT_TIME, found none"):
        rollback_target(block)
    (block,) = blocks(frame(0, {1: "001", 3: "1"}))
    with pytest.raises(UnsupportedError, match="expected command 0"):
        rollback_target(block)


class Counting:
    """A source that remembers what was read of it."""

    where = "file"

    def __init__(self, data: bytes) -> None:
        self.data, self.size = data, len(data)
        self.reads: list[tuple[int, int]] = []

    def read(self, offset: int, length: int) -> bytes:
        self.reads.append((offset, length))
        return self.data[offset : offset + length]


def test_large_contents_are_read_only_when_requested() -> None:
    """LOG-7."""
    large = frame(5, {0: "001"}, bytes(40 * READ_AHEAD))
    source = Counting(large + large + COMMAND)
    first, *_ = list(read_blocks(source))
    assert sum(size for _, size in source.reads) <= 6 * READ_AHEAD
    source.reads.clear()
    assert first.content() == bytes(40 * READ_AHEAD)
    assert len(source.reads) == 1


def test_small_files_are_read_at_once() -> None:
    source = Counting(DATA + COMMAND)
    list(read_blocks(source))
    assert source.reads == [(0, len(DATA + COMMAND))]


# -- contents --------------------------------------------------------------------------------------------------------------


def test_data_block_records_must_fill_the_content() -> None:
    """LOG-8."""
    for content, message in [
        (struct.pack(">ii", 3, 1), "expected records in 0 bytes, found a count of 1"),
        (struct.pack(">ii", 3, -1), "found a count of -1"),
        (struct.pack(">iii", 3, 1, 5), "record 0: expected a record in 4 bytes, found a length of 5"),
        (struct.pack(">iiii", 3, 1, 0, 0), "expected the end of the block after 1 records, found 4 more bytes"),
        (b"\0", "expected a version and a record count, found 1 bytes"),
    ]:
        (block,) = blocks(frame(3, {2: '"null"'}, content))
        with pytest.raises(CorruptFileError, match=message):
            avro_records(block)


def test_records_of_several_blocks_are_found_at_once() -> None:
    listed = [[b"a", b"", b"bcd"], [], [b"e" * 300], [b"f"] * 5000]
    contents = [b"".join(struct.pack(">i", len(item)) + item for item in part) for part in listed]
    found = blocks(
        b"".join(
            frame(3, {2: '"bytes"'}, struct.pack(">ii", 3, len(part)) + content)
            for part, content in zip(listed, contents, strict=True)
        )
    )
    data, starts, lengths = join_records(found)
    places = zip(starts.tolist(), lengths.tolist(), strict=True)
    assert [data[start : start + size].tobytes() for start, size in places] == [
        item for part in listed for item in part
    ]
    assert len(data) >= starts[-1] + lengths[-1] + PADDING


def test_records_of_several_blocks_end_with_their_block() -> None:
    first, second = struct.pack(">iiib", 3, 1, 5, 0), struct.pack(">iiii", 3, 1, 0, 0)
    for contents in ([first, second], [struct.pack(">iii", 3, 2, 0), struct.pack(">iii", 3, 0, 0)], [second, first]):
        found = blocks(b"".join(frame(3, {2: '"bytes"'}, content) for content in contents))
        with pytest.raises(CorruptFileError, match=r"block at 0, or one of 1 more"):
            join_records(found)


@pytest.mark.parametrize("version", [0, 4])
def test_other_data_block_versions_are_unsupported(version: int) -> None:
    """LOG-8."""
    (block,) = blocks(avro_frame(b"\x02", version=version))
    with pytest.raises(UnsupportedError, match="expected data block version 1 to 3"):
        avro_records(block)


@pytest.mark.parametrize("version", [1, 2])
def test_serialised_java_deletes_are_unsupported(version: int) -> None:
    """LOG-10."""
    (block,) = blocks(frame(1, {0: "001"}, struct.pack(">ii", version, 0)))
    with pytest.raises(UnsupportedError, match="expected delete block version 3"):
        read_deletes(block)


def test_a_delete_block_has_its_stated_length() -> None:
    """LOG-10."""
    (block,) = blocks(frame(1, {0: "001"}, struct.pack(">iib", 3, 2, 0)))
    with pytest.raises(CorruptFileError, match="expected 2 bytes of deletes, found 1"):
        read_deletes(block)


# -- what Apache Hudi wrote ------------------------------------------------------------------------------------------------


def log_files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob(".*") if path.is_file() and parse_log_file(path.name))


def values_agree(found: Any, recorded: Any) -> bool:
    """Equal, or recorded in another form because of a logical type (a date as text, a decimal as text, ...)."""
    return type(found) is not type(recorded) or isinstance(found, dict | list) or found == recorded


def check_block(block: LogBlock, recorded: dict[str, Any]) -> None:
    assert block.kind.name.lower() == recorded["type"]
    assert (block.offset, block.content_length, block.footer) == (recorded["offset"], recorded["content_length"], {})
    for name, value in recorded["header"].items():
        text = block.require(HeaderKey[name])
        digest = hashlib.sha256(text.encode()).hexdigest()
        assert digest == value["sha256"] if isinstance(value, dict) else text == value
    if recorded["type"] == "avro_data":
        records = avro_records(block)
        rows = to_list(decode(records.schema_text, records.data, records.starts, records.lengths, block.where))
        assert len(rows) == len(recorded["records"])
        for row, expected in zip(rows, recorded["records"], strict=True):
            assert row.keys() == expected.keys()
            assert all(values_agree(row[name], expected[name]) for name in row)
            assert row["_hoodie_record_key"] == expected["_hoodie_record_key"]
    if recorded["type"] == "delete":
        deletes = read_deletes(block)
        expected = recorded["deletes"]
        assert to_list(deletes.record_keys) == [item["record_key"] for item in expected]
        assert to_list(deletes.partition_paths) == [item["partition_path"] for item in expected]
        values = [value and value["value"] for value in to_list(deletes.ordering_values)]
        assert values == [item["ordering_value"] for item in expected]


def test_single_log_files_hold_what_was_recorded() -> None:
    """LOG-10."""
    recorded = ROOT / "corpus" / "logs" / "expected.json"
    if not recorded.is_file():
        pytest.skip("corpus log files not present under HUDI_CONFORMANCE")
    for entry in json.loads(recorded.read_text("utf-8")):
        found = blocks((ROOT / "corpus" / entry["file"]).read_bytes())
        assert len(found) == len(entry["blocks"])
        for block, expected in zip(found, entry["blocks"], strict=True):
            check_block(block, expected)


@pytest.mark.one_of(2)
@each_table_where(lambda entry: entry.has("*/.*.log.*"), "log files", every=3)
def test_every_log_file_of_every_table_is_read_whole(entry: TableEntry) -> None:
    root = entry.unpacked()
    recorded = {item["path"]: item["blocks"] for item in entry.expected.get("log_files", [])}
    for path in log_files(root):
        data = path.read_bytes()
        found = blocks(data)
        assert tiles(found, len(data))
        assert not any(block.kind is BlockKind.CORRUPT for block in found)
        for block in found:
            consume(block)
            check_against_fastavro(block)
        expected = recorded.get(str(path.relative_to(root)))
        for block, known in zip(found, expected, strict=True) if expected else ():
            check_block(block, known)


def check_against_fastavro(block: LogBlock) -> None:
    """Records of data blocks, and values of HFile blocks, are in columns what fastavro reads."""
    if block.kind is BlockKind.HFILE_DATA:
        cells = HFile(InMemoryFile(block.content(), block.where)).cells()
        records = AvroRecords(
            block.require(HeaderKey.SCHEMA), cells.data.tobytes(), cells.value_offsets, cells.value_lengths
        )
    elif block.kind in (BlockKind.AVRO_DATA, BlockKind.CDC_DATA):
        records = avro_records(block)
    else:
        return
    column = decode(records.schema_text, records.data, records.starts, records.lengths, block.where)
    places = np.stack([records.starts, records.lengths], 1).tolist()
    pieces = [records.data[start : start + size] for start, size in places]
    assert same(to_list(column)) == rows_by_fastavro(records.schema_text, pieces)
