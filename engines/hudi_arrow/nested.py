"""Functions of arrays and maps on Arrow arrays: all elements as one column, and where each row's begin in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow import compare
from hudi_arrow.arrays import Array, lists, plain
from hudi_arrow.counted import Flags, Integers, integers
from hudi_core.functions.record import Types
from hudi_core.types import nodes as t


def size(arguments: Sequence[Array], types: Types, of: t.Type) -> Array | None:
    """How many elements there are; -1 of null."""
    lengths = np.diff(lists(arguments[0]).offsets)
    return pa.array(np.where(_valid(arguments[0]), lengths, -1).astype(np.int32))


def part(arguments: Sequence[Array], types: Types, of: t.Type) -> Array | None:
    """The element at a place, from 0; or the value of a key."""
    if isinstance(types[0], t.Map):
        return _of_key(arguments, types[0])
    return _at(arguments[0], integers(arguments[1]), _valid(arguments[1]))


def element_at(arguments: Sequence[Array], types: Types, of: t.Type) -> Array | None:
    """The element at a place, from 1, or from the end where negative; or the value of a key."""
    if isinstance(types[0], t.Map):
        return _of_key(arguments, types[0])
    places, known = integers(arguments[1]), _valid(arguments[1])
    if (known & (places == 0) & _valid(arguments[0])).any():
        return None  # the record says what is wrong
    lengths = np.diff(lists(arguments[0]).offsets)
    return _at(arguments[0], np.where(places > 0, places - 1, lengths + places), known)


def contains(arguments: Sequence[Array], types: Types, of: t.Type) -> Array | None:
    """Whether a value is among the elements; null where it is not, and one of these is null."""
    array, value = arguments
    if not isinstance(types[0], t.Array) or types[0].element.type != types[1]:
        return None
    parts = lists(array)
    items, wanted = parts.items[0], value.take(pa.array(_rows(parts.offsets)))
    same = [compare.less(*pair, True, types[1]) for pair in ((items, wanted), (wanted, items))]
    present = _some(compare.flags(pc.and_(*same)), parts.offsets)
    unknown = ~_valid(array) | ~_valid(value) | (~present & _some(~_valid(items), parts.offsets))
    return pa.array(present, mask=unknown)


def _at(array: Array, places: Integers, known: Flags) -> Array:
    parts = lists(array)
    known = known & (places >= 0) & (places < np.diff(parts.offsets))
    return parts.items[0].take(pa.array(np.where(known, parts.offsets[:-1] + places, 0), mask=~known))


def _of_key(arguments: Sequence[Array], of: t.Map) -> Array | None:
    if not isinstance(of.key.type, t.String):
        return None
    parts = lists(arguments[0])
    keys, items = parts.items
    rows = _rows(parts.offsets)
    same = pc.fill_null(pc.equal(plain(keys), plain(arguments[1]).take(pa.array(rows))), False)
    entries = np.flatnonzero(compare.flags(same))[::-1]
    places = np.full(len(arguments[0]), -1)
    places[rows[entries]] = entries  # the first one of a row comes last, and stays
    return items.take(pa.array(places, mask=places < 0))


def _rows(offsets: Integers) -> npt.NDArray[np.int64]:
    """The row of each element."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def _some(flags: Flags, offsets: Integers) -> Flags:
    """For each row whether one of its elements has the flag."""
    counted = np.concatenate([[0], np.cumsum(flags)])
    found: Flags = counted[offsets[1:]] > counted[offsets[:-1]]
    return found


def _valid(array: Array) -> Flags:
    found: Flags = array.is_valid().to_numpy(zero_copy_only=False)
    return found
