"""Decoded columns and Arrow arrays, both ways. Values, texts and items are wrapped where they lie; only bits are packed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow import arrays
from hudi_arrow.arrays import Array
from hudi_arrow.numpy_arrays import bitmap, flags, from_numpy, from_python, has_value, to_numpy, to_scalar
from hudi_arrow.types import to_arrow
from hudi_core.arrays import Numbers, Numbers32, Octets
from hudi_core.avro.logical import branch_name
from hudi_core.columns.decimals import from_words, to_words, words_of
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
    mask_column,
)
from hudi_core.columns.slicing import slice_rows, trim, widest
from hudi_core.columns.unions import only_branch, with_null_branch, without_null_branch
from hudi_core.errors import SchemaError, UnsupportedError
from hudi_core.types import nodes as t
from hudi_core.types.text import text

MAX_OFFSET = (1 << 31) - 1
"""The greatest offset of 32 bits."""

_Numbers: TypeAlias = npt.NDArray[Any]


def to_arrays(columns: StructColumn, type: t.Record, where: str) -> Iterator[Array]:
    """The rows as arrays of structs in the types of `to_arrow`: as few as offsets of 32 bits allow."""
    if widest(columns) <= MAX_OFFSET:
        yield _struct(columns, type, to_arrow(type), where)
        return
    if columns.length == 1:
        raise UnsupportedError(where, expected="at most 2 GiB of text or items in a row", found="more")
    middle = columns.length // 2
    for part in (slice_rows(columns, 0, middle), slice_rows(columns, middle, columns.length)):
        assert isinstance(part, StructColumn)
        yield from to_arrays(part, type, where)


def to_array(column: Column, logical: t.Type, kind: pa.DataType, where: str) -> Array:
    """The rows as an array of the Arrow type `kind`, which is that of `to_arrow(of)`; offsets must fit 32 bits."""
    if not isinstance(logical, t.Union):
        column = only_branch(column)
    match logical, column:
        case _, NullColumn(rows):
            return pa.nulls(rows, kind)
        case t.Boolean(), PrimitiveColumn(values):
            return _wrap(kind, len(values), column.validity, np.packbits(values, bitorder="little"))
        case t.Decimal(), BinaryColumn() | FixedBinaryColumn():
            words = to_words(column, logical, where)
            return _wrap(kind, len(words), column.validity, np.ascontiguousarray(words.astype("<u8", copy=False)))
        case t.Enumeration(), EnumColumn(codes, symbols):
            mask = None if column.validity is None else ~column.validity
            return from_python(symbols, kind).take(from_numpy(codes, mask))
        case t.Int() | t.Long() | t.Float() | t.Double() | t.Date() | t.Time() | t.Timestamp(), PrimitiveColumn(
            values
        ) if kind.bit_width == 8 * values.itemsize:
            return _wrap(kind, len(values), column.validity, np.ascontiguousarray(values))
        case t.String() | t.Uuid() | t.Binary(), StringColumn(offsets, data) | BinaryColumn(offsets, data):
            first, last = int(offsets[0]), int(offsets[-1])
            return _wrap(kind, len(offsets) - 1, column.validity, _narrow(offsets), data[first:last])
        case t.Fixed() | t.Vector() | t.Uuid(), FixedBinaryColumn(size, data) if kind.byte_width == size:
            return _wrap(kind, len(data), column.validity, np.ascontiguousarray(data))
        case t.Record(), StructColumn():
            return _struct(column, logical, kind, where)
        case t.Array(element), ListColumn():
            own = trim(column)
            assert isinstance(own, ListColumn)
            items = to_array(own.items, element.type, kind.value_type, where)
            return _make_nested(kind, length(own), own.validity, [_narrow(own.offsets)], [items])
        case t.Map(_, value), MapColumn():
            own = trim(column)
            assert isinstance(own, MapColumn)
            keys = to_array(own.keys, t.String(), kind.key_type, where)
            items = to_array(own.values, value.type, kind.item_type, where)
            entries = [(kind.key_field, keys), (kind.item_field, items)]
            inner = arrays.struct_of(entries, None, len(keys))
            return _make_nested(kind, length(own), own.validity, [_narrow(own.offsets)], [inner])
        case t.Union(branches), UnionColumn():
            union = without_null_branch(column)
            parts = [
                to_array(child, branch.type, kind.field(number).type, where)
                for number, (child, branch) in enumerate(zip(union.children, branches, strict=True))
            ]
            codes = np.ascontiguousarray(union.branches)
            return _make_nested(kind, len(codes), None, [codes, union.positions()], parts)
        case _:
            raise SchemaError(where, expected=f"a column of {text(logical)}", found=type(column).__name__)


def from_array(array: Array, type: t.Type, where: str) -> Column:
    """The column of an array that holds values of the type, in the physical type that Avro gives theirs."""
    array = arrays.conform(array, type)
    validity = None if array.null_count == 0 else has_value(array)
    match type:
        case t.Boolean():
            return PrimitiveColumn(flags(array), validity)
        case t.Int() | t.Long() | t.Float() | t.Double() | t.Date() | t.Time() | t.Timestamp():
            return PrimitiveColumn(_values(arrays.numbers(array)), validity)
        case t.String() | t.Uuid(fixed=None):
            return StringColumn(*_texts(array), validity)
        case t.Binary():
            return BinaryColumn(*_texts(array), validity)
        case t.Enumeration(symbols):
            return EnumColumn(_codes(array, type, where), symbols, validity)
        case t.Fixed() | t.Vector() | t.Uuid():
            return FixedBinaryColumn(array.type.byte_width, _rows(array, validity), validity)
        case t.Decimal(precision):
            words = _buffer(array, 1, np.dtype("<u8"), words_of(precision))
            return from_words(words.reshape(len(array), words_of(precision)), type, validity, where)
        case t.Record(fields):
            columns = {
                inner.name: from_array(arrays.field(array, position), inner.type, f"{where}.{inner.name}")
                for position, inner in enumerate(fields)
            }
            return StructColumn(len(array), columns, validity)
        case t.Array(element):
            parts = arrays.lists(array)
            return ListColumn(parts.offsets, from_array(parts.items[0], element.type, where), validity)
        case t.Map(key, value):
            parts = arrays.lists(array)
            keys = from_array(parts.items[0], key.type, where)
            assert isinstance(keys, StringColumn)
            return MapColumn(parts.offsets, keys, from_array(parts.items[1], value.type, where), validity)
        case t.Union(branches):
            codes = arrays.codes(array)
            children = [
                from_array(arrays.branch(array, number).filter(from_numpy(codes == number)), member.type, where)
                for number, member in enumerate(branches)
            ]
            return with_null_branch(codes, [branch_name(member.type) for member in branches], children)


def _struct(columns: StructColumn, type: t.Record, kind: pa.DataType, where: str) -> Array:
    fields = [
        to_array(
            mask_column(columns.fields[inner.name], columns.validity),
            inner.type,
            kind.field(number).type,
            f"{where}.{inner.name}",
        )
        for number, inner in enumerate(type.fields)
    ]
    return _make_nested(kind, columns.length, columns.validity, [], fields)


def _wrap(kind: pa.DataType, rows: int, validity: Validity, *buffers: _Numbers) -> Array:
    return pa.Array.from_buffers(kind, rows, [_bits(validity), *map(pa.py_buffer, buffers)])


def _make_nested(
    kind: pa.DataType, rows: int, validity: Validity, buffers: list[_Numbers], children: list[Array]
) -> Array:
    return pa.Array.from_buffers(kind, rows, [_bits(validity), *map(pa.py_buffer, buffers)], children=children)


def _bits(validity: Validity) -> pa.Buffer | None:
    return None if validity is None else bitmap(validity)


def _narrow(offsets: Numbers) -> Numbers32:
    """Offsets of 32 bits from 0."""
    return (offsets - offsets[0] if offsets[0] else offsets).astype(np.int32)


def _buffer(array: Array, number: int, kind: np.dtype[Any], width: int = 1) -> _Numbers:
    """A buffer's numbers of the array's rows, `width` a row."""
    if len(array) == 0 or width == 0:
        return np.zeros(0, kind)
    whole = np.frombuffer(array.buffers()[number], kind)
    return whole[array.offset * width : (array.offset + len(array)) * width]


def _values(array: Array) -> _Numbers:
    """The numbers of an array; 0 where it is null."""
    return to_numpy(array)


def _rows(array: Array, validity: Validity) -> Octets:
    """The bytes of values of one size, zeros where they are null."""
    size = array.type.byte_width
    rows = _buffer(array, 1, np.dtype(np.uint8), size).reshape(len(array), size)
    return rows if validity is None else rows * validity[:, np.newaxis]


def _texts(array: Array) -> tuple[Numbers, Octets]:
    """Offsets and bytes; none where the array is null."""
    if array.null_count:
        array = pc.fill_null(array, to_scalar("", array.type))
    bounds, data = arrays.texts(array)
    return bounds.astype(np.int64), data


def _codes(array: Array, enumeration: t.Enumeration, where: str) -> Numbers32:
    """Positions of the symbols; 0 where the array is null."""
    indices = pc.index_in(array, value_set=from_python(enumeration.symbols, array.type))
    if indices.null_count > array.null_count:
        strange = array.filter(pc.and_(pc.is_null(indices), pc.is_valid(array)))[0]
        raise SchemaError(where, expected=f"a value of {text(enumeration)}", found=repr(strange.as_py())[:60])
    codes: Numbers32 = to_numpy(indices)
    return codes
