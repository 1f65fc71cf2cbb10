"""The numbers of the files for which a program is true: through the order of a column when few come that way, else by a
mask over all files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import assert_never

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.pruning.intervals import BLOCK
from hudi_core.pruning.loaded import Files
from hudi_core.pruning.ordered import FileNumbers, ValueSet, candidates, runs, select_files, size
from hudi_core.pruning.program import AllOf, AnyOf, ColumnAnswers, MayBeLess, MayHold, Program, SameForAll, mask, pick

SMALL = 32 * BLOCK
"""Up to so many files a mask over all of them costs less than looking for a better way."""

_SCATTERED = 16
"""The cost of picking a file by its number and of restoring the order, in files that are tested in order."""

_SEARCHED = 3
"""The same where each file is searched for among many ranges, in files that are searched for in order."""


@dataclass(frozen=True, slots=True)
class _FoundFiles:
    """Where all files are for which a program is true: those that are `sure`, in several parts that ascend each, and what a
    look at each file of some `stretches` gives."""

    sure: list[FileNumbers]
    stretches: list[slice]


@dataclass(frozen=True, slots=True)
class _Route:
    """A way of searching: its cost, and its execution."""

    cost: int
    go: Callable[[], _FoundFiles]


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to all files of a program: how many come by it at most, and the route, planned when it is to be gone."""

    most: int
    route: Callable[[], _Route]


def find(program: Program, count: int) -> FileNumbers:
    """The numbers, ascending, of those of `count` files for which the program is true."""
    if isinstance(program, MayHold) and not program.ranges:
        return program.answers.listed.nulls.nonzero()[0]
    if count > SMALL:
        way = _way(program)
        if way and (route := way.route()).cost <= count:
            return _through(route, program)
    return mask(program, slice(0, count)).nonzero()[0]


def _through(route: _Route, program: Program) -> FileNumbers:
    result = route.go()
    numbers = _union(result.sure)
    for stretch in result.stretches:
        numbers = _with_stretch(numbers, stretch, _keep(stretch, program))
    return numbers


def _with_stretch(numbers: FileNumbers, stretch: slice, complete: FileNumbers) -> FileNumbers:
    """The numbers, with all there are in a stretch in the place of some of them."""
    if not len(numbers):
        return complete
    begin, end = numbers.searchsorted((stretch.start, stretch.stop))
    return np.concatenate([numbers[:begin], complete, numbers[end:]])


def _way(program: Program) -> _Way | None:
    match program:
        case MayHold(known):
            return _way_of_column(known, program.wanted)
        case AllOf(parts):
            return _narrow([(_way(part), part) for part in parts])
        case AnyOf(parts):
            return _join([(_way(part), part) for part in parts])
        case SameForAll() | MayBeLess():
            return None
        case _:
            assert_never(program)


def _way_of_column(known: ColumnAnswers, wanted: ValueSet) -> _Way | None:
    """Through the order for values in ranges, through lists of numbers for NaN and null."""
    order = known.ordered
    if order is None:
        return None
    flags = [known.listed.nans] if wanted.nan and known.listed.nans is not None else []
    flags += [known.listed.nulls] if wanted.null else []
    listed = sum(map(np.count_nonzero, flags)) + len(order.unbounded)
    in_ranges = wanted.in_ranges
    loose = _SCATTERED if wanted.ends is None else _SEARCHED
    blocks = candidates(in_ranges, order)

    def route() -> _Route:
        block_runs = runs(order, blocks)
        cost = listed + BLOCK * sum(run.count if run.files else run.count * loose for run in block_runs)

        def go() -> _FoundFiles:
            lists = [np.flatnonzero(flag) for flag in flags]
            in_blocks = select_files(in_ranges, order, *(run.blocks for run in block_runs if not run.files))
            return _FoundFiles(
                [*lists, in_blocks] if wanted.ranges else lists, [run.files for run in block_runs if run.files]
            )

        return _Route(cost, go)

    return _Way(listed + BLOCK * size(blocks), route)


def _narrow(ways: list[tuple[_Way | None, Program]]) -> _Way | None:
    """The way to one of the parts that fewest files come by; they are put to the others, the pickier ones first."""
    ways.sort(key=lambda pair: pair[0].most if pair[0] else inf)
    way = ways[0][0]
    if way is None:
        return None
    rest = AllOf(tuple(part for _, part in ways[1:]))

    def route() -> _Route:
        near = way.route()

        def go() -> _FoundFiles:
            result = near.go()
            return _FoundFiles([_keep(numbers, rest) for numbers in result.sure], result.stretches)

        return _Route(near.cost, go)

    return _Way(way.most, route)


def _join(ways: list[tuple[_Way | None, Program]]) -> _Way | None:
    """All that comes by the ways to each of the parts, if every part has one."""
    known = [(way, part) for way, part in ways if way]
    if len(known) < len(ways):
        return None
    most = sum(way.most for way, _ in known)

    def go() -> _FoundFiles:
        return _FoundFiles([_union([_through(way.route(), part) for way, part in known])], [])

    return _Way(most, lambda: _Route(most * _SCATTERED, go))


def _keep(files: Files, program: Program) -> Numbers:
    if not isinstance(files, slice):
        files = files.astype(np.intp, copy=False)  # what NumPy picks by fastest
    return np.asarray(pick(files, mask(program, files).nonzero()[0]))


def _union(parts: list[FileNumbers]) -> FileNumbers:
    """The numbers in any of the parts, each of which ascends."""
    parts = [part for part in parts if len(part)]
    if len(parts) < 2:
        return parts[0] if parts else np.zeros(0, np.int64)
    longest = max(parts, key=len)
    others = [part for part in parts if part is not longest]
    if sum(map(len, others)) * _INSERTION_RATIO <= len(longest):
        return _insert(longest, _union(others))
    together = np.concatenate(parts)
    together.sort(kind="stable" if len(parts) <= _MAX_MERGED_RUNS else None)
    first = np.ones(len(together), np.bool_)
    np.not_equal(together[1:], together[:-1], out=first[1:])
    return together[first]


def _insert(many: FileNumbers, few: FileNumbers) -> FileNumbers:
    """The union of two parts, for a few in the second: the first is moved, not sorted."""
    places = many.searchsorted(few)
    new = many.take(places, mode="clip") != few
    few = few[new]
    inserted = places[new] + np.arange(len(few))
    joined = np.empty(len(many) + len(few), np.int64)
    moved = np.ones(len(joined), np.bool_)
    moved[inserted] = False
    joined[inserted], joined[moved] = few, many
    return joined


_INSERTION_RATIO = 16
"""Up to one in so many numbers is put into the longest part where it belongs."""

_MAX_MERGED_RUNS = 8
"""Up to so many ascending parts are merged, more are sorted."""
