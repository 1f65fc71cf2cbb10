"""Where the items of one list start, one after the other: for long lists in few records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, assert_never

import numpy as np

from hudi_core.arrays import Octets, Offsets
from hudi_core.formats.avro.foresee import FindEnds, Foreseen
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
    get_fixed_width,
)

_FEW: Final = 64
"""Items that are passed over one by one before others are examined together again."""

Bytes = bytes | memoryview
"""Their items are numbers."""

Step = Callable[[Bytes, int], int]
"""(bytes, where the value begins) → where it ends. Past the end of the bytes is an IndexError."""


def find_starts(
    item: Node, data: Octets, position: int, rest: int, find_ends: FindEnds | None = None
) -> tuple[Offsets, int]:
    """Where each item of a list starts, from `position` with `rest` items left in its block; and where the list ends.

    Records of lists within the items are walked one by one unless `find_ends` finds where many of them end.
    Values of the item have a byte at least, and no fixed number. `data` ends where the record does. Raises Damaged or
    IndexError when the bytes end before. Time goes with the bytes, whatever the counts claim.
    """
    octets, step, parts = data.data, stepper(item, find_ends), [np.zeros(0, np.int64)]
    while True:
        if rest > len(data) - position:
            raise DamagedLane
        if rest and isinstance(item, Integer | Enumeration):
            starts, position = _by_last_bytes(data, position, rest)
            parts.append(starts)
            rest = 0
        if isinstance(item, Sized):
            starts, position = _by_equal_sizes(step, data, position, rest)
        else:
            starts, position = _one_by_one(step, octets, position, rest)
        parts.append(starts)
        rest, position = _block(octets, position)
        if rest == 0:
            return np.concatenate(parts), position


def _one_by_one(step: Step, octets: Bytes, position: int, count: int) -> tuple[Offsets, int]:
    """Where so many items start, and where the last ends."""
    starts = []
    for _ in range(count):
        starts.append(position)
        position = step(octets, position)
    return np.array(starts, np.int64), position


def _by_equal_sizes(step: Step, data: Octets, position: int, count: int) -> tuple[Offsets, int]:
    """As `_one_by_one` for strings and bytes: those of one size that follow each other are passed over together."""
    parts = [np.zeros(0, np.int64)]
    while count:
        size = int(data[position])
        width = 1 + (size >> 1)
        alike = 0 if size >= 128 or size & 1 else _alike(data[position::width][:count])
        if alike >= _FEW:
            starts = position + width * np.arange(alike, dtype=np.int64)
            position += width * alike
        else:
            alike = min(count, _FEW)
            starts, position = _one_by_one(step, data.data, position, alike)
        parts.append(starts)
        count -= alike
    return np.concatenate(parts), position


def _alike(values: Octets) -> int:
    """How many values there are from the first on that are equal to it. Time goes with their number."""
    count, window = 0, _FEW
    while count < len(values):
        differs = values[count : count + window] != values[0]
        if differs.any():
            return count + int(differs.argmax())
        count, window = count + len(differs), 2 * window
    return count


def _by_last_bytes(data: Octets, position: int, count: int) -> tuple[Offsets, int]:
    """As `_one_by_one` for numbers: each ends with a byte whose top bit is clear."""
    lasts = np.flatnonzero(data[position : position + 10 * count] < 128)[:count]
    if len(lasts) < count:
        raise DamagedLane
    starts = np.empty(count, np.int64)
    starts[0], starts[1:] = position, lasts[:-1] + (position + 1)
    return starts, position + int(lasts[-1]) + 1


def stepper(node: Node, find_ends: FindEnds | None = None) -> Step:
    """The function that passes over one value of the node; with `find_ends` it is for one buffer only."""
    first, steps = _sequence(node, find_ends)
    if not steps:
        return lambda _, start: start + first
    if len(steps) == 1 and first == steps[0][1] == 0:
        return steps[0][0]

    def step(data: Bytes, position: int) -> int:
        position += first
        for pass_over, behind in steps:
            position = pass_over(data, position) + behind
        return position

    return step


def _sequence(node: Node, find_ends: FindEnds | None) -> tuple[int, list[tuple[Step, int]]]:
    """A value as so many bytes, and then steps, each with so many bytes behind it."""
    match node:
        case Null() | Boolean() | Floating() | Fixed():
            return get_fixed_width(node) or 0, []
        case Integer() | Enumeration():
            return 0, [(_varint_end, 0)]
        case Sized():
            return 0, [(_find_sized_end, 0)]
        case Record(fields):
            first, steps = 0, list[tuple[Step, int]]()
            for before, inner in (_sequence(field.node, find_ends) for field in fields):
                if steps:
                    steps[-1] = (steps[-1][0], steps[-1][1] + before)
                else:
                    first += before
                steps += inner
            return first, steps
        case Array(item):
            return 0, [(_list(item, find_ends), 0)]
        case Map():
            return 0, [(_list(node.entry, find_ends), 0)]
        case Nullable(inner, null):
            return 0, [(_union([Null(), inner] if null == 0 else [inner, Null()], find_ends), 0)]
        case Branches(nodes=nodes):
            return 0, [(_union(nodes, find_ends), 0)]
    assert_never(node)


def _varint_end(data: Bytes, position: int) -> int:
    while data[position] >= 128:
        position += 1
    return position + 1


def _find_sized_end(data: Bytes, position: int) -> int:
    size = data[position]
    position += 1
    if size >= 128:
        size, position = _varint(data, position - 1)
    if size & 1:
        raise DamagedLane
    return position + (size >> 1)


def _varint(data: Bytes, position: int) -> tuple[int, int]:
    """The varint at `position` before zigzag, and where it ends."""
    raw = shift = 0
    while (byte := data[position]) >= 128 and shift < 63:
        raw |= (byte & 127) << shift
        shift += 7
        position += 1
    return raw | byte << shift, position + 1


def _block(data: Bytes, position: int) -> tuple[int, int]:
    """The count in a list's block header, and where the block's first item starts."""
    raw, position = _varint(data, position)
    if raw & 1:
        position = _varint_end(data, position)
    return (raw + 1) >> 1, position


def _union(nodes: Sequence[Node], find_ends: FindEnds | None) -> Step:
    steps = {2 * index: stepper(node, find_ends) for index, node in enumerate(nodes)}

    def step(data: Bytes, position: int) -> int:
        branch = data[position]
        position += 1
        if branch >= 128:
            branch, position = _varint(data, position - 1)
        if branch not in steps:
            raise DamagedLane
        return steps[branch](data, position)

    return step


def _list(item: Node, find_ends: FindEnds | None) -> Step:
    width = get_fixed_width(item)
    inner = stepper(item, find_ends)
    if find_ends is not None and isinstance(item, Record):
        inner = _foreseeing(inner, Foreseen(item, find_ends))

    def step(data: Bytes, position: int) -> int:
        while True:
            count, position = _block(data, position)
            if count == 0:
                return position
            if width is not None:
                position += count * width
                continue
            if isinstance(item, Sized) and count >= _FEW:
                _, position = _by_equal_sizes(inner, np.frombuffer(data, np.uint8), position, count)
                continue
            for _ in range(count):
                position = inner(data, position)

    return step


def _foreseeing(step: Step, foreseen: Foreseen) -> Step:
    """As `step`, which is asked only for what is not foreseen."""

    def find_end(data: Bytes, position: int) -> int:
        end = foreseen.end(position)
        if end is None:
            end = step(data, position)
            foreseen.learn(np.frombuffer(data, np.uint8), position, end)
        return end

    return find_end
