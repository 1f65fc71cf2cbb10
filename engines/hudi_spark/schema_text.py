"""Spark's schemas as text: the JSON of a StructType, and DDL. Needs neither PySpark nor a JVM."""

from __future__ import annotations

from typing import Final

from hudi_core.schema.loss import Converted
from hudi_core.schema.schema import Schema
from hudi_spark.ddl import schema_from_ddl, schema_to_ddl
from hudi_spark.types import schema_from_spark_json, schema_to_spark_json


class SparkText:
    """The form `spark`: what `StructType.json()` gives."""

    def parse(self, text: str, where: str) -> Converted[Schema]:
        return schema_from_spark_json(text, where)

    def write(self, schema: Schema) -> Converted[str]:
        return schema_to_spark_json(schema)


class DdlText:
    """The form `ddl`: the columns as in CREATE TABLE."""

    def parse(self, text: str, where: str) -> Converted[Schema]:
        return schema_from_ddl(text, where)

    def write(self, schema: Schema) -> Converted[str]:
        return schema_to_ddl(schema)


SPARK: Final = SparkText()
DDL: Final = DdlText()
