"""Our types and Arrow's (SCHEMA-23 to SCHEMA-25)."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given, settings

from hudi_arrow.types import (
    FIELD_ID,
    from_arrow,
    plain,
    schema_from_arrow,
    schema_to_arrow,
    to_arrow,
    with_inner_types,
)
from hudi_core.errors import SchemaError
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.loss import ConversionLoss
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.disguised import blob, variant
from hudi_core.types.nodes import smallest_size
from hudi_core.types.walk import same
from tests.support.drawing import cases
from tests.support.strategies import schemas, types

INT_ELEMENT = t.Field(0, "element", t.Int())
UNION = t.Union((t.Field(0, "member0", t.Int(), False), t.Field(0, "member1", t.String(), False)))


def least(precision: int, scale: int) -> t.Decimal:
    return t.Decimal(precision, scale, t.Fixed(smallest_size(precision)))


EXACT: list[tuple[t.Type, pa.DataType]] = [
    (t.Boolean(), pa.bool_()),
    (t.Int(), pa.int32()),
    (t.Long(), pa.int64()),
    (t.Float(), pa.float32()),
    (t.Double(), pa.float64()),
    (t.Date(), pa.date32()),
    (t.Time(t.Unit.MILLIS), pa.time32("ms")),
    (t.Time(t.Unit.MICROS), pa.time64("us")),
    (t.Time(t.Unit.NANOS), pa.time64("ns")),
    (t.Timestamp(t.Unit.MILLIS), pa.timestamp("ms", "UTC")),
    (t.Timestamp(t.Unit.MICROS), pa.timestamp("us", "UTC")),
    (t.Timestamp(t.Unit.NANOS, zoned=False), pa.timestamp("ns")),
    (t.String(), pa.string()),
    (t.Binary(), pa.binary()),
    (t.Fixed(7), pa.binary(7)),
    (least(38, 3), pa.decimal128(38, 3)),
    (least(39, 0), pa.decimal256(39, 0)),
    (t.Array(INT_ELEMENT), pa.list_(pa.field("element", pa.int32()))),
    (t.Record((t.Field(0, "a", t.Int(), False, default=t.ABSENT),)), pa.struct([pa.field("a", pa.int32(), False)])),
    (UNION, pa.dense_union([pa.field("member0", pa.int32(), False), pa.field("member1", pa.string(), False)])),
]
LOSSY: list[tuple[t.Type, pa.DataType]] = [
    (t.Decimal(10, 2), pa.decimal128(10, 2)),
    (t.Decimal(10, 2, t.Fixed(9)), pa.decimal128(10, 2)),
    (t.Fixed(7, "F"), pa.binary(7)),
    (t.Uuid(), pa.string()),
    (t.Uuid(t.Fixed(16)), pa.binary(16)),
    (t.Enumeration(("A",)), pa.string()),
    (t.Vector(3, t.VectorElement.DOUBLE), pa.binary(24)),
    (variant(), pa.struct([pa.field("metadata", pa.binary(), False), pa.field("value", pa.binary(), False)])),
    (t.Array(INT_ELEMENT, {"p": 1}), pa.list_(pa.field("element", pa.int32()))),
]


@pytest.mark.parametrize(("of", "arrow"), EXACT)
def test_exact_types_mean_the_same_both_ways(of: t.Type, arrow: pa.DataType) -> None:
    assert to_arrow(of) == arrow
    assert same(plain(of), of)
    back = from_arrow(arrow)
    assert not back.losses
    assert same(back.value, of)


@pytest.mark.parametrize(("of", "arrow"), LOSSY)
def test_other_types_have_a_plain_form(of: t.Type, arrow: pa.DataType) -> None:
    assert to_arrow(of) == arrow
    assert plain(of) != of
    assert to_arrow(plain(of)) == arrow
    assert same(from_arrow(to_arrow(plain(of))).value, plain(of)) or t.children(of)


@given(types())
@settings(max_examples=cases(80), deadline=None)
def test_a_plain_form_is_its_own_plain_form_in_the_same_arrow_type(of: t.Type) -> None:
    assert to_arrow(plain(of)) == to_arrow(of)
    assert plain(plain(of)) == plain(of)


@pytest.mark.parametrize(
    ("arrow", "of", "what"),
    [
        (pa.int8(), t.Int(), "int8"),
        (pa.uint16(), t.Int(), "uint16"),
        (pa.uint32(), t.Long(), "uint32"),
        (pa.uint64(), least(20, 0), "uint64"),
        (pa.float16(), t.Float(), "halffloat"),
        (pa.date64(), t.Date(), "date64[ms]"),
        (pa.time32("s"), t.Time(t.Unit.MILLIS), "time32[s]"),
        (pa.timestamp("s"), t.Timestamp(t.Unit.MILLIS, zoned=False), "timestamp[s]"),
        (pa.timestamp("us", "Europe/Paris"), t.Timestamp(), "timestamp[us, tz=Europe/Paris]"),
        (pa.large_string(), t.String(), "large_string"),
        (pa.string_view(), t.String(), "string_view"),
        (pa.large_binary(), t.Binary(), "large_binary"),
        (pa.dictionary(pa.int8(), pa.string()), t.String(), "dictionary<values=string, indices=int8, ordered=0>"),
        (pa.run_end_encoded(pa.int32(), pa.int64()), t.Long(), "run_end_encoded<run_ends: int32, values: int64>"),
        (pa.large_list(pa.field("item", pa.int32())), t.Array(INT_ELEMENT), "large_list<item: int32>"),
        (pa.list_(pa.field("item", pa.int32()), 3), t.Array(INT_ELEMENT), "fixed_size_list<item: int32>[3]"),
        (pa.decimal128(5, -2), least(7, 0), "decimal128(5, -2)"),
        (pa.decimal128(2, 5), least(5, 5), "decimal128(2, 5)"),
    ],
)
def test_richer_types_are_read_with_a_loss(arrow: pa.DataType, of: t.Type, what: str) -> None:
    converted = from_arrow(arrow)
    assert same(converted.value, of)
    assert [loss.what for loss in converted.losses] == [what]


def test_arrows_uuid_is_a_uuid_on_sixteen_bytes() -> None:
    assert from_arrow(pa.uuid()).value == t.Uuid(t.Fixed(16))


@pytest.mark.parametrize("arrow", [pa.null(), pa.duration("us"), pa.month_day_nano_interval()])
def test_types_that_hold_no_values_of_ours_are_refused_with_the_path(arrow: pa.DataType) -> None:
    schema = pa.schema([pa.field("s", pa.struct([pa.field("x", arrow)]))])
    with pytest.raises(SchemaError, match=r"^schema: s\.x: expected an Arrow type whose values hudi-core knows"):
        schema_from_arrow(schema)


def test_more_digits_than_arrow_has_are_refused_with_the_path() -> None:
    with pytest.raises(SchemaError, match=r"^d: expected at most 76 digits for Arrow, found decimal\(77,0\)$"):
        schema_to_arrow(Schema(t.Record((t.Field(0, "d", t.Decimal(77)),))))


def test_column_ids_stand_where_parquet_looks_for_them() -> None:
    record = t.Record((t.Field(4, "a", t.Array(t.Field(9, "element", t.Int()))), t.Field(5, "b", t.Int())))
    arrow = schema_to_arrow(Schema(record)).value
    assert [arrow.field(name).metadata[FIELD_ID] for name in "ab"] == [b"4", b"5"]
    assert arrow.field("a").type.value_field.metadata[FIELD_ID] == b"9"
    assert [place.field.id for place in schema_from_arrow(arrow).value.places.values()] == [4, 9, 5]


def test_a_field_without_an_id_gets_one_that_was_never_given() -> None:
    schema = Schema(t.Record((t.Field(4, "a", t.Int()),)), max_column_id=7)
    arrow = schema_to_arrow(schema).value.append(pa.field("b", pa.int64()))
    back = schema_from_arrow(arrow).value
    assert [(f.name, f.id) for f in back.fields] == [("a", 4), ("b", 8)]


def test_an_ordinary_arrow_schema_gets_ids_and_null_as_the_default_of_optional_columns() -> None:
    arrow = pa.schema(
        [pa.field("a", pa.int32(), nullable=False), pa.field("s", pa.struct([pa.field("x", pa.string())]))]
    )
    inner = t.Record((t.Field(2, "x", t.String(), default=None),))
    assert schema_from_arrow(arrow).value == Schema(
        t.Record((t.Field(0, "a", t.Int(), optional=False), t.Field(1, "s", inner, default=None)))
    )


def test_a_type_that_was_changed_in_arrow_wins_over_the_metadata() -> None:
    schema = Schema(t.Record((t.Field(0, "e", t.Enumeration(("A",), "E"), optional=False),)))
    arrow = schema_to_arrow(schema).value
    assert schema_from_arrow(arrow.set(0, arrow.field(0).with_type(pa.int64()))).value.fields[0].type == t.Long()
    same_meaning = arrow.set(0, arrow.field(0).with_type(pa.large_string()))
    assert schema_from_arrow(same_meaning).value.fields[0].type == t.Enumeration(("A",), "E")


@pytest.mark.parametrize(
    "metadata", [{FIELD_ID: b"x"}, {b"hudi_core": b"junk"}, {b"hudi_core": b"[]"}, {b"hudi_core": b'{"type": {}}'}]
)
def test_metadata_of_another_form_is_refused_with_the_path(metadata: dict[bytes, bytes]) -> None:
    with pytest.raises(SchemaError, match=r"^schema: a: expected "):
        schema_from_arrow(pa.schema([pa.field("a", pa.int32(), metadata=metadata)]))


def test_without_metadata_the_losses_are_reported() -> None:
    record = t.Record(
        (
            t.Field(0, "e", t.Enumeration(("A",), "ns.E"), False, "doc"),
            t.Field(1, "n", t.Long(), True),
            t.Field(2, "b", blob("ns.B"), False),
        ),
        "ns.R",
    )
    schema = replace(Schema(record_with_ids(record)), version=5, max_column_id=9)
    converted = schema_to_arrow(schema, metadata=False)
    assert converted.losses[:6] == (
        ConversionLoss("", "name of the record 'ns.R'"),
        ConversionLoss("", "version 5"),
        ConversionLoss("", "ids of columns that are gone"),
        ConversionLoss("e", "enum(A)", "string"),
        ConversionLoss("e", "doc 'doc'"),
        ConversionLoss("n", "no default", "default null"),
    )
    assert {loss.path for loss in converted.losses[6:]} == {"b.type", "b.reference", "b"} | {
        *("b.reference.offset", "b.reference.length"),
    }


@given(schemas())
@settings(max_examples=cases(100), deadline=None)
def test_a_schema_comes_back_equal_from_arrow(schema: Schema) -> None:
    schema = replace(schema, version=3, max_column_id=schema.max_column_id + 2)
    there = schema_to_arrow(schema)
    back = schema_from_arrow(there.value)
    assert not there.losses
    assert not back.losses
    assert back.value == schema


@given(schemas(named=False))
@settings(max_examples=cases(100), deadline=None)
def test_a_schema_comes_back_equal_without_metadata_or_its_losses_are_reported(schema: Schema) -> None:
    there = schema_to_arrow(schema, metadata=False)
    back = schema_from_arrow(there.value)
    assert back.value == schema or there.losses
    assert not back.losses
    assert schema_to_arrow(back.value, metadata=False).value == there.value


def test_inner_types_are_changed_at_every_depth() -> None:
    def wider(kind: pa.DataType) -> pa.DataType:
        return pa.int64() if kind == pa.int32() else with_inner_types(kind, wider)

    def nest(kind: pa.DataType) -> pa.DataType:
        element = pa.field("e", pa.struct([pa.field("a", kind, nullable=False), pa.field("b", pa.list_(kind, 2))]))
        return pa.map_(pa.string(), pa.list_(pa.field("x", pa.large_list(element), nullable=False)), True)

    changed = wider(nest(pa.int32()))
    assert changed == nest(pa.int64()) and changed != nest(pa.int32()) and changed.keys_sorted
    dense = pa.dense_union([pa.field("a", pa.int32())])
    assert wider(dense) == dense
