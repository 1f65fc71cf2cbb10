"""The bits of ints and longs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from hudi_core.functions import parameters as p
from hudi_core.functions.record import Argument, Function
from hudi_core.functions.scalar.arithmetic import wrap
from hudi_core.types import nodes as t


def _wider(types: Sequence[t.Type]) -> t.Type:
    return t.Long() if any(isinstance(data_type, t.Long) for data_type in types) else t.Int()


def _bits(type: t.Type) -> int:
    return 64 if isinstance(type, t.Long) else 32


def _operator(symbol: str, rule: Callable[[Any, Any], Any]) -> Function:
    sign = p.signature(p.integral, p.integral, gives=_wider)
    return Function(symbol, range(2, 3), sign, p.of_values(rule), counts=True)


def _long_or_integer(argument: Argument) -> t.Type:
    """A value whose bits are shifted: what is no integer is cast to int, however large."""
    return p.integral(argument) if isinstance(argument.type, t.Int | t.Long) else p.integer(argument)


def _shift(name: str, rule: Callable[[int, int, int], int]) -> Function:
    """The number of places to shift by: the lowest bits of the second argument."""

    def evaluate(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> int:
        bits = _bits(result_type)
        return wrap(rule(values[0], values[1] % bits, bits), bits)

    return Function(name, range(2, 3), p.signature(_long_or_integer, p.integer, gives=p.first), evaluate)


def _count(value: int) -> int:
    """Ones among 64 bits, of ints too."""
    return (int(value) % (1 << 64)).bit_count()


def _bit(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> int | None:
    value, place = values
    return value >> place & 1 if 0 <= place < _bits(types[0]) else None


FUNCTIONS = (
    _operator("&", operator.and_),
    _operator("|", operator.or_),
    _operator("^", operator.xor),
    Function("~", range(1, 2), p.signature(p.integral, gives=p.first), p.of_values(operator.invert), counts=True),
    _shift("shiftleft", lambda value, places, bits: value << places),
    _shift("shiftright", lambda value, places, bits: value >> places),
    _shift("shiftrightunsigned", lambda value, places, bits: value % (1 << bits) >> places),
    Function("bit_count", range(1, 2), p.signature(p.integral, gives=t.Int()), p.of_values(_count)),
    Function("getbit", range(2, 3), p.signature(p.integral, p.integer, gives=t.Int()), _bit, aliases=("bit_get",)),
)
