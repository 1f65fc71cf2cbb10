"""Some of the rows of a column: a slice without a copy, those that a mask keeps, those that are not null."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.columns.nodes import (
    BinaryColumn,
    Column,
    EnumColumn,
    FixedBinaryColumn,
    ListColumn,
    MapColumn,
    NullColumn,
    PrimitiveColumn,
    StringColumn,
    StructColumn,
    UnionColumn,
    Validity,
    length,
)
from hudi_core.columns.spans import gather


def slice_rows(column: Column, start: int, stop: int) -> Column:
    """The rows from `start` to `stop`, which lie in the column. Arrays are views; offsets need not begin at 0."""
    rows = slice(start, stop)
    match column:
        case NullColumn():
            return NullColumn(stop - start)
        case PrimitiveColumn(values, validity):
            return PrimitiveColumn(values[rows], _validity(validity, rows))
        case EnumColumn(codes, symbols, validity):
            return EnumColumn(codes[rows], symbols, _validity(validity, rows))
        case FixedBinaryColumn(size, data, validity):
            return FixedBinaryColumn(size, data[rows], _validity(validity, rows))
        case StringColumn(offsets, data, validity):
            return StringColumn(offsets[start : stop + 1], data, _validity(validity, rows))
        case BinaryColumn(offsets, data, validity):
            return BinaryColumn(offsets[start : stop + 1], data, _validity(validity, rows))
        case ListColumn(offsets):
            return replace(column, offsets=offsets[start : stop + 1], validity=_validity(column.validity, rows))
        case MapColumn(offsets):
            return replace(column, offsets=offsets[start : stop + 1], validity=_validity(column.validity, rows))
        case StructColumn(_, fields, validity):
            children = {name: slice_rows(field, start, stop) for name, field in fields.items()}
            return StructColumn(stop - start, children, _validity(validity, rows))
        case UnionColumn(branches, names, children):
            before = np.bincount(branches[:start], minlength=len(children)).tolist()
            within = np.bincount(branches[rows], minlength=len(children)).tolist()
            parts = [
                slice_rows(child, first, first + size)
                for child, first, size in zip(children, before, within, strict=True)
            ]
            return UnionColumn(branches[rows], names, tuple(parts))
    assert_never(column)


def without_nulls(column: Column) -> Column:
    """The rows that are not null, in order; those of unions all, for their nulls are rows of a branch."""
    if isinstance(column, NullColumn):
        return NullColumn(0)
    if isinstance(column, UnionColumn) or column.validity is None:
        return column
    return filter_rows(replace(column, validity=None), column.validity)


def filter_rows(column: Column, mask: Bools) -> Column:
    """The rows where the mask is true, in order."""
    match column:
        case NullColumn():
            return NullColumn(int(np.count_nonzero(mask)))
        case PrimitiveColumn(values, validity):
            return PrimitiveColumn(values[mask], _validity(validity, mask))
        case EnumColumn(codes, symbols, validity):
            return EnumColumn(codes[mask], symbols, _validity(validity, mask))
        case FixedBinaryColumn(size, data, validity):
            return FixedBinaryColumn(size, data[mask], _validity(validity, mask))
        case StringColumn(offsets, data, validity) | BinaryColumn(offsets, data, validity):
            lengths = np.diff(offsets)[mask]
            if int(lengths.sum()) < offsets[-1] - offsets[0]:
                offsets, data = gather(data, offsets[:-1][mask], lengths)
            else:
                offsets = np.concatenate([offsets[:1], offsets[1:][mask]])
            return type(column)(offsets, data, _validity(validity, mask))
        case ListColumn() | MapColumn():
            own = trim(column)
            lengths = np.diff(own.offsets)
            offsets = np.concatenate([own.offsets[:1], np.cumsum(lengths[mask])])
            validity, within = _validity(own.validity, mask), np.repeat(mask, lengths)
            if isinstance(own, ListColumn):
                return ListColumn(offsets, filter_rows(own.items, within), validity)
            keys = filter_rows(own.keys, within)
            assert isinstance(keys, StringColumn)
            return MapColumn(offsets, keys, filter_rows(own.values, within), validity)
        case StructColumn(_, fields, validity):
            inner = {name: filter_rows(field, mask) for name, field in fields.items()}
            return StructColumn(int(np.count_nonzero(mask)), inner, _validity(validity, mask))
        case UnionColumn(branches, names, children):
            parts = [filter_rows(child, mask[branches == branch]) for branch, child in enumerate(children)]
            return UnionColumn(branches[mask], names, tuple(parts))
    assert_never(column)


def take_values(column: Column, rows: Numbers) -> Column:
    """Rows of a column of numbers, texts or bytes without nulls, in this order."""
    match column:
        case PrimitiveColumn(values):
            return PrimitiveColumn(values[rows])
        case StringColumn(offsets, data) | BinaryColumn(offsets, data):
            return type(column)(*gather(data, offsets[rows], np.diff(offsets)[rows]))
        case _:
            raise TypeError(type(column).__name__)


def trim(column: ListColumn | MapColumn) -> ListColumn | MapColumn:
    """The same lists or maps, with offsets from 0 and no items but their own."""
    first, last = int(column.offsets[0]), int(column.offsets[-1])
    items = column.items if isinstance(column, ListColumn) else column.keys
    if first == 0 and last == length(items):
        return column
    offsets = column.offsets - first if first else column.offsets
    if isinstance(column, ListColumn):
        return ListColumn(offsets, slice_rows(column.items, first, last), column.validity)
    keys, values = slice_rows(column.keys, first, last), slice_rows(column.values, first, last)
    assert isinstance(keys, StringColumn)
    return MapColumn(offsets, keys, values, column.validity)


def widest(column: Column) -> int:
    """The greatest number that offsets into the column's own rows reach, at any depth."""
    match column:
        case NullColumn() | PrimitiveColumn() | EnumColumn() | FixedBinaryColumn():
            return 0
        case StringColumn(offsets) | BinaryColumn(offsets):
            return int(offsets[-1] - offsets[0])
        case StructColumn(fields=fields):
            return max(map(widest, fields.values()), default=0)
        case ListColumn() | MapColumn():
            own = trim(column)
            inner = [own.items] if isinstance(own, ListColumn) else [own.keys, own.values]
            return max(int(own.offsets[-1]), *map(widest, inner))
        case UnionColumn(branches, _, children):
            return max(len(branches), *map(widest, children))
    assert_never(column)


def _validity(validity: Validity, rows: slice | Bools) -> Validity:
    return None if validity is None else validity[rows]
