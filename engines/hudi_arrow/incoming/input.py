"""Rows that come from outside: from whatever hands over Arrow data, and from local files whose extension gives the format."""

from __future__ import annotations

import errno
import gzip
import os
import shutil
import weakref
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from io import SEEK_END, BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from hudi_arrow.files.footers import INT96, arrow_types, cast_batch, cast_column, read_calendar, texts, without_int96
from hudi_arrow.files.releases import READS_NULL_LISTS_OF_FIXED_SIZE, has_lists_of_fixed_size, without_arrow_schema
from hudi_arrow.incoming.given import PANDAS, index_columns, row_numbers, stream_of
from hudi_arrow.incoming.input_folders import files_in
from hudi_arrow.numpy_arrays import no_rows
from hudi_arrow.stores.storage import decoding, one_line, report_errors
from hudi_arrow.types import schema_from_arrow, to_arrow
from hudi_core.by_need import ModuleByNeed
from hudi_core.engine import InputRows
from hudi_core.errors import CorruptFileError, RowError, StorageError, UsageError, name_original
from hudi_core.schema.schema import Schema
from hudi_core.temporary import make_folder
from hudi_core.types import nodes as t
from hudi_core.types.walk import with_children

if TYPE_CHECKING:
    from hudi_arrow.files import calendars
    from hudi_arrow.incoming import csv_rows, json_rows
else:
    calendars = ModuleByNeed("hudi_arrow.files.calendars")  # for files of Spark's own writer
    csv_rows, json_rows = (ModuleByNeed(f"hudi_arrow.incoming.{name}") for name in ("csv_rows", "json_rows"))

_BATCH_ROWS = 65_536
_BYTES: Final = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view)

_Types = dict[str, pa.DataType]
_Read = Callable[[Path, _Types, bool], Iterator[pa.RecordBatch]]


def read_given(data: object, like: Schema | None = None, whole: bool = False) -> InputRows[pa.RecordBatch]:
    """The rows of an object in one of the forms of `hudi_arrow.incoming.given`; none for one with `__arrow_c_schema__` alone."""
    if not hasattr(data, "__arrow_c_stream__") and hasattr(data, "__arrow_c_schema__"):
        return _read_given(pa.schema(data), (), "rows", None)
    reader = stream_of(data, _types_of(like), whole=whole)
    return _read_given(reader.schema, reader, "rows", like)


def read(path: str, like: Schema | None, whole: bool = False) -> InputRows[pa.RecordBatch]:
    """The rows of a local file, or of the Parquet files in a folder, in the order of their names."""
    if not path.strip():
        raise UsageError("rows", expected="the path of a file", found=repr(path))
    source = Path(path)
    with report_errors(path):
        is_folder, is_empty = source.is_dir(), source.is_file() and source.stat().st_size == 0
        if not is_folder and not source.exists():
            raise StorageError(path, message=os.strerror(errno.ENOENT))
    if is_empty:
        raise UsageError(path, expected="columns", found="an empty file")
    if not is_folder and not source.is_file():
        found = "a pipe or a device, which can be read once only; pass its rows to standard input"
        raise UsageError(path, expected="a file", found=found)
    suffix = ".parquet" if is_folder else source.suffix.lower()
    if suffix == ".gz" and Path(source.stem).suffix.lower() in _TEXTS:
        return _unpack(source, like, whole)
    if suffix not in _READERS:
        raise UsageError(path, expected=f"a file name ending in {', '.join(_READERS)}", found=suffix or "no extension")
    if source.is_file():
        _refuse_other_format(source, suffix)
    batches = _read(source, suffix, _types_of(like), whole)
    first = next(batches, None)
    if first is None:
        raise UsageError(path, expected="columns", found="an empty file")
    return _read_given(first.schema, _chain(first, batches), path, like)


def _refuse_other_format(source: Path, suffix: str) -> None:
    """Raises `UsageError` for a file that begins as one of another format than its name says."""
    with report_errors(str(source)), source.open("rb") as file:
        begin = file.read(_LONGEST_BEGIN)
    other = next((name for start, name in _BEGINS.items() if begin.startswith(start)), None)
    if other is not None and suffix not in other.split(" or "):
        raise UsageError(
            str(source), expected=f"a {suffix} file, as its name says", found=f"one that begins as {other} does"
        )


def _unpack(source: Path, like: Schema | None, whole: bool) -> InputRows[pa.RecordBatch]:
    """The rows of a compressed file of texts, which is unpacked beside the system's temporary files as long as rows are drawn."""
    folder = make_folder("hudi-input-")
    plain = folder / source.stem
    try:
        with report_errors(str(source)), decoding(str(source), "a .gz file"):
            _inflate(source, plain)
            with name_original(str(plain), str(source)):
                rows = read(str(plain), like, whole)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    batches = _batches_of(rows, plain, source)
    weakref.finalize(batches, shutil.rmtree, folder, ignore_errors=True)
    return replace(rows, batches=batches)


def _inflate(source: Path, plain: Path) -> None:
    try:
        with gzip.open(source) as packed, plain.open("wb") as made:
            shutil.copyfileobj(packed, made, 1 << 20)
    except gzip.BadGzipFile as problem:
        with source.open("rb") as raw:
            begin = raw.read(_LONGEST_BEGIN)
        found = str(problem) if begin.startswith(b"\x1f\x8b") else f"one that begins with {begin!r}"
        raise CorruptFileError(str(source), expected="a .gz file", found=found) from None
    except EOFError:
        raise CorruptFileError(str(source), expected="a whole .gz file", found="one that ends before its end") from None
    except zlib.error as problem:
        raise CorruptFileError(str(source), expected="a .gz file", found=str(problem)) from None


def _batches_of(rows: InputRows[pa.RecordBatch], plain: Path, source: Path) -> Iterator[pa.RecordBatch]:
    with name_original(str(plain), str(source)):
        yield from rows.batches


def _read(source: Path, suffix: str, types: _Types, whole: bool) -> Iterator[pa.RecordBatch]:
    with report_errors(str(source)), decoding(str(source), f"a {suffix} file"):
        yield from _READERS[suffix](source, types, whole)


def _types_of(like: Schema | None) -> _Types:
    return {} if like is None else {field.name: to_arrow(field.type) for field in like.fields}


def _read_given(
    arrow: pa.Schema, batches: Iterable[pa.RecordBatch], where: str, like: Schema | None
) -> InputRows[pa.RecordBatch]:
    types = _types_of(like)
    left_out = set(row_numbers(arrow)) - set(types)
    fields = [
        field.with_type(_with_type(field.type, types.get(field.name))) for field in arrow if field.name not in left_out
    ]
    schema = schema_from_arrow(pa.schema(fields), where).value
    if like is not None:
        record = _with_uuids(schema.record, like.record)
        assert isinstance(record, t.Record)
        schema = replace(schema, record=record)
    wanted = arrow_types(schema)
    of_pandas = PANDAS in (arrow.metadata or {})
    index = frozenset(index_columns(arrow)) - left_out
    return InputRows(schema, _type(iter(batches), wanted, where), of_pandas, index)


def _type(batches: Iterator[pa.RecordBatch], wanted: pa.Schema, where: str) -> Iterator[pa.RecordBatch]:
    """The batches in these types. Raises `RowError` for bytes of another length than their column's, `UsageError` for a batch
    that Arrow itself cannot take, or that has no such values."""
    first_row = 0
    texts = [field for field in wanted if holds_text(field.type)]
    while True:
        batch = None
        try:
            batch = next(batches, None)
            if batch is None:
                return
            made = cast_batch(batch, wanted)
            for field in texts:
                _refuse_broken(made.column(field.name), field.name, first_row)
        except pa.ArrowException as problem:
            column = None if batch is None else _find_refused(batch, wanted, first_row)
            place = where if column is None else f"{where}: {column}"
            raise UsageError(place, expected="values that their columns can have", found=one_line(problem)) from problem
        except OSError as problem:
            if type(problem) is not OSError:
                raise
            # The words of a stream of another library: its query failed half-way.
            raise UsageError(where, expected="a source that gives its rows", found=one_line(problem)) from problem
        first_row += made.num_rows
        yield made


def holds_text(kind: pa.DataType) -> bool:
    """Whether values of the type, at any depth, are texts."""
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_dictionary(kind):
        return True
    return any(holds_text(kind.field(place).type) for place in range(kind.num_fields))


def _refuse_broken(array: pa.Array, name: str, first_row: int) -> None:
    """Raises `RowError` for a text that is no UTF-8: other libraries give Arrow what they have, unseen. Rule ROWS-1498."""
    if _is_whole(array):
        return
    expected = "texts in UTF-8"
    if not (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
        raise RowError(None, expected=expected, found="one with other bytes", path=name)
    whole, broken = 0, len(array)
    while broken - whole > 1:
        middle = (whole + broken) // 2
        if _is_whole(array.slice(whole, middle - whole)):
            whole = middle
        else:
            broken = middle
    found = repr(array.slice(whole, 1).cast(pa.binary())[0].as_py())
    raise RowError(first_row + whole, expected=expected, found=found, path=name)


def _is_whole(array: pa.Array) -> bool:
    """Whether all texts are UTF-8. What else Arrow has against an array is for whoever uses it."""
    try:
        array.validate(full=True)
    except pa.ArrowInvalid as problem:
        return "UTF8" not in str(problem)
    return True


def _find_refused(batch: pa.RecordBatch, wanted: pa.Schema, first_row: int) -> str | None:
    """The column whose values are not those of its type; None where Arrow refuses the batch as a whole. Raises as `_type`."""
    for field in wanted:
        array = batch.column(field.name)
        try:
            cast_column(array, field.type)
        except pa.ArrowException:
            if pa.types.is_fixed_size_binary(field.type) and any(is_kind(array.type) for is_kind in _BYTES):
                lengths = pc.binary_length(array.cast(pa.large_binary()))
                row = pc.index(pc.not_equal(lengths, field.type.byte_width), True).as_py()
                expected, found = f"{field.type.byte_width} bytes", str(lengths[row])
                raise RowError(first_row + row, expected=expected, found=found, path=str(field.name)) from None
            return str(field.name)
    return None


def _with_type(given: pa.DataType, wanted: pa.DataType | None) -> pa.DataType:
    """The type with one for each part of nulls alone, which has none of its own: the table's, else texts. Frames of pandas
    and JSON have such columns. Bytes of any length, which is all that pandas, Polars and DuckDB have, become those of the
    length of the table's column: rule WRITE-1428."""
    if pa.types.is_null(given):
        return pa.string() if wanted is None else wanted
    if wanted is not None and pa.types.is_fixed_size_binary(wanted) and any(is_kind(given) for is_kind in _BYTES):
        return wanted
    if pa.types.is_struct(given):
        has = {field.name: field.type for field in wanted} if wanted is not None and pa.types.is_struct(wanted) else {}
        return pa.struct([field.with_type(_with_type(field.type, has.get(field.name))) for field in given])
    if pa.types.is_list(given) or pa.types.is_large_list(given):
        element = wanted.value_type if wanted is not None and pa.types.is_list(wanted) else None
        return pa.list_(given.value_field.with_type(_with_type(given.value_type, element)))
    if pa.types.is_map(given):
        item = wanted.item_type if wanted is not None and pa.types.is_map(wanted) else None
        return pa.map_(given.key_field, given.item_field.with_type(_with_type(given.item_type, item)))
    return given


def _with_uuids(given: t.Type, wanted: t.Type | None) -> t.Type:
    """The type with UUIDs where the table has them in 16 bytes and rows have these bytes. Rule WRITE-1428."""
    match given, wanted:
        case t.Fixed(size), t.Uuid(fixed=t.Fixed(of_uuids)) if size == of_uuids:
            return wanted
        case t.Record() | t.Array() | t.Map(), t.Record() | t.Array() | t.Map():
            has = {field.name: field.type for field in t.children(wanted)}
            inner = (replace(field, type=_with_uuids(field.type, has.get(field.name))) for field in t.children(given))
            return with_children(given, tuple(inner))
        case _:
            return given


def _chain(first: pa.RecordBatch, rest: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield first
    yield from rest


def _parquet(source: Path, types: _Types, _: bool) -> Iterator[pa.RecordBatch]:
    first: list[str] = []
    for file in files_in(source) if source.is_dir() else [source]:
        with _open_parquet(file) as opened:
            arrow, int96 = opened.schema_arrow, _int96(opened.schema)
            first = first or arrow.names
            if sorted(arrow.names) != sorted(first):
                expected = f"the columns of the first file of the folder, {', '.join(first)}"
                raise UsageError(str(file), expected=expected, found=", ".join(arrow.names) or "none")
            if int96:
                _refuse_finer(file, opened, int96)
                arrow = _with_local(without_int96(arrow, opened.schema), types)
            yield no_rows(arrow)
            calendar = read_calendar(texts(opened.metadata.metadata or {}), opened.metadata)
            for batch in opened.iter_batches(_BATCH_ROWS):
                typed = batch.cast(arrow) if int96 else batch
                yield typed if calendar is None else calendars.in_new_calendar(typed, calendar, str(file))


def _open_parquet(file: Path) -> pq.ParquetFile:
    opened = pq.ParquetFile(file, coerce_int96_timestamp_unit=INT96.unit)
    if READS_NULL_LISTS_OF_FIXED_SIZE or not has_lists_of_fixed_size(opened.schema_arrow):
        return opened
    opened.close()
    with file.open("rb") as source:
        source.seek(-8, SEEK_END)
        ending = source.read()
        source.seek(-8 - int.from_bytes(ending[:4], "little"), SEEK_END)
        footer = without_arrow_schema(source.read()[:-8])
    metadata = pq.read_metadata(BytesIO(ending[4:] + footer + ending))
    return pq.ParquetFile(file, metadata=metadata, coerce_int96_timestamp_unit=INT96.unit)


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


def _arrow(source: Path, _: _Types, __: bool) -> Iterator[pa.RecordBatch]:
    with pa.memory_map(str(source)) as file:
        if source.stat().st_size and file.read(6) == b"ARROW1":
            opened = pa.ipc.open_file(file)
            yield no_rows(opened.schema)
            yield from map(opened.get_batch, range(opened.num_record_batches))
        else:
            file.seek(0)
            stream = pa.ipc.open_stream(file)
            yield no_rows(stream.schema)
            yield from stream


def _csv_rows(source: Path, types: _Types, whole: bool) -> Iterator[pa.RecordBatch]:
    return csv_rows.csv_batches(source, types, whole)


def _json_rows(source: Path, types: _Types, whole: bool) -> Iterator[pa.RecordBatch]:
    return json_rows.json_batches(source, types, whole)


_JSON = (".json", ".jsonl", ".ndjson")
_BEGINS: Final = {
    b"PAR1\x15": ".parquet", b"ARROW1\0\0": ".arrow or .feather", b"Obj\x01": ".avro", b"\x1f\x8b": ".gz",
    b"PK\x03\x04": ".zip or .xlsx", b"\x28\xb5\x2f\xfd": ".zst", b"\xfd7zXZ\0": ".xz",
    b"\xff\xfe": "UTF-16 text", b"\xfe\xff": "UTF-16 text",
    **{b"BZh%d1AY&SY" % level: ".bz2" for level in range(1, 10)},
}  # fmt: skip
"""The first bytes of files of some formats, which no text begins with, and their extensions."""
_LONGEST_BEGIN: Final = max(map(len, _BEGINS))
_TEXTS = (".csv", *_JSON)
"""Formats that `.gz` may follow."""
_READERS: dict[str, _Read] = {
    **dict.fromkeys(_JSON, _json_rows),
    ".csv": _csv_rows,
    ".parquet": _parquet,
    ".arrow": _arrow,
    ".feather": _arrow,
}
