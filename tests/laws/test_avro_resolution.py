"""Rows written as Avro of one schema and read as another: the same as reading value by value, on every engine."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hudi_arrow.arrays import to_values as arrow_values
from hudi_arrow.engine import ENGINE as ARROW
from hudi_core.avro.inbound import schema_from_avro
from hudi_core.avro.outbound import schema_to_avro
from hudi_core.columns.nodes import StructColumn
from hudi_core.errors import SchemaError
from hudi_core.evolve.reconcile import Match, ReadRecord, reconcile
from hudi_core.formats.avro.block import encode
from hudi_core.formats.avro.columns import decode
from hudi_core.rows.project import projection
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.promote import Purpose, promotion
from hudi_plain.buffers import from_values
from hudi_plain.engine import ENGINE as PLAIN
from tests.support import evolution
from tests.support.drawing import cases
from tests.support.plans import apply_plan
from tests.support.strategies import rows_of, schemas, values_of

ROOMY = settings(
    deadline=None, max_examples=cases(60), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def through_avro(rows: list[Any], schema: Schema) -> tuple[StructColumn, Schema]:
    """The rows written and read again, and the schema as the bytes' writer says it."""
    text = json.dumps(schema_to_avro(schema))
    offsets, data = encode(text, from_values(rows, schema.record, "rows"), "rows")
    columns = decode(text, data, offsets[:-1], np.diff(offsets), "rows")
    assert isinstance(columns, StructColumn)
    return columns, schema_from_avro(text)


def by_arrow(plan: ReadRecord, columns: StructColumn, schema: Schema) -> list[Any]:
    read = projection(plan, ARROW.values)
    batches = ARROW.rows.from_columns(columns, schema, "rows")
    return [row for batch in batches for row in arrow_values(read(ARROW.rows.root(batch)), plan.wanted)]


def by_plain(plan: ReadRecord, columns: StructColumn, schema: Schema) -> list[Any]:
    read = projection(plan, PLAIN.values)
    return [read(PLAIN.rows.root(batch)) for batch in PLAIN.rows.from_columns(columns, schema, "rows")]


def agree(rows: list[Any], file: Schema, wanted: Schema) -> None:
    columns, written = through_avro(rows, file)
    try:
        plan = reconcile(written, wanted, Match.NAME, nulls_for_required=True)
    except SchemaError:
        return
    try:
        known = [apply_plan(plan, row) for row in rows]
    except SchemaError:
        for read in (by_arrow, by_plain):
            with pytest.raises(SchemaError):
                read(plan, columns, written)
        return
    for read in (by_arrow, by_plain):
        assert list(map(repr, read(plan, columns, written))) == list(map(repr, known))


@ROOMY
@given(evolution.schemas(), evolution.schemas(), st.data())
def test_records_of_one_schema_are_read_as_another(file: Schema, wanted: Schema, data: st.DataObject) -> None:
    agree(data.draw(st.lists(rows_of(file), min_size=1, max_size=5)), file, wanted)


@ROOMY
@given(schemas(), st.data())
def test_records_of_every_type_are_read_as_they_were_written(schema: Schema, data: st.DataObject) -> None:
    agree(data.draw(st.lists(rows_of(schema), min_size=1, max_size=5)), schema, schema)


PROMOTIONS = [
    (stored, wanted)
    for stored in evolution.PRIMITIVES
    for wanted in evolution.PRIMITIVES
    if stored != wanted and promotion(stored, wanted, Purpose.READ) is not None
]


@pytest.mark.parametrize("nested", [False, True])
@settings(deadline=None, max_examples=cases(100))
@given(st.sampled_from(PROMOTIONS), st.data())
def test_every_promotion_holds_on_decoded_values(nested: bool, pair: Any, data: st.DataObject) -> None:
    stored, wanted = pair
    values = data.draw(st.lists(st.none() | values_of(stored), min_size=1, max_size=6))

    def schema(of: t.Type) -> Schema:
        field = t.Field(1, "element", of)
        return Schema(t.Record((t.Field(0, "a", t.Array(field) if nested else of),)))

    agree([((value,),) if nested else (value,) for value in values], schema(stored), schema(wanted))
