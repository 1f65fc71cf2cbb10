"""A function of values on an Arrow array, called once for each distinct value.

For what Arrow has no kernel for, or one of another meaning: texts of floats, parsing, letters outside ASCII.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.arrays import Array, from_values, plain, to_values
from hudi_core.types.nodes import Nested, Type


def mapped(array: Array, rule: Callable[[Any], Any], source: Type, to: Type) -> Array:
    """What a rule makes of each value of one column; null stays null."""
    if isinstance(source, Nested):  # Arrow keeps no dictionaries of these
        return from_values([None if value is None else rule(value) for value in to_values(array, source)], to)
    coded = plain(array).dictionary_encode()
    return from_values([rule(value) for value in to_values(coded.dictionary, source)], to).take(coded.indices)


def by_distinct(function: Callable[..., Any], arrays: Sequence[Array], types: Sequence[Type], of: Type) -> Array:
    """`function` of the rows' values, in the form of `hudi_core.values.domain`; null where any of them is null."""
    coded = [plain(array).dictionary_encode() for array in arrays]
    known = reduce(pc.and_, (pc.is_valid(column) for column in coded))
    combined = np.zeros(len(known), np.int64)
    for column in coded:
        codes = pc.fill_null(column.indices, 0).to_numpy().astype(np.int64)
        combined = combined * max(len(column.dictionary), 1) + codes
        # Numbered anew after each column, so that the product of the counts never overflows.
        _, combined = np.unique(combined, return_inverse=True)
    rows = known.to_numpy(zero_copy_only=False)
    present = np.flatnonzero(rows)
    numbers, first, inverse = np.unique(combined[present], return_index=True, return_inverse=True)
    chosen = pa.array(present[first])
    inputs = [
        to_values(column.dictionary.take(column.indices.take(chosen)), source)
        for column, source in zip(coded, types, strict=True)
    ]
    found = from_values([function(*row) for row in zip(*inputs, strict=True)], of)
    places = np.zeros(len(rows), np.int64)
    places[present] = inverse
    if not len(numbers):
        return from_values([None] * len(rows), of)
    return found.take(pa.array(places, mask=~rows))
