"""Where the items of one list start, one after the other: for long lists in few records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never

import numpy as np

from hudi_core.columns.nodes import Bytes8, Offsets
from hudi_core.formats.avro.lanes import DamagedLane
from hudi_core.formats.avro.plan import (
    Array,
    Boolean,
    Branches,
    Enumeration,
    Fixed,
    Floating,
    Integer,
    Map,
    Node,
    Null,
    Nullable,
    Record,
    Sized,
    fixed_width,
)

Octets = Sequence[int]
"""Bytes, or a memoryview of them."""

Step = Callable[[Octets, int], int]
"""(bytes, where the value begins) → where it ends. Past the end of the bytes is an IndexError."""


def find_starts(item: Node, data: Bytes8, at: int, rest: int) -> tuple[Offsets, int]:
    """Where each item of a list starts, from `at` with `rest` items left in its block; and where the list ends.

    Values of the item have a byte at least, and no fixed number. `data` ends where the record does. Raises Damaged or
    IndexError when the bytes end before. Time goes with the bytes, whatever the counts claim.
    """
    octets, step, found = data.data, stepper(item), [np.zeros(0, np.int64)]
    while True:
        if rest > len(data) - at:
            raise DamagedLane
        if rest and isinstance(item, Integer | Enumeration):
            starts, at = _by_last_bytes(data, at, rest)
            found.append(starts)
            rest = 0
        starts, at = _one_by_one(step, octets, at, rest)
        found.append(starts)
        rest, at = _block(octets, at)
        if rest == 0:
            return np.concatenate(found), at


def _one_by_one(step: Step, octets: Octets, at: int, count: int) -> tuple[Offsets, int]:
    """Where so many items start, and where the last ends."""
    found = []
    for _ in range(count):
        found.append(at)
        at = step(octets, at)
    return np.array(found, np.int64), at


def _by_last_bytes(data: Bytes8, at: int, count: int) -> tuple[Offsets, int]:
    """As `_one_by_one` for numbers: each ends with a byte whose top bit is clear."""
    lasts = np.flatnonzero(data[at : at + 10 * count] < 128)[:count]
    if len(lasts) < count:
        raise DamagedLane
    starts = np.empty(count, np.int64)
    starts[0], starts[1:] = at, lasts[:-1] + (at + 1)
    return starts, at + int(lasts[-1]) + 1


def stepper(node: Node) -> Step:
    """The function that passes over one value of the node."""
    first, steps = _sequence(node)
    if not steps:
        return lambda _, at: at + first
    if len(steps) == 1 and first == steps[0][1] == 0:
        return steps[0][0]

    def step(data: Octets, at: int) -> int:
        at += first
        for each, behind in steps:
            at = each(data, at) + behind
        return at

    return step


def _sequence(node: Node) -> tuple[int, list[tuple[Step, int]]]:
    """A value as so many bytes, and then steps, each with so many bytes behind it."""
    match node:
        case Null() | Boolean() | Floating() | Fixed():
            return fixed_width(node) or 0, []
        case Integer() | Enumeration():
            return 0, [(_varint_end, 0)]
        case Sized():
            return 0, [(_sized_end, 0)]
        case Record(fields):
            first, steps = 0, list[tuple[Step, int]]()
            for before, inner in (_sequence(each.node) for each in fields):
                if steps:
                    steps[-1] = (steps[-1][0], steps[-1][1] + before)
                else:
                    first += before
                steps += inner
            return first, steps
        case Array(item):
            return 0, [(_list(item), 0)]
        case Map():
            return 0, [(_list(node.entry), 0)]
        case Nullable(inner, null):
            return 0, [(_union([Null(), inner] if null == 0 else [inner, Null()]), 0)]
        case Branches(nodes=nodes):
            return 0, [(_union(nodes), 0)]
    assert_never(node)


def _varint_end(data: Octets, at: int) -> int:
    while data[at] >= 128:
        at += 1
    return at + 1


def _sized_end(data: Octets, at: int) -> int:
    size = data[at]
    at += 1
    if size >= 128:
        size, at = _varint(data, at - 1)
    if size & 1:
        raise DamagedLane
    return at + (size >> 1)


def _varint(data: Octets, at: int) -> tuple[int, int]:
    """The varint at `at` before zigzag, and where it ends."""
    raw = shift = 0
    while (byte := data[at]) >= 128 and shift < 63:
        raw |= (byte & 127) << shift
        shift += 7
        at += 1
    return raw | byte << shift, at + 1


def _block(data: Octets, at: int) -> tuple[int, int]:
    """The count in a list's block header, and where the block's first item starts."""
    raw, at = _varint(data, at)
    if raw & 1:
        at = _varint_end(data, at)
    return (raw + 1) >> 1, at


def _union(nodes: Sequence[Node]) -> Step:
    steps = {2 * number: stepper(node) for number, node in enumerate(nodes)}

    def step(data: Octets, at: int) -> int:
        branch = data[at]
        at += 1
        if branch >= 128:
            branch, at = _varint(data, at - 1)
        if branch not in steps:
            raise DamagedLane
        return steps[branch](data, at)

    return step


def _list(item: Node) -> Step:
    width = fixed_width(item)
    inner = stepper(item)

    def step(data: Octets, at: int) -> int:
        while True:
            count, at = _block(data, at)
            if count == 0:
                return at
            if width is not None:
                at += count * width
                continue
            for _ in range(count):
                at = inner(data, at)

    return step
