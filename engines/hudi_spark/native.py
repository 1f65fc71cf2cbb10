"""Slices that Spark's own Parquet reader can read: one plan for all files of one schema, projection and predicate as columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote, urlsplit

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType

from hudi_core.evolve.reconcile import (
    AsStored,
    Convert,
    Default,
    IntoUnion,
    Keep,
    Null,
    OutOfUnion,
    ReadArray,
    Reading,
    ReadMap,
    ReadRecord,
    ReadUnion,
    Relabel,
    reconcile,
)
from hudi_core.reading.base_files import BaseFiles, FilePlan
from hudi_core.reading.file_schemas import NO_SCHEMA, FileSchemas
from hudi_core.reading.remote import SliceRead
from hudi_core.reading.selection import Selection
from hudi_core.rows.project import projection
from hudi_core.rows.truth import is_true
from hudi_core.schema.schema import Schema
from hudi_core.timeline.slices import FileSlice
from hudi_core.types import nodes as t
from hudi_core.types.disguised import is_whole_variant
from hudi_core.types.walk import walk
from hudi_spark.casts import is_native
from hudi_spark.cells import Cell, record
from hudi_spark.relations import FileRelation, Read, Relations, own_reader, quote, relations_of
from hudi_spark.structs import bare_struct, nullable_struct, spark_type
from hudi_spark.values import SparkValues

VALUES = SparkValues()
_LEAVES = (t.Boolean, t.Int, t.Long, t.Float, t.Double, t.Date, t.String, t.Binary, t.Enumeration)
"""Types that Spark reads from Parquet as the core does, each in one way."""
_INT96_MOVES = "spark.sql.parquet.int96TimestampConversion"
_MAX_FORMS = 256
K = TypeVar("K")
V = TypeVar("V")


@dataclass(slots=True)
class FileSet:
    """Slices whose files have one schema, read as the same wanted rows."""

    reading: FilePlan
    filtered: bool
    slices: list[FileSlice] = field(default_factory=list)


@dataclass(frozen=True)
class NativePlan:
    """How Spark reads files of one schema as wanted rows."""

    read: Read
    stored: t.Record
    """The columns that are read."""
    needed: Callable[[Cell], Cell]
    """Rows as the predicate looks at them, of those columns."""
    wanted: Cell
    """Rows as they are wanted, of the columns of a DataFrame."""
    exact: bool
    """What is read has the wanted types and metadata."""

    def predicate_rows(self, files: FileRelation) -> Cell:
        """Rows of files as the predicate looks at them."""
        return self.needed(_columns(self.stored, files.column))


@dataclass(frozen=True)
class NativePlans:
    """What reading through Spark needs whatever the table, its files and the predicate. Each piece of it is a call to the JVM, or
    a text that is parsed there, so a session keeps it: tables are opened again and again."""

    spark: SparkSession
    relations: Relations | None
    _formed: dict[tuple[t.Record, t.Record, t.Record], NativePlan] = field(default_factory=dict)
    """By the types of what is stored, needed and wanted."""
    _structs: dict[t.Record, StructType] = field(default_factory=dict)

    def form(self, reading: FilePlan, needed: Schema, wanted: Schema) -> NativePlan:
        """The form of files that are read as `needed` by the plan of `reading`."""
        stored = reading.stored
        key = (stored.record, needed.record, wanted.record)
        if key not in self._formed:
            rows = projection(reading.plan, VALUES)
            named = rows(_columns(stored.record, lambda position: F.col(quote(stored.fields[position].name))))
            chosen = named if needed is wanted else projection(reconcile(needed, wanted), VALUES)(named)
            _keep(self._formed, key, self._form(stored, wanted, rows, chosen))
        return self._formed[key]

    def _form(self, stored: Schema, wanted: Schema, rows: Callable[[Cell], Cell], chosen: Cell) -> NativePlan:
        relations, struct = self.relations, bare_struct(stored)
        exact = relations is not None and _is_as_stored(stored, wanted, chosen)
        if exact:
            struct = _with_metadata(struct, self.struct(wanted))
        read = own_reader(self.spark, struct) if relations is None else relations.reader(struct)
        return NativePlan(read, stored.record, rows, chosen, exact)

    @property
    def moves_int96(self) -> bool:
        """Whether the session's reader moves times of INT96 by its zone, in files of writers other than parquet-mr."""
        return str(self.spark.conf.get(_INT96_MOVES, "false")).lower() == "true"

    def tasks(self, count: int, size: int | None) -> DataFrame:
        """The numbers of tasks whose rows have this many bytes, None where that is unknown: see `Relations.tasks`."""
        if self.relations is None:
            return self.spark.range(0, count, 1, max(count, 1))
        return self.relations.tasks(count, size)

    def struct(self, schema: Schema) -> StructType:
        """The fields of DataFrames of a schema."""
        if schema.record not in self._structs:
            _keep(self._structs, schema.record, nullable_struct(schema))
        return self._structs[schema.record]


def _keep(known: dict[K, V], key: K, value: V) -> None:
    if len(known) >= _MAX_FORMS:
        known.clear()
    known[key] = value


@lru_cache(maxsize=4)
def forms_of(spark: SparkSession) -> NativePlans:
    """The forms that a session keeps."""
    return NativePlans(spark, relations_of(spark))


class NativeReading:
    """The parts of a scan that Spark's own reader takes, by groups, and their rows."""

    def __init__(self, files: BaseFiles, wanted: Selection, *, moves_int96: bool = False) -> None:
        self._files, self._wanted, self._moves_int96 = files, wanted, moves_int96

    def groups(self, parts: Sequence[SliceRead], stored: FileSchemas) -> tuple[list[FileSet], list[SliceRead]]:
        """The parts that Spark's reader takes, in groups that one plan reads, and the other parts."""
        groups: dict[tuple[int, bool], FileSet | None] = {}
        others = []
        for part, index in zip(parts, stored.indexes.tolist(), strict=True):
            key = (index, part.filtered)
            if key not in groups:
                groups[key] = None if index == NO_SCHEMA else self._group(stored.schemas[index], part.filtered)
            group = groups[key]
            if group is None:
                others.append(part)
            else:
                group.slices.append(part.slice)
        return [group for group in groups.values() if group is not None], others

    def _group(self, stored: Schema, filtered: bool) -> FileSet | None:
        """A group of files of this schema; None where Spark's reader does not give their very rows."""
        reading = self._files.plan_of(stored, self._wanted.schema_to_read(filtered=filtered))
        able = _is_able(reading) and not (self._moves_int96 and _may_be_int96(reading.stored))
        return FileSet(reading, filtered) if able else None

    def rows(self, forms: NativePlans, group: FileSet) -> DataFrame:
        """The group's matching rows as the wanted columns, with their metadata."""
        wanted, needed = self._wanted.schema, self._wanted.schema_to_read(filtered=group.filtered)
        form = forms.form(group.reading, needed, wanted)
        root_uri = self._files.sources.snapshot.storage.uri
        files = form.read(
            {
                _uri(root_uri, file_slice.base.path): file_slice.base.size
                for file_slice in group.slices
                if file_slice.base
            }
        )
        condition = (
            is_true(self._wanted.predicate, VALUES, form.predicate_rows(files), needed).plan if group.filtered else None
        )
        selected = _select(files.rows(condition), form, wanted)
        return selected if form.exact else selected.to(forms.struct(wanted))


def _columns(record_type: t.Record, column: Callable[[int], Column]) -> Cell:
    """Rows of columns by their positions."""
    return record(
        [(f.name, _column(f, column, position)) for position, f in enumerate(record_type.fields)], record_type
    )


def _column(field: t.Field, column: Callable[[int], Column], position: int) -> Cell:
    return Cell(lambda: column(position), field.type, name=field.name)


def _is_as_stored(stored: Schema, wanted: Schema, chosen: Cell) -> bool:
    """The wanted columns are columns of the files, with their names and types."""
    assert chosen.parts is not None
    kinds = {f.name: f.type for f in stored.fields}
    return all(
        cell.name == f.name and spark_type(kinds[f.name]) == spark_type(f.type)
        for f, cell in zip(wanted.fields, chosen.parts, strict=True)
    )


def _with_metadata(bare: StructType, wanted: StructType) -> StructType:
    """The columns of `bare`, the wanted ones among them as they are wanted."""
    chosen: dict[str, StructField] = {field.name: field for field in wanted.fields}
    return StructType([chosen.get(field.name, field) for field in bare.fields])


def _select(frame: DataFrame, form: NativePlan, schema: Schema) -> DataFrame:
    """The wanted columns of the rows, named as in the schema; what is in the frame as it is wanted is not touched."""
    parts = form.wanted.parts
    assert parts is not None
    names = [f.name for f in schema.fields]
    if [cell.name for cell in parts] != names:
        return frame.select(*[cell.plan.alias(name) for cell, name in zip(parts, names, strict=True)])
    stored = [f.name for f in form.stored.fields]
    return frame if names == stored else frame.selectExpr(*map(quote, names))


def _is_able(reading: FilePlan) -> bool:
    """Spark's reader gives the stored columns as they are, and Spark has all that the plan makes of them."""
    stored = reading.stored
    names = [f.name.lower() for f in stored.fields]
    wanted = [f.name.lower() for f in reading.schemas[1].fields]
    distinct = len(set(names)) == len(names) and len(set(wanted)) == len(wanted)
    # In plans a variant is a struct of its parts, in rows it is Spark's own type where there is one.
    variants = any(is_whole_variant(f.type) for _, f in walk(reading.schemas[1].record))
    able = distinct and bool(stored.fields) and not variants
    return able and _is_readable(stored.record) and _has_columns(reading.plan)


def _may_be_int96(stored: Schema) -> bool:
    """Whether columns may be stored as INT96, of which a schema does not say more than that they are instants."""
    return any(f.type == t.Timestamp(t.Unit.MICROS, zoned=True) for _, f in walk(stored.record))


def _is_readable(type: t.Type) -> bool:
    match type:
        case t.Record(fields, kind=t.RecordKind.PLAIN):
            names = {f.name.lower() for f in fields}
            return bool(fields) and len(names) == len(fields) and all(_is_readable(f.type) for f in fields)
        case t.Array() | t.Map():
            return all(_is_readable(inner.type) for inner in t.children(type))
        case t.Decimal(precision):
            return precision <= 38
        case t.Timestamp(unit):
            return unit is not t.Unit.NANOS
        case t.Uuid(fixed):
            return fixed is None
        case _:
            return isinstance(type, _LEAVES)


def _has_columns(plan: Reading) -> bool:
    """Every conversion in a plan is one of Spark's own."""
    match plan:
        case AsStored() | Relabel():
            return True
        case Convert(source, to):
            return is_native(source, to)
        case ReadRecord(fields=sources):
            return all(
                _has_columns(source.reading) if isinstance(source, Keep) else isinstance(source, Default | Null)
                for source in sources
            )
        case ReadArray(element=inner) | ReadMap(value=inner):
            return _has_columns(inner)
        case ReadUnion() | IntoUnion() | OutOfUnion():
            return False


def _uri(root: str, path: str) -> str:
    """A file's URI as Hadoop reads it, which undoes no percent escapes; without a scheme Spark would take its default one."""
    parts = urlsplit(root)
    if parts.scheme == "file":
        root = unquote(parts.path)
    whole = f"{root.rstrip('/')}/{path}"
    return whole if "://" in root else f"file://{Path(whole).absolute()}"
