"""Other table formats as peers of writes: Delta Lake by `deltalake`, Iceberg by PyIceberg with a catalog in SQLite.

Each write makes a table of its own, which is there until the context ends, and gives what reads its rows.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache, partial
from pathlib import Path
from time import perf_counter
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from hudi_core.schema.meta import is_meta
from tests.bench.timing import Elsewhere, Unbuilt

Rows = Callable[[], pa.Table]


def appended(peer: str, rows: pa.Table) -> AbstractContextManager[Rows]:
    """A new table with the rows."""
    match peer:
        case "deltalake":
            return _appended_to_delta(rows)
        case "pyiceberg":
            return _appended_to_iceberg(rows)
        case _:
            raise Unbuilt("no such peer")


def upserted(
    peer: str, files: Sequence[Path], batch: pa.Table
) -> Callable[[], AbstractContextManager[Rows]] | Elsewhere:
    """What merges the batch by its key into a table of the rows of these files."""
    match peer:
        case "deltalake":
            return partial(_merged_into_delta, tuple(files), batch)
        case "pyiceberg":
            return Elsewhere(partial(_merged_into_iceberg, files, batch))
        case _:
            raise Unbuilt("no such peer")


@contextmanager
def _appended_to_delta(rows: pa.Table) -> Iterator[Rows]:
    from deltalake import DeltaTable, write_deltalake  # noqa: PLC0415 - one peer can be there without the other

    with tempfile.TemporaryDirectory(prefix="bench-delta-") as folder:
        write_deltalake(folder, rows, mode="append")
        yield lambda: DeltaTable(folder).to_pyarrow_table()


@contextmanager
def _merged_into_delta(files: tuple[Path, ...], batch: pa.Table) -> Iterator[Rows]:
    from deltalake import DeltaTable  # noqa: PLC0415 - one peer can be there without the other

    with tempfile.TemporaryDirectory(prefix="bench-delta-") as folder:
        table = DeltaTable(shutil.copytree(_delta_table(files), Path(folder) / "t", copy_function=os.link))
        merger = table.merge(batch, "target.part = source.part AND target.id = source.id", "source", "target")
        merger.when_matched_update_all().when_not_matched_insert_all().execute()
        yield table.to_pyarrow_table


@contextmanager
def _appended_to_iceberg(rows: pa.Table) -> Iterator[Rows]:
    with _iceberg_table(rows.schema) as table:
        table.append(rows)
        yield lambda: table.scan().to_arrow()


def _merged_into_iceberg(files: Sequence[Path], batch: pa.Table) -> tuple[Sequence[float], pa.Table]:
    """Its seconds without those of the table that it begins with, which cannot be copied: its metadata has absolute paths."""
    rows = _rows(files)
    with _iceberg_table(rows.schema) as table:
        table.append(rows)
        begin = perf_counter()
        table.upsert(batch.cast(rows.schema), join_cols=["id"])
        return [perf_counter() - begin], table.scan().to_arrow()


@contextmanager
def _iceberg_table(schema: pa.Schema) -> Iterator[Any]:
    from pyiceberg.catalog.sql import SqlCatalog  # noqa: PLC0415 - one peer can be there without the other

    with tempfile.TemporaryDirectory(prefix="bench-iceberg-") as folder:
        catalog = SqlCatalog("bench", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}")
        catalog.create_namespace("of")
        try:
            yield catalog.create_table("of.rows", schema)
        finally:
            catalog.engine.dispose()


@cache
def _delta_table(files: tuple[Path, ...]) -> Path:
    from deltalake import write_deltalake  # noqa: PLC0415 - one peer can be there without the other

    folder = Path(tempfile.mkdtemp(prefix="bench-delta-"))
    for file in files:
        write_deltalake(folder, _rows([file]), mode="append", partition_by=["part"])
    return folder


def _rows(files: Sequence[Path]) -> pa.Table:
    read = ds.dataset([str(file) for file in files])
    return read.to_table(columns=[name for name in read.schema.names if not is_meta(name)])
