"""Arrow arrays of NumPy's and Python's values, and back, through their buffers.

pyarrow's own conversions (`pa.array`, `pa.scalar`, `to_numpy`) look for pandas at their first call and load it where it is
installed, which takes a new process longer than its first rows. Those of data that a user gives go through them; nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hudi_core.arrays import Bools

Flags: TypeAlias = Bools

_TYPES: Final[Mapping[np.dtype[Any], pa.DataType]] = {
    np.dtype(kind): make()
    for kind, make in (
        (np.int8, pa.int8), (np.int16, pa.int16), (np.int32, pa.int32), (np.int64, pa.int64),
        (np.uint8, pa.uint8), (np.uint16, pa.uint16), (np.uint32, pa.uint32), (np.uint64, pa.uint64),
        (np.float32, pa.float32), (np.float64, pa.float64),
    )
}  # fmt: skip
_DTYPES: Final = {kind.id: dtype for dtype, kind in _TYPES.items()}


def bitmap(mask: Flags) -> pa.Buffer | None:
    """Arrow's validity bits; None when all are set."""
    return None if mask.all() else _bits(mask)


def from_numpy(values: npt.NDArray[Any], nulls: Flags | None = None) -> pa.Array:
    """An array of numbers or flags, null where `nulls` is true. Its memory is that of `values` where these lie close together.
    Raises `TypeError` for values of other types."""
    validity = None if nulls is None else bitmap(~nulls)
    if values.dtype == np.bool_:
        return pa.Array.from_buffers(pa.bool_(), len(values), [validity, _bits(values)])
    kind = _TYPES.get(values.dtype)
    if kind is None:
        raise TypeError(f"no array of {values.dtype}")
    return pa.Array.from_buffers(kind, len(values), [validity, pa.py_buffer(np.ascontiguousarray(values))])


def to_numpy(array: pa.Array) -> npt.NDArray[Any]:
    """The numbers of an array, 0 where it is null; without nulls its own memory."""
    kind = _DTYPES[array.type.id]
    if len(array) == 0:
        return np.zeros(0, kind)
    numbers = np.frombuffer(array.buffers()[1], kind)[array.offset : array.offset + len(array)]
    return np.where(has_value(array), numbers, kind.type(0)) if array.null_count else numbers


def flags(mask: pa.Array | pa.ChunkedArray) -> Flags:
    """A mask as one bool a row; false where it is null."""
    if isinstance(mask, pa.ChunkedArray):
        return np.concatenate([flags(chunk) for chunk in mask.chunks] or [np.zeros(0, np.bool_)])
    if mask.null_count == len(mask):
        return np.zeros(len(mask), np.bool_)
    set_bits = _flags(mask.buffers()[1], mask)
    return set_bits & has_value(mask) if mask.null_count else set_bits


def no_rows(schema: pa.Schema) -> pa.RecordBatch:
    """A batch of these columns without rows."""
    return pa.RecordBatch.from_arrays([pa.nulls(0, kind) for kind in schema.types], schema=schema)


def no_for_null(mask: pa.Array) -> pa.Array:
    """The mask with no wherever it is null."""
    return pc.fill_null(mask, to_scalar(False, pa.bool_())) if mask.null_count else mask


def has_value(array: pa.Array) -> Flags:
    """Whether each row has a value."""
    return flags(pc.is_valid(array))


def from_python(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """An array of values in the form of `hudi_core.values.domain`."""
    nulls = np.array([value is None for value in values], np.bool_)
    types = pa.types
    if types.is_boolean(kind):
        return from_numpy(np.array([bool(value) for value in values], np.bool_), nulls)
    if types.is_integer(kind) or types.is_temporal(kind) or types.is_floating(kind):
        dtype = _DTYPES.get(kind.id) or np.dtype(f"i{kind.bit_width // 8}")
        made = np.array([0 if value is None else value for value in values], dtype)
        return pa.Array.from_buffers(kind, len(values), [bitmap(~nulls), pa.py_buffer(made)])
    if types.is_decimal128(kind):
        return _of_one_size(values, kind, nulls, lambda value: _unscale(value, kind.scale))
    if types.is_fixed_size_binary(kind):
        return _of_one_size(values, kind, nulls, bytes)
    if types.is_string(kind) or types.is_binary(kind) or types.is_large_string(kind) or types.is_large_binary(kind):
        return _texts(values, kind, nulls)
    return pa.array(values, kind)


def to_scalar(value: Any, kind: pa.DataType) -> pa.Scalar:
    """One value as kernels take it beside arrays."""
    return pa.nulls(1, kind)[0] if value is None else from_python([value], kind)[0]


def _bits(mask: Flags) -> pa.Buffer:
    return pa.py_buffer(np.packbits(mask, bitorder="little"))


def _flags(bits: pa.Buffer, array: pa.Array) -> Flags:
    first, skip = divmod(array.offset, 8)
    packed = np.frombuffer(bits, np.uint8)[first:]
    return np.unpackbits(packed, count=skip + len(array), bitorder="little")[skip:].view(np.bool_)


def _of_one_size(values: Sequence[Any], kind: pa.DataType, nulls: Flags, encode: Callable[[Any], bytes]) -> pa.Array:
    zeros = bytes(kind.byte_width)
    content = b"".join(zeros if value is None else encode(value) for value in values)
    if len(content) != len(values) * kind.byte_width:
        raise pa.ArrowInvalid(f"a value that has not the {kind.byte_width} bytes of {kind}")
    return pa.Array.from_buffers(kind, len(values), [bitmap(~nulls), pa.py_buffer(content)])


def _unscale(value: Decimal, scale: int) -> bytes:
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    number: int = int("".join(map(str, digits)) or "0") * 10 ** (exponent + scale)
    unscaled = -number if sign else number
    return unscaled.to_bytes(16, "little", signed=True)


def _texts(values: Sequence[Any], kind: pa.DataType, nulls: Flags) -> pa.Array:
    wide = pa.types.is_large_string(kind) or pa.types.is_large_binary(kind)
    encoded = [b"" if value is None else value.encode() if isinstance(value, str) else value for value in values]
    bounds = np.zeros(len(values) + 1, np.int64)
    np.cumsum([len(text) for text in encoded], out=bounds[1:])
    if not wide and bounds[-1] > np.iinfo(np.int32).max:
        raise pa.ArrowInvalid(f"more than 2 GiB in an array of {kind}")
    offsets = pa.py_buffer(bounds if wide else bounds.astype(np.int32))
    return pa.Array.from_buffers(kind, len(values), [bitmap(~nulls), offsets, pa.py_buffer(b"".join(encoded))])
