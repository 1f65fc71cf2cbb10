"""Rounding: to whole numbers, and to a number of places."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_HALF_UP
from functools import partial
from typing import Any

from hudi_core.functions import casts, coerce
from hudi_core.functions import parameters as p
from hudi_core.functions.record import Argument, Function, MismatchError, Native, PartialCall, Signature, Stretch
from hudi_core.functions.scalar.cast import cast
from hudi_core.functions.scalar.rounding import round_at, whole
from hudi_core.types import nodes as t
from hudi_core.types.sql import MAX_PRECISION

_WAYS = {"ceil": ROUND_CEILING, "floor": ROUND_FLOOR}


def _signature_of_whole(arguments: Sequence[Argument]) -> Signature | None:
    """A long, or a decimal of a decimal."""
    if len(arguments) > 1:
        return _sign_at_places(arguments)
    data_type = p.numeric(arguments[0])
    match data_type:
        case t.Decimal(precision, scale):
            return Signature(
                (data_type,), t.Decimal(precision - scale + 1) if scale else data_type, None if scale else 0
            )
        case t.Int() | t.Long():
            return Signature((t.Long(),), t.Long(), 0)
        case _:
            return Signature((data_type,), t.Long())


def _sign_at_places(arguments: Sequence[Argument]) -> Signature | None:
    """At a number of places, which has to be a constant, everything is a decimal."""
    places = arguments[1]
    if not places.constant:
        return None
    count = None if places.is_null else cast(places.value, places.type, t.Int())
    if count is None:
        return Signature((), t.Decimal(10), null=True)
    data_type = _take_as_decimal(arguments[0])
    return Signature((data_type, t.Int()), _round_decimal(data_type, count))


def _take_as_decimal(argument: Argument) -> t.Decimal:
    """The decimal that Spark takes a number for."""
    match coerce.sql_equivalent(argument.type):
        case t.Float():
            return t.Decimal(14, 7)
        case t.Double():
            return t.Decimal(30, 15)
        case t.String():
            return t.Decimal(38, 18)
        case t.Int() | t.Long() | t.Decimal() as exact:
            return coerce.as_decimal(exact)
        case other:
            raise MismatchError("a number", other)


def _whole(name: str, values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Any:
    if len(values) > 1:
        return round_at(values[0], values[1], result_type, _WAYS[name])
    return whole(name, values[0])


def _stretches_of_whole(call: PartialCall) -> list[Stretch]:
    if call.variable:
        return []
    return casts.stretches(call) if isinstance(call.result_type, t.Long) else [Stretch(*call.ends)]


def _signature_of_round(arguments: Sequence[Argument]) -> Signature | None:
    """At a number of places that has to be a constant."""
    data_type = p.numeric(arguments[0])
    places: Any = 0
    if len(arguments) > 1:
        argument = arguments[1]
        if not argument.constant:
            return None
        places = None if argument.is_null else cast(argument.value, argument.type, t.Int())
    types = (data_type, t.Int())[: len(arguments)]
    if isinstance(data_type, t.Int | t.Long) and isinstance(places, int) and places >= 0:
        return Signature(types, data_type, 0)
    if isinstance(data_type, t.Decimal) and isinstance(places, int):
        return Signature(types, _round_decimal(data_type, places))
    return Signature(types, data_type)


def _round_decimal(type: t.Decimal, places: int) -> t.Decimal:
    """One digit more before the point, for what rounding up adds."""
    digits = type.precision - type.scale + 1
    if places < 0:
        return t.Decimal(min(max(digits, 1 - places), MAX_PRECISION))
    scale = min(type.scale, places)
    return t.Decimal(min(digits + scale, MAX_PRECISION), scale)


def _round(way: str, values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Any:
    return round_at(values[0], values[1] if len(values) > 1 else 0, result_type, way)


def _stretches_of_round(call: PartialCall) -> list[Stretch]:
    """The stretches of integers none of which rounds beyond the ends, where it would wrap."""
    if call.variable:
        return []
    if not isinstance(call.argument, t.Int | t.Long):
        return [Stretch(*call.ends)]
    half = 10 ** min(max(-call.values[1], 0), 40) // 2
    return [Stretch(call.ends[0] + half, call.ends[1] - half)]


def _to_whole(name: str, *aliases: str) -> Function:
    evaluate = partial(_whole, name)
    return Function(
        *(name, range(1, 3), _signature_of_whole, evaluate),
        aliases=aliases,
        stretches=_stretches_of_whole,
        spark=Native(name, only=(t.Float, t.Double)),
    )


FUNCTIONS = (
    _to_whole("ceil", "ceiling"),
    _to_whole("floor"),
    Function("round", range(1, 3), _signature_of_round, partial(_round, ROUND_HALF_UP), stretches=_stretches_of_round),
    Function(
        "bround", range(1, 3), _signature_of_round, partial(_round, ROUND_HALF_EVEN), stretches=_stretches_of_round
    ),
)
