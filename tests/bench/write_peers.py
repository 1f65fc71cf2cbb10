"""Other table formats as peers of writes: Delta Lake by `deltalake`, Iceberg by PyIceberg with a catalog in SQLite.

Each write makes a table of its own, which is there until the context ends, and gives what reads its rows.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from hudi_core.front.opening import create_table
from hudi_core.schema.meta import is_meta
from tests.bench.timing import Elsewhere, Unbuilt, now

Rows = Callable[[], pa.Table]
Act = Callable[[], Rows]


def appended(peer: str, rows: pa.Table) -> AbstractContextManager[Act]:
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
) -> Callable[[], AbstractContextManager[Act]] | Elsewhere:
    """What merges the batch by its key into a table of the rows of these files."""
    match peer:
        case "deltalake":
            return partial(_merged_into_delta, tuple(files), batch)
        case "pyiceberg":
            return Elsewhere(partial(_merged_into_iceberg, files, batch))
        case _:
            raise Unbuilt("no such peer")


@contextmanager
def _appended_to_delta(rows: pa.Table) -> Iterator[Act]:
    from deltalake import DeltaTable, write_deltalake  # noqa: PLC0415 - one peer can be there without the other

    with tempfile.TemporaryDirectory(prefix="bench-delta-") as folder:

        def act() -> Rows:
            write_deltalake(folder, rows, mode="append")
            return lambda: DeltaTable(folder).to_pyarrow_table()

        yield act


@contextmanager
def _merged_into_delta(files: tuple[Path, ...], batch: pa.Table) -> Iterator[Act]:
    from deltalake import DeltaTable  # noqa: PLC0415 - one peer can be there without the other

    with tempfile.TemporaryDirectory(prefix="bench-delta-") as folder:
        table = DeltaTable(shutil.copytree(_delta_table(files), Path(folder) / "t", copy_function=os.link))

        def act() -> Rows:
            merger = table.merge(batch, "target.part = source.part AND target.id = source.id", "source", "target")
            merger.when_matched_update_all().when_not_matched_insert_all().execute()
            return table.to_pyarrow_table

        yield act


@contextmanager
def _appended_to_iceberg(rows: pa.Table) -> Iterator[Act]:
    """The catalog and its database are there before; ours and Delta's make the table as a part of the write."""
    with _iceberg_table(rows.schema) as table:

        def act() -> Rows:
            table.append(rows)
            return lambda: table.scan().to_arrow()

        yield act


def _merged_into_iceberg(files: Sequence[Path], batch: pa.Table) -> tuple[Sequence[float], pa.Table]:
    """Its seconds without those of the table that it begins with, which cannot be copied: its metadata has absolute paths."""
    rows = _rows(files)
    with _iceberg_table(rows.schema) as table:
        table.append(rows)
        begin = now()
        table.upsert(batch.cast(rows.schema), join_cols=["id"])
        return [now() - begin], table.scan().to_arrow()


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
def own_table(files: tuple[Path, ...], indexes: tuple[str, ...]) -> Path:
    """A table of this library's own with the rows of these files, in files of the same rows, as the peers' tables are theirs."""
    folder = _kept("bench-own-") / "t"
    waiting = [sorted(of_partition) for _, of_partition in groupby(sorted(files), key=lambda file: file.parent.name)]
    table = None
    for together in zip(*waiting, strict=True):  # a file of each partition: one commit of as many files
        rows = _rows(together)
        if table is None:
            table = create_table(folder, rows, "id", partition_by="part", ordering="ts", indexes=indexes)
        table.append(rows)
    return folder


@cache
def _delta_table(files: tuple[Path, ...]) -> Path:
    from deltalake import write_deltalake  # noqa: PLC0415 - one peer can be there without the other

    folder = _kept("bench-delta-")
    for file in files:
        write_deltalake(folder, _rows([file]), mode="append", partition_by=["part"])
    return folder


def _kept(prefix: str) -> Path:
    """A folder that is there until the process ends."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _rows(files: Sequence[Path]) -> pa.Table:
    read = ds.dataset([str(file) for file in files])
    return read.to_table(columns=[name for name in read.schema.names if not is_meta(name)])
