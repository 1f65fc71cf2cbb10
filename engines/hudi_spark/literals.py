"""Values of the core as constants of Spark plans."""

from __future__ import annotations

import struct
import uuid
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from hudi_core.types import nodes as t
from hudi_spark.structs import spark_type
from hudi_spark.ticks import from_ticks

_FORMATS = {t.VectorElement.FLOAT: "f", t.VectorElement.DOUBLE: "d", t.VectorElement.INT8: "b"}


def literal(value: Any, type: t.Type) -> Column:
    """The constant of a value in the form of `hudi_core.values.domain`; None is null."""
    if value is None:
        return F.lit(None).cast(spark_type(type))
    match type:
        case t.Date() | t.Time() | t.Timestamp():
            long = isinstance(type, t.Timestamp) or type not in (t.Date(), t.Time(t.Unit.MILLIS))
            return from_ticks(F.lit(value).cast("long" if long else "int"), type)
        case t.Uuid(fixed=t.Fixed()):
            return F.lit(uuid.UUID(value).bytes)
        case t.Vector():
            return F.array(*map(F.lit, numbers_of(value, type))).cast(spark_type(type))
        case t.Record(fields):
            columns = [literal(part, field.type).alias(field.name) for part, field in zip(value, fields, strict=True)]
            return F.struct(*columns).cast(spark_type(type)) if columns else F.struct()
        case t.Union(branches):
            columns = [
                literal(value[1] if number == value[0] else None, branch.type).alias(branch.name)
                for number, branch in enumerate(branches)
            ]
            return F.struct(*columns)
        case t.Array(element):
            return F.array(*[literal(part, element.type) for part in value]).cast(spark_type(type))
        case t.Map(key, item):
            keys = F.array(*[literal(name, key.type) for name, _ in value]).cast(spark_type(t.Array(key)))
            items = F.array(*[literal(part, item.type) for _, part in value]).cast(spark_type(t.Array(item)))
            return F.map_from_arrays(keys, items)
        case _:
            return F.lit(value).cast(spark_type(type))


def operand(value: Any, type: t.Type) -> Any:
    """The constant, not null, as one operand of a comparison: as it is where Spark takes it for a value of the type."""
    return value if isinstance(type, t.Boolean | t.Int | t.Long | t.Double | t.String) else literal(value, type)


def numbers_of(packed: bytes, vector: t.Vector) -> tuple[Any, ...]:
    """The numbers of a vector's bytes."""
    return struct.unpack(_format(vector), packed)


def pack_numbers(numbers: Any, vector: t.Vector) -> bytes:
    """The bytes of a vector's numbers."""
    return struct.pack(_format(vector), *numbers)


def _format(vector: t.Vector) -> str:
    return f"<{vector.dimension}{_FORMATS[vector.element]}"
