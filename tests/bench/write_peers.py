"""Other table formats as peers of writes: Delta Lake by `deltalake`, Iceberg by PyIceberg with a catalog in SQLite."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from hudi_core.schema.meta import is_meta
from tests.bench.timing import Unbuilt


def appender(peer: str, rows: pa.Table) -> Callable[[], int]:
    """Creates a table, appends the rows and gives their number."""

    def delta() -> int:
        from deltalake import write_deltalake  # noqa: PLC0415 - one peer can be there without the other

        with tempfile.TemporaryDirectory(prefix="bench-delta-") as folder:
            write_deltalake(folder, rows, mode="append")
        return int(rows.num_rows)

    def iceberg() -> int:
        with tempfile.TemporaryDirectory(prefix="bench-iceberg-") as folder, _iceberg(Path(folder)) as catalog:
            catalog.create_table("of.rows", rows.schema).append(rows)
        return int(rows.num_rows)

    return {"deltalake": delta, "pyiceberg": iceberg}[peer]


def upserter(peer: str, files: Sequence[Path], batch: pa.Table) -> Callable[[], int]:
    """Merges a batch by its key into a copy of a table of the rows of these files; gives the number of rows afterwards."""

    def delta() -> int:
        from deltalake import DeltaTable  # noqa: PLC0415 - one peer can be there without the other

        with tempfile.TemporaryDirectory(prefix="bench-delta-") as folder:
            copy = shutil.copytree(_delta_table(tuple(files)), Path(folder) / "t")
            table = DeltaTable(copy)
            merger = table.merge(batch, "target.part = source.part AND target.id = source.id", "source", "target")
            merger.when_matched_update_all().when_not_matched_insert_all().execute()
            return int(table.to_pyarrow_dataset().count_rows())

    def iceberg() -> int:
        with tempfile.TemporaryDirectory(prefix="bench-iceberg-") as folder, _iceberg(Path(folder)) as catalog:
            rows = _rows(files)
            table = catalog.create_table("of.rows", rows.schema)
            table.append(rows)
            table.upsert(batch.cast(rows.schema), join_cols=["id"])
            return int(table.scan().count())

    if peer not in ("deltalake", "pyiceberg"):
        raise Unbuilt("no such peer")
    return {"deltalake": delta, "pyiceberg": iceberg}[peer]


@contextmanager
def _iceberg(folder: Path) -> Iterator[Any]:
    from pyiceberg.catalog.sql import SqlCatalog  # noqa: PLC0415 - one peer can be there without the other

    catalog = SqlCatalog("bench", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}")
    catalog.create_namespace("of")
    try:
        yield catalog
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
