"""Damaged log files of every kind of block: an error that says where, or rows; 10,000 cases a run.

No checksum guards a log block, so that a changed value which is still well formed is read as it stands. What the bytes
before a change say is not touched by it.
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
from hudi_core.columns.nodes import length
from hudi_core.engine import FileInfo
from hudi_core.errors import HudiError
from hudi_core.formats.avro.block import avro_records
from hudi_core.formats.avro.columns import decode
from hudi_core.formats.deletes import read_deletes
from hudi_core.formats.hfile.file import HFile
from hudi_core.formats.log import MAGIC, BlockKind, LogBlock, read_blocks
from hudi_core.formats.random_access import InMemoryFile
from tests.support.drawing import seed
from tests.support.hfiles import build
from tests.support.logged_tables import COLUMNS, Block, frame, log_bytes, schema_of, with_meta
from tests.support.memory import Memory

INSTANT = "20240101000000001"
ROWS: list[dict[str, Any]] = [
    {"id": f"key-{number}", "ts": number, "v": f"value {number}", "n": number} for number in range(5)
]
CASES = {"avro": 4_500, "delete": 2_000, "hfile": 2_500, "parquet": 1_000}


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


def _records(block: LogBlock) -> int:
    """The number of records of a block, all of which are read."""
    match block.kind:
        case BlockKind.DELETE:
            return length(read_deletes(block).record_keys)
        case BlockKind.AVRO_DATA:
            found = avro_records(block)
            data = np.frombuffer(found.data, np.uint8)
            return length(decode(found.schema_text, data, found.starts, found.lengths, block.where))
        case BlockKind.HFILE_DATA:
            cells = HFile(InMemoryFile(block.content(), block.where)).cells()
            schema = json.dumps(schema_of(COLUMNS))
            return length(decode(schema, cells.data, cells.value_offsets, cells.value_lengths, block.where))
        case BlockKind.PARQUET_DATA:
            content = block.content()
            storage, file = Memory({"": content}, uri=block.where), FileInfo("", len(content))
            return sum(batch.num_rows for batch in ENGINE.reader("parquet").batches(storage, file))
        case _:
            return 0


@pytest.mark.parametrize("kind", CASES)
def test_damaged_log_files_give_an_error_or_rows(kind: str) -> None:
    content = _log(kind)
    # A block whose end another does not follow is none: the magic of the second one stays.
    begin = list(read_blocks(InMemoryFile(content, "log")))[1].offset + len(MAGIC)
    random = np.random.default_rng(seed(20_260_102))
    refused = 0
    for _ in range(CASES[kind]):
        blocks = read_blocks(InMemoryFile(_damaged(content, begin, random), "log"))
        first = next(blocks)
        assert (first.kind, _records(first)) == (BlockKind.DELETE, 2)
        try:
            assert sum(map(_records, blocks)) <= len(content)
        except HudiError as error:
            assert str(error).startswith("log")
            assert "\n" not in str(error)
            refused += 1
    assert refused > CASES[kind] // 20
