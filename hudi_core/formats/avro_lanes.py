"""Many cursors into one buffer, one a record, that read the same Avro field of all records at once.

A lane is one record. What all lanes have in common costs nothing a lane: bytes passed by every lane are added up in one
number, and a byte is gathered for all lanes by one NumPy call. Each read looks first whether the lanes agree (all values
one byte long, all on one branch) and does the general work only when they do not.

Lanes only ever move forward, and lengths are never negative; so a lane that read past the end of its record can never come
back to it, and one comparison at the end of the records finds all such lanes. Until then such a lane reads bytes of its
neighbours, or hits the end of the buffer (`IndexError`, which the caller takes for damage as well).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.formats.columns import Bools, Bytes8, Offsets
from hudi_core.formats.spans import windows

PADDING = 32
"""Bytes that must follow the last record in the buffer: fixed-width reads may look past the value that they want."""

STOP = np.uint64(0x8080808080808080)
LOW_BITS = np.uint64(0x0101010101010101)
PAYLOAD = np.uint64(0x7F7F7F7F7F7F7F7F)

Unsigned = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint64]


class Damaged(Exception):
    """Some lane holds bytes that no value of its type has. Never leaves the decoder."""


class Lanes:
    """Cursors at `positions + shift`; each record ends at `ends`. `limit` is the most bytes that all values can have."""

    __slots__ = ("data", "ends", "limit", "positions", "shift")

    def __init__(self, data: Bytes8, positions: Offsets, ends: Offsets, limit: int, shift: int = 0) -> None:
        self.data, self.positions, self.ends, self.limit, self.shift = data, positions, ends, limit, shift

    def __len__(self) -> int:
        return len(self.positions)

    def here(self) -> Offsets:
        """Where each lane stands in the buffer."""
        return self.positions + self.shift

    def select(self, rows: NDArray[np.int64]) -> Lanes:
        """Lanes of the given rows, at the same places."""
        return Lanes(self.data, self.positions.take(rows), self.ends.take(rows), self.limit, self.shift)

    def rejoin(self, rows: NDArray[np.int64], other: Lanes) -> None:
        """Moves the given rows to where the lanes of `other`, once selected from them, have gone."""
        self.positions = self.positions.copy()
        self.positions[rows] = other.positions + (other.shift - self.shift)

    def check_ends(self) -> None:
        """Raises Damaged when a lane has passed the end of its record."""
        if (self.here() > self.ends).any():
            raise Damaged

    # -- bytes ---------------------------------------------------------------------------------------------------------

    def peek(self, ahead: int = 0) -> NDArray[np.uint8]:
        """The byte `ahead` of each lane."""
        return self.data[self.shift + ahead :].take(self.positions)

    def rows(self, size: int) -> Bytes8:
        """The next `size` bytes of each lane, as an array of shape (lanes, size)."""
        return windows(self.data, self.positions, size, self.shift)

    def skip(self, size: int) -> None:
        """All lanes pass over `size` bytes."""
        self.shift += size

    def step(self, sizes: NDArray[Any]) -> None:
        """Each lane passes over its own number of bytes."""
        self.positions = self.positions + sizes

    def step_where(self, live: Bools | None, size: int) -> None:
        """The live lanes (None: all) pass over `size` bytes."""
        if live is None:
            self.shift += size
        else:
            self.step(live * np.int64(size))

    # -- varints -------------------------------------------------------------------------------------------------------

    def unsigned(self, live: Bools | None = None) -> Unsigned:
        """The next varint of each lane before zigzag, in the narrowest array that holds all; 0 and not moved where not live."""
        first = self.peek()
        if live is not None:
            first *= live
        more = first >= 128
        if not more.any():
            self.step_where(live, 1)
            return first
        second = self.peek(1)
        second *= more
        if second.max() >= 128:
            return self._long_unsigned(live)
        self.step(more if live is None else more + live.view(np.uint8))
        self.shift += live is None
        wide = second.astype(np.uint16)
        wide <<= 7
        wide |= first & 127
        return wide

    def _long_unsigned(self, live: Bools | None) -> NDArray[np.uint64]:
        word = self.rows(8).view("<u8").reshape(-1)
        if live is not None:
            word *= live
        low = _below_stop(word)
        size = _bytes_of(low)
        reach = int(np.bitwise_or.reduce(low))
        word &= low
        word &= PAYLOAD
        value = _packed(word, reach)
        if reach == 0xFFFFFFFFFFFFFFFF:
            self._add_last_bytes(value, size, np.flatnonzero(low == np.uint64(reach)))
        sizes = size.view(np.int64)
        self.step(sizes if live is None else sizes * live)
        return value

    def _add_last_bytes(self, value: NDArray[np.uint64], size: NDArray[np.uint64], rows: NDArray[np.int64]) -> None:
        """Completes the varints of more than eight bytes: the ninth holds bits 56 to 62, the tenth bit 63."""
        tail = self.select(rows)
        ninth, tenth = tail.peek(8), tail.peek(9)
        more = ninth >= 128
        tenth *= more
        if tenth.max() > 1:
            raise Damaged
        value[rows] |= (ninth.astype(np.uint64) & np.uint64(127)) << np.uint64(56)
        value[rows] |= tenth.astype(np.uint64) << np.uint64(63)
        size[rows] += np.uint64(1) + more

    def signed(self, bits: int, live: Bools | None = None) -> NDArray[Any]:
        """The next int (`bits` 32) or long (64) of each lane; 0 and not moved where not live."""
        raw = self.unsigned(live)
        if bits == 32 and raw.dtype == np.uint64 and (raw >> np.uint64(32)).any():
            raise Damaged
        value: NDArray[Any] = (raw >> raw.dtype.type(1)).astype(np.int32 if bits == 32 else np.int64)
        raw &= raw.dtype.type(1)
        if raw.any():
            value ^= -(raw.astype(value.dtype))
        return value

    def counts(self, live: Bools | None = None) -> NDArray[np.int64]:
        """The next long of each lane as a count of bytes that cannot be more than there are."""
        raw = self.unsigned(live)
        if raw.dtype == np.uint64 and raw.max() > np.uint64(2 * self.limit):
            raise Damaged
        found = raw.astype(np.int64)
        if np.bitwise_or.reduce(raw) & raw.dtype.type(1):
            raise Damaged
        found >>= 1
        return found

    def ordinals(self, below: int, live: Bools | None = None) -> Unsigned:
        """The next int of each lane as a number from 0 to `below` exclusive: a branch of a union or a symbol of an enum."""
        raw = self.unsigned(live)
        if np.bitwise_or.reduce(raw) & raw.dtype.type(1):
            raise Damaged
        raw >>= raw.dtype.type(1)
        if raw.max() >= below:
            raise Damaged
        return raw

    def pass_varint(self, live: Bools | None = None) -> None:
        """Passes over the next varint of each lane; what it says does not matter."""
        more = self.peek() >= 128
        if live is not None:
            more &= live
        if not more.any():
            self.step_where(live, 1)
            return
        second = self.peek(1)
        second *= more
        if second.max() < 128:
            self.step(more if live is None else more + live.view(np.uint8))
            self.shift += live is None
            return
        self._long_unsigned(live)


def _below_stop(word: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Ones in all bits below the top bit of the first byte whose top bit is clear; all ones when there is no such byte."""
    stop = ~word
    stop &= STOP
    lowest = np.negative(stop)
    lowest &= stop
    lowest -= np.uint64(1)
    return lowest


def _bytes_of(low: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Number of bytes that the ones from below reach into: one low bit a byte, summed into the top byte by a multiplication."""
    size = low & LOW_BITS
    size *= LOW_BITS
    size >>= np.uint64(56)
    return size


def _packed(word: NDArray[np.uint64], reach: int) -> NDArray[np.uint64]:
    """The 7-bit groups, one a byte, moved together: first in pairs, then in fours, then all eight, as far as `reach` asks."""
    steps = ((0x7F, 0x007F007F007F007F, 1), (0x7FFF, 0x00003FFF00003FFF, 2), (0x7FFFFFFF, 0x000000000FFFFFFF, 4))
    for needed_above, keep, shift in steps:
        if reach > needed_above:
            moved = word >> np.uint64(shift)
            word &= np.uint64(keep)
            moved &= np.uint64(keep << (8 * shift - shift))
            word |= moved
    return word
