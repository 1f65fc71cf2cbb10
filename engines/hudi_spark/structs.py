"""Schemas to PySpark's StructType and back, and single types; needs PySpark, but no JVM."""

from __future__ import annotations

import json
from inspect import signature
from typing import Any, Final

import pyarrow as pa
from pyspark.errors import PySparkValueError
from pyspark.sql import DataFrame, types
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import (
    ArrayType,
    CharType,
    DataType,
    MapType,
    NullType,
    StringType,
    StructField,
    StructType,
    UserDefinedType,
    VarcharType,
)

from hudi_core.errors import SchemaError, UsageError, describe
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.loss import Converted
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_spark.types import schema_from_spark_json, schema_to_spark_json

_IN_UTC: Final = {"timezone": "UTC"} if "timezone" in signature(to_arrow_schema).parameters else {}
HAS_VARIANT: Final = hasattr(types, "VariantType")
"""This PySpark has a type of variants; for an earlier one than Spark 4 they are structs."""


def schema_to_spark(schema: Schema, *, metadata: bool = True) -> Converted[StructType]:
    """The StructType of a schema; conversion losses as in `schema_to_spark_json`."""
    converted = schema_to_spark_json(schema, metadata=metadata, variants=HAS_VARIANT)
    return Converted(StructType.fromJson(json.loads(converted.value)), converted.losses)


def schema_from_spark(struct: StructType, where: str = "schema") -> Converted[Schema]:
    """The schema of a StructType. Raises `SchemaError` with the path."""
    return schema_from_spark_json(struct.jsonValue(), where)


def nullable_struct(schema: Schema) -> StructType:
    """The StructType of a schema's rows as Spark reads them: every field may be null, as in any file."""
    return StructType.fromJson(_nullable(json.loads(schema_to_spark_json(schema, variants=HAS_VARIANT).value)))


_UNSTORED: Final = tuple(
    getattr(types, name)
    for name in (
        "DayTimeIntervalType",
        "YearMonthIntervalType",
        "CalendarIntervalType",
        "GeometryType",
        "GeographyType",
    )
    if hasattr(types, name)
)
"""Types of Spark's whose values no table has. Some are of later versions of PySpark."""


def refuse_other_frame(frame: Any, where: str, for_streams: str) -> None:
    """Raises `UsageError` for what is no DataFrame of rows that are there; `for_streams` says what takes those of a stream."""
    if not isinstance(frame, DataFrame) and not hasattr(frame, "mapInArrow"):  # as that of Spark Connect has
        raise UsageError(where, expected="a DataFrame", found=describe(frame))
    if frame.isStreaming:
        expected = f"a DataFrame that is no stream ({for_streams})"
        raise UsageError(where, expected=expected, found="a streaming DataFrame")


_VARIANTS: Final = tuple(getattr(types, name) for name in ("VariantType",) if hasattr(types, name))


def refuse_variants(type: DataType, path: tuple[str, ...] = ()) -> None:
    """Raises `SchemaError` with the first column, at any depth, of Spark's variants: a struct of bytes would be written in its
    place. Rule WRITE-1616."""
    match type:
        case StructType():
            for field in type.fields:
                refuse_variants(field.dataType, (*path, field.name))
        case ArrayType():
            refuse_variants(type.elementType, (*path, "element"))
        case MapType():
            refuse_variants(type.valueType, (*path, "value"))
        case _:
            if isinstance(type, _VARIANTS):
                expected = "a type that is written, as the text that to_json gives of a variant"
                raise SchemaError(f"frame: {'.'.join(path)}", expected=expected, found=type.simpleString())


def frame_struct(frame: Any) -> StructType:
    """The schema of a DataFrame. Raises `SchemaError` where it has a type that this PySpark does not know. Rule WRITE-1384."""
    try:
        struct: StructType = frame.schema
    except PySparkValueError as error:
        expected = "columns of types whose values a table has"
        raise SchemaError("frame", expected=expected, found=str(error).partition("\n")[0]) from error
    return struct


def arrow_schema(struct: StructType) -> pa.Schema:
    """The Arrow schema in which Spark gives rows of a StructType, with UTC for the session's zone. Raises `SchemaError` with the
    column for a type whose values no table has. Rules WRITE-1384, WRITE-1624."""
    schema: pa.Schema = to_arrow_schema(_frame_struct(struct, ()), **_IN_UTC)
    return schema


def _frame_struct(struct: StructType, path: tuple[str, ...]) -> StructType:
    fields = [
        StructField(field.name, _frame_type(field.dataType, (*path, field.name)), field.nullable, field.metadata)
        for field in struct.fields
    ]
    return StructType(fields)


def _frame_type(type: DataType, path: tuple[str, ...]) -> DataType:
    """A type with plain strings for those of limited length: frames have none, but a StructType may."""
    match type:
        case StructType():
            return _frame_struct(type, path)
        case ArrayType():
            element = _frame_type(type.elementType, (*path, "element"))
            # `array()` has elements without a type that are never null: Arrow has none such.
            return ArrayType(element, type.containsNull or isinstance(element, NullType))
        case MapType():
            value = _frame_type(type.valueType, (*path, "value"))
            if isinstance(type.keyType, NullType):
                _refuse(type.keyType, (*path, "key"))
            return MapType(_frame_type(type.keyType, (*path, "key")), value, type.valueContainsNull)
        case CharType() | VarcharType():
            return StringType()
        case UserDefinedType():
            expected = "a type whose values a table has, as the array that vector_to_array gives of a vector"
            raise SchemaError(
                f"frame: {'.'.join(path)}", expected=expected, found=f"a user-defined {type.simpleString()}"
            )
        case _:
            if isinstance(type, _UNSTORED):
                _refuse(type, path)
            return type


def _refuse(type: DataType, path: tuple[str, ...]) -> None:
    raise SchemaError(f"frame: {'.'.join(path)}", expected="a type whose values a table has", found=type.simpleString())


def bare_struct(schema: Schema) -> StructType:
    """The StructType of a schema without anything but names and types: Spark finds columns in files by name then."""
    struct = spark_type(schema.record)
    assert isinstance(struct, StructType)
    return struct


def spark_type(type: t.Type) -> DataType:
    """The Spark type that holds values of a type in plans, nullable throughout and without metadata; a variant is a struct."""
    schema = Schema(record_with_ids(t.Record((t.Field(0, "value", type),))))
    bare = _bare(json.loads(schema_to_spark_json(schema, metadata=False).value))
    return StructType.fromJson(bare)["value"].dataType


def _bare(word: Any) -> Any:
    match word:
        case {"type": "struct", "fields": fields}:
            return {"type": "struct", "fields": [_bare(field) for field in fields]}
        case {"name": name, "type": inner}:
            return {"name": name, "type": _bare(inner), "nullable": True, "metadata": {}}
        case {"type": "array", "elementType": inner}:
            return {"type": "array", "elementType": _bare(inner), "containsNull": True}
        case {"type": "map", "keyType": key, "valueType": inner}:
            return {"type": "map", "keyType": _bare(key), "valueType": _bare(inner), "valueContainsNull": True}
        case _:
            return word


def _nullable(word: Any) -> Any:
    if isinstance(word, list):
        return [_nullable(part) for part in word]
    if not isinstance(word, dict):
        return word
    always = {"nullable", "containsNull", "valueContainsNull"}
    return {
        key: True if key in always else part if key == "metadata" else _nullable(part) for key, part in word.items()
    }
