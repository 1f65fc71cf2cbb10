"""The functions of `hudi_core.functions` on Arrow arrays: by a kernel of the same meaning, else by the record's own meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow import nested, text
from hudi_arrow.arithmetic import arithmetic, compute_unwrapped, fit
from hudi_arrow.arrays import Array, conform, plain
from hudi_arrow.casts import cast, digits, try_integers
from hudi_arrow.distinct import by_distinct
from hudi_arrow.integers import count, integers, with_nulls
from hudi_arrow.numpy_arrays import from_numpy, has_value, to_numpy, to_scalar
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
_MOST_PLACES = 15
_SURE = 2.0**36
_NEAR_HALF = 2.0**-12


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


def _replace(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    """Replaces constants by ones that are not longer: texts that grow have a longest length."""
    value, *others = arguments
    constants = [_constant(other) for other in others] + [""]
    part, by = constants[:2]
    if part is None or by is None or len(by.encode()) > len(part.encode()):
        return None
    return pc.replace_substring(plain(value), part, by) if part else value


def _constant(array: Array) -> Any:
    """The value that is in every row; None where rows differ or one is null."""
    is_one = len(array) and not array.null_count and pc.all(pc.equal(array, array[0])).as_py()
    return array[0].as_py() if is_one else None


def _pmod(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    """Gives the remainder of integers, raised by the divisor where it is negative."""
    if not isinstance(result, t.Int | t.Long):
        return None
    kinds = (result, result)
    rest = arithmetic("%", arguments, types, result)
    divisor = conform(arguments[1], types[1]).cast(to_arrow(result))
    raised = arithmetic("%", [arithmetic("+", [rest, divisor], kinds, result), divisor], kinds, result)
    return pc.if_else(pc.less(rest, to_scalar(0, rest.type)), raised, rest)


def _round(arguments: Sequence[Array], types: Types, result: t.Type) -> Array | None:
    """Rounds decimals and doubles at a constant number of places behind the point."""
    places = 0 if len(arguments) == 1 else _constant(arguments[1])
    if places is None or not 0 <= places <= _MOST_PLACES:
        return None
    match types[0], result:
        case t.Decimal(precision, scale), t.Decimal():
            return fit(arguments[0].cast(pa.decimal256(precision + 1, scale)), result)
        case t.Double(), t.Double():
            return _round_doubles(arguments, types, places)
        case _:
            return None


def _round_doubles(arguments: Sequence[Array], types: Types, places: int) -> Array:
    """Where the shifted value is small and far enough from a half, the digits that it is computed with cannot change the whole
    number next to it, and this divided by a power of ten is the nearest double. The other rows count by themselves."""
    values = to_numpy(arguments[0])
    with np.errstate(invalid="ignore", over="ignore"):
        shifted = values * 10.0**places
        whole = np.rint(shifted)
        is_clear = (np.abs(shifted) < _SURE) & (np.abs(np.abs(shifted - whole) - 0.5) > _NEAR_HALF)
        rounded = whole / 10.0**places + 0.0
    unclear = np.flatnonzero(~is_clear & has_value(arguments[0]))
    if len(unclear):
        meaning = registry.function("round")
        rows = [argument.take(from_numpy(unclear)) for argument in arguments]
        rounded[unclear] = to_numpy(
            by_distinct(lambda *row: meaning.apply(row, types, types[0]), rows, types, types[0])
        )
    return with_nulls(rounded, arguments[0], pa.float64())


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
    "try_cast": lambda arguments, types, result: try_integers(arguments[0], types[0], result),
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
    "replace": _replace,
    "round": _round,
    "pmod": _pmod,
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
