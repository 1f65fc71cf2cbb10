"""A function of values on an Arrow array, called once for each distinct value.

For what Arrow has no kernel for, or one of another meaning: texts of floats, parsing, letters outside ASCII.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hudi_arrow.arrays import Array, from_values, plain, to_values
from hudi_arrow.numpy_arrays import from_numpy, has_value, to_numpy
from hudi_core.types.nodes import Nested, Type


def map_values(array: Array, rule: Callable[[Any], Any], source: Type, to: Type) -> Array:
    """The result of a rule for each value of one column; null stays null."""
    if isinstance(source, Nested):  # Arrow keeps no dictionaries of these
        return from_values([None if value is None else rule(value) for value in to_values(array, source)], to)
    coded = plain(array).dictionary_encode()
    return from_values([rule(value) for value in to_values(coded.dictionary, source)], to).take(coded.indices)


def by_distinct(
    function: Callable[..., Any], arrays: Sequence[Array], types: Sequence[Type], result: Type, strict: bool = True
) -> Array:
    """`function` of the rows' values, in the form of `hudi_core.values.domain`.

    Null where any of them is null; unless it is `strict`, the function is called with nulls too.
    """
    if not arrays or any(isinstance(source, Nested) for source in types):
        return _by_rows(function, arrays, types, result, strict)
    coded = [plain(array).dictionary_encode() for array in arrays]
    count = len(coded[0])
    combined = np.zeros(count, np.int64)
    known = np.ones(count, np.bool_)
    for column in coded:
        known_here = has_value(column)
        codes = to_numpy(column.indices).astype(np.int64)
        combined = combined * (len(column.dictionary) + 1) + np.where(known_here, codes, len(column.dictionary))
        # Numbered again after each column, so that the product of the counts never overflows.
        _, combined = np.unique(combined, return_inverse=True)
        known &= known_here
    present = np.flatnonzero(known) if strict else np.arange(count)
    numbers, first, inverse = np.unique(combined[present], return_index=True, return_inverse=True)
    chosen = from_numpy(present[first])
    inputs = [
        to_values(column.dictionary.take(column.indices.take(chosen)), source)
        for column, source in zip(coded, types, strict=True)
    ]
    if not len(numbers):
        return from_values([None] * count, result)
    results = from_values([function(*row) for row in zip(*inputs, strict=True)], result)
    places = np.zeros(count, np.int64)
    places[present] = inverse
    return results.take(from_numpy(places, ~known if strict else None))


def _by_rows(
    function: Callable[..., Any], arrays: Sequence[Array], types: Sequence[Type], result: Type, strict: bool
) -> Array:
    """Arrow keeps no dictionaries of nested values."""
    rows = zip(*(to_values(array, source) for array, source in zip(arrays, types, strict=True)), strict=True)
    return from_values([None if strict and None in row else function(*row) for row in rows], result)
