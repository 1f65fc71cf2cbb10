"""PyIceberg's counterpart: the entries of a manifest in memory, one a file, with the bounds of five columns each."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pyiceberg import types as it
from pyiceberg.conversions import from_bytes, to_bytes
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat, ManifestEntry, ManifestEntryStatus, write_manifest
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC
from pyiceberg.schema import Schema
from pyiceberg.typedef import Record

from hudi_core.metadata.statistics import RecordedStatistics
from tests.bench import statistics
from tests.bench.timing import Pair

_TYPES: Mapping[str, it.PrimitiveType] = {
    "price": it.LongType(),
    "score": it.DoubleType(),
    "name": it.StringType(),
    "day": it.DateType(),
    "at": it.TimestamptzType(),
}
_SCHEMA = Schema(*(it.NestedField(number, name, _TYPES[name]) for number, name in enumerate(_TYPES, start=1)))


def pair() -> Pair:
    """Writes the manifest once; the peer reads it."""
    folder = tempfile.TemporaryDirectory(prefix="bench-manifest-")
    io = PyArrowFileIO()
    with write_manifest(
        2, UNPARTITIONED_PARTITION_SPEC, _SCHEMA, io.new_output(f"{folder.name}/manifest.avro"), 1, "null"
    ) as writer:
        columns = [_encoded(name) for name in _TYPES]
        for number in range(statistics.FILES):
            writer.add_entry(_entry(number, [low[number] for low, _ in columns], [high[number] for _, high in columns]))
    manifest: Any = writer.to_manifest_file()

    def peer(_: object = folder) -> list[ManifestEntry]:  # the folder lives as long as the function
        entries: list[ManifestEntry] = manifest.fetch_manifest_entry(io, discard_deleted=False)
        return entries

    return Pair(statistics.ours, peer, _assert_equal, 0.0, 1)


def _encoded(name: str) -> tuple[list[bytes], list[bytes]]:
    low, high = statistics.live_bounds(name)
    return [to_bytes(_TYPES[name], value) for value in low], [to_bytes(_TYPES[name], value) for value in high]


def _entry(number: int, low: Sequence[bytes], high: Sequence[bytes]) -> ManifestEntry:
    ids = range(1, len(_TYPES) + 1)
    file = DataFile.from_args(
        content=DataFileContent.DATA,
        file_path=f"data/{number:08d}.parquet",
        file_format=FileFormat.PARQUET,
        partition=Record(),
        record_count=1000,
        file_size_in_bytes=100_000,
        value_counts=dict.fromkeys(ids, 1000),
        null_value_counts=dict.fromkeys(ids, 3),
        lower_bounds=dict(zip(ids, low, strict=True)),
        upper_bounds=dict(zip(ids, high, strict=True)),
        sort_order_id=0,
    )
    return ManifestEntry.from_args(
        status=ManifestEntryStatus.ADDED, snapshot_id=1, sequence_number=1, file_sequence_number=1, data_file=file
    )


def _assert_equal(read: Mapping[str, RecordedStatistics], entries: list[ManifestEntry]) -> None:
    """Files have names of their own on both sides: compared is which pairs of bounds there are, and how often."""
    for number, (name, type_) in enumerate(_TYPES.items(), start=1):
        low, high = (
            np.array([from_bytes(type_, getattr(entry.data_file, end)[number]) for entry in entries])
            for end in ("lower_bounds", "upper_bounds")
        )
        statistics.assert_same_bounds(name, read[name].statistics, low, high)
