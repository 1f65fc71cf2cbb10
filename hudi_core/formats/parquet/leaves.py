"""Statistics in a Parquet footer: of each leaf column over all row groups, as values of ours, unknown where in doubt.

What is unknown: no bounds in some group that has values; NaN as a bound; INT96, which has no order; bytes and unsigned
numbers whose order the file does not declare. Most writers leave NaN out of the bounds, which then do not tell whether
there is one. Writers may cut long texts short, but then round the bounds outward: they still enclose every value.
"""

from __future__ import annotations

import re
import struct
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from hudi_core.errors import CorruptFileError
from hudi_core.formats.leaf_statistics import LeafStatistics
from hudi_core.formats.parquet.chunks import LeafChunks, leaf_chunks
from hudi_core.types import nodes as t
from hudi_core.types.walk import walk
from hudi_core.values.order import sort_key

Path = tuple[str, ...]

_JAVA_WRITER = re.compile(r"parquet-mr version (\d+)\.(\d+)")
_NAN_LAST = (1, 10)
"""The Java library's first version that orders NaN last."""
_BEYOND_KNOWN = (1, 16)
"""Its first version of which it is not known that it does so."""
_FORMATS = {"INT32": "<i", "INT64": "<q", "FLOAT": "<f", "DOUBLE": "<d", "BOOLEAN": "<?"}
_UUID_BYTES = 16


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


def leaf_numbers(record: t.Record, chosen: t.Record) -> list[list[int]]:
    """The numbers of the leaves of each field of a record that are in another one with the same ids too.

    That one has some of its fields; those without a leaf in it are left out.
    """
    kept = {field.id for _, field in walk(chosen)}
    found: list[list[int]] = []
    number = 0
    for field in record.fields:
        below = [each for _, each in walk(t.Record((field,))) if not isinstance(each.type, t.Nested)]
        numbers = [number + position for position, each in enumerate(below) if each.id in kept]
        number += len(below)
        found += [numbers] if numbers else []
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


class FooterChunks:
    """The column chunks that a footer tells of, read from it when they are first asked for."""

    def __init__(self, where: str, footer: bytes) -> None:
        self._where = where
        self._footer: bytes | None = footer
        self._leaves: list[LeafChunks] = []

    def of(self, leaf: int) -> LeafChunks:
        """The chunks of a leaf column by its number. Raises `CorruptFileError` when the footer contradicts itself."""
        footer = self._footer
        if footer is not None:
            self._leaves = leaf_chunks(footer, self._where)
            self._footer = None  # it may hold a bloom filter
        if leaf >= len(self._leaves):
            raise CorruptFileError(
                self._where, expected="a column for every leaf", found=f"{len(self._leaves)} columns"
            )
        return self._leaves[leaf]


class FooterStatistics(Mapping[Path, LeafStatistics]):
    """Statistics by path of names, put together when they are asked for: wide files have many, queries ask few.

    Asking raises `CorruptFileError` when the footer contradicts itself.
    """

    def __init__(
        self, chunks: FooterChunks, writer: str, rows: int, leaves: Mapping[Path, Leaf], group: int | None = None
    ) -> None:
        """Statistics of the file, or of one row group; `rows` are those of the file or group."""
        self._chunks, self._writer, self._rows, self._leaves, self._group = chunks, writer, rows, leaves, group

    def __getitem__(self, path: Path) -> LeafStatistics:
        leaf = self._leaves[path]
        column = self._chunks.of(leaf.number)
        if self._group is not None:
            column = replace(column, chunks=column.chunks[self._group : self._group + 1])
        return _statistics(column, leaf.type, self._rows, self._writer)

    def __iter__(self) -> Iterator[Path]:
        return iter(self._leaves)

    def __len__(self) -> int:
        return len(self._leaves)


def _statistics(column: LeafChunks, of: t.Primitive, rows: int, writer: str) -> LeafStatistics:
    counts = [chunk.nulls for chunk in column.chunks]
    nulls = None if None in counts else sum(count for count in counts if count is not None)
    bounded = [chunk for chunk in column.chunks if chunk.nulls != chunk.values]  # the others have no value to bound
    lows = [_value(chunk.low, column, of, low=True) for chunk in bounded]
    highs = [_value(chunk.high, column, of, low=False) for chunk in bounded]
    if any(bound != bound for bound in (*lows, *highs)):
        lows, highs = [None], [None]
    low = None if not lows or None in lows else min(lows, key=lambda bound: sort_key(bound, of))
    high = None if not highs or None in highs else max(highs, key=lambda bound: sort_key(bound, of))
    nans = isinstance(of, t.Float | t.Double) and not (
        low is not None and high is not None and _orders_nan_last(writer)
    )
    return LeafStatistics(of, low, high, nulls, rows, nans)


def _orders_nan_last(writer: str) -> bool:
    """Whether the writer takes NaN for the greatest value, so that bounds without it tell that there is none."""
    found = _JAVA_WRITER.match(writer)
    return found is not None and _NAN_LAST <= (int(found[1]), int(found[2])) < _BEYOND_KNOWN


def _value(bound: bytes | None, column: LeafChunks, of: t.Primitive, *, low: bool) -> Any:
    """A bound as a value of the type, None when it is none."""
    physical = column.physical
    if bound is None:
        return None
    if physical in _FORMATS:
        return _number(bound, column, of)
    if physical == "INT96":
        return None
    match of:
        case t.Decimal(_, scale):
            return _scaled(int.from_bytes(bound, "big", signed=True), scale)
        case t.String() | t.Enumeration() | t.Uuid(fixed=None):
            return _text(bound, low)
        case t.Uuid():
            return str(uuid.UUID(bytes=bound)) if len(bound) == _UUID_BYTES else None
        case t.Binary() | t.Fixed() | t.Vector():
            return bound
        case _:
            return None


def _number(bound: bytes, column: LeafChunks, of: t.Primitive) -> Any:
    if len(bound) != struct.calcsize(_FORMATS[column.physical]):
        return None
    (found,) = struct.unpack(_FORMATS[column.physical], bound)
    if column.unsigned and found < 0:
        found += 1 << (8 * len(bound))
    match of:
        case t.Boolean():
            return found if column.physical == "BOOLEAN" else None
        case t.Float() | t.Double():
            return found if isinstance(found, float) else None
        case t.Decimal(_, scale):
            return _scaled(found, scale) if isinstance(found, int) else None
        case _:
            return found if isinstance(found, int) else None


def _text(bound: bytes, low: bool) -> str | None:
    """A bound may have been cut inside a character: what is whole of a low one sorts no later; a high one is lost."""
    try:
        return bound.decode("utf-8")
    except UnicodeDecodeError as cut:
        return bound[: cut.start].decode("utf-8") if low else None


def _scaled(unscaled: int, scale: int) -> Decimal:
    return Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -scale))
