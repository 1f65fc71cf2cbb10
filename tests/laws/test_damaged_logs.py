"""Damaged log files of every kind of block: an error that says where, or the right rows; 10,000 cases in a long run.

Right are the rows of the sound file where checksums guard them (the pages of Parquet, the blocks of HFile by their gzip). No
checksum guards Avro records in a log block: a changed value that is still well formed is read as it stands, and right are the
rows that another library reads. What the bytes before a change say is not touched by it.
"""

from __future__ import annotations

import io
import json
import struct
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_arrow.engine import ENGINE
from hudi_core.columns.nodes import to_list
from hudi_core.engine import FileInfo
from hudi_core.errors import HudiError
from hudi_core.formats.avro.block import avro_records
from hudi_core.formats.avro.columns import decode
from hudi_core.formats.deletes import read_deletes
from hudi_core.formats.hfile.file import HFile
from hudi_core.formats.log import MAGIC, BlockKind, LogBlock, read_blocks
from hudi_core.formats.random_access import InMemoryFile
from tests.support.avro_values import same
from tests.support.drawing import cases, seed
from tests.support.hfiles import build
from tests.support.log_blocks import data_rows, deleted_keys
from tests.support.logged_tables import COLUMNS, Block, frame, log_bytes, schema_of, with_meta
from tests.support.memory import Memory

INSTANT = "20240101000000001"
ROWS: list[dict[str, Any]] = [
    {"id": f"key-{number}", "ts": number, "v": f"value {number}", "n": number} for number in range(5)
]
CASES = {"avro": cases(4_500), "delete": cases(2_000), "hfile": cases(2_500), "parquet": cases(1_000)}


def _log(kind: str) -> bytes:
    """A log file of one sound block of deletes, and behind it one of the kind."""
    header = {0: INSTANT, 2: json.dumps(schema_of(COLUMNS))}
    deletes = log_bytes(Block(deletes=[("key-7", 3), ("key-8", None)]), INSTANT)
    match kind:
        case "avro":
            return deletes + log_bytes(Block(ROWS), INSTANT)
        case "delete":
            return deletes + log_bytes(Block(deletes=[(row["id"], row["ts"]) for row in ROWS]), INSTANT)
        case "hfile":
            encoded = log_bytes(Block(ROWS[:1]), INSTANT)
            record = encoded[encoded.index(struct.pack(">ii", 3, 1)) + 12 : -12]
            return deletes + frame(4, header, build([(row["id"].encode(), record) for row in ROWS]))
        case _:
            out = io.BytesIO()
            rows = [with_meta(row) for row in ROWS]
            pq.write_table(pa.Table.from_pylist(rows), out, write_page_checksum=True)
            return deletes + frame(5, header, out.getvalue())


def _damaged(content: bytes, begin: int, random: np.random.Generator) -> bytes:
    """The bytes with some bits or bytes changed behind a place, some cut off or put in."""
    bytes_ = bytearray(content)
    for _ in range(int(random.integers(1, 4))):
        place = int(random.integers(begin, len(bytes_)))
        match int(random.integers(0, 8)):
            case 0:
                del bytes_[place:]
            case 1:
                bytes_[place:place] = random.bytes(int(random.integers(1, 9)))
            case 2:
                bytes_[place] = int(random.choice([0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF]))
            case _:
                bytes_[place] ^= 1 << int(random.integers(0, 8))
        if len(bytes_) <= begin + 1:
            break
    return bytes(bytes_)


def _data_rows(block: LogBlock) -> list[Any]:
    records = avro_records(block)
    data = np.frombuffer(records.data, np.uint8)
    return to_list(decode(records.schema_text, data, records.starts, records.lengths, block.where))


def _deletes(block: LogBlock) -> list[Any]:
    deletes = read_deletes(block)
    columns = (deletes.record_keys, deletes.partition_paths, deletes.ordering_values)
    return [list(row) for row in zip(*map(to_list, columns), strict=True)]


def _hfile_rows(block: LogBlock) -> list[Any]:
    cells = HFile(InMemoryFile(block.content(), block.where)).cells()
    schema = json.dumps(schema_of(COLUMNS))
    return to_list(decode(schema, cells.data, cells.value_offsets, cells.value_lengths, block.where))


def _parquet_table(block: LogBlock) -> pa.Table:
    content = block.content()
    storage, file = Memory({"": content}, uri=block.where), FileInfo("", len(content))
    return pa.Table.from_batches(ENGINE.reader("parquet").open(storage, file).batches())


def _compared(block: LogBlock, sound: LogBlock) -> bool:
    """Reads a block and holds what it gives to be right; False for a block that has no rows. Raises as reading does."""
    match block.kind:
        case BlockKind.DELETE:
            assert same(_deletes(block)) == deleted_keys(block)
        case BlockKind.AVRO_DATA:
            assert same(_data_rows(block)) == data_rows(block)
        case BlockKind.HFILE_DATA:
            assert _hfile_rows(block) == _hfile_rows(sound)
        case BlockKind.PARQUET_DATA:
            table, whole = _parquet_table(block), _parquet_table(sound)
            # No checksum guards the names and types of columns, which stand in the footer.
            assert table.num_rows == whole.num_rows
            for field in (field for field in table.schema if field in list(whole.schema)):
                assert table[field.name].to_pylist() == whole[field.name].to_pylist()
        case _:
            return False
    return True


@pytest.mark.one_of(2)
@pytest.mark.parametrize("kind", CASES)
def test_damaged_log_files_give_an_error_or_the_right_rows(kind: str) -> None:
    content = _log(kind)
    deletes, sound = read_blocks(InMemoryFile(content, "log"))
    # A block whose end another does not follow is none: the magic of the second one stays.
    begin = sound.offset + len(MAGIC)
    random = np.random.default_rng(seed(20_260_102))
    compared, refused = 0, 0
    for _ in range(CASES[kind]):
        blocks = read_blocks(InMemoryFile(_damaged(content, begin, random), "log"))
        assert _deletes(next(blocks)) == _deletes(deletes)
        try:
            compared += sum(_compared(block, sound) for block in blocks)
        except HudiError as error:
            assert str(error).startswith("log")
            assert "\n" not in str(error)
            refused += 1
    assert compared > CASES[kind] // 20
    assert refused > CASES[kind] // 20
