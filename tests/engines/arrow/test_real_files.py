"""Base files that Apache Hudi wrote: their rows lie within their statistics, and their Avro schemas hold."""

from __future__ import annotations

import math
from typing import Any

import pytest

from hudi_arrow.arrays import to_values
from hudi_arrow.files.parquet import ParquetReader
from hudi_arrow.rows import ArrowRows
from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.avro.inbound import schema_from_avro
from hudi_core.schema.schema import Schema
from hudi_core.types.nodes import Type
from hudi_core.values.order import less
from tests.support.conformance import TableEntry, each_table_where

READER, ROWS = ParquetReader(), ArrowRows()


@pytest.mark.one_of(2)
@each_table_where(lambda entry: entry.has("*.parquet"), "Parquet files", every=3)
def test_rows_lie_within_the_statistics_of_their_file(entry: TableEntry) -> None:
    storage = ArrowStorage(str(entry.unpacked()))
    for file in storage.list("", recursive=True):
        if (
            not file.name.endswith(".parquet")
            or file.path.startswith(".hoodie")
            or file.name.startswith(".")
            or not file.size
        ):
            continue
        opened = READER.open(storage, file)
        footer = opened.footer
        rows = [row for batch in opened.batches() for row in to_values(ROWS.root(batch), footer.schema.record)]
        assert len(rows) == footer.rows
        for path, known in footer.statistics.items():
            values = [_at(row, footer.schema, path) for row in rows]
            present = [value for value in values if value is not None]
            assert known.null_count in (None, len(values) - len(present))
            assert known.nans or not any(isinstance(value, float) and math.isnan(value) for value in present)
            assert all(_within(value, known.lower, known.upper, known.type) for value in present if value == value)


@each_table_where(lambda entry: entry.has("*.parquet"), "Parquet files", every=3)
def test_avro_schemas_of_files_agree_with_their_columns(entry: TableEntry) -> None:
    storage = ArrowStorage(str(entry.unpacked()))
    files = [
        file
        for file in storage.list("", recursive=True)
        if file.name.endswith(".parquet") and not file.path.startswith(".hoodie") and not file.name.startswith(".")
    ]
    footers = [(file.path, READER.open(storage, file).footer) for file in files if file.size]
    stated = [(path, footer) for path, footer in footers if "parquet.avro.schema" in footer.metadata]
    if not stated:
        pytest.skip("no file states its Avro schema")
    for path, footer in stated:
        avro = schema_from_avro(footer.metadata["parquet.avro.schema"])
        assert [field.type for field in footer.schema.fields] == [field.type for field in avro.fields], path


def _at(row: Any, schema: Schema, path: tuple[str, ...]) -> Any:
    for position in schema.get(path).positions:
        row = None if row is None else row[position]
    return row


def _within(value: Any, low: Any, high: Any, of: Type) -> bool:
    return (low is None or not less(value, low, of)) and (high is None or not less(high, value, of))
