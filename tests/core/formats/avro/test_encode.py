"""AVRO-COLUMNS rules on writing: the bytes are those of fastavro, and reading them gives the same columns.

Also covers: `formats/avro/block.py`, `formats/avro/write.py`.
"""

from __future__ import annotations

import json
import struct
from itertools import pairwise
from typing import Any

import fastavro
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hudi_core.columns.length_chain import length_chain
from hudi_core.columns.nodes import (
    Column,
    EnumColumn,
    FixedBinaryColumn,
    ListColumn,
    NullColumn,
    PrimitiveColumn,
    StringColumn,
    StructColumn,
    UnionColumn,
    to_list,
)
from hudi_core.columns.slicing import slice_rows
from hudi_core.errors import SchemaError, UnsupportedError
from hudi_core.formats.avro import pieces
from hudi_core.formats.avro import write as avro_write
from hudi_core.formats.avro.block import avro_content, encode, encode_framed
from hudi_core.formats.avro.columns import decode
from hudi_core.formats.avro.varint import varints, zigzag
from tests.support.avro_values import encode as by_fastavro
from tests.support.avro_values import same, written
from tests.support.drawing import cases

ROOMY = settings(
    deadline=None, max_examples=cases(40), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def read(schema: str, records: list[bytes]) -> Column:
    lengths = np.array([len(item) for item in records], np.int64)
    return decode(schema, b"".join(records), np.cumsum(lengths) - lengths, lengths, "file")


def bytes_of(schema: str, column: Column) -> list[bytes]:
    offsets, data = encode(schema, column, "rows")
    return [data[low:high].tobytes() for low, high in pairwise(offsets)]


THREE = ["string", "int", "null"]


def record(type_: Any) -> str:
    return json.dumps({"type": "record", "name": "R", "fields": [{"name": "f", "type": type_}]})


def one(column: Column, rows: int) -> StructColumn:
    return StructColumn(rows, {"f": column})


@ROOMY
@given(written(), st.sampled_from([1, 3, 8192]), st.sampled_from([-1, 1 << 14]))
def test_columns_are_written_as_fastavro_writes_their_rows(
    case: tuple[str, list[bytes]], batch: int, large: int
) -> None:
    """AVC-16: also when rows are taken to be large, which are put together one by one."""
    schema, records = case
    column = read(schema, records)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "LARGE_ROW", large)
        patch.setattr(avro_write, "BATCH_ROWS", batch)
        assert bytes_of(schema, column) == records
        framed = b"".join(len(item).to_bytes(4, "big") + item for item in records)
        assert encode_framed(schema, column, "rows", b"head").tobytes() == b"head" + framed


@ROOMY
@given(written(), st.data())
def test_rows_cut_out_are_written_as_they_are(case: tuple[str, list[bytes]], data: st.DataObject) -> None:
    schema, records = case
    low = data.draw(st.integers(0, len(records)))
    high = data.draw(st.integers(low, len(records)))
    assert bytes_of(schema, slice_rows(read(schema, records), low, high)) == records[low:high]


@given(st.lists(st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-300, 300), min_size=1))
def test_numbers_take_as_few_bytes_as_they_need(numbers: list[int]) -> None:
    parsed = fastavro.parse_schema("long")
    column = one(PrimitiveColumn(np.array(numbers, np.int64)), len(numbers))
    assert bytes_of(record("long"), column) == [by_fastavro(parsed, number) for number in numbers]


def test_numbers_at_every_edge_of_seven_bits() -> None:
    edges = sorted({(1 << bits) + more for bits in range(64) for more in (-2, -1, 0, 1)} & set(range(1 << 20)))
    edges += [(1 << bits) + more for bits in range(20, 64) for more in (-1, 0, 1)]
    for kept in (edges, edges[:30], [edge for edge in edges if edge < 1 << 28]):
        raw = np.array(kept, np.uint64)
        piece = varints(raw)
        sizes = np.broadcast_to(np.asarray(piece.sizes), raw.shape)
        assert sizes.tolist() == [max(1, -(-edge.bit_length() // 7)) for edge in kept]
        assert piece.max_size == sizes.max()
    assert zigzag(np.array([0, -1, 1, -(1 << 31)], np.int32)).tolist() == [0, 1, 2, (1 << 32) - 1]


def test_long_and_short_strings_in_one_column() -> None:
    values = ["", "x" * 5000, "é", "y" * 300] * 20 + ["z"] * 400
    schema = record(["null", "string"])
    parsed = fastavro.parse_schema(json.loads(schema))
    records = [by_fastavro(parsed, {"f": value}) for value in values]
    assert bytes_of(schema, read(schema, records)) == records


def test_symbols_are_found_by_name() -> None:
    """AVC-18."""
    schema = record({"type": "enum", "name": "E", "symbols": ["A", "B", "C"]})
    column = one(EnumColumn(np.array([0, 1], np.int32), ("C", "A")), 2)
    assert bytes_of(schema, column) == [b"\x04", b"\x00"]
    with pytest.raises(SchemaError, match=r"rows\.f: expected one of the symbols A, B, C, found 'Z'"):
        encode(schema, one(EnumColumn(np.array([0], np.int32), ("Z",)), 1), "rows")


def test_the_branch_of_null_may_stand_elsewhere_in_the_column() -> None:
    """AVC-18."""
    numbers, texts = (
        PrimitiveColumn(np.array([5], np.int32)),
        StringColumn(np.array([0, 1]), np.frombuffer(b"a", np.uint8)),
    )
    union = UnionColumn(np.array([0, 2, 1], np.int8), ("int", "string", "null"), (numbers, texts, NullColumn(1)))
    assert bytes_of(record(["null", "int", "string"]), one(union, 3)) == [b"\x02\x0a", b"\x00", b"\x04\x02a"]
    assert bytes_of(record(["int", "null", "string"]), one(union, 3)) == [b"\x00\x0a", b"\x02", b"\x04\x02a"]
    with pytest.raises(SchemaError, match=r"rows\.f: expected a value in every row, found nulls"):
        encode(record(["int", "string"]), one(union, 3), "rows")


def test_a_union_of_one_type_takes_its_values() -> None:
    assert bytes_of(record(["int"]), one(PrimitiveColumn(np.array([5], np.int32)), 1)) == [b"\x00\x0a"]


@pytest.mark.parametrize(
    ("type_", "column", "found"),
    [
        ("long", PrimitiveColumn(np.array([5], np.int32)), "int32"),
        ("string", PrimitiveColumn(np.array([5], np.int32)), "int32"),
        ({"type": "fixed", "name": "F", "size": 2}, FixedBinaryColumn(3, np.zeros((1, 3), np.uint8)), r"fixed\[3\]"),
        ("long", PrimitiveColumn(np.array([5]), np.array([False])), "nulls"),
        ("long", NullColumn(1), "nulls"),
        (["null", "long"], StringColumn(np.array([0, 0]), np.zeros(0, np.uint8)), "string"),
        (
            {"type": "array", "items": "long"},
            ListColumn(np.array([0, 1]), PrimitiveColumn(np.array([1]), np.array([False]))),
            "nulls",
        ),
    ],
)
def test_columns_that_the_schema_has_no_place_for_are_refused(type_: Any, column: Column, found: str) -> None:
    """AVC-17."""
    with pytest.raises(SchemaError, match=rf"^rows\.f(\[\])?: expected .*, found {found}$"):
        encode(record(type_), one(column, 1), "rows")


def test_a_missing_column_is_named() -> None:
    """AVC-17."""
    with pytest.raises(SchemaError, match=r"rows\.f: expected a column, found none"):
        encode(record("long"), StructColumn(1, {}), "rows")


def test_schemas_that_have_no_columns_are_refused() -> None:
    recursive = {"type": "record", "name": "R", "fields": [{"name": "f", "type": ["null", "R"]}]}
    with pytest.raises(UnsupportedError, match="rows"):
        encode(json.dumps(recursive), one(NullColumn(1), 1), "rows")
    with pytest.raises(SchemaError, match="rows"):
        encode("nonsense", one(NullColumn(1), 1), "rows")


def test_nulls_inside_null_structs_do_not_count() -> None:
    inner = {
        "type": "record",
        "name": "I",
        "fields": [{"name": "x", "type": "long"}, {"name": "u", "type": THREE}],
    }
    hidden = PrimitiveColumn(np.array([1, 2]), np.array([False, True]))
    column = one(StructColumn(2, {"x": hidden, "u": NullColumn(2)}, np.array([False, True])), 2)
    assert bytes_of(record(["null", inner]), column) == [b"\x00", b"\x02\x04\x04"]


def test_no_rows_are_no_bytes() -> None:
    offsets, data = encode(record("long"), one(PrimitiveColumn(np.zeros(0, np.int64)), 0), "rows")
    assert (offsets.tolist(), len(data)) == ([0], 0)


@ROOMY
@given(written())
def test_the_content_of_a_log_block_is_read_again(case: tuple[str, list[bytes]]) -> None:
    """AVC-19."""
    schema, records = case
    column = read(schema, records)
    assert isinstance(column, StructColumn)
    content = avro_content(schema, column, "rows")
    assert content[:8] == struct.pack(">ii", 3, len(records))
    again = decode(schema, content, *length_chain(content, 8, len(records), "block"), "block")
    assert same(to_list(again)) == same(to_list(column))
