"""Copy-on-write tables of one commit whose base files a test writes by itself: no meta columns, no metadata table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

_INSTANT = "20250101000000000"
_PROPERTIES = (
    "hoodie.table.name=t",
    "hoodie.table.type=COPY_ON_WRITE",
    "hoodie.table.version=6",
    "hoodie.timeline.layout.version=1",
    "hoodie.populate.meta.fields=false",
)
BY_CITY = (
    "hoodie.table.partition.fields=city",
    "hoodie.datasource.write.hive_style_partitioning=true",
    "hoodie.table.keygenerator.class=org.apache.hudi.keygen.SimpleKeyGenerator",
)
"""The properties of a table that is partitioned by `city`, in folders `city=...`."""


def base_file_path(root: Path, number: int, partition: str = "", extension: str = "parquet") -> Path:
    """Where the base file of file group `number` is to be written; its folder is there. Slices are ordered by number."""
    folder = root / partition
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"f{number:02}-0_0-0-0_{_INSTANT}.{extension}"


def commit_base_files(root: Path, schema: Mapping[str, Any], properties: Iterable[str] = ()) -> Path:
    """The table of all base files below the folder, with this Avro schema and more properties (lines); gives the folder."""
    stats: dict[str, list[dict[str, str]]] = {}
    for file in sorted(root.rglob(f"f*_{_INSTANT}.*")):
        partition = file.parent.relative_to(root).as_posix().removeprefix(".")
        stats.setdefault(partition, []).append(
            {"fileId": file.name.partition("_")[0], "path": file.relative_to(root).as_posix()}
        )
    commit = {"partitionToWriteStats": stats, "extraMetadata": {"schema": json.dumps(schema)}}
    meta = root / ".hoodie"
    meta.mkdir()
    (meta / f"{_INSTANT}.commit").write_text(json.dumps(commit))
    (meta / "hoodie.properties").write_text("".join(f"{line}\n" for line in (*_PROPERTIES, *properties)))
    return root
