"""A filter that almost every row passes, on a table of hundreds of small files: that of `hudi-core demo`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from hudi_core.front.opening import open_table
from tests.bench.timing import Pair
from tests.support.commands import rides

_LEAST = 0.5
_RENAMED = {"tip": "gratuity"}
"""Columns of older files by their name there."""


def pair() -> Pair:
    """Opening the table and reading its rows, all columns, beside the same of its files."""
    root = rides()
    files = [str(file) for file in sorted(root.glob("city=*/*.parquet"))]

    def ours() -> int:
        return sum(batch.num_rows for batch in _rows(root))

    def theirs() -> int:
        # Columns of the first file, as pyarrow has it: our side gives those of later schemas too.
        distance = ds.field("distance_km")
        scanner = ds.dataset(files).scanner(filter=(distance >= _LEAST) | distance.is_nan())
        return sum(batch.num_rows for batch in scanner.to_batches())

    def check(our_count: object, peer_count: object) -> None:
        assert our_count == peer_count, f"{our_count} rows, the peer has {peer_count}"
        assert_same_rows(pa.Table.from_batches(_rows(root)), files)

    return Pair(ours, theirs, check, 20)


def _rows(root: Path) -> Iterable[pa.RecordBatch]:
    rows: Iterable[pa.RecordBatch] = open_table(str(root)).scan(where=f"distance_km >= {_LEAST}").batches()
    return rows


def assert_same_rows(ours: pa.Table, files: Sequence[str]) -> None:
    """All values of all rows are those that pyarrow reads file by file, each under its own schema."""
    read = [_of_file(pq.ParquetFile(file).read()) for file in files]
    wanted = pa.concat_tables(read, promote_options="permissive").select(ours.column_names).cast(ours.schema)
    assert _comparable(ours).equals(_comparable(wanted)), "rows differ"


def _of_file(rows: pa.Table) -> pa.Table:
    named = rows.rename_columns([_RENAMED.get(name, name) for name in rows.column_names])
    distance = named["distance_km"]
    return named.filter(pc.or_(pc.greater_equal(distance, _LEAST), pc.is_nan(distance)))  # NaN is greatest in SQL


def _comparable(rows: pa.Table) -> pa.Table:
    """Rows by key, doubles as their bits: NaN equals itself."""
    table = rows.sort_by([("_hoodie_record_key", "ascending")]).combine_chunks()
    columns = [column.combine_chunks() for column in table.columns]
    bits = [column.view(pa.int64()) if column.type == pa.float64() else column for column in columns]
    return pa.table(bits, table.column_names)
