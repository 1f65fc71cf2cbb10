"""AVRO-COLUMNS rules: columns hold what fastavro reads, for all schemas; damage is a CorruptFileError with the record.

Also covers: `columns/concat.py`, `formats/avro/lanes.py`, `formats/avro/pieces.py`, `formats/avro/plan.py`,
`formats/avro/read.py`, `formats/avro/skip.py`, `formats/avro/varint.py`, `formats/avro/walk.py`.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import fastavro
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hudi_core.columns import length_chain
from hudi_core.columns.nodes import (
    Column,
    ListColumn,
    MapColumn,
    NullColumn,
    PrimitiveColumn,
    StringColumn,
    StructColumn,
    UnionColumn,
    length,
    select_nested_column,
    to_list,
)
from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.formats.avro import columns as avro_columns
from hudi_core.formats.avro import lanes as avro_lanes
from hudi_core.formats.avro import read as avro_read
from hudi_core.formats.avro import skip as avro_skip
from hudi_core.formats.avro import walk as avro_walk
from hudi_core.formats.avro.columns import decode, decode_framed
from hudi_core.formats.hfile.file import HFile
from hudi_core.formats.random_access import InMemoryFile
from tests.support.avro_values import encode, rows_by_fastavro, same, written
from tests.support.conformance import TableEntry, each_table_where
from tests.support.drawing import cases


def laid_out(records: list[bytes], gap: bytes = b"") -> tuple[bytes, np.ndarray, np.ndarray]:
    lengths = np.array([len(item) for item in records], np.int64)
    starts = np.cumsum(lengths + len(gap)) - lengths
    return b"".join(gap + item for item in records), starts, lengths


def framed(records: list[bytes]) -> bytes:
    return b"head" + b"".join(struct.pack(">i", len(item)) + item for item in records)


def decoded(schema: str, records: list[bytes], gap: bytes = b"", **options: Any) -> Column:
    return decode(schema, *laid_out(records, gap), "file", **options)


def column_of(type_: Any, *values: Any, **options: Any) -> Column:
    """The column of a record's only field, of the given type, over the given values."""
    schema = {"type": "record", "name": "R", "fields": [{"name": "f", "type": type_}]}
    parsed = fastavro.parse_schema(schema)
    rows = decoded(json.dumps(schema), [encode(parsed, {"f": value}) for value in values], **options)
    return select_nested_column(rows, "f")


def raw_column(type_: Any, *records: bytes) -> Column:
    schema = {"type": "record", "name": "R", "fields": [{"name": "f", "type": type_}]}
    return select_nested_column(decoded(json.dumps(schema), list(records)), "f")


# -- laws ------------------------------------------------------------------------------------------------------------------

ROOMY = settings(
    deadline=None, max_examples=cases(80), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@ROOMY
@given(written(), st.sampled_from([b"", b"\xff\xff\xff", b"\x00" * 40]))
def test_columns_hold_the_values_of_fastavro(case: tuple[str, list[bytes]], gap: bytes) -> None:
    schema, records = case
    assert same(to_list(decoded(schema, records, gap))) == rows_by_fastavro(schema, records)


@ROOMY
@given(written(), st.data())
def test_a_projection_gives_the_same_columns_as_the_whole(case: tuple[str, list[bytes]], data: st.DataObject) -> None:
    schema, records = case
    whole = decoded(schema, records)
    assert isinstance(whole, StructColumn)
    wanted = data.draw(st.sets(st.sampled_from([*whole.fields, "no_such_field"])))
    part = decoded(schema, records, wanted=wanted)
    assert isinstance(part, StructColumn)
    assert list(part.fields) == [name for name in whole.fields if name in wanted]
    for name, column in part.fields.items():
        assert same(to_list(column)) == same(to_list(whole.fields[name]))


@ROOMY
@given(written(), st.integers(1, 5))
def test_batches_do_not_show(case: tuple[str, list[bytes]], size: int) -> None:
    schema, records = case
    whole = decoded(schema, records)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(avro_columns, "BATCH_ROWS", (size, size))
        patch.setattr(avro_skip, "SMALL_LANE_COUNT", size)
        patch.setattr(avro_read, "MAX_LANES", size)
        patch.setattr(avro_lanes, "WINDOW", 10 + size)
        assert same(to_list(decoded(schema, records))) == same(to_list(whole))


@ROOMY
@given(written(), st.integers(1, 5))
def test_records_behind_their_lengths_are_the_same_records(case: tuple[str, list[bytes]], size: int) -> None:
    schema, records = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(avro_columns, "BATCH_ROWS", (size, size))
        found = list(decode_framed(schema, framed(records), 4, len(records), "file"))
    assert [row for part in found for row in same(to_list(part))] == rows_by_fastavro(schema, records)


def test_damage_behind_lengths_is_reported_with_the_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(avro_columns, "BATCH_ROWS", (100, 100))
    monkeypatch.setattr(length_chain, "MANY_WALKS_THRESHOLD", 50)
    monkeypatch.setattr(length_chain, "PIECE_ITEMS", 150)
    records = [b"\x02"] * 777 + [b"\x80"] + [b"\x02"] * 222
    parts = decode_framed('"long"', framed(records), 4, 1000, "file")
    with pytest.raises(CorruptFileError, match=r"^file, record 777: expected a number"):
        list(parts)


@ROOMY
@given(written(), st.data())
def test_mutated_bytes_give_a_result_or_a_corrupt_file_error(
    case: tuple[str, list[bytes]], data: st.DataObject
) -> None:
    schema, records = case
    buffer, starts, lengths = laid_out(records)
    damaged = bytearray(buffer)
    for _ in range(data.draw(st.integers(1, 4)) if buffer else 0):
        place = data.draw(st.integers(0, len(damaged) - 1))
        damaged[place] = data.draw(st.one_of(st.sampled_from([0x00, 0x01, 0x7F, 0x80, 0xFF]), st.integers(0, 255)))
    try:
        column = decode(schema, bytes(damaged), starts, lengths, "file")
    except CorruptFileError as error:
        assert str(error).startswith("file, record ")
    else:
        assert length(column) == len(records)
        to_list(column)


@ROOMY
@given(written(), st.data())
def test_records_cut_short_or_long_are_corrupt(case: tuple[str, list[bytes]], data: st.DataObject) -> None:
    """AVC-7."""
    schema, records = case
    row = data.draw(st.integers(0, len(records) - 1))
    if records[row] and data.draw(st.booleans()):
        records[row] = records[row][:-1]
    else:
        records[row] += b"\x00"
    with pytest.raises(CorruptFileError, match=rf"^file, record {row}[:,]"):
        decoded(schema, records)


# -- each type -------------------------------------------------------------------------------------------------------------


def test_each_type_has_its_column() -> None:
    """AVC-2."""
    column = column_of("long", 1, -1, 2**62)
    assert isinstance(column, PrimitiveColumn)
    assert column.values.dtype == np.int64
    assert column.validity is None
    assert column_of("int", 3).values.dtype == np.int32  # type: ignore[union-attr]
    assert column_of("float", 0.5).values.dtype == np.float32  # type: ignore[union-attr]
    assert column_of("double", 0.5).values.dtype == np.float64  # type: ignore[union-attr]
    assert column_of("boolean", True).values.dtype == np.bool_  # type: ignore[union-attr]
    assert column_of("null", None, None) == NullColumn(2) or length(column_of("null", None, None)) == 2


def test_a_nullable_column_has_zeros_and_no_bytes_where_it_is_null() -> None:
    """AVC-2, AVC-3."""
    numbers = column_of(["null", "long"], 7, None, 2**40)
    assert isinstance(numbers, PrimitiveColumn)
    assert numbers.values.tolist() == [7, 0, 2**40]
    assert numbers.validity is not None
    assert numbers.validity.tolist() == [True, False, True]
    texts = column_of(["string", "null"], "ab", None, "é")
    assert isinstance(texts, StringColumn)
    assert texts.offsets.tolist() == [0, 2, 2, 4]
    assert texts.data.tobytes() == "abé".encode()


def test_a_union_of_several_types_is_dense_and_names_its_branches() -> None:
    wrapper = {"type": "record", "name": "W", "namespace": "n", "fields": [{"name": "value", "type": "int"}]}
    column = column_of(["null", "string", wrapper], "a", None, ("n.W", {"value": 5}), "b", None)
    assert isinstance(column, UnionColumn)
    assert column.names == ("null", "string", "n.W")
    assert column.branches.tolist() == [1, 0, 2, 1, 0]
    assert column.positions().tolist() == [0, 0, 0, 1, 1]
    assert [to_list(child) for child in column.children] == [[None, None], ["a", "b"], [{"value": 5}]]


def test_lists_and_maps_hold_their_items_in_order() -> None:
    """AVC-5."""
    lists = column_of({"type": "array", "items": "string"}, ["a", "bc"], [], ["d"])
    assert isinstance(lists, ListColumn)
    assert lists.offsets.tolist() == [0, 2, 2, 3]
    assert to_list(lists.items) == ["a", "bc", "d"]
    maps = column_of({"type": "map", "values": "long"}, {"x": 1}, {"z": 3, "y": 2})
    assert isinstance(maps, MapColumn)
    assert to_list(maps) == [[("x", 1)], [("z", 3), ("y", 2)]]


def test_repeated_keys_of_a_map_stay() -> None:
    """AVC-5."""
    maps = raw_column({"type": "map", "values": "long"}, b"\x06\x02y\x04\x02x\x02\x02y\x06\x00")
    assert to_list(maps) == [[("y", 2), ("x", 1), ("y", 3)]]


def test_a_null_struct_makes_its_fields_null_on_the_way_down() -> None:
    inner = {"type": "record", "name": "I", "fields": [{"name": "x", "type": "long"}, {"name": "t", "type": "string"}]}
    column = column_of(["null", inner], {"x": 1, "t": "a"}, None, {"x": 3, "t": "c"})
    assert isinstance(column, StructColumn)
    assert to_list(select_nested_column(column, "x")) == [1, None, 3]
    assert to_list(select_nested_column(column, "t")) == ["a", None, "c"]


def test_no_records_give_columns_of_no_rows() -> None:
    assert to_list(column_of({"type": "map", "values": ["null", "long", "string"]})) == []


def test_blocks_of_a_list_may_carry_their_size_and_be_many() -> None:
    # two items in a block with its size in bytes, one in a block without, then the end
    """AVC-11."""
    assert to_list(raw_column({"type": "array", "items": "long"}, b"\x03\x04\x02\x04\x02\x06\x00")) == [[1, 2, 3]]
    assert to_list(raw_column({"type": "array", "items": "float"}, b"\x01\x08" + bytes(4) + b"\x00")) == [[0.0]]


def test_a_long_list_in_one_record_is_read_in_order() -> None:
    values = [f"item {i}" * (i % 3) for i in range(20_000)]
    assert to_list(column_of({"type": "array", "items": "string"}, values)) == [values]


def test_numbers_may_be_written_longer_than_needed() -> None:
    """AVC-11."""
    assert to_list(raw_column("long", b"\x82\x00", b"\x02", b"\x82\x80\x80\x80\x80\x80\x80\x80\x80\x00")) == [1, 1, 1]


def test_a_branch_may_be_written_longer_than_needed() -> None:
    two, three = ["null", "long"], ["null", "long", "string"]
    assert to_list(raw_column(two, b"\x82\x00\x06", b"\x00", b"\x80\x00", b"\x02\x04")) == [3, None, None, 2]
    assert to_list(raw_column(three, b"\x82\x00\x06", b"\x84\x00\x02a", b"\x00")) == [3, "a", None]


@pytest.mark.one_of(2)
@pytest.mark.parametrize("nulls", [0.0, 0.02, 0.5])
def test_many_batches_of_flat_rows_hold_the_values_of_fastavro(nulls: float) -> None:
    random = np.random.default_rng(11)
    types = ["long", "string", "double", "int", "boolean", "bytes", "float", "string", "long"]
    fields = [{"name": f"c{i}", "type": ["null", type_]} for i, type_ in enumerate(types)]
    schema = {"type": "record", "name": "R", "fields": fields}
    parsed = fastavro.parse_schema(schema)

    def value(type_: str) -> Any:
        number = int(random.integers(0, 2 ** int(random.integers(1, 62)))) - int(random.integers(0, 99))
        match type_:
            case "int":
                return number % 2**31
            case "string" | "bytes":
                text = "é😀x" * int(random.integers(0, 4) ** int(random.integers(1, 5)))
                return text if type_ == "string" else text.encode()
            case "double" | "float":
                return float(np.float32(number))
            case "boolean":
                return number % 2 == 0
        return number

    def row() -> dict[str, Any]:
        return {f"c{i}": None if random.random() < nulls else value(type_) for i, type_ in enumerate(types)}

    encoded = [encode(parsed, row()) for _ in range(300)]
    order = random.integers(0, len(encoded), 40_000)
    found = decoded(json.dumps(schema), [encoded[i] for i in order])
    expected = rows_by_fastavro(json.dumps(schema), encoded)
    assert same(to_list(found)) == [expected[i] for i in order]


def test_wanted_paths_reach_into_structs_through_unions_lists_and_maps() -> None:
    """AVC-6."""
    point = {"type": "record", "name": "P", "fields": [{"name": "x", "type": "int"}, {"name": "y", "type": "string"}]}
    schema = {
        "type": "record",
        "name": "R",
        "fields": [
            {"name": "a", "type": ["null", {"type": "array", "items": point}]},
            {"name": "m", "type": {"type": "map", "values": ["null", "P"]}},
            {"name": "z", "type": "P"},
        ],
    }
    one, two = {"x": 1, "y": "one"}, {"x": 2, "y": "two"}
    record = encode(fastavro.parse_schema(schema), {"a": [one, two], "m": {"k": two, "n": None}, "z": one})
    part = decoded(json.dumps(schema), [record], wanted=["a.y", "m.x", "no.such"])
    assert to_list(part) == [{"a": [{"y": "one"}, {"y": "two"}], "m": [("k", {"x": 2}), ("n", None)]}]


# -- damage ----------------------------------------------------------------------------------------------------------------

DAMAGED = [
    ("boolean", b"\x02", "expected a boolean, 0 or 1, found 2"),
    ("int", b"\x80\x80\x80\x80\x10", "expected an int of 32 bits, found 2147483648"),
    ("long", b"\x80" * 10 + b"\x00", "expected a number of at most 10 bytes, found more"),
    ("long", b"\x80" * 9 + b"\x02", "expected a number of at most 64 bits, found more"),
    ("double", bytes(7), "expected a value within the record, found one that ends 1 bytes later"),
    ("string", b"\x01", "expected a length, found -1"),
    ("string", b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", "expected a value within the record, found one"),
    ("string", b"\x04\xc3\x28", "expected UTF-8 text, found byte 0xc3"),
    ("bytes", b"\x04a", "expected a value within the record, found one that ends 1 bytes later"),
    (["null", "long"], b"\x04", "expected a union branch from 0 to 1, found 2"),
    (["null", "long", "string"], b"\x01", "expected a union branch from 0 to 2, found -1"),
    ({"type": "enum", "name": "E", "symbols": ["A"]}, b"\x02", "expected a symbol from 0 to 0, found 1"),
    ({"type": "array", "items": "long"}, b"\x80\x80\x80\x80\x20", "expected items within the record, found a block of"),
    ({"type": "array", "items": "null"}, b"\x80\x80\x80\x80\x20", "expected items within the record, found a block of"),
    ({"type": "array", "items": "double"}, b"\x02\x00", "expected items within the record, found a block of 1"),
    ({"type": "map", "values": "null"}, b"\x02", "expected items within the record, found a block of 1"),
    ("null", b"\x00", "expected the end of the record, found 1 more bytes"),
]


@pytest.mark.parametrize(("type_", "record", "message"), DAMAGED, ids=[str(i) for i in range(len(DAMAGED))])
def test_damage_is_reported_with_the_record_the_field_and_what_is_wrong(
    type_: Any, record: bytes, message: str
) -> None:
    """AVC-4, AVC-7, AVC-8."""
    sound = encode(fastavro.parse_schema({"type": "record", "name": "R", "fields": []}), {})
    schema = {"type": "record", "name": "R", "fields": [{"name": "f", "type": ["null", type_]}]}
    if isinstance(type_, list):
        schema["fields"][0]["type"] = type_  # type: ignore[index]
    elif type_ != "null":
        sound, record = b"\x00", b"\x02" + record
    else:
        schema["fields"][0]["type"] = "null"  # type: ignore[index]
    with pytest.raises(CorruptFileError) as caught:
        decoded(json.dumps(schema), [sound or b"", record] if type_ == "null" else [b"\x00", record])
    assert str(caught.value).startswith("file, record 1")
    assert message in str(caught.value)


@pytest.mark.parametrize("records", [1, 100])
def test_a_count_that_lies_costs_no_more_than_its_record(records: int) -> None:
    nested = {"type": "array", "items": {"type": "array", "items": ["null", "long"]}}
    lie = b"\x02" + b"\xfe" * 8 + b"\x7e" + bytes(1000)
    with pytest.raises(CorruptFileError, match=r"record 0, field f: expected items within the record"):
        raw_column(nested, *[lie] * records)


def test_items_without_bytes_are_limited_over_all_records() -> None:
    """AVC-9."""
    block = b"\x80\x80\x80\x01"  # a block of 2**20 nulls
    with pytest.raises(CorruptFileError, match="records 0 to 1: expected at most 16777216 items without bytes"):
        raw_column({"type": "array", "items": "null"}, block * 10 + b"\x00", block * 10 + b"\x00")
    assert avro_walk.MAX_EMPTY_ITEMS == 16777216


@pytest.mark.parametrize(
    ("schema", "error"),
    [
        ("{", CorruptFileError),
        ('{"type": "record", "name": "R"}', CorruptFileError),
        ('"Unknown"', CorruptFileError),
        ('{"type": "enum", "name": "E", "symbols": []}', CorruptFileError),
        ('["null", ["null", "int"]]', CorruptFileError),
        ('["int", "int"]', CorruptFileError),
        ("[" * 100_000, CorruptFileError),
        ('{"type": "record", "name": "L", "fields": [{"name": "next", "type": ["null", "L"]}]}', UnsupportedError),
        ('{"type": "array", "items": ' * 150 + '"int"' + "}" * 150, UnsupportedError),
    ],
)
def test_an_invalid_schema_and_one_without_columns_are_refused(schema: str, error: type[Exception]) -> None:
    """AVC-10."""
    with pytest.raises(error, match=r"^file: "):
        decoded(schema, [b"\x00"])


@pytest.mark.parametrize(("start", "size"), [(-1, 1), (0, 3), (2, 1), (0, -1)])
def test_records_outside_the_buffer_are_refused(start: int, size: int) -> None:
    with pytest.raises(CorruptFileError, match="record 1: expected a place in the buffer"):
        decode('"long"', b"\x02\x04", np.array([0, start]), np.array([1, size]), "file")


def test_records_may_overlap_repeat_and_come_in_any_order() -> None:
    """AVC-1."""
    starts, ones = np.array([2, 0, 2, 1]), np.ones(4, np.int64)
    assert to_list(decode('"long"', b"\x02\x04\x06", starts, ones, "file")) == [3, 1, 3, 2]


# -- what Apache Hudi wrote ------------------------------------------------------------------------------------------------


@each_table_where(lambda entry: entry.has("*.hfile"), "HFiles", every=3)
def test_values_of_every_hfile_equal_those_of_fastavro(entry: TableEntry) -> None:
    for path in entry.unpacked().rglob("*.hfile"):
        file = HFile(InMemoryFile(path.read_bytes(), path.name))
        cells = file.cells()
        if file.schema_text is None or not len(cells):
            continue
        column = decode(file.schema_text, cells.data, cells.value_offsets, cells.value_lengths, path.name)
        values = [cells.value(row) for row in range(len(cells))]
        assert same(to_list(column)) == rows_by_fastavro(file.schema_text, values)
