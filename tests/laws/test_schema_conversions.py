"""Every conversion of a schema costs the same per column, however many columns there are: counted in calls, not in time."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from hudi_arrow.types import schema_from_arrow, schema_to_arrow
from hudi_core.avro.inbound import schema_from_avro
from hudi_core.avro.outbound import schema_to_avro
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.json import schema_from_json, write_persisted
from hudi_core.schema.project import project
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_spark.ddl import schema_from_ddl, schema_to_ddl
from hudi_spark.types import schema_from_spark_json, schema_to_spark_json

KINDS = (t.Int(), t.String(), t.Timestamp(t.Unit.MILLIS), t.Decimal(10, 2), t.Enumeration(("A",)), t.Uuid(t.Fixed(16)))


def flat(columns: int) -> Schema:
    fields = (t.Field(0, f"c{i}", KINDS[i % len(KINDS)], default=None) for i in range(columns))
    return Schema(record_with_ids(t.Record(tuple(fields))))


def nested(columns: int) -> Schema:
    def column(i: int) -> t.Type:
        element = t.Field(0, "element", KINDS[i % len(KINDS)])
        return t.Record((t.Field(0, "x", t.Array(element)), t.Field(0, "y", t.Int())), name="ns.Same")

    fields = (t.Field(0, f"c{i}", column(i)) for i in range(columns // 4))
    return Schema(record_with_ids(t.Record(tuple(fields))))


CONVERSIONS: dict[str, tuple[Callable[[Schema], Any], Callable[[Any], object]]] = {
    "lookups": (lambda schema: schema.record, lambda record: Schema(record).find("c0")),
    "to Avro": (lambda schema: schema, schema_to_avro),
    "from Avro": (schema_to_avro, schema_from_avro),
    "to the persisted form": (lambda schema: schema, write_persisted),
    "from the persisted form": (lambda schema: write_persisted(schema).value, schema_from_json),
    "to Arrow": (lambda schema: schema, schema_to_arrow),
    "from Arrow": (lambda schema: schema_to_arrow(schema).value, schema_from_arrow),
    "to Spark": (lambda schema: schema, schema_to_spark_json),
    "from Spark": (lambda schema: json.loads(schema_to_spark_json(schema).value), schema_from_spark_json),
    "to DDL": (lambda schema: schema, schema_to_ddl),
    "from DDL": (lambda schema: schema_to_ddl(schema).value, schema_from_ddl),
    "choosing half": (lambda schema: schema, lambda schema: project(schema, [f.name for f in schema.fields[::2]])),
}


def calls(run: Callable[[], object]) -> int:
    """The calls of functions, Python's and C's, that a run makes."""
    counted = 0

    def count(frame: FrameType, event: str, arg: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(None)
    return counted


@pytest.mark.each_value
@pytest.mark.parametrize("shape", [flat, nested])
@pytest.mark.parametrize("conversion", CONVERSIONS)
def test_a_conversion_costs_the_same_per_column(conversion: str, shape: Callable[[int], Schema]) -> None:
    prepare, run = CONVERSIONS[conversion]
    costs = []
    for columns in (100, 1_000):
        schema = shape(columns)
        prepared = prepare(schema)
        costs.append(calls(lambda prepared=prepared: run(prepared)) / len(schema.places))  # type: ignore[misc]
    assert costs[1] <= 1.2 * costs[0]
