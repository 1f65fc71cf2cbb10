"""Many cursors into one buffer, one a record, that read the same Avro field of all records at once.

A lane is one record. One NumPy call gathers the next byte of all lanes; where several bytes are wanted, it copies a window of
the next bytes of all lanes side by side, and they are read from there. What all lanes have in common costs nothing a lane:
bytes that every lane passes are added up in one number, and where the lanes agree on a byte it is read once.

Lanes only ever move forward, and lengths are never negative; so a lane that read past the end of its record can never come
back to it, and one comparison at the end of the records finds all such lanes. Until then such a lane reads bytes of its
neighbours, or hits the end of the buffer (`IndexError`, which the caller takes for damage as well).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Bools, Numbers, Octets, Offsets
from hudi_core.columns.spans import opaque, windows

WINDOW = 32
"""Bytes of each lane that are copied at once: more than the longest number has."""

LOOKS = 3
"""So many bytes are gathered one by one from where the lanes are before a window is opened for those behind."""

PADDING = WINDOW + 32
"""Bytes that must follow the last record in the buffer, because a window may open at the end of a record."""

Unsigned = NDArray[np.unsignedinteger[Any]]
Unsigneds = int | Unsigned
"""One number a lane, or the one number that all lanes have."""


_WORDS: dict[int, np.dtype[np.unsignedinteger[Any]]] = {4: np.dtype("<u4"), 8: np.dtype("<u8")}


class DamagedLane(Exception):
    """Some lane holds bytes that no value of its type has. Never leaves the decoder."""


class Lanes:
    """Cursors at `positions + shift`; each record ends at `ends`. `limit` is the most bytes that all values can have."""

    __slots__ = ("base", "data", "ends", "limit", "looks", "positions", "shift", "window")

    def __init__(self, data: Octets, positions: Offsets, ends: Offsets, limit: int, shift: int = 0) -> None:
        self.data, self.positions, self.ends, self.limit, self.shift = data, positions, ends, limit, shift
        self.window: Octets | None = None
        self.base = shift
        self.looks = 0

    def __len__(self) -> int:
        return len(self.positions)

    def cursors(self) -> Offsets:
        """Where each lane is in the buffer."""
        return self.positions + self.shift

    def select(self, rows: Numbers) -> Lanes:
        """Lanes of the given rows, at the same places."""
        return Lanes(self.data, self.positions.take(rows), self.ends.take(rows), self.limit, self.shift)

    def rejoin(self, rows: Numbers, other: Lanes) -> None:
        """Moves the given rows to where the lanes of `other`, once selected from them, have gone."""
        self.positions = self.positions.copy()
        self.positions[rows] = other.positions + (other.shift - self.shift)
        self._close()

    def check_ends(self) -> None:
        """Raises Damaged when a lane has passed the end of its record."""
        if (self.cursors() > self.ends).any():
            raise DamagedLane

    # -- bytes ---------------------------------------------------------------------------------------------------------

    def peek(self, ahead: int = 0) -> Octets:
        """The byte `ahead` of each lane. Not to be written to."""
        window = self.window
        if window is None or self.shift + ahead - self.base >= WINDOW:
            self.looks += 1
            if self.looks < LOOKS:
                return self.data[self.shift + ahead :].take(self.positions)
            window = self._open()
        return window[:, self.shift + ahead - self.base]

    def byte(self, ahead: int = 0) -> int | Octets:
        """The byte `ahead` of each lane; an int when all lanes agree on it. Not to be written to."""
        bytes_ahead = self.peek(ahead)
        first = int(bytes_ahead[0])
        equal = first == bytes_ahead[-1] and np.count_nonzero(bytes_ahead == first) == len(bytes_ahead)
        return first if equal else bytes_ahead

    def expect(self, size: int) -> Octets:
        """A window that shows the next `size` bytes of each lane."""
        if self.window is None or self.shift + size - self.base > WINDOW:
            return self._open()
        return self.window

    def word(self, size: int) -> Unsigned:
        """The next `size` bytes (4 or 8) of each lane as a little-endian number."""
        window = self.expect(size)
        return np.ndarray((len(self),), _WORDS[size], window, self.shift - self.base, (WINDOW,)).copy()

    def rows(self, size: int) -> Octets:
        """The next `size` bytes of each lane, as an array of shape (lanes, size)."""
        if not 0 < size <= WINDOW // 2:
            return windows(self.data, self.positions, size, self.shift)
        window = self.expect(size)
        seen = np.ndarray((len(self),), opaque(size), window, self.shift - self.base, (WINDOW,))
        return seen.copy().view(np.uint8).reshape(-1, size)

    def _open(self) -> Octets:
        self.base, self.looks = self.shift, 0
        self.window = windows(self.data, self.positions, WINDOW, self.base)
        return self.window

    def _close(self) -> None:
        """The lanes have moved by different numbers of bytes: what the window shows is no longer what follows."""
        self.window, self.looks = None, 0

    def skip(self, sizes: int | NDArray[Any]) -> None:
        """Each lane passes over its own number of bytes, or all over the same."""
        if isinstance(sizes, int):
            self.shift += sizes
        else:
            self.positions = self.positions + sizes
            self._close()

    def skip_where(self, live: Bools | None, size: int) -> None:
        """The live lanes (None: all) pass over `size` bytes."""
        self.skip(size if live is None else live * np.int64(size))

    # -- varints -------------------------------------------------------------------------------------------------------

    def read_unsigned(self, live: Bools | None = None) -> Unsigneds:
        """The next varint of each lane before zigzag, in the narrowest array that holds all; 0 and not moved where not live."""
        short = self._short_varint(live)
        if short is not None:
            return short
        for size in (4, 8):
            word, below, reach = self._see_varint(size, live)
            if reach >> (8 * size - 1) == 0:
                self._skip_varint(below, reach, live)
                return _pack(word, below, reach)
        return self._long_varint(word, below)

    def pass_varint(self, live: Bools | None = None) -> None:
        """As `unsigned`, when the number does not matter."""
        if self._short_varint(live) is not None:
            return
        _, below, reach = self._see_varint(4, live)
        if reach >> 31 == 0:
            self._skip_varint(below, reach, live)
        else:
            self.read_unsigned(live)

    def _short_varint(self, live: Bools | None) -> Unsigneds | None:
        """The next varint when all lanes have the same or all have one byte; None, and nobody moved, otherwise."""
        if live is None:
            first = self.byte()
            if isinstance(first, int):
                return self._common_varint(first)
            first = first.copy()
        else:
            first = self.peek() * live
        if np.maximum.reduce(first) >= 128:
            return None
        self.skip(1 if live is None else live.view(np.uint8))
        return first

    def _see_varint(self, size: int, live: Bools | None) -> tuple[Unsigned, Unsigned, int]:
        """The next `size` bytes, ones in the bits below each varint's end in them (none where not live), and all those ones."""
        word = self.word(size)
        below = _below_stop(word)
        if live is not None:
            below *= live
        return word, below, int(np.bitwise_or.reduce(below))

    def _common_varint(self, byte: int | Octets) -> int | None:
        """The next varint when all lanes agree on all its bytes, `byte` being the first."""
        value = size = 0
        while isinstance(byte, int):
            value |= (byte & 127) << 7 * size
            size += 1
            if byte < 128:
                if value >> 64:
                    raise DamagedLane
                self.shift += size
                return value
            if size == 10:
                raise DamagedLane
            byte = self.byte(size)
        return None

    def _long_varint(self, word: Unsigned, below: Unsigned) -> Unsigned:
        """As `unsigned`, where some number has more than eight bytes: the ninth holds bits 56 to 62, the tenth bit 63."""
        is_long = below == ~np.uint64(0)
        value = _pack(word, below, (1 << 64) - 1)
        window = self.expect(10)
        tail = np.ndarray((len(self),), "<u2", window, self.shift - self.base + 8, (WINDOW,)) * is_long
        more = (tail >> 7) & 1
        tenth = (tail >> 8) * more
        if np.maximum.reduce(tenth) > 1:
            raise DamagedLane
        ninth = (tail & 127).astype(np.uint64)
        ninth |= tenth.astype(np.uint64) << np.uint64(7)
        ninth <<= np.uint64(56)
        value |= ninth
        self.skip(_sizes(below) + is_long + more)
        return value

    def _skip_varint(self, below: Unsigned, reach: int, live: Bools | None) -> None:
        """Each lane passes over the varint that ends where its ones end; `reach` has the ones of the longest."""
        equal = live is None and int(np.bitwise_and.reduce(below)) == reach
        self.skip(reach.bit_length() // 8 + 1 if equal else _sizes(below))

    def read_signed(self, bits: int, live: Bools | None = None) -> NDArray[Any]:
        """The next int (`bits` 32) or long (64) of each lane; 0 and not moved where not live."""
        raw = self.read_unsigned(live)
        dtype = np.int32 if bits == 32 else np.int64
        if isinstance(raw, int):
            if raw >> bits:
                raise DamagedLane
            return np.full(len(self), (raw >> 1) ^ -(raw & 1), dtype)
        if bits == 32 and raw.itemsize > 4 and int(np.maximum.reduce(raw)) >> 32:
            raise DamagedLane
        value: Unsigned = raw.astype(np.uint32 if bits == 32 else np.uint64, copy=False)
        one = _BITS[value.itemsize].one
        sign = value & one
        np.negative(sign, out=sign)
        value >>= one
        value ^= sign
        return value.view(dtype)

    def naturals(self, maximum: int, live: Bools | None = None) -> Unsigneds:
        """The next int or long of each lane, which must be from 0 to `maximum`; 0 and not moved where not live."""
        raw = self.read_unsigned(live)
        if isinstance(raw, int):
            if raw & 1 or raw >> 1 > maximum:
                raise DamagedLane
            return raw >> 1
        if np.bitwise_or.reduce(raw) & 1 or np.maximum.reduce(raw) > 2 * maximum:
            raise DamagedLane
        raw >>= raw.dtype.type(1)
        return raw

    def spans(self, live: Bools | None = None) -> tuple[Offsets, int | Numbers]:
        """Where the bytes behind the next long of each lane begin, and how many they are; moves past them.

        No bytes, and not moved, where not live. All together they are no more than there can be.
        """
        sizes = self.naturals(self.limit, live)
        if isinstance(sizes, int):
            if sizes * len(self) > self.limit:
                raise DamagedLane
            starts = self.cursors()
            self.shift += sizes
            return starts, sizes
        if sizes.itemsize > 1 and int(sizes.sum(dtype=np.int64)) > self.limit:
            raise DamagedLane
        wide = sizes.astype(np.int64)
        starts = self.cursors()
        self.skip(wide)
        return starts, wide

    def live(self, null: int) -> bool | Bools:
        """Which lanes do not take the branch `null` of a union of two; a bool when all or none do. Moves past the branch."""
        branch = self.peek()
        live: Bools = branch == 2 - 2 * null
        count = int(np.count_nonzero(live))
        if count == len(self) or count + np.count_nonzero(branch == 2 * null) == len(self):
            self.shift += 1
            return live if 0 < count < len(self) else count > 0
        written_long = self.naturals(1)  # or no branch of two
        return written_long != null


@dataclass(frozen=True, slots=True)
class _Bits:
    """Constants of one word size, of that size: bit patterns of its bytes, and where the last byte begins."""

    one: Any
    tops: Any
    lows: Any
    payloads: Any
    last: Any
    packing: tuple[tuple[int, Any, Any, Any], ...]
    """For pairs, fours and eights of 7-bit groups: how far numbers must reach for it, the lower halves, the upper halves once
    moved, and by how many bits they move."""


def _bits(size: int) -> _Bits:
    kind = np.uint32 if size == 4 else np.uint64
    packing = []
    for unit in (1, 2, 4)[: size // 4 + 1]:
        half = (1 << 7 * unit) - 1
        lower_halves = sum(half << 16 * unit * i for i in range(size // (2 * unit)))
        packing.append(((1 << 8 * unit - 1) - 1, kind(lower_halves), kind(lower_halves << 7 * unit), kind(unit)))
    every = int.from_bytes(b"\x01" * size, "little")
    return _Bits(kind(1), kind(0x80 * every), kind(every), kind(0x7F * every), kind(8 * size - 8), tuple(packing))


_BITS = {4: _bits(4), 8: _bits(8)}


def _below_stop(word: Unsigned) -> Unsigned:
    """Ones in all bits below the top bit of the first byte whose top bit is clear; all ones when there is no such byte."""
    bits = _BITS[word.itemsize]
    stop = ~word
    stop &= bits.tops
    lowest = np.negative(stop)
    lowest &= stop
    lowest -= bits.one
    return lowest


def _sizes(below: Unsigned) -> Numbers:
    """Number of bytes that the ones reach into: one low bit a byte, all summed into the top byte by a multiplication."""
    bits = _BITS[below.itemsize]
    size = below & bits.lows
    size *= bits.lows
    size >>= bits.last
    sizes: Numbers = size.astype(np.int64)
    return sizes


def _pack(word: Unsigned, below: Unsigned, reach: int) -> Unsigned:
    """The 7-bit groups below the stop, one a byte, moved together: in pairs, then fours, then eights, as far as needed."""
    bits = _BITS[word.itemsize]
    word &= below
    word &= bits.payloads
    for enough, lower_halves, moved_high, shift in bits.packing:
        if reach > enough:
            upper = word >> shift
            upper &= moved_high
            word &= lower_halves
            word |= upper
    return word
