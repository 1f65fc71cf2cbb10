"""What the bytes of a log block say, read by fastavro and nothing of ours but the block's frame."""

from __future__ import annotations

import io
import json
import struct
from collections import Counter
from pathlib import Path
from typing import Any

import fastavro

from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.formats import deletes
from hudi_core.formats.log import BlockKind, HeaderKey, LogBlock, read_blocks
from tests.support.avro_values import rows_by_fastavro, same


def framed_records(block: LogBlock) -> list[bytes]:
    """The records of an Avro data block, each behind its length; nothing may be left over."""
    content = block.content()
    count, at, records = struct.unpack_from(">i", content, 4)[0], 8, []
    for _ in range(count):
        length = struct.unpack_from(">i", content, at)[0]
        assert length >= 0
        records.append(content[at + 4 : at + 4 + length])
        at += 4 + length
    assert at == len(content)
    return records


def data_rows(block: LogBlock) -> list[Any]:
    """The rows of an Avro data block, in the form of `same`."""
    return rows_by_fastavro(block.header[HeaderKey.SCHEMA], framed_records(block))


def kinds_of_blocks(root: Path) -> Counter[BlockKind]:
    """How many blocks of each kind the log files of a table have."""
    storage = ArrowStorage(str(root))
    paths = [
        str(path.relative_to(root)) for path in root.rglob(".*.log.*") if ".hoodie" not in path.relative_to(root).parts
    ]
    return Counter(block.kind for path in paths for block in read_blocks(storage.open(path)))


def deleted_keys(block: LogBlock) -> list[Any]:
    """The record key, partition path and ordering value of each delete, in the form of `same`."""
    parsed = fastavro.parse_schema(json.loads(deletes._SCHEMA))
    content = io.BytesIO(block.content()[8:])
    listed: Any = fastavro.schemaless_reader(content, parsed)
    assert not content.read()
    return [same([one["recordKey"], one["partitionPath"], one["orderingVal"]]) for one in listed["deleteRecordList"]]
