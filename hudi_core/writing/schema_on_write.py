"""Batches converted to a table's schema before anything is written: the schema after the write, and reasons to refuse a batch.

Columns are matched by name. Columns that the table lacks are added to it, types that it can change to are taken. For columns that
a batch lacks see `batch_columns`, for types that it corrects `timestamp_types`. Rules: WRITE-1 to WRITE-4, WRITE-31,
WRITE-74, WRITE-1531.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from hudi_core.by_need import ModuleByNeed
from hudi_core.engine import Engine
from hudi_core.errors import RowError, SchemaError, UnsupportedError
from hudi_core.evolve.merge import Narrower, merge
from hudi_core.evolve.reconcile import Match, reconcile
from hudi_core.portable import Portable
from hudi_core.rows.exact_types import ExactTypes, align_schema
from hudi_core.rows.project import projection
from hudi_core.schema.meta import OPERATION, bare_schema
from hudi_core.schema.schema import ColumnPlace, Path, Schema
from hudi_core.types import nodes as t
from hudi_core.types.promote import CastLoss, Purpose, promotion
from hudi_core.types.text import text as type_text
from hudi_core.types.walk import walk
from hudi_core.writing.batch_columns import BatchColumns, find_kept_columns
from hudi_core.writing.map_keys import has_maps, refuse_repeated_map_keys
from hudi_core.writing.timestamp_types import correct_types

if TYPE_CHECKING:
    from hudi_core.writing import required_parts
else:
    required_parts = ModuleByNeed("hudi_core.writing.required_parts")  # few columns have such parts

_WITHOUT_FORM = t.Union | t.Vector
"""Types that base files of Apache Hudi's writers have no form for that this library writes."""

_NAN: Final = float("nan")
_TEXTS = t.String | t.Binary | t.Enumeration | t.Uuid
"""Types that a batch may turn to strings or bytes. Apache Hudi would turn numbers to strings too, for one wrong batch."""


_WRITING: Final = ("I", "U")
"""The operations of rows that are there afterwards."""


@dataclass(frozen=True)
class SchemaOnWrite(Portable):
    """How rows of one schema become rows of a table. `table` is the schema after the write, without the meta columns."""

    engine: Engine[Any, Any, Any]
    given: Schema
    """The schema of the incoming rows."""
    incoming: Schema
    """The same schema with the table's types where these differ in form alone."""
    table: Schema
    where: str
    changes_table: bool
    """The table's schema becomes another one."""
    notices: tuple[str, ...]
    """What users should know of the changes of the table's schema: the columns whose wider type rounds values."""
    kept: frozenset[int] = frozenset()
    """The columns that the batch lacks and whose stored values stay."""
    widened: tuple[Path, ...] = ()
    """The columns of integers that the batch makes ones of floating-point numbers, outside of arrays and maps."""

    def rows(self, batch: Any, first_row: int) -> Any:
        """The rows of a batch, of which the first has this number, as a column of structs of the table's schema.

        Raises `RowError` with the row and the column for a null in a required column or part of a column, for a row that was
        deleted, for a map that has a key twice and as `ExactTypes`,
        `SchemaError` for a value without a counterpart in the column's type.
        """
        values, rows = self.engine.values, self.engine.rows
        exact = ExactTypes(self.engine, self.given, self.incoming)
        given = rows.root(batch)
        self._refuse_deletes(given, first_row)
        for position in self._with_maps:
            column = self.given.fields[position]
            maps = rows.to_column(values.field(given, position), column.type, column.name)
            refuse_repeated_map_keys(maps, column.name, first_row)
        typed = exact.rows(given, first_row)
        for path in self.widened:
            self._refuse_missing(typed, path, first_row)
        root = self._project(typed)
        for position, column in enumerate(self.table.fields):
            if not column.optional:
                flags = rows.flags(values.is_null(values.field(root, position)))
                if flags.any():
                    raise RowError(first_row + int(flags.argmax()), expected="a value", found="null", path=column.name)
        for position in self._with_required_parts:
            column = self.table.fields[position]
            held = rows.to_column(values.field(root, position), column.type, column.name)
            required_parts.refuse_missing_parts(held, column.type, column.name, first_row)
        return root

    def _refuse_deletes(self, root: Any, first_row: int) -> None:
        """Raises `RowError` for a row that says of itself, in the column that is left out, that it is no row any more."""
        position = next((number for number, field in enumerate(self.given.fields) if field.name == OPERATION), None)
        if position is None:
            return
        values, rows = self.engine.values, self.engine.rows
        value, is_text = values.field(root, position), isinstance(self.given.fields[position].type, t.String)
        fitting = [values.is_null(value), *([values.one_of(value, _WRITING, t.String())] if is_text else [])]
        other = ~rows.flags(values.some(fitting, root))
        if other.any():
            expected = f"{' or '.join(_WRITING)}, or null, of a row to write"
            raise RowError(
                first_row + int(other.argmax()), expected=expected, found="another operation", path=OPERATION
            )

    def _refuse_missing(self, root: Any, path: Path, first_row: int) -> None:
        """Raises `RowError` for a row without a number: the column may be a floating-point one for the gap alone."""
        values, rows = self.engine.values, self.engine.rows
        value: Any = root
        data_type: t.Type = self.incoming.record
        for name in path:
            assert isinstance(data_type, t.Record)
            position = next(number for number, field in enumerate(data_type.fields) if field.name == name)
            value, data_type = values.field(value, position), data_type.fields[position].type
        missing = rows.flags(values.is_null(value)) | rows.flags(values.one_of(value, (_NAN,), data_type))
        if missing.any():
            expected = f"a number, as every row has where a batch widens a column to {type_text(data_type)}"
            raise RowError(first_row + int(missing.argmax()), expected=expected, found="none", path=".".join(path))

    @cached_property
    def _with_maps(self) -> tuple[int, ...]:
        """The positions of given columns with maps."""
        return tuple(position for position, field in enumerate(self.given.fields) if has_maps(field.type))

    @cached_property
    def _with_required_parts(self) -> tuple[int, ...]:
        """The positions of the table's columns that have required parts."""
        return tuple(position for position, field in enumerate(self.table.fields) if _has_required_parts(field.type))

    @cached_property
    def _project(self) -> Callable[[Any], Any]:
        return projection(reconcile(self.incoming, self.table, Match.NAME, relabels=False), self.engine.values)


def schema_on_write(
    engine: Engine[Any, Any, Any], table: Schema, incoming: Schema, where: str, columns: BatchColumns | None = None
) -> SchemaOnWrite:
    """The table's schema after a write of rows of `incoming`, and the way of the rows into it.

    Meta columns in either do not count: rows that were read from a table can be written to one. Raises `SchemaError` with
    the path for a type that the table's column cannot change to, for a required column that is missing, for a map whose keys
    are no strings, and as
    `find_kept_columns`, `UnsupportedError` for a type that is not written, and as `correct_types`.
    """
    given, columns = incoming, columns or BatchColumns()
    stored = bare_schema(table)
    bare_table = correct_types(stored, given, columns.times)
    incoming = align_schema(given, bare_table, whole=columns.whole)
    bare = bare_schema(incoming)
    for path, column in walk(bare.record):
        if isinstance(column.type, t.Map) and not isinstance(column.type.key.type, t.String):
            found = type_text(column.type.key.type)
            raise SchemaError(".".join(path), expected="string keys of a map", found=found)
    kept = find_kept_columns(bare_table, bare, columns)
    merged = merge(bare_table, bare, narrower=Narrower.KEEP)
    for path, column in walk(merged.record):
        if (
            isinstance(column.type, _WITHOUT_FORM)
            or _is_empty(column.type)
            or _is_too_long(column.type, bare_table.find(path))
        ):
            raise UnsupportedError(
                f"{where}: {'.'.join(path)}", expected="a type that can be written", found=type_text(column.type)
            )
    notices = tuple(_type_changes(bare_table, merged))
    reconcile(incoming, merged, Match.NAME, relabels=False)
    widened = tuple(_find_widened(bare.record, bare_table.record))
    return SchemaOnWrite(engine, given, incoming, merged, where, merged != stored, notices, kept, widened)


def _is_empty(data_type: t.Type) -> bool:
    """A struct without parts, or bytes of a fixed length that is 0, which Parquet has not."""
    if isinstance(data_type, t.Fixed):
        return data_type.size < 1
    return isinstance(data_type, t.Record) and not data_type.fields


def _is_too_long(data_type: t.Type, known: ColumnPlace | None) -> bool:
    """A decimal of more digits than readers of Apache Hudi's have, unless the table has it already."""
    is_long = isinstance(data_type, t.Decimal) and data_type.precision > t.LONGEST_DECIMAL
    return is_long and (known is None or known.field.type != data_type)


def _find_widened(rows: t.Record, table: t.Record, path: Path = ()) -> Iterator[Path]:
    others = {field.name: field.type for field in table.fields}
    for field in rows.fields:
        match field.type, others.get(field.name):
            case t.Float() | t.Double(), t.Int() | t.Long():
                yield (*path, field.name)
            case t.Record() as nested, t.Record() as stored:
                yield from _find_widened(nested, stored, (*path, field.name))


def _type_changes(before: Schema, after: Schema) -> Iterator[str]:
    """A batch widens a column, as readers of older files do too. Other changes of its type need a schema change.

    Gives a notice for each wider type that rounds values that the column may hold.
    """
    for column_id, place in before.places.items():
        had, has = place.field.type, after.place(column_id).field.type
        if isinstance(had, t.Nested) or isinstance(has, t.Nested) or had == has:
            continue
        to_text = isinstance(has, t.String | t.Binary) and not isinstance(had, _TEXTS)
        widening = promotion(had, has, Purpose.WRITE)
        if to_text or widening is None:
            raise SchemaError(
                ".".join(place.path), expected=f"values of the column's type {type_text(had)}", found=type_text(has)
            )
        if widening.loss is CastLoss.LOSSY:
            yield f"{'.'.join(place.path)}: the batch widens {type_text(had)} to {type_text(has)}, which rounds large values"


def _has_required_parts(data_type: t.Type) -> bool:
    """Whether a value of a type, at any depth, has a part that is never null, as fields, elements and values of maps may be. Keys
    do not count: none is null."""
    parts = (data_type.value,) if isinstance(data_type, t.Map) else t.children(data_type)
    whole = isinstance(data_type, t.Union)  # its branches are the value itself
    return any(not (part.optional or whole) or _has_required_parts(part.type) for part in parts)
