"""The live records of one partition of a table's metadata table, log files merged. Rule META-99."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from decimal import Context, Decimal
from functools import lru_cache
from typing import Any, Final

import numpy as np

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.columns.nodes import StructColumn
from hudi_core.errors import UsageError
from hudi_core.expr.bind import bind
from hudi_core.expr.build import ExpressionBuilder
from hudi_core.expr.nodes import Expr
from hudi_core.expr.sql_predicate import doubts_of, predicate_tree, warn_of
from hudi_core.formats.avro.columns import decode
from hudi_core.formats.hfile.cells import keys_of
from hudi_core.metadata.counting import counting_records
from hudi_core.metadata.kinds import has_listing
from hudi_core.metadata.recorded import DECIMAL_ORDINAL, TYPE_BY_ORDINAL
from hudi_core.metadata.records import decode_values
from hudi_core.metadata.table import FILES, MetadataTable, open_metadata_table
from hudi_core.metadata_rows.record_schema import STORED_SCHEMA
from hudi_core.metadata_rows.rows import listing_rows
from hudi_core.rows.truth import is_true
from hudi_core.schema.meta import bare_schema
from hudi_core.schema.names import refuse_no_name
from hudi_core.schema.schema import Schema
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table, row_limit
from hudi_core.types import nodes as t
from hudi_core.values.json import to_json

_EXACT: Final = Context(prec=100)
_AT_ONCE: Final = 8192
"""Records that are decoded together."""


def metadata_records(
    table: Table,
    partition: str,
    where: str | Expr | ExpressionBuilder | None = None,
    limit: int | None = None,
) -> Iterator[dict[str, Any]]:
    """The live records of a partition of the metadata table as it is now, in the JSON form of rows, one file group at a time.

    Each has its `key`, its `type` and its payload under the name that it has in the stored record; fields that are null are
    left out. Bounds of decimals are numbers as text, those of dates and times are as `Scan.to_json_rows` has them.
    Statistics of one key that add up are listed one by one. `where` is a predicate on these records, as on rows.
    Raises `UsageError` for a partition that the table does not have, `CorruptFileError` and `StorageError` where it cannot be
    read.
    """
    refuse_no_name(partition, "partition")
    limit = row_limit(limit)
    table = refreshed(table)
    metadata = open_metadata_table(table.storage, table.config, table.timeline)
    if metadata is None or partition not in metadata.partitions:
        there = ", ".join(sorted(table.config.metadata_partitions))
        expected = f"one of {there}" if there else "a partition of a metadata table, which this table does not have"
        raise UsageError("partition", expected=expected, found=repr(partition))
    tree = None if where is None else predicate_tree(where)
    rows, left = table.engine.rows, limit
    for columns, schema, source in _columns(metadata, partition):
        predicate = None if tree is None else bind(tree, schema, case_sensitive=table.case_sensitive)
        if tree is not None:
            warn_of(doubts_of(tree, schema))
        for whole in rows.from_columns(columns, schema, source):
            batch = whole
            if predicate is not None:
                batch = rows.filter(batch, is_true(predicate, table.engine.values, rows.root(batch), schema))
            if left is not None:
                batch = rows.slice(batch, 0, left)
                left -= rows.count(batch)
            for record in rows.to_json(batch, schema):
                yield {name: _with_values(value) for name, value in record.items() if value is not None}
            if left == 0:
                return


def _with_values(payload: Any) -> Any:
    """Statistics with bounds as values of their type: records of version 2 have the bytes of decimals and their scale beside, and
    the numbers that dates and times are stored as."""
    stated = payload.get("valueType") if isinstance(payload, dict) else None
    if not stated:
        return payload
    bounds = [name for name in ("minValue", "maxValue") if payload.get(name)]
    if stated.get("typeOrdinal") == DECIMAL_ORDINAL:
        scale = int(str(stated.get("additionalInfo", "")).partition(",")[2] or 0)
        return {**payload, **{name: _number(payload[name], scale) for name in bounds}}
    type_ = TYPE_BY_ORDINAL.get(stated.get("typeOrdinal"))
    if isinstance(type_, t.Date | t.Time | t.Timestamp):
        return {**payload, **{name: _moment(payload[name], type_) for name in bounds}}
    return payload


def _moment(bound: dict[str, Any], type_: t.Type) -> dict[str, Any]:
    stored = bound["value"]
    return {**bound, "value": to_json(stored, type_)} if isinstance(stored, int) else bound


def _number(bound: dict[str, Any], scale: int) -> dict[str, Any]:
    encoded = bound["value"]["base64"] if isinstance(bound.get("value"), dict) else None
    if encoded is None:
        return bound
    unscaled = int.from_bytes(b64decode(encoded), "big", signed=True)
    return {**bound, "value": format(Decimal(unscaled).scaleb(-scale, _EXACT), "f")}


def _columns(metadata: MetadataTable, partition: str) -> Iterator[tuple[StructColumn, Schema, str]]:
    """Live records as columns, some thousand at a time, with their schema and where they are from."""
    if has_listing([partition]):
        listing = listing_rows(metadata.files())
        ends = listing.values.offsets
        column = decode(STORED_SCHEMA, listing.values.data, ends[:-1], np.diff(ends), FILES)
        assert isinstance(column, StructColumn)
        yield _with_keys(column, listing.keys), record_schema(STORED_SCHEMA), FILES
        return
    for group in metadata.slices(partition):
        for batch in counting_records(metadata.open_group(group)).batches:
            for start in range(0, len(batch.cells), _AT_ONCE):
                part = replace(batch, cells=batch.cells.take(slice(start, start + _AT_ONCE)))
                column = decode_values([part], None)
                assert isinstance(column, StructColumn)
                yield _with_keys(column, keys_of(part.cells)), record_schema(batch.schema), batch.where


def _with_keys(column: StructColumn, keys: Any) -> StructColumn:
    """The records with their keys, which are beside them in files, without the meta columns."""
    fields = {name: field for name, field in column.fields.items() if not name.startswith("_hoodie_")}
    return StructColumn(column.length, {**fields, "key": keys})


@lru_cache(maxsize=16)
def record_schema(text: str) -> Schema:
    """The schema of records without the meta columns, by the text that files have of it."""
    schema = schema_from_avro(text, "schema of the metadata table")
    return bare_schema(schema)
