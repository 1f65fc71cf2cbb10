"""Base files in Parquet, written in the physical types of Apache Hudi's own writers, with exact statistics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, Final, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from hudi_arrow.files.copied_chunks import ChunkCopies, ChunkedFile, CopiedRows, chunk_copies
from hudi_arrow.files.dictionaries import Repeating, cast_coded, code_categories, find_repeating, with_coded
from hudi_arrow.files.written_statistics import WrittenStatistics, file_types
from hudi_arrow.memory import give_back, lean
from hudi_core.engine import Footer, OpenedFile, Storage
from hudi_core.errors import UnsupportedError
from hudi_core.formats.files import RewrittenRows, WrittenFile
from hudi_core.parallel.limits import PROCESSORS
from hudi_core.parallel.ordered import SameThread, work_alone, works_alone
from hudi_core.schema.schema import Schema

ROW_GROUP_BYTES: Final = 128 << 20
"""Bytes of rows in memory after which a row group ends. Encoded they take less than the 120 MiB of Hudi's own writers."""
ROW_GROUP_ROWS: Final = 1 << 20
_FEW_ROWS: Final = 1 << 12
_LEAST_AT_ONCE, _MOST_AT_ONCE = 1 << 10, 1 << 14
"""Values of a column that are encoded between two looks at the size of their page."""
_PAGE_BYTES: Final = 1 << 20
_LEVELS: Final = {"gzip": 6}
"""Levels of codecs that are not the library's own: for gzip that of Parquet's Java library. With 9 it takes eight times as long,
for a hundredth fewer bytes."""
_LEAST_BYTES: Final = 1 << 24
"""Bytes of rows from which on threads gain a tenth of a write's time, for as much more of the processors."""
_PART_BYTES: Final = 1 << 20
"""Bytes of columns in memory that are worth a thread's turn: a writer is made and a footer taken apart for them."""
_BUFFER_BYTES: Final = 1 << 18
"""Small pieces of a file are put together before their writing waits for the interpreter."""


@dataclass(frozen=True, slots=True, eq=False)
class _RowGroup:
    """The rows of a row group, and whether the file ends with it. `copied` says which row group of an older file it is, and which
    columns have the values that they have there."""

    rows: pa.Table
    last: bool
    copied: tuple[int, frozenset[str]] | None = None


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
        return self._write(storage, path, schema, map(RewrittenRows, batches), metadata, None)

    def rewrite(
        self,
        storage: Storage,
        path: str,
        schema: Schema,
        rows: Iterable[RewrittenRows[pa.RecordBatch]],
        metadata: Callable[[], Mapping[str, str]],
        older: OpenedFile[Any],
        as_stored: Set[str],
    ) -> WrittenFile:
        copies = chunk_copies(older, as_stored, schema, self.compression)
        return self._write(storage, path, schema, rows, metadata, copies)

    def _write(
        self,
        storage: Storage,
        path: str,
        schema: Schema,
        batches: Iterable[RewrittenRows[pa.RecordBatch]],
        metadata: Callable[[], Mapping[str, str]],
        copies: ChunkCopies | None,
    ) -> WrittenFile:
        where = f"{storage.uri.rstrip('/')}/{path}"
        statistics = WrittenStatistics(schema)
        rows = 0
        with storage.output(path) as stream, _raise_refusals(where), lean() if self.lean else nullcontext():
            counted = _Counted(stream)
            groups = self._row_groups(batches, file_types(schema), copies)
            group = next(groups)
            opened: AbstractContextManager[_File]
            split = _keep_together if self.lean else _split_columns
            if copies is None and len(split(group.rows)) <= 1:
                repeating = find_repeating(group.rows, schema)
                groups = map(partial(_code_categories, repeating.categories), chain([group], groups))
                group = next(groups)
                opened = self._open_encoded(counted, group, repeating.leaves, statistics)
            else:
                opened = nullcontext(
                    ChunkedFile(counted.write, schema, partial(self._encoder, schema, statistics), split, copies)
                )
            with opened as file, _aside(group) as aside:
                while not group.last:
                    following = aside.submit(next, groups)  # made ready while this one is encoded
                    rows += _put(group, file, statistics, aside)
                    group = following.result()
                    if self.lean:
                        give_back()
                made = aside.submit(metadata)
                if group.rows.num_rows:
                    rows += _put(group, file, statistics, aside)
                pairs = dict(made.result())
                footer = file.finish(pairs)
        return WrittenFile(counted.size, Footer(rows, schema, pairs, statistics.read(footer), size=counted.size))

    @contextmanager
    def _open_encoded(
        self, stream: _Counted, first: _RowGroup, repeating: list[str], statistics: WrittenStatistics
    ) -> Iterator[_EncodedFile]:
        """A file whose columns are encoded as its first row group asks for. It closes when it is finished. Where that fails, or
        what comes before, closing it would be tried again, at the latest when it is collected, and hide what failed or print a
        second error."""
        collected: list[pq.FileMetaData] = []
        output = pa.BufferedOutputStream(pa.PythonFile(stream, mode="w"), _BUFFER_BYTES)
        bounded = statistics.choose_bounded(first.rows, whole=first.last)
        writer = self._open(output, first.rows, bounded, repeating, collected)
        try:
            yield _EncodedFile(writer, output, collected)
        finally:
            writer.is_open = False
            stream.closed = True

    def _encoder(
        self, schema: Schema, statistics: WrittenStatistics, rows: pa.Table
    ) -> Callable[[pa.Table], pa.Buffer]:
        """What encodes some columns of a row group as a file of their own."""
        return partial(self._encode, statistics, find_repeating(rows, schema))

    def _encode(self, statistics: WrittenStatistics, repeating: Repeating, columns: pa.Table) -> pa.Buffer:
        output = pa.BufferOutputStream()
        coded = code_categories(columns, repeating.categories)
        bounded = statistics.choose_bounded(coded, whole=True)
        with self._open(output, coded, bounded, repeating.leaves) as writer:
            writer.write_table(coded, row_group_size=columns.num_rows)
        return output.getvalue()

    def _open(
        self,
        stream: Any,
        rows: pa.Table,
        bounded: bool | list[str],
        repeating: list[str],
        collected: list[pq.FileMetaData] | None = None,
    ) -> pq.ParquetWriter:
        return pq.ParquetWriter(
            stream,
            rows.schema,
            compression=self.compression,
            compression_level=_LEVELS.get(self.compression),
            version="2.6",
            data_page_version="1.0",
            write_page_index=True,
            write_statistics=bounded,
            use_dictionary=repeating,
            write_page_checksum=True,
            data_page_size=_PAGE_BYTES,
            write_batch_size=_choose_at_once(rows),
            store_schema=False,
            metadata_collector=collected,
        )

    def _row_groups(
        self, batches: Iterable[RewrittenRows[pa.RecordBatch]], types: pa.Schema, copies: ChunkCopies | None
    ) -> Iterator[_RowGroup]:
        """The batches in tables of about `row_group_bytes`; an empty one where there are no rows. A row group of the older file
        that is at least half as large ends one too, and one of up to twice the size is not cut, so that it stays what it is."""
        waiting: list[pa.RecordBatch] = []
        size, rows, first = 0, 0, True
        copied = None if copies is None else CopiedRows(copies)

        def flush(*, last: bool) -> _RowGroup:
            group = _RowGroup(pa.Table.from_batches(waiting, types), last, None if copied is None else copied.end())
            waiting.clear()
            return group

        for made in batches:
            batch = made.rows
            if batch.num_rows == 0:
                continue
            if first:
                types, first = with_coded(types, batch), False
            most = 2 * self.row_group_bytes if copied is not None and copied.goes_on else self.row_group_bytes
            if waiting and (size + batch.nbytes > most or rows + batch.num_rows > self.row_group_rows):
                yield flush(last=False)
                size, rows = 0, 0
            waiting.append(cast_coded(batch, types))
            size, rows = size + batch.nbytes, rows + batch.num_rows
            if copied is not None and copied.add(made) and 2 * size >= self.row_group_bytes:
                yield flush(last=False)
                size, rows = 0, 0
        yield flush(last=True)


class _File(Protocol):
    """A file that is written row group by row group."""

    def write(self, rows: pa.Table, copied: tuple[int, frozenset[str]] | None) -> None:
        """A row group; `copied` as `_RowGroup` has it."""

    def finish(self, pairs: Mapping[str, str]) -> pq.FileMetaData:
        """Ends the file with these key-value pairs, and gives what its footer has."""


@dataclass(frozen=True, slots=True)
class _EncodedFile:
    """A file that is written by Parquet's writer as a whole."""

    writer: pq.ParquetWriter
    output: pa.NativeFile
    collected: list[pq.FileMetaData]

    def write(self, rows: pa.Table, copied: object = None) -> None:
        """A row group, of which nothing is copied."""
        self.writer.write_table(rows, row_group_size=rows.num_rows)

    def finish(self, pairs: Mapping[str, str]) -> pq.FileMetaData:
        """Ends the file with these key-value pairs, and gives what its footer has."""
        self.writer.add_key_value_metadata(pairs)
        self.writer.close()
        self.output.close()
        return self.collected[0]


def _put(group: _RowGroup, file: _File, statistics: WrittenStatistics, aside: Executor) -> int:
    """Writes a row group, whose bounds are watched aside. Gives the number of its rows."""
    watching = aside.submit(statistics.watch, group.rows)
    file.write(group.rows, group.copied)
    watching.result()
    return int(group.rows.num_rows)


def _split_columns(rows: pa.Table) -> list[pa.Table]:
    """The columns of a row group in parts, of which a thread encodes one at a time: neighbours that together have enough bytes.
    One part where rows are few, or other threads share the processors already."""
    if PROCESSORS == 1 or works_alone() or rows.nbytes < _LEAST_BYTES:
        return [rows]
    parts, names, size = list[pa.Table](), list[str](), 0
    for name, column in zip(rows.column_names, rows.columns, strict=True):
        names.append(name)
        size += column.nbytes
        if size >= _PART_BYTES:
            parts.append(rows.select(names))
            names, size = [], 0
    return [*parts, rows.select(names)] if names else parts


def _keep_together(rows: pa.Table) -> list[pa.Table]:
    """Columns that are encoded one after the other: in less memory."""
    return [rows]


def _code_categories(names: frozenset[str], group: _RowGroup) -> _RowGroup:
    return replace(group, rows=code_categories(group.rows, names))


def _aside(first: _RowGroup) -> Executor:
    """What makes things ready aside: a thread, which small files are not worth, nor those of one row group where other threads
    share the processors already."""
    if first.last and (first.rows.num_rows <= _FEW_ROWS or works_alone()):
        return SameThread()
    return ThreadPoolExecutor(1, "hudi-prepare", initializer=work_alone)


@contextmanager
def _raise_refusals(where: str) -> Iterator[None]:
    """Raises pyarrow's errors about types that Parquet cannot hold as errors of ours."""
    try:
        yield
    except (pa.ArrowNotImplementedError, pa.ArrowTypeError, pa.ArrowInvalid) as problem:
        raise UnsupportedError(where, message=" ".join(str(problem).split())) from problem


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
