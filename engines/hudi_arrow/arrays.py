"""Arrow arrays in one physical form, taken apart and put together, and as Python values."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.numpy_arrays import bitmap, flags, from_numpy, from_python, has_value, to_numpy
from hudi_arrow.types import to_arrow, with_inner_types
from hudi_core.arrays import Octets, Offsets
from hudi_core.columns.spans import positions
from hudi_core.parallel.limits import PROCESSORS
from hudi_core.parallel.ordered import in_order
from hudi_core.types import nodes as t

Array: TypeAlias = pa.Array

_PLAIN: Final = frozenset(
    kind.id
    for kind in (
        *(pa.null(), pa.bool_(), pa.int32(), pa.int64(), pa.float32(), pa.float64(), pa.date32(), pa.timestamp("us")),
        *(pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.binary(1), pa.decimal128(1)),
        *(pa.struct([]), pa.list_(pa.null()), pa.map_(pa.int32(), pa.null())),
    )
)
"""The types, by the numbers that Arrow gives them, of most arrays: those that `plain` leaves as they are."""

_MIN_ROWS_PER_WORKER: Final = 100_000
"""Rows from which threads cost less than they save."""


def plain(array: Array) -> Array:
    """The same values without encodings that kernels do not take: dictionaries, runs, views, extensions, narrow numbers."""
    kind = array.type
    if kind.id in _PLAIN:
        return array
    if isinstance(array, pa.ExtensionArray):
        return plain(array.storage)
    if pa.types.is_dictionary(kind):
        return plain(decodable(array).dictionary_decode())
    if pa.types.is_run_end_encoded(kind):
        return plain(pc.run_end_decode(array))
    if pa.types.is_string_view(kind):
        return array.cast(pa.large_string())
    if pa.types.is_binary_view(kind):
        return array.cast(pa.large_binary())
    if pa.types.is_decimal(kind) and kind.bit_width < 128:
        return array.cast(pa.decimal128(kind.precision, kind.scale))
    if pa.types.is_float16(kind):
        return array.cast(pa.float32())
    if pa.types.is_date64(kind):
        return array.cast(pa.date32())
    return array


def decodable(array: Array) -> Array:
    """The same values with lists in the place of their views, and strings in the place of views in dictionaries, at any depth:
    Arrow decodes and casts no others."""
    array = _unfold_views(array)
    wanted = _decodable(array.type)
    return array if wanted == array.type else array.cast(wanted)


def _unfold_views(array: Array) -> Array:
    """The same values without views of lists: Arrow's cast of these reads and writes beyond their offsets (ROWS-1450)."""
    kind = array.type
    if not _has_list_views(kind):
        return array
    if isinstance(array, pa.ExtensionArray):
        return _unfold_views(array.storage)
    if pa.types.is_struct(kind):
        parts = [(part, _unfold_views(array.field(number))) for number, part in enumerate(kind)]
        return struct_of([(part.with_type(made.type), made) for part, made in parts], pc.is_null(array), len(array))
    taken = lists(array)
    items = tuple(map(_unfold_views, taken.items))
    if pa.types.is_map(kind):
        made: pa.DataType = pa.map_(items[0].type, kind.item_field.with_type(items[1].type), kind.keys_sorted)
    else:
        made = pa.large_list(kind.value_field.with_type(items[0].type))
    return lists_of(made, taken._replace(items=items), bitmap(has_value(array)), len(array))


def _has_list_views(kind: pa.DataType) -> bool:
    if pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind):
        return True
    if isinstance(kind, pa.BaseExtensionType):
        return _has_list_views(kind.storage_type)
    return any(_has_list_views(kind.field(number).type) for number in range(kind.num_fields))


def _decodable(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind):
        if pa.types.is_string_view(kind.value_type):
            return pa.dictionary(kind.index_type, pa.large_string(), kind.ordered)
        if pa.types.is_binary_view(kind.value_type):
            return pa.dictionary(kind.index_type, pa.large_binary(), kind.ordered)
    return with_inner_types(kind, _decodable)


def is_coded(array: Array) -> bool:
    """Whether rows are numbers of texts of a dictionary that lacks none, so that a row is null only by its number."""
    return (
        isinstance(array, pa.DictionaryArray)
        and (pa.types.is_string(array.type.value_type) or pa.types.is_large_string(array.type.value_type))
        and len(array.dictionary) > 0
        and array.dictionary.null_count == 0
    )


def conform(array: Array, type: t.Type) -> Array:
    """`plain`, and numbers, times and timestamps of other widths or units in those of the type."""
    array = plain(array)
    if isinstance(type, t.Nested | t.String | t.Binary | t.Enumeration | t.Fixed | t.Vector | t.Uuid | t.Boolean):
        return array
    wanted = to_arrow(type)
    return array if array.type == wanted else array.cast(wanted)


def numbers(array: Array) -> Array:
    """Days and ticks as the integers they are, without a copy; other arrays as they are."""
    kind = array.type
    if pa.types.is_date32(kind) or pa.types.is_time32(kind):
        return array.view(pa.int32())
    if pa.types.is_timestamp(kind) or pa.types.is_time64(kind):
        return array.view(pa.int64())
    return array


def repeat(value: object, type: t.Type, rows: int) -> Array:
    """The same value in every row."""
    # Equal values of these types are the same; floats and what is made of them have two zeros.
    single = _single(value, type) if isinstance(value, str | int | None) else from_values([value], type)
    if isinstance(type, t.Nested):  # not every version type the kernel repeats every nested type
        return single.take(from_numpy(np.zeros(rows, np.int64)))
    return pa.repeat(single[0], rows)


def repeat_coded(value: str, rows: int) -> Array:
    """The same text in every row, as numbers of a dictionary, which Parquet's writer takes as they are. Batches share them."""
    zeros = _zeros().slice(0, rows) if rows <= _ZEROS else from_numpy(np.zeros(rows, np.int32))
    return pa.DictionaryArray.from_arrays(zeros, _single(value, t.String()))


_ZEROS: Final = 1 << 16


@lru_cache(maxsize=1)
def _zeros() -> Array:
    return from_numpy(np.zeros(_ZEROS, np.int32))


@lru_cache(maxsize=256, typed=True)
def _single(value: str | int | None, type: t.Type) -> Array:
    """One row; the values of partitions come again with every file."""
    return from_values([value], type)


def field(struct: Array, position: int) -> Array:
    """A field of structs, null where the struct is null."""
    struct = plain(struct)
    if struct.null_count == 0:
        return struct.field(position)
    if pa.types.is_union(struct.type.field(position).type):  # has no validity for the kernel to set
        rows = np.arange(len(struct))
        return struct.field(position).take(from_numpy(rows, ~has_value(struct)))
    return pc.struct_field(struct, [position])


def struct_of(fields: Sequence[tuple[pa.Field, Array]], nulls: Array | None, rows: int) -> Array:
    """Structs of these fields, null where `nulls` is true."""
    kind = pa.struct([field for field, _ in fields])
    validity = None if nulls is None else bitmap(~flags(nulls))
    return pa.Array.from_buffers(kind, rows, [validity], children=[array for _, array in fields])


class Lists(NamedTuple):
    """Lists or maps taken apart: row i holds the items from `offsets[i]` to `offsets[i + 1]`, none when it is null."""

    offsets: Offsets
    items: tuple[Array, ...]
    """The elements; or the keys and the values."""


def lists(array: Array) -> Lists:
    """The parts of lists of any kind, or of maps, without what lies outside of the rows."""
    kind = array.type
    if pa.types.is_map(kind):
        children: tuple[Array, ...] = (array.keys, array.items)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        children = (array.values,)
    else:
        lengths = to_numpy(pc.list_value_length(array)).astype(np.int64)
        return Lists(offsets_of(lengths), (pc.list_flatten(array),))
    bounds = to_numpy(array.offsets).astype(np.int64)
    lengths = np.diff(bounds)
    hidden = array.null_count > 0 and bool(lengths[~has_value(array)].any())
    if hidden:
        present = has_value(array)
        kept = from_numpy(positions(bounds[:-1][present], lengths[present]))
        return Lists(offsets_of(np.where(present, lengths, 0)), tuple(child.take(kept) for child in children))
    first, last = int(bounds[0]), int(bounds[-1])
    return Lists(bounds - first, tuple(child.slice(first, last - first) for child in children))


def lists_of(kind: pa.DataType, parts: Lists, validity: pa.Buffer | None, rows: int) -> Array:
    """Lists or maps of a type, which is a list, large list or map."""
    width = np.int64 if pa.types.is_large_list(kind) else np.int32
    bounds = pa.py_buffer(parts.offsets.astype(width))
    if pa.types.is_map(kind):
        entries = (kind.key_field, kind.item_field)
        items = struct_of(list(zip(entries, parts.items, strict=True)), None, len(parts.items[0]))
    else:
        (items,) = parts.items
    return pa.Array.from_buffers(kind, rows, [validity, bounds], children=[items])


def to_values(array: Array, type: t.Type) -> list[Any]:
    """The rows in the form of `hudi_core.values.domain`."""
    array = plain(array)
    match type:
        case t.Record(fields):
            columns = [to_values(field(array, number), inner.type) for number, inner in enumerate(fields)]
            built: list[Any] = list(zip(*columns, strict=True)) if columns else [()] * len(array)
        case t.Array(element):
            parts = lists(array)
            built = _runs(parts.offsets, to_values(parts.items[0], element.type))
        case t.Map(key, item):
            parts = lists(array)
            keys, values = to_values(parts.items[0], key.type), to_values(parts.items[1], item.type)
            built = _runs(parts.offsets, list(zip(keys, values, strict=True)))
        case t.Union(branches):
            columns = [to_values(branch(array, number), inner.type) for number, inner in enumerate(branches)]
            positions = codes(array).tolist()
            built = [
                None if columns[code][row] is None else (code, columns[code][row]) for row, code in enumerate(positions)
            ]
        case t.Uuid() if pa.types.is_fixed_size_binary(array.type):
            return [None if value is None else str(uuid.UUID(bytes=value)) for value in array.to_pylist()]
        case _:
            return list(numbers(conform(array, type)).to_pylist())
    if array.null_count == 0:
        return built
    return [None if null else value for value, null in zip(built, array.is_null().to_pylist(), strict=True)]


def from_values(values: Sequence[Any], type: t.Type) -> Array:
    """An array of values in the form of `hudi_core.values.domain`, in the Arrow type that stands for theirs."""
    return _build(values, type, to_arrow(type))


def _build(values: Sequence[Any], type: t.Type, kind: pa.DataType) -> Array:
    match type:
        case t.Record(fields):
            columns = [
                _build(
                    [None if value is None else value[number] for value in values], inner.type, kind.field(number).type
                )
                for number, inner in enumerate(fields)
            ]
            return pa.Array.from_buffers(kind, len(values), [_validity(values)], children=columns)
        case t.Array(element):
            items = _build([part for value in values for part in value or ()], element.type, kind.value_type)
            return lists_of(kind, Lists(_bounds(values), (items,)), _validity(values), len(values))
        case t.Map(key, item):
            entries = [pair for value in values for pair in value or ()]
            keys = _build([pair[0] for pair in entries], key.type, kind.key_type)
            items = _build([pair[1] for pair in entries], item.type, kind.item_type)
            return lists_of(kind, Lists(_bounds(values), (keys, items)), _validity(values), len(values))
        case t.Union(branches):
            positions = np.array([value[0] if value is not None else 0 for value in values], np.int8)
            columns = [
                _build(
                    [v[1] if v is not None and v[0] == number else None for v in values],
                    inner.type,
                    kind.field(number).type,
                )
                for number, inner in enumerate(branches)
            ]
            return union_of(kind, positions, columns)
        case t.Uuid() if pa.types.is_fixed_size_binary(kind):
            return from_python([None if value is None else uuid.UUID(value).bytes for value in values], kind)
        case _:
            return from_python(values, kind)


def branch(union: Array, position: int) -> Array:
    """The values of one branch, null in rows of another."""
    rows = _from_buffer(union, 2, np.int32) if union.type.mode == "dense" else np.arange(len(union))
    return union.field(position).take(from_numpy(rows, codes(union) != position))


def codes(union: Array) -> npt.NDArray[np.int8]:
    """The position of each row's branch."""
    return _from_buffer(union, 1, np.int8)


def _from_buffer(array: Array, number: int, kind: type[np.generic]) -> npt.NDArray[Any]:
    """A buffer's numbers of the array's rows; what the array is a slice of may have more."""
    if len(array) == 0:
        return np.zeros(0, kind)
    return np.frombuffer(array.buffers()[number], kind)[array.offset : array.offset + len(array)]


def union_of(kind: pa.DataType, positions: npt.NDArray[np.int8], columns: Sequence[Array]) -> Array:
    """A dense union of one full-length column a branch: row i is of branch `positions[i]`."""
    rows = [np.flatnonzero(positions == number) for number in range(len(columns))]
    offsets = np.zeros(len(positions), np.int32)
    for chosen in rows:
        offsets[chosen] = np.arange(len(chosen), dtype=np.int32)
    children = [column.take(from_numpy(chosen)) for column, chosen in zip(columns, rows, strict=True)]
    return pa.Array.from_buffers(
        kind, len(positions), [None, pa.py_buffer(positions), pa.py_buffer(offsets)], children=children
    )


def _validity(values: Sequence[Any]) -> pa.Buffer | None:
    return bitmap(np.array([value is not None for value in values], np.bool_))


def _bounds(values: Sequence[Any]) -> Offsets:
    return offsets_of(np.array([len(value or ()) for value in values], np.int64))


def texts(array: Array) -> tuple[npt.NDArray[Any], Octets]:
    """Texts or bytes as they lie: row i is `data[bounds[i] : bounds[i + 1]]`. Bounds are as wide as the array has them.

    The bounds of a null have no meaning, and `data` may have more than the rows.
    """
    wide = pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type)
    if len(array) == 0:
        return np.zeros(1, np.int64 if wide else np.int32), np.zeros(0, np.uint8)
    _, bounds, data = array.buffers()
    rows = np.frombuffer(bounds, np.int64 if wide else np.int32)[array.offset : array.offset + len(array) + 1]
    return rows, np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)


def offsets_of(lengths: Offsets) -> Offsets:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])


def in_parts(make: Callable[[int, int], Array], rows: int) -> Array:
    """The array that `make` gives for the rows `first, count`, put together of parts that are made on all processors where there
    are many rows: Arrow runs a kernel that makes strings on one."""
    workers = min(PROCESSORS, rows // _MIN_ROWS_PER_WORKER)
    if workers < 2:
        return make(0, rows)
    count = -(-rows // workers)
    return pa.concat_arrays(list(in_order(lambda first: make(first, min(count, rows - first)), range(0, rows, count))))


def _runs(offsets: Offsets, items: list[Any]) -> list[Any]:
    return [tuple(items[low:high]) for low, high in pairwise(offsets.tolist())]
