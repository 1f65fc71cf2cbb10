"""Statistics of columns that are written: of a base file as its writer counted them, of a log file from its rows.

Bounds are true ones, of long strings too, and leave NaN out, which is recorded by itself. Rule WRITE-12.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.columns.byte_strings import WORD, ByteStrings, WordReader
from hudi_core.columns.nodes import (
    BinaryColumn,
    Column,
    EnumColumn,
    PrimitiveColumn,
    StringColumn,
    StructColumn,
    length,
    mask_column,
    to_list,
)
from hudi_core.columns.slicing import filter_rows, slice_rows, without_nulls
from hudi_core.columns.strings import take_strings
from hudi_core.commit.statuses import ColumnRange
from hudi_core.formats.files import WrittenFile
from hudi_core.merge.ordering_values import comparable, width_of
from hudi_core.types import nodes as t

ROWS_AT_ONCE: Final = 1 << 16
"""Strings that are compared together: comparing them takes some forty bytes for each."""


def ranges_of_file(written: WrittenFile) -> Mapping[str, ColumnRange]:
    """By dotted name the statistics of the columns of a base file outside lists and maps."""
    return {
        ".".join(path): ColumnRange(
            known.lower,
            known.upper,
            known.null_count,
            known.value_count,
            known.size or 0,
            known.uncompressed_size or 0,
            known.nans,
        )
        for path, known in written.footer.statistics.items()
        if known.null_count is not None and known.value_count is not None
    }


def ranges_of_rows(rows: StructColumn, record: t.Record) -> Mapping[str, ColumnRange]:
    """By dotted name the statistics of columns outside lists and maps of rows of the record."""
    return {name: _range(column, kind) for name, column, kind in _leaves(rows, record, "", None)}


def join_ranges(parts: Iterable[Mapping[str, ColumnRange]]) -> Mapping[str, ColumnRange]:
    """The statistics of all rows, from those of some rows each; the parts have the same columns."""
    joined: dict[str, ColumnRange] = {}
    for part in parts:
        joined = {name: _join(joined[name], known) for name, known in part.items()} if joined else dict(part)
    return joined


def _join(one: ColumnRange, other: ColumnRange) -> ColumnRange:
    def outermost(choose: Callable[[Any, Any], Any], first: object | None, second: object | None) -> object | None:
        return second if first is None else first if second is None else choose(first, second)

    return ColumnRange(
        outermost(min, one.lower, other.lower),
        outermost(max, one.upper, other.upper),
        one.nulls + other.nulls,
        one.values + other.values,
        one.size + other.size,
        one.uncompressed_size + other.uncompressed_size,
        one.nan or other.nan,
    )


def least_and_greatest(strings: StringColumn | BinaryColumn) -> tuple[int, int]:
    """The rows of the least and of the greatest string by their bytes, of at least one. Nulls count as empty strings."""
    rows = length(strings)
    if rows == 1:
        return 0, 0
    if rows <= ROWS_AT_ONCE:
        return _outermost_strings(strings)
    plain = StringColumn(strings.offsets, strings.data)
    ends = [
        start + row
        for start in range(0, rows, ROWS_AT_ONCE)
        for row in _outermost_strings(take_strings(plain, slice(start, min(start + ROWS_AT_ONCE, rows))))
    ]
    least, greatest = least_and_greatest(take_strings(plain, np.array(ends)))
    return ends[least], ends[greatest]


def _outermost_strings(strings: StringColumn | BinaryColumn) -> tuple[int, int]:
    reader, word = WordReader(ByteStrings(strings.offsets, strings.data)), 0
    words, sizes = reader.read(word)
    # Words that all strings have are read once.
    while (words == words[0]).all() and (sizes == WORD).all():
        word += 1
        words, sizes = reader.read(word)
    least, greatest = (np.flatnonzero(words == end) for end in (words.min(), words.max()))
    return _outermost(reader, least, word, greatest=False), _outermost(reader, greatest, word, greatest=True)


def _outermost(reader: WordReader, left: Numbers, word: int, *, greatest: bool) -> int:
    """Narrows the rows down by one word of theirs after another."""
    while len(left) > 1:
        words, sizes = reader.read(word, left)
        best = words == (words.max() if greatest else words.min())
        left, sizes = left[best], sizes[best]
        left = left[sizes == (sizes.max() if greatest else sizes.min())]
        if sizes.min() < WORD and (not greatest or sizes.max() < WORD):
            break
        word += 1
    return int(left[0])


def _leaves(
    rows: StructColumn, record: t.Record, prefix: str, around: Bools | None
) -> Iterator[tuple[str, Column, t.Primitive]]:
    """The leaves, null where a record around them is."""
    for field in record.fields:
        column, name = mask_column(rows.fields[field.name], around), f"{prefix}{field.name}"
        if isinstance(field.type, t.Record) and isinstance(column, StructColumn):
            yield from _leaves(column, field.type, f"{name}.", column.validity)
        elif not isinstance(field.type, t.Nested):
            yield name, column, field.type


def _range(column: Column, kind: t.Primitive) -> ColumnRange:
    live, values = without_nulls(column), length(column)
    nulls = values - length(live)
    nan = False
    if isinstance(live, PrimitiveColumn) and live.values.dtype.kind == "f":
        is_number = ~np.isnan(live.values)
        nan = not bool(is_number.all())
        live = filter_rows(live, is_number)
    if length(live) == 0:
        return ColumnRange(None, None, nulls, values, nan=nan)
    lower, upper = (_value(live, row, kind) for row in _outermost_rows(live, kind))
    return ColumnRange(lower, upper, nulls, values, nan=nan)


def _outermost_rows(column: Column, kind: t.Primitive) -> tuple[int, int]:
    """The rows of the least and the greatest value, of a column without nulls and NaN."""
    if isinstance(column, StringColumn | BinaryColumn) and not isinstance(kind, t.Decimal):
        return least_and_greatest(column)
    if isinstance(column, EnumColumn):
        order = np.argsort(np.array(column.symbols, np.object_)[column.codes], kind="stable")
        return int(order[0]), int(order[-1])
    items = comparable(column, kind, width_of(column, kind))
    if items.dtype.kind == "S":
        order = np.argsort(items, kind="stable")
        return int(order[0]), int(order[-1])
    return int(items.argmin()), int(items.argmax())


def _value(column: Column, row: int, kind: t.Primitive) -> object:
    """One value in the form of `values.domain`."""
    (value,) = to_list(slice_rows(column, row, row + 1))
    match kind:
        case t.Decimal(_, scale):
            unscaled = int.from_bytes(value, "big", signed=True)
            return Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -scale))
        case t.Uuid() if isinstance(value, bytes):
            return str(uuid.UUID(bytes=value))
        case _:
            return value
