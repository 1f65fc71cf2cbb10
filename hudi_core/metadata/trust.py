"""Which recorded statistics can be trusted: all that is known of how Apache Hudi makes them, in one place.

Sources: HUDI issues 18754 and 18755, and tables that Apache Hudi 1.2.0 wrote. Rules META-20 to META-28.

Hudi takes the statistics of a base file from its Parquet footer, one row group after the other. A row group in which a
float column holds NaN has no bounds there, and Hudi takes 0.0 and 0.0. A row group in which the bounds of a string column
reach 4,096 bytes together has no statistics at all, and Hudi counts all its rows as nulls. Bounds of several row groups,
of records of one key, and those of a log file, which Hudi makes in memory, are compared as Java compares: strings by UTF-16
units, bytes as signed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hudi_core.arrays import Bools, Floats, Numbers
from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.spans import gather
from hudi_core.pruning.statistics import Carrier, ColumnStatistics, carrier
from hudi_core.types import nodes as t
from hudi_core.values.calendar import DAY_SECONDS, FIRST_DAY, FIRST_NEW_DAY, FIRST_YEAR, MOST_AHEAD, MOST_BACK

_DAYS = -(1 << 30), (1 << 31) - 1
_UNTYPED_DAYS = -719_162, (1 << 31) - 1
_MICROS = -(1 << 62), (1 << 63) - 1
_MILLIS = -(1 << 52), ((1 << 63) - 1) // 1000

LONG_STRING = 2048
"""Bytes that the longer of two bounds has at least when both have 4,096: as many are in the column chunk, uncompressed."""

ONE_ROW_GROUP = 100
"""Rows that a Parquet writer takes before it first checks whether a row group is full: a file of no more has one."""

_UTF16_LAST = 0xEE
"""From this leading byte on, UTF-8 and UTF-16 disagree: U+E000 to U+FFFF (EE, EF) sort after all others in UTF-16."""
_SUPPLEMENTARY = 0xF0

_BytesLike = t.Binary | t.Fixed | t.Vector
_StringLike = t.String | t.Enumeration | t.Uuid


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """Where each record comes from, as far as its sizes and counts show; computed only for the types that need it.

    `rows` and `uncompressed` (bytes of the column's chunks) are -1 where unknown; without `of_files` each record sums up many
    files.
    """

    rows: Numbers
    uncompressed: Numbers
    of_files: bool

    @property
    def in_memory(self) -> Bools:
        """Made from values in memory, as those of log files are: no size of a column chunk is in the record."""
        flags: Bools = self.uncompressed == 0
        return flags

    @property
    def one_footer(self) -> Bools:
        """Made from one row group."""
        flags: Bools = (self.rows >= 0) & (self.rows <= ONE_ROW_GROUP) & (self.uncompressed > 0) & self.of_files
        return flags

    @property
    def short(self) -> Bools:
        """No value of the column is long."""
        return (self.uncompressed >= 0) & (self.uncompressed < LONG_STRING)


def trust_statistics(recorded: ColumnStatistics, made: Origin, *, typed: bool = True) -> ColumnStatistics:
    """The statistics with everything unknown that may be wrong, and `nans` set.

    A file without a value has unknown bounds and as many nulls as rows. Without `typed` the column's type is not known, and
    the statistics have no bounds.
    """
    nulls, rows = recorded.nulls, recorded.rows
    contradictory = (nulls > rows) | (nulls < 0)  # so is it where rows are unknown: -1 is less than any nulls
    if contradictory.any():
        nulls, rows = np.where(contradictory, -1, nulls), np.where(contradictory, np.maximum(rows, -1), rows)
    empty = (nulls == rows) & (rows >= 0)
    if not typed or isinstance(recorded.type, _StringLike | _BytesLike):
        dropped = empty & (rows > 0) & ~made.short
        nulls = np.where(dropped, -1, nulls)
    counted = replace(
        recorded,
        nulls=nulls,
        rows=rows,
        lower_known=recorded.lower_known & ~empty,
        upper_known=recorded.upper_known & ~empty,
    )
    match recorded.type:
        case t.Float() | t.Double():
            return _floats(counted, made)
        case t.String() | t.Enumeration() | t.Uuid():
            return _strings(counted, made)
        case t.Binary() | t.Fixed() | t.Vector():
            return _bytes(counted, made)
        case t.Date():
            return _times(without_widest(counted), FIRST_DAY, 1)
        case t.Timestamp(unit=unit, zoned=True):
            return _times(without_widest(counted), FIRST_NEW_DAY, DAY_SECONDS * unit.value)
        case t.Timestamp():
            return without_widest(counted)
        case _:
            return counted


def widest_times(type: t.Type, *, typed: bool) -> tuple[int, int] | None:
    """The bounds that are recorded of days and timestamps where none is known; None for other types and nanoseconds. `typed`: the
    record states its type.

    They are the widest that Apache Hudi reads as they are. It takes days and timestamps into another calendar and other units,
    where the ends of their bits do not fit: it fails, or takes the least day for a late one. In records that do not state their
    type it also takes a day before the year 1 for one after it. Rule META-1587.
    """
    match type:
        case t.Date():
            return _DAYS if typed else _UNTYPED_DAYS
        case t.Timestamp(t.Unit.MICROS):
            return _MICROS
        case t.Timestamp(t.Unit.MILLIS):
            return _MILLIS
        case _:
            return None


def without_widest(statistics: ColumnStatistics) -> ColumnStatistics:
    """The statistics of days or timestamps, unknown where the widest bounds are recorded: there may be values beyond these.
    Rule META-1587."""
    lower_known, upper_known = statistics.lower_known, statistics.upper_known
    for typed in (True, False):
        if (ends := widest_times(statistics.type, typed=typed)) is not None:
            lower_known = lower_known & (_integers_of(statistics.lower) != ends[0])
            upper_known = upper_known & (_integers_of(statistics.upper) != ends[1])
    return replace(statistics, lower_known=lower_known, upper_known=upper_known)


def _floats(statistics: ColumnStatistics, made: Origin) -> ColumnStatistics:
    """Bounds of 0.0 stand for NaN somewhere in the file; merged with others they leave a range that reaches zero."""
    assert carrier(statistics.type) is Carrier.FLOATS
    lower, upper = _floats_of(statistics.lower), _floats_of(statistics.upper)
    with np.errstate(invalid="ignore"):
        # A footer has -0.0 as the lower bound of real zeros.
        stand_in = (lower == 0) & (upper == 0) & ~np.signbit(lower)
        reaches_zero = (lower <= 0) & ((upper >= 0) | np.isnan(upper))
    hidden = stand_in | (reaches_zero & ~made.one_footer & ~made.in_memory)
    lower_known = statistics.lower_known & ~hidden & ~np.isnan(lower)
    upper_known = statistics.upper_known & ~hidden & ~np.isnan(upper)
    has_values = (statistics.nulls != statistics.rows) | (statistics.rows < 0)
    nans = has_values & ~(lower_known & upper_known)
    return replace(statistics, lower_known=lower_known, upper_known=upper_known, nans=nans)


def _strings(statistics: ColumnStatistics, made: Origin) -> ColumnStatistics:
    trusted = _no_row_group_missing(statistics, made)
    lower, upper = _strings_of(statistics.lower), _strings_of(statistics.upper)
    lower = _cut_supplementary(lower, ~made.one_footer)
    late = ~made.one_footer & _holds(upper, _UTF16_LAST, _SUPPLEMENTARY)
    return replace(
        statistics,
        lower=lower,
        lower_known=statistics.lower_known & trusted,
        upper_known=statistics.upper_known & trusted & ~late,
    )


def _bytes(statistics: ColumnStatistics, made: Origin) -> ColumnStatistics:
    """Signed and unsigned order agree on what lies between two bounds only when these are one."""
    trusted = _no_row_group_missing(statistics, made)
    trusted &= made.one_footer | _same(_strings_of(statistics.lower), _strings_of(statistics.upper))
    return replace(
        statistics, lower_known=statistics.lower_known & trusted, upper_known=statistics.upper_known & trusted
    )


def _no_row_group_missing(statistics: ColumnStatistics, made: Origin) -> Bools:
    """No row group can have been counted as nulls for the length of its strings."""
    trusted: Bools = made.one_footer | made.in_memory | made.short | (statistics.nulls == 0)
    return trusted


def _times(statistics: ColumnStatistics, first_day: int, per_day: int) -> ColumnStatistics:
    """Bounds before a day, the first that both calendars count alike, may be those of a file that counts in the old one, in which
    its rows are not read. Rule FORMAT-1571."""
    lower, upper = _integers_of(statistics.lower), _integers_of(statistics.upper)
    early = first_day * per_day
    if not ((lower < early).any() or (upper < early).any()):
        return statistics
    least = int(np.iinfo(np.int64).min) + MOST_BACK * per_day
    first = max(FIRST_YEAR * per_day, least)  # nanoseconds do not go back to the year 1
    lower = np.where(lower < early, np.maximum(lower, least) - MOST_BACK * per_day, lower)
    upper = np.where(upper < early, np.maximum(upper, first) + MOST_AHEAD * per_day, upper)
    return replace(statistics, lower=lower, upper=upper)


def _integers_of(bounds: object) -> Numbers:
    assert isinstance(bounds, np.ndarray)
    return bounds


def _floats_of(bounds: object) -> Floats:
    assert isinstance(bounds, np.ndarray)
    return bounds


def _strings_of(bounds: object) -> ByteStrings:
    assert isinstance(bounds, ByteStrings)
    return bounds


def _first(strings: ByteStrings, lower: int, upper: int) -> Numbers:
    """Where in its bytes each string first has a byte from `lower` up to `upper`; its end when it has none."""
    ends = strings.offsets[1:]
    places = np.flatnonzero((strings.data >= lower) & (strings.data < upper))
    if not len(places):
        return ends.copy()
    indices = np.searchsorted(places, strings.offsets[:-1])
    first: Numbers = np.minimum(np.append(places, len(strings.data))[indices], ends)
    return first


def _holds(strings: ByteStrings, lower: int, upper: int) -> Bools:
    held: Bools = _first(strings, lower, upper) < strings.offsets[1:]
    return held


def _cut_supplementary(lower: ByteStrings, which: Bools) -> ByteStrings:
    """The chosen strings up to their first character above U+FFFF: UTF-16 sorts it before some that UTF-8 sorts it after."""
    if not len(lower.data) or int(lower.data.max()) < _SUPPLEMENTARY:
        return lower
    ends = np.where(which, _first(lower, _SUPPLEMENTARY, 0x100), lower.offsets[1:])
    starts = lower.offsets[:-1]
    return ByteStrings(*gather(lower.data, starts, ends - starts))


def _same(a: ByteStrings, b: ByteStrings) -> Bools:
    lengths = np.diff(a.offsets)
    equal: Bools = lengths == np.diff(b.offsets)
    rows = np.flatnonzero(equal & (lengths > 0))
    if len(rows):
        one, other = a.take(rows), b.take(rows)
        equal[rows] = ~np.logical_or.reduceat(one.data != other.data, one.offsets[:-1])
    return equal
