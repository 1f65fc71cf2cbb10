"""Exact statistics of a Parquet file that is being written: those of its footer, and what the footer does not state for sure.

Footers state no bounds of strings that are long, and readers take bounds of numbers for those of all values, NaN too.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from hudi_arrow.arrays import Array, is_coded, plain
from hudi_arrow.arrays import field as field_of
from hudi_arrow.files.footers import arrow_types
from hudi_core.formats.leaf_statistics import LeafStatistics
from hudi_core.formats.parquet.chunks import ChunkStatistics, LeafChunks
from hudi_core.formats.parquet.statistics import NUMBER_FORMATS, FooterStatistics, Leaf, leaves
from hudi_core.schema.project import optional_inside
from hudi_core.schema.schema import Path, Schema
from hudi_core.types import nodes as t

_LONGEST_IN_FOOTER: Final = 4096
"""Bytes of the longest string that Parquet's writer takes as a bound: it states none where one is longer."""


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """The columns of files of a schema: how they are written, their leaves, and the types of those whose bounds are watched."""

    types: pa.Schema
    leaves: Mapping[Path, Leaf]
    watched: Mapping[Path, t.Primitive]
    positions: Mapping[Path, Sequence[int]]
    """Places of the leaves in their columns: which field of the column has one, which field of that field, and so on."""
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
    positions = {place: schema.get(place).positions[1:] for place in below}
    floats = tuple(place for place, leaf in below.items() if isinstance(leaf.type, t.Float | t.Double))
    return _Columns(arrow_types(_writable(schema)), below, watched, positions, floats)


class WrittenStatistics:
    """The statistics of one file, whose row groups are watched as they are written."""

    def __init__(self, schema: Schema) -> None:
        self._columns = _columns(schema)
        self._bounds = {place: _Bounds(kind) for place, kind in self._columns.watched.items()}
        self._groups = 0

    def watch(self, rows: pa.Table) -> None:
        """The rows of the next row group, none of them for no row group."""
        if rows.num_rows:
            for place, bounds in self._bounds.items():
                bounds.add(list(_values(rows, place[0], self._columns.positions[place])), self._groups)
            self._groups += 1

    def choose_bounded(self, rows: pa.Table, *, whole: bool) -> bool | list[str]:
        """The columns of some rows whose bounds a file states, True for all. Not those of a column with NaN: readers take such
        bounds for those of all values, and skip what has NaN. Where the rows are not the `whole` file no floating-point columns
        are bound, for the later ones are not known."""
        columns, names = self._columns, set(rows.column_names)
        floats = [path for path in columns.floats if path[0] in names]
        unbounded = {
            path for path in floats if not whole or any(map(_has_nan, _values(rows, path[0], columns.positions[path])))
        }
        if not unbounded:
            return True
        return [".".join(path) for path in columns.leaves if path[0] in names and path not in unbounded]

    def read(self, metadata: pq.FileMetaData) -> Mapping[Path, LeafStatistics]:
        """The statistics of the file by its footer."""
        below = self._columns.leaves
        groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
        stated = FooterStatistics(_ChunksWritten(groups), metadata.created_by or "", metadata.num_rows, below)
        result: dict[Path, LeafStatistics] = {}
        for place, leaf in below.items():
            chunks = [group.column(leaf.index) for group in groups]
            watched = self._bounds.get(place)
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


def file_types(schema: Schema) -> pa.Schema:
    """The types of the columns of a file as they are given to Parquet's writer."""
    return _columns(schema).types


@dataclass
class _Bounds:
    """Bounds of a column whose bounds in footers are not reliable: they ignore NaN, and leave out long strings."""

    type: t.Primitive
    lower: Any = None
    upper: Any = None
    nans: bool = False
    nulls: int = 0
    in_footer: list[int] = field(default_factory=list)
    """The row groups whose bounds the footer has: of strings, none of which is long."""

    def add(self, chunks: Sequence[Array], group: int) -> None:
        """The values of a row group."""
        nulls = sum(values.null_count for values in chunks)
        self.nulls += nulls
        if isinstance(self.type, t.String | t.Binary) and not any(map(_has_long, chunks)):
            if nulls < sum(map(len, chunks)):
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
        """Takes in the bounds of strings that the footer has. `chunks` is the metadata of the column in each row group. Where one
        that was copied states none, as another program wrote it, those of the column are unknown."""
        for group in self.in_footer:
            of_group = chunks[group].statistics
            if of_group is None or not of_group.has_min_max:
                self.lower = self.upper = None
                return
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


def _values(table: pa.Table, column: str, below: Sequence[int]) -> Iterator[Array]:
    """The values of a leaf column outside lists and maps: which field of the column has it, which field of that, and so on."""
    for chunk in table.column(column).chunks:
        values = plain(chunk) if below or not is_coded(chunk) else chunk
        for position in below:
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


def _writable(schema: Schema) -> Schema:
    """The schema with all that is below its columns optional: below a null record a required field has no value, which
    Parquet's writer takes for a contradiction."""
    fields = tuple(replace(column, type=optional_inside(column.type)) for column in schema.fields)
    return replace(schema, record=replace(schema.record, fields=fields))
