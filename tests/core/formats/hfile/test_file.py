"""FORMAT-14 to FORMAT-22: HFiles opened, read whole, looked up, damaged."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import struct
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.columns.hashes import file_group_indexes
from hudi_core.columns.strings import string_column
from hudi_core.errors import CorruptFileError, HudiError, UnsupportedError
from hudi_core.formats.hfile import file as hfile
from hudi_core.formats.hfile.cells import Cells
from hudi_core.formats.hfile.file import HFile
from hudi_core.formats.hfile.trailer import Codec
from hudi_core.formats.names import parse_base_file
from hudi_core.formats.random_access import InMemoryFile
from hudi_core.formats.secondary_key import secondary_file_group_index, split_secondary_key
from tests.support.conformance import ROOT, TableEntry, each_table_where
from tests.support.hfiles import GZ, NONE, Shape, build

Pairs = list[tuple[bytes, bytes]]

SHAPES = {
    "hudi": Shape(),
    "hudi, not compressed": Shape(codec=NONE),
    "hbase": Shape(checksum=2, whole_keys=True, hadoop_lengths=True),
    "hbase, small pieces": Shape(checksum=2, piece=64, whole_keys=True, hadoop_lengths=True, codec=NONE),
    "crc32": Shape(checksum=1, piece=100),
    "two levels": Shape(checksum=2, whole_keys=True, hadoop_lengths=True, fanout=8),
    "three levels": Shape(block_size=100, whole_keys=True, hadoop_lengths=True, fanout=4),
    "without timestamps": Shape(timestamps=False),
    "hudi-rs": Shape(checksum=2, codec=NONE, zeros=True),
}
each_shape = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)


def opened(data: bytes) -> HFile:
    return HFile(InMemoryFile(data, "t"))


def pairs(cells: Cells) -> Pairs:
    return [(cells.key(index), cells.value(index)) for index in range(len(cells))]


def rows(count: int) -> Pairs:
    chance = random.Random(count)
    keys = sorted(chance.randbytes(chance.randint(0, 40)) for _ in range(count))
    return [(key, chance.randbytes(chance.randint(0, 60))) for key in keys]


def corpus_hfiles() -> list[dict[str, Any]]:
    recorded = ROOT / "corpus" / "hfiles" / "expected.json"
    if not recorded.is_file():
        pytest.skip("corpus HFiles not present under HUDI_CONFORMANCE")
    entries: list[dict[str, Any]] = json.loads(recorded.read_text("utf-8"))
    return entries


def table_hfiles(entry: TableEntry) -> Iterator[tuple[Path, HFile]]:
    for path in sorted((entry.unpacked() / ".hoodie" / "metadata").rglob("*.hfile")):
        yield path, HFile(InMemoryFile(path.read_bytes(), path.name))


@each_shape
@pytest.mark.parametrize("count", [0, 1, 30, 3000])
def test_all_rows_of_a_file_are_read_in_order(shape: Shape, count: int) -> None:
    written = rows(count)
    file = opened(build(written, shape))
    assert file.entry_count == count
    assert pairs(file.cells()) == written


@each_shape
def test_a_lookup_reads_the_blocks_of_its_keys_only(shape: Shape) -> None:
    written = [(f"key-{number:06}".encode(), b"v%d" % number) for number in range(0, 6000, 2)]
    data = build(written, shape)
    file = opened(data)
    assert pairs(file.lookup([b"key-003001"]).cells) == []
    assert file.blocks_read == file.trailer.data_index_levels
    found = file.lookup([b"key-003000"])
    assert pairs(found.cells) == [(b"key-003000", b"v3000")]
    assert file.blocks_read <= 2 * file.trailer.data_index_levels + 1

    file = opened(data)
    keys = [key for key, _ in written]
    found = file.lookup(keys)
    assert pairs(found.cells) == written
    assert found.key_indexes.tolist() == list(range(len(keys)))
    all_blocks = file.blocks_read
    file.lookup(keys[:10] + keys[-10:])
    file.prefix([b"key-0030"])
    assert file.blocks_read - all_blocks < all_blocks / 10
    assert len(file.prefix([b"key-0030", b"key-00301", b"key-0030"])) == 50


@pytest.mark.parametrize("shape", [Shape(), Shape(codec=NONE, fanout=4)], ids=["one level", "several levels"])
def test_pieces_for_a_column_of_keys_hold_them_and_little_else(shape: Shape) -> None:
    cells = [(f"key-{number:06}".encode(), b"v" * 40) for number in range(0, 6000, 2)]
    file = HFile(InMemoryFile(build(cells, shape), "made"))
    requested = ["key-000010", "key-005000", "key-000010", "key-003001", "a", "", "z" * 300, "key-00"]
    before = file.blocks_read
    found = {
        cell.key(row)
        for piece in file.pieces_for(string_column(requested))
        for cell in [piece()]
        for row in range(len(cell))
    }
    assert {b"key-000010", b"key-005000"} <= found
    assert len(found) < len(cells) // 8
    assert file.blocks_read - before < 30


@given(
    st.lists(st.text("ab\0", max_size=4).map(str.encode) | st.just(b"\xff\xff"), max_size=25),
    st.lists(st.text("ab\0", max_size=4).map(str.encode) | st.sampled_from([b"\xff", b"\xff" * 3]), max_size=4),
    st.sampled_from([1, 60, 10_000]),
    st.sampled_from([None, 2]),
    st.sampled_from([1, 100, 1 << 20]),
)
def test_rows_are_found_wherever_the_blocks_are_cut(
    keys: list[bytes], requested: list[bytes], block_size: int, fanout: int | None, piece: int
) -> None:
    written = [(key, b"%d" % number) for number, key in enumerate(sorted(keys))]
    shape = Shape(block_size=block_size, fanout=fanout, whole_keys=True, hadoop_lengths=True)
    file = opened(build(written, shape))
    found = file.lookup(requested)
    wanted = [(index, pair) for index, key in enumerate(requested) for pair in written if pair[0] == key]
    assert list(zip(found.key_indexes.tolist(), pairs(found.cells), strict=True)) == wanted
    with_prefix = [pair for pair in written if pair[0].startswith(tuple(requested))]
    assert pairs(file.prefix(requested)) == with_prefix
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(hfile, "_PIECE", piece)
        assert [pair for cells in file.prefix_pieces(requested) for pair in pairs(cells())] == with_prefix


def test_info_schema_and_meta_blocks_are_read() -> None:
    shape = Shape(info={b"schema": b'"string"', b"k": b""}, metas={b"bloomFilter": b"AAAA", b"other": bytes(5000)})
    file = opened(build(rows(10), shape))
    assert file.codec is Codec.GZ
    assert file.schema_text == '"string"'
    assert file.file_info[b"k"] == b""
    assert (file.meta("bloomFilter"), file.meta("other"), file.meta("absent")) == (b"AAAA", bytes(5000), None)


def test_a_file_larger_than_its_first_read_is_opened() -> None:
    info = {b"schema": random.Random(1).randbytes(100_000)}
    file = opened(build(rows(100), Shape(info=info, codec=NONE)))
    assert pairs(file.cells()) == rows(100)
    with pytest.raises(CorruptFileError, match=r"^t: schema: expected UTF-8 text"):
        assert file.schema_text


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (Shape(trailer={12: 3}), "t: trailer: expected codec GZ or NONE, found codec SNAPPY"),
        (Shape(trailer={12: 6}), "t: trailer: expected codec GZ or NONE, found codec ZSTD"),
        (Shape(trailer={13: b"key"}), "t: trailer: expected an unencrypted file, found an encryption key"),
        (Shape(info={b"KEY_VALUE_VERSION": struct.pack(">i", 2)}), "found cell version 2"),
        (Shape(info={b"MAX_MEMSTORE_TS_KEY": struct.pack(">q", 1)}), "without memstore timestamps"),
        (Shape(info={b"MAX_MEMSTORE_TS_KEY": b"\1"}), "without memstore timestamps"),
    ],
)
def test_valid_but_unsupported_contents_are_named(shape: Shape, message: str) -> None:
    with pytest.raises(UnsupportedError, match=message):
        opened(build(rows(10), shape))


@pytest.mark.parametrize("timestamps", [True, False])
def test_a_greatest_timestamp_of_one_byte_is_read_as_one_of_eight(timestamps: bool) -> None:
    """Development builds of Hudi 1.1 write such files, with an empty encryption key."""
    shape = Shape(timestamps=timestamps, info={b"MAX_MEMSTORE_TS_KEY": b"\0"}, trailer={13: b""})
    assert pairs(opened(build(rows(100), shape)).cells()) == rows(100)


@pytest.mark.parametrize("width", [0, 2, 7, 9])
def test_a_greatest_timestamp_of_another_width_is_damage(width: int) -> None:
    with pytest.raises(CorruptFileError, match=f"bytes of MAX_MEMSTORE_TS_KEY, found {width} bytes"):
        opened(build(rows(10), Shape(info={b"MAX_MEMSTORE_TS_KEY": bytes(width)})))


def test_another_version_of_the_format_is_named() -> None:
    with pytest.raises(UnsupportedError, match="expected HFile version 3, found version 2"):
        opened(build(rows(10))[:-4] + struct.pack(">i", 2))


def test_encoded_data_blocks_are_named() -> None:
    data = build(rows(10), Shape(codec=NONE)).replace(b"DATABLK*", b"DATABLKE")
    with pytest.raises(UnsupportedError, match="t: block at offset 0: expected plain cells, found encoded cells"):
        opened(data).cells()


@pytest.mark.parametrize(
    ("trailer", "message"),
    [
        ({2: 10**9}, "t: trailer: expected the load-on-open section"),
        ({1: 2**63}, "t: trailer: expected the load-on-open section"),
        ({5: 10**12}, "t: root data index: expected an entry"),
        ({6: 10**12}, "t: meta index: expected an entry"),
        ({7: 11}, "t: expected 11 entries, found 10"),
        ({8: 0}, "t: trailer: expected 1 to 16 index levels, found 0"),
        ({8: 10**12}, "t: trailer: expected 1 to 16 index levels"),
        ({9: 5}, "t: data blocks from offset 5: expected the last one at offset 0, found none"),
        ({10: 5}, "t: data blocks from offset 0: expected the last one at offset 5, found one at offset 0"),
        ({9: 2**40}, "t: expected data blocks of "),
        ({10: 2**40}, "t: block at offset "),
        ({12: 7}, "t: trailer: expected a codec from 0 to 6, found 7"),
    ],
)
def test_a_trailer_that_contradicts_the_file_is_corrupt(trailer: dict[int, int | bytes], message: str) -> None:
    data = build(rows(10), Shape(trailer=trailer))
    with pytest.raises(CorruptFileError, match=f"^{message}"):
        opened(data).cells()


@pytest.mark.parametrize("length", [0, 1, 100, 4095])
def test_a_file_shorter_than_a_trailer_is_corrupt(length: int) -> None:
    with pytest.raises(CorruptFileError, match=r"^t: expected a trailer of 4096 bytes, found a file of \d+ bytes"):
        opened(bytes(length))


def test_a_file_of_something_else_is_corrupt() -> None:
    with pytest.raises(CorruptFileError, match=r"^t: trailer: expected magic .*TRABLK.*, found "):
        opened(b"PAR1" * 5000)


@pytest.mark.parametrize("kind", [1, 2])
@pytest.mark.parametrize("codec", [GZ, NONE])
def test_every_flipped_bit_of_a_block_with_a_checksum_is_found(kind: int, codec: int) -> None:
    data = bytearray(build(rows(20), Shape(checksum=kind, codec=codec, piece=128, block_size=1 << 20)))
    end = opened(bytes(data)).trailer.load_on_open_offset
    for at in range(33, end, 7):
        data[at] ^= 1 << at % 8
        with pytest.raises(CorruptFileError, match=r"^t: block at offset 0: "):
            opened(bytes(data)).cells()
        data[at] ^= 1 << at % 8


@pytest.mark.parametrize("kind", [1, 2])
def test_a_checksum_of_zero_is_none_only_in_a_file_that_has_none(kind: int) -> None:
    """FORMAT-1120."""
    written = rows(20)
    without = bytearray(build(written, Shape(checksum=kind, zeros=True, block_size=1 << 20)))
    with_sums = bytearray(build(written, Shape(checksum=kind, block_size=1 << 20)))
    data_end = opened(bytes(without)).trailer.load_on_open_offset
    assert pairs(opened(bytes(without)).cells()) == written
    without[data_end - 1] = 7
    with_sums[data_end - 4 : data_end] = bytes(4)
    for damaged in (without, with_sums):
        with pytest.raises(CorruptFileError, match=r"^t: block at offset 0: .*checksum"):
            opened(bytes(damaged)).cells()


@pytest.mark.parametrize("codec", [GZ, NONE])
def test_a_claimed_size_takes_no_memory(codec: int) -> None:
    data = bytearray(build(rows(200), Shape(codec=codec, block_size=1 << 20)))
    data[12:16] = struct.pack(">i", 2**31 - 1)
    tracemalloc.start()
    try:
        with pytest.raises(CorruptFileError, match=r"^t: block at offset 0: expected "):
            opened(bytes(data)).cells()
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def use(data: bytes) -> None:
    """Everything a reader does with a file."""
    file = opened(data)
    sample = [b"", b"key", b"\xff", b"hudi-key-000000100"]
    for step in (
        lambda: file.cells(),
        lambda: file.lookup(sample),
        lambda: file.prefix(sample[1:]),
        lambda: file.meta("bloomFilter"),
        lambda: file.schema_text,
    ):
        with suppress(CorruptFileError, UnsupportedError):
            step()


def damaged(data: bytes, chance: random.Random) -> bytes:
    """The file with a few bits, bytes, numbers or stretches changed, or cut; mostly where they have a meaning."""
    changed = bytearray(data)
    end = len(changed)
    for _ in range(chance.randint(1, 3)):
        at = chance.choice([chance.randrange(end), chance.randrange(max(end - 5000, 0), end - 3900), end - 1])
        match chance.randrange(6):
            case 0 | 1:
                changed[at] ^= 1 << chance.randrange(8)
            case 2:
                changed[at] = chance.choice([0, 0x7F, 0x80, 0xFF])
            case 3:
                changed[at : at + 4] = struct.pack(">i", chance.choice([0, 1, -1, 2**31 - 1, -(2**31), 4096]))
            case 4:
                changed[at : at + chance.randrange(60)] = bytes(chance.randrange(60))
            case _:
                del changed[at : at + chance.choice([1, 8, end])]
        end = len(changed)
        if end < 5000:
            break
    return bytes(changed)


@pytest.mark.one_of(2)
@each_shape
def test_damage_is_an_error_of_the_file_or_goes_unseen_but_nothing_else(shape: Shape) -> None:
    written = [(b"key-%05d" % number, b"v" * (number % 50)) for number in range(400)]
    data = build(written, replace(shape, info={b"schema": b'"string"'}, metas={b"bloomFilter": b"AAAA" * 50}))
    chance = random.Random(11)
    for _ in range(400):
        try:
            use(damaged(data, chance))
        except HudiError as error:
            assert str(error).startswith("t: ")


def test_damage_to_real_files_is_an_error_of_the_file_or_goes_unseen() -> None:
    chance = random.Random(12)
    for entry in corpus_hfiles():
        data = (ROOT / "corpus" / entry["file"]).read_bytes()
        for _ in range(5_000_000 // len(data)):
            try:
                use(damaged(data, chance))
            except HudiError as error:
                assert str(error).startswith("t: ")


def test_corpus_files_are_read_as_recorded() -> None:
    for entry in corpus_hfiles():
        file = HFile(InMemoryFile((ROOT / "corpus" / entry["file"]).read_bytes(), entry["name"]))
        assert (file.codec.name, file.entry_count, file.trailer.data_index_levels) == (
            entry["codec"],
            entry["entry_count"],
            entry["index_levels"],
        )
        assert (file.trailer.data_index_count, file.trailer.comparator) == (
            entry["root_index_entries"],
            entry["comparator"],
        )
        assert sorted(key.decode() for key in file.file_info) == entry["file_info_keys"]
        assert all(file.meta(name) for name in entry["meta_blocks"])
        if "schema_file_info" in entry:
            assert json.loads(file.schema_text or "") == entry["schema_file_info"]
        found = pairs(file.cells())
        assert len({key for key, _ in found}) == entry["distinct_keys"]
        digest = hashlib.sha256(b"".join(key + b"\0" + value + b"\n" for key, value in found))
        assert digest.hexdigest() == entry["entries_sha256"]


def test_corpus_keys_are_found_as_recorded() -> None:
    for entry in corpus_hfiles():
        file = HFile(InMemoryFile((ROOT / "corpus" / entry["file"]).read_bytes(), entry["name"]))
        wanted = dict(entry.get("lookups", []))
        requested = [key.encode() for key in [*wanted, *entry.get("absent_keys", [])]]
        found: dict[str, Any] = {}
        matches = file.lookup(requested)
        for index, (key, value) in zip(matches.key_indexes.tolist(), pairs(matches.cells), strict=True):
            assert requested[index] == key
            found.setdefault(key.decode(), []).append(value.decode())
        assert found == {key: value if isinstance(value, list) else [value] for key, value in wanted.items()}
        for prefix, count in entry.get("prefix_counts", []):
            assert len(file.prefix([prefix.encode()])) == count


@each_table_where(lambda entry: entry.has("*/.hoodie/metadata/*.hfile"), "HFiles", every=3)
def test_rows_of_metadata_tables_ascend_and_are_found_again(entry: TableEntry) -> None:
    for path, file in table_hfiles(entry):
        found = pairs(file.cells())
        keys = [key for key, _ in found]
        assert keys == sorted(set(keys)), path
        assert pairs(file.lookup(keys).cells) == found
        assert pairs(file.prefix([b""])) == found
        assert json.loads(file.schema_text or "")["name"] == "HoodieMetadataRecord"
        assert file.meta("bloomFilter")


@each_table_where(
    lambda entry: (entry.folder / "mdt_records.jsonl.gz").is_file() and entry.has("*/.hoodie/metadata/*.hfile"),
    "recorded records of HFiles",
)
def test_rows_of_metadata_tables_are_the_recorded_ones(entry: TableEntry) -> None:
    keys: dict[str, list[str]] = {}
    recorded = entry.folder / "mdt_records.jsonl.gz"
    with gzip.open(recorded, "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if record["file"].endswith(".hfile"):
                keys.setdefault(f"{record['partition']}/{record['file']}", []).append(record["key"])
    for path, file in table_hfiles(entry):
        found = [key.decode() for key, _ in pairs(file.cells())]
        assert found == keys.get(f"{path.parent.name}/{path.name}", []), path


@each_table_where(lambda entry: entry.has("*/.hoodie/metadata/*.hfile"), "HFiles", every=3)
def test_keys_of_metadata_tables_are_in_the_file_group_of_their_hash(entry: TableEntry) -> None:
    groups: dict[str, dict[str, Pairs]] = {}
    for path, file in table_hfiles(entry):
        name = parse_base_file(path.name)
        assert name is not None
        prefix, index = name.file_id.removesuffix("-0").rsplit("-", 1)
        groups.setdefault(f"{path.parent.name}/{prefix}", {}).setdefault(index, []).extend(pairs(file.cells()))
    for partition, held in groups.items():
        folder = entry.unpacked() / ".hoodie" / "metadata" / partition.partition("/")[0]
        count = len({parts[0] for parts in _group_names(folder, partition.partition("/")[2])})
        for index, found in held.items():
            keys = [key.decode() for key, _ in found]
            if partition.startswith("secondary_index_"):
                values = [split_secondary_key(key, partition)[0] for key in keys]
                by_value = {secondary_file_group_index(value, count) for value in values}
                assert by_value <= {int(index)} or set(file_group_indexes(keys, count)) <= {int(index)}
            elif not partition.startswith("expr_index_"):
                assert set(file_group_indexes(keys, count).tolist()) <= {int(index)}, partition


def _group_names(folder: Path, prefix: str) -> set[tuple[str]]:
    names = (path.name.lstrip(".") for path in folder.iterdir())
    return {(name.split("_")[0],) for name in names if name.startswith(f"{prefix}-")}


def test_an_empty_encryption_key_is_none() -> None:
    """FORMAT-230: as development builds of Apache Hudi 1.1 wrote it."""
    content = build([(b"a", b"1")], Shape(trailer={13: b""}))
    assert HFile(InMemoryFile(content, "t")).entry_count == 1
