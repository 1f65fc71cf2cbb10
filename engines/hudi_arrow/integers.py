"""Numbers, dates and ticks of Arrow arrays as NumPy arrays, and functions of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.arrays import Array, numbers, plain
from hudi_arrow.numpy_arrays import from_numpy, has_value, to_numpy
from hudi_arrow.types import to_arrow
from hudi_core.arrays import Bools, Numbers
from hudi_core.functions.record import Function
from hudi_core.types import nodes as t

_COUNTED = (t.Int, t.Long, t.Date, t.Time, t.Timestamp)


def integers(array: Array) -> Numbers:
    """The numbers of an array of integers, dates or ticks; zero where it is null."""
    return to_numpy(numbers(plain(array))).astype(np.int64)


def with_nulls(values: npt.NDArray[np.generic], like: Array, kind: pa.DataType, also: Bools | None = None) -> Array:
    """An array of the values, null where `like` is, and where `also` is true."""
    nulls = ~has_value(like)
    return from_numpy(values, nulls if also is None else nulls | also).cast(kind)


def count(function: Function, arguments: Sequence[Array], types: Sequence[t.Type], result: t.Type) -> Array | None:
    """A function that `counts`, of whole numbers, and of strings that are the same in every row; None for any others."""
    values: list[Any] = []
    for argument, source in zip(arguments, types, strict=True):
        if isinstance(source, _COUNTED):
            values.append(integers(argument))
            continue
        strings = pc.unique(argument.drop_null()) if isinstance(source, t.String) else argument
        if not isinstance(source, t.String) or len(strings) > 1:
            return None
        values.append(strings[0].as_py() if len(strings) else "")
    if not any(isinstance(source, _COUNTED) for source in types):
        return None
    kind, count = to_arrow(result), len(arguments[0])
    nulls = [~has_value(argument) for argument in arguments if argument.null_count]
    if not count or any(flags.all() for flags in nulls):
        return pa.nulls(count, kind)
    answer = function.evaluate(values, types, result)
    if answer is None:
        return pa.nulls(count, kind)
    if isinstance(answer, tuple):
        answer, known = answer
        nulls.append(~known)
    held = answer.astype(np.int32 if kind.bit_width == 32 else np.int64, copy=False)
    return from_numpy(held, np.logical_or.reduce(nulls) if nulls else None).view(kind)
