"""The order of rows: linear, or along a curve through quantile ranks, made from a sample. Rules CLUSTER-4, CLUSTER-8.

A layout is a small value: a few thousand quantiles of each column and the places of the cuts. With it any number of rows is
distributed to files, a batch at a time, and the rows of each file are ordered by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from hudi_core.arrays import Numbers, Words64
from hudi_core.cluster.curves import hilbert, z_order
from hudi_core.cluster.cuts import cuts
from hudi_core.cluster.sort_keys import KeyValues, SortKeys, row_order
from hudi_core.errors import UsageError

TOO_LARGE: Final = 2
"""A file of so many times the even number of rows is cut by number: values that are all alike, or that the sample missed."""
MAX_QUANTILES: Final = 4096
_MAX_BITS: Final = 16
_CODE_BITS: Final = 64


class Strategy(StrEnum):
    """How rows are ordered."""

    LINEAR = "linear"
    """By the first column, then by the second, and so on: best for predicates on the first."""
    ZORDER = "zorder"
    """Along a Z-order curve: good for predicates on any of the columns."""
    HILBERT = "hilbert"
    """Along a Hilbert curve: as `ZORDER`, with narrower files."""


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """The quantiles of one column in a sample, and the coordinate of each place among them."""

    values: KeyValues
    coordinates: Words64

    def coordinates_of(self, keys: SortKeys) -> Words64:
        """The coordinates of rows."""
        return self.coordinates[keys.places(self.values)]


@dataclass(frozen=True, slots=True, eq=False)
class LinearLayout:
    """Files begin with cuts: rows of the sample, here by their values in each column."""

    values: tuple[KeyValues, ...]
    cut_places: tuple[Numbers, ...]
    """For each column, the places of the cuts among its values."""

    @property
    def files(self) -> int:
        return len(self.cut_places[0]) + 1

    def file_of(self, keys: Sequence[SortKeys]) -> Numbers:
        """For each row the number of its file."""
        code = np.zeros(len(keys[0]), np.int64)
        cut_code = np.zeros(self.files - 1, np.int64)
        for column, values, cut_places in zip(keys, self.values, self.cut_places, strict=True):
            # Only the order of rows relative to cuts matters: renumbering keeps the codes small, whatever the columns.
            distinct = np.unique(cut_code)
            code, cut_code = _among(distinct, code), _among(distinct, cut_code)
            span = 2 * len(values) + 2
            code, cut_code = code * span + column.places(values), cut_code * span + cut_places
        return np.searchsorted(cut_code, code, side="right").astype(np.int64)

    def order(self, keys: Sequence[SortKeys]) -> Numbers:
        """The rows in order, file by file; equal ones stay in theirs."""
        return row_order([column.codes() for column in keys])


@dataclass(frozen=True, slots=True, eq=False)
class CurveLayout:
    """Files begin with places on a curve through a grid of quantile ranks."""

    curve: Callable[[Sequence[Words64], int], Words64]
    axes: tuple[Axis, ...]
    bits: int
    cut_codes: Words64

    @property
    def files(self) -> int:
        return len(self.cut_codes) + 1

    def file_of(self, keys: Sequence[SortKeys]) -> Numbers:
        """For each row the number of its file."""
        return np.searchsorted(self.cut_codes, self._codes(keys), side="right").astype(np.int64)

    def order(self, keys: Sequence[SortKeys]) -> Numbers:
        """The rows in order, file by file: along the curve, within a cell by the columns."""
        return row_order([self._codes(keys), *(column.codes() for column in keys)])

    def _codes(self, keys: Sequence[SortKeys]) -> Words64:
        return self.curve(
            [axis.coordinates_of(column) for axis, column in zip(self.axes, keys, strict=True)], self.bits
        )


Layout = LinearLayout | CurveLayout


def layout(strategy: Strategy, sample: Sequence[SortKeys], files: int) -> Layout:
    """The layout of rows in about `files` files, from a sample of them: of each column the keys. Raises `UsageError` for more
    columns than a curve can have."""
    if not sample:
        raise UsageError("columns", expected="columns to order by", found="none")
    if strategy is Strategy.LINEAR or len(sample) == 1:
        return _linear(sample, files)
    refuse_many(strategy, len(sample))
    bits = min(_MAX_BITS, _CODE_BITS // len(sample))
    axes = tuple(_axis(column, bits) for column in sample)
    curve = z_order if strategy is Strategy.ZORDER else hilbert
    codes = np.sort(curve([axis.coordinates_of(column) for axis, column in zip(axes, sample, strict=True)], bits))
    strength = np.zeros(len(codes), np.int64)
    strength[1:] = np.ceil(np.log2((codes[1:] ^ codes[:-1]).astype(np.float64) + 1)).astype(np.int64)
    rows = cuts(strength, files)
    # Where a cell begins, not where its first row in the sample is: else a few rows of the cell go to the file before.
    low = (strength[rows] - 1).astype(np.uint64)
    return CurveLayout(curve, axes, bits, codes[rows] >> low << low)


def refuse_many(strategy: Strategy, columns: int) -> None:
    """Raises `UsageError` for more columns than the curve of a strategy can have."""
    if strategy is not Strategy.LINEAR and columns > _CODE_BITS:
        raise UsageError("columns", expected=f"at most {_CODE_BITS} columns", found=str(columns))


def _linear(sample: Sequence[SortKeys], files: int) -> LinearLayout:
    ranks = [column.ranks() for column in sample]
    order = np.lexsort(ranks[::-1])
    strength = np.zeros(len(order), np.int64)
    for rank in reversed(ranks):
        changes = np.diff(rank[order], prepend=rank[order[:1]]) != 0
        strength = np.where(changes, strength.max(initial=0) + 1, strength)
    rows = order[cuts(strength, files, ranks[0][order])]
    values = tuple(column.values(rows) for column in sample)
    places = tuple(column.take(rows).places(known) for column, known in zip(sample, values, strict=True))
    return LinearLayout(values, places)


def _axis(column: SortKeys, bits: int) -> Axis:
    """The quantiles of a column. A coordinate is the share of the sample below a value, and half of that with it: values
    that are frequent are far from their neighbours."""
    ranks = column.ranks()
    order = np.argsort(ranks, kind="stable")
    rows = len(order)
    nulls = int(np.searchsorted(ranks[order], 1))
    live = order[nulls:]
    count = min(len(live), MAX_QUANTILES)
    values = column.values(live[np.linspace(0, max(len(live) - 1, 0), count, dtype=np.int64)])
    counts = np.bincount(column.places(values), minlength=2 * len(values) + 2)
    middle = np.cumsum(counts) - counts / 2
    scale = float(1 << bits) / max(rows, 1)
    coordinates = np.minimum(middle * scale, float((1 << bits) - 1)).astype(np.uint64)
    return Axis(values, coordinates)


def _among(distinct: Numbers, codes: Numbers) -> Numbers:
    """The place of each code among distinct ones: odd for these, even for the gaps between them."""
    below = np.searchsorted(distinct, codes)
    equal = distinct[np.minimum(below, len(distinct) - 1)] == codes if len(distinct) else False
    return 2 * below + equal
