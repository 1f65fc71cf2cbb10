"""The numbers of the files for which a program says yes: through the order of a column when few come that way, else by a
mask over all files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from hudi_core.stats.intervals import BLOCK
from hudi_core.stats.ordered import Numbers, Run, Wanted, candidates, opened, runs
from hudi_core.stats.program import Every, Files, Fixed, Holds, Known, Lesser, Program, Some, mask, picked

SMALL = 32 * BLOCK
"""Up to so many files a mask over all of them costs less than looking for a better way."""

_SCATTERED = 16
"""What it costs to pick a file by its number and to bring it back into order, in files that are looked at in order."""


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Files, no number twice; `sure` when the program is known to say yes for all of them."""

    files: Files
    sure: bool


@dataclass(frozen=True, slots=True)
class _Route:
    """What it costs to go a way, and going it."""

    cost: int
    go: Callable[[], list[_Candidates]]


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to all files of a program: how many come by it at most, and the route, planned when it is to be gone."""

    most: int
    route: Callable[[], _Route]


def find(program: Program, count: int) -> Numbers:
    """The numbers, ascending, of those of `count` files for which the program says yes."""
    if isinstance(program, Holds) and not program.ranges:
        return program.known.with_null
    if count > SMALL:
        way = _way(program)
        if way and (route := way.route()).cost <= count:
            return _through(route, program)
    return mask(program, slice(0, count)).nonzero()[0]


def _through(route: _Route, program: Program) -> Numbers:
    return _union([_numbers(found) if found.sure else _kept(found.files, program) for found in route.go()])


def _way(program: Program) -> _Way | None:
    match program:
        case Holds(known):
            return _way_of_column(known, program.wanted)
        case Every(parts):
            return _narrowed([(_way(part), part) for part in parts])
        case Some(parts):
            return _joined([(_way(part), part) for part in parts])
        case Fixed() | Lesser():
            return None
        case _:
            assert_never(program)


def _way_of_column(known: Known, wanted: Wanted) -> _Way | None:
    """Through the order for values in ranges, through lists of numbers for NaN and null."""
    order = known.ordered
    if order is None:
        return None
    lists = [known.with_nan] if wanted.nan else []
    lists += [known.with_null] if wanted.null else []
    listed = sum(map(len, lists))
    in_ranges = wanted.in_ranges
    blocks = candidates(in_ranges, order)

    def route() -> _Route:
        found = runs(order, blocks)
        cost = listed + BLOCK * sum(run.count if run.files else run.count * _SCATTERED for run in found)
        return _Route(cost, lambda: [_Candidates(numbers, True) for numbers in lists] + _looked_at(found))

    def _looked_at(found: list[Run]) -> list[_Candidates]:
        return [
            _Candidates(run.files, False) if run.files else _Candidates(opened(in_ranges, order, run.blocks), True)
            for run in found
        ]

    return _Way(listed + BLOCK * len(blocks), route)


def _narrowed(ways: list[tuple[_Way | None, Program]]) -> _Way | None:
    """The way to one of the parts that fewest files come by; they are put to the others, the pickier ones first."""
    ways.sort(key=lambda pair: pair[0].most if pair[0] else inf)
    way = ways[0][0]
    if way is None:
        return None
    parts = tuple(part for _, part in ways)
    whole, rest = Every(parts), Every(parts[1:])

    def route() -> _Route:
        found = way.route()
        return _Route(
            found.cost,
            lambda: [_Candidates(_kept(near.files, rest if near.sure else whole), True) for near in found.go()],
        )

    return _Way(way.most, route)


def _joined(ways: list[tuple[_Way | None, Program]]) -> _Way | None:
    """All that comes by the ways to each of the parts, if every part has one."""
    known = [(way, part) for way, part in ways if way]
    if len(known) < len(ways):
        return None
    most = sum(way.most for way, _ in known)

    def go() -> list[_Candidates]:
        return [_Candidates(_union([_through(way.route(), part) for way, part in known]), True)]

    return _Way(most, lambda: _Route(most * _SCATTERED, go))


def _kept(files: Files, program: Program) -> NDArray[np.int64]:
    if not isinstance(files, slice):
        files = files.astype(np.intp, copy=False)  # what NumPy picks by fastest
    return np.asarray(picked(files, mask(program, files).nonzero()[0]))


def _numbers(found: _Candidates) -> Numbers:
    return np.arange(found.files.start, found.files.stop) if isinstance(found.files, slice) else found.files


def _union(parts: list[Numbers]) -> Numbers:
    """The numbers in any of the parts, each of which ascends."""
    parts = [part for part in parts if len(part)]
    if len(parts) < 2:
        return parts[0] if parts else np.zeros(0, np.int64)
    longest = max(parts, key=len)
    others = [part for part in parts if part is not longest]
    if sum(map(len, others)) * _FEW_OTHERS <= len(longest):
        return _inserted(longest, _union(others))
    together = np.concatenate(parts)
    together.sort(kind="stable" if len(parts) <= _FEW_PARTS else None)
    first = np.ones(len(together), np.bool_)
    np.not_equal(together[1:], together[:-1], out=first[1:])
    return together[first]


def _inserted(many: Numbers, few: Numbers) -> Numbers:
    """The union of two parts, for a few in the second: the first is moved, not sorted."""
    places = many.searchsorted(few)
    new = many.take(places, mode="clip") != few
    few = few[new]
    at = places[new] + np.arange(len(few))
    found = np.empty(len(many) + len(few), np.int64)
    moved = np.ones(len(found), np.bool_)
    moved[at] = False
    found[at], found[moved] = few, many
    return found


_FEW_OTHERS = 16
"""Up to one in so many numbers is put into the longest part where it belongs."""

_FEW_PARTS = 8
"""Up to so many ascending parts are merged, more are sorted."""
