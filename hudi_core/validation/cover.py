"""Recorded statistics against those of the stored values. Rules VALID-5, VALID-1590.

Recorded statistics may be wider, never contradict: bounds cover all values, a column recorded without nulls has none, one
recorded as all null has no value. But days and timestamps are no wider than Apache Hudi reads them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.metadata.trust import widest_times
from hudi_core.metadata.typed_by_file import as_stored
from hudi_core.pruning.promoted import promote
from hudi_core.pruning.ranks import at_most
from hudi_core.pruning.statistics import Bounds, Carrier, ColumnStatistics, carrier

_SHOWN = 60
"""Characters of a bound that a finding shows."""


@dataclass(frozen=True, slots=True)
class Denial:
    """A stored value that recorded statistics exclude: the row of the comparison, and what either side has."""

    row: int
    expected: str
    found: str


def denials(stated: ColumnStatistics, held: ColumnStatistics) -> Iterator[Denial]:
    """What stated statistics deny of what is held, row by row of the two; both of one type."""
    below = stated.lower_known & held.lower_known & ~_at_most(stated.lower, held.lower)
    above = stated.upper_known & held.upper_known & ~_at_most(held.upper, stated.upper)
    for row in np.flatnonzero(below).tolist():
        yield Denial(row, f"a lower bound up to {format_bound(held.lower, row)}", format_bound(stated.lower, row))
    for row in np.flatnonzero(above).tolist():
        yield Denial(row, f"an upper bound from {format_bound(held.upper, row)} on", format_bound(stated.upper, row))
    counted = (held.nulls >= 0) & (held.rows >= 0)
    for row in np.flatnonzero(counted & (stated.nulls == 0) & (held.nulls > 0)).tolist():
        yield Denial(row, f"{held.nulls[row]:,} nulls", "no null")
    null_alone = (stated.nulls >= 0) & (stated.nulls == stated.rows)
    for row in np.flatnonzero(counted & null_alone & (held.nulls < held.rows)).tolist():
        yield Denial(row, f"{held.rows[row] - held.nulls[row]:,} values that are not null", "nulls alone")
    if carrier(stated.type) is Carrier.FLOATS and stated.nans is not None and held.nans is not None:
        for row in np.flatnonzero(~stated.nans & held.nans).tolist():
            yield Denial(row, "NaN among the values", "none")


def find_too_wide(stated: ColumnStatistics, held: ColumnStatistics, *, typed: bool) -> Iterator[Denial]:
    """Bounds of days and timestamps that Apache Hudi does not read as they are, though no value is the reason, row by row of the
    two; both of one type. `typed`: the records state it. Rules META-1587, VALID-1590."""
    ends = widest_times(stated.type, typed=typed)
    if ends is None:
        return
    least, greatest = ends
    lower, upper = _integers_of(stated.lower), _integers_of(stated.upper)
    below = stated.lower_known & (lower < least) & ~(held.lower_known & (_integers_of(held.lower) == lower))
    above = stated.upper_known & (upper > greatest) & ~(held.upper_known & (_integers_of(held.upper) == upper))
    for row in np.flatnonzero(below | above).tolist():
        bound = f"a lower bound from {least} on" if below[row] else f"an upper bound up to {greatest}"
        yield Denial(row, f"{bound}, or none", format_bound(stated.lower if below[row] else stated.upper, row))


def of_whole_groups(denied: Sequence[Denial], group_of: Numbers) -> list[Denial]:
    """One denial for each group in which all rows are denied; what is stated of a row is stated of its group."""
    others = np.setdiff1d(np.arange(len(group_of)), [denial.row for denial in denied])
    firsts: dict[int, Denial] = {}
    for denial in denied:
        firsts.setdefault(int(group_of[denial.row]), denial)
    mixed = set(group_of[others].tolist())
    return [denial for group, denial in firsts.items() if group not in mixed]


def describe_too_wide(denial: Denial, count: int, of_what: str) -> str:
    """What was found, where bounds of so many files or partitions are too wide."""
    return f"{denial.found} in {count:,} {of_what}: Apache Hudi's data skipping fails by it, or loses rows"


def in_one_type(
    stated: ColumnStatistics, typed: bool, held: ColumnStatistics
) -> tuple[ColumnStatistics, ColumnStatistics]:
    """Stated statistics and those of values, as of one type; what cannot be compared is unknown in the result.

    Without `typed` the type of the stated ones is what their bounds look like.
    """
    if not typed:
        stored = as_stored(stated, held.type)
        if stored is None:
            return promote(stated, held.type), held
        return stored, held
    return stated, promote(held, stated.type)


def differing_counts(stated: ColumnStatistics, held: ColumnStatistics) -> Numbers:
    """The rows whose stated counts are others than those of the values; one null among others stands for unknown (META-63)."""
    counted = (stated.nulls >= 0) & (stated.rows >= 0) & (held.nulls >= 0) & (held.rows >= 0) & (stated.nulls != 1)
    return np.flatnonzero(counted & ((stated.nulls != held.nulls) | (stated.rows != held.rows)))


def _at_most(left: Bounds, right: Bounds) -> Bools:
    if isinstance(left, ByteStrings) or isinstance(right, ByteStrings):
        assert isinstance(left, ByteStrings)
        assert isinstance(right, ByteStrings)
        return at_most(left, right)
    with np.errstate(invalid="ignore"):
        ordered: Bools = left <= right
    return ordered | np.isnan(right) if right.dtype.kind == "f" else ordered


def _integers_of(bounds: object) -> Numbers:
    assert isinstance(bounds, np.ndarray)
    return bounds


def format_bound(bounds: Bounds, row: int) -> str:
    """A bound in words, in the form that carries it; bytes as the string that they are, where they are one."""
    value = bounds[row] if isinstance(bounds, ByteStrings) else bounds[row].item()
    if isinstance(value, bytes):
        with suppress(UnicodeDecodeError):
            value = value.decode()
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
