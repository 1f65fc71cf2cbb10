"""Arrow arrays of any Arrow engine in the form that Spark takes: the Arrow types of its own types, values unchanged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hudi_core.types import nodes as t
from hudi_core.types.disguised import METADATA, VALUE, is_whole_variant
from hudi_spark.structs import HAS_VARIANT

Array: TypeAlias = pa.Array

_KINDS: dict[type, pa.DataType] = {
    t.Boolean: pa.bool_(),
    t.Int: pa.int32(),
    t.Long: pa.int64(),
    t.Float: pa.float32(),
    t.Double: pa.float64(),
    t.Date: pa.date32(),
    t.String: pa.string(),
    t.Enumeration: pa.string(),
    t.Binary: pa.binary(),
    t.Fixed: pa.binary(),
}
_ELEMENTS = {
    t.VectorElement.FLOAT: (pa.float32(), "<f4"),
    t.VectorElement.DOUBLE: (pa.float64(), "<f8"),
    t.VectorElement.INT8: (pa.int8(), "i1"),
}


_VARIANT = pa.struct(
    [
        pa.field(VALUE, pa.binary(), nullable=False),
        pa.field(METADATA, pa.binary(), nullable=False, metadata={b"variant": b"true"}),
    ]
)
"""The mark on `metadata` makes Spark take the struct for its own type of variants."""


def arrow_type(logical: t.Type, variants: bool = False) -> pa.DataType:
    """The Arrow type in which Spark takes values of a type; with `variants` a variant that is not shredded is Spark's own."""
    match logical:
        case t.Record() if variants and is_whole_variant(logical):
            return _VARIANT
        case t.Timestamp(t.Unit.NANOS):
            return pa.int64()
        case t.Timestamp(_, zoned):
            return pa.timestamp("us", "UTC" if zoned else None)
        case t.Time(unit):
            return pa.int32() if unit is t.Unit.MILLIS else pa.int64()
        case t.Uuid(fixed):
            return pa.string() if fixed is None else pa.binary()
        case t.Decimal(precision, scale):
            return pa.decimal128(precision, scale)
        case t.Vector(_, element):
            number = _ELEMENTS[element][0]
            return pa.list_(pa.int32() if pa.types.is_int8(number) else number)
        case t.Record(fields):
            return pa.struct([pa.field(field.name, arrow_type(field.type, variants)) for field in fields])
        case t.Union(branches):
            return pa.struct([pa.field(branch.name, arrow_type(branch.type, variants)) for branch in branches])
        case t.Array(element):
            return pa.list_(pa.field("element", arrow_type(element.type, variants)))
        case t.Map(key, value):
            return pa.map_(arrow_type(key.type), pa.field("value", arrow_type(value.type, variants)))
        case _:
            return _KINDS[type(logical)]


def batch_form(batch: pa.RecordBatch, record: t.Record) -> pa.RecordBatch:
    """A batch with the columns of a record in the form of `hudi_spark.structs.nullable_struct`."""
    columns = [
        to_form(column, field.type, HAS_VARIANT) for column, field in zip(batch.columns, record.fields, strict=True)
    ]
    if not columns:
        return batch
    return pa.RecordBatch.from_arrays(columns, names=[field.name for field in record.fields])


def to_form(array: Array, type: t.Type, variants: bool = False) -> Array:
    """The array in Spark's form, see `arrow_type`. Raises `pyarrow.ArrowInvalid` for timestamps beyond the range of
    microseconds."""
    array = _decode(array)
    wanted = arrow_type(type, variants)
    if array.type == wanted and not isinstance(type, t.Nested):
        return array
    match type:
        case t.Record(fields) if wanted is _VARIANT:
            places = {field.name: number for number, field in enumerate(fields)}
            held = [_child(array, places[field.name]).cast(field.type).fill_null(b"") for field in wanted]
            return _struct(wanted, held, array)  # the parts of a null are not null, as Spark declares them
        case t.Record(fields) if fields:
            parts = [to_form(_child(array, number), field.type, variants) for number, field in enumerate(fields)]
            return _struct(wanted, parts, array)
        case t.Record():
            return array
        case t.Union(branches):
            codes = np.frombuffer(array.buffers()[1], np.int8)[array.offset : array.offset + len(array)]
            parts = [
                to_form(_branch(array, codes, number), branch.type, variants) for number, branch in enumerate(branches)
            ]
            nulls = np.logical_and.reduce([part.is_null().to_numpy(zero_copy_only=False) for part in parts])
            return pa.StructArray.from_arrays(parts, fields=list(wanted), mask=pa.array(nulls))
        case t.Array(element):
            bounds, items = _lists(array)
            return _list(wanted, bounds, [to_form(items, element.type, variants)], array)
        case t.Map(key, value):
            bounds, entries = _lists(array)
            keys, items = to_form(entries.field(0), key.type), to_form(entries.field(1), value.type, variants)
            return _list(wanted, bounds, [keys, items], array)
        case t.Vector():
            return _numbers(array, type, wanted)
        case t.Time() | t.Timestamp(t.Unit.NANOS):
            return array.view(wanted)
        case _:
            return array.cast(wanted)


def take_types(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """Rows of Spark in the types of `arrow_schema`: Spark names the session's zone in the types of its batches, and may give
    large texts. Arrow's cast would refuse a null in a required field of a struct that is null, as Spark gives it."""
    columns = [
        pa.chunked_array([_take_type(chunk, field.type) for chunk in column.chunks], field.type)
        for column, field in zip(rows.columns, schema, strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def with_offsets(batch: pa.RecordBatch) -> pa.RecordBatch:
    """A batch of Spark whose lists in lists, or texts in them, have offsets. Where there is none of them Spark sends none, of
    which Arrow's `nbytes` reads the first, and the process ends. Rule ENGINE-1625."""
    if not any(map(_lacks_offsets, batch.columns)):
        return batch
    every = pa.array(range(batch.num_rows), pa.int64())
    columns = [column.take(every) if _lacks_offsets(column) else column for column in batch.columns]
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)


def _lacks_offsets(array: Array) -> bool:
    if pa.types.is_struct(array.type):
        parts = [array.field(number) for number in range(array.type.num_fields)]
    elif pa.types.is_map(array.type):
        parts = [array.keys, array.items]
    elif pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        parts = [array.values]
    else:
        return False
    return any((not len(part) and not pa.types.is_primitive(part.type)) or _lacks_offsets(part) for part in parts)


def _take_type(array: Array, wanted: pa.DataType) -> Array:
    if array.type == wanted:
        return array
    if pa.types.is_struct(wanted):
        parts = [_take_type(_child(array, number), field.type) for number, field in enumerate(wanted)]
        return _struct(wanted, parts, array) if parts else array
    if pa.types.is_list(wanted):
        bounds, items = _lists(array)
        return _list(wanted, bounds, [_take_type(items, wanted.value_type)], array)
    if pa.types.is_map(wanted):
        bounds, entries = _lists(array)
        keys, items = _take_type(entries.field(0), wanted.key_type), _take_type(entries.field(1), wanted.item_type)
        return _list(wanted, bounds, [keys, items], array)
    return array.cast(wanted)


def _decode(array: Array) -> Array:
    if isinstance(array, pa.ExtensionArray):
        return _decode(array.storage)
    return _decode(array.dictionary_decode()) if pa.types.is_dictionary(array.type) else array


def _child(struct: Array, number: int) -> Array:
    if struct.null_count == 0 or pa.types.is_union(struct.type.field(number).type):
        return struct.field(number)
    return pc.struct_field(struct, [number])


def _branch(union: Array, codes: Any, number: int) -> Array:
    rows: Any = np.arange(len(union))
    if union.type.mode == "dense":
        rows = np.frombuffer(union.buffers()[2], np.int32)[union.offset : union.offset + len(union)]
    return union.field(number).take(pa.array(rows, mask=codes != number))


def _struct(wanted: pa.DataType, parts: Sequence[Array], like: Array) -> Array:
    mask = like.is_null() if like.null_count else None
    return pa.StructArray.from_arrays(list(parts), fields=list(wanted), mask=mask)


def _lists(array: Array) -> tuple[Array, Array]:
    """Offsets from 0, null rows included as empty, and the items within them."""
    if not len(array):  # Spark leaves out its only offset
        return pa.array([0], pa.int32()), array.values.slice(0, 0)
    if array.null_count:  # null rows may have items of their own
        array = array.take(pa.array(np.arange(len(array))))
    bounds = array.offsets.to_numpy().astype(np.int32)
    items = array.values
    first, last = int(bounds[0]), int(bounds[-1])
    return pa.array(bounds - first), items.slice(first, last - first)


def _list(wanted: pa.DataType, bounds: Array, items: list[Array], like: Array) -> Array:
    valid = like.is_valid().to_numpy(zero_copy_only=False)
    validity = None if valid.all() else pa.py_buffer(np.packbits(valid, bitorder="little"))
    if pa.types.is_map(wanted):
        children = [pa.StructArray.from_arrays(items, fields=[wanted.key_field, wanted.item_field])]
    else:
        children = items
    return pa.Array.from_buffers(wanted, len(like), [validity, bounds.buffers()[1]], children=children)


def _numbers(array: Array, vector: t.Vector, wanted: pa.DataType) -> Array:
    """Packed bytes as lists of numbers."""
    arrow, numpy = _ELEMENTS[vector.element]
    size = vector.dimension * vector.element.value
    valid = array.is_valid().to_numpy(zero_copy_only=False)
    packed = b"".join(value for value in array.to_pylist() if value is not None)
    numbers = pa.array(np.frombuffer(packed, numpy), arrow).cast(wanted.value_type)
    lengths = np.where(valid, vector.dimension, 0)
    assert len(packed) == size * int(valid.sum())
    bounds = pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32))
    return _list(wanted, bounds, [numbers], array)


def from_form(array: Array, type: t.Type, kind: pa.DataType) -> Array:
    """An array in Spark's form as one of another Arrow type that holds values of the same type of ours: `to_form` undone."""
    match type:
        case t.Record(fields):
            # By name in a variant: Spark's own has its parts in another order.
            named = type.kind is t.RecordKind.VARIANT
            places = [array.type.get_field_index(f.name) for f in fields] if named else range(len(fields))
            parts = [
                from_form(_child(array, place), field.type, kind.field(number).type)
                for number, (place, field) in enumerate(zip(places, fields, strict=True))
            ]
            return _struct(kind, parts, array) if parts else array
        case t.Union(branches):
            return _union(array, branches, kind)
        case t.Array(element):
            bounds, items = _lists(array)
            return _list(kind, bounds, [from_form(items, element.type, kind.value_type)], array)
        case t.Map(key, value):
            bounds, entries = _lists(array)
            keys = from_form(entries.field(0), key.type, kind.key_type)
            items = from_form(entries.field(1), value.type, kind.item_type)
            return _list(kind, bounds, [keys, items], array)
        case t.Vector():
            return _pack(array, type, kind)
        case t.Time() | t.Timestamp(t.Unit.NANOS):
            return array.view(kind)
        case t.Timestamp():
            return array.cast(kind, safe=False)
        case _:
            return array.cast(kind)


def _union(array: Array, branches: Sequence[t.Field], kind: pa.DataType) -> Array:
    codes = np.zeros(len(array), np.int8)
    columns = []
    for number, branch in enumerate(branches):
        column = from_form(_child(array, number), branch.type, kind.field(number).type)
        codes[column.is_valid().to_numpy(zero_copy_only=False)] = number
        columns.append(column)
    rows = [np.flatnonzero(codes == number) for number in range(len(columns))]
    offsets = np.zeros(len(array), np.int32)
    for chosen in rows:
        offsets[chosen] = np.arange(len(chosen), dtype=np.int32)
    children = [column.take(pa.array(chosen)) for column, chosen in zip(columns, rows, strict=True)]
    buffers = [None, pa.py_buffer(codes), pa.py_buffer(offsets)]
    return pa.Array.from_buffers(kind, len(array), buffers, children=children)


def _pack(array: Array, vector: t.Vector, kind: pa.DataType) -> Array:
    """Lists of numbers as their packed bytes."""
    _, numpy = _ELEMENTS[vector.element]
    size = vector.dimension * vector.element.value
    _, items = _lists(array)
    content = items.to_numpy(zero_copy_only=False).astype(numpy).tobytes()
    starts = np.cumsum(array.is_valid().to_numpy(zero_copy_only=False)) - 1
    values = [content[row * size : (row + 1) * size] for row in starts.tolist()]
    return pa.array(values, kind, mask=array.is_null().to_numpy(zero_copy_only=False))
