"""Rows that come from outside: from whatever hands over Arrow data, and from local files whose extension gives the format."""

from __future__ import annotations

import gzip
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator
from json import loads
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import json

from hudi_arrow.csv_rows import csv_batches
from hudi_arrow.footers import arrow_types, typed
from hudi_arrow.given import stream_of
from hudi_arrow.parquet_schemas import INT96, without_int96
from hudi_arrow.storage import decoding, one_line, reported
from hudi_arrow.types import schema_from_arrow, to_arrow
from hudi_core.engine import InputRows
from hudi_core.errors import RowError, StorageError, UsageError
from hudi_core.schema.schema import Schema

_BATCH_ROWS = 65_536
_PANDAS = b"pandas"
"""The metadata of Arrow schemas that were made of frames."""

_Types = dict[str, pa.DataType]
_Read = Callable[[Path, _Types], Iterator[pa.RecordBatch]]


def given(data: object, like: Schema | None = None) -> InputRows[pa.RecordBatch]:
    """The rows of an object in one of the forms of `hudi_arrow.given`; none for one with `__arrow_c_schema__` alone."""
    if not hasattr(data, "__arrow_c_stream__") and hasattr(data, "__arrow_c_schema__"):
        return _given(pa.schema(data), (), "rows")
    types = {} if like is None else {field.name: to_arrow(field.type) for field in like.fields}
    reader = stream_of(data, types)
    return _given(reader.schema, reader, "rows")


def read(path: str, like: Schema | None) -> InputRows[pa.RecordBatch]:
    """The rows of a local file, or of the Parquet files in a folder, in the order of their names."""
    source = Path(path)
    if not source.exists():
        raise StorageError(path, message="no such file")
    suffix = ".parquet" if source.is_dir() else source.suffix.lower()
    if suffix == ".gz" and Path(source.stem).suffix.lower() in _TEXTS:
        return _unpacked(source, like)
    if suffix not in _READERS:
        raise UsageError(path, expected=f"a file name ending in {', '.join(_READERS)}", found=suffix or "no extension")
    types = {} if like is None else {field.name: to_arrow(field.type) for field in like.fields}
    batches = _read(source, suffix, types)
    first = next(batches, None)
    if first is None:
        raise UsageError(path, expected="columns", found="an empty file")
    return _given(first.schema, _chain(first, batches), path)


def _unpacked(source: Path, like: Schema | None) -> InputRows[pa.RecordBatch]:
    """The rows of a compressed file of texts, which is unpacked beside the system's temporary files as long as rows are drawn."""
    folder = Path(tempfile.mkdtemp(prefix="hudi-input-"))
    plain = folder / source.stem
    try:
        with reported(str(source)), decoding(str(source), "a .gz file"):
            with gzip.open(source) as packed, plain.open("wb") as made:
                shutil.copyfileobj(packed, made, 1 << 20)
            rows = read(str(plain), like)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    batches = (batch for batch in rows.batches)
    weakref.finalize(batches, shutil.rmtree, folder, ignore_errors=True)
    return InputRows(rows.schema, batches, rows.inferred)


def _read(source: Path, suffix: str, types: _Types) -> Iterator[pa.RecordBatch]:
    with reported(str(source)), decoding(str(source), f"a {suffix} file"):
        yield from _READERS[suffix](source, types)


def _given(arrow: pa.Schema, batches: Iterable[pa.RecordBatch], where: str) -> InputRows[pa.RecordBatch]:
    # A column of nulls alone has no type of its own: pandas and JSON have such columns.
    fields = [field.with_type(pa.string()) if pa.types.is_null(field.type) else field for field in arrow]
    schema = schema_from_arrow(pa.schema(fields), where).value
    wanted = arrow_types(schema)
    of_pandas = _PANDAS in (arrow.metadata or {})
    return InputRows(schema, (typed(batch, wanted) for batch in batches), of_pandas)


def _chain(first: pa.RecordBatch, rest: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield first
    yield from rest


def _parquet(source: Path, types: _Types) -> Iterator[pa.RecordBatch]:
    files = sorted(source.glob("*.parquet")) if source.is_dir() else [source]
    for file in files:
        with pq.ParquetFile(file, coerce_int96_timestamp_unit=INT96.unit) as opened:
            arrow, int96 = opened.schema_arrow, _int96(opened.schema)
            if int96:
                _refuse_finer(file, opened, int96)
                arrow = _with_local(without_int96(arrow, opened.schema), types)
            yield pa.RecordBatch.from_pylist([], arrow)
            for batch in opened.iter_batches(_BATCH_ROWS):
                yield batch.cast(arrow) if int96 else batch


def _int96(schema: pq.ParquetSchema) -> list[int]:
    """The numbers of the leaves of INT96."""
    return [number for number in range(len(schema)) if schema.column(number).physical_type == "INT96"]


def _with_local(arrow: pa.Schema, types: _Types) -> pa.Schema:
    """INT96 does not say whether its times are instants: they are local where the table's column is."""
    local = {name for name, kind in types.items() if pa.types.is_timestamp(kind) and kind.tz is None}
    return pa.schema(
        [
            field.with_type(pa.timestamp(INT96.unit)) if field.type == INT96 and field.name in local else field
            for field in arrow
        ]
    )


def _refuse_finer(file: Path, opened: pq.ParquetFile, leaves: list[int]) -> None:
    """Raises `RowError` for a time of INT96 that is no whole number of microseconds.

    As nanoseconds times beyond 1677 to 2262 wrap around, and those of whole microseconds to where multiplication wraps too.
    """
    groups, first = list(range(opened.num_row_groups)), 0
    with pq.ParquetFile(file) as finer:
        pairs = zip(
            opened.reader.iter_batches(_BATCH_ROWS, row_groups=groups, column_indices=leaves),
            finer.reader.iter_batches(_BATCH_ROWS, row_groups=groups, column_indices=leaves),
            strict=True,
        )
        for micros, nanos in pairs:
            for name, times, exact in zip(nanos.schema.names, micros, nanos, strict=True):
                wrapped = times.cast(exact.type, safe=False)
                if wrapped != exact:
                    row = next(row for row in range(len(exact)) if wrapped[row : row + 1] != exact[row : row + 1])
                    raise RowError(
                        first + row, expected="whole microseconds", found="a finer time", path=f"{file}: {name}"
                    )
            first += len(nanos)


def _arrow(source: Path, _: _Types) -> Iterator[pa.RecordBatch]:
    with pa.memory_map(str(source)) as file:
        if source.stat().st_size and file.read(6) == b"ARROW1":
            opened = pa.ipc.open_file(file)
            yield pa.RecordBatch.from_pylist([], opened.schema)
            yield from map(opened.get_batch, range(opened.num_record_batches))
        else:
            file.seek(0)
            stream = pa.ipc.open_stream(file)
            yield pa.RecordBatch.from_pylist([], stream.schema)
            yield from stream


def _json(source: Path, types: _Types) -> Iterator[pa.RecordBatch]:
    # The reader takes dates for numbers of days; as texts they are written.
    dates = [name for name, arrow in types.items() if pa.types.is_date(arrow)]
    read_as = {name: pa.string() if name in dates else arrow for name, arrow in types.items()}
    options = json.ParseOptions(explicit_schema=pa.schema(read_as.items()) if types else None)
    if source.stat().st_size:
        try:
            table = json.read_json(source, parse_options=options)
        except pa.ArrowInvalid as problem:
            raise _refused_line(source, options, problem) from problem
        for name in dates:
            table = table.set_column(table.schema.get_field_index(name), name, table[name].cast(types[name]))
        first_names = _first_row_names(source)
        present = [
            name
            for name in table.column_names
            if name not in types or name in first_names or table[name].null_count < len(table)
        ]
        yield pa.RecordBatch.from_pylist([], table.select(present).schema)
        yield from table.select(present).to_batches(_BATCH_ROWS)


def _refused_line(source: Path, options: json.ParseOptions, problem: pa.ArrowInvalid) -> Exception:
    """The error of the first line with which the lines up to it cannot be read: pyarrow's names no row. The error as it is where
    that is no line."""
    lines = [line for line in source.read_bytes().splitlines(keepends=True) if line.strip()]

    def refusal(count: int) -> pa.ArrowInvalid | None:
        try:
            json.read_json(pa.BufferReader(b"".join(lines[:count])), parse_options=options)
        except pa.ArrowInvalid as refused:
            return refused
        return None

    low, high = 1, len(lines)
    whole: Exception = problem
    if not lines or refusal(high) is None:
        return whole
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if refusal(middle) is not None else (middle + 1, high)
    words = re.sub(r" in row \d+$", "", one_line(refusal(low) or problem))
    return RowError(low - 1, expected="values of the columns' types", found=words, path=str(source))


def _first_row_names(source: Path) -> set[str]:
    """The columns that the first row names: the reader gives all that its schema names, null where no row has them."""
    with source.open("rb") as file:
        return set(loads(next((line for line in file if line.strip()), b"{}")))


_TEXTS = (".csv", ".json", ".jsonl", ".ndjson")
"""Formats that `.gz` may follow."""
_READERS: dict[str, _Read] = {
    ".json": _json,
    ".jsonl": _json,
    ".ndjson": _json,
    ".csv": csv_batches,
    ".parquet": _parquet,
    ".arrow": _arrow,
    ".feather": _arrow,
}
