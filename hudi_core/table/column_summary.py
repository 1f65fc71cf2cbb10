"""What statistics know of a column: its bounds, and how many file slices may hold one of its values. Rule TABLE-673."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from math import inf
from typing import Any, Final

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.errors import UnsupportedError
from hudi_core.evolve.fields import brief
from hudi_core.expr.build import col
from hudi_core.expr.predicate import Column
from hudi_core.notebook import show_briefly
from hudi_core.planning.sources.column_ranges import ColumnRange
from hudi_core.table.table import Table
from hudi_core.tally import Tally
from hudi_core.types import nodes as t
from hudi_core.values.json import to_json
from hudi_core.values.order import is_ordered, sort_key

_WHOLE: Final = (t.Int, t.Long, t.Date, t.Boolean)
"""Types whose values between two bounds can be counted."""


@show_briefly
@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """What is known of a column over the latest file slices.

    `overlap` is how many slices a query for one of the column's values reads on average, `deepest` at most. `sorted_overlap` is
    the least that it would read on average if the rows were in the order of the column, in as many slices: bounds do not tell
    how many rows have one value. Where no slice has bounds, nothing tells what sorting would change, and it is `overlap`. Slices
    without bounds are counted by `unknown`: each is read by every such query.
    """

    column: str
    type: str
    lower: Any
    upper: Any
    slices: int
    unknown: int
    with_nulls: int
    without_values: int
    overlap: float
    deepest: int
    sorted_overlap: float

    def as_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return asdict(self)


def column_summary(
    table: Table, name: str, type_name: Callable[[t.Type], str] = str, tally: Tally | None = None
) -> ColumnSummary:
    """What is known of a column, by dotted name. Footers are read where the metadata table has no statistics; `tally` gets how
    many.

    Raises `UnknownColumnError` for a column that the table does not have, `UnsupportedError` for one without an order.
    """
    column, known = _ranges(table, name, tally)
    empty = [bounds for bounds in known if bounds is not None and not bounds.values]
    bounded = _bound(known)
    kind = column.type
    lower, upper = _hull(bounded, kind)
    low, high, alone = _ranks(bounded, column.type)
    depth = _depths(low, high)
    unknown = len(known) - len(bounded) - len(empty)
    overlap = round(float(depth.mean()) + unknown, 2) if len(depth) else float(unknown)
    return ColumnSummary(
        column.name,
        type_name(column.type),
        to_json(lower, kind),
        to_json(upper, kind),
        len(known),
        unknown,
        sum(bounds is not None and bounds.nulls for bounds in known),
        len(empty),
        overlap,
        int(depth.max(initial=0)) + unknown,
        round(max(float(alone.mean()), len(bounded) / _most_values(lower, upper, kind)), 2) if len(alone) else overlap,
    )


def column_bounds(table: Table, name: str) -> tuple[Any, Any]:
    """The least and the greatest value that statistics know of a column, or None for each. Raises as `column_summary`."""
    column, known = _ranges(table, name)
    return _hull(_bound(known), column.type)


def _ranges(table: Table, name: str, tally: Tally | None = None) -> tuple[Column, Sequence[ColumnRange | None]]:
    place = table.schema.get(name)
    if not is_ordered(place.field.type) or place.repeated or isinstance(place.field.type, t.Nested):
        found = f"{brief(place.field.type)}{' within an array or a map' if place.repeated else ''}"
        raise UnsupportedError(f"column {name}", expected="a column of single values with an order", found=found)
    scan = table.scan(where=col(place.name).is_not_null())
    scan.tally = tally
    sources, slices = scan.sources, scan.plan.slices
    ((column, known),) = scan.column_ranges(range(len(slices)))
    if any(bounds is None for bounds in known):
        sources.headers.footers([file_slice.base for file_slice in slices if file_slice.base is not None])
        ((column, known),) = scan.column_ranges(range(len(slices)))
    return column, known


def _bound(known: Iterable[ColumnRange | None]) -> list[ColumnRange]:
    return [bounds for bounds in known if bounds is not None and bounds.values and _is_bounded(bounds)]


def _hull(bounded: Sequence[ColumnRange], kind: t.Type) -> tuple[Any, Any]:
    lower = min((bounds.lower for bounds in bounded), key=lambda value: sort_key(value, kind), default=None)
    upper = max((bounds.upper for bounds in bounded), key=lambda value: sort_key(value, kind), default=None)
    return lower, upper


def _most_values(lower: Any, upper: Any, type_: t.Type) -> float:
    """How many values there can be from one to another: of whole numbers, days and flags as many as lie between."""
    return int(upper) - int(lower) + 1 if isinstance(type_, _WHOLE) else inf


def _is_bounded(bounds: ColumnRange) -> bool:
    return bounds.lower is not None and bounds.upper is not None


def _ranks(bounded: Sequence[ColumnRange], type_: t.Type) -> tuple[Numbers, Numbers, Numbers]:
    """The places of the lower and of the upper bounds in the order of all of them, and how many slices have the one value of a
    slice and no other: sorting does not part those."""
    lower = [sort_key(bounds.lower, type_) for bounds in bounded]
    upper = [sort_key(bounds.upper, type_) for bounds in bounded]
    places = {key: place for place, key in enumerate(sorted({*lower, *upper}))}
    low, high = (np.array([places[key] for key in keys], np.int64) for keys in (lower, upper))
    single = np.bincount(low[low == high], minlength=len(places)) if len(places) else np.zeros(0, np.int64)
    return low, high, np.maximum(single[low], 1) if len(low) else low


def _depths(low: Numbers, high: Numbers) -> Numbers:
    """For each slice the number of slices that may hold its lowest value."""
    return np.searchsorted(np.sort(low), low, side="right") - np.searchsorted(np.sort(high), low, side="left")
