"""Types whose values stand one after the other, as integers: what bisection over all values of a type needs."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from hudi_core.types import nodes as t
from hudi_core.values.calendar import DAY_SECONDS
from hudi_core.values.domain import EXACT, INT_RANGE, LONG_RANGE


def limits(type: t.Type) -> tuple[int, int] | None:
    """The positions of the least and the greatest value; None for types without neighbours, such as text."""
    match type:
        case t.Boolean():
            return 0, 1
        case t.Int() | t.Date():
            return INT_RANGE
        case t.Long() | t.Timestamp():
            return LONG_RANGE
        case t.Time(unit):
            return 0, DAY_SECONDS * unit.value - 1
        case t.Decimal(precision):
            greatest: int = 10**precision - 1
            return -greatest, greatest
        case t.Float():
            return -_INFINITE_32, _INFINITE_32 + 1
        case t.Double():
            return -_INFINITE_64, _INFINITE_64 + 1
        case _:
            return None


def position(value: Any, type: t.Type) -> int:
    """Where a value stands; of a type that has `limits`. Zero of either sign stands at 0, NaN after infinity."""
    match type:
        case t.Decimal(_, scale):
            return int(EXACT.scaleb(value, scale))
        case t.Float() | t.Double():
            if value != value:
                return (_INFINITE_32 if isinstance(type, t.Float) else _INFINITE_64) + 1
            (bits,) = struct.unpack(*_packed(type, abs(value)))
            return -int(bits) if value < 0 else int(bits)
        case _:
            return int(value)


def value_at(place: int, type: t.Type) -> Any:
    """The value at a position within the `limits`."""
    match type:
        case t.Boolean():
            return bool(place)
        case t.Decimal(_, scale):
            return EXACT.scaleb(Decimal(place), -scale)
        case t.Float() | t.Double():
            if place > (_INFINITE_32 if isinstance(type, t.Float) else _INFINITE_64):
                return math.nan
            code, width = (">f", ">I") if isinstance(type, t.Float) else (">d", ">Q")
            (size,) = struct.unpack(code, struct.pack(width, abs(place)))
            return -float(size) if place < 0 else float(size)
        case _:
            return place


def first_where(start: int, stop: int, holds: Callable[[int], bool]) -> int:
    """The first position from `start` to `stop` where a test holds that holds from there on; `stop + 1` when it never does."""
    stop += 1
    while start < stop:
        middle = (start + stop) // 2
        if holds(middle):
            stop = middle
        else:
            start = middle + 1
    return start


def _packed(type: t.Float | t.Double, size: float) -> tuple[str, bytes]:
    return (">I", struct.pack(">f", size)) if isinstance(type, t.Float) else (">Q", struct.pack(">d", size))


_INFINITE_32 = 0x7F80_0000
_INFINITE_64 = 0x7FF0_0000_0000_0000
