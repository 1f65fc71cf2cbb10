"""Schemas made from other libraries' schemas, and the way back."""

from __future__ import annotations

import sys

import pyarrow as pa
import pytest

from hudi_core import (
    SchemaError,
    UnsupportedError,
    UsageError,
    schema_from_arrow,
    schema_from_spark,
    schema_of,
    schema_to_arrow,
    schema_to_spark,
)
from hudi_core.types import nodes as t

COLUMNS = {"id": "bigint", "tags": "array<string>", "p": "decimal(8,2)", "s": "struct<a: int, b: string>"}


def test_columns_are_given_by_name_or_as_create_table_has_them() -> None:
    by_name = schema_of(COLUMNS, required=["id"])
    text = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items()).replace("bigint", "bigint NOT NULL")
    from_text = schema_of(text)
    assert [(one.name, one.type, one.optional) for one in by_name.fields[:3]] == [
        (one.name, one.type, one.optional) for one in from_text.fields[:3]
    ]
    with pytest.raises(UsageError, match="expected types by name, or columns as CREATE TABLE has them"):
        schema_of(7)  # type: ignore[arg-type]


def test_arrow_keeps_all_of_a_schema() -> None:
    schema = schema_of(COLUMNS, required=["id"])
    arrow = schema_to_arrow(schema)
    assert isinstance(arrow, pa.Schema) and arrow.names == list(COLUMNS) and not arrow.field("id").nullable
    assert schema_from_arrow(arrow) == schema
    assert schema_from_arrow(pa.schema({"n": pa.int16()}))["n"].type == t.Int()
    with pytest.raises(SchemaError):
        schema_from_arrow(pa.schema({"n": pa.month_day_nano_interval()}))


def test_spark_has_the_same_columns() -> None:
    types = pytest.importorskip("pyspark.sql.types", reason="PySpark is not installed")
    schema = schema_of(COLUMNS, required=["id"])
    struct = schema_to_spark(schema)
    assert isinstance(struct, types.StructType)
    assert struct.simpleString() == "struct<id:bigint,tags:array<string>,p:decimal(8,2),s:struct<a:int,b:string>>"
    assert schema_from_spark(struct) == schema_from_spark(struct.json())
    assert schema_from_spark(struct).names == schema.names


def test_spark_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql.types", None)
    with pytest.raises(UnsupportedError, match="a StructType: needs the package pyspark"):
        schema_to_spark(schema_of("id int"))
