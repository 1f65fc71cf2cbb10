"""Every pair of types that stored values are read across, one promotion of the table at a time, and values at their ends."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from decimal import Decimal
from itertools import product
from typing import Any

from hudi_core.functions.scalar.cast import can_cast
from hudi_core.types import nodes as t
from hudi_core.types.promote import Promotion, promotion
from hudi_core.types.text import text as type_text
from hudi_core.values.domain import INT_RANGE, LONG_RANGE, to_binary32
from tests.support.evolution import PRIMITIVES

Pair = tuple[t.Type, t.Type]

TYPES: tuple[t.Type, ...] = (
    *PRIMITIVES,
    t.Time(t.Unit.NANOS),
    t.Uuid(t.Fixed(16)),
    t.Decimal(3, 1),
    t.Decimal(19, 0),
    t.Decimal(38, 30),
    t.Decimal(38, 10),
    t.Decimal(12, 2, t.Fixed(10)),
)
"""So many that each line of the table of promotions is taken by a pair of them."""


def _by_promotion() -> dict[tuple[type, type, Promotion], list[Pair]]:
    found: dict[tuple[type, type, Promotion], list[Pair]] = {}
    for source, to in product(TYPES, TYPES):
        way = promotion(source, to)
        if way is not None:
            found.setdefault((type(source), type(to), way), []).append((source, to))
    return found


PAIRS = _by_promotion()
"""The pairs of types by what decides how they are read: the kinds of both, and the promotion."""


def named(key: tuple[type, type, Promotion]) -> str:
    """An id for people."""
    source, to, way = key
    return f"{source.__name__}-{to.__name__}-{way.cast.name}-{way.loss.name}".lower()


_OF_EACH_KIND: tuple[t.Type, ...] = tuple(
    {(type(of), getattr(of, "unit", None), getattr(of, "zoned", None)): of for of in reversed(TYPES)}.values()
)
CASTS: list[Pair] = [(source, to) for source, to in product(_OF_EACH_KIND, _OF_EACH_KIND) if can_cast(source, to)]
"""The pairs of kinds that SQL casts, a type of each."""


def casts_named(pair: Pair) -> str:
    """An id for people."""
    return "-".join(type_text(of) for of in pair)


_TEXTS = (
    "", "a", "é", "\U0001f600", "RED", "GREEN", "BLUE", "red", "0", "-0", "12.5", "1e3", " 7 ", "0.005",
    "99999999999999999999.99", "2024-02-29", "2023-02-29", "1970-01-01", "2024-2-9", "123e4567-e89b-12d3-a456-426614174000",
    "123E4567-E89B-12D3-A456-426614174000", "NaN", "true",
)  # fmt: skip
_REALS = (
    0.0,
    -0.0,
    1.5,
    -2.0,
    0.1,
    2.5,
    0.005,
    16_777_217.0,
    1e7,
    1e-3,
    9.999e-4,
    1e22,
    123456789.125,
    math.nan,
    math.inf,
    -math.inf,
)
_DOUBLES = (5e-324, 1.7976931348623157e308, 2.0**63)
_FLOATS = (1.401298464324817e-45, 3.4028234663852886e38, 2.0**63)


def values_at_the_ends(of: t.Type) -> Sequence[Any]:
    """Values of a primitive type at its ends and where rules change: none is null."""
    match of:
        case t.Boolean():
            return [True, False]
        case t.Int():
            return [*INT_RANGE, -1, 0, 1, 7, 16_777_217]
        case t.Long():
            return [*LONG_RANGE, -1, 0, 1, 7, *INT_RANGE, (1 << 53) + 1, (1 << 60) + (1 << 36) + 1]
        case t.Float():
            return [to_binary32(value) for value in (*_REALS, *_FLOATS)]
        case t.Double():
            return [*_REALS, *_DOUBLES]
        case t.Date():
            return [0, -1, 1, 19_782, 2_932_896, -719_162, *INT_RANGE]
        case t.Time(unit):
            return [0, 1, unit.value, 86_400 * unit.value - 1, 43_200 * unit.value + unit.value // 2]
        case t.Timestamp(unit):
            moment = 1_709_210_096 * unit.value
            return [0, 1, -1, moment, -moment, moment + unit.value - 1, -unit.value - 1, *LONG_RANGE]
        case t.String():
            return _TEXTS
        case t.Binary():
            return [*(text.encode() for text in _TEXTS), b"\xff", b"\xc3"]
        case t.Fixed(size):
            return [bytes(size), b"\xff" * size, bytes(range(size))]
        case t.Uuid():
            return ["00000000-0000-0000-0000-000000000000", "123e4567-e89b-12d3-a456-426614174000"]
        case t.Decimal(precision, scale):
            most = 10**precision - 1
            return [_scaled(number, scale) for number in (0, 1, -1, 5, most, -most, most // 3, most // 2)]
        case t.Enumeration(symbols):
            return symbols
        case t.Vector(dimension, element):
            size = dimension * element.value
            return [bytes(size), struct.pack("<d", 1.5)[:1] * size]
        case _:
            raise TypeError(type(of).__name__)


def _scaled(unscaled: int, scale: int) -> Decimal:
    return Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -scale))
