"""The ranges of a column in some slices, as values: what people see of statistics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.expr.predicate import Column
from hudi_core.pruning.promoted import promote
from hudi_core.pruning.statistics import WIDE_OFFSET, ColumnStatistics
from hudi_core.pruning.store import StatisticsPart
from hudi_core.types import nodes as t
from hudi_core.values.domain import EXACT
from hudi_core.values.order import sort_key


@dataclass(frozen=True, slots=True)
class ColumnRange:
    """The range of a column in a slice. A bound is None when it is not known, or when there is no value."""

    lower: object
    upper: object
    values: bool = True
    """There may be values that are not null."""
    nulls: bool = True
    nans: bool = False
    """NaN may be among the values. It lies outside the bounds."""


Bounds = ColumnRange | None
"""The range of each slice; None for an unknown one."""


def ranges(column: Column, pieces: Iterable[StatisticsPart], slice_rows: Sequence[int]) -> list[Bounds]:
    """The ranges of these slices, joined over their files."""
    range_of: dict[int, Bounds] = {}
    for piece in pieces:
        statistics = promote(piece.statistics, column.type)
        for row in np.flatnonzero(np.isin(piece.files, slice_rows)).tolist():
            slice_row = int(piece.files[row])
            range_ = _range(statistics, row, column.type)
            range_of[slice_row] = _join(range_of[slice_row], range_, column.type) if slice_row in range_of else range_
    return [range_of.get(slice_row) for slice_row in slice_rows]


def _range(statistics: ColumnStatistics, row: int, type_: t.Type) -> Bounds:
    lower = value(statistics.lower, row, type_) if statistics.lower_known[row] else None
    upper = value(statistics.upper, row, type_) if statistics.upper_known[row] else None
    nulls, rows = int(statistics.nulls[row]), int(statistics.rows[row])
    if lower is None and upper is None and nulls < 0:
        return None
    values = nulls < 0 or nulls != rows
    may_be_nan = statistics.nans is None or bool(statistics.nans[row])
    return ColumnRange(
        lower, upper, values, nulls != 0, values and may_be_nan and isinstance(type_, t.Float | t.Double)
    )


def value(bounds: Any, row: int, type_: t.Type) -> object:
    """A bound in the form of `hudi_core.values`."""
    if isinstance(bounds, ByteStrings):
        carried = bounds[row]
        match type_:
            case t.String() | t.Enumeration() | t.Uuid():
                return carried.decode("utf-8", "replace")
            case t.Decimal(scale=scale):
                return EXACT.scaleb(Decimal(int.from_bytes(carried, "big") - WIDE_OFFSET), -scale)
            case _:
                return carried
    match type_:
        case t.Decimal(scale=scale):
            return EXACT.scaleb(Decimal(int(bounds[row])), -scale)
        case t.Boolean():
            return bool(bounds[row])
        case _:
            return float(bounds[row]) if np.asarray(bounds).dtype.kind == "f" else int(bounds[row])


def _join(first: Bounds, second: Bounds, type_: t.Type) -> Bounds:
    """The range of both together."""
    if first is None or second is None:
        return None
    nulls, nans = first.nulls or second.nulls, first.nans or second.nans
    if not first.values or not second.values:
        bounded = second if not first.values else first
        return ColumnRange(bounded.lower, bounded.upper, bounded.values, nulls, nans)
    lowers, uppers = (first.lower, second.lower), (first.upper, second.upper)
    lower = None if None in lowers else min(lowers, key=lambda bound: sort_key(bound, type_))
    upper = None if None in uppers else max(uppers, key=lambda bound: sort_key(bound, type_))
    return ColumnRange(lower, upper, True, nulls, nans)
