"""Damaged blocks of Avro records: an error that says where, or what their bytes say; 10,000 cases a run."""

from __future__ import annotations

import json
import struct
import tracemalloc
from typing import Any

import fastavro
import numpy as np
import pytest

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.columns.length_chain import length_chain
from hudi_core.columns.nodes import StructColumn, to_list
from hudi_core.errors import CorruptFileError
from hudi_core.formats.avro.columns import decode
from hudi_plain.buffers import to_values
from tests.support.avro_values import encode, rows_by_fastavro, same
from tests.support.drawing import seed

CASES = {"flat": 5_000, "others": 3_500, "nested": 1_500}
MOST_BYTES = 1 << 20
"""That one small block may take while it is read, whatever its bytes claim."""


def _record(*types: Any) -> dict[str, Any]:
    return {"type": "record", "name": "R", "fields": [{"name": f"f{i}", "type": of} for i, of in enumerate(types)]}


_ENUM = {"type": "enum", "name": "E", "symbols": ["A", "B", "C"]}
_INNER = {
    "type": "record",
    "name": "I",
    "fields": [{"name": "x", "type": "long"}, {"name": "y", "type": ["string", "null"]}],
}
_FIXED = {"type": "fixed", "name": "F", "size": 5}
_DECIMAL = {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}

BLOCKS: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "flat": (
        _record(["null", "string"], "long", ["null", "double"], "boolean", "int", "string"),
        [
            {"f0": "key é", "f1": 1 << 40, "f2": 0.5, "f3": True, "f4": -7, "f5": "a text"},
            {"f0": None, "f1": -3, "f2": None, "f3": False, "f4": 1 << 30, "f5": ""},
            {"f0": "x" * 70, "f1": -(1 << 62), "f2": 1e300, "f3": True, "f4": 0, "f5": "日本"},
        ],
    ),
    "nested": (
        _record({"type": "array", "items": ["null", "string"]}, {"type": "map", "values": "long"}, ["null", _INNER]),
        [
            {"f0": ["a", None, "bc"], "f1": {"k": 5}, "f2": {"x": 9, "y": None}},
            {"f0": [], "f1": {}, "f2": None},
            {"f0": [None] * 9, "f1": {"m": 1 << 50}, "f2": {"x": -1, "y": "z"}},
        ],
    ),
    "others": (
        _record(_ENUM, _FIXED, ["null", "int", "string", "boolean"], {"type": "array", "items": "float"}, "bytes"),
        [
            {"f0": "A", "f1": b"12345", "f2": 3, "f3": [0.5, 1.5], "f4": b"\xff\x00"},
            {"f0": "C", "f1": b"\x00" * 5, "f2": "text", "f3": [], "f4": b""},
            {"f0": "B", "f1": b"abcde", "f2": None, "f3": [2.5], "f4": b"x" * 66},
        ],
    ),
}


def _content(records: list[bytes]) -> bytes:
    framed = [struct.pack(">i", len(record)) + record for record in records]
    return struct.pack(">ii", 3, len(records)) + b"".join(framed)


def _damaged(content: bytes, random: np.random.Generator) -> bytes:
    """The bytes with some bits or bytes changed, some cut off or put in."""
    bytes_ = bytearray(content)
    for _ in range(int(random.integers(1, 4))):
        place = int(random.integers(4, len(bytes_)))
        match int(random.integers(0, 6)):
            case 0:
                del bytes_[place:]
            case 1:
                bytes_[place:place] = random.bytes(int(random.integers(1, 9)))
            case 2:
                bytes_[place] = int(random.choice([0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF]))
            case _:
                bytes_[place] ^= 1 << int(random.integers(0, 8))
        if len(bytes_) < 9:
            break
    return bytes(bytes_)


def _read(schema: str, content: bytes) -> tuple[list[Any], list[bytes]]:
    """The rows of a block, and its records."""
    count = struct.unpack_from(">i", content, 4)[0] if len(content) >= 8 else 0
    starts, lengths = length_chain(content, 8, count, "block") if len(content) >= 8 else (np.zeros(0, np.int64),) * 2
    rows = to_list(decode(schema, content, starts, lengths, "block"))
    return rows, [content[at : at + size] for at, size in zip(starts.tolist(), lengths.tolist(), strict=True)]


def _once(value: Any) -> Any:
    """Maps with the last of equal keys, as fastavro reads them."""
    match value:
        case dict():
            return {key: _once(item) for key, item in value.items()}
        case list() if value and all(isinstance(item, tuple) for item in value):
            return [[key, _once(item)] for key, item in dict(value).items()]
        case list():
            return [_once(item) for item in value]
    return value


@pytest.mark.one_of(2)
@pytest.mark.parametrize("name", BLOCKS)
def test_damaged_blocks_give_an_error_or_the_values_of_their_bytes(name: str) -> None:
    """AVC-20."""
    schema, values = BLOCKS[name]
    text, parsed = json.dumps(schema), fastavro.parse_schema(schema)
    content = _content([encode(parsed, value) for value in values])
    random = np.random.default_rng(seed(20_260_101))
    refused = 0
    for _ in range(CASES[name]):
        damaged = _damaged(content, random)
        try:
            rows, records = _read(text, damaged)
        except CorruptFileError as error:
            assert str(error).startswith("block")
            assert "\n" not in str(error)
            refused += 1
        else:
            assert same(_once(rows)) == rows_by_fastavro(text, records)
    assert refused > CASES[name] // 2


def test_counts_and_lengths_that_bytes_claim_take_no_memory() -> None:
    """AVC-20."""
    huge = [
        b"\xfe\xff\xff\xff\x0f",
        b"\xfe\xff\xff\xff\xff\xff\xff\xff\x7f",
        b"\x80\x80\x80\x80\x10",
        b"\xff" * 9 + b"\x01",
    ]
    for of in ("string", "bytes", {"type": "array", "items": "long"}, {"type": "map", "values": "string"}):
        for claim in huge:
            content = _content([claim + b"abc"] * 3)
            tracemalloc.start()
            with pytest.raises(CorruptFileError):
                _read(json.dumps(_record(of)), content)
            assert tracemalloc.get_traced_memory()[1] < MOST_BYTES
            tracemalloc.stop()


def test_damaged_decimals_are_corrupt_or_fit_their_type() -> None:
    schema = _record(_DECIMAL)
    record, parsed = schema_from_avro(json.dumps(schema)).record, fastavro.parse_schema(_record("bytes"))
    random = np.random.default_rng(seed(7))
    for _ in range(300):
        content = _content([encode(parsed, {"f0": random.bytes(int(random.integers(0, 7)))}) for _ in range(2)])
        count = struct.unpack_from(">i", content, 4)[0]
        columns = decode(json.dumps(schema), content, *length_chain(content, 8, count, "block"), "block")
        assert isinstance(columns, StructColumn)
        try:
            rows = to_values(columns, record, "block")
        except CorruptFileError:
            continue
        assert all(abs(row[0]) < 10**7 for row in rows)
