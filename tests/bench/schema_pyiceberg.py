"""PyIceberg's counterparts to the measurements of schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from types import SimpleNamespace
from typing import Any

from pyiceberg import types as it
from pyiceberg.io.pyarrow import pyarrow_to_schema, schema_to_pyarrow
from pyiceberg.schema import Schema as IcebergSchema
from pyiceberg.table.update.schema import UpdateSchema
from pyiceberg.utils.schema_conversion import AvroSchemaConversion

from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from tests.bench import schema as ours

_PRIMITIVES: dict[type, Callable[[], it.IcebergType]] = {
    t.Long: it.LongType,
    t.String: it.StringType,
    t.Double: it.DoubleType,
    t.Int: it.IntegerType,
    t.Date: it.DateType,
    t.Timestamp: it.TimestamptzType,
    t.Boolean: it.BooleanType,
}


def iceberg(of: Schema) -> IcebergSchema:
    ids = count(1)
    return IcebergSchema(*[_field(field, ids) for field in of.fields])


def _field(field: t.Field, ids: Any) -> it.NestedField:
    number = next(ids)
    if isinstance(field.type, t.Record):
        inner: it.IcebergType = it.StructType(*[_field(item, ids) for item in field.type.fields])
    else:
        inner = _PRIMITIVES[type(field.type)]()
    return it.NestedField(number, field.name, inner, required=False)


def counterpart(case: str, of: Schema, names: list[str]) -> Callable[[], object]:
    made = iceberg(of)
    match case:
        case "construct_10k":
            return lambda: _with_fields(iceberg(of))
        case "avro_round_trip_10k":
            convert = AvroSchemaConversion()
            return lambda: convert.avro_to_iceberg(convert.iceberg_to_avro(made, schema_name="wide"))
        case "arrow_round_trip_10k":
            return lambda: pyarrow_to_schema(schema_to_pyarrow(made))
        case "ten_changes_10k":
            return lambda: _ten_changes(made)
        case "merge_10k":
            incoming = iceberg(ours.schema(ours.COLUMNS // 100))
            return lambda: _update(made).union_by_name(incoming)._apply()
        case _:
            return lambda: _lookups(made, names)


def _with_fields(made: IcebergSchema) -> IcebergSchema:
    """Schemas find fields by id when they are needed first."""
    assert made._lazy_id_to_field
    return made


def _lookups(made: IcebergSchema, names: list[str]) -> object:
    return [made.find_field(name) for name in names], [made.find_field(number) for number in made._lazy_id_to_field]


def _update(made: IcebergSchema) -> UpdateSchema:
    """An update that no table waits for: only the schema is worked out."""
    metadata = SimpleNamespace(
        partition_specs=[], sort_orders=[], schemas=[made], last_column_id=made.highest_field_id, format_version=2
    )
    transaction: Any = SimpleNamespace(table_metadata=metadata)
    return UpdateSchema(transaction, allow_incompatible_changes=True, schema=made)


def _ten_changes(made: IcebergSchema) -> object:
    update = _update(made)
    update.add_column("added", it.LongType())
    update.add_column("first", it.StringType()).move_first("first")
    update.add_column(("c50", "deep"), it.IntegerType())
    update.delete_column("c77")
    update.delete_column("c5000.x1")
    update.rename_column("c1234", "renamed")
    update.rename_column("c100.x0", "y0")
    update.update_column("c3", field_type=it.LongType())
    update.update_column("c10", field_type=it.LongType())
    update.move_first("c9999")
    return update._apply()


Columns = list[tuple[str, str]]
"""Full name and type of each leaf column, in order."""


def columns_of_ours(answer: Any) -> Columns:
    """The columns of a schema of ours, or those that a lookup by name and one by id found, one after the other."""
    if isinstance(answer, tuple):
        places = [place for found in answer for place in found]
    else:
        places = list(getattr(answer, "value", answer).places.values())
    return [(place.name, str(_PRIMITIVES[type(place.field.type)]())) for place in places if _is_leaf(place.field.type)]


def _is_leaf(type_: t.Type) -> bool:
    return not isinstance(type_, t.Record)


def columns_of_theirs(answer: Any, of: Schema) -> Columns:
    """The same of PyIceberg's schema; fields that it found have no full names, which come from the schema they are of."""
    if isinstance(answer, tuple):
        schema = iceberg(of)
        found = [field for fields in answer for field in fields if field.field_type.is_primitive]
        return [(schema.find_column_name(field.field_id) or "", str(field.field_type)) for field in found]
    return list(_leaves(answer.fields, ""))


def _leaves(fields: Any, prefix: str) -> Iterator[tuple[str, str]]:
    for field in fields:
        if field.field_type.is_primitive:
            yield prefix + field.name, str(field.field_type)
        else:
            yield from _leaves(field.field_type.fields, f"{prefix}{field.name}.")
