"""Rows in the forms that people have them in, as one Arrow stream. Rules ROWS-690, ROWS-1452.

    an object with `__arrow_c_stream__`   tables of pyarrow, pandas and Polars, relations of DuckDB, scans
    a lazy frame of Polars                collected batch after batch
    a dataset or scanner of pyarrow       scanned batch after batch; `Table.to_dataset` too
    dictionaries, a row each              a list or any other iterable of them
    a dictionary of columns               lists or arrays of one length
    an iterable of any of the first       batches, frames

Values of Python take the type of the table's column of their name, exactly (`python_values`); in a column that the table
does not have, pyarrow guesses the type. What is iterated is taken as it comes, a batch at a time.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from types import GeneratorType
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from hudi_arrow.incoming.gaps import refuse_gaps
from hudi_arrow.incoming.lossless import (
    UNKNOWN,
    refuse_lost_objects,
    refuse_other_kinds,
    refuse_unknown_types,
)
from hudi_arrow.incoming.python_values import WRONG, exact_array, wrong_batch
from hudi_arrow.types import has_parts
from hudi_core.by_need import ModuleByNeed
from hudi_core.errors import RowError, UsageError, describe
from hudi_core.json_texts import parse_json

if TYPE_CHECKING:
    from hudi_arrow.incoming import frames, misfits
else:
    frames = ModuleByNeed("hudi_arrow.incoming.frames")  # for frames of pandas
    misfits = ModuleByNeed("hudi_arrow.incoming.misfits")  # for errors alone

PANDAS: Final = b"pandas"
"""The metadata of Arrow schemas that were made of frames."""
_UNNAMED: Final = re.compile("__index_level_[0-9]+__")
_BATCH_ROWS = 65_536
_NONE = object()
_EXPECTED = "an object with __arrow_c_stream__, a lazy frame, a dataset, dictionaries, or an iterable of these"

Types = Mapping[str, pa.DataType]


def stream_of(data: object, types: Types, *, whole: bool = False) -> pa.RecordBatchReader:
    """The rows as a stream. Raises `UsageError` for what has none of these forms, `RowError` for a value of another type and,
    if `whole`, for a dictionary that lacks a part which others have."""
    if hasattr(data, "__arrow_c_stream__"):
        return _open(data, types, whole=whole)
    if hasattr(data, "collect_batches"):  # a lazy frame
        return stream_of(data.collect_batches(), types, whole=whole)
    if hasattr(data, "scanner"):  # a dataset
        return stream_of(data.scanner(), types, whole=whole)
    if hasattr(data, "to_reader"):  # a scanner
        return _open(data.to_reader(), types, whole=whole)
    if isinstance(data, Mapping):
        return _columns(data, types, whole).to_reader()
    if isinstance(data, str | bytes) or not isinstance(data, Iterable):
        raise UsageError("rows", expected=_EXPECTED, found=describe(data))
    if isinstance(data, GeneratorType) and data.gi_frame is None:
        raise UsageError("rows", expected="a generator that has not ended", found="one whose rows were read before")
    items = iter(data)
    first = next(items, _NONE)
    rest = chain([first], items)
    if first is _NONE:
        return pa.schema(types.items()).empty_table().to_reader()
    if isinstance(first, Mapping):
        return _chain(_batches_of_dictionaries(rest, types, whole))
    if hasattr(first, "__arrow_c_stream__"):
        return _chain(batch for part in rest for batch in _open(part, types, whole=whole))
    raise UsageError("rows", expected=_EXPECTED, found=f"an iterable of {describe(first)}")


def _open(data: object, types: Types, *, whole: bool) -> pa.RecordBatchReader:
    if not hasattr(data, "__arrow_c_stream__"):
        raise UsageError("rows", expected="a batch, as the first item is one", found=describe(data))
    library = _library(data)
    if library in UNKNOWN:
        refuse_unknown_types(data, library)
    if library == "pandas" and frames.is_frame(data):
        return _open_frame(data, types, whole)
    try:
        reader = pa.RecordBatchReader.from_stream(data)
    except WRONG as error:  # pandas makes its columns only here
        raise misfits.frame_misfit(data, error) from error
    return reader


def _open_frame(given: Any, types: Types, whole: bool) -> pa.RecordBatchReader:
    """A frame of pandas; columns of objects with parts have the table's types, as values of Python have."""
    frame = frames.with_index(given)
    parted = frames.find_parted(frame, types)
    others = frame.drop(columns=list(parted)) if parted else frame
    try:
        reader = pa.RecordBatchReader.from_stream(others)
    except WRONG as error:
        raise misfits.frame_misfit(others, error) from error
    refuse_lost_objects(others, reader.schema)
    _refuse_unnamed_index(reader.schema)
    objects = {name: frames.plain_values(frame[name], kind, name) for name, kind in parted.items()}
    if whole:
        new = [field for field in reader.schema if field.name in others.columns and has_parts(field.type)]
        _refuse_gaps_in(
            {field.name: frames.plain_values(frame[field.name], None) for field in new}, reader.schema, types
        )
    if not parted:
        return reader
    made = _columns(objects, types, whole)
    table = reader.read_all()
    if not table.num_columns:
        return made.to_reader()
    for name in parted:
        table = table.add_column(frame.columns.get_loc(name), name, made.column(name))
    return table.to_reader()


def row_numbers(schema: pa.Schema) -> list[str]:
    """The columns that pandas made of row numbers, which an index without a name has after a frame's rows were chosen."""
    return [name for name in _find_unnamed_index(schema) if pa.types.is_integer(schema.field(name).type)]


def _refuse_unnamed_index(schema: pa.Schema) -> None:
    """Raises `UsageError` for an index without a name whose values are no row numbers."""
    numbers = row_numbers(schema)
    kind = next((schema.field(name).type for name in _find_unnamed_index(schema) if name not in numbers), None)
    if kind is not None:
        expected = "a name of the frame's index (rename_axis), or none that counts (reset_index(drop=True))"
        raise UsageError("rows", expected=expected, found=f"an index of {kind} without a name")


def _find_unnamed_index(schema: pa.Schema) -> list[str]:
    return [name for name in index_columns(schema) if _UNNAMED.fullmatch(name)]


def index_columns(schema: pa.Schema) -> list[str]:
    """The columns that pandas made of the index of a frame."""
    if PANDAS not in (schema.metadata or {}):
        return []
    try:
        stated = parse_json(schema.metadata[PANDAS])
    except ValueError:  # other libraries write what they like there: then no column is one of an index
        return []
    index = stated.get("index_columns") if isinstance(stated, dict) else None
    names = index if isinstance(index, list) else []
    return [name for name in names if isinstance(name, str) and name in schema.names]


def _chain(batches: Iterator[pa.RecordBatch]) -> pa.RecordBatchReader:
    """Batches as a stream of the first one's columns; `UsageError` for a later one with others."""
    first = next(batches, None)
    if first is None:
        raise UsageError("rows", expected="at least one column", found="none")
    schema = first.schema

    def alike() -> Iterator[pa.RecordBatch]:
        yield first
        for batch in batches:
            if batch.schema.names != schema.names:
                raise UsageError(
                    "rows",
                    expected=f"the first batch's columns, {', '.join(schema.names)}",
                    found=", ".join(batch.schema.names),
                )
            refuse_other_kinds(batch.schema, schema)
            try:
                yield batch if batch.schema.equals(schema) else batch.cast(schema)
            except pa.ArrowException as problem:
                raise wrong_batch(problem) from problem

    return pa.RecordBatchReader.from_batches(schema, alike())


def _batches_of_dictionaries(rows: Iterator[Any], types: Types, whole: bool) -> Iterator[pa.RecordBatch]:
    """Columns are those of the first batch; a row that lacks one has a null in it, unless rows are `whole`."""
    names: list[str] | None = None
    known, start = dict(types), 0
    while block := list(islice(rows, _BATCH_ROWS)):
        wrong = next((number for number, row in enumerate(block) if not isinstance(row, Mapping)), None)
        if wrong is not None:
            raise RowError(start + wrong, expected="a dictionary", found=describe(block[wrong]), path="rows")
        in_block = list(dict.fromkeys(name for row in block for name in row))
        if names is None:
            names = in_block
        elif not set(in_block) <= set(names):
            new = next(name for name in in_block if name not in names)
            number = next(number for number, row in enumerate(block) if new in row)
            raise RowError(
                start + number, expected=f"columns of the first {_BATCH_ROWS:,} rows", found=repr(new), path="rows"
            )
        arrays = [_array(name, [row.get(name) for row in block], known.get(name), start) for name in names]
        batch = pa.RecordBatch.from_arrays(arrays, names)
        if whole:
            columns = {name: types.get(name, batch.schema.field(name).type) for name in names}
            refuse_gaps(list(enumerate(block, start)), columns, "rows")
        known |= {field.name: field.type for field in batch.schema if not pa.types.is_null(field.type)}
        yield batch
        start += len(block)


def _columns(data: Mapping[Any, Any], types: Types, whole: bool) -> pa.Table:
    _refuse_other_index(data)
    arrays = [_array(name, values, types.get(name), 0) for name, values in data.items()]
    lengths = {name: len(array) for name, array in zip(data, arrays, strict=True)}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{length:,} of {name}" for name, length in lengths.items())
        raise UsageError("rows", expected="columns of one length", found=found)
    table = pa.table(arrays, names=list(data))
    if whole:
        _refuse_gaps_in(data, table.schema, types)
    return table


def _refuse_other_index(data: Mapping[Any, Any]) -> None:
    """Raises `UsageError` for columns of pandas whose rows have other labels than those of the first: a frame would put a value
    beside those of its label, and Arrow those of one place. Rule ROWS-1522."""
    columns = [
        (name, values.index)
        for name, values in data.items()
        if _library(values) == "pandas" and hasattr(values, "iloc")
    ]
    for name, index in columns[1:]:
        first, labels = columns[0]
        if not index.equals(labels):
            found = f"those of {first} and others of {name}"
            expected = "the same labels of rows in all columns of pandas, or columns without (.array)"
            raise UsageError("rows", expected=expected, found=found)


def _library(data: object) -> str:
    return type(data).__module__.partition(".")[0].lstrip("_")


def _refuse_gaps_in(data: Mapping[str, Any], schema: pa.Schema, types: Types) -> None:
    for name, values in data.items():
        kind = types.get(name, schema.field(name).type)
        if pa.types.is_nested(kind) and not isinstance(values, pa.Array | pa.ChunkedArray):
            refuse_gaps([(number, {name: value}) for number, value in enumerate(values)], {name: kind}, "rows")


def _array(name: object, values: Any, type: pa.DataType | None, start: int) -> pa.Array:
    if not isinstance(name, str):
        raise UsageError("rows", expected="names of columns as strings", found=describe(name))
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise UsageError(f"rows: {name}", expected="a list of values", found=describe(values))
    values = _as_column(name, values, type)
    try:
        array = exact_array(name, values, type, start)
    except RowError:
        raise
    except WRONG as problem:
        known = misfits.without_pandas_nulls(values) if isinstance(values, Sequence) else None
        if known is not None:
            return _array(name, known, type, start)
        raise _wrong_value(name, values, type, start) or misfits.misfit(name, values, start, problem) from problem
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _as_column(name: str, values: Iterable[Any], kind: pa.DataType | None) -> Any:
    """The values as pyarrow takes them, which looks at them several times. An array of NumPy or of pandas with a type keeps it
    where none is stated; else its values are those of Python, with nulls as in a frame. Raises `UsageError` for a set: which
    row has which of its values?"""
    if isinstance(values, set | frozenset):
        raise UsageError(f"rows: {name}", expected="a list of values, in the order of the rows", found=describe(values))
    dtype = getattr(values, "dtype", None)
    library = type(values).__module__.partition(".")[0]
    if library in ("numpy", "pandas") and str(dtype) != "object" and getattr(values, "ndim", 0) == 1:
        with suppress(*WRONG):
            typed = pa.array(values)
            return typed if kind is None else typed.to_pylist()
    if isinstance(values, Iterator) or (isinstance(values, Collection) and not isinstance(values, Sequence)):
        return list(values)
    return values


def _wrong_value(name: str, values: Any, type: pa.DataType | None, start: int) -> RowError | None:
    """The error of the first value that is not of the type; None where each by itself is."""
    if type is None:
        return None
    for number, value in enumerate(values):
        try:
            pa.scalar(value, type)
        except WRONG:
            return RowError(start + number, expected=f"a value of {type}", found=repr(value), path=f"rows: {name}")
    return None
