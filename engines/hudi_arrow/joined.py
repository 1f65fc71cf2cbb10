"""Strings put together of columns and constants."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.arrays import Array, plain
from hudi_arrow.threads import in_parts

_NARROW_BYTES = 2**31 - 1
"""What the offsets of a narrow array of strings reach."""


def join(parts: Sequence[str | Array]) -> Array:
    """Strings one after another; null where a column is. At least one part is a column."""
    pieces = [part if isinstance(part, str) else plain(part) for part in parts]
    columns = [piece for piece in pieces if isinstance(piece, pa.Array)]
    if len(pieces) == 1:
        return columns[0]
    rows = len(columns[0])
    is_wide = any(pa.types.is_large_string(column.type) for column in columns)
    if is_wide or _max_bytes(pieces, rows) > _NARROW_BYTES:
        pieces = [piece if isinstance(piece, str) else piece.cast(pa.large_string()) for piece in pieces]
        kind = pa.large_string()
    else:
        kind = pa.string()

    def joined(first: int, count: int) -> Array:
        cut = [pa.scalar(piece, kind) if isinstance(piece, str) else piece.slice(first, count) for piece in pieces]
        return pc.binary_join_element_wise(*cut, pa.scalar("", kind))

    return in_parts(joined, rows)


def _max_bytes(pieces: Sequence[str | Array], rows: int) -> int:
    """No less than the bytes of the joined strings."""
    return sum(rows * len(piece.encode()) if isinstance(piece, str) else int(piece.nbytes) for piece in pieces)
