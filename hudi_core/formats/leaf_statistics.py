"""Statistics of a leaf column, as the footer of a base file records them."""

from __future__ import annotations

from dataclasses import dataclass

from hudi_core.types.nodes import Type


@dataclass(frozen=True, slots=True)
class LeafStatistics:
    """What a file's footer says of one leaf column. Bounds are values in the form of `hudi_core.values`, or None: unknown."""

    type: Type
    low: object = None
    high: object = None
    nulls: int | None = None
    values: int | None = None
    """Rows including nulls."""
    nans: bool = True
    """NaN may be among the values, whatever the bounds: false only where the writer is known to leave no bounds then."""
