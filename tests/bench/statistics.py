"""From the bytes of a metadata table to arrays that can be asked: `column_stats` of one column in a million files.

Peers get their bytes in memory too. fastavro reads each record's value, and the bounds are put into arrays; where values begin
is given to it. PyIceberg reads manifest entries, which hold the bounds of a file.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
from functools import cache
from typing import Any

import fastavro
import numpy as np

from hudi_core.formats.hashes import xxh64_id
from hudi_core.formats.hfile.file import HFile
from hudi_core.formats.source import Bytes
from hudi_core.metadata.records import FileGroup, read_pieces
from hudi_core.metadata.statistics import FILE_KEY, read_statistics
from hudi_core.stats.columns import ColumnStatistics
from tests.bench.timing import Missing, Pair
from tests.support.hfiles import GZ, Shape, build
from tests.support.metadata_records import NEWEST, statistics

COUNT = 1_000_000
COLUMN = "price"
_LONG = 4
_FILE = "8aa68f7e-afd6-4c94-b86c-8a886552e08d-0_2-1112-3192_20251220210129235.parquet"
_PARTITION = xxh64_id("city=oslo")


@cache
def bounds() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(7)
    low = random.integers(-(10**9), 10**12, COUNT)
    return low, low + random.integers(0, 10**6, COUNT)


@cache
def hfile() -> bytes:
    """The base file of a `column_stats` file group, as the native writer makes it."""
    prefix = (xxh64_id(COLUMN) + _PARTITION).encode()
    keys = sorted(
        prefix + base64.b64encode(hashlib.md5(b"%d" % number, usedforsecurity=False).digest())
        for number in range(COUNT)
    )
    low, high = bounds()
    parsed = fastavro.parse_schema(json.loads(json.dumps(NEWEST)))
    out = io.BytesIO()
    cells = []
    for key, least, greatest in zip(keys, low.tolist(), high.tolist(), strict=True):
        out.seek(0)
        out.truncate()
        fastavro.schemaless_writer(out, parsed, _record(least, greatest))
        cells.append((key, out.getvalue()))
    return build(cells, Shape(block_size=1 << 20, codec=GZ, info={b"schema": json.dumps(NEWEST).encode()}))


def _record(low: int, high: int) -> dict[str, Any]:
    record = statistics(("LongWrapper", low), ("LongWrapper", high), nulls=3, rows=1000, size=5000, ordinal=_LONG)
    return {**record, "ColumnStatsMetadata": {**record["ColumnStatsMetadata"], "fileName": _FILE, "columnName": COLUMN}}


def ours() -> ColumnStatistics:
    group = FileGroup(HFile(Bytes(hfile(), "column_stats")), [], [])
    pieces, logs = read_pieces([group], [xxh64_id(COLUMN).encode()])
    (found,) = read_statistics(logs, [COLUMN], FILE_KEY, pieces)[COLUMN]
    return found.statistics


def by_fastavro() -> tuple[np.ndarray, np.ndarray]:
    """The bounds of all records. The file is taken apart by our reader, which costs the peer little."""
    cells = HFile(Bytes(hfile(), "column_stats")).cells()
    data = cells.data.tobytes()
    parsed = fastavro.parse_schema(json.loads(json.dumps(NEWEST)))
    low, high = [], []
    for start, size in zip(cells.value_offsets.tolist(), cells.value_lengths.tolist(), strict=True):
        said = fastavro.schemaless_reader(io.BytesIO(data[start : start + size]), parsed)["ColumnStatsMetadata"]
        low.append(said["minValue"]["value"])
        high.append(said["maxValue"]["value"])
    return np.array(low), np.array(high)


def _agree(ours: object, theirs: object) -> None:
    assert isinstance(ours, ColumnStatistics)
    assert isinstance(theirs, tuple)
    assert sorted(ours.low.tolist()) == sorted(theirs[0].tolist())  # type: ignore[union-attr]


def _as_many(ours: object, theirs: object) -> None:
    assert isinstance(ours, ColumnStatistics)
    assert len(ours) == theirs


def pair(case: str, peer: str) -> Pair:
    """The measurement of a case."""
    if case != "load_column_stats_1m_records":
        raise Missing("no such measurement")
    if peer == "fastavro":
        return Pair(ours, by_fastavro, _agree, 0.0, 2)
    try:
        from tests.bench import statistics_pyiceberg as theirs  # noqa: PLC0415 - its library is only where peers are
    except ModuleNotFoundError as missing:
        raise Missing(f"{missing.name} is not installed") from None
    return Pair(ours, theirs.read_entries(*bounds()), _as_many, 0.0, 1)
