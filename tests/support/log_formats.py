"""Log files whose blocks of rows have another format than the one that this library writes, as writers of Apache Hudi choose it
by `hoodie.logfile.data.block.format`."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_arrow.buffers import to_arrays
from hudi_core.avro.inbound import schema_from_avro
from hudi_core.columns.nodes import StringColumn, StructColumn
from hudi_core.data_files import log_file
from hudi_core.formats.avro.block import avro_content
from hudi_core.formats.hfile.write import write_hfile
from hudi_core.formats.log import BlockKind, HeaderKey
from hudi_core.formats.log_write import HeaderOf, encode_block

FORMATS = ("avro", "parquet", "hfile")


@contextmanager
def log_format(name: str) -> Iterator[None]:
    """Within it writes put the rows of a log file into one block of this format."""
    if name == "avro":
        yield
        return
    encode = _parquet if name == "parquet" else _hfile
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log_file, "encode_data_blocks", encode)
        yield


def _parquet(header: HeaderOf, rows: Iterable[StructColumn], where: str, _: int) -> Iterator[bytes]:
    first = 0
    for part in rows:
        if part.length:
            text = header(0, 0)[HeaderKey.SCHEMA]
            arrays = to_arrays(part, schema_from_avro(text).record, where)
            table = pa.Table.from_batches([pa.RecordBatch.from_struct_array(array) for array in arrays])
            out = io.BytesIO()
            pq.write_table(table, out)
            yield encode_block(BlockKind.PARQUET_DATA, header(first, first + part.length), out.getvalue())
        first += part.length


def _hfile(header: HeaderOf, rows: Iterable[StructColumn], where: str, _: int) -> Iterator[bytes]:
    """Its records are in the order of their keys, so it states no positions."""
    for part in rows:
        if not part.length:
            continue
        shared = dict(header(0, 0))
        for key in (HeaderKey.RECORD_POSITIONS, HeaderKey.BASE_FILE_INSTANT_TIME_OF_RECORD_POSITIONS):
            shared.pop(key, None)
        content = bytes(avro_content(shared[HeaderKey.SCHEMA], part, where))
        keys: Any = part.fields["_hoodie_record_key"]
        offsets = keys.offsets.tolist()
        texts = [bytes(keys.data[begin:end]) for begin, end in pairwise(offsets)]
        cells = dict(sorted(zip(texts, _records(content), strict=True)))
        yield encode_block(BlockKind.HFILE_DATA, shared, write_hfile(_strings(cells), _strings(cells.values()), {}))


def _records(content: bytes) -> Iterator[bytes]:
    at = 8
    while at < len(content):
        (length,) = struct.unpack_from(">i", content, at)
        yield content[at + 4 : at + 4 + length]
        at += 4 + length


def _strings(values: Iterable[bytes]) -> StringColumn:
    listed = list(values)
    offsets = np.cumsum([0, *map(len, listed)], dtype=np.int64)
    return StringColumn(offsets, np.frombuffer(b"".join(listed), np.uint8))
