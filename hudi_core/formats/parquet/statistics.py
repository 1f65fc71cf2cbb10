"""Column statistics in a Parquet footer, of each leaf column over all row groups, and which of its bounds may be trusted.

Bounds have the form of `hudi_core.values`. Rules FILE-3 to FILE-5.

Bounds are unknown where a row group that has values lacks them; where one is NaN; of INT96, which has no order; of bytes and
unsigned numbers whose order the file does not declare. Most writers leave NaN out of the bounds, so that bounds do not rule
it out. Writers may truncate bounds of long strings, but round them outward then: they still enclose every value.
"""

from __future__ import annotations

import re
import struct
import uuid
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Protocol

from hudi_core.errors import CorruptFileError
from hudi_core.formats.leaf_statistics import LeafStatistics
from hudi_core.formats.parquet.chunks import LeafChunks, leaf_chunks
from hudi_core.types import nodes as t
from hudi_core.types.walk import walk
from hudi_core.values.order import sort_key

Path = tuple[str, ...]

SPARK_VERSION = "org.apache.spark.version"
"""The key of the release of Spark whose own writer made a file."""
_OLD_TIMES = "org.apache.spark.legacyDateTime"
_OLD_INT96 = "org.apache.spark.legacyINT96"
_JAVA_WRITER = re.compile(r"parquet-mr version (\d+)\.(\d+)")
_NAN_LAST = (1, 10)
"""The Java library's first version that orders NaN last."""
_BEYOND_KNOWN = (1, 16)
"""The first later version that has not been verified to do so."""
NUMBER_FORMATS = {"INT32": "<i", "INT64": "<q", "FLOAT": "<f", "DOUBLE": "<d", "BOOLEAN": "<?"}
"""How bounds of physical types are encoded that are numbers."""
_UUID_BYTES = 16
_KEPT_BYTES = 1 << 16
"""The largest footer whose bytes are kept until its statistics are asked for, for as long as it may be."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf column outside lists and maps: its index among all leaves, and its type."""

    index: int
    type: t.Primitive


def leaves(record: t.Record) -> dict[Path, Leaf]:
    """The leaves of a file's schema outside lists and maps, by path of names. Parquet numbers leaves in schema order."""
    leaves_by_path: dict[Path, Leaf] = {}
    _collect(record, (), leaves_by_path, 0, repeated=False)
    return leaves_by_path


def leaf_numbers(record: t.Record, chosen: t.Record) -> list[list[int]]:
    """For each field of a record, the indexes of its leaves whose ids are in `chosen` too.

    `chosen` has some of the record's fields; fields without a leaf in it are left out.
    """
    chosen_ids = {field.id for _, field in walk(chosen)}
    indexes_by_field: list[list[int]] = []
    first = 0
    for field in record.fields:
        below = [leaf for _, leaf in walk(t.Record((field,))) if not isinstance(leaf.type, t.Nested)]
        indexes = [first + position for position, leaf in enumerate(below) if leaf.id in chosen_ids]
        first += len(below)
        indexes_by_field += [indexes] if indexes else []
    return indexes_by_field


def _collect(kind: t.Type, path: Path, leaves_by_path: dict[Path, Leaf], index: int, *, repeated: bool) -> int:
    if not isinstance(kind, t.Nested):
        if not repeated:
            leaves_by_path[path] = Leaf(index, kind)
        return index + 1
    for inner in t.children(kind):
        index = _collect(
            inner.type, (*path, inner.name), leaves_by_path, index, repeated=repeated or not isinstance(kind, t.Record)
        )
    return index


class Chunks(Protocol):
    """The column chunks of a file."""

    def chunks_of(self, index: int) -> LeafChunks:
        """The chunks of a leaf column by its index."""
        ...


class FooterChunks:
    """The column chunks of a file, read from the bytes of its footer on first use."""

    def __init__(self, where: str, footer: bytes) -> None:
        self._where = where
        self._footer: bytes | None = footer
        self._leaves: list[LeafChunks] = []

    def chunks_of(self, index: int) -> LeafChunks:
        """The chunks of a leaf column by its index. Raises `CorruptFileError` when the footer contradicts itself."""
        self._parse()
        if index >= len(self._leaves):
            raise CorruptFileError(
                self._where, expected="a column for every leaf", found=f"{len(self._leaves)} columns"
            )
        return self._leaves[index]

    def release(self) -> None:
        """Lets go of the bytes of a large footer, which may hold a bloom filter."""
        if self._footer is not None and len(self._footer) > _KEPT_BYTES:
            with suppress(CorruptFileError):  # raised where statistics are asked for
                self._parse()

    def _parse(self) -> None:
        if self._footer is not None:
            self._leaves = leaf_chunks(self._footer, self._where)
            self._footer = None


class Calendar(Protocol):
    """A calendar that counts early days and instants otherwise than their values are read."""

    def limit(self, kind: t.Type) -> int | None:
        """The least value of a type that is read as it is stored; None where all are."""
        ...


def counts_in_old_calendar(pairs: Mapping[str, str], *, int96: bool) -> tuple[bool, bool]:
    """Whether a file counts its dates, and its instants, in the old calendar of Spark, by its key-value pairs. `int96`: it stores
    its instants so. Source: `DataSourceUtils.datetimeRebaseSpec` of Spark. Rule FORMAT-1571."""
    version = pairs.get(SPARK_VERSION)
    if version is None:
        return False, False
    dates = version < "3.0.0" or _OLD_TIMES in pairs
    return dates, (version < "3.1.0" or _OLD_INT96 in pairs) if int96 else dates


class FooterStatistics(Mapping[Path, LeafStatistics]):
    """Statistics by path of names, computed on lookup: wide files have many columns, queries use few.

    A lookup raises `CorruptFileError` when the footer contradicts itself.
    """

    def __init__(
        self,
        chunks: Chunks,
        writer: str,
        rows: int,
        leaves: Mapping[Path, Leaf],
        group: int | None = None,
        calendar: Calendar | None = None,
    ) -> None:
        """Statistics of the file, or of one row group; `rows` are the rows of the file or group, `calendar` what counts days
        otherwise."""
        self._chunks, self._writer, self._rows, self._leaves, self._group = chunks, writer, rows, leaves, group
        self._calendar = calendar

    def __getitem__(self, path: Path) -> LeafStatistics:
        leaf = self._leaves[path]
        column = self._chunks.chunks_of(leaf.index)
        if self._group is not None:
            column = replace(column, chunks=column.chunks[self._group : self._group + 1])
        statistics = _statistics(column, leaf.type, self._rows, self._writer)
        limit = None if self._calendar is None else self._calendar.limit(leaf.type)
        if limit is None or (isinstance(statistics.lower, int) and statistics.lower >= limit):
            return statistics
        return replace(statistics, lower=None, upper=None)

    def __iter__(self) -> Iterator[Path]:
        return iter(self._leaves)

    def __len__(self) -> int:
        return len(self._leaves)


def _statistics(column: LeafChunks, kind: t.Primitive, rows: int, writer: str) -> LeafStatistics:
    counts = [chunk.null_count for chunk in column.chunks]
    null_count = None if None in counts else sum(count for count in counts if count is not None)
    bounded = [
        chunk for chunk in column.chunks if chunk.null_count != chunk.value_count
    ]  # the others have no value to bound
    lower_bounds = [_value(chunk.lower, column, kind, is_lower=True) for chunk in bounded]
    upper_bounds = [_value(chunk.upper, column, kind, is_lower=False) for chunk in bounded]
    if any(bound != bound for bound in (*lower_bounds, *upper_bounds)):
        lower_bounds, upper_bounds = [None], [None]
    lower = (
        None if not lower_bounds or None in lower_bounds else min(lower_bounds, key=lambda bound: sort_key(bound, kind))
    )
    upper = (
        None if not upper_bounds or None in upper_bounds else max(upper_bounds, key=lambda bound: sort_key(bound, kind))
    )
    nans = isinstance(kind, t.Float | t.Double) and not (
        lower is not None and upper is not None and _orders_nan_last(writer)
    )
    return LeafStatistics(kind, lower, upper, null_count, rows, nans)


def _orders_nan_last(writer: str) -> bool:
    """Whether the writer takes NaN for the greatest value, so that bounds without NaN rule it out."""
    version = _JAVA_WRITER.match(writer)
    return version is not None and _NAN_LAST <= (int(version[1]), int(version[2])) < _BEYOND_KNOWN


def _value(bound: bytes | None, column: LeafChunks, kind: t.Primitive, *, is_lower: bool) -> Any:
    """A bound as a value of the type, None when it is not one."""
    physical = column.physical
    if bound is None:
        return None
    if physical in NUMBER_FORMATS:
        return _number(bound, column, kind)
    if physical == "INT96":
        return None
    match kind:
        case t.Decimal(_, scale):
            return _apply_scale(int.from_bytes(bound, "big", signed=True), scale)
        case t.String() | t.Enumeration() | t.Uuid(fixed=None):
            return _text(bound, is_lower)
        case t.Uuid():
            return str(uuid.UUID(bytes=bound)) if len(bound) == _UUID_BYTES else None
        case t.Binary() | t.Fixed() | t.Vector():
            return bound
        case _:
            return None


def _number(bound: bytes, column: LeafChunks, kind: t.Primitive) -> Any:
    if len(bound) != struct.calcsize(NUMBER_FORMATS[column.physical]):
        return None
    (number,) = struct.unpack(NUMBER_FORMATS[column.physical], bound)
    if column.unsigned and number < 0:
        number += 1 << (8 * len(bound))
    match kind:
        case t.Boolean():
            return number if column.physical == "BOOLEAN" else None
        case t.Float() | t.Double():
            return number if isinstance(number, float) else None
        case t.Decimal(_, scale):
            return _apply_scale(number, scale) if isinstance(number, int) else None
        case _:
            return number if isinstance(number, int) else None


def _text(bound: bytes, is_lower: bool) -> str | None:
    """A bound may be truncated inside a character: what is whole of a lower bound sorts no later; an upper bound is lost."""
    try:
        return bound.decode("utf-8")
    except UnicodeDecodeError as error:
        return bound[: error.start].decode("utf-8") if is_lower else None


def _apply_scale(unscaled: int, scale: int) -> Decimal:
    return Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -scale))
