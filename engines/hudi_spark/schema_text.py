"""Spark's schemas as text: the JSON of a StructType, and DDL. Needs neither PySpark nor a JVM."""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Final

from hudi_core.errors import UnsupportedError, UsageError, describe
from hudi_core.schema.loss import Converted
from hudi_core.schema.schema import Schema
from hudi_spark.ddl import schema_from_ddl, schema_to_ddl
from hudi_spark.types import schema_from_spark_json, schema_to_spark_json

if TYPE_CHECKING:
    from pyspark.sql.types import StructType


class SparkText:
    """The form `spark`: what `StructType.json()` gives."""

    def parse(self, text: str, where: str) -> Converted[Schema]:
        return schema_from_spark_json(text, where)

    def write(self, schema: Schema) -> Converted[str]:
        return schema_to_spark_json(schema)

    def from_object(self, schema: StructType, where: str) -> Converted[Schema]:
        if not callable(getattr(schema, "json", None)):
            raise UsageError(where, expected="a StructType", found=describe(schema))
        return schema_from_spark_json(schema.json(), where)

    def to_object(self, schema: Schema) -> Converted[StructType]:
        text = schema_to_spark_json(schema)
        try:
            types = import_module("pyspark.sql.types")
        except ModuleNotFoundError:
            raise UnsupportedError(
                "a StructType", message="needs the package pyspark: pip install 'hudi-core[spark]'"
            ) from None
        return Converted(types.StructType.fromJson(json.loads(text.value)), text.losses)


class DdlText:
    """The form `ddl`: the columns as in CREATE TABLE."""

    def parse(self, text: str, where: str) -> Converted[Schema]:
        return schema_from_ddl(text, where)

    def write(self, schema: Schema) -> Converted[str]:
        return schema_to_ddl(schema)


SPARK: Final = SparkText()
DDL: Final = DdlText()
