"""The one table of type changes: what may be changed to what, what a file's values may be read as, and how.

Every row is decided by what reads existing tables right. The matrix of Apache Hudi's `SchemaChangeUtils` gives ALTER, its
`HoodieSchemaCompatibilityChecker` gives WRITE; READ holds both and what files of older versions and other writers need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from itertools import product
from typing import Any, Final

from hudi_core.types.nodes import (
    Binary,
    Boolean,
    Date,
    Decimal,
    Double,
    Enumeration,
    Fixed,
    Float,
    Int,
    Long,
    String,
    Time,
    Timestamp,
    Type,
    Unit,
    Uuid,
    Vector,
)

INT_DIGITS: Final = 10
"""Digits of the longest 32-bit integer."""

LONG_DIGITS: Final = 19
"""Digits of the longest 64-bit integer."""


class Purpose(Enum):
    """The purpose of a promotion."""

    ALTER = "change the column's type, by name or by the schema of a batch"
    WRITE = "widen the column's type by the schema of a batch, without an explicit schema change"
    READ = "read stored values as the type"
    STATISTICS = "take the bounds of stored values for bounds of the type"


class CastLoss(Enum):
    """The effect of a cast on values."""

    EXACT = "every value keeps its meaning"
    LOSSY = "values are rounded or cut without an error"
    VALUE_DEPENDENT = (
        "values without a counterpart are refused; the others keep their meaning, rounded half up if need be"
    )


class CastKind(Enum):
    """How a value becomes one of the wanted type; one implementation each in `values.cast` and in every engine."""

    SAME = "the same value; at most its backing, its name or its other symbols differ"
    WIDEN = "the same integer in 64 bits"
    RELABEL = "the integer, which counts the wanted unit"
    TO_FLOAT = "the nearest binary32 number"
    TO_DOUBLE = "the nearest binary64 number"
    FLOAT_TO_DOUBLE = "the binary64 number nearest to the shortest decimal text of the binary32 number"
    TO_TEXT = "the value's text"
    ENCODE = "the UTF-8 bytes of a text"
    DECODE = "the text that the bytes are in UTF-8"
    TO_DECIMAL = "the number with the wanted scale, rounded half up; of a float the number of its shortest decimal form"
    PARSE_DECIMAL = "the number that a string spells, with the wanted scale, rounded half up"
    RESCALE = "the same number with the wanted scale; no digit may be lost"
    PARSE_DATE = "the day that a string spells"
    PARSE_UUID = "the UUID that a string spells"
    SYMBOL = "the text, which has to be one of the symbols"
    BY_TEXT = "the text of the value, or the text that bytes are in UTF-8, as the wanted type reads it"
    NEVER = "nothing but null: no value has a counterpart"
    UNIT = "the same time in the wanted unit, cut towards the past"
    MIDNIGHT = "the beginning of the day"


@dataclass(frozen=True, slots=True)
class Promotion:
    """One way from a type to another.

    `keeps_order`: a value that is not less than another is not less than it afterwards, in the orders of
    `values.order`; the bounds of a column are then the bounds of the cast column, if the cast takes the bounds at all.
    """

    purposes: frozenset[Purpose]
    cast: CastKind
    loss: CastLoss
    keeps_order: bool


def promotion(from_: Type, to: Type, purpose: Purpose = Purpose.READ) -> Promotion | None:
    """The way from one primitive type to another that serves the purpose, or None. A type is always promoted to itself.

    Nested types have no promotion; `evolve.reconcile` takes them apart.

    >>> promotion(Int(), Long(), Purpose.ALTER).cast
    <CastKind.WIDEN: 'the same integer in 64 bits'>
    >>> promotion(Long(), Int()) is None
    True
    """
    for when, rule in _TABLE.get((type(from_), type(to)), ()):
        if purpose in rule.purposes and when(from_, to):
            return rule
    return None


def promotable_kinds(from_: Type, purpose: Purpose) -> list[str]:
    """The kinds of types that some values of a type can change to for the purpose, other than its own.

    >>> promotable_kinds(Int(), Purpose.ALTER)
    ['decimal', 'double', 'float', 'long', 'string']
    """
    rules = ((to, rule) for (kind, to), ways in _TABLE.items() if kind is type(from_) for _, rule in ways)
    return sorted({to.__name__.lower() for to, rule in rules if purpose in rule.purposes and to is not type(from_)})


def is_mislabelled(stored: Type, wanted: Type) -> bool:
    """Whether the numbers in a file of a table, labelled as microseconds, count the milliseconds of the wanted type.

    Writers of Hudi Streamer, 0.14.1 to 1.0, left such files. No change of a column's type leads from microseconds to
    milliseconds, so there is no other origin of the pair.
    """
    match stored, wanted:
        case Timestamp(Unit.MICROS), Timestamp(Unit.MILLIS):
            return True
        case _:
            return False


_When = Callable[[Any, Any], bool]
_Kinds = type[Type] | tuple[type[Type], ...]
_Row = tuple[_Kinds, _Kinds, _When, Promotion]


def _always(_from: Type, _to: Type) -> bool:
    return True


def _same_size(from_: Fixed, to: Fixed) -> bool:
    return from_.size == to.size


def _same_vector(from_: Vector, to: Vector) -> bool:
    return (from_.dimension, from_.element, from_.backing) == (to.dimension, to.element, to.backing)


def _all_symbols(from_: Enumeration, to: Enumeration) -> bool:
    return from_.symbols == to.symbols or set(from_.symbols) <= set(to.symbols)


def _same_time(from_: Time | Timestamp, to: Time | Timestamp) -> bool:
    return from_ == to


def _finer(from_: Time, to: Time) -> bool:
    return to.unit.value > from_.unit.value


def _same_zone(from_: Timestamp, to: Timestamp) -> bool:
    return from_.zoned == to.zoned


def _finer_same_zone(from_: Timestamp, to: Timestamp) -> bool:
    return from_.zoned == to.zoned and to.unit.value > from_.unit.value


def _no_zone(_from: Date, to: Timestamp) -> bool:
    return not to.zoned


def _is_fixed_backed(_from: Type, to: Decimal) -> bool:
    return to.fixed is not None


def _holds_all_digits(from_: Int | Long, to: Decimal) -> bool:
    return to.precision - to.scale >= (INT_DIGITS if isinstance(from_, Int) else LONG_DIGITS)


def _holds_all_digits_fixed_backed(from_: Int | Long, to: Decimal) -> bool:
    return to.fixed is not None and _holds_all_digits(from_, to)


def _same_number(from_: Decimal, to: Decimal) -> bool:
    return (from_.precision, from_.scale) == (to.precision, to.scale)


def _wider(from_: Decimal, to: Decimal) -> bool:
    return to.precision - to.scale >= from_.precision - from_.scale and to.scale >= from_.scale


def _size_kept(from_: Decimal, to: Decimal) -> bool:
    return from_.fixed is None or to.fixed is None or to.fixed.size >= from_.fixed.size


def _same_number_size_kept(from_: Decimal, to: Decimal) -> bool:
    return _same_number(from_, to) and _size_kept(from_, to)


def _wider_size_kept(from_: Decimal, to: Decimal) -> bool:
    return _wider(from_, to) and _size_kept(from_, to)


def _row(purposes: Iterable[Purpose], cast: CastKind, loss: CastLoss, *, keeps_order: bool) -> Promotion:
    served = frozenset({*purposes, Purpose.READ, *({Purpose.STATISTICS} if keeps_order else ())})
    return Promotion(served, cast, loss, keeps_order)


_ALL: Final = (Purpose.ALTER, Purpose.WRITE)
_EXACT, _LOSSY, _DEPENDS = CastLoss.EXACT, CastLoss.LOSSY, CastLoss.VALUE_DEPENDENT
_ITSELF: Final = _row(_ALL, CastKind.SAME, _EXACT, keeps_order=True)

# Each line: from, to, condition, promotion. The first line that serves the purpose and whose condition holds is taken.
_ROWS: Final[tuple[_Row, ...]] = (
    # A type to itself: names, docs and aliases do not count.
    *((kind, kind, _always, _ITSELF) for kind in (Boolean, Int, Long, Float, Double, Date, String, Binary, Uuid)),
    (Time, Time, _same_time, _ITSELF),
    (Timestamp, Timestamp, _same_time, _ITSELF),
    (Fixed, Fixed, _same_size, _ITSELF),
    (Vector, Vector, _same_vector, _ITSELF),
    (Enumeration, Enumeration, _all_symbols, _ITSELF),
    (Decimal, Decimal, _same_number_size_kept, _ITSELF),
    # Numbers to wider numbers.
    (Int, Long, _always, _row(_ALL, CastKind.WIDEN, _EXACT, keeps_order=True)),
    (Int, Double, _always, _row(_ALL, CastKind.TO_DOUBLE, _EXACT, keeps_order=True)),
    (Long, Double, _always, _row(_ALL, CastKind.TO_DOUBLE, _LOSSY, keeps_order=True)),
    ((Int, Long), Float, _always, _row(_ALL, CastKind.TO_FLOAT, _LOSSY, keeps_order=True)),
    (Float, Double, _always, _row(_ALL, CastKind.FLOAT_TO_DOUBLE, _EXACT, keeps_order=True)),
    # Numbers to decimals. A change has to hold every integer; Apache Hudi rewrites into fixed-backed decimals only.
    (
        (Int, Long),
        Decimal,
        _holds_all_digits_fixed_backed,
        _row([Purpose.ALTER], CastKind.TO_DECIMAL, _EXACT, keeps_order=True),
    ),
    ((Int, Long), Decimal, _holds_all_digits, _row([], CastKind.TO_DECIMAL, _EXACT, keeps_order=True)),
    ((Int, Long), Decimal, _always, _row([], CastKind.TO_DECIMAL, _DEPENDS, keeps_order=True)),
    (
        (Float, Double),
        Decimal,
        _is_fixed_backed,
        _row([Purpose.ALTER], CastKind.TO_DECIMAL, _DEPENDS, keeps_order=True),
    ),
    ((Float, Double), Decimal, _always, _row([], CastKind.TO_DECIMAL, _DEPENDS, keeps_order=True)),
    # Decimals to decimals.
    (Decimal, Decimal, _wider_size_kept, _row(_ALL, CastKind.RESCALE, _EXACT, keeps_order=True)),
    (Decimal, Decimal, _same_number, _row([Purpose.WRITE], CastKind.SAME, _EXACT, keeps_order=True)),
    (Decimal, Decimal, _wider, _row([Purpose.WRITE], CastKind.RESCALE, _EXACT, keeps_order=True)),
    (Decimal, Decimal, _always, _row([], CastKind.RESCALE, _DEPENDS, keeps_order=True)),
    # To text.
    ((Int, Long, Float, Double), String, _always, _row(_ALL, CastKind.TO_TEXT, _EXACT, keeps_order=False)),
    (Decimal, String, _always, _row(_ALL, CastKind.TO_TEXT, _EXACT, keeps_order=False)),
    (Date, String, _always, _row([Purpose.ALTER], CastKind.TO_TEXT, _EXACT, keeps_order=False)),
    (Boolean, String, _always, _row([], CastKind.TO_TEXT, _EXACT, keeps_order=True)),
    (Enumeration, String, _always, _row([Purpose.ALTER], CastKind.SAME, _EXACT, keeps_order=True)),
    (Uuid, String, _always, _row([], CastKind.SAME, _EXACT, keeps_order=True)),
    (Binary, String, _always, _row(_ALL, CastKind.DECODE, _DEPENDS, keeps_order=True)),
    # From text.
    (String, Binary, _always, _row(_ALL, CastKind.ENCODE, _EXACT, keeps_order=True)),
    (String, Date, _always, _row([Purpose.ALTER], CastKind.PARSE_DATE, _DEPENDS, keeps_order=False)),
    (String, Decimal, _is_fixed_backed, _row([Purpose.ALTER], CastKind.PARSE_DECIMAL, _DEPENDS, keeps_order=False)),
    ((String, Enumeration), Decimal, _always, _row([], CastKind.PARSE_DECIMAL, _DEPENDS, keeps_order=False)),
    (String, Uuid, _always, _row([Purpose.WRITE], CastKind.PARSE_UUID, _DEPENDS, keeps_order=False)),
    (Enumeration, Binary, _always, _row([], CastKind.ENCODE, _EXACT, keeps_order=True)),
    (Enumeration, Date, _always, _row([], CastKind.PARSE_DATE, _DEPENDS, keeps_order=False)),
    (Enumeration, Uuid, _always, _row([], CastKind.PARSE_UUID, _DEPENDS, keeps_order=False)),
    ((String, Enumeration), Enumeration, _always, _row([], CastKind.SYMBOL, _DEPENDS, keeps_order=True)),
    # What two changes lead to, by way of a string: files from before both stay readable.
    ((Int, Long, Float, Double, Decimal, Date), Binary, _always, _row([], CastKind.BY_TEXT, _EXACT, keeps_order=False)),
    (Binary, (Date, Decimal, Uuid), _always, _row([], CastKind.BY_TEXT, _DEPENDS, keeps_order=False)),
    ((Int, Long, Float, Double, Decimal), (Date, Uuid), _always, _row([], CastKind.NEVER, _DEPENDS, keeps_order=False)),
    (Date, (Decimal, Uuid), _always, _row([], CastKind.NEVER, _DEPENDS, keeps_order=False)),
    # Bytes.
    ((Fixed, Vector), Binary, _always, _row([], CastKind.SAME, _EXACT, keeps_order=True)),
    # Time. A number without a unit was written by versions that knew none; a date has no zone.
    (Long, Timestamp, _always, _row([Purpose.WRITE], CastKind.RELABEL, _EXACT, keeps_order=True)),
    (Int, Timestamp, _always, _row([], CastKind.RELABEL, _EXACT, keeps_order=True)),
    (Date, Timestamp, _no_zone, _row([], CastKind.MIDNIGHT, _DEPENDS, keeps_order=True)),
    (Time, Time, _finer, _row([], CastKind.UNIT, _EXACT, keeps_order=True)),
    (Time, Time, _always, _row([], CastKind.UNIT, _LOSSY, keeps_order=True)),
    (Timestamp, Timestamp, _finer_same_zone, _row([], CastKind.UNIT, _DEPENDS, keeps_order=True)),
    (Timestamp, Timestamp, _same_zone, _row([], CastKind.UNIT, _LOSSY, keeps_order=True)),
)


def _as_tuple(kinds: _Kinds) -> tuple[type[Type], ...]:
    return kinds if isinstance(kinds, tuple) else (kinds,)


def _index(rows: Iterable[_Row]) -> dict[tuple[type[Type], type[Type]], tuple[tuple[_When, Promotion], ...]]:
    table: dict[tuple[type[Type], type[Type]], tuple[tuple[_When, Promotion], ...]] = {}
    for from_kinds, to_kinds, when, rule in rows:
        for pair in product(_as_tuple(from_kinds), _as_tuple(to_kinds)):
            table[pair] = (*table.get(pair, ()), (when, rule))
    return table


_TABLE: Final = _index(_ROWS)
