"""PySpark's own StructType, without a JVM."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

from hudi_core.errors import SchemaError
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from tests.support.strategies import schemas

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
from pyspark.sql import types as spark_types

from hudi_spark import structs
from hudi_spark import types as json_types

pytestmark = pytest.mark.spark


def test_a_struct_type_is_what_spark_makes_of_it() -> None:
    record = t.Record(
        (t.Field(0, "a", t.Int(), False), t.Field(1, "b", t.Timestamp(zoned=False), True, "about b", None))
    )
    struct = structs.schema_to_spark(Schema(record)).value
    assert struct["a"].dataType == spark_types.IntegerType()
    assert struct["b"].dataType == spark_types.TimestampNTZType()
    assert (struct["a"].nullable, struct["b"].metadata["comment"]) == (False, "about b")


def test_an_ordinary_struct_type_is_read() -> None:
    struct = spark_types.StructType(
        [
            spark_types.StructField("d", spark_types.DecimalType(12, 3), nullable=False),
            spark_types.StructField("m", spark_types.MapType(spark_types.StringType(), spark_types.DateType(), False)),
        ]
    )
    schema = structs.schema_from_spark(struct).value
    assert schema.get("d").field.type == t.Decimal(12, 3, t.Fixed(6))
    assert not schema.get("m.value").field.optional


class Point(spark_types.UserDefinedType):
    """A type of the user's own, which Spark stores as a struct."""

    @classmethod
    def sqlType(cls) -> spark_types.DataType:  # Spark's name
        return spark_types.StructType([spark_types.StructField("x", spark_types.DoubleType())])

    def simpleString(self) -> str:  # Spark's name
        return "point"


@pytest.mark.parametrize(
    ("type", "path"),
    [
        (Point(), "c"),
        (spark_types.ArrayType(Point()), "c.element"),
        (spark_types.MapType(spark_types.StringType(), Point()), "c.value"),
    ],
)
def test_user_defined_types_are_refused(type: spark_types.DataType, path: str) -> None:
    """WRITE-1624."""
    with pytest.raises(SchemaError, match=f"^frame: {path}: expected .*vector_to_array.*, found a user-defined point$"):
        structs.arrow_schema(spark_types.StructType([spark_types.StructField("c", type)]))


@given(schemas())
@settings(max_examples=60, deadline=None)
def test_spark_reads_and_writes_the_same_json(schema: Schema) -> None:
    ours = json_types.schema_to_spark_json(schema, variants=structs.HAS_VARIANT)
    there = structs.schema_to_spark(schema)
    assert json.loads(there.value.json()) == json.loads(ours.value)
    assert there.losses == ours.losses
    assert structs.schema_from_spark(there.value) == json_types.schema_from_spark_json(ours.value)
