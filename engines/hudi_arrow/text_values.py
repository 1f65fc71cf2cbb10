"""Values of files of texts in the types of a table's columns. pyarrow takes numbers for times, local times from texts with a
zone, and numbers beyond the range of a float for infinite ones. Rule ROWS-801."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.numpy_arrays import to_scalar
from hudi_core.errors import RowError

_EPOCH = to_scalar("1970-01-01T", pa.string())


def read_form(kind: pa.DataType) -> pa.DataType:
    """The type that JSON of a type is read as: texts for dates, times of day and local times, doubles for floats."""
    if pa.types.is_date(kind) or pa.types.is_time(kind) or (pa.types.is_timestamp(kind) and kind.tz is None):
        return pa.string()
    if pa.types.is_float32(kind):
        return pa.float64()
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(read_form(field.type)) for field in kind])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(read_form(kind.value_type)))
    return kind


def write_values(column: pa.ChunkedArray, kind: pa.DataType, where: str) -> pa.ChunkedArray:
    """A column that was read as `read_form` of a type, in that type. Raises `RowError` for a text that is no value of it."""
    if column.type == kind:
        return column
    chunks, first = [], 0
    for chunk in column.chunks:
        try:
            chunks.append(_cast(chunk, kind))
        except pa.ArrowInvalid as problem:
            place = _first_wrong(chunk, kind)
            found = repr(chunk[place].as_py())
            raise RowError(first + place, expected=f"a value of {kind}", found=found, path=where) from problem
        first += len(chunk)
    return pa.chunked_array(chunks, kind)


def _cast(array: pa.Array, kind: pa.DataType) -> pa.Array:
    if array.type == kind:
        return array
    if pa.types.is_struct(kind):
        parts = [_cast(part, field.type) for part, field in zip(array.flatten(), kind, strict=True)]
        return pa.StructArray.from_arrays(parts, fields=list(kind), mask=array.is_null())
    if pa.types.is_list(kind):
        starts = pc.subtract(array.offsets, array.offsets[0])
        return pa.ListArray.from_arrays(starts, _cast(array.flatten(), kind.value_type), kind, mask=array.is_null())
    if pa.types.is_time(kind):
        return pc.binary_join_element_wise(_EPOCH, array, "").cast(pa.timestamp("us")).cast(kind)
    return array.cast(kind)


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
    """Raises `RowError` for a double that is finite, and infinite as a float. `first` is the number of the first row."""
    if pa.types.is_float32(floats.type):
        place = pc.index(pc.and_(pc.is_inf(floats), pc.is_finite(numbers)), True).as_py()
        if place >= 0:
            found = repr(numbers[place].as_py())
            raise RowError(first + place, expected="a number within the range of float", found=found, path=where)
