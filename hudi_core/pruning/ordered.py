"""A column's files in the order of its lower bounds, in blocks with a summary each: most questions open a few blocks only.

A block's hull is what some file of it may hold. It is an interval too, so a question is put to it as it is to files: nothing
in the hull, and the block is skipped. One range of values meets blocks that follow each other, which are found by halving.
Files of which no bound is known meet any range: they are listed by number, and widen no hull. Files without values come last.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Bools, Numbers, Numbers32
from hudi_core.pruning.intervals import BLOCK, Intervals, hull
from hudi_core.pruning.key_ranges import Ranges
from hudi_core.pruning.order_keys import NAN_KEY, FloatKeys, KeyArray, OrderKeys

FileNumbers = NDArray[np.signedinteger[Any]]
"""File numbers, int32 or int64."""

_MAX_UNCHECKED_BLOCKS = 8
"""Up to so many blocks are opened without a look at the hull of each."""

_MAX_RUNS = 4
"""Up to so many runs of blocks are examined one by one."""

MAX_COMPARED_RANGES = 3
"""Up to so many ranges are compared one after the other, more are searched."""


@dataclass(slots=True, eq=False)
class ValueSet:
    """Values of one column: those with keys in the ranges, and NaN and null or not."""

    keys: OrderKeys
    ranges: Ranges
    nan: bool
    null: bool
    ends: Numbers | None
    """The first keys of the ranges and the last ones, when they are too many to be compared one after the other."""

    @staticmethod
    def from_ranges(keys: OrderKeys, ranges: Ranges, null: bool = False) -> ValueSet:
        """`ranges` may hold NaN by its key, as `keys` makes them."""
        nan = bool(ranges) and ranges[-1][1] == NAN_KEY and isinstance(keys, FloatKeys)
        if nan:
            first, last = ranges[-1]
            ranges = (*ranges[:-1], (first, last - 1)) if first < last else ranges[:-1]
        ends = None
        if len(ranges) > MAX_COMPARED_RANGES:
            ends = np.fromiter(chain.from_iterable(ranges), np.int64, 2 * len(ranges)).reshape(-1, 2).T.copy()
        return ValueSet(keys, ranges, nan, null, ends)

    @property
    def in_ranges(self) -> ValueSet:
        """Without NaN and null."""
        return replace(self, nan=False, null=False) if self.nan or self.null else self


def holds(wanted: ValueSet, intervals: Intervals, rows: Any = ..., *, ascending: bool = False) -> Bools:
    """Which files may hold a wanted value; `rows` picks files. `ascending`: their lower bounds do not decrease."""
    held = _holds_in_range(wanted, intervals, rows, ascending) if wanted.ranges else None
    if wanted.nan and intervals.nans is not None:
        held = intervals.nans[rows] if held is None else held | intervals.nans[rows]
    if wanted.null:
        held = intervals.nulls[rows] if held is None else held | intervals.nulls[rows]
    return np.zeros(intervals.lower[rows].shape, np.bool_) if held is None else held


def _holds_in_range(wanted: ValueSet, intervals: Intervals, rows: Any, ascending: bool) -> Bools:
    ranges, bottom, top = wanted.ranges, wanted.keys.bottom, wanted.keys.top
    if wanted.ends is not None:
        firsts, lasts = wanted.ends.astype(intervals.lower.dtype, copy=False)
        return (_meets_ascending if ascending else _meets)(firsts, lasts, intervals.lower[rows], intervals.upper[rows])
    held: Bools | None = None
    for first, last in ranges:
        met: Bools
        if first > bottom:
            met = intervals.upper[rows] >= first
            if last < top:
                met &= intervals.lower[rows] <= last
        elif last < top:
            met = intervals.lower[rows] <= last
        else:  # any value will do
            met = intervals.lower[rows] <= intervals.upper[rows]
        held = met if held is None else held | met
    assert held is not None
    return held


def _meets(firsts: KeyArray, lasts: KeyArray, lower: KeyArray, upper: KeyArray) -> Bools:
    """Whether the first range that does not end below `lower` begins at or below `upper`."""
    following = np.searchsorted(lasts, lower)
    met: Bools = firsts[np.minimum(following, len(firsts) - 1)] <= upper
    met &= lower <= lasts[-1]
    return met


def _meets_ascending(firsts: KeyArray, lasts: KeyArray, lower: KeyArray, upper: KeyArray) -> Bools:
    """The same for ascending `lower`: the ranges are searched among the files, not the files among the ranges."""
    flat_low, flat_high = lower.ravel(), upper.ravel()
    ends = np.searchsorted(flat_low, lasts, side="right")
    following = np.repeat(firsts, np.diff(ends, prepend=0))
    met = np.zeros(len(flat_low), np.bool_)
    np.less_equal(following, flat_high[: len(following)], out=met[: len(following)])
    return met.reshape(lower.shape)


Blocks = slice | Numbers
"""Blocks that follow each other (start and stop given), or any by number, ascending."""


@dataclass(frozen=True, slots=True, eq=False)
class OrderedFiles:
    """Files by ascending lower bound, in arrays of shape (blocks, `BLOCK`)."""

    file_numbers: Numbers32 | None
    """Their file numbers; None when they are listed in this order anyway."""
    files: Intervals
    """The intervals of the files; unbounded ones hold nothing here."""
    unbounded: Numbers32
    """The numbers of the files that may hold any value, ascending; read only."""
    hull: Intervals
    lowers: list[int]
    """The least lower bound in each block, ascending."""
    reach: list[int]
    """The greatest upper bound in each block and those before it, ascending."""
    first: list[int]
    last: list[int]
    """The least and greatest file number in each block."""

    @property
    def size(self) -> int:
        return self.files.lower.size


def order_files(listed: Intervals, keys: OrderKeys) -> OrderedFiles:
    """The files of whole blocks, put in order; those whose lower bound is an end of the keys stay as they are listed."""
    unbounded = np.flatnonzero((listed.lower == keys.bottom) & (listed.upper == keys.top)).astype(np.int32)
    unbounded.flags.writeable = False
    if len(unbounded):
        listed = replace(listed, lower=listed.lower.copy(), upper=listed.upper.copy())
        listed.lower[unbounded], listed.upper[unbounded] = keys.top, keys.bottom
    numbers = None
    if not (listed.lower[1:] >= listed.lower[:-1]).all():
        order = np.argsort(listed.lower)
        lower = listed.lower[order]
        order[: np.searchsorted(lower, keys.bottom, "right")].sort()
        order[np.searchsorted(lower, keys.top) :].sort()
        listed = listed.map(lambda array: array[order])
        numbers = order.astype(np.int32)
    files = listed.map(lambda array: array.reshape(-1, BLOCK))
    blocks = (np.arange(len(listed.lower)) if numbers is None else numbers).reshape(-1, BLOCK)
    blocks_hull = hull(files)
    reach = np.maximum.accumulate(blocks_hull.upper)
    summary = (blocks_hull.lower.tolist(), reach.tolist(), blocks.min(1).tolist(), blocks.max(1).tolist())
    return OrderedFiles(numbers, files, unbounded, blocks_hull, *summary)


@dataclass(frozen=True, slots=True)
class BlockRun:
    """Blocks that follow each other, and the file numbers among which theirs are. Dense: most of these are theirs."""

    blocks: Blocks
    """An array when they do not follow each other after all."""
    count: int
    files: slice | None
    """None: not dense."""


def candidates(wanted: ValueSet, order: OrderedFiles) -> Blocks:
    """The blocks that may hold a value in a wanted range; those of unbounded files are not meant."""
    if len(wanted.ranges) != 1:
        return holds(wanted, order.hull, ascending=True).nonzero()[0]
    ((first, last),) = wanted.ranges
    begin, end = bisect_left(order.reach, first), bisect_right(order.lowers, last)
    if end - begin > _MAX_UNCHECKED_BLOCKS:
        high_enough = order.hull.upper[begin:end] >= first
        if not high_enough.all():
            return high_enough.nonzero()[0] + begin
    return slice(begin, max(begin, end))


def size(blocks: Blocks) -> int:
    """How many blocks there are."""
    return int(blocks.stop - blocks.start) if isinstance(blocks, slice) else len(blocks)


def runs(order: OrderedFiles, blocks: Blocks) -> list[BlockRun]:
    """The blocks in a few runs, or all in one that is not dense."""
    count = size(blocks)
    if not count:
        return []
    if isinstance(blocks, slice):
        return [_run(order, blocks.start, blocks.stop)]
    if int(blocks[-1]) - int(blocks[0]) + 1 == count:
        return [_run(order, int(blocks[0]), int(blocks[-1]) + 1)]
    gaps = (blocks[1:] - blocks[:-1] != 1).nonzero()[0] + 1
    if len(gaps) >= _MAX_RUNS:
        return [BlockRun(blocks, count, None)]
    bounds = [0, *gaps.tolist(), count]
    return [_run(order, int(blocks[begin]), int(blocks[end - 1]) + 1) for begin, end in pairwise(bounds)]


def _run(order: OrderedFiles, begin: int, end: int) -> BlockRun:
    blocks = slice(begin, end)
    first, last = min(order.first[blocks]), max(order.last[blocks])
    dense = last - first < 2 * (end - begin) * BLOCK
    return BlockRun(blocks, end - begin, slice(first, last + 1) if dense else None)


def select_files(wanted: ValueSet, order: OrderedFiles, *some: Blocks) -> FileNumbers:
    """The numbers, ascending, of the files in these blocks that may hold a value in a wanted range, and of those that are
    unbounded; no block is there twice."""
    parts: list[FileNumbers] = [order.unbounded, *(_select_files(wanted, order, blocks) for blocks in some)]
    if len(parts) == 1:
        return order.unbounded
    numbers = np.concatenate(parts)
    numbers.sort(kind="stable" if order.file_numbers is None else None)  # which is fast where parts ascend
    return numbers


def _select_files(wanted: ValueSet, order: OrderedFiles, blocks: Blocks) -> FileNumbers:
    masks = holds(wanted, order.files, blocks, ascending=True)
    numbers = masks.ravel().nonzero()[0]
    if isinstance(blocks, slice):
        numbers += blocks.start * BLOCK
    else:
        numbers += np.repeat((blocks - np.arange(len(blocks))) * BLOCK, np.count_nonzero(masks, axis=1))
    return numbers if order.file_numbers is None else order.file_numbers[numbers]


def everywhere(wanted: ValueSet, order: OrderedFiles) -> Bools:
    """Which files, by number, may hold a wanted value."""
    held = holds(wanted, order.files, ascending=True).ravel()
    if order.file_numbers is not None:
        in_order = held
        held = np.empty(len(in_order), np.bool_)
        held[order.file_numbers.astype(np.intp)] = in_order
    if wanted.ranges:
        held[order.unbounded] = True
    return held
