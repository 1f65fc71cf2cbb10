"""Rows of three columns for tests of writing, and what a table of such rows holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from hudi_core.front.opening import open_table
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.table import Table

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64())])


def rows(*values: tuple[str, str, int]) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(TYPES.names, row, strict=True)) for row in values], TYPES)


def read(path: Path, mode: MetadataMode = MetadataMode.AUTO, where: str | None = None) -> list[tuple[Any, ...]]:
    """The rows of the table at `path`, in order."""
    return rows_of(open_table(path, metadata=mode), where)


def rows_of(table: Table, where: str | None = None) -> list[tuple[Any, ...]]:
    """The rows of a table, in order."""
    scan = table.scan(where, columns=TYPES.names)
    return sorted(tuple(row.values()) for row in scan.to_json_rows())
