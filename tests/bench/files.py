"""Statistics of many files, made up: some columns run with the order of the files, others are scattered.

clustered   id, ts, key           scattered   user, seller, price, score, city
One file in ten thousand has no known bounds, spread out; of `id_gaps` one in a hundred. Half of the files hold nulls in the
scattered columns, one in a hundred NaN in `price`, and one in twenty nothing but nulls in `score`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.expr.predicate import Column
from hudi_core.pruning.statistics import ColumnStatistics
from hudi_core.pruning.store import FileStatistics, StatisticsPart
from hudi_core.types import nodes as t

DAY = 86_400_000_000
FIRST_DAY = 1_577_836_800_000_000
DAYS = 2_000
"""Over so many days `ts` is spread."""

STEP = 1_000
"""From the ids of one file to those of the next."""

TYPES: Mapping[str, t.Type] = {
    "id": t.Long(),
    "id_gaps": t.Long(),
    "ts": t.Timestamp(),
    "key": t.String(),
    "user": t.Long(),
    "seller": t.Long(),
    "price": t.Double(),
    "score": t.Double(),
    "city": t.String(),
}
COLUMNS = {name: Column(number, name, of) for number, (name, of) in enumerate(TYPES.items(), start=1)}

_LETTERS = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", np.uint8)


@dataclass(frozen=True)
class Bounds:
    """A column as a reader of metadata decodes it. Where a bound is not known it is already the widest one."""

    low: NDArray[Any]
    high: NDArray[Any]
    known: NDArray[np.bool_]
    nulls: NDArray[np.int64]
    rows: NDArray[np.int64]
    nan: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Files:
    """So many files: their bounds by column name, and the library's store of the same."""

    count: int
    bounds: Mapping[str, Bounds]
    _pieces: dict[str, list[StatisticsPart]] = field(default_factory=dict)

    @cached_property
    def store(self) -> FileStatistics:
        return FileStatistics(self.count, self.pieces)

    def pieces(self, column: Column) -> list[StatisticsPart]:
        """The statistics of a column as a reader gives them; made once."""
        pieces = self._pieces.get(column.name)
        if pieces is None:
            bounds = self.bounds[column.name]
            statistics = ColumnStatistics(
                column.type,
                _carried(bounds.low),
                _carried(bounds.high),
                bounds.known,
                bounds.known,
                bounds.nulls,
                bounds.rows,
                bounds.nan,
            )
            pieces = self._pieces[column.name] = [StatisticsPart(np.arange(self.count), statistics)]
        return pieces

    def loaded(self, columns: Iterable[Column]) -> None:
        """Makes the statistics of these columns, so that no measurement does."""
        for column in columns:
            self.pieces(column)


@lru_cache(maxsize=2)
def files(count: int) -> Files:
    """The same files each time."""
    random = np.random.default_rng(7)
    place = np.arange(count, dtype=np.int64)
    rows = random.integers(50_000, 150_000, count)
    bounds: dict[str, Bounds] = {}

    def put(
        name: str, low: Any, high: Any, nulls: float, unknown: float = 1e-4, empty: float = 0, nan: float = 0
    ) -> None:
        known = random.random(count) >= unknown
        null_counts = np.where(random.random(count) < nulls, random.integers(1, 1000, count), 0)
        gone = random.random(count) < empty
        null_counts[gone] = rows[gone]
        low, high = low.copy(), high.copy()
        low[~known], high[~known] = _widest(low.dtype)
        bounds[name] = Bounds(low, high, known, null_counts, rows, random.random(count) < nan)

    for name, unknown in (("id", 1e-4), ("id_gaps", 1e-2)):
        put(name, place * STEP, place * STEP + random.integers(900, 2500, count), 0, unknown)
    ts = FIRST_DAY + place * (DAYS * DAY // count) + random.integers(0, DAY // 24, count)
    put("ts", ts, ts + random.integers(1, DAY, count), 0)
    keys = np.sort(_words(random, count + 1, 16))
    put("key", keys[:-1], keys[1:], 0)
    for name in ("user", "seller"):
        low = random.integers(0, 10**9, count)
        put(name, low, low + random.integers(1, 2 * 10**7, count), 0.5)
    price = random.random(count) * 1000
    put("price", price, price + random.random(count) * 50, 0.5, nan=0.01)
    score = random.random(count) * 100 - 50
    put("score", score, score + random.random(count) * 10, 0.5, empty=0.05)
    city = _words(random, count, 12)
    end = city.copy().view(np.uint8).reshape(count, 12)
    end[:, 2:] = ord("z")
    put("city", city, end.view("S12").ravel(), 0.5)
    return Files(count, bounds)


def _words(random: np.random.Generator, count: int, length: int) -> NDArray[Any]:
    return _LETTERS[random.integers(0, 26, (count, length))].view(f"S{length}").ravel()


def _widest(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    match dtype.kind:
        case "S":
            return b"", b"\xff" * dtype.itemsize
        case "f":
            return -np.inf, np.inf
        case _:
            limits = np.iinfo(dtype)
            return limits.min, limits.max


def _carried(bound: NDArray[Any]) -> Any:
    if bound.dtype.kind != "S":
        return bound
    size = bound.dtype.itemsize
    return ByteStrings(np.arange(len(bound) + 1, dtype=np.int64) * size, np.ascontiguousarray(bound).view(np.uint8))
