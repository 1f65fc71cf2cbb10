"""Schemas to PySpark's StructType and back; needs PySpark, but no JVM."""

from __future__ import annotations

import json

from pyspark.sql.types import StructType

from hudi_core.schema.loss import Converted
from hudi_core.schema.schema import Schema
from hudi_spark.types import schema_from_spark_json, schema_to_spark_json


def schema_to_spark(schema: Schema, *, metadata: bool = True) -> Converted[StructType]:
    """The StructType of a schema; what it cannot say as `schema_to_spark_json`."""
    converted = schema_to_spark_json(schema, metadata=metadata)
    return Converted(StructType.fromJson(json.loads(converted.value)), converted.losses)


def schema_from_spark(struct: StructType, where: str = "schema") -> Converted[Schema]:
    """The schema of a StructType. Raises `SchemaError` with the path."""
    return schema_from_spark_json(struct.jsonValue(), where)
