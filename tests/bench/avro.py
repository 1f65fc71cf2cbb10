"""Log blocks of 12 flat columns, both ways: bytes to Arrow batches, and columns to bytes.

The columns are those of the tables that reads are measured on (a key, times, numbers, a decimal, texts; two have nulls),
without Hudi's five, in the nullable types that Spark's writer leaves. Peers get what they take: fastavro each record's bytes,
DataFusion a container file with the same records, uncompressed, in a temporary folder.
"""

from __future__ import annotations

import io
import json
import struct
import tempfile
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import fastavro
import numpy as np
import pyarrow as pa

from hudi_arrow.engine import ENGINE
from hudi_core.avro.inbound import schema_from_avro
from hudi_core.columns.length_chain import length_chain
from hudi_core.columns.nodes import StructColumn
from hudi_core.formats.avro.block import avro_content
from hudi_core.formats.avro.columns import decode, decode_framed
from tests.bench.timing import Missing, Pair, Unbuilt

COUNT = 100_000
_START = 1_750_000_000_000
_DECIMAL = {"type": "fixed", "name": "fixed", "size": 6, "logicalType": "decimal", "precision": 12, "scale": 2}
_TYPES: dict[str, Any] = {
    "id": "string",
    "ts": "long",
    "a": "int",
    "b": "int",
    "l": "long",
    "x": "double",
    "dec": _DECIMAL,
    "flag": "boolean",
    "cat": "string",
    "name": "string",
    "day": {"type": "int", "logicalType": "date"},
    "at": {"type": "long", "logicalType": "timestamp-micros"},
}
SCHEMA = json.dumps(
    {
        "type": "record",
        "name": "row",
        "fields": [{"name": name, "type": ["null", of], "default": None} for name, of in _TYPES.items()],
    }
)


@cache
def rows() -> list[dict[str, Any]]:
    """With dates, times and decimals as the numbers that are stored."""
    random = np.random.default_rng(5)
    columns = {
        "id": [f"{number:08x}-{random.bytes(2).hex()}-{random.bytes(11).hex()}" for number in range(COUNT)],
        "ts": (_START + 10 * np.arange(COUNT)).tolist(),
        "a": random.integers(0, 1_000_000, COUNT).tolist(),
        "b": random.integers(0, 1_000_000, COUNT).tolist(),
        "l": random.integers(-(1 << 63), (1 << 63) - 1, COUNT).tolist(),
        "x": _with_nulls(random, (random.integers(0, 10**9, COUNT) / 1000).tolist(), 0.05),
        "dec": random.integers(0, 10**9, COUNT).tolist(),
        "flag": random.integers(0, 2, COUNT).astype(bool).tolist(),
        "cat": [f"category-{number}" for number in random.integers(0, 50, COUNT).tolist()],
        "name": _with_nulls(random, [f"name {random.bytes(8).hex()}" for _ in range(COUNT)], 0.02),
        "day": random.integers(19_723, 20_423, COUNT).tolist(),
        "at": ((_START + random.integers(0, 86_400_000_000, COUNT)) * 1000).tolist(),
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _with_nulls(random: np.random.Generator, values: list[Any], part: float) -> list[Any]:
    return [None if null else value for value, null in zip(values, random.random(COUNT) < part, strict=True)]


@cache
def stored() -> tuple[Any, list[dict[str, Any]]]:
    """The parsed schema without logical types, and the rows as fastavro then takes them: the fastest it can do."""
    bare = json.loads(SCHEMA)
    for field in bare["fields"]:
        of = field["type"][1]
        if isinstance(of, dict):
            field["type"][1] = {key: of[key] for key in ("type", "name", "size") if key in of}
            if of["type"] != "fixed":
                field["type"][1] = of["type"]
    return fastavro.parse_schema(bare), [{**row, "dec": row["dec"].to_bytes(6, "big", signed=True)} for row in rows()]


@cache
def block() -> bytes:
    """The content of a log block."""
    return by_fastavro()


def to_arrow() -> list[pa.RecordBatch]:
    content = block()
    (count,) = struct.unpack_from(">i", content, 4)
    schema = schema_from_avro(SCHEMA)
    parts = decode_framed(SCHEMA, content, 8, count, "block")
    return [batch for part in parts for batch in ENGINE.rows.from_columns(part, schema, "block")]  # type: ignore[arg-type]


@cache
def columns() -> StructColumn:
    content = block()
    found = decode(SCHEMA, content, *length_chain(content, 8, COUNT, "block"), "block")
    assert isinstance(found, StructColumn)
    return found


def to_bytes() -> memoryview:
    return avro_content(SCHEMA, columns(), "rows")


def by_fastavro() -> bytes:
    parsed, listed = stored()
    content, one = io.BytesIO(), io.BytesIO()
    content.write(struct.pack(">ii", 3, len(listed)))
    for row in listed:
        one.seek(0)
        one.truncate()
        fastavro.schemaless_writer(one, parsed, row)
        content.write(struct.pack(">i", one.tell()))
        content.write(one.getvalue())
    return content.getvalue()


def to_arrow_by_fastavro() -> pa.Table:
    """Records to rows, and the rows of stored values to a table; decimals are left as bytes."""
    content, (parsed, _) = io.BytesIO(block()), stored()
    content.seek(8)
    found = []
    for _ in range(COUNT):
        content.seek(4, io.SEEK_CUR)
        found.append(fastavro.schemaless_reader(content, parsed))
    return pa.Table.from_pylist(found)


def to_arrow_by_datafusion() -> Callable[[], pa.Table]:
    try:
        from datafusion import SessionContext  # noqa: PLC0415 - it is only where peers are
    except ModuleNotFoundError as missing:
        raise Missing(f"{missing.name} is not installed") from None
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "rows.avro"
    listed = [{**row, "dec": Decimal(row["dec"]).scaleb(-2)} for row in rows()]
    with path.open("wb") as file:
        fastavro.writer(file, fastavro.parse_schema(json.loads(SCHEMA)), listed)
    context = SessionContext()
    context.register_avro("rows", str(path))

    def read(_: object = folder) -> pa.Table:  # the folder lives as long as the function
        return context.sql("SELECT * FROM rows").to_arrow_table()

    return read


def _same_table(ours: object, theirs: object) -> None:
    assert isinstance(ours, list)
    assert isinstance(theirs, pa.Table)
    found = pa.Table.from_batches(ours)
    assert found.num_rows == theirs.num_rows == COUNT
    for name in _TYPES:
        assert _as_stored(found.column(name)) == _as_stored(theirs.column(name)), f"{name} differs"


def _as_stored(column: pa.ChunkedArray) -> list[Any]:
    """The values of a column, with dates, times and decimals as the numbers that are stored: not every peer has their types."""
    if pa.types.is_date(column.type) or pa.types.is_timestamp(column.type):
        return list(column.cast(pa.int32() if pa.types.is_date32(column.type) else pa.int64()).to_pylist())
    if pa.types.is_decimal(column.type):
        return [None if value is None else int(value.scaleb(2)) for value in column.to_pylist()]
    if pa.types.is_binary(column.type) or pa.types.is_fixed_size_binary(column.type):
        return [None if value is None else int.from_bytes(value, "big", signed=True) for value in column.to_pylist()]
    return list(column.to_pylist())


def _same_bytes(ours: object, theirs: object) -> None:
    assert ours == theirs


def pair(case: str, peer: str) -> Pair:
    """The measurement of a case."""
    match case, peer:
        case "decode_log_12_columns", "fastavro":
            return Pair(to_arrow, to_arrow_by_fastavro, _same_table, 0.0, 3)
        case "decode_log_12_columns", "datafusion":
            return Pair(to_arrow, to_arrow_by_datafusion(), _same_table, 2.0)
        case "encode_log_12_columns", "fastavro":
            columns()
            return Pair(to_bytes, by_fastavro, _same_bytes, 0.0, 3)
    raise Unbuilt("no measurement of this case")
