"""Values of files of texts in the types of a table's columns. pyarrow takes numbers for times, local times from texts with a
zone, and numbers beyond the range of a float for infinite ones. Rule ROWS-801."""

from __future__ import annotations

from base64 import b64decode

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.incoming.json_types import name_type
from hudi_arrow.numpy_arrays import from_numpy, from_python, to_numpy, to_scalar
from hudi_core.arrays import Numbers
from hudi_core.errors import RowError

_EPOCH = to_scalar("1970-01-01T", pa.string())


def read_form(kind: pa.DataType) -> pa.DataType:
    """The type that JSON of a type is read as: texts for dates, times of day, local times and bytes, microseconds for
    milliseconds, doubles for floats, a list of keys and values for maps."""
    if pa.types.is_date(kind) or pa.types.is_time(kind) or (pa.types.is_timestamp(kind) and kind.tz is None):
        return pa.string()
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", kind.tz)
    if pa.types.is_float32(kind):
        return pa.float64()
    if is_binary(kind):
        return pa.string()
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(read_form(field.type)) for field in kind])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(read_form(kind.value_type)))
    if pa.types.is_map(kind):
        return pa.list_(pa.struct([("key", read_form(kind.key_type)), ("value", read_form(kind.item_type))]))
    return kind


def is_binary(kind: pa.DataType) -> bool:
    """Whether values are bytes, which JSON has as texts of base64."""
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind))


def write_values(column: pa.ChunkedArray, kind: pa.DataType, where: str, first: int = 0) -> pa.ChunkedArray:
    """A column that was read as `read_form` of a type, in that type; parts of a struct that it does not have stay as they are.
    Raises `RowError` for a text that is no value of it; the first row has this number."""
    if column.type == kind:
        return column
    chunks = []
    for chunk in column.chunks:
        try:
            chunks.append(_cast(chunk, kind))
        except pa.ArrowInvalid as problem:
            place = _first_wrong(chunk, kind)
            found = repr(chunk[place].as_py())
            raise RowError(
                first + place, expected=f"a value of {name_type(str(kind))}", found=found, path=where
            ) from problem
        first += len(chunk)
    return pa.chunked_array(chunks, None if chunks else kind)


def _cast(array: pa.Array, kind: pa.DataType) -> pa.Array:
    if array.type == kind:
        return array
    if pa.types.is_struct(kind):
        stated = {field.name: field.type for field in kind}
        parts = [
            _cast(part, stated.get(field.name, field.type))
            for part, field in zip(array.flatten(), array.type, strict=True)
        ]
        fields = [field.with_type(part.type) for part, field in zip(parts, array.type, strict=True)]
        return pa.StructArray.from_arrays(parts, fields=fields, mask=array.is_null())
    if pa.types.is_list(kind):
        values = _cast(array.flatten(), kind.value_type)
        type_made = pa.list_(kind.value_field.with_type(values.type))
        return pa.ListArray.from_arrays(_starts(array), values, type_made, mask=array.is_null())
    if pa.types.is_map(kind):
        keys, items = array.flatten().flatten()
        parts = [_cast(keys, kind.key_type), _cast(items, kind.item_type)]
        type_made = pa.map_(kind.key_type, kind.item_field.with_type(parts[1].type))
        return pa.MapArray.from_arrays(_starts(array), *parts, type_made, mask=array.is_null())
    if is_binary(kind):
        return from_python([None if text is None else b64decode(text) for text in array.to_pylist()], kind)
    if pa.types.is_time(kind):
        return pc.binary_join_element_wise(_EPOCH, array, "").cast(pa.timestamp("us")).cast(kind)
    if pa.types.is_timestamp(kind) and kind.unit == "ms" and pa.types.is_string(array.type):
        return array.cast(pa.timestamp("us", kind.tz)).cast(kind)
    return array.cast(kind)


def _starts(array: pa.ListArray) -> pa.Array:
    """Where the values of each list begin in `flatten`, which leaves out what lies before the first list and below null ones."""
    return from_numpy(np.concatenate([[0], to_numpy(array.value_lengths()).cumsum()]).astype(np.int32))


def _first_wrong(array: pa.Array, kind: pa.DataType) -> int:
    low, high = 1, len(array)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if not _fits(array.slice(0, middle), kind) else (middle + 1, high)
    return low - 1


def _fits(array: pa.Array, kind: pa.DataType) -> bool:
    try:
        _cast(array, kind)
    except pa.ArrowInvalid:
        return False
    return True


def refuse_beyond(numbers: pa.ChunkedArray, floats: pa.ChunkedArray, where: str, first: int = 0) -> None:
    """Raises `RowError` for a double, at any depth, that is finite, and infinite as a float. `first` is the number of the first
    row."""
    if not _holds_float(floats.type):
        return
    for given, made in zip(numbers.chunks, floats.chunks, strict=True):
        _refuse_beyond(given, made, np.arange(first, first + len(given)), where)
        first += len(given)


def _refuse_beyond(wide: pa.Array, narrow: pa.Array, rows: Numbers, where: str) -> None:
    kind = narrow.type
    if pa.types.is_float32(kind):
        place = pc.index(pc.and_(pc.is_inf(narrow), pc.is_finite(wide)), True).as_py()
        if place >= 0:
            found = repr(wide[place].as_py())
            raise RowError(int(rows[place]), expected="a number within the range of float", found=found, path=where)
    elif pa.types.is_struct(kind):
        for part, field in zip(zip(wide.flatten(), narrow.flatten(), strict=True), kind, strict=True):
            if _holds_float(field.type):
                _refuse_beyond(*part, rows, where)
    elif pa.types.is_map(kind):
        if _holds_float(kind.item_type):
            lengths = to_numpy(wide.value_lengths())
            _refuse_beyond(wide.flatten().flatten()[1], narrow.items, rows.repeat(lengths), where)
    elif _holds_float(kind):
        lengths = to_numpy(narrow.value_lengths())
        _refuse_beyond(wide.flatten(), narrow.flatten(), rows.repeat(lengths), where)


def _holds_float(kind: pa.DataType) -> bool:
    return bool(pa.types.is_float32(kind)) or any(
        _holds_float(kind.field(place).type) for place in range(kind.num_fields)
    )
