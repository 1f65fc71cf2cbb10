"""The persisted schema (SCHEMA-18 to SCHEMA-21)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.errors import SchemaError
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.json import (
    EMPTY,
    history_from_json,
    history_to_json,
    schema_from_json,
    type_from_json_text,
    type_to_json_text,
    write_persisted,
)
from hudi_core.schema.loss import ConversionLoss
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.disguised import blob, variant
from hudi_core.types.walk import same
from tests.support.drawing import cases
from tests.support.strategies import schemas


def field(name: str, of: t.Type, optional: bool = False, default: object = t.ABSENT) -> t.Field:
    return t.Field(0, name, of, optional, default=None if optional and default is t.ABSENT else default)


def schema_of(*fields: t.Field, **attributes: Any) -> Schema:
    return Schema(record_with_ids(t.Record(fields, **attributes)))


def document(*fields: dict[str, Any], **changes: Any) -> str:
    return json.dumps({"max_column_id": 1, "version_id": 7, "type": "record", "fields": fields, **changes})


A = {"id": 0, "name": "a", "optional": True, "type": "int"}


def nested(depth: int) -> object:
    return (
        {"type": "record", "fields": [{**A, "name": "x", "id": depth, "type": nested(depth - 1)}]} if depth else "int"
    )


def test_a_schema_is_compact_json_in_hudis_order_of_keys() -> None:
    inner = t.Record((field("x", t.Binary()),))
    schema = schema_of(
        field("a", t.Int(), optional=True),
        t.Field(0, "l", t.Array(t.Field(0, "element", inner, optional=False)), optional=False, doc="ä \x1f"),
        field("m", t.Map(t.Field(0, "key", t.String(), False), t.Field(0, "value", t.Decimal(4, 1)))),
    )
    assert write_persisted(replace(schema, version=7)).value == (
        '{"max_column_id":6,"version_id":7,"type":"record","fields":['
        '{"id":0,"name":"a","optional":true,"type":"int"},'
        '{"id":1,"name":"l","optional":false,"type":{"type":"array","element_id":3,"element":{"type":"record","fields":['
        '{"id":4,"name":"x","optional":false,"type":"binary"}]},"element_optional":false},"doc":"ä \\u001F"},'
        '{"id":2,"name":"m","optional":false,"type":{"type":"map","key_id":5,"key":"string","value_id":6,'
        '"value":"decimal_bytes(4, 1)","value_optional":true}}]}'
    )


@pytest.mark.parametrize(
    ("spelling", "of"),
    [
        ("INT", t.Int()),
        ("time_millis", t.Time(t.Unit.MILLIS)),
        ("Time-Millis", t.Time(t.Unit.MILLIS)),
        ("local_timestamp_micros", t.Timestamp(t.Unit.MICROS, zoned=False)),
        ("local-timestamp-millis", t.Timestamp(t.Unit.MILLIS, zoned=False)),
        ("fixed[12]", t.Fixed(12)),
        ("decimal(10, 2)", t.Decimal(10, 2, t.Fixed(5))),
        ("decimal(10,2)", t.Decimal(10, 2, t.Fixed(5))),
        ("decimal_bytes(10,2)", t.Decimal(10, 2)),
        ("decimal_fixed( 10 , 2 ) [9]", t.Decimal(10, 2, t.Fixed(9))),
        ("vector[3, FLOAT, FIXED_BYTES]", t.Vector(3)),
        ("vector[2,double,fixed_bytes]", t.Vector(2, t.VectorElement.DOUBLE)),
        *(
            (wrong, None)
            for wrong in (
                "",
                "bytes",
                "null",
                "enum",
                "fixed",
                "decimal(2)",
                "decimal(0, 0)",
                "decimal_bytes(2,3)",
                "decimal_fixed(9,2)[1]",
                "vector[0, FLOAT, FIXED_BYTES]",
                "vector[3, HALF, FIXED_BYTES]",
            )
        ),
    ],
)
def test_every_spelling_of_a_type_is_read(spelling: str, of: t.Type | None) -> None:
    assert type_from_json_text(spelling) == of


@pytest.mark.parametrize("text", ["decimal(10, 2)", "decimal_fixed(10, 2)[5]", "decimal_bytes(10, 2)", "time-millis"])
def test_a_type_is_written_as_it_was_read(text: str) -> None:
    of = type_from_json_text(text)
    assert of is not None
    assert type_to_json_text(of) == text


def test_keys_are_read_with_hyphens() -> None:
    text = (
        '{"max-column-id":9,"version-id":3,"type":"record","fields":[{"id":0,"name":"a","optional":true,"type":'
        '{"type":"map","key-id":1,"key":"string","value-id":2,"value":{"type":"array","element-id":3,"element":"int",'
        '"element-optional":true},"value-optional":false}}]}'
    )
    schema = schema_from_json(text)
    assert (schema.version, schema.max_column_id) == (3, 9)
    assert [place.name for place in schema.places.values()] == ["a", "a.key", "a.value", "a.value.element"]


def test_an_optional_field_has_the_default_null() -> None:
    schema = schema_from_json(document(A, {**A, "id": 1, "name": "b", "optional": False}))
    assert [f.default for f in schema.fields] == [None, t.ABSENT]


def test_missing_numbers_are_version_0_and_the_greatest_id() -> None:
    schema = schema_from_json('{"type":"record","fields":[{"id":4,"name":"a","optional":true,"type":"int"}]}')
    assert (schema.version, schema.max_column_id) == (0, 4)


def test_the_empty_schema_is_the_empty_string() -> None:
    assert write_persisted(EMPTY).value == ""
    assert schema_from_json("") == schema_from_json(" \n") == EMPTY
    assert schema_from_json(write_persisted(Schema(t.Record(()))).value) == Schema(t.Record(()))


def test_disguised_types_are_written_under_hudis_ids_and_come_back() -> None:
    schema = schema_of(field("k", t.Int()), field("v", variant()), field("w", variant()), field("b", blob()))
    text = write_persisted(schema).value
    answer = [[inner["id"] for inner in item["type"]["fields"]] for item in json.loads(text)["fields"][1:]]
    assert answer == [[-2, -1], [-2, -1], [-10, -11, -12]]
    answer = [[inner.get("doc") for inner in item["type"]["fields"]] for item in json.loads(text)["fields"][1:]]
    assert answer[1:] == [
        ["Variant metadata component", "Variant value component"],
        ["Blob storage type (INLINE | OUT_OF_LINE)", "Inline blob bytes", "Out-of-line blob reference"],
    ]
    back = schema_from_json(text)
    assert [place.field.id for place in back.places.values()] == [place.field.id for place in schema.places.values()]
    assert [f.type.kind for f in back.fields[1:] if isinstance(f.type, t.Record)] == [
        *(t.RecordKind.VARIANT, t.RecordKind.VARIANT, t.RecordKind.BLOB),
    ]
    assert write_persisted(back).value == text


def test_types_kept_as_others_are_reported() -> None:
    union = t.Union((t.Field(0, "member0", t.Int(), False), t.Field(0, "member1", t.String(), False)))
    schema = schema_of(
        field("u", union),
        field("e", t.Enumeration(("A", "B"), name="ns.E")),
        field("n", t.Timestamp(t.Unit.NANOS)),
        field("d", t.Long(), optional=True, default=5),
        t.Field(0, "o", t.Long(), optional=True),
        field("i", t.Uuid(t.Fixed(16, "ns.U"))),
        name="ns.R",
    )
    converted = write_persisted(schema)
    assert [item["type"] for item in json.loads(converted.value)["fields"]] == [
        *("int", "string", "long", "long", "long", "uuid"),
    ]
    assert converted.losses == (
        ConversionLoss("", "name of the record 'ns.R'"),
        ConversionLoss("u", "union<int,string>", "int"),
        ConversionLoss("e", "enum(A,B)", "string"),
        ConversionLoss("n", "timestamp-nanos", "long"),
        ConversionLoss("d", "default 5", "default null"),
        ConversionLoss("o", "no default", "default null"),
        ConversionLoss("i", "16 bytes behind a uuid", "uuid"),
    )


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("junk", "schema: expected JSON"),
        ("[]", "schema: expected a JSON object, found list"),
        ("{}", "schema: expected a record, found None"),
        ("[" * 100_000, "schema: nested too deeply"),
        (document({**A, "id": None}), "schema: a: expected a column id as id, found None"),
        (document({**A, "id": True}), "schema: a: expected a column id as id, found True"),
        (document({**A, "optional": "yes"}), "schema: a: expected true or false as optional, found 'yes'"),
        (document({**A, "type": "bytes"}), "schema: a: expected a type, found 'bytes'"),
        (document({**A, "type": 5}), "schema: a: expected an object, found 5"),
        (document({**A, "type": {"type": "list"}}), "schema: a: expected a record, an array or a map, found 'list'"),
        (document({**A, "type": {"type": "array", "element": "int"}}), "schema: a.element: expected a column id"),
        (document({**A, "type": nested(101)}), "schema: a.x.x: expected at most 100 levels, found deeper nesting"),
        (document(A, {**A, "name": "b"}), "schema: b: expected a column id of its own, found 0, the id of a"),
        (document(A, version_id="x"), "schema: expected a whole number as version_id, found 'x'"),
    ],
)
def test_an_invalid_string_is_refused_with_its_place(text: str, answer: str) -> None:
    with pytest.raises(SchemaError) as refused:
        schema_from_json(text)
    assert str(refused.value).startswith(answer)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["type", "fields", "id", "name", "optional", "element", "element_id", "record", "doc"]),
                inner,
                max_size=5,
            )
        ),
        max_leaves=8,
    )
)
def test_no_json_gives_anything_but_a_schema_or_a_schema_error(found: object) -> None:
    for text in (
        json.dumps(found),
        document(found) if isinstance(found, dict) else "{}",
        document({**A, "type": found}),
    ):
        try:
            schema = schema_from_json(text)
        except SchemaError as error:
            assert error.expected or error.message
        else:
            assert isinstance(schema, Schema)


def test_history_is_read_newest_first_and_written_so() -> None:
    versions = [
        Schema(t.Record((t.Field(0, name, t.Int()),)), version) for version, name in ((1, "a"), (3, "c"), (2, "b"))
    ]
    text = history_to_json(versions).value
    assert [schema.version for schema in history_from_json(text)] == [3, 2, 1]
    with pytest.raises(SchemaError, match="expected a list `schemas`"):
        history_from_json("{}")
    with pytest.raises(SchemaError, match=r"^schema history: 1: expected a record"):
        history_from_json('{"schemas":[{"type":"record","fields":[]},{}]}')


@given(schemas(), st.integers(0, 1 << 60))
@settings(max_examples=cases(100), deadline=None)
def test_a_schema_comes_back_equal_or_its_losses_are_reported(schema: Schema, version: int) -> None:
    schema = replace(schema, version=version, max_column_id=schema.max_column_id + 3)
    converted = write_persisted(schema)
    back = schema_from_json(converted.value)
    assert back == schema or converted.losses
    assert (back.version, back.max_column_id) == (version, schema.max_column_id)
    again = write_persisted(back)
    assert again.value == converted.value
    assert not again.losses or any(loss.what.startswith("fields of its own") for loss in converted.losses)


@given(schemas(named=False, plain=True))
@settings(max_examples=cases(60), deadline=None)
def test_a_schema_that_was_read_is_written_and_read_without_loss(schema: Schema) -> None:
    known = schema_from_json(write_persisted(schema).value)
    converted = write_persisted(known)
    assert not converted.losses
    assert same(schema_from_json(converted.value).record, known.record)
