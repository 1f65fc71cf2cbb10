"""Points in time as texts and as numbers: date patterns, and counts of seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hudi_core.errors import UnsupportedError
from hudi_core.functions import coerce
from hudi_core.functions import parameters as p
from hudi_core.functions.calendar import MICROS, four_digit_years, micros_of, per_second, towards_zero
from hudi_core.functions.dates import everywhere, seconds_of
from hudi_core.functions.record import Argument, Function, PartialCall, Signature, Stretch, Zone
from hudi_core.functions.scalar.arithmetic import wrap
from hudi_core.functions.scalar.cast import cast
from hudi_core.functions.scalar.pattern_reading import check_reading, parse_micros
from hudi_core.functions.scalar.patterns import date_pattern, format_micros
from hudi_core.types import nodes as t
from hudi_core.values.calendar import DAY_SECONDS

_DEFAULT = "yyyy-MM-dd HH:mm:ss"
_ORDER = "yMdHmsS"
_OF_DAYS = frozenset("yMLdDEQq")
"""Letters of a pattern that are written alike of a date in every zone: a day may begin at another hour than 0."""
_OF_OFFSETS = frozenset("XxZ")
_DECIMAL_DIGITS = {"y": 4, "M": 2, "d": 2, "H": 2, "m": 2, "s": 2}


def _pattern(arguments: Sequence[Argument], position: int = 1) -> str | None:
    """The date pattern of a call, which has to be the same in every row. Raises for one that is none, or not known."""
    pattern = p.find_known_string(arguments[position]) if len(arguments) > position else _DEFAULT
    if pattern is not None:
        date_pattern(pattern)
    return pattern


def _formatting(kind: p.Kind) -> p.BuildSignature:
    sign = p.signature(kind, p.string, gives=t.String())

    def signature(arguments: Sequence[Argument]) -> Signature | None:
        if _is_null(arguments):
            return Signature((), t.String(), null=True)
        pattern = _pattern(arguments)
        if pattern is None:
            return None
        signed = sign(arguments)
        return signed and replace(signed, zoned=bool(_letters(pattern) - _OF_DAYS))

    return signature


def _is_null(arguments: Sequence[Argument]) -> bool:
    return any(argument.is_null for argument in arguments)


def _letters(pattern: str) -> set[str]:
    return {letter for letter, width in date_pattern(pattern).pieces if width > 0}


def _parsing(to: t.Type) -> p.BuildSignature:
    """A string is read by a pattern, anything else is cast."""

    def sign(arguments: Sequence[Argument]) -> Signature | None:
        if _is_null(arguments):
            return Signature((), to, null=True)
        if len(arguments) < 2 or not isinstance(coerce.sql_equivalent(arguments[0].type), t.String):
            wall = isinstance(arguments[0].type, t.Timestamp) and not arguments[0].type.zoned
            return Signature((to, t.String())[: len(arguments)], to, 0, zoned=wall and len(arguments) > 1)
        pattern = _pattern(arguments)
        if pattern is None:
            return None
        check_reading(date_pattern(pattern))
        return Signature((t.String(), t.String()), to, zoned=bool(_letters(pattern) & _OF_OFFSETS))

    return sign


def _parse(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Any:
    micros = parse_micros(values[0], date_pattern(values[1]))
    return None if micros is None else cast(micros, t.Timestamp(), result_type)


def _signature_of_unix(arguments: Sequence[Argument]) -> Signature | None:
    if not arguments:
        return None
    if _is_null(arguments):
        return Signature((), t.Long(), null=True)
    if not isinstance(coerce.sql_equivalent(arguments[0].type), t.String):
        if not all(argument.constant for argument in arguments[1:]):
            return None  # no pattern is used, so one that is null in a row is no matter
        return Signature((p.moment(arguments[0]), t.String())[: len(arguments)], t.Long())
    pattern = _pattern(arguments)
    if pattern is None:
        return None
    check_reading(date_pattern(pattern))
    return Signature((t.String(), t.String())[: len(arguments)], t.Long())


def _unix_timestamp(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Any:
    if not isinstance(types[0], t.String):
        return seconds_of(values[0], types[0])
    micros = parse_micros(values[0], date_pattern(values[1] if len(values) > 1 else _DEFAULT))
    return None if micros is None else towards_zero(micros, MICROS)


def _format(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Any:
    return format_micros(micros_of(values[0], types[0]), date_pattern(values[1]))


def _from_unixtime(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Any:
    return format_micros(wrap(values[0] * MICROS, 64), date_pattern(values[1] if len(values) > 1 else _DEFAULT))


def _order(call: PartialCall) -> list[Stretch]:
    pattern = str(call.values[1]) if len(call.values) > 1 else _DEFAULT
    if call.variable or not _orders(pattern):
        return []
    return [replace(four_digit_years(call.argument, call.ends), grain=_grain(pattern, call.argument))]


def _grain(text: str, type: t.Type) -> int:
    """How far apart, at least, two points in time of different text are: in days, ticks or seconds."""
    step = date_pattern(text).step
    match type:
        case t.Date():
            return max(step // (DAY_SECONDS * MICROS), 1)
        case t.Timestamp():
            ticks = per_second(type)
            return max(step // (MICROS // min(ticks, MICROS)), 1) * max(ticks // MICROS, 1)
        case _:
            return max(step // MICROS, 1)


def _orders(text: str) -> bool:
    """Whether the texts of a date pattern order as the points in time do: the year first, no part left out before a finer one."""
    try:
        pieces = date_pattern(text).pieces
    except UnsupportedError:
        return False
    parts = [(letter, width) for letter, width in pieces if width > 0]
    return all(
        letter == wanted and (letter == "S" or width == _DECIMAL_DIGITS[letter])
        for (letter, width), wanted in zip(parts, _ORDER, strict=False)
    ) and len(parts) <= len(_ORDER)


FUNCTIONS = (
    Function("to_date", range(1, 3), _parsing(t.Date()), _parse, zone=Zone.SHOWN),
    Function(
        *("to_timestamp", range(1, 3), _parsing(t.Timestamp()), _parse),
        aliases=("try_to_timestamp", "to_timestamp_ltz"),
        zone=Zone.READ,
    ),
    Function(
        *("unix_timestamp", range(3), _signature_of_unix, _unix_timestamp),
        aliases=("to_unix_timestamp",),
        zone=Zone.READ,
        counts=True,
        stretches=everywhere,
    ),
    Function("from_unixtime", range(1, 3), _formatting(p.long), _from_unixtime, zone=Zone.PRINTED, stretches=_order),
    Function(
        *("date_format", range(2, 3), _formatting(lambda a: a.type if isinstance(a.type, t.Date) else p.moment(a))),
        _format,
        zone=Zone.SHOWN,
        stretches=_order,
    ),
)
