"""Where items lie of which each is an int32 length and that many bytes, so that one leads to the next.

Walking such a chain one item at a time is slower than decoding the items. So it is walked from many places at once, which are
guessed: somewhere behind each of many even cuts, a place from which a few hops stay plausible.
"""

from __future__ import annotations

import struct
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from hudi_core.errors import CorruptFileError
from hudi_core.formats.chains import walk
from hudi_core.formats.columns import Offsets
from hudi_core.formats.spans import windows

MANY = 4096
"""Items from which on many walks at once are faster than one."""

ITEMS_A_WALK = 128
MOST_HOPS = 6 * ITEMS_A_WALK
"""A walk that has not arrived by then began at a bad guess, or met a run of small items."""

HOPS_TO_TRUST = 6


def length_chain(data: bytes, begin: int, count: int, where: str) -> tuple[Offsets, Offsets]:
    """Where the bytes of each item begin, and how many they are. The items must fill `data` from `begin` to its end.

    Raises CorruptFileError, with `where` and the item's number, when they do not.
    """
    if count >= MANY:
        marks = _walk_from_many(np.frombuffer(data, np.uint8), begin, count)
        if marks is not None and len(marks) == count:
            return marks + 4, np.diff(marks, append=len(data)) - 4
    return _walk(data, begin, count, where)


def _walk(data: bytes, at: int, count: int, where: str) -> tuple[Offsets, Offsets]:
    size_at, end = struct.Struct(">i").unpack_from, len(data)
    if not 0 <= count <= (end - at) // 4:
        raise CorruptFileError(where, expected=f"records in {end - at} bytes", found=f"a count of {count}")
    marks: list[int] = []
    mark = marks.append
    with suppress(struct.error):  # a length that leads out of the data, found again below
        for _ in range(count):
            mark(at)
            at += 4 + size_at(data, at)[0]
    places = np.array(marks, np.int64)
    after = np.append(places[1:], at)
    broken = (after < places + 4) | (after > end)
    if broken.any():
        item = int(np.argmax(broken))
        at = marks[item]
        found = f"a length of {size_at(data, at)[0]}" if at + 4 <= end else "the end of the block"
        raise CorruptFileError(f"{where}, record {item}", expected=f"a record in {end - at} bytes", found=found)
    if at != end:
        raise CorruptFileError(
            where, expected=f"the end of the block after {count} records", found=f"{end - at} more bytes"
        )
    return places + 4, after - places - 4


def _walk_from_many(data: NDArray[np.uint8], begin: int, count: int) -> NDArray[np.int64] | None:
    """Where the length of each item stands; None when the guesses were too bad, or the chain is broken."""
    marks, whole = walk(lambda at: _hop(data, at), _guesses(data, begin, count), len(data), MOST_HOPS)
    return marks if whole else None


def _hop(data: NDArray[np.uint8], at: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the items after those at `at` stand; behind the end of the data for those that cannot be."""
    size = windows(data, np.minimum(at, len(data) - 4), 4).view(">u4").reshape(-1)
    after: NDArray[np.int64] = size.astype(np.int64)  # a negative size is a large one, and leads as far away
    after += at
    after += 4
    return after


def _guesses(data: NDArray[np.uint8], begin: int, count: int) -> NDArray[np.int64]:
    """The first item, and in ascending order a likely item somewhere behind each cut, where there is one."""
    total = len(data) - begin
    typical = total // count + 1
    reach, walks = min(2 * typical, total // 4), count // ITEMS_A_WALK
    cuts = begin + (total - reach - 4) * np.arange(1, walks) // walks
    near = windows(data, cuts, reach + 1)
    # the two high bytes of a length are zero
    guess = at = (cuts[:, np.newaxis] + np.arange(reach))[(near[:, :-1] | near[:, 1:]) == 0]
    for _ in range(HOPS_TO_TRUST):
        after = _hop(data, at)
        size = after - at
        likely = (size > typical // 8) & (size < typical * 8)
        guess, at = guess[likely], after[likely]
    first = np.unique(np.searchsorted(cuts, guess, side="right"), return_index=True)[1]
    return np.unique(np.append(begin, guess[first]))
