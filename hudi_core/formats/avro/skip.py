"""Passing over Avro values in all lanes: only lengths are decoded."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import assert_never

import numpy as np

from hudi_core.arrays import Bools, Numbers, Octets, Offsets
from hudi_core.formats.avro.lanes import DamagedLane, Lanes, Unsigned
from hudi_core.formats.avro.plan import (
    Array,
    Boolean,
    Branches,
    Enumeration,
    Fixed,
    Floating,
    Integer,
    Leaf,
    Map,
    Node,
    Null,
    Nullable,
    Record,
    Sized,
    get_fixed_width,
    least_width,
)
from hudi_core.formats.avro.step import find_starts
from hudi_core.formats.avro.walk import MAX_EMPTY_ITEMS

LIKELY_BYTES = 8
"""The bytes of a number, for which a window is worth its while."""

SMALL_LANE_COUNT = 48
"""With fewer lanes than this, finding the items of one list after the other beats a round of NumPy calls for each item."""

Runs = list[tuple[Numbers, Numbers, Numbers]]
"""Items found together: for each its lane, its number in the lane's list, and where it starts."""


class TooManyEmptyItems(Exception):
    """Lists of items without bytes claim more items than anyone can mean. Never leaves the decoder."""


def skip(node: Node, lanes: Lanes) -> None:
    """Every lane passes over its next value; there is at least one lane."""
    match node:
        case Record(fields):
            for field in fields:
                skip(field.node, lanes)
        case Nullable(inner):
            live = live_lanes(node, lanes)
            if not isinstance(live, bool):
                _skip_where(inner, lanes, live)
            elif live:
                skip(inner, lanes)
        case Branches(nodes=nodes):
            branch = lanes.naturals(len(nodes) - 1)
            if isinstance(branch, int):
                skip(nodes[branch], lanes)
            else:
                for index, live in by_branch(branch):
                    _skip_where(nodes[index], lanes, live)
        case Null():
            pass
        case Boolean() | Integer() | Floating() | Sized() | Fixed() | Enumeration():
            _skip_leaf(node, lanes, None)
        case Array(item):
            find_items(item, lanes)
        case Map():
            find_items(node.entry, lanes)
        case _:
            assert_never(node)


def _skip_leaf(node: Leaf, lanes: Lanes, live: Bools | None) -> None:
    match node:
        case Boolean():
            lanes.skip_where(live, 1)
        case Floating(size) | Fixed(size):
            lanes.skip_where(live, size)
        case Integer() | Enumeration():
            lanes.pass_varint(live)
        case Sized():
            lanes.spans(live)
        case _:
            assert_never(node)


def _skip_where(node: Node, lanes: Lanes, live: Bools) -> None:
    match node:
        case Null():
            pass
        case Boolean() | Integer() | Floating() | Sized() | Fixed() | Enumeration():
            _skip_leaf(node, lanes, live)
        case _:
            rows = np.flatnonzero(live)
            chosen = lanes.select(rows)
            skip(node, chosen)
            lanes.rejoin(rows, chosen)


def live_lanes(node: Nullable, lanes: Lanes) -> bool | Bools:
    """Which lanes hold a value; a bool when all or none do."""
    if isinstance(node.inner, Integer | Floating):
        lanes.expect(1 + LIKELY_BYTES)
    return lanes.live(node.null)


def by_branch(branch: Unsigned) -> Iterator[tuple[int, Bools]]:
    """The branches that occur, each with the lanes that are on it."""
    for index in range(int(branch.min()), int(branch.max()) + 1):
        live = branch == index
        if np.count_nonzero(live):
            yield index, live


def find_items(item: Node, lanes: Lanes) -> tuple[Offsets, Offsets]:
    """Offsets of each lane's items and where each item starts in the buffer; moves all lanes past their lists.

    Works in rounds: in each, every lane that is not done passes over one item (or one block, when all items are equally
    wide). The rounds of a few lanes with many items would be all overhead, so their lists are walked one after the other.
    """
    width, least = get_fixed_width(item), least_width(item)
    total = len(lanes)
    counts = np.zeros(total, np.int64)
    runs: Runs = []
    rows, remaining = np.arange(total), np.zeros(total, np.int64)
    active = lanes.select(rows)
    while len(rows):
        if len(rows) < SMALL_LANE_COUNT and width is None:
            _walk_items(item, rows, active, remaining, counts, runs)
            lanes.rejoin(rows, active)
            break
        _open_blocks(active, remaining, least)
        done = remaining == 0
        if done.any():
            finished = np.flatnonzero(done)
            lanes.rejoin(rows[finished], active.select(finished))
            going = np.flatnonzero(~done)
            rows, remaining, active = rows[going], remaining[going], active.select(going)
            if len(rows) == 0:
                break
        if width is None:
            runs.append((rows, counts[rows], active.cursors()))
            counts[rows] += 1
            remaining = remaining - 1
            skip(item, active)
            active.check_ends()
        else:
            if width == 0 and int(counts.sum() + remaining.sum()) > MAX_EMPTY_ITEMS:
                raise TooManyEmptyItems
            within = np.arange(int(remaining.sum())) - np.repeat(np.cumsum(remaining) - remaining, remaining)
            lane = np.repeat(rows, remaining)
            runs.append((lane, counts[lane] + within, np.repeat(active.cursors(), remaining) + within * width))
            counts[rows] += remaining
            active.skip(remaining * width)
            remaining = np.zeros_like(remaining)
    offsets = np.zeros(total + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    starts = np.empty(int(offsets[-1]), np.int64)
    for lane, index, start in runs:
        starts[offsets[lane] + index] = start
    return offsets, starts


def _open_blocks(active: Lanes, remaining: Numbers, least: int) -> None:
    """Reads a block header in each lane whose block is used up; `remaining` becomes the items in it, 0 when the list ends."""
    due = np.flatnonzero(remaining == 0)
    if len(due) == 0:
        return
    openers = active.select(due)
    count = openers.read_signed(64)
    with_size = np.flatnonzero(count < 0)
    if len(with_size):
        sized = openers.select(with_size)
        sized.pass_varint()
        openers.rejoin(with_size, sized)
        count = np.abs(count)
    openers.check_ends()
    room = (openers.ends - openers.cursors()) // least if least else MAX_EMPTY_ITEMS
    if (count < 0).any() or (count > room).any():
        raise DamagedLane
    active.rejoin(due, openers)
    remaining[due] = count


def _walk_items(
    item: Node,
    rows: Numbers,
    active: Lanes,
    remaining: Numbers,
    counts: Numbers,
    runs: Runs,
) -> None:
    """Finishes the lists of a few lanes, one list after the other; moves `active` past them."""
    data, ends = active.data, active.cursors()
    for spot, (row, start, end, remaining_items) in enumerate(
        zip(rows.tolist(), ends.tolist(), active.ends.tolist(), remaining.tolist(), strict=True)
    ):
        find_ends = partial(_find_ends, data, end)
        starts, ends[spot] = find_starts(item, data[:end], start, remaining_items, find_ends)
        indexes = np.arange(len(starts), dtype=np.int64) + counts[row]
        runs.append((np.full(len(starts), row), indexes, starts))
        counts[row] += len(starts)
    active.positions, active.shift = ends, 0


def _find_ends(data: Octets, end: int, item: Node, starts: Offsets) -> Offsets:
    """Where the items end that begin at these places of a record that ends at `end`; none when one of them is no item."""
    lanes = Lanes(data, starts, np.full(len(starts), end), end)
    try:
        skip(item, lanes)
        lanes.check_ends()
    except (DamagedLane, IndexError, TooManyEmptyItems):
        return starts[:0]
    return lanes.cursors()
