"""Statistics of a leaf column, as the footer of a base file records them."""

from __future__ import annotations

from dataclasses import dataclass

from hudi_core.types.nodes import Type


@dataclass(frozen=True, slots=True)
class LeafStatistics:
    """Column statistics of one leaf column in a file's footer. Bounds are in the form of `hudi_core.values`; None: unknown."""

    type: Type
    lower: object = None
    upper: object = None
    null_count: int | None = None
    value_count: int | None = None
    """Rows including nulls."""
    nans: bool = True
    """NaN may be among the values, whatever the bounds: false only for writers that state no bounds then."""
    size: int | None = None
    """Bytes of its values in the file, None where nobody counted them; so too `uncompressed_size`."""
    uncompressed_size: int | None = None
