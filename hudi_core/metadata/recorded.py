"""Records of column statistics as they stand: decoded to columns, with the type that each states or looks like.

Source: fact sheet 4.2 and 4.6. No Python object a record.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Bools, Numbers, Octets
from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.int128 import from_bytes, to_integers, to_texts
from hudi_core.columns.nodes import (
    BinaryColumn,
    Column,
    NullColumn,
    PrimitiveColumn,
    StringColumn,
    StructColumn,
    UnionColumn,
    length,
    select_nested_column,
    validity_of,
)
from hudi_core.columns.spans import gather, windows
from hudi_core.errors import CorruptFileError
from hudi_core.metadata.records import RecordBatch, decode_values
from hudi_core.metadata.typed_by_file import V1_DECIMAL
from hudi_core.pruning.ranks import ranks
from hudi_core.pruning.statistics import Bounds, Carrier, carrier
from hudi_core.types import nodes as t

_PAYLOAD = "ColumnStatsMetadata"
_WANTED = frozenset(
    f"{_PAYLOAD}.{name}"
    for name in (
        "minValue",
        "maxValue",
        "valueCount",
        "nullCount",
        "totalUncompressedSize",
        "isDeleted",
        "isTightBound",
        "valueType",
    )
)

_BY_WRAPPER: Final[Mapping[str, t.Type]] = {
    "BooleanWrapper": t.Boolean(),
    "IntWrapper": t.Int(),
    "LongWrapper": t.Long(),
    "FloatWrapper": t.Float(),
    "DoubleWrapper": t.Double(),
    "BytesWrapper": t.Binary(),
    "StringWrapper": t.String(),
    "DateWrapper": t.Date(),
    "DecimalWrapper": V1_DECIMAL,
    "TimeMicrosWrapper": t.Time(t.Unit.MICROS),
    "TimestampMicrosWrapper": t.Timestamp(t.Unit.MICROS),
    "LocalDateWrapper": t.Date(),
}
"""What bounds of a record without a type look like."""

DECIMAL_ORDINAL: Final = 10
TYPE_BY_ORDINAL: Final[Mapping[int, t.Type]] = {
    2: t.Boolean(),
    3: t.Int(),
    4: t.Long(),
    5: t.Float(),
    6: t.Double(),
    7: t.String(),
    8: t.Binary(),
    9: t.Binary(),
    11: t.Uuid(),
    12: t.Date(),
    13: t.Time(t.Unit.MILLIS),
    14: t.Time(t.Unit.MICROS),
    15: t.Timestamp(t.Unit.MILLIS),
    16: t.Timestamp(t.Unit.MICROS),
    17: t.Timestamp(t.Unit.NANOS),
    18: t.Timestamp(t.Unit.MILLIS, zoned=False),
    19: t.Timestamp(t.Unit.MICROS, zoned=False),
    20: t.Timestamp(t.Unit.NANOS, zoned=False),
}
"""By `valueType.typeOrdinal`. 0 and 1 record no type; the size of a fixed (9) is not recorded."""
_NO_TYPE: Final = 0
"""Stands for records that record no type."""
_UNKNOWN_ORDINAL: Final = 100
"""Stands for all from here on."""

_PRECISION_AND_SCALE = re.compile(rb"\s*([0-9]{1,3})\s*,\s*([0-9]{1,3})\s*")

NO_KIND: Final = -1
"""The kind of a record that has no bounds and records no type."""


@dataclass(frozen=True, slots=True)
class BoundKind:
    """How bounds are stored: as a type that the records name, or as one that they look like."""

    type: t.Type
    typed: bool


UNTYPED: Final = BoundKind(t.Binary(), typed=False)
"""Stands for the kind of records that have none."""


@dataclass(slots=True)
class BoundKinds:
    """The kinds of a decoding, each with its index."""

    indexes: dict[BoundKind, int] = field(default_factory=dict)

    def index_of(self, type: t.Type | None, *, typed: bool) -> int:
        return NO_KIND if type is None else self.indexes.setdefault(BoundKind(type, typed), len(self.indexes))

    def renumber(self, indexes: Numbers, others: BoundKinds) -> Numbers:
        """Indexes into other kinds as indexes into these."""
        if list(others.indexes) == list(self.indexes)[: len(others.indexes)]:
            return indexes
        own = [self.index_of(kind.type, typed=kind.typed) for kind in others.indexes]
        return np.array([*own, NO_KIND], np.int64)[indexes]

    def __getitem__(self, index: int) -> BoundKind:
        return UNTYPED if index == NO_KIND else list(self.indexes)[index]


@dataclass(frozen=True, slots=True, eq=False)
class DecodedStatistics:
    """Records of one decoding, in the order of their batches. Counts and sizes are -1 where unknown."""

    keys: Octets
    order: Numbers
    kinds: Numbers
    lower: UnionColumn
    upper: UnionColumn
    rows: Numbers
    nulls: Numbers
    size: Numbers
    """Uncompressed bytes of the column's chunks."""
    deleted: Bools
    """The record marks its file as deleted."""
    tight: Bools
    """The record replaces what was there before."""
    details: StringColumn | None
    """The parameters that records have beside the ordinal of their type."""

    def __len__(self) -> int:
        return len(self.order)


def decode(batches: list[RecordBatch], key_size: int) -> tuple[DecodedStatistics, BoundKinds]:
    """The records of batches of one schema, and the kinds met in them. Raises `CorruptFileError`."""
    first, kinds = batches[0], BoundKinds()
    keys = [_keys(batch, key_size) for batch in batches]
    column = decode_values(batches, _WANTED)
    count = sum(len(batch.cells) for batch in batches)
    try:
        payload = select_nested_column(column, _PAYLOAD)
        lower, upper = select_nested_column(payload, "minValue"), select_nested_column(payload, "maxValue")
        names = ("valueCount", "nullCount", "totalUncompressedSize", "isDeleted")
        stated = {name: select_nested_column(payload, name) for name in names}
    except KeyError as missing:
        raise CorruptFileError(
            first.where, expected=f"a schema of column statistics with {missing}", found="none"
        ) from None
    if (
        not isinstance(payload, StructColumn)
        or not isinstance(lower, UnionColumn)
        or not isinstance(upper, UnionColumn)
    ):
        raise CorruptFileError(first.where, expected="a schema of column statistics", found="another")
    ordinals, details = _read_bound_types(payload)
    part = DecodedStatistics(
        keys[0] if len(keys) == 1 else np.concatenate(keys),
        np.repeat([batch.order for batch in batches], [len(batch.cells) for batch in batches]),
        _kinds(ordinals, details, lower, upper, kinds),
        lower,
        upper,
        _counts(stated["valueCount"]),
        _counts(stated["nullCount"]),
        _counts(stated["totalUncompressedSize"]),
        _flags(stated["isDeleted"]) | ~validity_of(payload),
        _flags(payload.fields.get("isTightBound", NullColumn(count))),
        details,
    )
    return part, kinds


def bounds(column: UnionColumn, rows: Numbers | None, kind: BoundKind) -> tuple[Bounds, Bools]:
    """The bounds of some records (None: all) of a kind in the carrier of its type, and which are there and of a form that the
    type can have."""
    of_type = kind.type
    form = carrier(of_type)
    if form is Carrier.TEXTS or isinstance(of_type, t.Decimal):
        texts, known = _texts(column, rows, _text_wrapper(kind))
        if not isinstance(of_type, t.Decimal):
            return texts, known
        numbers, readable = from_bytes(texts)
        if form is Carrier.TEXTS:
            return to_texts(numbers), known & readable
        integers, fits = to_integers(numbers)
        return integers, known & readable & fits
    branches, places = _take(column, rows)
    occurring = _occurring(branches)
    of_form: Any = np.float64 if form is Carrier.FLOATS else np.int64
    if len(occurring) == 1 and (values := _numbers(column.children[occurring[0]], form)) is not None:
        chosen = values if places is None else values[places]
        return chosen.astype(of_form, copy=False), np.ones(len(branches), np.bool_)
    values_of, known = np.zeros(len(branches), of_form), np.zeros(len(branches), np.bool_)
    for branch in occurring:
        values = _numbers(column.children[branch], form)
        if values is not None:
            chosen = branches == branch
            values_of[chosen] = values if places is None else values[places[chosen]]
            known |= chosen
    return values_of, known


def _take(column: UnionColumn, rows: Numbers | None) -> tuple[NDArray[np.int8], NDArray[Any] | None]:
    """Branches of some rows, and their rows in their children (None: all rows of the one child that has rows)."""
    if len(_occurring(column.branches)) == 1:
        return (column.branches, None) if rows is None else (column.branches[rows], rows)
    places = column.positions()
    return (column.branches, places) if rows is None else (column.branches[rows], places[rows])


def _keys(batch: RecordBatch, size: int) -> Octets:
    cells = batch.cells
    if (cells.key_lengths != size).any():
        wrong = int(cells.key_lengths[np.argmax(cells.key_lengths != size)])
        raise CorruptFileError(batch.where, expected=f"keys of {size} bytes", found=f"one of {wrong}")
    keys = windows(cells.data, cells.key_offsets, size)
    return np.ascontiguousarray(keys)


def _kinds(
    ordinals: Numbers, details: StringColumn | None, lower: UnionColumn, upper: UnionColumn, kinds: BoundKinds
) -> Numbers:
    """The number of each record's kind."""
    kind_of = np.full(len(ordinals), NO_KIND, np.int64)
    for ordinal in _occurring(ordinals):
        chosen = ordinals == ordinal
        if ordinal == _NO_TYPE:
            _by_looks(kind_of, np.flatnonzero(chosen), lower, upper, kinds)
        elif ordinal == DECIMAL_ORDINAL:
            rows = np.flatnonzero(chosen)
            kind_of[rows] = _decimal_kinds(details, rows, kinds)
        else:
            kind_of[chosen] = kinds.index_of(TYPE_BY_ORDINAL.get(ordinal), typed=True)
    return kind_of


def _by_looks(kind_of: Numbers, rows: Numbers, lower: UnionColumn, upper: UnionColumn, kinds: BoundKinds) -> None:
    """Sets the kinds of records that record no type: that of either bound."""
    nothing = lower.names.index("null") if "null" in lower.names else NO_KIND
    wrappers = lower.branches[rows]
    wrappers = np.where(wrappers == nothing, upper.branches[rows], wrappers)
    for branch in _occurring(wrappers):
        looks = _BY_WRAPPER.get(lower.names[branch].rpartition(".")[2])
        kind_of[rows[wrappers == branch]] = kinds.index_of(looks, typed=False)


def _read_bound_types(payload: StructColumn) -> tuple[Numbers, StringColumn | None]:
    """The ordinal of the type that each record states, and its details. Schemas before version 9 have no place
    for it."""
    declared = payload.fields.get("valueType")
    if not isinstance(declared, StructColumn) or not isinstance(
        ordinal := declared.fields.get("typeOrdinal"), PrimitiveColumn
    ):
        return np.full(payload.length, _NO_TYPE), None
    ordinals = np.clip(ordinal.values.astype(np.int64), _NO_TYPE, _UNKNOWN_ORDINAL)
    if declared.validity is not None:
        ordinals[~declared.validity] = _NO_TYPE
    details = declared.fields.get("additionalInfo")
    return ordinals, details if isinstance(details, StringColumn) else None


def _decimal_kinds(details: StringColumn | None, rows: Numbers, kinds: BoundKinds) -> Numbers:
    """The kinds of decimals: few different strings hold precision and scale of all."""
    if details is None:
        return np.full(len(rows), NO_KIND, np.int64)
    texts = ByteStrings(details.offsets, details.data).take(rows)
    if _all_alike(texts):
        return np.full(len(rows), kinds.index_of(_decimal(texts[0]), typed=True), np.int64)
    rank, examples = ranks(texts)
    numbers = [kinds.index_of(_decimal(texts[example]), typed=True) for example in examples.tolist()]
    return np.array(numbers, np.int64)[rank]


def _all_alike(texts: ByteStrings) -> bool:
    size = int(texts.offsets[1])
    lengths = np.diff(texts.offsets)
    return bool((lengths == size).all() and (texts.data.reshape(len(texts), size) == texts.data[:size]).all())


def _decimal(text: bytes) -> t.Decimal | None:
    match = _PRECISION_AND_SCALE.fullmatch(text)
    return t.Decimal(int(match[1]), int(match[2])) if match else None


def _counts(column: Column) -> Numbers:
    if not isinstance(column, PrimitiveColumn):
        return np.full(len(validity_of(column)), -1, np.int64)
    values = column.values.astype(np.int64, copy=False)
    return values if column.validity is None else np.where(column.validity, values, -1)


def _flags(column: Column) -> Bools:
    if not isinstance(column, PrimitiveColumn):
        return np.zeros(length(column), np.bool_)
    values: Bools = column.values
    return values if column.validity is None else values & column.validity


def _text_wrapper(kind: BoundKind) -> str:
    match kind:
        case BoundKind(t.String() | t.Uuid()):
            return "StringWrapper"
        case BoundKind(t.Decimal(), typed=False):
            return "DecimalWrapper"
        case _:
            return "BytesWrapper"


def _texts(column: UnionColumn, rows: Numbers | None, wrapper: str) -> tuple[ByteStrings, Bools]:
    branches, places = _take(column, rows)
    for branch, name in enumerate(column.names):
        child = column.children[branch]
        value = child.fields.get("value") if isinstance(child, StructColumn) else None
        if name.rpartition(".")[2] == wrapper and isinstance(value, StringColumn | BinaryColumn):
            known = branches == branch
            if places is None and known.all():
                return ByteStrings(value.offsets, value.data), known
            if not known.any():
                break
            items = np.where(known, np.arange(len(branches)) if places is None else places, 0)
            starts = value.offsets[items]
            lengths = np.where(known, value.offsets[items + 1] - starts, 0)
            return ByteStrings(*gather(value.data, starts, lengths)), known
    return ByteStrings(np.zeros(len(branches) + 1, np.int64), np.zeros(0, np.uint8)), np.zeros(len(branches), np.bool_)


def _occurring(branches: NDArray[Any]) -> list[int]:
    """The small numbers that occur, ascending."""
    if not len(branches):
        return []
    first = branches[0]
    return [int(first)] if (branches == first).all() else np.flatnonzero(np.bincount(branches)).tolist()


def _numbers(child: Column, form: Carrier) -> NDArray[Any] | None:
    """The numbers of a wrapper that fit the carrier."""
    value = child.fields.get("value") if isinstance(child, StructColumn) else None
    if not isinstance(value, PrimitiveColumn) or (value.values.dtype.kind == "f") != (form is Carrier.FLOATS):
        return None
    return value.values
