"""Order and equality of Arrow arrays by `hudi_core.values.order`: NaN greatest and equal to itself, text by its bytes.

Answers are masks without nulls: no wherever a value is null.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.arrays import Array, conformed, field, from_values, lists, numbers, repeated
from hudi_core.errors import UnsupportedError
from hudi_core.expr.predicate import Cut
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text

Flags = npt.NDArray[np.bool_]


def below(array: Array, cut: Cut, of: t.Type) -> Array:
    """The value lies below the cut."""
    if isinstance(of, t.Nested):
        less, equal = _compared(array, repeated(cut.value, of, len(array)), of)
        return pa.array((less | equal if cut.after else less) & flags(pc.is_valid(array)))
    array = numbers(conformed(array, of))
    if isinstance(of, t.Float | t.Double) and cut.value != cut.value:
        return pc.is_valid(array) if cut.after else _yes(pc.invert(pc.is_nan(array)))
    return _yes((pc.less_equal if cut.after else pc.less)(array, _scalar(cut.value, of, array.type)))


def one_of(array: Array, values: tuple[object, ...], of: t.Type) -> Array:
    """The value equals one of these."""
    if not values:
        return pa.array(np.zeros(len(array), np.bool_))
    if isinstance(of, t.Nested):
        found = [_compared(array, repeated(value, of, len(array)), of)[1] for value in values]
        return pa.array(np.logical_or.reduce(found) & flags(pc.is_valid(array)))
    array = numbers(conformed(array, of))
    if isinstance(of, t.Float | t.Double):
        # Arrow tells -0.0 from 0.0 here and nowhere else.
        numeric = [v for v in values if v == v]
        wanted = pa.array([*numeric, 0.0, -0.0] if 0.0 in numeric else numeric, array.type)
        found = pc.is_in(array, value_set=wanted, skip_nulls=True)
        return found if len(numeric) == len(values) else pc.or_(found, _yes(pc.is_nan(array)))
    return pc.is_in(array, value_set=numbers(conformed(from_values(values, of), of)).cast(array.type), skip_nulls=True)


def less(left: Array, right: Array, or_equal: bool, of: t.Type) -> Array:
    """`left < right`, or `left <= right`."""
    if isinstance(of, t.Nested):
        before, equal = _compared(left, right, of)
        both = flags(pc.and_(pc.is_valid(left), pc.is_valid(right)))
        return pa.array((before | equal if or_equal else before) & both)
    left, right = numbers(conformed(left, of)), numbers(conformed(right, of))
    found = (pc.less_equal if or_equal else pc.less)(left, right)
    if isinstance(of, t.Float | t.Double):
        last = pc.is_nan(right) if or_equal else pc.and_(pc.is_nan(right), pc.invert(pc.is_nan(left)))
        found = pc.or_(found, pc.and_(last, pc.is_valid(left)))
    return _yes(found)


def flags(mask: Array) -> Flags:
    """A mask as a NumPy array."""
    found: Flags = mask.to_numpy(zero_copy_only=False)
    return found


def _yes(found: Array) -> Array:
    return pc.fill_null(found, False) if found.null_count else found


def _scalar(value: Any, of: t.Type, kind: pa.DataType) -> pa.Scalar:
    return numbers(conformed(from_values([value], of), of)).cast(kind)[0]


def _compared(left: Array, right: Array, of: t.Type) -> tuple[Flags, Flags]:
    """Whether left is less, and whether it is equal, null first; what stands in rows where both are null has no meaning."""
    match of:
        case t.Record(fields):
            before, equal = np.zeros(len(left), np.bool_), np.ones(len(left), np.bool_)
            for number, inner in enumerate(fields):
                less_here, equal_here = _nullable(field(left, number), field(right, number), inner.type)
                before |= equal & less_here
                equal &= equal_here
            return before, equal
        case t.Array(element):
            return _compared_lists(left, right, element.type)
        case t.Map() | t.Union():
            raise UnsupportedError(type_text(of), message="comparing values of this type is not supported on Arrow")
        case _:
            return flags(less(left, right, False, of)), flags(_equal(left, right, of))


def _nullable(left: Array, right: Array, of: t.Type) -> tuple[Flags, Flags]:
    before, equal = _compared(left, right, of)
    left_null, right_null = flags(pc.is_null(left)), flags(pc.is_null(right))
    both = ~(left_null | right_null)
    return (before & both) | (left_null & ~right_null), (equal & both) | (left_null & right_null)


def _compared_lists(left: Array, right: Array, of: t.Type) -> tuple[Flags, Flags]:
    """Element by element, all rows at once; each step leaves out the rows that are decided."""
    ours, theirs = lists(left), lists(right)
    our_lengths, their_lengths = np.diff(ours.offsets), np.diff(theirs.offsets)
    before = our_lengths < their_lengths
    equal = our_lengths == their_lengths
    rows = np.flatnonzero(np.minimum(our_lengths, their_lengths))
    step = 0
    while len(rows):
        less_here, equal_here = _nullable(
            ours.items[0].take(pa.array(ours.offsets[rows] + step)),
            theirs.items[0].take(pa.array(theirs.offsets[rows] + step)),
            of,
        )
        decided = rows[~equal_here]
        before[decided], equal[decided] = less_here[~equal_here], False
        rows = rows[equal_here]
        step += 1
        rows = rows[np.minimum(our_lengths[rows], their_lengths[rows]) > step]
    return before, equal


def _equal(left: Array, right: Array, of: t.Type) -> Array:
    left, right = numbers(conformed(left, of)), numbers(conformed(right, of))
    found = pc.equal(left, right)
    if isinstance(of, t.Float | t.Double):
        found = pc.or_(found, pc.and_(pc.is_nan(left), pc.is_nan(right)))
    return _yes(found)
