"""The offsets of items that are an int32 length and that many bytes each, so that one leads to the next.

Walking such a chain one item at a time is slower than decoding the items. So it is walked a piece of some megabytes at a time,
and a piece from many offsets at once, which are guesses: somewhere behind each of many even cuts, an offset from which a few
hops stay plausible. What was walked from a guess is proved: a walk that began right has to arrive exactly at a later one, and
only what is linked back to the first item counts.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Bools, Numbers, Octets, Offsets
from hudi_core.columns.spans import windows
from hudi_core.errors import CorruptFileError

MANY_WALKS_THRESHOLD = 4096
"""Items from which on many walks at once are faster than one."""

PIECE_ITEMS = 98304
PIECE_BYTES = 1 << 24
"""A piece has about so many items, or so many bytes where that is less."""

ITEMS_A_WALK = 64
MAX_HOPS = 6 * ITEMS_A_WALK
"""A walk that has not arrived by then began at a bad guess, or met a run of small items."""

HOPS_TO_TRUST = 4


def length_chain(data: bytes | memoryview, start: int, count: int, where: str) -> tuple[Offsets, Offsets]:
    """The offset and the length of the bytes of each item. The items must fill `data` from `start` to its end.

    Raises CorruptFileError, with `where` and the item's index, when they do not.
    """
    pieces = list(chain_pieces(data, start, count, where))
    if len(pieces) == 1:
        return pieces[0]
    none = np.zeros(0, np.int64)
    starts, lengths = zip((none, none), *pieces, strict=True)
    return np.concatenate(starts), np.concatenate(lengths)


def chain_pieces(data: bytes | memoryview, start: int, count: int, where: str) -> Iterator[tuple[Offsets, Offsets]]:
    """As `length_chain`, one piece after the other; none without items. Damage is raised when it is reached."""
    offset, end = start, len(data)
    if not 0 <= count <= (end - offset) // 4:
        raise CorruptFileError(where, expected=f"records in {end - offset} bytes", found=f"a count of {count}")
    pieces = max(1, count // PIECE_ITEMS, (end - start) // PIECE_BYTES) if count >= MANY_WALKS_THRESHOLD else 1
    items = 0
    for piece in range(1, pieces + 1):
        until = start + (end - start) * piece // pieces
        starts_of_items = None
        if count - items >= MANY_WALKS_THRESHOLD and offset < until:
            starts_of_items = _walk_from_many(
                np.frombuffer(data, np.uint8), offset, until, (end - offset) // (count - items) + 1
            )
        if starts_of_items is None or items + len(starts_of_items) - 1 > count:
            starts_of_items = _walk(data, offset, until, items, count, where)
        if len(starts_of_items) > 1:
            starts = starts_of_items[:-1] + 4
            yield starts, starts_of_items[1:] - starts
        offset, items = int(starts_of_items[-1]), items + len(starts_of_items) - 1
    if items < count:
        raise CorruptFileError(
            f"{where}, record {items}", expected=f"a record in {end - offset} bytes", found="the end of the block"
        )


def _walk(data: bytes | memoryview, offset: int, limit: int, items: int, count: int, where: str) -> Offsets:
    """The offsets of the items from `offset` on, and of the first one at `limit` or behind it, if there are that many."""
    size_at, end = struct.Struct(">i").unpack_from, len(data)
    offset_list: list[int] = []
    add = offset_list.append
    with suppress(struct.error):  # a length that leads out of the data, found again below
        for _ in range(count - items):
            if offset >= limit:
                break
            add(offset)
            offset += 4 + size_at(data, offset)[0]
    add(offset)
    item_offsets = np.array(offset_list, np.int64)
    broken = (item_offsets[1:] < item_offsets[:-1] + 4) | (item_offsets[1:] > end)
    if broken.any():
        item = int(np.argmax(broken))
        offset = offset_list[item]
        size = f"a length of {size_at(data, offset)[0]}" if offset + 4 <= end else "the end of the block"
        raise CorruptFileError(
            f"{where}, record {items + item}", expected=f"a record in {end - offset} bytes", found=size
        )
    if offset < limit:
        raise CorruptFileError(
            where, expected=f"the end of the block after {count} records", found=f"{end - offset} more bytes"
        )
    return item_offsets


def _walk_from_many(data: Octets, start: int, limit: int, typical: int) -> Offsets | None:
    """As `_walk`, for items of `typical` bytes on average; None when the guesses were too bad, or the chain is broken."""
    upper_bytes, lower_bytes = data[2:], data[3:]

    def hop(item_offsets: Offsets) -> Offsets:
        size = upper_bytes.take(item_offsets, mode="clip").astype(np.int64)
        size <<= 8
        size += lower_bytes.take(item_offsets, mode="clip")
        size += item_offsets
        size += 4
        return np.minimum(size, limit, out=size)

    offsets, complete = walk(hop, _guesses(data, start, limit, typical), limit, MAX_HOPS)
    if not complete or int(offsets[-1]) + 4 > len(data):
        return None
    ends = offsets + windows(data, offsets, 4).view(">u4").reshape(-1)
    ends += 4
    if ends[-1] > len(data) or not np.array_equal(ends[:-1], offsets[1:]):
        return None  # or an item of 64 KiB, of whose length the walks saw the lower half
    return np.append(offsets, ends[-1])


def _guesses(data: Octets, start: int, limit: int, typical: int) -> Offsets:
    """The first item, and in ascending order a likely item somewhere behind each cut, where there is one."""
    walks = (limit - start) // (typical * ITEMS_A_WALK)
    reach = min(2 * typical, (limit - start) // 4)
    cuts = start + (limit - start - reach - 4) * np.arange(1, walks) // max(walks, 1)
    near = windows(data, cuts, reach + 1)
    cut, behind = np.divmod(np.flatnonzero((near[:, :-1] | near[:, 1:]) == 0), reach)
    guess = offsets = cuts[cut] + behind  # the two high bytes of a length are zero
    for _ in range(HOPS_TO_TRUST):
        after = offsets + 4 + windows(data, np.minimum(offsets, len(data) - 4), 4).view(">u4").reshape(-1)
        likely = (after - offsets > typical // 8) & (after - offsets < typical * 8)
        cut, guess, offsets = cut[likely], guess[likely], after[likely]
    first = np.append(True, cut[1:] != cut[:-1]) if len(cut) else slice(0)
    return np.unique(np.append(start, guess[first]))


Hop = Callable[[Offsets], Offsets]
"""Where the items after those at some places begin; at or behind the end of everything for places where there can be none."""


def walk(hop: Hop, origins: Offsets, end: int, max_hops: int) -> tuple[Offsets, bool]:
    """Where the items from `origins[0]` on begin, as far as that is proved; and whether they end exactly at `end`.

    The other origins, ascending, are guesses. `max_hops` is how many items one walk takes; where it has not arrived anywhere by
    then, the proof ends with it.
    """
    targets = np.append(origins, end)
    walks, offsets, targets_index = np.arange(len(origins)), origins, np.arange(1, len(targets))
    goals = targets[targets_index]
    links = np.full(len(origins), -1)
    visited = np.empty((max_hops, len(origins)), np.int64)
    rounds = 0
    while rounds < max_hops:
        if len(walks) == len(origins):
            visited[rounds] = offsets
        else:
            visited[rounds] = -1
            visited[rounds, walks] = offsets
        rounds += 1
        offsets = hop(offsets)
        (crossing,) = (offsets >= goals).nonzero()
        if len(crossing):
            targets_index[crossing] = np.searchsorted(targets, offsets[crossing])
            arrived = crossing[targets[np.minimum(targets_index[crossing], len(origins))] == offsets[crossing]]
            links[walks[arrived]] = targets_index[arrived]
            going = targets_index < len(targets)
            going[arrived] = False
            walks, offsets, targets_index = walks[going], offsets[going], targets_index[going]
            if len(walks) == 0:
                break
            goals = targets[targets_index]
    linked, reached = _follow_links(links)
    proved: NDArray[Any] = visited[:rounds].T[linked]
    return proved[proved >= 0], reached == len(origins)


def _follow_links(links: Numbers) -> tuple[Bools, int]:
    """Which walks the links lead to from the first one on, each to a later one; and where they lead to in the end."""
    linked = np.zeros(len(links), np.bool_)
    strange = np.append(np.flatnonzero(links[:-1] != np.arange(1, len(links))), len(links) - 1)
    reached = 0
    while 0 <= reached < len(links):  # mostly each leads to the next
        last = int(strange[np.searchsorted(strange, reached)])
        linked[reached : last + 1] = True
        reached = int(links[last])
    return linked, reached
