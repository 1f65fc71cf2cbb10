"""Order and equality of Arrow arrays by `hudi_core.values.order`: NaN greatest and equal to itself, text by its bytes.

Answers are masks without nulls: no wherever a value is null.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.arrays import Array, conform, field, from_values, lists, numbers, repeat
from hudi_arrow.numpy_arrays import flags, from_numpy, from_python, no_for_null, to_numpy
from hudi_core.arrays import Bools
from hudi_core.errors import UnsupportedError
from hudi_core.expr.predicate import Cut
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text


def below(array: Array, cut: Cut, type: t.Type) -> Array:
    """The value lies below the cut."""
    if isinstance(type, t.Nested):
        less, equal = _compare(array, repeat(cut.value, type, len(array)), type)
        return from_numpy((less | equal if cut.after else less) & flags(pc.is_valid(array)))
    array = numbers(conform(array, type))
    if isinstance(type, t.Float | t.Double) and cut.value != cut.value:
        return pc.is_valid(array) if cut.after else no_for_null(pc.invert(pc.is_nan(array)))
    return no_for_null((pc.less_equal if cut.after else pc.less)(array, _scalar(cut.value, type, array.type)))


def within(array: Array, values: tuple[object, ...], members: tuple[bool, ...], type: t.Type) -> Array:
    """The value is in a set, as `hudi_core.expr.predicate.Within` has it: each is placed among the listed values at once."""
    array = numbers(conform(array, type))
    listed = numbers(conform(from_values(values, type), type)).cast(array.type)
    in_set = np.array(members, np.bool_)
    if pa.types.is_integer(array.type) or pa.types.is_floating(array.type):
        present = flags(pc.is_valid(array))
        return from_numpy(in_set[_places(to_numpy(listed), to_numpy(array))] & present)
    distinct = array.dictionary_encode()
    ranks = to_numpy(pc.rank(pa.concat_arrays([listed, distinct.dictionary]), tiebreaker="dense"))
    of_distinct = from_numpy(in_set[_places(ranks[: len(listed)], ranks[len(listed) :])])
    return no_for_null(of_distinct.take(distinct.indices))


def _places(listed: npt.NDArray[Any], values: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """For each value, twice the number of listed ones, which ascend, that are below it, and one more where it is listed
    itself."""
    below = np.searchsorted(listed, values)
    nearest = listed[np.minimum(below, len(listed) - 1)]
    equal = nearest == values
    if listed.dtype.kind == "f":
        equal |= np.isnan(nearest) & np.isnan(values)
    places: npt.NDArray[np.intp] = 2 * below + equal
    return places


def one_of(array: Array, values: tuple[object, ...], type: t.Type) -> Array:
    """The value equals one of these."""
    if not values:
        return from_numpy(np.zeros(len(array), np.bool_))
    if isinstance(type, t.Nested):
        equal = [_compare(array, repeat(value, type, len(array)), type)[1] for value in values]
        return from_numpy(np.logical_or.reduce(equal) & flags(pc.is_valid(array)))
    array = numbers(conform(array, type))
    if isinstance(type, t.Float | t.Double):
        # Arrow distinguishes -0.0 from 0.0 here and nowhere else.
        numeric = [v for v in values if v == v]
        wanted = from_python([*numeric, 0.0, -0.0] if 0.0 in numeric else numeric, array.type)
        equal = pc.is_in(array, value_set=wanted, skip_nulls=True)
        return equal if len(numeric) == len(values) else pc.or_(equal, no_for_null(pc.is_nan(array)))
    return pc.is_in(
        array, value_set=numbers(conform(from_values(values, type), type)).cast(array.type), skip_nulls=True
    )


def less(left: Array, right: Array, or_equal: bool, type: t.Type) -> Array:
    """`left < right`, or `left <= right`."""
    if isinstance(type, t.Nested):
        before, equal = _compare(left, right, type)
        both = flags(pc.and_(pc.is_valid(left), pc.is_valid(right)))
        return from_numpy((before | equal if or_equal else before) & both)
    left, right = numbers(conform(left, type)), numbers(conform(right, type))
    mask = (pc.less_equal if or_equal else pc.less)(left, right)
    if isinstance(type, t.Float | t.Double):
        last = pc.is_nan(right) if or_equal else pc.and_(pc.is_nan(right), pc.invert(pc.is_nan(left)))
        mask = pc.or_(mask, pc.and_(last, pc.is_valid(left)))
    return no_for_null(mask)


def _scalar(value: Any, type: t.Type, kind: pa.DataType) -> pa.Scalar:
    return numbers(conform(from_values([value], type), type)).cast(kind)[0]


def _compare(left: Array, right: Array, type: t.Type) -> tuple[Bools, Bools]:
    """Whether left is less, and whether it is equal, null first; what is in rows where both are null has no meaning."""
    match type:
        case t.Record(fields):
            before, equal = np.zeros(len(left), np.bool_), np.ones(len(left), np.bool_)
            for number, inner in enumerate(fields):
                less_here, equal_here = _nullable(field(left, number), field(right, number), inner.type)
                before |= equal & less_here
                equal &= equal_here
            return before, equal
        case t.Array(element):
            return _compare_lists(left, right, element.type)
        case t.Map() | t.Union():
            raise UnsupportedError(type_text(type), message="comparing values of this type is not supported on Arrow")
        case _:
            return flags(less(left, right, False, type)), flags(_equal(left, right, type))


def _nullable(left: Array, right: Array, type: t.Type) -> tuple[Bools, Bools]:
    before, equal = _compare(left, right, type)
    left_null, right_null = flags(pc.is_null(left)), flags(pc.is_null(right))
    both = ~(left_null | right_null)
    return (before & both) | (left_null & ~right_null), (equal & both) | (left_null & right_null)


def _compare_lists(left: Array, right: Array, type: t.Type) -> tuple[Bools, Bools]:
    """Element by element, all rows at once; each step leaves out the rows that are decided."""
    left_lists, right_lists = lists(left), lists(right)
    our_lengths, their_lengths = np.diff(left_lists.offsets), np.diff(right_lists.offsets)
    before = our_lengths < their_lengths
    equal = our_lengths == their_lengths
    rows = np.flatnonzero(np.minimum(our_lengths, their_lengths))
    step = 0
    while len(rows):
        less_here, equal_here = _nullable(
            left_lists.items[0].take(from_numpy(left_lists.offsets[rows] + step)),
            right_lists.items[0].take(from_numpy(right_lists.offsets[rows] + step)),
            type,
        )
        decided = rows[~equal_here]
        before[decided], equal[decided] = less_here[~equal_here], False
        rows = rows[equal_here]
        step += 1
        rows = rows[np.minimum(our_lengths[rows], their_lengths[rows]) > step]
    return before, equal


def _equal(left: Array, right: Array, type: t.Type) -> Array:
    left, right = numbers(conform(left, type)), numbers(conform(right, type))
    mask = pc.equal(left, right)
    if isinstance(type, t.Float | t.Double):
        mask = pc.or_(mask, pc.and_(pc.is_nan(left), pc.is_nan(right)))
    return no_for_null(mask)
