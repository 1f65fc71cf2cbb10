"""Small tables of our own writer, and damage done to copies of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from hudi_core.commit.metadata import encode_commit
from hudi_core.front.opening import create_table, open_table
from hudi_core.options import PROPERTIES_PATH
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.commits import read_record
from hudi_core.validation.findings import Finding
from hudi_core.validation.validate import validate
from hudi_core.writing.operations import write

SCHEMA = pa.schema(
    [("id", pa.string()), ("p", pa.string()), ("n", pa.int64()), ("x", pa.float64()), ("s", pa.string())]
)
GREATEST = "文 the greatest"
"""A string that no row sorts behind, and that stands in no other place of a file."""


def rows(first: int, last: int) -> pa.Table:
    listed = [
        {
            "id": f"k{number:02}",
            "p": "xy"[number % 2],
            "n": number,
            "x": None if number % 7 == 0 else number / 2,
            "s": GREATEST if number == last - 1 else "é" * (number % 5),
        }
        for number in range(first, last)
    ]
    return pa.Table.from_pylist(listed, SCHEMA)


def made(folder: Path, kind: str = "cow", version: int = 9) -> Path:
    """A table of a few commits without a metadata table: rows in two partitions, some written again."""
    table = create_table(folder, SCHEMA, "id", partition_by="p", ordering="n", type=kind, version=version)
    write(table, rows(0, 20))
    write(refreshed(table), rows(10, 30))
    if kind == "mor":
        write(refreshed(table), rows(2, 8))  # updates alone go to log files
    return folder


def copied(source: Path, folder: Path) -> Table:
    shutil.copytree(source, folder)
    return open_table(folder)


def checks_of(findings: list[Finding]) -> set[str]:
    return {finding.check for finding in findings}


def findings_of(table: Table) -> list[Finding]:
    return list(validate(refreshed(table)))


def with_properties(table: Table, **changes: str) -> Table:
    """Properties set; the names are without `hoodie.`, their dots as double underscores."""
    path = Path(table.storage.uri) / PROPERTIES_PATH
    changed = {f"hoodie.{key.replace('__', '.')}": value for key, value in changes.items()}
    kept = [line for line in path.read_text().splitlines() if line.partition("=")[0] not in changed]
    path.write_text("\n".join([*kept, *(f"{key}={value}" for key, value in changed.items()), ""]))
    return refreshed(table)


def with_commit(table: Table, change: Callable[[dict[str, Any]], None]) -> Table:
    """The last commit with another metadata."""
    instant = table.timeline.commits[-1]
    path = Path(table.storage.uri) / table.timeline.folder / instant.file
    record = dict(read_record(path.read_bytes(), str(path)))
    change(record)
    path.write_bytes(encode_commit(record, table.config.layout))
    return refreshed(table)


def with_true_sizes(table: Table) -> Table:
    """The last commit with the sizes that files have."""

    def resize(record: dict[str, Any]) -> None:
        for stats in record["partitionToWriteStats"].values():
            for stat in stats:
                stat["fileSizeInBytes"] = (Path(table.storage.uri) / stat["path"]).stat().st_size

    return with_commit(table, resize)


def base_file(table: Table) -> Path:
    """The base file of a live slice."""
    base = table.slices()[0].base
    assert base is not None
    return Path(table.storage.uri) / base.path


def rewritten(path: Path, **metadata: str) -> None:
    """A base file with other entries of its footer's metadata."""
    data = pq.ParquetFile(path).read()
    kept = {**(data.schema.metadata or {}), **{key.encode(): value.encode() for key, value in metadata.items()}}
    pq.write_table(data.replace_schema_metadata(kept), path)
