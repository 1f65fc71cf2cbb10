"""Bloom filters of record keys: read, and probed with whole columns of keys. Rules FORMAT-23, FORMAT-24, FORMAT-28."""

from __future__ import annotations

import binascii
import struct
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pybase64

from hudi_core.arrays import Bools, Numbers, Octets, Words32
from hudi_core.columns.murmur import BLOCK_ROWS, KeyBlock, hash_chain, key_block, key_block_of_rows
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import string_column
from hudi_core.errors import CorruptFileError, UnsupportedError

HEADER = struct.Struct(">iibi")  # version, hashes for each key, kind of hash, bits
GROWTH = struct.Struct(">iii")  # keys for each row, keys in the last row, rows
VERSION = -1
MURMUR = 1

SATURATED = 0.5
"""From this rate of false positives on, a filter is not worth probing."""

MAX_HASHES = 1100
"""The most bits that any rate of errors in a double requires."""

_WORD = 8
_TWOS, _FOURS, _EIGHTS, _BYTES = (np.uint64((2**64 - 1) // (2**bits + 1)) for bits in (1, 2, 4, 8))
"""Every other group of one, two, four and eight bits of a word."""

CACHED_ROUNDS = 6
"""Rounds of hashes that are kept for all keys: after so many, one absent key in sixty-four is left in a full filter."""


@dataclass(frozen=True, eq=False)
class BloomFilter:
    """A filter: a key may be in it when, in one of its rows, all bits at the key's positions are set."""

    rows: Octets
    """Shape (rows, bytes); bit i is bit i % 8, counted from the least, of byte i // 8."""
    bits: int
    hashes: int

    def may_contain(self, keys: HashedKeys, chosen: Numbers | slice | None = None, rounds: int = MAX_HASHES) -> Bools:
        """For each of the chosen keys (all of them for None) whether it may be in the filter; false is certain.

        No more than so many of the filter's hashes are examined.
        """
        passed = np.zeros(keys.count(chosen), np.bool_)
        rounds = min(self.hashes, rounds)
        for index, row in enumerate(self.rows):
            for start in range(0, len(passed), BLOCK_ROWS):
                stop = min(start + BLOCK_ROWS, len(passed))
                part, block_passed = keys.part(chosen, start, stop), passed[start:stop]
                if index == 0:
                    block_passed[self._passing(row, keys, part, rounds)] = True
                elif len(absent := np.flatnonzero(~block_passed)):
                    rows = absent + part.start if isinstance(part, slice) else part[absent]
                    block_passed[absent[self._passing(row, keys, rows, rounds)]] = True
        return passed

    def holds(self, hashes: Words32) -> bool:
        """Whether it may hold all of some keys, by as many rounds of their hashes as it has; shape (rounds, keys)."""
        held = np.zeros(hashes.shape[1], np.bool_)
        for row in self.rows:
            held |= _bits_set(row, hashes.reshape(-1), self.bits).reshape(hashes.shape).all(axis=0)
        return bool(held.all())

    def _passing(self, row: Octets, keys: HashedKeys, chosen: Numbers | slice, rounds: int) -> Numbers:
        """The places, among the chosen keys, of those that have all their bits set in the row."""
        count = keys.count(chosen)
        passing = np.arange(count)
        for round_index in range(min(rounds, CACHED_ROUNDS)):
            hashes = keys.round(round_index)[chosen]
            passed = _bits_set(row, hashes if len(passing) == count else hashes.take(passing), self.bits)
            if not passed.all():
                passing = passing.take(np.flatnonzero(passed))
            if not len(passing):
                return passing
        if rounds > CACHED_ROUNDS:
            if isinstance(chosen, slice) and len(passing) == count:
                passing = passing[self._probe_later_rounds(row, keys, chosen, rounds)]
            else:
                rows = passing + chosen.start if isinstance(chosen, slice) else chosen[passing]
                passing = passing[self._probe_later_rounds(row, keys, rows, rounds)]
        return passing

    def _probe_later_rounds(self, row: Octets, keys: HashedKeys, rows: Numbers | slice, rounds: int) -> Numbers:
        """Which of the keys in these rows have their bits of the later rounds set."""
        block = (
            key_block(keys.keys, rows.start, rows.stop)
            if isinstance(rows, slice)
            else key_block_of_rows(keys.keys, rows)
        )
        hashes = keys.round(CACHED_ROUNDS - 1)[rows]
        hashes = hashes.copy() if block.order is None else hashes[block.order]
        passing = np.ones(len(block), np.bool_)
        for round_index in range(CACHED_ROUNDS, rounds):
            block.stir(hashes)
            passing &= _bits_set(row, hashes, self.bits)
            if round_index % 2 and not passing.any():
                break
        return np.flatnonzero(passing) if block.order is None else np.sort(block.order[passing])

    @property
    def fill(self) -> float:
        """The share of bits that are set, of the fullest row."""
        return max(self._fills, default=0.0)

    @property
    def false_positives(self) -> float:
        """The share of absent keys that it does not rule out, as its bits stand."""
        return self.false_after(self.hashes)

    def false_after(self, rounds: int) -> float:
        """The share of absent keys that so many of its hashes do not rule out."""
        rate = 0.0  # small numbers keep their precision, which a difference from 1 loses
        for fill in self._fills:
            rate += (1.0 - rate) * fill ** min(rounds, self.hashes)
        return rate

    @property
    def saturated(self) -> bool:
        """It rules out too few keys to be useful."""
        return self.false_positives >= SATURATED

    @cached_property
    def _fills(self) -> list[float]:
        return [_ones(row) / self.bits for row in self.rows]


class KeySample:
    """Some keys, hashed for many filters together, in as many rounds as a filter needs. Safe in threads."""

    def __init__(self, keys: StringColumn) -> None:
        self._chain = hash_chain(keys)
        self._rounds: list[Words32] = []
        self._lock = threading.Lock()

    def hashes(self, rounds: int, keys: slice = slice(None)) -> Words32:
        """So many rounds of hashes of some of the keys, in shape (rounds, keys)."""
        with self._lock:
            while len(self._rounds) < rounds:
                self._rounds.append(next(self._chain))
        return np.stack([round_hashes[keys] for round_hashes in self._rounds[:rounds]])


class HashedKeys:
    """Record keys to be looked for in many filters. Each round of their hashes is made once, when a filter first needs it;
    it serves filters of all shapes.

    Safe in threads. Keys are not null.
    """

    def __init__(self, keys: StringColumn | Sequence[str]) -> None:
        self.keys = keys if isinstance(keys, StringColumn) else string_column(keys)
        self._rounds: list[Words32] = []

    def __len__(self) -> int:
        return len(self.keys.offsets) - 1

    def count(self, chosen: Numbers | slice | None) -> int:
        """The number of chosen keys."""
        return len(self) if chosen is None else chosen.stop - chosen.start if isinstance(chosen, slice) else len(chosen)

    def part(self, chosen: Numbers | slice | None, start: int, stop: int) -> Numbers | slice:
        """The keys from place `start` up to `stop` among the chosen keys."""
        if isinstance(chosen, np.ndarray):
            return chosen[start:stop]
        first = 0 if chosen is None else chosen.start
        return slice(first + start, first + stop)

    def round(self, index: int) -> Words32:
        """The hashes of one of the first rounds, for all keys."""
        if not self._rounds:
            self._rounds = self._first_rounds()
        return self._rounds[index]

    def _first_rounds(self) -> list[Words32]:
        rounds = [np.empty(len(self), np.uint32) for _ in range(CACHED_ROUNDS)]
        for start in range(0, len(self), BLOCK_ROWS):
            stop = min(start + BLOCK_ROWS, len(self))
            block: KeyBlock = key_block(self.keys, start, stop)
            hashes = np.zeros(stop - start, np.uint32)
            for round_hashes in rounds:
                block.stir(hashes)
                round_hashes[start:stop] = block.in_order(hashes)
        return rounds


def positions(keys: StringColumn, bits: int, hashes: int) -> Iterator[Words32]:
    """Where in a filter the bits of the keys are, a round at a time."""
    block = key_block(keys, 0, len(keys.offsets) - 1)
    seeds = np.zeros(len(block), np.uint32)
    for _ in range(hashes):
        block.stir(seeds)
        yield block.in_order(_remainders(seeds, bits))


def _remainders(hashes: Words32, bits: int) -> Words32:
    """|hash mod bits| of signed hashes. The quotient by one number is what NumPy makes fast; its remainder it is not."""
    remainders = np.abs(hashes.view(np.int32)).view(np.uint32)
    multiples = remainders // np.uint32(bits)
    multiples *= np.uint32(bits)
    remainders -= multiples
    return remainders


def _bits_set(row: Octets, hashes: Words32, bits: int) -> Bools:
    places = _remainders(hashes, bits)
    shifts = places.astype(np.uint8)
    shifts &= np.uint8(7)
    places >>= np.uint32(3)
    octets = row.take(places.astype(np.int64))
    octets >>= shifts
    octets &= np.uint8(1)
    return octets.view(np.bool_)


def _ones(row: Octets) -> int:
    """How many bits are set."""
    padded = np.zeros(-(-len(row) // _WORD) * _WORD, np.uint8)
    padded[: len(row)] = row
    # Groups of bits hold how many of their own are set, and neighbours are added to groups twice as wide.
    words = padded.view(np.uint64)
    for width, mask in ((1, _TWOS), (2, _FOURS), (4, _EIGHTS), (8, _BYTES)):
        above = words >> np.uint64(width)
        above &= mask
        words &= mask
        words += above
    return int(words.view(np.uint16).sum(dtype=np.int64))


def parse_bloom_filter(encoded: bytes, where: str) -> BloomFilter:
    """The filter in a base64 text, as footers and `bloom_filters` hold it: of one row, or growing.

    Raises `CorruptFileError`, and `UnsupportedError` for the hashes of ancient writers; both name `where`.
    """
    try:
        data = pybase64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        raise CorruptFileError(where, expected="a bloom filter in base64", found=f"{encoded[:20]!r}") from None
    bits, hashes = _parse_header(data, 0, where)
    size = -(-bits // 8)
    if len(data) == HEADER.size + size:
        return BloomFilter(np.frombuffer(data, np.uint8, size, HEADER.size).reshape(1, size), bits, hashes)
    start = HEADER.size + GROWTH.size
    count = GROWTH.unpack_from(data, HEADER.size)[2] if len(data) >= start else 0
    if count < 1 or len(data) != start + count * (HEADER.size + size):
        raise CorruptFileError(where, expected=f"rows of {bits} bits", found=f"{len(data)} bytes")
    if any(_parse_header(data, start + row * (HEADER.size + size), where) != (bits, hashes) for row in range(count)):
        raise CorruptFileError(where, expected="rows of one shape", found="several")
    rows = np.frombuffer(data, np.uint8, offset=start).reshape(count, HEADER.size + size)
    return BloomFilter(rows[:, HEADER.size :], bits, hashes)


def _parse_header(data: bytes, offset: int, where: str) -> tuple[int, int]:
    """Bits and hashes of a filter, or a row of one."""
    if len(data) < offset + HEADER.size:
        raise CorruptFileError(where, expected="the header of a bloom filter", found=f"{len(data) - offset} bytes")
    version, hashes, kind, bits = HEADER.unpack_from(data, offset)
    if version > 0 or kind != MURMUR:
        raise UnsupportedError(where, expected="a bloom filter with Murmur hashes", found="one with others")
    if version != VERSION or not 1 <= hashes <= MAX_HASHES or bits < 1:
        raise CorruptFileError(
            where, expected="the header of a bloom filter", found=f"version {version}, {hashes} hashes, {bits} bits"
        )
    return bits, hashes
