"""Spark's DDL text (SCHEMA-29)."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hudi_spark.ddl
import hudi_spark.types
from hudi_core.errors import SchemaError
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.loss import ConversionLoss
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.nodes import smallest_size
from hudi_core.types.walk import same
from hudi_spark.ddl import schema_from_ddl, schema_to_ddl
from tests.support.drawing import cases
from tests.support.strategies import schemas

pytestmark = pytest.mark.one_spark


def type_in(ddl: str) -> t.Type:
    return schema_from_ddl(f"c {ddl}").value.fields[0].type


def least(precision: int, scale: int) -> t.Decimal:
    return t.Decimal(precision, scale, t.Fixed(smallest_size(precision)))


def test_a_schema_is_columns_with_types_nulls_and_comments() -> None:
    ddl = (
        "id BIGINT NOT NULL COMMENT 'it\\'s the key', s STRUCT<a: INT NOT NULL, `b c`: ARRAY<STRING> COMMENT 'list'>, "
        "m MAP<STRING, DECIMAL(10,2)>, `1st` TIMESTAMP_NTZ"
    )
    converted = schema_from_ddl(ddl)
    assert not converted.losses
    schema = converted.value
    assert [(f.name, f.optional, f.doc) for f in schema.fields] == [
        ("id", False, "it's the key"),
        ("s", True, None),
        ("m", True, None),
        ("1st", True, None),
    ]
    assert schema.get(("s", "b c")).field.doc == "list"
    assert schema.get("m.value").field.type == least(10, 2)
    assert schema_to_ddl(schema).value == ddl
    assert not schema_to_ddl(schema).losses


def test_simple_strings_of_structs_are_read() -> None:
    assert same(
        schema_from_ddl("struct<a:int,b:array<struct<c:string>>>").value.record,
        schema_from_ddl("a INT, b ARRAY<STRUCT<c: STRING>>").value.record,
    )
    assert schema_from_ddl("").value == Schema(t.Record(()))
    assert schema_from_ddl("struct<>").value == Schema(t.Record(()))


@pytest.mark.parametrize(
    ("answer", "of"),
    [
        ("integer", t.Int()),
        ("LONG", t.Long()),
        ("real", t.Float()),
        ("timestamp_ltz", t.Timestamp()),
        ("DECIMAL", least(10, 0)),
        ("dec(5)", least(5, 0)),
        ("NUMERIC( 5 , 2 )", least(5, 2)),
        ("VECTOR(768)", t.Vector(768)),
        ("VECTOR(4, INT8)", t.Vector(4, t.VectorElement.INT8)),
    ],
)
def test_other_names_for_a_type_are_read(answer: str, of: t.Type) -> None:
    assert type_in(answer) == of


@pytest.mark.parametrize(("answer", "kind"), [("VARIANT", t.RecordKind.VARIANT), ("BLOB", t.RecordKind.BLOB)])
def test_hudis_names_are_read(answer: str, kind: t.RecordKind) -> None:
    found = type_in(answer)
    assert isinstance(found, t.Record)
    assert found.kind is kind


@pytest.mark.parametrize(
    ("answer", "kept"), [("TINYINT", "int"), ("short", "int"), ("VARCHAR(10)", "string"), ("char(3)", "string")]
)
def test_richer_types_are_read_with_a_loss(answer: str, kept: str) -> None:
    assert schema_from_ddl(f"c {answer}").losses == (ConversionLoss("c", answer.upper(), kept),)


@pytest.mark.parametrize(
    ("comment", "answer"),
    [
        (r"'a\nb\tc\\d'", "a\nb\tc\\d"),
        (r'"double \"quoted\""', 'double "quoted"'),
        (r"'\u00e4\101\%\_'", "äA\\%\\_"),
        ("'`<>,'", "`<>,"),
    ],
)
def test_a_comment_is_a_literal_of_spark_sql(comment: str, answer: str) -> None:
    assert schema_from_ddl(f"c INT COMMENT {comment}").value.fields[0].doc == answer


@pytest.mark.parametrize(
    ("ddl", "answer"),
    [
        ("a", "schema: character 2: expected a type, found the end"),
        ("a INT,", "schema: character 7: expected a column name, found the end"),
        ("a INT b INT", "schema: character 7: expected a comma or the end, found 'b'"),
        ("a VOID", "schema: character 3: expected a Spark type whose values hudi-core knows, found 'VOID'"),
        ("a DECIMAL(39)", "schema: character 3: expected a Spark type"),
        ("a DECIMAL(2,3)", "schema: character 3: expected a Spark type"),
        ("a INT(3)", "schema: character 3: expected a Spark type"),
        ("a ARRAY<INT", "schema: character 12: expected `>`, found the end"),
        ("a MAP<INT>", "schema: character 10: expected `,`, found '>'"),
        ("a INT NOT", "schema: character 10: expected `NULL`, found the end"),
        ("a INT COMMENT b", "schema: character 15: expected a quoted comment, found 'b'"),
        ("a INT; drop", "schema: character 6: expected a comma or the end, found ';'"),
        ("a 'x'", "schema: character 3: expected a type, found \"'x'\""),
        ("a INT, a INT", "schema: a: expected each name once in a record"),
        ("a " + "ARRAY<" * 200 + "INT" + ">" * 200, "schema: character "),
    ],
)
def test_an_invalid_string_is_refused_with_its_place(ddl: str, answer: str) -> None:
    with pytest.raises(SchemaError) as refused:
        schema_from_ddl(ddl)
    assert str(refused.value).startswith(answer)


def test_attributes_that_ddl_cannot_express_are_reported() -> None:
    required = t.Array(t.Field(0, "element", t.Int(), optional=False))
    record = t.Record((t.Field(0, "a", required, default=None), t.Field(0, "e", t.Enumeration(("A",)), False)), "R")
    assert schema_to_ddl(Schema(record_with_ids(record), version=2, max_column_id=9)).losses == (
        ConversionLoss("", "version 2"),
        ConversionLoss("", "column ids"),
        ConversionLoss("", "name of the record 'R'"),
        ConversionLoss("a.element", "required", "optional"),
        ConversionLoss("e", "enum(A)", "string"),
    )


@given(st.text(st.sampled_from("ab `'\"<>(),:\\\n"), max_size=30) | st.text(max_size=10))
@settings(max_examples=cases(300))
def test_any_text_gives_a_schema_or_a_schema_error(ddl: str) -> None:
    for item in (ddl, f"a STRUCT<{ddl}", f"a INT COMMENT {ddl}"):
        try:
            schema = schema_from_ddl(item)
        except SchemaError as error:
            assert str(error)
        else:
            assert isinstance(schema.value, Schema)


@given(schemas(named=False))
@settings(max_examples=cases(100), deadline=None)
def test_a_schema_comes_back_equal_or_its_losses_are_reported(schema: Schema) -> None:
    there = schema_to_ddl(schema)
    back = schema_from_ddl(there.value)
    assert back.value == schema or there.losses
    assert not back.losses
    again = schema_to_ddl(back.value)
    assert again.value == there.value
    assert not again.losses


def test_docstring_examples_give_their_shown_results() -> None:
    for module in (hudi_spark.types, hudi_spark.ddl):
        assert doctest.testmod(module).failed == 0
