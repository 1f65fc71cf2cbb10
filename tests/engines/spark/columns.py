"""Values of the core in and out of Spark, in full: also dates and timestamps that Python's own types cannot say."""

from __future__ import annotations

import json
import re
import tempfile
import uuid
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
from hypothesis import reject
from pyspark.errors import PythonException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from hudi_arrow.arrays import from_values
from hudi_core.errors import RowError, SchemaError
from hudi_core.types import nodes as t
from hudi_core.values.domain import EXACT
from hudi_spark.arrow_form import to_form
from hudi_spark.cells import Cell
from hudi_spark.literals import pack_numbers
from hudi_spark.structs import spark_type
from hudi_spark.ticks import ticks
from hudi_spark.values import SparkValues
from tests.contract.harness import Given


class SparkColumns:
    """Cells over the columns of a small relation. What Spark cannot hold is no case."""

    values = SparkValues()

    def __init__(self, spark: SparkSession, ansi: bool = False) -> None:
        self._spark, self._ansi = spark, ansi

    def together(self, requested: Sequence[tuple[Callable[[Any], Any], t.Type, Given]]) -> list[list[Any]]:
        """The columns that operations make of one column each, with their types: in one query."""
        self._spark.conf.set("spark.sql.ansi.enabled", str(self._ansi).lower())
        most = max(len(rows) for _, _, (rows, _) in requested)
        padded = [([*rows, *[None] * (most - len(rows))], kind) for _, _, (rows, kind) in requested]
        cells = [Cell(F.col(f"c{number}"), kind) for number, (_, kind) in enumerate(padded)]
        parts = [
            shipped(operation(cell).plan, of).alias(f"v{number}")
            for number, ((operation, of, _), cell) in enumerate(zip(requested, cells, strict=True))
        ]
        rows = [row[0] for row in relation(self._spark, padded).select(F.struct(*parts).alias("row")).collect()]
        return [
            [value_of(row[number], of) for row in rows[: len(given)]]
            for number, (_, of, (given, _)) in enumerate(requested)
        ]

    def mask(self, operation: Callable[..., Any], *columns: Given) -> list[bool]:
        found = self.column(operation, t.Boolean(), *columns)
        assert None not in found
        return found

    def column(self, operation: Callable[..., Any], of: t.Type, *columns: Given) -> list[Any]:
        self._spark.conf.set("spark.sql.ansi.enabled", str(self._ansi).lower())
        frame = relation(self._spark, columns)
        cells = [Cell(F.col(f"c{number}"), kind) for number, (_, kind) in enumerate(columns)]
        found = operation(*cells)
        assert found.depth == 0
        shown = frame.select(F.struct(shipped(found.plan, of).alias("v")).alias("row"))
        try:
            return [value_of(row[0][0], of) for row in shown.collect()]
        except PythonException as raised:
            if "hudi_core.errors.SchemaError" in str(raised):
                raise SchemaError(message="raised on an executor") from None
            raise
        except Exception as raised:
            answer = re.search(r"RowError: a row: expected (.*), found ([^\n]*)", str(raised))
            if answer is None:
                raise
            raise RowError(None, expected=answer[1], found=answer[2]) from None


def relation(spark: SparkSession, columns: Any) -> DataFrame:
    """A relation with these columns, held by the driver."""
    arrays = [held(rows, kind) for rows, kind in columns]
    names = [f"c{number}" for number in range(len(arrays))]
    schema = {"type": "struct", "fields": []}
    for name, (_, kind) in zip(names, columns, strict=True):
        field = {"name": name, "type": spark_type(kind).jsonValue(), "nullable": True, "metadata": {}}
        schema["fields"].append(field)
    return from_batch(spark, pa.RecordBatch.from_arrays(arrays, names=names), schema)


def from_batch(spark: SparkSession, batch: pa.RecordBatch, schema: dict[str, Any]) -> DataFrame:
    """The relation of one Arrow batch."""
    if not hasattr(spark, "sparkContext"):
        return spark.createDataFrame(pa.Table.from_batches([batch]))
    jvm = spark.sparkContext._jvm

    with tempfile.NamedTemporaryFile(suffix=".arrows") as file:
        with pa.ipc.new_stream(file, batch.schema) as writer:
            writer.write_batch(batch)
        file.flush()
        chunks = jvm.PythonSQLUtils.readArrowStreamFromFile(file.name)
    return DataFrame(jvm.PythonSQLUtils.toDataFrame(chunks, json.dumps(schema), spark._jsparkSession), spark)


def held(rows: Any, kind: t.Type) -> pa.Array:
    """The rows as Spark's Arrow; no case when a timestamp is beyond what Spark can hold."""
    try:
        return _form(rows, kind)
    except pa.ArrowInvalid:
        reject()


def fits(value: Any, kind: t.Type) -> bool:
    """Spark can hold the value."""
    try:
        _form([value], kind)
    except pa.ArrowInvalid:
        return False
    return True


def _form(rows: Any, kind: t.Type) -> pa.Array:
    return to_form(from_values(list(rows), kind), kind)


def shipped(plan: Column, of: t.Type) -> Column:
    """Dates and timestamps as integers, maps as arrays, at every depth."""
    match of:
        case t.Date() | t.Timestamp():
            return ticks(plan, of)
        case t.Record(fields) | t.Union(fields):
            parts = [shipped(plan.getField(field.name), field.type).alias(f"x{n}") for n, field in enumerate(fields)]
            return F.when(plan.isNotNull(), F.struct(F.lit(1).alias("one"), *parts))
        case t.Array(element):
            return F.transform(plan, lambda item: shipped(item, element.type))
        case t.Map(_, value):
            return F.transform(
                F.map_entries(plan), lambda e: F.struct(e["key"].alias("k"), shipped(e["value"], value.type).alias("v"))
            )
        case _:
            return plan


def value_of(found: Any, of: t.Type) -> Any:
    """The core's value of what Spark gave."""
    if found is None:
        return None
    match of:
        case t.Record(fields):
            return tuple(value_of(part, field.type) for part, field in zip(found[1:], fields, strict=True))
        case t.Union(branches):
            taken = [number for number, part in enumerate(found[1:]) if part is not None]
            return (taken[0], value_of(found[1 + taken[0]], branches[taken[0]].type)) if taken else None
        case t.Array(element):
            return tuple(value_of(item, element.type) for item in found)
        case t.Map(key, value):
            return tuple((value_of(k, key.type), value_of(v, value.type)) for k, v in found)
        case t.Uuid(fixed=t.Fixed()):
            return str(uuid.UUID(bytes=bytes(found)))
        case t.Vector():
            return pack_numbers(found, of)
        case t.Binary() | t.Fixed():
            return bytes(found)
        case t.Decimal(_, scale):
            return found.quantize(Decimal((0, (1,), -scale)), context=EXACT)
        case _:
            return found
