"""The column decoder says what fastavro says, on all schemas; and damage is always a CorruptFileError with the record."""

from __future__ import annotations

import io
import json
import struct
from typing import Any

import fastavro
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.formats import avro_columns
from hudi_core.formats.avro_columns import decode
from hudi_core.formats.columns import (
    Column,
    ListOf,
    MapOf,
    Nulls,
    Primitive,
    Struct,
    Text,
    Union,
    at,
    length,
    to_list,
    validity_of,
)

Typed = tuple[Any, st.SearchStrategy[Any]]
"""An Avro schema, as JSON, and a strategy for values of it as fastavro takes them."""

# -- random schemas with values --------------------------------------------------------------------------------------------

INT = st.integers(-(2**31), 2**31 - 1)
LONG = st.one_of(
    st.integers(-(2**63), 2**63 - 1), st.integers(-70, 70), st.sampled_from([64, -65, 8191, 8192, 2**62, 2**55, -(2**55)])
)
TEXT = st.one_of(st.text(max_size=12), st.text(alphabet="aé漢😀", min_size=50, max_size=90))


class Names:
    """Gives every named type of one schema a name of its own."""

    def __init__(self) -> None:
        self.used = 0

    def next(self) -> str:
        self.used += 1
        return f"T{self.used}"


def primitive() -> st.SearchStrategy[Typed]:
    return st.sampled_from(
        [
            ("null", st.none()),
            ("boolean", st.booleans()),
            ("int", INT),
            ("long", LONG),
            ("float", st.floats(width=32)),
            ("double", st.floats()),
            ("bytes", st.binary(max_size=40)),
            ("string", TEXT),
        ]
    )


@st.composite
def named_leaf(draw: st.DrawFn, names: Names) -> Typed:
    if draw(st.booleans()):
        size = draw(st.integers(0, 40))
        return {"type": "fixed", "name": names.next(), "size": size}, st.binary(min_size=size, max_size=size)
    symbols = [f"S{i}" for i in range(draw(st.sampled_from([1, 3, 70])))]
    return {"type": "enum", "name": names.next(), "symbols": symbols}, st.sampled_from(symbols)


@st.composite
def array(draw: st.DrawFn, names: Names, depth: int) -> Typed:
    schema, values = draw(typed(names, depth - 1))
    return {"type": "array", "items": schema}, st.lists(values, max_size=draw(st.sampled_from([2, 40])))


@st.composite
def mapping(draw: st.DrawFn, names: Names, depth: int) -> Typed:
    schema, values = draw(typed(names, depth - 1))
    return {"type": "map", "values": schema}, st.dictionaries(st.text(max_size=5), values, max_size=3)


@st.composite
def record(draw: st.DrawFn, names: Names, depth: int) -> Typed:
    name = names.next()
    fields = draw(st.lists(typed(names, depth - 1), max_size=4))
    document = {
        "type": "record",
        "name": name,
        "fields": [{"name": f"f{i}", "type": schema} for i, (schema, _) in enumerate(fields)],
    }
    return document, st.fixed_dictionaries({f"f{i}": values for i, (_, values) in enumerate(fields)})


@st.composite
def union(draw: st.DrawFn, names: Names, depth: int) -> Typed:
    """Branches that fastavro can tell apart by the value: null, one number or text type, and tagged records."""
    plain = draw(st.sampled_from([None, ("long", LONG), ("double", st.floats()), ("string", TEXT), ("boolean", st.booleans())]))
    branches: list[tuple[Any, st.SearchStrategy[Any]]] = [] if plain is None else [plain]
    for _ in range(draw(st.integers(0, 3))):
        schema, values = draw(record(names, depth - 1))
        name = schema["name"]
        branches.append((schema, values.map(lambda value, name=name: (name, value))))
    if draw(st.booleans()) or not branches:
        branches.insert(draw(st.integers(0, len(branches))), ("null", st.none()))
    return [schema for schema, _ in branches], st.one_of([values for _, values in branches])


def typed(names: Names, depth: int) -> st.SearchStrategy[Typed]:
    leaves = st.one_of(primitive(), named_leaf(names))
    if depth <= 0:
        return leaves
    return st.one_of(leaves, array(names, depth), mapping(names, depth), record(names, depth), union(names, depth))


@st.composite
def written(draw: st.DrawFn) -> tuple[str, list[bytes]]:
    """A writer schema and some records as fastavro writes them; many records repeat, so that lanes outnumber examples."""
    schema, values = draw(record(Names(), 3))
    parsed = fastavro.parse_schema(schema)
    some = draw(st.lists(values, min_size=1, max_size=6))
    chosen = draw(st.lists(st.integers(0, len(some) - 1), min_size=1, max_size=60))
    encoded = [encode(parsed, value) for value in some]
    return json.dumps(schema), [encoded[i] for i in chosen]


def encode(parsed: Any, value: Any) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, parsed, value)
    return out.getvalue()


# -- what fastavro says ----------------------------------------------------------------------------------------------------


def laid_out(records: list[bytes], gap: bytes = b"") -> tuple[bytes, np.ndarray, np.ndarray]:
    lengths = np.array([len(each) for each in records], np.int64)
    starts = np.cumsum(lengths + len(gap)) - lengths
    return b"".join(gap + each for each in records), starts, lengths


def decoded(schema: str, records: list[bytes], gap: bytes = b"", **options: Any) -> Column:
    return decode(schema, *laid_out(records, gap), "file", **options)


def oracle(schema: str, records: list[bytes]) -> list[Any]:
    parsed = fastavro.parse_schema(json.loads(schema))
    return [same(fastavro.schemaless_reader(io.BytesIO(each), parsed)) for each in records]


def same(value: Any) -> Any:
    """A form in which values are equal exactly when their bytes are: floats by their bits, maps as lists of pairs."""
    match value:
        case float():
            return ("float", struct.pack("<d", value) if value == value else "NaN")
        case dict():
            return {name: same(each) for name, each in value.items()}
        case list() | tuple():
            return [same(each) for each in value]
    return value


def maps_as_pairs(value: Any, schema: Any) -> Any:
    """fastavro gives dicts for records and for maps; ours are pairs for maps. This makes pairs of fastavro's maps."""
    match schema:
        case {"type": "record", "fields": fields}:
            return {each["name"]: maps_as_pairs(value[each["name"]], each["type"]) for each in fields}
        case {"type": "map", "values": values}:
            return [[key, maps_as_pairs(each, values)] for key, each in value.items()]
        case {"type": "array", "items": items}:
            return [maps_as_pairs(each, items) for each in value]
        case list() as branches if isinstance(value, dict):
            names = [each for each in branches if isinstance(each, dict) and each["type"] == "record"]
            fitting = [each for each in names if [f["name"] for f in each["fields"]] == list(value)]
            return value if not fitting else maps_as_pairs(value, fitting[0])
    return value


def expected_rows(schema: str, records: list[bytes]) -> list[Any]:
    parsed = fastavro.parse_schema(json.loads(schema))
    read = [fastavro.schemaless_reader(io.BytesIO(each), parsed, return_record_name=True) for each in records]
    return [same(_tagged(value, json.loads(schema))) for value in read]


def _tagged(value: Any, schema: Any) -> Any:
    """Follows fastavro's (name, record) of a union branch to the schema of that branch."""
    match schema:
        case {"type": "record", "fields": fields}:
            return {each["name"]: _tagged(value[each["name"]], each["type"]) for each in fields}
        case {"type": "map", "values": values}:
            return [[key, _tagged(each, values)] for key, each in value.items()]
        case {"type": "array", "items": items}:
            return [_tagged(each, items) for each in value]
        case list() as branches:
            records = {each["name"]: each for each in branches if isinstance(each, dict) and each["type"] == "record"}
            if isinstance(value, tuple):
                return _tagged(value[1], records[value[0]])
            return _tagged(value, next(iter(records.values()))) if isinstance(value, dict) else value
    return value


# -- laws ------------------------------------------------------------------------------------------------------------------

ROOMY = settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@ROOMY
@given(written(), st.sampled_from([b"", b"\xff\xff\xff", b"\x00" * 40]))
def test_columns_hold_what_fastavro_reads(case: tuple[str, list[bytes]], gap: bytes) -> None:
    schema, records = case
    assert same(to_list(decoded(schema, records, gap))) == expected_rows(schema, records)


@ROOMY
@given(written(), st.data())
def test_a_projection_gives_the_same_columns_as_the_whole(case: tuple[str, list[bytes]], data: st.DataObject) -> None:
    schema, records = case
    whole = decoded(schema, records)
    assert isinstance(whole, Struct)
    wanted = data.draw(st.sets(st.sampled_from([*whole.fields, "no_such_field"])))
    part = decoded(schema, records, wanted=wanted)
    assert isinstance(part, Struct)
    assert list(part.fields) == [name for name in whole.fields if name in wanted]
    for name, column in part.fields.items():
        assert same(to_list(column)) == same(to_list(whole.fields[name]))


@ROOMY
@given(written(), st.integers(1, 5))
def test_chunks_do_not_show(case: tuple[str, list[bytes]], size: int) -> None:
    schema, records = case
    whole = decoded(schema, records)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(avro_columns, "CHUNK_RECORDS", (size, size))
        patch.setattr(avro_columns, "FEW_LANES", size)
        assert same(to_list(decoded(schema, records))) == same(to_list(whole))


@ROOMY
@given(written(), st.data())
def test_mutated_bytes_give_a_result_or_a_corrupt_file_error(case: tuple[str, list[bytes]], data: st.DataObject) -> None:
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
    schema, records = case
    row = data.draw(st.integers(0, len(records) - 1))
    if records[row] and data.draw(st.booleans()):
        records[row] = records[row][:-1]
    else:
        records[row] += b"\x00"
    with pytest.raises(CorruptFileError, match=rf"^file, record {row}[:,]"):
        decoded(schema, records)
