"""A filter that almost every row passes, on a table of hundreds of small files: that of `hudi-core demo`."""

from __future__ import annotations

import pyarrow.dataset as ds

from hudi_core.table.open import open_table
from tests.bench.timing import Pair
from tests.support.commands import rides

_LEAST = 0.5


def pair() -> Pair:
    """Opening the table and reading its rows, all columns, beside the same of its files."""
    root = rides()
    files = [str(file) for file in sorted(root.glob("city=*/*.parquet"))]

    def ours() -> int:
        batches = open_table(str(root)).scan(where=f"distance_km >= {_LEAST}").batches()
        return sum(batch.num_rows for batch in batches)

    def theirs() -> int:
        # Columns of the first file, as pyarrow has it: our side gives those of later schemas too.
        scanner = ds.dataset(files).scanner(filter=ds.field("distance_km") >= _LEAST)
        return sum(batch.num_rows for batch in scanner.to_batches())

    return Pair(ours, theirs, _about_as_many, 20)


def _about_as_many(ours: object, peer: object) -> None:
    """pyarrow knows no renamed columns: files that have the column under an older name give it no row."""
    if not isinstance(ours, int) or not isinstance(peer, int) or not peer <= ours <= 1.1 * peer:
        raise AssertionError(f"{ours} rows, the peer has {peer}")
