"""Records of `column_stats` and `partition_stats`: one column, in the form of an index version. Rules META-60 to META-67."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.concat import concat_columns
from hudi_core.columns.hashes import partition_id, xxh64_id
from hudi_core.columns.int128 import WIDE_SIZE, rescale_wide
from hudi_core.columns.nodes import (
    BinaryColumn,
    Column,
    NullColumn,
    PrimitiveColumn,
    StringColumn,
    StructColumn,
)
from hudi_core.columns.spans import gather
from hudi_core.columns.strings import concat_strings, string_column
from hudi_core.formats.deletes import wrap_values
from hudi_core.metadata.file_keys import Keys
from hudi_core.metadata.typed_by_file import V1_DECIMAL
from hudi_core.metadata_rows.bounds import STRINGS, record_bounds
from hudi_core.metadata_rows.rows import IndexRows, encode_records, repeat, together
from hudi_core.pruning.statistics import Bounds, ColumnStatistics
from hudi_core.schema.meta import COMMIT_TIME, PARTITION_PATH, RECORD_KEY, is_meta
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t

MAX_COLUMNS: Final = 32
"""Columns of the table that have statistics by default."""
_OWN_COLUMNS: Final = (COMMIT_TIME, PARTITION_PATH, RECORD_KEY)

V1, V2 = "V1", "V2"
_OF_FILE, _OF_PARTITION = 3, 6
_ROWS_AT_ONCE: Final = 1 << 12
"""Rows from which on encoding several columns together saves nothing."""
_DECIMAL: Final = 10
_ZONED: Final = {t.Unit.MILLIS: 15, t.Unit.MICROS: 16, t.Unit.NANOS: 17}
_LOCAL: Final = {t.Unit.MILLIS: 18, t.Unit.MICROS: 19, t.Unit.NANOS: 20}
_FILLS: Final = np.array([0x00, 0xFF], np.uint8)


@dataclass(frozen=True, slots=True)
class Form:
    """How bounds of a type are recorded: in which wrapper, as which type ordinal (version V2)."""

    wrapper: str
    ordinal: int


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """Bytes of the column's chunks in each file, stored and uncompressed; 0 in log files."""

    stored: Numbers
    uncompressed: Numbers


def default_columns(schema: Schema, version: str, *, own: bool) -> tuple[str, ...]:
    """The columns that have statistics where nothing states others: the first of the table that can have some, behind three of
    Hudi's own where those have values."""
    names = [field.name for field in schema.fields if not is_meta(field.name) and form_of(field.type, version)]
    return (*(_OWN_COLUMNS if own else ()), *names[:MAX_COLUMNS])


def form_of(type: t.Type, version: str) -> Form | None:
    """The form of a type's bounds in an index version; None for types that it does not take."""
    match type:
        case t.Boolean():
            return Form("BooleanWrapper", 2)
        case t.Int():
            return Form("IntWrapper", 3)
        case t.Long():
            return Form("LongWrapper", 4)
        case t.Float():
            return Form("FloatWrapper", 5)
        case t.Double():
            return Form("DoubleWrapper", 6)
        case t.String():
            return Form("StringWrapper", 7)
        case t.Date():
            return Form("IntWrapper", 12) if version == V2 else Form("DateWrapper", 12)
        case t.Timestamp(unit, zoned):
            return Form("LongWrapper", (_ZONED if zoned else _LOCAL)[unit])
        case t.Decimal(precision, scale):
            if version == V2:
                return Form("BytesWrapper", _DECIMAL)
            fits = scale <= V1_DECIMAL.scale and precision + V1_DECIMAL.scale - scale <= V1_DECIMAL.precision
            return Form("DecimalWrapper", _DECIMAL) if fits else None
        case t.Binary() if version == V2:
            return Form("BytesWrapper", 8)
        case t.Fixed() if version == V2:
            return Form("BytesWrapper", 9)
        case t.Uuid() if version == V2:
            return Form("StringWrapper", 11)
        case t.Time(t.Unit.MILLIS) if version == V2:
            return Form("IntWrapper", 13)
        case t.Time(t.Unit.MICROS) if version == V2:
            return Form("LongWrapper", 14)
        case _:
            return None


@dataclass(frozen=True, slots=True, eq=False)
class StatisticsRows:
    """Rows of one column that are not encoded yet."""

    kind: int
    keys: StringColumn
    payload: StructColumn


def file_statistics(
    column: str,
    files: Keys,
    names: StringColumn,
    statistics: ColumnStatistics,
    sizes: Sizes,
    version: str,
    *,
    of_expression: bool = False,
) -> StatisticsRows:
    """Rows of `column_stats` of one column, or of an expression index: then their number of values is without nulls, and lower
    bounds of strings are whole. `files` are the parts of the keys after the column, `names` the names of the files."""
    payload = _payload(column, names, statistics, sizes, version, tight=False, of_expression=of_expression)
    return StatisticsRows(_OF_FILE, column_keys(column, files), payload)


def file_statistics_rows(
    column: str, files: Keys, names: StringColumn, statistics: ColumnStatistics, sizes: Sizes, version: str
) -> IndexRows:
    """`file_statistics`, encoded."""
    return encode_statistics([file_statistics(column, files, names, statistics, sizes, version)])


def partition_statistics_of(
    column: str,
    partitions: list[str],
    statistics: ColumnStatistics,
    sizes: Sizes,
    version: str,
    *,
    prefix: str | None = None,
    tight: bool = True,
) -> StatisticsRows:
    """Rows of `partition_stats` of one column, which take the place of earlier ones where they are `tight`, and are merged with
    them else. Those of an expression index have a prefix before the partition in their keys, and differ as `file_statistics`
    says."""
    before = "" if prefix is None else xxh64_id(prefix)
    ids = np.array([(before + partition_id(partition)).encode() for partition in partitions])
    names = string_column(partitions)
    payload = _payload(column, names, statistics, sizes, version, tight=tight, of_expression=prefix is not None)
    return StatisticsRows(_OF_PARTITION, column_keys(column, ids), payload)


def partition_statistics_rows(
    column: str, partitions: list[str], statistics: ColumnStatistics, sizes: Sizes, version: str
) -> IndexRows:
    """`partition_statistics_of`, encoded."""
    return encode_statistics([partition_statistics_of(column, partitions, statistics, sizes, version)])


def encode_statistics(parts: Iterable[StatisticsRows]) -> IndexRows:
    """Rows of several columns, of one kind and version. Those of few files are encoded together: each encoding costs some
    milliseconds, however few its rows."""
    made: list[IndexRows] = []
    waiting: list[StatisticsRows] = []
    for part in parts:
        waiting.append(part)
        if sum(rows.payload.length for rows in waiting) >= _ROWS_AT_ONCE:
            made.append(_encode_together(waiting))
            waiting = []
    if waiting:
        made.append(_encode_together(waiting))
    return together(made)


def _encode_together(parts: Sequence[StatisticsRows]) -> IndexRows:
    payload = concat_columns([part.payload for part in parts], sum(part.payload.length for part in parts))
    return IndexRows(concat_strings([part.keys for part in parts]), encode_records(parts[0].kind, payload))


def column_keys(column: str, rest: Keys) -> StringColumn:
    """Keys of records of one column: its own part, then the given ones."""
    name = np.frombuffer(xxh64_id(column).encode(), np.uint8)
    width = rest.dtype.itemsize
    keys = np.empty((len(rest), len(name) + width), np.uint8)
    keys[:, : len(name)] = name
    keys[:, len(name) :] = np.ascontiguousarray(rest).view(np.uint8).reshape(len(rest), width)
    return StringColumn(np.arange(len(rest) + 1, dtype=np.int64) * keys.shape[1], keys.reshape(-1))


def _payload(
    column: str,
    names: StringColumn,
    statistics: ColumnStatistics,
    sizes: Sizes,
    version: str,
    *,
    tight: bool,
    of_expression: bool,
) -> StructColumn:
    form = form_of(statistics.type, version)
    assert form is not None, f"{column} of type {statistics.type} is not indexed in {version}"
    whole_strings = of_expression or (version == V1 and column == RECORD_KEY)
    kept = record_bounds(statistics, whole_strings=whole_strings, typed=version == V2)
    count = len(kept)
    return StructColumn(
        count,
        {
            "fileName": names,
            "columnName": repeat(column, count),
            "minValue": wrap_values(form.wrapper, _values(kept.lower, kept.lower_known, kept.type, form)),
            "maxValue": wrap_values(form.wrapper, _values(kept.upper, kept.upper_known, kept.type, form)),
            "valueCount": PrimitiveColumn(_present(kept) if of_expression else kept.rows),
            "nullCount": PrimitiveColumn(kept.nulls),
            "totalSize": PrimitiveColumn(sizes.stored),
            "totalUncompressedSize": PrimitiveColumn(sizes.uncompressed),
            "isDeleted": PrimitiveColumn(np.zeros(count, np.bool_)),
            "isTightBound": PrimitiveColumn(np.full(count, tight)),
            "valueType": _value_type(statistics, kept, form, whole=of_expression)
            if version == V2
            else NullColumn(count),
        },
    )


def _present(kept: ColumnStatistics) -> Numbers:
    """Numbers of values that are not null. Where there are some, but no more than there are nulls, those of all values: a reader
    that takes nulls for values too would conclude that there are nulls alone. Rule META-1142."""
    present: Numbers = kept.rows - kept.nulls
    return np.where((present > 0) & (present <= kept.nulls), kept.rows, present)


def _value_type(statistics: ColumnStatistics, kept: ColumnStatistics, form: Form, *, whole: bool) -> StructColumn:
    count = len(kept)
    details = StringColumn(np.zeros(count + 1, np.int64), np.zeros(0, np.uint8), np.zeros(count, np.bool_))
    if isinstance(kept.type, t.Decimal):
        details = repeat(f"{kept.type.precision},{kept.type.scale}", count)
    elif isinstance(kept.type, STRINGS) and not whole:
        # Apache Hudi reads nothing here of strings.
        lower = statistics.lower
        assert isinstance(lower, ByteStrings)
        details = StringColumn(lower.offsets, lower.data, statistics.lower_known & kept.lower_known)
    ordinals = PrimitiveColumn(np.full(count, form.ordinal, np.int32))
    return StructColumn(count, {"typeOrdinal": ordinals, "additionalInfo": details})


def _values(bounds: Bounds, known: Bools, type: t.Type, form: Form) -> Column:
    """Bounds in the physical form of their wrapper; null where not known."""
    match form.wrapper:
        case "StringWrapper":
            assert isinstance(bounds, ByteStrings)
            return StringColumn(bounds.offsets, bounds.data, known)
        case "BytesWrapper" if not isinstance(type, t.Decimal):
            assert isinstance(bounds, ByteStrings)
            return BinaryColumn(bounds.offsets, bounds.data, known)
        case "BytesWrapper":
            return _encode_unscaled(bounds, known)
        case "DecimalWrapper":
            assert isinstance(type, t.Decimal)
            carried = bounds if isinstance(bounds, ByteStrings) else bounds.astype(np.int64)
            wide, _ = rescale_wide(carried, V1_DECIMAL.scale - type.scale, V1_DECIMAL.precision)
            return _encode_unscaled(wide, known)
    dtype = {"BooleanWrapper": "?", "IntWrapper": "i4", "DateWrapper": "i4", "LongWrapper": "i8", "FloatWrapper": "f4"}
    assert isinstance(bounds, np.ndarray)
    return PrimitiveColumn(bounds.astype(dtype.get(form.wrapper, "f8")), known)


def _encode_unscaled(bounds: Bounds, known: Bools) -> BinaryColumn:
    """Unscaled values of decimals as two's complement, big-endian, in as few bytes as hold them."""
    if isinstance(bounds, ByteStrings):
        digits = bounds.data[bounds.offsets[0] : bounds.offsets[-1]].reshape(-1, WIDE_SIZE).copy()
        digits[:, 0] ^= 0x80
    else:
        digits = np.ascontiguousarray(bounds.astype(">i8")).view(np.uint8).reshape(-1, 8)
    width = digits.shape[1]
    negative = digits[:, 0] >= 0x80
    significant = digits != _FILLS[negative.astype(np.int64)][:, None]
    first = np.where(significant.any(1), significant.argmax(1), width - 1)
    # The highest bit of what is left must be the sign.
    wrong_sign = (digits[np.arange(len(digits)), first] >= 0x80) != negative
    starts = first - wrong_sign
    offsets, data = gather(digits.reshape(-1), np.arange(len(digits)) * width + starts, width - starts)
    return BinaryColumn(offsets, data, known)
