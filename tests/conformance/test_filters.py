"""Every filter recorded with a table: its text binds to the table's schema, and is TRUE on just the recorded rows.

Rows and truth come from Apache Spark on the whole snapshot, without skipping.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.errors import UnsupportedError
from hudi_core.expr.bind import bind
from hudi_core.expr.json import from_json as expression_from_json
from hudi_core.expr.json import to_json
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import unknowns_of
from hudi_core.expr.text import to_sql
from hudi_core.rows.truth import is_true
from hudi_core.schema.meta import RECORD_KEY
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.values.json import from_json
from hudi_core.values.text import parse_text
from hudi_plain.values import PlainValues
from tests.support.conformance import TableEntry, each_table_where

VALUES = PlainValues()


def filters_of(entry: TableEntry) -> list[dict[str, Any]]:
    return [item for item in entry.expected.get("filters", ()) if "sql" in item and "keys" in item]


def schema_of(entry: TableEntry) -> Schema:
    return schema_from_avro(entry.expected["schema"]["latest_table_schema_avro_with_meta"])


@each_table_where(filters_of, "filters as SQL text")
def test_every_predicate_is_read_back_from_its_sql_and_its_json(entry: TableEntry) -> None:
    for item in filters_of(entry):
        parsed = parse_predicate(item["sql"])
        assert parse_predicate(to_sql(parsed)) == parsed
        assert expression_from_json(json.loads(json.dumps(to_json(parsed)))) == parsed


@each_table_where(filters_of, "filters as SQL text")
def test_every_filter_is_true_on_just_the_recorded_rows(entry: TableEntry) -> None:
    """ROWS-2."""
    filters = filters_of(entry)
    schema = schema_of(entry)
    rows = [row_of(row, schema) for row in entry.expected["snapshot"]["rows"]]
    key = schema.get((RECORD_KEY,)).positions[0]
    unknown: list[str] = []
    for item in filters:
        predicate = bind(parse_predicate(item["sql"]), schema)
        if unknowns_of(predicate):  # no row can be tested by a function that the core does not know
            with pytest.raises(UnsupportedError, match="cannot be filtered"):
                [is_true(predicate, VALUES, row, schema) for row in rows]
            unknown.append(item["sql"])
            continue
        found = [row for row in rows if is_true(predicate, VALUES, row, schema)]
        assert len(found) == item["row_count"], item["sql"]
        if all(row[key] is not None for row in rows):
            assert sorted(row[key] for row in found) == sorted(item["keys"]), item["sql"]
    if unknown:
        pytest.skip(f"all but {len(unknown)} of {len(filters)} filters: no row can be tested by {'; '.join(unknown)}")


def row_of(row: dict[str, Any], schema: Schema) -> tuple[Any, ...]:
    """A recorded row. The column of a partition may be recorded as the text of its folder."""
    return tuple(
        parse_text(row[field.name], field.type)
        if isinstance(row.get(field.name), str) and isinstance(field.type, t.Int | t.Long)
        else from_json(row.get(field.name), field.type, field.name)
        for field in schema.fields
    )
