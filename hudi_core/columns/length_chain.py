"""Where items lie of which each is an int32 length and that many bytes, so that one leads to the next.

Walking such a chain one item at a time is slower than decoding the items. So it is walked a piece of some megabytes at a time,
and a piece from many places at once, which are guessed: somewhere behind each of many even cuts, a place from which a few
hops stay plausible.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.chains import walk
from hudi_core.columns.nodes import Offsets
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


def length_chain(data: bytes | memoryview, begin: int, count: int, where: str) -> tuple[Offsets, Offsets]:
    """Where the bytes of each item begin, and how many they are. The items must fill `data` from `begin` to its end.

    Raises CorruptFileError, with `where` and the item's number, when they do not.
    """
    pieces = list(chain_pieces(data, begin, count, where))
    if len(pieces) == 1:
        return pieces[0]
    none = np.zeros(0, np.int64)
    starts, lengths = zip((none, none), *pieces, strict=True)
    return np.concatenate(starts), np.concatenate(lengths)


def chain_pieces(data: bytes | memoryview, begin: int, count: int, where: str) -> Iterator[tuple[Offsets, Offsets]]:
    """As `length_chain`, a piece after the other; none without items. What is wrong is raised where it is reached."""
    at, end = begin, len(data)
    if not 0 <= count <= (end - at) // 4:
        raise CorruptFileError(where, expected=f"records in {end - at} bytes", found=f"a count of {count}")
    pieces = max(1, count // PIECE_ITEMS, (end - begin) // PIECE_BYTES) if count >= MANY_WALKS_THRESHOLD else 1
    found = 0
    for piece in range(1, pieces + 1):
        until = begin + (end - begin) * piece // pieces
        marks = None
        if count - found >= MANY_WALKS_THRESHOLD and at < until:
            marks = _walk_from_many(np.frombuffer(data, np.uint8), at, until, (end - at) // (count - found) + 1)
        if marks is None or found + len(marks) - 1 > count:
            marks = _walk(data, at, until, found, count, where)
        if len(marks) > 1:
            starts = marks[:-1] + 4
            yield starts, marks[1:] - starts
        at, found = int(marks[-1]), found + len(marks) - 1
    if found < count:
        raise CorruptFileError(
            f"{where}, record {found}", expected=f"a record in {end - at} bytes", found="the end of the block"
        )


def _walk(data: bytes | memoryview, at: int, until: int, found: int, count: int, where: str) -> Offsets:
    """The places of the items from `at` on, and of the first one at `until` or behind it, if there are that many."""
    size_at, end = struct.Struct(">i").unpack_from, len(data)
    marks: list[int] = []
    mark = marks.append
    with suppress(struct.error):  # a length that leads out of the data, found again below
        for _ in range(count - found):
            if at >= until:
                break
            mark(at)
            at += 4 + size_at(data, at)[0]
    mark(at)
    places = np.array(marks, np.int64)
    broken = (places[1:] < places[:-1] + 4) | (places[1:] > end)
    if broken.any():
        item = int(np.argmax(broken))
        at = marks[item]
        size = f"a length of {size_at(data, at)[0]}" if at + 4 <= end else "the end of the block"
        raise CorruptFileError(f"{where}, record {found + item}", expected=f"a record in {end - at} bytes", found=size)
    if at < until:
        raise CorruptFileError(
            where, expected=f"the end of the block after {count} records", found=f"{end - at} more bytes"
        )
    return places


def _walk_from_many(data: NDArray[np.uint8], begin: int, until: int, typical: int) -> Offsets | None:
    """As `_walk`, for items of `typical` bytes on average; None when the guesses were too bad, or the chain is broken."""
    high, low = data[2:], data[3:]

    def hop(at: Offsets) -> Offsets:
        size = high.take(at, mode="clip").astype(np.int64)
        size <<= 8
        size += low.take(at, mode="clip")
        size += at
        size += 4
        return np.minimum(size, until, out=size)

    marks, whole = walk(hop, _guesses(data, begin, until, typical), until, MAX_HOPS)
    if not whole or int(marks[-1]) + 4 > len(data):
        return None
    ends = marks + windows(data, marks, 4).view(">u4").reshape(-1)
    ends += 4
    if ends[-1] > len(data) or not np.array_equal(ends[:-1], marks[1:]):
        return None  # or an item of 64 KiB, of whose length the walks saw the lower half
    return np.append(marks, ends[-1])


def _guesses(data: NDArray[np.uint8], begin: int, until: int, typical: int) -> Offsets:
    """The first item, and in ascending order a likely item somewhere behind each cut, where there is one."""
    walks = (until - begin) // (typical * ITEMS_A_WALK)
    reach = min(2 * typical, (until - begin) // 4)
    cuts = begin + (until - begin - reach - 4) * np.arange(1, walks) // max(walks, 1)
    near = windows(data, cuts, reach + 1)
    cut, behind = np.divmod(np.flatnonzero((near[:, :-1] | near[:, 1:]) == 0), reach)
    guess = at = cuts[cut] + behind  # the two high bytes of a length are zero
    for _ in range(HOPS_TO_TRUST):
        after = at + 4 + windows(data, np.minimum(at, len(data) - 4), 4).view(">u4").reshape(-1)
        likely = (after - at > typical // 8) & (after - at < typical * 8)
        cut, guess, at = cut[likely], guess[likely], after[likely]
    first = np.append(True, cut[1:] != cut[:-1]) if len(cut) else slice(0)
    return np.unique(np.append(begin, guess[first]))
