"""One value from a type to another: exactly the ways of `types.promote`, on values in the form of `values.domain`."""

from __future__ import annotations

import decimal
from collections.abc import Callable
from typing import Any, Final, NoReturn, assert_never

from hudi_core.errors import SchemaError
from hudi_core.types import nodes as t
from hudi_core.types.promote import CastKind, promotion
from hudi_core.types.text import text as type_text
from hudi_core.values.calendar import DAY_SECONDS
from hudi_core.values.domain import EXACT, LONG_RANGE, fits_decimal, round_decimal, to_binary32
from hudi_core.values.text import parse_text, to_text

_MOST_SHOWN: Final = 60


def cast(from_: t.Type, to: t.Type) -> Callable[[Any], Any]:
    """The function that reads a value of `from_` as one of `to`; null stays null.

    Raises `SchemaError` when there is no such promotion; the function raises it for a value without a counterpart.

    >>> cast(t.Float(), t.Double())(0.10000000149011612)
    0.1
    >>> cast(t.Decimal(5, 2), t.Decimal(9, 4))(decimal.Decimal("1.50"))
    Decimal('1.5000')
    """
    rule = promotion(from_, to)
    if rule is None:
        raise SchemaError(expected=f"a type that can be read as {type_text(to)}", found=type_text(from_))
    convert = _function(rule.cast, from_, to)
    return lambda value: None if value is None else convert(value)


def _function(how: CastKind, from_: Any, to: Any) -> Callable[[Any], Any]:
    match how:
        case CastKind.SAME | CastKind.WIDEN | CastKind.RELABEL:
            return lambda value: value
        case CastKind.TO_FLOAT:
            return lambda value: nearest_binary32(value)
        case CastKind.TO_DOUBLE:
            return float
        case CastKind.FLOAT_TO_DOUBLE:
            return lambda value: float(to_text(value, from_))
        case CastKind.TO_TEXT:
            return lambda value: to_text(value, from_)
        case CastKind.ENCODE:
            return lambda value: value.encode("utf-8")
        case CastKind.DECODE:
            return lambda value: _decode(value, from_, to)
        case CastKind.TO_DECIMAL:
            return lambda value: _to_decimal(value, from_, to)
        case CastKind.PARSE_DECIMAL | CastKind.PARSE_DATE | CastKind.PARSE_UUID | CastKind.SYMBOL:
            return lambda value: parse_text(value, to)
        case CastKind.BY_TEXT:
            return lambda value: _by_text(value, from_, to)
        case CastKind.NEVER:
            return lambda value: _never(value, from_, to)
        case CastKind.RESCALE:
            return lambda value: _rescale(value, from_, to)
        case CastKind.UNIT:
            return lambda value: _in_long(value * to.unit.value // from_.unit.value, value, from_, to)
        case CastKind.MIDNIGHT:
            return lambda value: _in_long(value * DAY_SECONDS * to.unit.value, value, from_, to)
        case _:
            assert_never(how)


def nearest_binary32(value: int) -> float:
    """The binary32 number nearest to an integer, ties to even.

    Not by way of binary64, which rounds twice: 2**60 + 2**36 + 1 lies above the middle of two binary32 numbers, yet its
    nearest binary64 number is the middle.
    """
    excess = max(value.bit_length() - 24, 0) if value >= 0 else max((-value).bit_length() - 24, 0)
    if not excess:
        return float(value)
    half, rest = 1 << (excess - 1), value & ((1 << excess) - 1)
    rounded = value >> excess
    return to_binary32(float((rounded + (rest > half or (rest == half and rounded & 1))) << excess))


def _decode(value: bytes, from_: t.Type, to: t.Type) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        raise _make_refusal(value, from_, to) from None


def _by_text(value: Any, from_: t.Type, to: t.Type) -> Any:
    text = _decode(value, from_, to) if isinstance(from_, t.Binary) else to_text(value, from_)
    return text.encode("utf-8") if isinstance(to, t.Binary) else parse_text(text, to)


def _never(value: object, from_: t.Type, to: t.Type) -> NoReturn:
    raise _make_refusal(value, from_, to)


def _to_decimal(value: int | float, from_: t.Type, to: t.Decimal) -> decimal.Decimal:
    exact = decimal.Decimal(value if isinstance(value, int) else to_text(value, from_))
    if exact.is_finite() and exact.adjusted() <= to.precision:
        rounded = round_decimal(exact, to)
        if rounded is not None:
            return rounded
    raise _make_refusal(value, from_, to)


def _rescale(value: decimal.Decimal, from_: t.Type, to: t.Decimal) -> decimal.Decimal:
    rescaled = value.quantize(decimal.Decimal((0, (1,), -to.scale)), context=EXACT)
    if rescaled != value or not fits_decimal(rescaled, to):
        raise _make_refusal(value, from_, to)
    return rescaled


def _in_long(result: int, value: object, from_: t.Type, to: t.Type) -> int:
    if not LONG_RANGE[0] <= result <= LONG_RANGE[1]:
        raise _make_refusal(value, from_, to)
    return result


def _make_refusal(value: object, from_: t.Type, to: t.Type) -> SchemaError:
    shown = repr(value)
    shown = shown if len(shown) <= _MOST_SHOWN else f"{shown[: _MOST_SHOWN - 3]}..."
    return SchemaError(expected=f"a {type_text(from_)} that can be read as {type_text(to)}", found=shown)
