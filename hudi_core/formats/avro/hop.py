"""Where Avro values end that begin at many places, some of which are no beginnings: for guesses, so nothing is damage here.

A place without a value leads behind the end, as do values that take too long to pass over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

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
from hudi_core.formats.chains import Hop
from hudi_core.formats.columns import Bools, Bytes8, Offsets

MOST_ROUNDS = 64
"""Items of a list inside an item that are passed over one after the other."""

_MOST_SIZE = np.int64(1 << 31)


def hopper(node: Node, data: Bytes8) -> Hop:
    """The function from where values begin to where they end; behind the end of `data` where there are none."""
    nowhere = len(data) + 1

    def hop(at: Offsets) -> Offsets:
        after = _end(node, data, at)
        return np.where((after > len(data)) | (at > len(data)), nowhere, after)

    return hop


def _end(node: Node, data: Bytes8, at: Offsets) -> Offsets:
    match node:
        case Null() | Boolean() | Floating() | Fixed():
            return at + (fixed_width(node) or 0)
        case Integer() | Enumeration():
            return _varint(data, at)[1]
        case Sized():
            size, after = _varint(data, at)
            return _moved(data, after, size >> 1, size & 1 == 0)
        case Record(fields):
            for each in fields:
                at = _end(each.node, data, at)
            return at
        case Nullable(inner, null):
            return _union([Null(), inner] if null == 0 else [inner, Null()], data, at)
        case Branches(nodes=nodes):
            return _union(nodes, data, at)
        case Array(item):
            return _items(item, data, at)
        case Map():
            return _items(node.entry, data, at)
    assert_never(node)


def _varint(data: Bytes8, at: Offsets) -> tuple[NDArray[np.int64], Offsets]:
    """The varints at some places before zigzag, modulo 2^64, and where they end; -1 and behind the end where there are none."""
    first = data.take(at, mode="clip")
    value, after = first.astype(np.int64), at + 1
    if first.max(initial=0) < 128:  # most often: most numbers are small
        return value, after
    going = np.flatnonzero(first >= 128)
    value &= 127
    for shift in range(7, 70, 7):
        byte = data.take(after[going], mode="clip").astype(np.int64)
        value[going] |= (byte & 127) << shift
        after[going] += 1
        going = going[byte >= 128]
        if len(going) == 0:
            return value, after
    value[going], after[going] = -1, len(data) + 1
    return value, after


def _moved(data: Bytes8, at: Offsets, sizes: NDArray[np.int64], sound: Bools) -> Offsets:
    return np.where(sound & (sizes >= 0), at + np.minimum(sizes, _MOST_SIZE), len(data) + 1)


def _union(nodes: Sequence[Node], data: Bytes8, at: Offsets) -> Offsets:
    """Mostly all are of one branch, but for wrong guesses: all are passed over as that one, and then the others as theirs."""
    branch, after = _varint(data, at)
    usual = int(branch[len(branch) // 2]) if len(branch) else 0
    if usual not in range(0, 2 * len(nodes), 2):
        usual = 0
    found = _end(nodes[usual // 2], data, after)
    others = np.flatnonzero(branch != usual)
    if len(others):
        found[others] = len(data) + 1
        for number, node in enumerate(nodes):
            rows = others[branch[others] == 2 * number]
            if len(rows):
                found[rows] = _end(node, data, after[rows])
    return found


def _items(item: Node, data: Bytes8, at: Offsets) -> Offsets:
    """One item a round in each list that is not done, or a block when all items are equally wide."""
    width = fixed_width(item)
    found = np.full(len(at), len(data) + 1)
    rows, here, left = np.arange(len(at)), at, np.zeros(len(at), np.int64)
    for _ in range(MOST_ROUNDS):
        due = np.flatnonzero(left == 0)
        if len(due):
            left, here = left.copy(), here.copy()
            left[due], here[due] = _block(data, here[due])
            done = left == 0
            found[rows[done]] = here[done]
            rows, here, left = rows[~done], here[~done], left[~done]
        rows, here, left = _within(data, rows, here, left)
        if len(rows) == 0:
            break
        if width is None:
            here, left = _end(item, data, here), left - 1
        else:
            here, left = here + np.minimum(left, _MOST_SIZE) * width, np.zeros_like(left)
    return found


def _within(
    data: Bytes8, rows: NDArray[np.int64], here: Offsets, left: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Offsets, NDArray[np.int64]]:
    """The lists that have not passed the end."""
    going = here <= len(data)
    return (rows, here, left) if going.all() else (rows[going], here[going], left[going])


def _block(data: Bytes8, at: Offsets) -> tuple[NDArray[np.int64], Offsets]:
    """The counts in block headers, and where the blocks' first items begin."""
    raw, after = _varint(data, at)
    sized = np.flatnonzero((raw & 1 == 1) & (raw >= 0))
    if len(sized):
        after[sized] = _varint(data, after[sized])[1]
    return np.maximum(raw + 1, 0) >> 1, after
