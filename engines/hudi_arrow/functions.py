"""The functions of `hudi_core.functions` on Arrow arrays: by a kernel of the same meaning, else by the record's own meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow import nested, text
from hudi_arrow.arithmetic import arithmetic, compute_unwrapped, fit
from hudi_arrow.arrays import Array, conform
from hudi_arrow.casts import cast, digits
from hudi_arrow.distinct import by_distinct
from hudi_arrow.integers import count, integers, with_nulls
from hudi_arrow.types import to_arrow
from hudi_core.by_need import ModuleByNeed
from hudi_core.functions.record import Function, Types
from hudi_core.functions.scalar.patterns import MICROS, date_pattern
from hudi_core.types import nodes as t
from hudi_core.values.domain import LONG_RANGE

if TYPE_CHECKING:
    from hudi_core.functions import registry
else:
    registry = ModuleByNeed("hudi_core.functions.registry")  # most predicates call no function

Kernel = Callable[[Sequence[Array], Types, t.Type], Array | None]
"""Arguments, their types and the result's to the result; None for types that the kernel does not serve."""
_STRINGS = (t.String, t.Enumeration)


def apply(function: Function, arguments: Sequence[Array], types: Types, result: t.Type) -> Array:
    """The function's values. Texts may come dictionary-encoded."""
    arguments = [conform(argument, source) for argument, source in zip(arguments, types, strict=True)]
    kernel = KERNELS.get(function.name)
    answer = None if kernel is None else kernel(arguments, types, result)
    if answer is None and function.counts:
        answer = count(function, arguments, types, result)
    if answer is None:
        answer = by_distinct(
            lambda *values: function.apply(values, types, result), arguments, types, result, function.strict
        )
    return answer


def _cast(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    if isinstance(types[0], t.Int | t.Long) and isinstance(result, t.String):
        return digits(arguments[0])
    return cast(arguments[0], types[0], result)


def _whole(kernel: Callable[[Array], Array], arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    """CEIL or FLOOR of reals and decimals, to whole numbers."""
    if len(arguments) > 1:
        return None
    match types[0], result:
        case (t.Float() | t.Double()) as source, t.Long():
            return cast(kernel(arguments[0]), source, result)
        case t.Decimal(precision, scale), t.Decimal():
            return fit(kernel(arguments[0].cast(pa.decimal256(precision + 1, scale))), result)
        case _:
            return None


def _case(upper: bool, arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    return text.change_case(arguments[0], upper) if isinstance(types[0], _STRINGS) else None


def _length(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    held = isinstance(types[0], (*_STRINGS, t.Binary, t.Fixed))
    return text.length(arguments[0]) if held else None


def _substring(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    if not isinstance(types[0], t.String | t.Binary):
        return None
    return text.substring(arguments[0], arguments[1], arguments[2] if len(arguments) > 2 else None)


def _concat(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    return text.concat(list(arguments), to_arrow(result)) if isinstance(types[0], t.String | t.Binary) else None


def _trim(
    arguments: Sequence[Array], types: Types, result: t.Type, left: bool = True, right: bool = True
) -> Array | None:
    plain = len(types) == 1 and isinstance(types[0], t.String)
    return text.trim(arguments[0], left=left, right=right) if plain else None


def _date_format(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    """Points in time with one text are made one first, so that few are left to write out."""
    patterns, source = pc.unique(arguments[1].drop_null()).to_pylist(), types[0]
    if not isinstance(source, t.Timestamp) or len(patterns) != 1:
        return None
    step = max(date_pattern(patterns[0]).step * source.unit.value // MICROS, 1)
    ticks = integers(arguments[0])
    first = np.where(ticks >= LONG_RANGE[0] + step, ticks - ticks % step, ticks)
    starts = with_nulls(first, arguments[0], pa.int64()).view(to_arrow(source))
    meaning = registry.function("date_format")
    return by_distinct(lambda *values: meaning.apply(values, types, result), [starts, arguments[1]], types, result)


KERNELS: dict[str, Kernel] = {
    "cast": _cast,
    **{symbol: partial(arithmetic, symbol) for symbol in ("+", "-", "*", "/", "%", "negative", "abs")},
    "div": partial(arithmetic, "/"),
    "try_add": partial(compute_unwrapped, "+"),
    "try_subtract": partial(compute_unwrapped, "-"),
    "try_multiply": partial(compute_unwrapped, "*"),
    "ceil": partial(_whole, pc.ceil),
    "floor": partial(_whole, pc.floor),
    "lower": partial(_case, False),
    "upper": partial(_case, True),
    "length": _length,
    "substring": _substring,
    "concat": _concat,
    "trim": _trim,
    "ltrim": partial(_trim, right=False),
    "rtrim": partial(_trim, left=False),
    "date_format": _date_format,
    "size": nested.size,
    "[]": nested.part,
    "element_at": nested.element_at,
    "array_contains": nested.contains,
    "->": nested.beside,
    "->*": nested.spread,
    "#": nested.places,
    "(,)": nested.pairs,
    "map_entries": nested.entries,
    "map_keys": nested.keys,
    "map_values": nested.values,
    "map_contains_key": nested.contains_key,
    "arrays_overlap": nested.overlap,
    "array_distinct": nested.union,
    "array_union": nested.union,
    "array_intersect": nested.intersection,
    "array_except": nested.difference,
    "exists": nested.exists,
    "forall": nested.for_all,
    "filter": nested.filter_lists,
}
