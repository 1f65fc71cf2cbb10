"""The schema in the footer of a base file: Arrow's types, and the Avro schema that Hudi's writers leave there. What is worked out
of them is worked out once for files alike."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.parquet as pq

from hudi_arrow.arrays import Array, decodable, plain
from hudi_arrow.types import EXTRAS, schema_from_arrow, to_arrow, with_inner_types
from hudi_core.avro.inbound import schema_from_avro
from hudi_core.by_need import ModuleByNeed
from hudi_core.errors import CorruptFileError, SchemaError, UnknownColumnError
from hudi_core.formats.parquet.statistics import SPARK_VERSION, Leaf, counts_in_old_calendar, leaf_numbers, leaves
from hudi_core.formats.parquet.thrift import LIST, raw_fields
from hudi_core.schema.project import project
from hudi_core.schema.schema import Path, Schema
from hudi_core.types import nodes as t
from hudi_core.types.walk import with_children

if TYPE_CHECKING:
    from hudi_core.formats.parquet import calendars
    from hudi_core.formats.parquet.calendars import OldCalendar
else:
    calendars = ModuleByNeed("hudi_core.formats.parquet.calendars")  # for files in another calendar

AVRO_SCHEMA_KEYS = ("parquet.avro.schema", "orc.avro.schema")
INT96: Final = pa.timestamp("us", "UTC")
"""The type of INT96: Spark and Hive write instants there."""
_NOTES: Final = (b"ARROW:schema", EXTRAS, *(key.encode() for key in AVRO_SCHEMA_KEYS))
"""The keys of a file's metadata that determine its schema."""
_KNOWN: Final = deque[tuple[bytes, Sequence[bytes | None], "Schemas"]](maxlen=8)
"""The schemas of the files that were opened last, each with how their footers begin: files of a table share a few."""


@dataclass(frozen=True, eq=False)
class FileColumns:
    """The columns of files of one schema: what is worked out of it is worked out once."""

    schema: Schema

    @cached_property
    def leaves(self) -> Mapping[Path, Leaf]:
        return leaves(self.schema.record)

    def select(self, columns: Sequence[str | Path] | None, where: str) -> ChosenColumns:
        """Some columns or parts of them, None for all. Raises `UnknownColumnError` for one not there."""
        try:
            return _choose(self, None if columns is None else tuple(columns))
        except UnknownColumnError as error:
            raise UnknownColumnError(where, expected=error.expected, found=error.found) from None


@dataclass(frozen=True, eq=False)
class ChosenColumns:
    """The types of batches of some columns of a file, and for each column the numbers of the leaves below it."""

    types: pa.Schema
    leaves: Sequence[Sequence[int]]


Schemas = tuple[pa.Schema, FileColumns]
"""The types that pyarrow gives the columns of a file, and what is worked out of them."""


def texts(metadata: Mapping[bytes, bytes] | None) -> dict[str, str]:
    """Key-value metadata as texts; bytes that are no UTF-8 are replaced, since what Hudi reads there is ASCII."""
    return {key.decode("utf-8", "replace"): value.decode("utf-8", "replace") for key, value in (metadata or {}).items()}


def file_schema(arrow: pa.Schema, metadata: Mapping[str, str], where: str) -> Schema:
    """The schema of a file, as `file_columns` has it."""
    return file_columns(arrow, metadata, where).schema


def file_columns(arrow: pa.Schema, metadata: Mapping[str, str], where: str) -> FileColumns:
    """The columns of a file: their types, made more exact by its Avro schema where that agrees with them.

    So an enumeration stays one, and names and docs are kept. Raises `CorruptFileError` for an Avro schema that is none, and
    `SchemaError` for columns that hold no values of ours.
    """
    key = next((key for key in AVRO_SCHEMA_KEYS if key in metadata), None)
    avro_text = None if key is None else metadata[key]
    own = (arrow.metadata or {}).get(EXTRAS)
    bare = arrow.with_metadata({EXTRAS: own} if own else None)
    try:
        return _file_columns(bare.serialize().to_pybytes(), avro_text)
    except SchemaError as error:
        schema_from_arrow(bare, where)  # again, for an error with the place
        raise CorruptFileError(where, expected=f"an Avro schema as {key}", found=str(error)) from error


@lru_cache(maxsize=64)
def _file_columns(arrow: bytes, avro_text: str | None) -> FileColumns:
    """Files of one commit share their schema, and so the making of it. `arrow` is Arrow's schema in bytes: few versions hash
    one."""
    return FileColumns(_file_schema(pa.ipc.read_schema(pa.py_buffer(arrow)), avro_text))


def _file_schema(arrow: pa.Schema, avro_text: str | None) -> Schema:
    if any(map(_has_null, arrow.types)):
        arrow = pa.schema([field.with_type(_without_null(field.type)) for field in arrow], arrow.metadata)
    schema = schema_from_arrow(arrow).value
    if avro_text is None:
        return schema
    record = _refine(schema.record, schema_from_avro(avro_text).record)
    assert isinstance(record, t.Record)
    return Schema(record, schema.version, schema.max_column_id)


def _has_null(kind: pa.DataType) -> bool:
    """Whether Arrow's null type is in the type: that of columns of which a writer saw nothing but nulls."""
    return pa.types.is_null(kind) or any(_has_null(kind.field(number).type) for number in range(kind.num_fields))


def _without_null(kind: pa.DataType) -> pa.DataType:
    """The type with integers in the place of nulls: Parquet stores them so, and most types can be read from them."""
    if pa.types.is_null(kind):
        return pa.int32()
    if not _has_null(kind):
        return kind
    return with_inner_types(kind, _without_null)


def parquet_schemas(footer: bytes, metadata: pq.FileMetaData, noted: Mapping[bytes, bytes], where: str) -> Schemas:
    """The schemas of a file by the bytes of its footer; `noted` are its key-value pairs. Raises as `file_columns`. Safe in
    threads."""
    notes = [noted.get(key) for key in _NOTES]
    for beginning, known_notes, known in tuple(_KNOWN):
        if footer.startswith(beginning) and known_notes == notes:
            return known
    made = _schemas(metadata, noted, where)
    beginning = _schema_bytes(footer)
    if beginning:
        _KNOWN.append((beginning, notes, made))
    return made


def _schema_bytes(footer: bytes) -> bytes:
    """The footer as far as its list of columns reaches: nothing where that is not its second field, as all writers have it.

    Schemas of pyarrow are equal where the names above the leaves differ.
    """
    try:
        (first, _, version), (second, kind, columns) = islice(raw_fields(footer), 2)
    except (IndexError, KeyError, ValueError):  # damage, which readers of the damaged part report
        return b""
    if (first, second, kind) != (1, 2, LIST):
        return b""
    return footer[: 2 + len(version) + len(columns)]


def _schemas(metadata: pq.FileMetaData, noted: Mapping[bytes, bytes], where: str) -> Schemas:
    arrow = metadata.schema.to_arrow_schema()
    if any(map(_has_nanos, arrow.types)):
        arrow = without_int96(arrow, metadata.schema)
    stored = arrow.with_metadata({EXTRAS: noted[EXTRAS]} if EXTRAS in noted else None)
    return stored, file_columns(stored, texts(noted), where)


def read_calendar(pairs: Mapping[str, str], metadata: pq.FileMetaData) -> OldCalendar | None:
    """The calendar in which a file counts days and instants, by its key-value pairs; None for the proleptic Gregorian one."""
    if SPARK_VERSION not in pairs:
        return None
    int96 = any(metadata.schema.column(n).physical_type == "INT96" for n in range(metadata.num_columns))
    return calendars.old_calendar(pairs, int96=int96) if any(counts_in_old_calendar(pairs, int96=int96)) else None


def without_int96(arrow: pa.Schema, stored: pq.ParquetSchema) -> pa.Schema:
    """The types of columns with instants where the file has INT96."""
    physical = iter([stored.column(number).physical_type for number in range(len(stored))])
    return pa.schema([field.with_type(_without_int96(field.type, physical)) for field in arrow])


def _has_nanos(type: pa.DataType) -> bool:
    """Whether there are timestamps of nanoseconds in the type, which pyarrow makes of INT96 by default."""
    if pa.types.is_timestamp(type):
        return bool(type.unit == "ns")
    return any(_has_nanos(type.field(number).type) for number in range(type.num_fields))


def _without_int96(type: pa.DataType, physical: Iterator[str]) -> pa.DataType:
    """The type with instants where the file has INT96; `physical` gives the types of its leaves in order."""
    if isinstance(type, pa.BaseExtensionType) or type.num_fields == 0:
        return INT96 if next(physical, "") == "INT96" else type
    return with_inner_types(type, lambda inner: _without_int96(inner, physical))


def select_columns(schema: Schema, columns: Sequence[str | Path] | None, where: str) -> Schema:
    """The schema with some columns or parts of them, in the file's order. Raises `UnknownColumnError` for one not there."""
    return schema if columns is None else project(schema, _paths(schema, columns, where))


@lru_cache(maxsize=256)
def _choose(columns: FileColumns, wanted: tuple[str | Path, ...] | None) -> ChosenColumns:
    schema = select_columns(columns.schema, wanted, "")
    return ChosenColumns(arrow_types(schema), leaf_numbers(columns.schema.record, schema.record))


def _paths(schema: Schema, columns: Sequence[str | Path], where: str) -> tuple[Path, ...]:
    paths = tuple((column,) if isinstance(column, str) else tuple(column) for column in columns)
    missing = next((path for path in paths if path not in schema.ids), None)
    if missing is not None:
        names = ", ".join(sorted(field.name for field in schema.fields))
        raise UnknownColumnError(where, expected=f"a column {'.'.join(missing)}", found=f"only {names}")
    return paths


def arrow_types(schema: Schema) -> pa.Schema:
    """The types of batches of these columns."""
    return pa.schema([pa.field(field.name, to_arrow(field.type), field.optional) for field in schema.fields])


def cast_batch(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The columns of the schema in its types. Files of one table store the same values in several of Arrow's types."""
    if not schema.names:
        return pa.RecordBatch.from_struct_array(
            pa.Array.from_buffers(pa.struct([]), batch.num_rows, [None], children=[])
        )
    if batch.schema.equals(schema):
        return batch
    arrays = [cast_column(batch.column(name), kind) for name, kind in zip(schema.names, schema.types, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def cast_column(array: Array, kind: pa.DataType) -> Array:
    """The values in this type of Arrow's, which may be another one for the same values."""
    array = plain(array)
    return array if array.type == kind else decodable(array).cast(kind)


def _refine(stored: t.Type, noted: t.Type) -> t.Type:
    """The noted type, in every place where its values are stored as those of the stored type."""
    if isinstance(stored, t.Nested) or isinstance(noted, t.Nested):
        inner, noted_fields = t.children(stored), t.children(noted)
        if type(stored) is not type(noted) or [f.name for f in inner] != [f.name for f in noted_fields]:
            return stored
        fields = tuple(
            replace(
                noted_field,
                id=field.id,
                type=_refine(field.type, noted_field.type),
                optional=field.optional or noted_field.optional,
            )
            for field, noted_field in zip(inner, noted_fields, strict=True)
        )
        return with_children(noted, fields)
    return noted if to_arrow(noted) == to_arrow(stored) else stored
