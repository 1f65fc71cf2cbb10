"""Schemas made from columns and from other libraries' schemas, and the way back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from hudi_core.errors import UnsupportedError, UsageError, describe
from hudi_core.evolve.build import schema_of_columns
from hudi_core.evolve.compat import Incompatibility, incompatibilities
from hudi_core.front.forms import form
from hudi_core.schema.schema import Schema
from hudi_core.schema.text_forms import SchemaObjects
from hudi_core.types.nodes import Type

if TYPE_CHECKING:
    from hudi_core.libraries import ArrowSchema, SparkSchema


def schema_of(
    columns: str | Mapping[str, str | Type],
    *,
    required: Iterable[str] = (),
    name: str = "record",
    record_keys: str | Iterable[str] = (),
    partition_keys: str | Iterable[str] = (),
) -> Schema:
    """The schema of columns: types by name, or the columns as CREATE TABLE has them.

    For example `schema_of({"id": "bigint", "tags": "array<string>"}, required=["id"])`, or
    `schema_of("id bigint NOT NULL, tags array<string>")`. `name` is that of the Avro record, which SQL does not have.
    `record_keys` and `partition_keys` are the columns of the record key and of the partition path, as `Schema.with_keys` has
    them: a table that `hudi_core.create` makes of the schema has them too.
    """
    if isinstance(columns, Mapping):
        made = schema_of_columns(columns, required=required, name=name)
        return made.with_keys(record_keys, partition_keys)
    if not isinstance(columns, str):
        raise UsageError(
            "columns", expected="types by name, or columns as CREATE TABLE has them", found=describe(columns)
        )
    return form("ddl", "columns").parse(columns, "columns").value.with_keys(record_keys, partition_keys)


def schema_from_arrow(schema: ArrowSchema) -> Schema:
    """The schema of a `pyarrow.Schema`. Raises `SchemaError` for a type that a table cannot have."""
    return _objects("arrow").from_object(schema, "schema").value


def schema_to_arrow(schema: Schema) -> ArrowSchema:
    """The schema as a `pyarrow.Schema`; column ids and what Arrow has no word for go as metadata of its fields."""
    arrow: ArrowSchema = _objects("arrow").to_object(schema).value
    return arrow


def schema_from_spark(schema: SparkSchema | str) -> Schema:
    """The schema of a `StructType` of PySpark, or of its JSON. Raises `SchemaError` for a type that a table cannot have."""
    if isinstance(schema, str):
        return form("spark", "schema").parse(schema, "schema").value
    return _objects("spark").from_object(schema, "schema").value


def schema_to_spark(schema: Schema) -> SparkSchema:
    """The schema as a `StructType` of PySpark. Raises `UnsupportedError` without PySpark."""
    struct: SparkSchema = _objects("spark").to_object(schema).value
    return struct


def schema_incompatibilities(reader: Schema, writer: Schema) -> tuple[Incompatibility, ...]:
    """Lists why data written under one schema cannot be read by another, in the order of the reader's columns."""
    return incompatibilities(reader.record, writer.record)


def _objects(name: str) -> SchemaObjects[Any]:
    adapter = form(name, "schema")
    if not isinstance(adapter, SchemaObjects):
        raise UnsupportedError(f"schemas of {name}", expected="a form with objects", found="text alone")
    return adapter
