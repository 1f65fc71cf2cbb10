"""Functions of arrays and maps on Arrow arrays: all elements as one column, and where each row's begin in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow import compare
from hudi_arrow.arrays import Array, Lists, conform, lists, lists_of, plain, struct_of
from hudi_arrow.integers import integers
from hudi_arrow.numpy_arrays import bitmap, flags, from_numpy, has_value, no_for_null, to_numpy, to_scalar
from hudi_core.arrays import Bools, Numbers
from hudi_core.functions.record import Types
from hudi_core.types import nodes as t

_ONE_FORM: Final = (t.Boolean, t.Int, t.Long, t.Date, t.String)
"""Types of which the same value is always the same bytes."""


def size(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    """How many elements there are; -1 of null."""
    lengths = np.diff(lists(arguments[0]).offsets)
    return from_numpy(np.where(has_value(arguments[0]), lengths, -1).astype(np.int32))


def part(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    """The element at a place, from 0; or the value of a key."""
    if isinstance(types[0], t.Map):
        return _of_key(arguments, types[0])
    return _at(arguments[0], integers(arguments[1]), has_value(arguments[1]))


def element_at(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    """The element at a place, from 1, or from the end where negative; or the value of a key."""
    if isinstance(types[0], t.Map):
        return _of_key(arguments, types[0])
    places, known = integers(arguments[1]), has_value(arguments[1])
    if (known & (places == 0) & has_value(arguments[0])).any():
        return None  # the function's record raises the error
    lengths = np.diff(lists(arguments[0]).offsets)
    return _at(arguments[0], np.where(places > 0, places - 1, lengths + places), known)


def contains(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    """Whether a value is among the elements; null where it is not, and one of these is null."""
    array, value = arguments
    if not isinstance(types[0], t.Array) or types[0].element.type != types[1]:
        return None
    parts = lists(array)
    items, wanted = parts.items[0], value.take(from_numpy(_rows(parts.offsets)))
    same = [compare.less(*pair, True, types[1]) for pair in ((items, wanted), (wanted, items))]
    present = _some(flags(pc.and_(*same)), parts.offsets)
    unknown = ~has_value(array) | ~has_value(value) | (~present & _some(~has_value(items), parts.offsets))
    return from_numpy(present, unknown)


def beside(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    """Structs of each element and the values of its row."""
    array, *others = arguments
    parts = lists(array)
    rows = from_numpy(_rows(parts.offsets))
    return _structs(array, result, [parts.items[0], *(other.take(rows) for other in others)], parts.offsets)


def spread(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    """Structs of the fields of each element, a struct that is not null, and the values of its row."""
    array, *others = arguments
    parts = lists(array)
    rows = from_numpy(_rows(parts.offsets))
    fields = [parts.items[0].field(number) for number in range(parts.items[0].type.num_fields)]
    return _structs(array, result, [*fields, *(other.take(rows) for other in others)], parts.offsets)


def places(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    """Structs of each element and its place, from 0."""
    parts = lists(arguments[0])
    counted = np.arange(len(parts.items[0])) - parts.offsets[_rows(parts.offsets)]
    return _structs(arguments[0], result, [parts.items[0], from_numpy(counted.astype(np.int32))], parts.offsets)


def pairs(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    """Structs of the elements of two arrays at each place, null where one of them is shorter; null where one of them is."""
    present = has_value(arguments[0]) & has_value(arguments[1])
    held = [lists(array) for array in arguments]
    lengths = np.where(present, np.maximum(*(np.diff(parts.offsets) for parts in held)), 0)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    rows = _rows(offsets)
    counted = np.arange(len(rows)) - offsets[rows]
    columns = []
    for parts in held:
        missing = counted >= np.diff(parts.offsets)[rows]
        columns.append(parts.items[0].take(from_numpy(np.where(missing, 0, parts.offsets[rows] + counted), missing)))
    return _structs(from_numpy(present, ~present), result, columns, offsets)


def entries(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    """Structs of the keys and values of a map."""
    parts = lists(arguments[0])
    return _structs(arguments[0], result, list(parts.items), parts.offsets)


def keys(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    """The keys of a map, in their order."""
    parts = lists(arguments[0])
    return _relist(arguments[0], parts.items[0], parts.offsets)


def values(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    """The values of a map, in the order of its keys."""
    parts = lists(arguments[0])
    return _relist(arguments[0], parts.items[1], parts.offsets)


def contains_key(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    """Whether a map has a key."""
    if not isinstance(types[0], t.Map) or not isinstance(types[0].key.type, t.String):
        return None
    parts = lists(arguments[0])
    wanted = plain(arguments[1]).take(from_numpy(_rows(parts.offsets)))
    same = flags(no_for_null(pc.equal(plain(parts.items[0]), wanted)))
    return from_numpy(_some(same, parts.offsets), ~has_value(arguments[0]) | ~has_value(arguments[1]))


def exists(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    """Whether some condition is true; null where none is, and one of them is null."""
    return _decide(arguments, True)


def for_all(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    """Whether all conditions are true; null where none is false, and one of them is null."""
    return _decide(arguments, False)


def filter_lists(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    """The elements whose condition is true."""
    array, conditions = arguments
    parts, truths = lists(array), lists(conditions)
    if not np.array_equal(parts.offsets, truths.offsets) or not np.array_equal(has_value(array), has_value(conditions)):
        return None  # no conditions of these elements
    kept = flags(no_for_null(truths.items[0]))
    counted = np.concatenate([[0], np.cumsum(kept)])
    return _relist(array, parts.items[0].filter(from_numpy(kept)), counted[parts.offsets])


class _Coded(NamedTuple):
    """The elements of one or two arrays, those of the first one first: in which row each is, and a number for each row and value,
    null among them. `first` are so many."""

    items: Array
    rows: Numbers
    numbers: Numbers
    first: int


def _code(arguments: Sequence[Array], types: Types) -> _Coded | None:
    """None for elements of types whose same values have several forms, as the zeros of reals."""
    elements = [source.element.type for source in types if isinstance(source, t.Array)]
    if len(elements) < len(types) or not isinstance(elements[0], _ONE_FORM) or elements[-1] != elements[0]:
        return None
    held = [lists(array) for array in arguments]
    columns = [conform(parts.items[0], elements[0]) for parts in held]
    wanted = pa.large_string() if isinstance(elements[0], t.String) else columns[0].type
    items = pa.concat_arrays([column.cast(wanted) for column in columns])
    rows = np.concatenate([_rows(parts.offsets) for parts in held])
    coded = items.dictionary_encode(null_encoding="encode")
    numbers = rows * max(len(coded.dictionary), 1) + to_numpy(coded.indices)
    return _Coded(items, rows, numbers, len(columns[0]))


def overlap(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    """Whether a value is in both arrays; null where none is, neither is empty, and one of them has a null."""
    coded = _code(arguments, types)
    if coded is None:
        return None
    count, first = len(arguments[0]), coded.first
    known = has_value(coded.items)
    shared = known[:first] & np.isin(coded.numbers[:first], coded.numbers[first:][known[first:]])
    present = np.bincount(coded.rows[:first][shared], minlength=count) > 0
    filled = [np.diff(lists(array).offsets) > 0 for array in arguments]
    doubtful = np.bincount(coded.rows[~known], minlength=count) > 0
    absent = ~has_value(arguments[0]) | ~has_value(arguments[1])
    return from_numpy(present, absent | (~present & doubtful & filled[0] & filled[1]))


def union(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    """The elements of one or two arrays, each value once: where it comes first."""
    coded = _code(arguments, types)
    return None if coded is None else _once(arguments, coded, np.argsort(coded.rows, kind="stable"))


def intersection(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    """The elements of the first array that are in the second one, each value once."""
    return _sift(arguments, types, True)


def difference(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    """The elements of the first array that are not in the second one, each value once."""
    return _sift(arguments, types, False)


def _sift(arguments: Sequence[Array], types: Types, kept: bool) -> Array | None:
    coded = _code(arguments, types)
    if coded is None:
        return None
    shared = np.isin(coded.numbers[: coded.first], coded.numbers[coded.first :])
    return _once(arguments, coded, np.flatnonzero(shared == kept))


def _once(arguments: Sequence[Array], coded: _Coded, order: Numbers) -> Array:
    """Lists of some elements, which are in the order of their rows: of each value the first one. Null where an argument is."""
    present = np.logical_and.reduce([has_value(array) for array in arguments])
    order = order[present[coded.rows[order]]]
    _, first = np.unique(coded.numbers[order], return_index=True)
    chosen = order[np.sort(first)]
    counts = np.bincount(coded.rows[chosen], minlength=len(present))
    offsets = np.concatenate([[0], np.cumsum(counts)])
    kind = pa.large_list(pa.field("element", coded.items.type))
    validity = None if present.all() else bitmap(present)
    return lists_of(kind, Lists(offsets, (coded.items.take(from_numpy(chosen)),)), validity, len(present))


def _structs(array: Array, result: t.Type, columns: Sequence[Array], offsets: Numbers) -> Array:
    """Lists of structs of these columns, null where `array` is null."""
    wanted = result.element.type if isinstance(result, t.Array) else None
    assert isinstance(wanted, t.Record)
    named = [
        (pa.field(field.name, column.type, field.optional), column)
        for field, column in zip(wanted.fields, columns, strict=True)
    ]
    count = int(offsets[-1])
    kind = pa.large_list(pa.field("element", pa.struct([field for field, _ in named])))
    structs = struct_of(named, from_numpy(np.zeros(count, np.bool_)), count)
    validity = bitmap(has_value(array)) if array.null_count else None
    return lists_of(kind, Lists(offsets, (structs,)), validity, len(array))


def _decide(arguments: Sequence[Array], by: bool) -> Array:
    """`by` where one of the conditions is that, else null where one is null, else the opposite."""
    array, conditions = arguments
    parts = lists(conditions)
    truths = parts.items[0]
    deciding = _some(flags(no_for_null(pc.equal(truths, to_scalar(by, pa.bool_())))), parts.offsets)
    unknown = ~has_value(array) | ~has_value(conditions) | (~deciding & _some(~has_value(truths), parts.offsets))
    return from_numpy(deciding if by else ~deciding, unknown)


def _relist(array: Array, items: Array, offsets: Numbers) -> Array:
    """Lists of other elements, null where `array` is null."""
    validity = bitmap(has_value(array)) if array.null_count else None
    kind = pa.large_list(pa.field("element", items.type))
    return lists_of(kind, lists(array)._replace(items=(items,), offsets=offsets), validity, len(array))


def _at(array: Array, places: Numbers, known: Bools) -> Array:
    parts = lists(array)
    known = known & (places >= 0) & (places < np.diff(parts.offsets))
    return parts.items[0].take(from_numpy(np.where(known, parts.offsets[:-1] + places, 0), ~known))


def _of_key(arguments: Sequence[Array], type: t.Map) -> Array | None:
    if not isinstance(type.key.type, t.String):
        return None
    parts = lists(arguments[0])
    keys, items = parts.items
    rows = _rows(parts.offsets)
    same = no_for_null(pc.equal(plain(keys), plain(arguments[1]).take(from_numpy(rows))))
    entries = np.flatnonzero(flags(same))[::-1]
    places = np.full(len(arguments[0]), -1)
    places[rows[entries]] = entries  # the first one of a row comes last, and stays
    return items.take(from_numpy(places, places < 0))


def _rows(offsets: Numbers) -> Numbers:
    """The row of each element."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def _some(flags: Bools, offsets: Numbers) -> Bools:
    """For each row whether one of its elements has the flag."""
    counted = np.concatenate([[0], np.cumsum(flags)])
    mask: Bools = counted[offsets[1:]] > counted[offsets[:-1]]
    return mask
