"""Arithmetic on Arrow arrays, with the answers of `hudi_core.functions.scalar.arithmetic`."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.arrays import Array, conform
from hudi_arrow.distinct import by_distinct
from hudi_arrow.numpy_arrays import from_numpy, to_numpy, to_scalar
from hudi_arrow.types import to_arrow
from hudi_core.functions.scalar import arithmetic as scalar
from hudi_core.types import nodes as t

_MAX_DIGITS = 76
"""Digits of Arrow's widest decimal."""


def arithmetic(symbol: str, operands: Sequence[Array], types: Sequence[t.Type], result: t.Type) -> Array:
    """One operation in the arithmetic of the result's type."""
    operands = [conform(array, source) for array, source in zip(operands, types, strict=True)]
    match result:
        case t.Int() | t.Long():
            return _on_integers(symbol, [array.cast(to_arrow(result), safe=False) for array in operands])
        case t.Float() | t.Double():
            return _on_floats(symbol, [_real(array, to_arrow(result)) for array in operands])
        case t.Decimal() if symbol in _ON_DECIMALS and all(isinstance(source, t.Decimal) for source in types):
            exact = _on_decimals(symbol, list(operands), result)
            if exact is not None:
                return exact
    return by_distinct(
        lambda *values: scalar.arithmetic(symbol, list(values), list(types), result), operands, types, result
    )


def compute_unwrapped(symbol: str, operands: Sequence[Array], types: Sequence[t.Type], result: t.Type) -> Array | None:
    """Arithmetic of integers of which none wraps around; None for other types, and where one does: each row counts by itself."""
    if not isinstance(result, t.Int | t.Long):
        return None
    try:
        return _CHECKED[symbol](
            *(conform(array, source).cast(to_arrow(result)) for array, source in zip(operands, types, strict=True))
        )
    except pa.ArrowInvalid:
        return None


_CHECKED = {"+": pc.add_checked, "-": pc.subtract_checked, "*": pc.multiply_checked}


def _on_integers(symbol: str, operands: list[Array]) -> Array:
    left, right = operands[0], operands[-1]
    match symbol:
        case "/" | "%":
            # The one quotient that does not fit, least / -1, wraps to the least, as its negation does.
            minus_one, zero = (pc.equal(right, to_scalar(value, right.type)) for value in (-1, 0))
            divisor = pc.if_else(pc.or_(zero, minus_one), to_scalar(None, right.type), right)
            quotient = pc.if_else(minus_one, pc.negate(left), pc.divide(left, divisor))
            return quotient if symbol == "/" else pc.subtract(left, pc.multiply(quotient, right))
        case _:
            return _KERNELS[symbol](*operands)


def _on_floats(symbol: str, operands: list[Array]) -> Array:
    left, right = operands[0], operands[-1]
    match symbol:
        case "/":
            return pc.divide(left, _without_zeros(right))
        case "%":
            known = pc.and_(pc.is_valid(left), pc.is_valid(_without_zeros(right)))
            divisor = pc.if_else(known, right, to_scalar(1.0, right.type))
            with np.errstate(invalid="ignore"):
                remainder = np.fmod(to_numpy(left), to_numpy(divisor))
            return pc.if_else(known, from_numpy(remainder), to_scalar(None, left.type))
        case _:
            return _KERNELS[symbol](*operands)


def _on_decimals(symbol: str, operands: list[Array], result: t.Decimal) -> Array | None:
    """Exact in 76 digits, then rounded half up; None when 76 digits may be too few."""
    kinds = [array.type for array in operands]
    if symbol == "*":
        needed = sum(kind.precision for kind in kinds) + 1
    else:
        needed = max(kind.precision - kind.scale for kind in kinds) + max(kind.scale for kind in kinds) + 1
    # Rounding up may add a digit, and rescaling to more decimals adds those.
    if needed + 1 + max(result.scale - sum(kind.scale for kind in kinds), 0) > _MAX_DIGITS:
        return None
    wide = [array.cast(pa.decimal256(kind.precision, kind.scale)) for array, kind in zip(operands, kinds, strict=True)]
    exact = _KERNELS[symbol](*wide)
    return fit(exact, result)


def fit(exact: Array, type: t.Decimal) -> Array:
    """Decimals of up to 76 digits at the type's scale, half rounded away from zero, null where they have too many digits."""
    scale, whole = exact.type.scale, type.precision - type.scale
    if scale > type.scale:
        room = pa.decimal256(min(exact.type.precision + 1, _MAX_DIGITS), scale)
        exact = pc.round(exact.cast(room), type.scale, "half_towards_infinity")
    if whole + 1 + scale <= _MAX_DIGITS:
        limit = to_scalar(Decimal((0, (1,), whole)), pa.decimal256(whole + 1 + scale, scale))
        exact = pc.if_else(pc.less(pc.abs(exact), limit), exact, to_scalar(None, exact.type))
    return exact.cast(pa.decimal256(_MAX_DIGITS, type.scale), safe=False).cast(to_arrow(type))


def _real(array: Array, to: pa.DataType) -> Array:
    # By way of text, decimals are rounded once and correctly.
    return (
        array.cast(pa.string()).cast(pa.float64()).cast(to)
        if pa.types.is_decimal(array.type)
        else array.cast(to, safe=False)
    )


def _without_zeros(array: Array) -> Array:
    return pc.if_else(pc.equal(array, to_scalar(0.0, array.type)), to_scalar(None, array.type), array)


_KERNELS = {
    "+": pc.add,
    "-": pc.subtract,
    "*": pc.multiply,
    "negative": pc.negate,
    "abs": pc.abs,
}
_ON_DECIMALS = frozenset(_KERNELS)
