"""Statistics in a Parquet footer: of each leaf column over all row groups, as values of ours, unknown where in doubt.

What is unknown: no bounds in some group that has values; NaN as a bound; INT96, which has no order; byte arrays from
writers that compared bytes as signed. Most writers leave NaN out of the bounds, which then do not tell whether there is
one. Writers may cut long texts short, but then round the bounds outward: they still enclose every value.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pyarrow.parquet as pq

from hudi_core.engine import LeafStatistics
from hudi_core.types import nodes as t
from hudi_core.values.order import sort_key

Path = tuple[str, ...]

_JAVA_WRITER = re.compile(r"parquet-mr version (\d+)\.(\d+)")
_TYPED_ORDER = (1, 10)
"""The Java library's first version that orders values by their logical types, and NaN last."""
_BEYOND_KNOWN = (1, 16)
"""Its first version of which it is not known that it does so."""
_INTEGERS = ("INT32", "INT64")
_BYTES = ("BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")
_UUID_BYTES = 16
_UNKNOWN = (None, None)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf column outside lists and maps: its number among all leaves, and its type."""

    number: int
    type: t.Primitive


def leaves(record: t.Record) -> dict[Path, Leaf]:
    """The leaves of a file's schema outside lists and maps, by path of names. Parquet numbers leaves in schema order."""
    found: dict[Path, Leaf] = {}
    _collect(record, (), found, 0, repeated=False)
    return found


def _collect(of: t.Type, path: Path, found: dict[Path, Leaf], number: int, *, repeated: bool) -> int:
    if not isinstance(of, t.Nested):
        if not repeated:
            found[path] = Leaf(number, of)
        return number + 1
    for inner in t.children(of):
        number = _collect(
            inner.type, (*path, inner.name), found, number, repeated=repeated or not isinstance(of, t.Record)
        )
    return number


@dataclass(frozen=True, slots=True)
class FooterStatistics(Mapping[Path, LeafStatistics]):
    """Statistics by path of names, put together when they are asked for: wide files have many, queries ask few."""

    metadata: pq.FileMetaData
    leaves: Mapping[Path, Leaf]
    _known: dict[Path, LeafStatistics] = field(default_factory=dict)

    def __getitem__(self, path: Path) -> LeafStatistics:
        found = self._known.get(path)
        if found is None:
            found = self._known[path] = _statistics(self.metadata, self.leaves[path])
        return found

    def __iter__(self) -> Iterator[Path]:
        return iter(self.leaves)

    def __len__(self) -> int:
        return len(self.leaves)


def _statistics(metadata: pq.FileMetaData, leaf: Leaf) -> LeafStatistics:
    ordered = _has_order(metadata, leaf)
    lows: list[Any] = []
    highs: list[Any] = []
    nulls: int | None = 0
    for group in range(metadata.num_row_groups):
        chunk = metadata.row_group(group).column(leaf.number)
        said = chunk.statistics if chunk.is_stats_set else None
        counted = said.null_count if said is not None and said.has_null_count else None
        nulls = None if nulls is None or counted is None else nulls + counted
        if counted != chunk.num_values:  # else there is no value to bound
            low, high = _bounds(said, leaf.type) if ordered and said is not None and said.has_min_max else _UNKNOWN
            lows.append(low)
            highs.append(high)
    low, high = _least(lows, leaf.type), _greatest(highs, leaf.type)
    nans = isinstance(leaf.type, t.Float | t.Double) and not (low is not None and _makes_nan_a_bound(metadata))
    return LeafStatistics(leaf.type, low, high, nulls, metadata.num_rows, nans)


def _least(bounds: list[Any], of: t.Type) -> Any:
    """The least of the bounds; None when there is none, or one of them is unknown."""
    return None if not bounds or None in bounds else min(bounds, key=lambda bound: sort_key(bound, of))


def _greatest(bounds: list[Any], of: t.Type) -> Any:
    return None if not bounds or None in bounds else max(bounds, key=lambda bound: sort_key(bound, of))


def _has_order(metadata: pq.FileMetaData, leaf: Leaf) -> bool:
    physical = metadata.schema.column(leaf.number).physical_type
    if physical not in _BYTES:
        return bool(physical != "INT96")
    java = _parquet_java(metadata)
    return bool((metadata.created_by or "").strip()) if java is None else java >= _TYPED_ORDER


def _makes_nan_a_bound(metadata: pq.FileMetaData) -> bool:
    """Whether the writer takes NaN for the greatest value, so that bounds without it tell that there is none."""
    java = _parquet_java(metadata)
    return java is not None and _TYPED_ORDER <= java < _BEYOND_KNOWN


def _parquet_java(metadata: pq.FileMetaData) -> tuple[int, int] | None:
    """The version of the Java library that wrote the file; None for another writer."""
    found = _JAVA_WRITER.match(metadata.created_by or "")
    return (int(found[1]), int(found[2])) if found else None


def _bounds(said: Any, of: t.Primitive) -> tuple[Any, Any]:
    """Low and high; None where they are no bounds of the type."""
    low, high, physical = said.min_raw, said.max_raw, said.physical_type
    match of:
        case t.Boolean() if physical == "BOOLEAN":
            return low, high
        case t.Int() | t.Long() | t.Date() | t.Time() | t.Timestamp() if physical in _INTEGERS:
            return _integer(said, low), _integer(said, high)
        case t.Decimal(_, scale) if physical in _INTEGERS:
            return _scaled(_integer(said, low), scale), _scaled(_integer(said, high), scale)
        case t.Decimal(_, scale) if physical in _BYTES:
            return _scaled(_signed(low), scale), _scaled(_signed(high), scale)
        case t.Float() | t.Double() if physical in ("FLOAT", "DOUBLE"):
            return (low, high) if low == low and high == high else _UNKNOWN
        case t.String() | t.Enumeration() | t.Uuid(fixed=None) if physical in _BYTES:
            return _low_text(low), _high_text(high)
        case t.Uuid() if physical in _BYTES and len(low) == len(high) == _UUID_BYTES:
            return str(uuid.UUID(bytes=low)), str(uuid.UUID(bytes=high))
        case t.Binary() | t.Fixed() | t.Vector() if physical in _BYTES:
            return low, high
        case _:
            return _UNKNOWN


def _low_text(low: bytes) -> str:
    """A bound that was cut inside a character: the whole characters before the cut sort no later."""
    try:
        return low.decode("utf-8")
    except UnicodeDecodeError as cut:
        return low[: cut.start].decode("utf-8")


def _high_text(high: bytes) -> str | None:
    try:
        return high.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _integer(said: Any, number: int) -> int:
    """Bounds of unsigned integers are given as signed ones of the same bits."""
    if number >= 0 or not said.converted_type.startswith("UINT"):
        return number
    return number + (1 << (32 if said.physical_type == "INT32" else 64))


def _signed(data: bytes) -> int:
    return int.from_bytes(data, "big", signed=True)


def _scaled(unscaled: int, scale: int) -> Decimal:
    return Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -scale))
