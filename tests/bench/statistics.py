"""From the bytes of a metadata table to arrays that can be asked: `column_stats` of five columns of 200,000 files.

These are a million records. They lie as those of a table at work do: in the base file of a file group, and one in ten in two log
blocks behind it, where half of them take the place of records of the base file. Columns are of five types. Peers get their
bytes in memory too. fastavro reads the value of each record, the last one of a key counts, and the bounds are put into arrays;
where values begin is given to it. PyIceberg reads the entries of a manifest: one a file, with the bounds of all five columns.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import fastavro
import numpy as np

from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.hashes import xxh64_id
from hudi_core.formats.hfile.file import HFile
from hudi_core.formats.random_access import InMemoryFile
from hudi_core.metadata.records import FileGroup, RecordBatch, read_pieces
from hudi_core.metadata.statistics import FILE_KEY, RecordedStatistics, read_statistics
from hudi_core.pruning.statistics import ColumnStatistics
from tests.bench.timing import Missing, Pair, Unbuilt
from tests.support.hfiles import GZ, Shape, build
from tests.support.metadata_records import NEWEST, statistics

FILES = 200_000
LOGGED = FILES // 10
"""Files whose statistics are in log blocks; the base file has those of half of them, too."""
_FILE = "8aa68f7e-afd6-4c94-b86c-8a886552e08d-0_2-1112-3192_20251220210129235.parquet"
_PARTITION = xxh64_id("city=oslo")
_FIRST_MICROS = 1_750_000_000_000_000

Values = Sequence[Any]


@dataclass(frozen=True, slots=True)
class BoundShape:
    """A column: how its bounds are wrapped, the number of its type, and bounds of so many files."""

    wrapper: str
    ordinal: int
    bounds: Callable[[np.random.Generator, int], tuple[Values, Values]]
    detail: str | None = None


def _whole(low: int, high: int, width: int) -> Callable[[np.random.Generator, int], tuple[Values, Values]]:
    def bounds(draw: np.random.Generator, count: int) -> tuple[Values, Values]:
        first = draw.integers(low, high, count)
        return first.tolist(), (first + draw.integers(0, width, count)).tolist()

    return bounds


def _floating(draw: np.random.Generator, count: int) -> tuple[Values, Values]:
    low = draw.random(count) * 1e6
    return low.tolist(), (low + draw.random(count)).tolist()


def _words(draw: np.random.Generator, count: int) -> tuple[Values, Values]:
    low = [f"n{number:010x}" for number in draw.integers(0, 1 << 40, count).tolist()]
    return low, [word + "~" for word in low]


COLUMNS: Mapping[str, BoundShape] = {
    "price": BoundShape("LongWrapper", 4, _whole(-(10**9), 10**12, 10**6)),
    "score": BoundShape("DoubleWrapper", 6, _floating),
    "name": BoundShape("StringWrapper", 7, _words),
    "day": BoundShape("LocalDateWrapper", 12, _whole(18_000, 20_000, 30)),
    "at": BoundShape("TimestampMicrosWrapper", 16, _whole(_FIRST_MICROS, _FIRST_MICROS + 10**12, 10**9)),
}


@cache
def bounds(column: str, version: int = 0) -> tuple[Values, Values]:
    """The bounds of a column in all files; those of version 1 are in log blocks."""
    draw = np.random.default_rng([list(COLUMNS).index(column), version])
    return COLUMNS[column].bounds(draw, FILES)


@cache
def _file_keys() -> list[bytes]:
    digests = (hashlib.md5(b"%d" % number, usedforsecurity=False).digest() for number in range(FILES))
    return [base64.b64encode(digest) for digest in digests]


@cache
def group_bytes() -> tuple[bytes, bytes, bytes]:
    """The base file of a `column_stats` file group and the content of two log blocks, as the native writer makes them."""
    first_logged, only_logged = FILES - LOGGED, FILES - LOGGED // 2
    middle = (first_logged + FILES) // 2
    return (
        _hfile(range(only_logged), 0),
        _hfile(range(first_logged, middle), 1),
        _hfile(range(middle, FILES), 1),
    )


def _hfile(files: range, version: int) -> bytes:
    parsed, cells, keys = fastavro.parse_schema(json.loads(json.dumps(NEWEST))), [], _file_keys()
    out = io.BytesIO()
    for name, shape in COLUMNS.items():
        prefix = (xxh64_id(name) + _PARTITION).encode()
        low, high = bounds(name, version)
        for number in files:
            out.seek(0)
            out.truncate()
            fastavro.schemaless_writer(out, parsed, _record(name, shape, low[number], high[number]))
            cells.append((prefix + keys[number], out.getvalue()))
    info = {b"schema": json.dumps(NEWEST).encode()}
    return build(sorted(cells), Shape(block_size=1 << 20, codec=GZ, info=info))


def _record(name: str, shape: BoundShape, low: object, high: object) -> dict[str, Any]:
    ends = (shape.wrapper, low), (shape.wrapper, high)
    type_ = {"ordinal": shape.ordinal, "detail": shape.detail}
    record = statistics(*ends, nulls=3, rows=1000, size=1500, tight=True, **type_)
    return {**record, "ColumnStatsMetadata": {**record["ColumnStatsMetadata"], "fileName": _FILE, "columnName": name}}


def ours() -> Mapping[str, RecordedStatistics]:
    base, *logs = (HFile(InMemoryFile(content, "column_stats")) for content in group_bytes())
    batches = [
        RecordBatch(log.cells(), log.schema_text or "", order, log.where) for order, log in enumerate(logs, start=1)
    ]
    pieces, records = read_pieces([FileGroup(base, batches, [])], [xxh64_id(name).encode() for name in COLUMNS])
    read = read_statistics(records, list(COLUMNS), FILE_KEY, pieces)
    return {name: only for name, (only,) in read.items()}


Bounds = Mapping[str, tuple[Values, np.ndarray, np.ndarray]]
"""By column: keys, lower and upper bounds."""


def by_fastavro() -> Bounds:
    """The bounds of all live records. Files are taken apart by our reader, which costs the peer little."""
    parsed = fastavro.parse_schema(json.loads(json.dumps(NEWEST)))
    live: dict[bytes, tuple[str, Any, Any]] = {}
    for content in group_bytes():
        cells = HFile(InMemoryFile(content, "column_stats")).cells()
        data = cells.data.tobytes()
        places = (cells.key_offsets, cells.key_lengths, cells.value_offsets, cells.value_lengths)
        for key, key_size, start, size in zip(*(array.tolist() for array in places), strict=True):
            record = fastavro.schemaless_reader(io.BytesIO(data[start : start + size]), parsed)["ColumnStatsMetadata"]
            value = record["columnName"], record["minValue"]["value"], record["maxValue"]["value"]
            live[data[key : key + key_size]] = value
    rows: dict[str, list[tuple[bytes, Any, Any]]] = {name: [] for name in COLUMNS}
    for key, (name, low, high) in live.items():
        rows[name].append((key[len(xxh64_id(name)) :], low, high))
    return {name: (keys, np.array(low), np.array(high)) for name, (keys, low, high) in _turned(rows).items()}


def _turned(rows: Mapping[str, list[tuple[bytes, Any, Any]]]) -> Mapping[str, tuple[Values, Values, Values]]:
    return {name: tuple(zip(*of_column, strict=True)) for name, of_column in rows.items()}  # type: ignore[misc]


def _assert_equal(read: Mapping[str, RecordedStatistics], theirs: Bounds) -> None:
    """Every record by its key, both bounds, and the counts, which are the same everywhere."""
    for name, column in read.items():
        peer_keys, low, high = theirs[name]
        keys, wanted = _as_keys(column), np.array(peer_keys)
        order, peer_order = np.argsort(keys), np.argsort(wanted)
        assert (keys[order] == wanted[peer_order]).all(), f"the keys of {name} differ"
        _assert_bounds(name, column.statistics, order, low[peer_order], high[peer_order])


def assert_same_bounds(name: str, column: ColumnStatistics, low: np.ndarray, high: np.ndarray) -> None:
    """The same pairs of bounds, each as often, whatever their order."""
    peer_order, order = np.lexsort((high, low)), np.lexsort((_values(column.upper), _values(column.lower)))
    _assert_bounds(name, column, order, low[peer_order], high[peer_order])


def _assert_bounds(name: str, column: ColumnStatistics, order: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
    for bound, peer in ((column.lower, low), (column.upper, high)):
        assert (_values(bound)[order] == _stored(peer)).all(), f"the bounds of {name} differ"
    assert column.lower_known.all() and column.upper_known.all(), f"a bound of {name} is unknown"
    assert (column.nulls == 3).all() and (column.rows == 1000).all(), f"the counts of {name} differ"


def _as_keys(column: RecordedStatistics) -> np.ndarray:
    return np.ascontiguousarray(column.keys).view(f"S{column.keys.shape[1]}").ravel()


def _values(bound: Any) -> np.ndarray:
    return (
        np.array([bound[number] for number in range(len(bound))])
        if isinstance(bound, ByteStrings)
        else np.asarray(bound)
    )


def _stored(values: np.ndarray) -> np.ndarray:
    return np.char.encode(values, "utf-8") if values.dtype.kind == "U" else values


def live_bounds(name: str) -> tuple[Values, Values]:
    """Of every file the bounds that count."""
    first_logged = FILES - LOGGED
    (low, high), (new_low, new_high) = bounds(name), bounds(name, 1)
    return [*low[:first_logged], *new_low[first_logged:]], [*high[:first_logged], *new_high[first_logged:]]


def pair(case: str, peer: str) -> Pair:
    """The measurement of a case."""
    if case != "load_column_stats_1m_records":
        raise Unbuilt("no measurement of this case")
    group_bytes()
    if peer == "fastavro":
        return Pair(ours, by_fastavro, _assert_equal, 0.0, 2)
    try:
        from tests.bench import statistics_pyiceberg as theirs  # noqa: PLC0415 - its library is only where peers are
    except ModuleNotFoundError as missing:
        raise Missing(f"{missing.name} is not installed") from None
    return theirs.pair()
