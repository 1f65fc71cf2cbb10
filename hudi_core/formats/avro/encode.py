"""Columns → Avro binary records of a writer schema, all rows of a field at a time: the way out. The way in is `avro_columns`.

The rules are AVC-16 to AVC-19 in `specs/avro-columns.md`.
"""

from __future__ import annotations

import numpy as np

from hudi_core.columns.growing import GrowingArray
from hudi_core.columns.nodes import Bytes8, Column, Offsets, length
from hudi_core.errors import SchemaError, UnsupportedError
from hudi_core.formats.avro.plan import Node, plan
from hudi_core.formats.avro.write import write


def encode(schema_text: str, column: Column, where: str) -> tuple[Offsets, Bytes8]:
    """One record for each row, one after the other: record i is `data[offsets[i]:offsets[i + 1]]`.

    Fields are found by name; a record's column is a Struct. Raises SchemaError with `where` and the field's path when a
    column is missing, is of another physical type, or has nulls where the schema has no null.
    """
    ends, parts, total = [np.zeros(1, np.int64)], [np.zeros(0, np.uint8)], 0
    for offsets, data in write(_plan(schema_text, where), column, where):
        ends.append(offsets[1:] + total)
        parts.append(data)
        total += len(data)
    return np.concatenate(ends), np.concatenate(parts)


def encode_framed(schema_text: str, column: Column, where: str, header: bytes = b"") -> Bytes8:
    """As `encode`, each record behind its length in four bytes, and all behind a header: what log blocks hold.

    Parts are put together while others are made.
    """
    framed_records: GrowingArray | None = None
    for offsets, data in write(_plan(schema_text, where), column, where, framed=True):
        if framed_records is None:
            rows = len(offsets) - 1
            framed_records = GrowingArray(data, len(header) + len(data) * length(column) // rows * 33 // 32)
            framed_records.add(np.frombuffer(header, np.uint8))
        framed_records.add(data)
    return np.frombuffer(header, np.uint8) if framed_records is None else framed_records.array()


def _plan(schema_text: str, where: str) -> Node:
    try:
        return plan(schema_text)
    except (SchemaError, UnsupportedError) as error:
        raise type(error)(where, message=str(error)) from error
