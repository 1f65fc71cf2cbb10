"""Timestamps as counts of seconds, milliseconds and microseconds, and moved by units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from hudi_core.functions import parameters as p
from hudi_core.functions.calendar import MICROS, micros_of, months_later, towards_zero
from hudi_core.functions.dates import everywhere
from hudi_core.functions.record import Argument, FirstNotBelow, Function, PartialCall, Signature, Zone
from hudi_core.functions.scalar.cast import cast
from hudi_core.types import nodes as t
from hudi_core.values.calendar import DAY_SECONDS, civil_from_days, days_from_civil
from hudi_core.values.domain import EXACT

_DAY_MICROS = DAY_SECONDS * MICROS
_SPANS = {
    "MICROSECOND": 1, "MILLISECOND": 1_000, "SECOND": MICROS, "MINUTE": 60 * MICROS, "HOUR": 3_600 * MICROS,
    "DAY": _DAY_MICROS, "DAYOFYEAR": _DAY_MICROS, "WEEK": 7 * _DAY_MICROS,
}  # fmt: skip
"""Microseconds of the units of one length."""
_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}


def _count_since(name: str, micros: int, *aliases: str) -> Function:
    """How many units have passed since 1970, cut down."""
    return Function(
        *(name, range(1, 2), p.signature(p.moment, gives=t.Long())),
        lambda values, types, result_type: micros_of(values[0], types[0]) // micros,
        aliases=aliases,
        stretches=everywhere,
    )


def _from_count(name: str, micros: int, kind: p.Kind) -> Function:
    def evaluate(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> int | None:
        if isinstance(types[0], t.Long | t.Int):
            return p.within_long(values[0] * micros)
        if isinstance(types[0], t.Decimal):
            return p.within_long(int(EXACT.multiply(values[0], Decimal(micros))))
        result = cast(values[0], types[0], result_type)
        return None if result is None else int(result)

    def edge(call: PartialCall) -> FirstNotBelow | None:
        if not isinstance(call.argument, t.Int | t.Long):
            return None
        return lambda value, after: value // micros + 1 if after else -(-value // micros)

    def stretches(call: PartialCall) -> Any:
        return everywhere(call) if isinstance(call.argument, t.Int | t.Long) else ()

    sign = p.signature(kind, gives=t.Timestamp())
    return Function(name, range(1, 2), sign, evaluate, stretches=stretches, edge=edge)


# ---- units


def _unit(arguments: Sequence[Argument]) -> str | None:
    unit = p.find_known_string(arguments[0])
    return unit.upper() if unit is not None and unit.upper() in {*_SPANS, *_MONTHS} else None


def _in_micros(argument: Argument) -> t.Timestamp:
    data_type = argument.type
    if not isinstance(data_type, t.Timestamp):
        return t.Timestamp()
    return data_type if data_type.unit.value >= MICROS else replace(data_type, unit=t.Unit.MICROS)


def _signature_of_adding(arguments: Sequence[Argument]) -> Signature | None:
    data_type = _in_micros(arguments[2])
    return None if _unit(arguments) is None else Signature((t.String(), t.Long(), data_type), data_type)


def _add(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> int | None:
    unit, count, ticks = values
    assert isinstance(result_type, t.Timestamp)
    per_micro = result_type.unit.value // MICROS
    if unit.upper() in _SPANS:
        return p.within_long(ticks + count * _SPANS[unit.upper()] * per_micro)
    days, within = divmod(ticks, _DAY_MICROS * per_micro)
    return p.within_long(months_later(days, count * _MONTHS[unit.upper()]) * _DAY_MICROS * per_micro + within)


def _stretches_of_adding(call: PartialCall) -> Any:
    fixed = call.variable == 2 and call.values[0].upper() in _SPANS
    return everywhere(call) if fixed else ()


def _edge_of_adding(call: PartialCall) -> FirstNotBelow:
    assert isinstance(call.result_type, t.Timestamp)
    by = call.values[1] * _SPANS[call.values[0].upper()] * (call.result_type.unit.value // MICROS)
    return lambda value, after: int(value) - by + after


def _signature_of_difference(arguments: Sequence[Argument]) -> Signature | None:
    moments = [p.moment(argument) for argument in arguments[1:]]
    return None if _unit(arguments) is None else Signature((t.String(), *moments), t.Long())


def _difference(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Any:
    """Whole units from the first moment to the second, cut towards zero."""
    unit = values[0].upper()
    early, late = (micros_of(value, source) for value, source in zip(values[1:], types[1:], strict=True))
    if unit in _SPANS:
        return p.within_long(towards_zero(late - early, _SPANS[unit]))
    (days, within), (other_days, other_within) = divmod(early, _DAY_MICROS), divmod(late, _DAY_MICROS)
    (year, month, day), (other_year, other_month, other_day) = civil_from_days(days), civil_from_days(other_days)
    months = (other_year - year) * 12 + other_month - month
    rest = (other_day, other_within), (day, within)
    if months > 0 and rest[0] < rest[1]:
        months -= 1
    elif months < 0 and rest[0] > rest[1]:
        months += 1
    return towards_zero(months, _MONTHS[unit])


def _seconds(argument: Argument) -> t.Type:
    return p.numeric(argument)


_SECONDS_OF_MINUTE = t.Decimal(16, 6)
_SECONDS_EXTRACTED = t.Decimal(8, 6)
_SECOND_UNITS = frozenset({"second", "s", "sec", "seconds", "secs"})


def _make(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> int | None:
    """The moment of year, month, day, hour, minute and seconds, which may be 60 without a fraction; null for what is none."""
    year, month, day, hour, minute, seconds = values
    micros = int(EXACT.multiply(seconds, Decimal(MICROS)))
    if not (0 <= hour < 24 and 0 <= minute < 60 and 0 <= micros <= 60 * MICROS and 1 <= month <= 12 and day >= 1):
        return None
    days = days_from_civil(year, month, day)
    if civil_from_days(days) != (year, month, day):
        return None
    return p.within_long(((days * 24 + hour) * 60 + minute) * 60 * MICROS + micros)


def _making(name: str, *aliases: str, zoned: bool) -> Function:
    def sign(arguments: Sequence[Argument]) -> Signature | None:
        if len(arguments) > 6:
            return None
        return Signature((*[t.Int()] * 5, _SECONDS_OF_MINUTE), t.Timestamp(zoned=zoned))

    zone = Zone.READ if zoned else Zone.UNUSED
    return Function(name, range(6, 8 if zoned else 7), sign, _make, aliases=aliases, zone=zone)


def _signature_of_part(arguments: Sequence[Argument]) -> Signature | None:
    """The seconds alone, of which EXTRACT keeps the fraction; other parts have functions of their own."""
    unit = p.find_known_string(arguments[0])
    if unit is None or unit.lower() not in _SECOND_UNITS:
        return None
    return Signature((t.String(), p.moment(arguments[1])), _SECONDS_EXTRACTED)


def _extract(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Decimal:
    return EXACT.scaleb(Decimal(micros_of(values[1], types[1]) % (60 * MICROS)), -6)


FUNCTIONS = (
    Function("date_part", range(2, 3), _signature_of_part, _extract, zone=Zone.SHOWN),
    _making("make_timestamp", "make_timestamp_ltz", zoned=True),
    _making("make_timestamp_ntz", zoned=False),
    _count_since("unix_seconds", MICROS),
    _count_since("unix_millis", 1_000),
    _count_since("unix_micros", 1),
    _from_count("timestamp_seconds", MICROS, _seconds),
    _from_count("timestamp_millis", 1_000, p.long),
    _from_count("timestamp_micros", 1, p.long),
    Function(
        *("timestampadd", range(3, 4), _signature_of_adding, _add),
        zone=Zone.SHOWN,
        stretches=_stretches_of_adding,
        edge=lambda call: _edge_of_adding(call) if _stretches_of_adding(call) else None,
    ),
    Function("timestampdiff", range(3, 4), _signature_of_difference, _difference, zone=Zone.SHOWN),
)
