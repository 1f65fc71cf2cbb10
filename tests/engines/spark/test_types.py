"""Our types and Spark's, over the JSON of its schemas (SCHEMA-26 to SCHEMA-28)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from hudi_core.errors import SchemaError
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.loss import ConversionLoss
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.disguised import blob, variant
from hudi_core.types.nodes import smallest_size
from hudi_core.types.walk import same
from hudi_spark.types import plain, schema_from_spark_json, schema_to_spark_json, vector_of
from tests.support.strategies import schemas

UNION = t.Union((t.Field(0, "member0", t.Int(), False), t.Field(0, "member1", t.String(), False)))


def least(precision: int, scale: int) -> t.Decimal:
    return t.Decimal(precision, scale, t.Fixed(smallest_size(precision)))


def word(of: t.Type) -> Any:
    """Spark's word for a type."""
    schema = Schema(record_with_ids(t.Record((t.Field(0, "f", of),))))
    return json.loads(schema_to_spark_json(schema).value)["fields"][0]["type"]


def struct(*fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "struct", "fields": [{"nullable": True, "metadata": {}, **field} for field in fields]}


def read(of: object, **metadata: object) -> tuple[t.Type, tuple[ConversionLoss, ...]]:
    """The type that a word of Spark stands for."""
    converted = schema_from_spark_json(struct({"name": "f", "type": of, "metadata": metadata}))
    return converted.value.fields[0].type, converted.losses


EXACT: list[tuple[t.Type, object]] = [
    (t.Boolean(), "boolean"),
    (t.Int(), "integer"),
    (t.Long(), "long"),
    (t.Float(), "float"),
    (t.Double(), "double"),
    (t.Date(), "date"),
    (t.Timestamp(), "timestamp"),
    (t.Timestamp(zoned=False), "timestamp_ntz"),
    (t.String(), "string"),
    (t.Binary(), "binary"),
    (least(38, 2), "decimal(38,2)"),
    (
        t.Array(t.Field(0, "element", t.Int(), False)),
        {"type": "array", "elementType": "integer", "containsNull": False},
    ),
    (
        t.Map(t.Field(0, "key", t.Int(), False), t.Field(0, "value", t.Date())),
        {"type": "map", "keyType": "integer", "valueType": "date", "valueContainsNull": True},
    ),
]
LOSSY: list[tuple[t.Type, object]] = [
    (t.Timestamp(t.Unit.MILLIS), "timestamp"),
    (t.Timestamp(t.Unit.MILLIS, zoned=False), "timestamp_ntz"),
    (t.Timestamp(t.Unit.NANOS), "long"),
    (t.Time(t.Unit.MILLIS), "integer"),
    (t.Time(t.Unit.MICROS), "long"),
    (t.Decimal(10, 2), "decimal(10,2)"),
    (t.Fixed(3), "binary"),
    (t.Uuid(), "string"),
    (t.Uuid(t.Fixed(16)), "binary"),
    (t.Enumeration(("A",)), "string"),
    (t.Vector(3), {"type": "array", "elementType": "float", "containsNull": False}),
    (t.Vector(3, t.VectorElement.INT8), {"type": "array", "elementType": "integer", "containsNull": False}),
]


@pytest.mark.parametrize(("of", "answer"), EXACT)
def test_exact_types_mean_the_same_both_ways(of: t.Type, answer: object) -> None:
    assert word(of) == answer
    assert same(plain(of), of)
    back, losses = read(answer)
    assert same(back, of)
    assert not losses


@pytest.mark.parametrize(("of", "answer"), LOSSY)
def test_other_types_have_a_plain_form(of: t.Type, answer: object) -> None:
    assert word(of) == word(plain(of)) == answer
    back, losses = read(answer)
    assert same(back, plain(of))
    assert not losses


def test_a_union_is_a_struct_of_optional_members() -> None:
    answer = word(UNION)
    assert [(f["name"], f["type"], f["nullable"]) for f in answer["fields"]] == [
        *(("member0", "integer", True), ("member1", "string", True)),
    ]


@pytest.mark.parametrize(
    ("answer", "of", "what"),
    [
        ("byte", t.Int(), "byte"),
        ("short", t.Int(), "short"),
        ("varchar(10)", t.String(), "varchar(10)"),
        ("char(3)", t.String(), "char(3)"),
        ("string collate UNICODE_CI", t.String(), "string collate UNICODE_CI"),
        ({"type": "udt", "class": "a.B", "sqlType": "long"}, t.Long(), "user-defined type a.B"),
    ],
)
def test_richer_types_are_read_with_a_loss(answer: object, of: t.Type, what: str) -> None:
    found, losses = read(answer)
    assert found == of
    assert losses == (ConversionLoss("f", what, "long" if of == t.Long() else "int" if of == t.Int() else "string"),)


@pytest.mark.parametrize(
    "answer", ["void", "null", "interval", "interval day to second", "decimal(0,0)", "decimal(3,5)", "x", 5]
)
def test_types_that_hold_no_values_of_ours_are_refused_with_the_path(answer: object) -> None:
    with pytest.raises(SchemaError, match=r"^schema: f: expected "):
        read(answer)


def test_a_variant_of_spark_is_a_variant() -> None:
    found, losses = read("variant")
    assert isinstance(found, t.Record)
    assert found.kind is t.RecordKind.VARIANT
    assert not losses


def test_ids_and_docs_stand_where_spark_looks_for_them() -> None:
    nested = t.Array(t.Field(9, "element", t.Int()))
    schema = Schema(t.Record((t.Field(4, "a", nested, True, "about a", None),)))
    (field,) = json.loads(schema_to_spark_json(schema).value)["fields"]
    assert (field["metadata"]["parquet.field.id"], field["metadata"]["comment"]) == (4, "about a")
    assert schema_from_spark_json(schema_to_spark_json(schema).value).value == schema


def test_hudis_own_marks_are_written_and_read() -> None:
    kinds: tuple[t.Type, ...] = (t.Vector(3), t.Vector(2, t.VectorElement.DOUBLE), blob())
    columns = [t.Field(0, f"c{i}", of, False) for i, of in enumerate(kinds)]
    fields = json.loads(schema_to_spark_json(Schema(record_with_ids(t.Record(tuple(columns))))).value)["fields"]
    assert [field["metadata"]["hudi_type"] for field in fields] == ["VECTOR(3)", "VECTOR(2, DOUBLE)", "BLOB"]
    for field, column in zip(fields, columns, strict=True):
        marked = {**field, "metadata": {"hudi_type": field["metadata"]["hudi_type"]}}
        found = schema_from_spark_json(struct(marked)).value.fields[0].type
        assert found == column.type or (isinstance(found, t.Record) and found.kind is t.RecordKind.BLOB)


@pytest.mark.parametrize(
    ("mark", "of"),
    [
        ("VECTOR(128)", t.Vector(128)),
        ("vector( 4 , int8 )", t.Vector(4, t.VectorElement.INT8)),
        *((mark, None) for mark in ("VECTOR", "VECTOR(0)", "VECTOR(3, HALF)", "BLOB")),
    ],
)
def test_a_mark_states_its_vector(mark: str, of: t.Vector | None) -> None:
    assert vector_of(mark) == of


def test_a_mark_on_another_type_is_ignored() -> None:
    assert read("string", hudi_type="VECTOR(3)")[0] == t.String()
    assert read({"type": "array", "elementType": "string", "containsNull": True}, hudi_type="VECTOR(3)")[0] != t.Vector(
        3
    )
    assert read(struct({"name": "x", "type": "long"}), hudi_type="BLOB")[0] != blob()


def test_an_ordinary_schema_gets_ids_and_null_as_the_default_of_optional_columns() -> None:
    answer = struct(
        {"name": "a", "type": "integer", "nullable": False},
        {"name": "s", "type": struct({"name": "x", "type": "date"})},
    )
    inner = t.Record((t.Field(2, "x", t.Date(), default=None),))
    assert schema_from_spark_json(json.dumps(answer)).value == Schema(
        t.Record((t.Field(0, "a", t.Int(), optional=False), t.Field(1, "s", inner, default=None)))
    )


@pytest.mark.parametrize(
    ("answer", "where"),
    [
        ("junk", "schema: expected the JSON of a Spark schema"),
        ("[" * 100_000, "schema: nested too deeply"),
        ('"long"', "schema: expected a struct, found long"),
        ({"type": "struct"}, "schema: expected a struct, an array or a map"),
        ({"type": "struct", "fields": [5]}, "schema: expected a field with a name, found 5"),
        (struct({"name": "a", "type": "long", "nullable": 1}), "schema: a: expected true or false as nullable"),
        (
            struct({"name": "a", "type": "long", "metadata": {"hudi_core": "x"}}),
            "schema: a: expected a JSON object as metadata",
        ),
        (
            struct({"name": "a", "type": "long", "metadata": {"parquet.field.id": "x"}}),
            "schema: a: expected a column id",
        ),
        (
            struct({"name": "a", "type": {"type": "array", "elementType": "x"}}),
            "schema: a.element: expected a Spark type",
        ),
        (
            struct({"name": "a", "type": "long"}, {"name": "a", "type": "long"}),
            "schema: a: expected each name once in a record",
        ),
    ],
)
def test_a_wrong_schema_is_refused_with_the_path(answer: Any, where: str) -> None:
    with pytest.raises(SchemaError) as refused:
        schema_from_spark_json(answer)
    assert str(refused.value).startswith(where)


def test_more_digits_than_spark_has_are_refused_with_the_path() -> None:
    with pytest.raises(SchemaError, match=r"^d: expected at most 38 digits for Spark, found decimal\(39,0\)$"):
        schema_to_spark_json(Schema(t.Record((t.Field(0, "d", t.Decimal(39)),))))


def test_attributes_without_a_place_in_a_struct_are_reported() -> None:
    schema = Schema(t.Record((t.Field(0, "a", t.Int(), default=None),), "ns.R", "doc"), version=5, max_column_id=8)
    assert schema_to_spark_json(schema).losses == (
        ConversionLoss("", "version 5"),
        ConversionLoss("", "ids of columns that are gone"),
        ConversionLoss("", "name of the record 'ns.R'"),
        ConversionLoss("", "doc of the record 'doc'"),
    )


@given(schemas())
@settings(max_examples=100, deadline=None)
def test_a_schema_comes_back_equal_but_for_the_attributes_of_its_root(schema: Schema) -> None:
    there = schema_to_spark_json(schema)
    back = schema_from_spark_json(there.value)
    assert not back.losses
    assert back.value.record == replace(schema.record, name="", doc=None, aliases=(), properties={})
    assert {loss.path for loss in there.losses} <= {""}


@given(schemas(named=False))
@settings(max_examples=100, deadline=None)
def test_a_schema_comes_back_equal_without_metadata_or_its_losses_are_reported(schema: Schema) -> None:
    there = schema_to_spark_json(schema, metadata=False)
    back = schema_from_spark_json(there.value)
    assert back.value == schema or there.losses
    assert not back.losses


def test_a_shredded_variant_keeps_its_parts() -> None:
    typed = t.Field(0, "typed_value", t.Record((t.Field(0, "x", t.Int()),), "T"))
    record = replace(variant(), fields=(*variant().fields, typed))
    schema = Schema(record_with_ids(t.Record((t.Field(0, "v", record, False),))))
    assert schema_from_spark_json(schema_to_spark_json(schema).value).value == schema


@pytest.mark.parametrize(
    "of", [variant(), replace(variant("other"), doc="about it"), t.Array(t.Field(0, "element", variant()))]
)
def test_a_whole_variant_is_sparks_own_where_it_has_one(of: t.Type) -> None:
    schema = Schema(record_with_ids(t.Record((t.Field(0, "v", of, doc="about v"),))))
    there = schema_to_spark_json(schema, variants=True)
    assert not there.losses
    assert '"variant"' in there.value
    assert '"struct"' not in json.dumps(json.loads(there.value)["fields"])
    assert schema_from_spark_json(there.value).value == schema


def test_a_shredded_variant_stays_a_struct() -> None:
    typed = t.Field(0, "typed_value", t.Int())
    record = replace(variant(), fields=(*variant().fields, typed))
    schema = Schema(record_with_ids(t.Record((t.Field(0, "v", record, False),))))
    assert schema_to_spark_json(schema, variants=True).value == schema_to_spark_json(schema).value


def test_parts_of_a_variant_in_another_order_are_a_loss() -> None:
    record = replace(variant(), fields=variant().fields[::-1])
    schema = Schema(record_with_ids(t.Record((t.Field(0, "v", record, False),))))
    assert schema_to_spark_json(schema, variants=True).losses == (
        ConversionLoss("v", "the order and docs of the variant's parts"),
    )
