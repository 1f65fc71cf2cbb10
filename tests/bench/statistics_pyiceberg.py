"""PyIceberg's counterpart: the entries of a manifest in memory, one column's bounds in each."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
from pyiceberg.conversions import to_bytes
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat, ManifestEntry, ManifestEntryStatus, write_manifest
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC
from pyiceberg.schema import Schema
from pyiceberg.typedef import Record
from pyiceberg.types import LongType, NestedField

SCHEMA = Schema(NestedField(1, "price", LongType()))


def read_entries(low: np.ndarray, high: np.ndarray) -> Callable[[], object]:
    """Writes the manifest once; what it gives reads it and counts the entries."""
    folder = tempfile.mkdtemp(prefix="bench-manifest-")
    io = PyArrowFileIO()
    out = io.new_output(f"{folder}/manifest.avro")
    with write_manifest(2, UNPARTITIONED_PARTITION_SPEC, SCHEMA, out, 1, "null") as writer:
        for number, (least, greatest) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
            writer.add_entry(_entry(number, least, greatest))
    manifest: Any = writer.to_manifest_file()
    return lambda: len(manifest.fetch_manifest_entry(io, discard_deleted=False))


def _entry(number: int, low: int, high: int) -> ManifestEntry:
    file = DataFile.from_args(
        content=DataFileContent.DATA,
        file_path=f"data/{number:08d}.parquet",
        file_format=FileFormat.PARQUET,
        partition=Record(),
        record_count=1000,
        file_size_in_bytes=100_000,
        value_counts={1: 1000},
        null_value_counts={1: 3},
        lower_bounds={1: to_bytes(LongType(), low)},
        upper_bounds={1: to_bytes(LongType(), high)},
        sort_order_id=0,
    )
    return ManifestEntry.from_args(
        status=ManifestEntryStatus.ADDED, snapshot_id=1, sequence_number=1, file_sequence_number=1, data_file=file
    )
