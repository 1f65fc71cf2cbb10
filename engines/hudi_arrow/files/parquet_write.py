"""Base files in Parquet, written in the physical types of Apache Hudi's own writers, with exact statistics."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import chain
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from hudi_arrow.arrays import Array, is_coded, plain
from hudi_arrow.arrays import field as field_of
from hudi_arrow.files.dictionaries import find_repeating
from hudi_arrow.files.footers import arrow_types, cast_batch, cast_column
from hudi_arrow.memory import give_back, lean
from hudi_core.engine import Footer, Storage, WrittenFile
from hudi_core.errors import UnsupportedError
from hudi_core.formats.leaf_statistics import LeafStatistics
from hudi_core.formats.parquet.chunks import ChunkStatistics, LeafChunks
from hudi_core.formats.parquet.statistics import NUMBER_FORMATS, FooterStatistics, Leaf, leaves
from hudi_core.parallel.ordered import SameThread, work_alone, works_alone
from hudi_core.schema.project import optional_inside
from hudi_core.schema.schema import Path, Schema
from hudi_core.types import nodes as t

ROW_GROUP_BYTES: Final = 128 << 20
"""Bytes of rows in memory after which a row group ends. Encoded they take less than the 120 MiB of Hudi's own writers."""
ROW_GROUP_ROWS: Final = 1 << 20
_FEW_ROWS: Final = 1 << 12
_LEAST_AT_ONCE, _MOST_AT_ONCE = 1 << 10, 1 << 14
"""Values of a column that are encoded between two looks at the size of their page."""
_PAGE_BYTES: Final = 1 << 20
_BUFFER_BYTES: Final = 1 << 18
"""Small pieces of a file are put together before their writing waits for the interpreter."""
_CODED: Final = pa.dictionary(pa.int32(), pa.string())
_LONGEST_IN_FOOTER: Final = 4096
"""Bytes of the longest string that Parquet's writer takes as a bound: it states none where one is longer."""


@dataclass(frozen=True, slots=True, eq=False)
class _RowGroup:
    """The rows of a row group, and whether the file ends with it."""

    rows: pa.Table
    last: bool


@dataclass(frozen=True)
class ParquetWriter:
    """`hudi_core.engine.FileWriter` of Parquet. In memory are two row groups at most: one is made ready while the one before is
    encoded, and what the footer needs while the last one is.

    Pages are of version 1 with checksums, lists have three levels (they hold null elements), decimals are fixed-length bytes.
    zstd makes smaller files than Hudi's gzip in a fraction of its time; Parquet's Java library reads it from 1.12 on, which is
    older than any release of Hudi that reads these tables.
    """

    compression: str = "zstd"
    row_group_bytes: int = ROW_GROUP_BYTES
    row_group_rows: int = ROW_GROUP_ROWS
    lean: bool = False
    """Memory comes from the system's allocator meanwhile, and goes back to it between row groups: see `hudi_arrow.memory`."""

    def write(
        self,
        storage: Storage,
        path: str,
        schema: Schema,
        batches: Iterable[pa.RecordBatch],
        metadata: Callable[[], Mapping[str, str]],
    ) -> WrittenFile:
        where = f"{storage.uri.rstrip('/')}/{path}"
        columns = _columns(schema)
        bounds = {place: _Bounds(kind) for place, kind in columns.watched.items()}
        collected: list[pq.FileMetaData] = []
        rows = groups_written = 0
        with storage.output(path) as stream, _raise_refusals(where), lean() if self.lean else nullcontext():
            counted = _Counted(stream)
            given = self._row_groups(batches, columns.types)
            first = next(given)
            repeating = find_repeating(first.rows, schema)
            groups = map(partial(_code_categories, repeating.categories), chain([first], given))
            group = next(groups)
            types = group.rows.schema
            at_once = _choose_at_once(group.rows)
            output = pa.BufferedOutputStream(pa.PythonFile(counted, mode="w"), _BUFFER_BYTES)
            opened = self._open(output, types, collected, _choose_bounded(group, schema), repeating.leaves, at_once)
            aside = _aside(group)
            with _close_once(opened, output, counted) as writer, aside:
                while not group.last:
                    following = aside.submit(next, groups)  # made ready while this one is encoded
                    self._write_group(writer, group.rows, schema, bounds, groups_written)
                    groups_written += 1
                    rows += group.rows.num_rows
                    group = following.result()
                    if self.lean:
                        give_back()
                made = aside.submit(metadata)
                if group.rows.num_rows:
                    self._write_group(writer, group.rows, schema, bounds, groups_written)
                    rows += group.rows.num_rows
                pairs = dict(made.result())
                writer.add_key_value_metadata(pairs)
        statistics = _statistics(collected[0], schema, bounds)
        return WrittenFile(counted.size, Footer(rows, schema, pairs, statistics, size=counted.size))

    def _open(
        self,
        stream: Any,
        types: pa.Schema,
        collected: list[pq.FileMetaData],
        bounded: bool | list[str],
        repeating: list[str],
        at_once: int,
    ) -> pq.ParquetWriter:
        return pq.ParquetWriter(
            stream,
            types,
            compression=self.compression,
            version="2.6",
            data_page_version="1.0",
            write_page_index=True,
            write_statistics=bounded,
            use_dictionary=repeating,
            write_page_checksum=True,
            data_page_size=_PAGE_BYTES,
            write_batch_size=at_once,
            store_schema=False,
            metadata_collector=collected,
        )

    def _write_group(
        self, writer: pq.ParquetWriter, rows: pa.Table, schema: Schema, bounds: Mapping[Path, _Bounds], number: int
    ) -> None:
        _watch(rows, schema, bounds, number)
        writer.write_table(rows, row_group_size=rows.num_rows)

    def _row_groups(self, batches: Iterable[pa.RecordBatch], types: pa.Schema) -> Iterator[_RowGroup]:
        """The batches in tables of about `row_group_bytes`; an empty one where there are no rows."""
        waiting: list[pa.RecordBatch] = []
        size, rows, first = 0, 0, True
        for batch in batches:
            if batch.num_rows == 0:
                continue
            if first:
                types, first = _with_coded(types, batch), False
            if waiting and (size + batch.nbytes > self.row_group_bytes or rows + batch.num_rows > self.row_group_rows):
                yield _RowGroup(pa.Table.from_batches(waiting, types), last=False)
                waiting, size, rows = [], 0, 0
            waiting.append(_encode_columns(batch, types))
            size, rows = size + batch.nbytes, rows + batch.num_rows
        yield _RowGroup(pa.Table.from_batches(waiting, types), last=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """The columns of files of a schema: how they are written, their leaves, and the types of those whose bounds are watched."""

    types: pa.Schema
    leaves: Mapping[Path, Leaf]
    watched: Mapping[Path, t.Primitive]
    positions: Mapping[Path, Sequence[int]]
    """Places of the leaves: which field of the schema has one, which field of that field, and so on."""
    floats: tuple[Path, ...]


@lru_cache(maxsize=64)
def _columns(schema: Schema) -> _Columns:
    """Made once for the files of a write: with a row each that would be a good part of their time."""
    below = leaves(schema.record)
    watched = {
        place: leaf.type
        for place, leaf in below.items()
        if isinstance(leaf.type, t.Float | t.Double | t.String | t.Binary)
    }
    positions = {place: schema.get(place).positions for place in below}
    floats = tuple(place for place, leaf in below.items() if isinstance(leaf.type, t.Float | t.Double))
    return _Columns(arrow_types(_writable(schema)), below, watched, positions, floats)


def _aside(first: _RowGroup) -> Executor:
    """What makes things ready aside: a thread, which small files are not worth, nor those of one row group where other threads
    share the processors already."""
    if first.last and (first.rows.num_rows <= _FEW_ROWS or works_alone()):
        return SameThread()
    return ThreadPoolExecutor(1, "hudi-prepare", initializer=work_alone)


def _with_coded(types: pa.Schema, first: pa.RecordBatch) -> pa.Schema:
    """The types of a file's columns: texts that come as numbers of a dictionary are written from these, as Parquet does."""
    for number, column in enumerate(types):
        if pa.types.is_string(column.type) and is_coded(first.column(column.name)):
            types = types.set(number, column.with_type(_CODED))
    return types


def _encode_columns(batch: pa.RecordBatch, types: pa.Schema) -> pa.RecordBatch:
    """The columns in their types. Texts of columns that are written from a dictionary are looked up where they come plain."""
    if _CODED not in types.types:
        return cast_batch(batch, types)
    columns = zip(map(batch.column, types.names), types.types, strict=True)
    arrays = [_in_numbers(array) if kind == _CODED else cast_column(array, kind) for array, kind in columns]
    return pa.RecordBatch.from_arrays(arrays, schema=types)


def _in_numbers(texts: Array) -> Array:
    return texts if texts.type == _CODED else plain(texts).cast(pa.string()).dictionary_encode()


def _code_categories(names: frozenset[str], group: _RowGroup) -> _RowGroup:
    """The row group with these columns written from a dictionary."""
    rows = group.rows
    for number, column in enumerate(rows.schema):
        if column.name in names:
            rows = rows.set_column(number, column.with_type(_CODED), rows.column(number).dictionary_encode())
    return replace(group, rows=rows)


@contextmanager
def _close_once(writer: pq.ParquetWriter, output: pa.NativeFile, counted: _Counted) -> Iterator[pq.ParquetWriter]:
    """Closes a writer where the block ends well. Where it fails, or the end does, closing it would be tried again, at the latest
    when it is collected, and hide what failed or print a second error."""
    try:
        yield writer
        writer.close()
        output.close()
    finally:
        writer.is_open = False
        counted.closed = True


@contextmanager
def _raise_refusals(where: str) -> Iterator[None]:
    """Raises pyarrow's errors about types that Parquet cannot hold as errors of ours."""
    try:
        yield
    except (pa.ArrowNotImplementedError, pa.ArrowTypeError, pa.ArrowInvalid) as problem:
        raise UnsupportedError(where, message=" ".join(str(problem).split())) from problem


def _choose_bounded(group: _RowGroup, schema: Schema) -> bool | list[str]:
    """The columns whose bounds the file states, True for all. Not those of a column with NaN: readers take such bounds for those
    of all values, and skip what has NaN. The later row groups of a file are not known when the first is written, so several
    bound none of their floating-point columns."""
    columns = _columns(schema)
    unbounded = set(columns.floats)
    if group.last:
        unbounded = {
            path for path in columns.floats if any(map(_has_nan, _values(group.rows, columns.positions[path])))
        }
    if not unbounded:
        return True
    return [".".join(path) for path in columns.leaves if path not in unbounded]


def _choose_at_once(rows: pa.Table) -> int:
    """How many values of a column are encoded at once: many where they are small, so that a page ends soon enough."""
    if rows.num_rows <= _LEAST_AT_ONCE:
        return _LEAST_AT_ONCE
    widest = max((column.nbytes for column in rows.columns), default=0)
    fitting = _PAGE_BYTES * rows.num_rows // (4 * widest) if widest else _MOST_AT_ONCE
    return max(_LEAST_AT_ONCE, min(fitting, _MOST_AT_ONCE))


class _Counted:
    """A stream that counts what is written to it. It does not close what it writes to, and ignores what comes once it is closed:
    what a buffer still has when a failed writer is collected."""

    def __init__(self, stream: Any) -> None:
        self._stream, self.size, self.closed = stream, 0, False

    def write(self, data: Any) -> int:
        content = memoryview(data)
        if self.closed:
            return content.nbytes
        self._stream.write(content)
        self.size += content.nbytes
        return content.nbytes

    def tell(self) -> int:
        return self.size

    def flush(self) -> None:
        self._stream.flush()

    def writable(self) -> bool:
        return True

    def readable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False

    def close(self) -> None:
        self.closed = True


@dataclass
class _Bounds:
    """Bounds of a column whose bounds in footers are not reliable: they ignore NaN, and leave out long strings."""

    type: t.Primitive
    lower: Any = None
    upper: Any = None
    nans: bool = False
    nulls: int = 0
    in_footer: list[int] = field(default_factory=list)
    """The row groups whose bounds the footer has for sure: of strings none of which is long."""

    def add(self, chunks: Sequence[Array], group: int) -> None:
        """The values of a row group."""
        self.nulls += sum(values.null_count for values in chunks)
        if isinstance(self.type, t.String | t.Binary) and not any(map(_has_long, chunks)):
            self.in_footer.append(group)
            return
        for values in chunks:
            self._add(plain(values))

    def _add(self, values: Array) -> None:
        if isinstance(self.type, t.Float | t.Double) and _has_nan(values):
            self.nans = True
            values = values.filter(pc.invert(pc.is_nan(values)))
        bounds = pc.min_max(values).as_py()
        if bounds["min"] is not None:
            self._widen(bounds["min"], bounds["max"])

    def _widen(self, lower: Any, upper: Any) -> None:
        self.lower = lower if self.lower is None else min(self.lower, lower, key=_order)
        self.upper = upper if self.upper is None else max(self.upper, upper, key=_order)

    def widen_by_footer(self, chunks: Sequence[Any]) -> None:
        """Takes in the bounds of strings that the footer has for sure. `chunks` is the metadata of the column in each row
        group."""
        for group in self.in_footer:
            of_group = chunks[group].statistics
            if of_group is not None and of_group.has_min_max:
                self._widen(of_group.min, of_group.max)


def _order(value: Any) -> Any:
    """The order of strings is that of their bytes."""
    return value.encode() if isinstance(value, str) else value


def _has_nan(values: Array) -> bool:
    return pc.any(pc.is_nan(values)).as_py() is True


def _has_long(values: Array) -> bool:
    texts = values.dictionary if is_coded(values) else values
    if texts.nbytes <= _LONGEST_IN_FOOTER:
        return False
    longest = pc.max(pc.binary_length(texts)).as_py()
    return longest is not None and longest > _LONGEST_IN_FOOTER


def _watch(table: pa.Table, schema: Schema, bounds: Mapping[Path, _Bounds], group: int) -> None:
    positions = _columns(schema).positions
    for place, seen in bounds.items():
        seen.add(list(_values(table, positions[place])), group)


def _values(table: pa.Table, positions: Sequence[int]) -> Iterator[Array]:
    """The values of a leaf column outside lists and maps."""
    for chunk in table.column(positions[0]).chunks:
        values = chunk if len(positions) == 1 and is_coded(chunk) else plain(chunk)
        for position in positions[1:]:
            values = field_of(values, position)
        yield values


@dataclass(frozen=True, slots=True)
class _ChunksWritten:
    """The column chunks of a file that was just written, of which pyarrow tells what the footer has."""

    groups: Sequence[pq.RowGroupMetaData]

    def chunks_of(self, index: int) -> LeafChunks:
        """The chunks of a leaf column by its index."""
        chunks = [group.column(index) for group in self.groups]
        return LeafChunks(chunks[0].physical_type if chunks else "", False, tuple(map(_chunk, chunks)))


def _chunk(chunk: pq.ColumnChunkMetaData) -> ChunkStatistics:
    stated = chunk.statistics
    if stated is None:
        return ChunkStatistics(chunk.num_values, None, None, None)
    nulls = stated.null_count if stated.has_null_count else None
    if not stated.has_min_max:
        return ChunkStatistics(chunk.num_values, nulls, None, None)
    lower, upper = (_encode(bound, chunk.physical_type) for bound in (stated.min_raw, stated.max_raw))
    return ChunkStatistics(chunk.num_values, nulls, lower, upper)


def _encode(bound: Any, physical: str) -> bytes:
    return bound if isinstance(bound, bytes) else struct.pack(NUMBER_FORMATS[physical], bound)


def _statistics(
    metadata: pq.FileMetaData, schema: Schema, bounds: Mapping[Path, _Bounds]
) -> Mapping[Path, LeafStatistics]:
    below = _columns(schema).leaves
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    stated = FooterStatistics(_ChunksWritten(groups), metadata.created_by or "", metadata.num_rows, below)
    result: dict[Path, LeafStatistics] = {}
    for place, leaf in below.items():
        chunks = [group.column(leaf.index) for group in groups]
        watched = bounds.get(place)
        if watched is None:
            known = stated[place]
            lower, upper, nans, nulls = known.lower, known.upper, known.nans, known.null_count if chunks else 0
        else:
            watched.widen_by_footer(chunks)
            lower, upper, nans, nulls = watched.lower, watched.upper, watched.nans, watched.nulls
        result[place] = LeafStatistics(
            leaf.type,
            lower,
            upper,
            nulls,
            metadata.num_rows,
            nans,
            sum(chunk.total_compressed_size for chunk in chunks),
            sum(chunk.total_uncompressed_size for chunk in chunks),
        )
    return result


def _writable(schema: Schema) -> Schema:
    """The schema with all that is below its columns optional: below a null record a required field has no value, which
    Parquet's writer takes for a contradiction."""
    fields = tuple(replace(column, type=optional_inside(column.type)) for column in schema.fields)
    return replace(schema, record=replace(schema.record, fields=fields))
