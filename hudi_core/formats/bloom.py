"""Bloom filters of record keys: read from their text, and asked for many keys at once. Rules FORMAT-23 to FORMAT-25."""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hudi_core.errors import CorruptFileError, UnsupportedError

Hashes = NDArray[np.uint32]
Octets = NDArray[np.uint8]

_HEADER = struct.Struct(">iibi")  # version, hashes for each key, kind of hash, bits
_GROWTH = struct.Struct(">iii")  # keys for each row, keys in the last row, rows
_VERSION = -1
_MURMUR = 1
_FACTOR = np.uint32(0x5BD1E995)
_WORD = 4


@dataclass(frozen=True, slots=True, eq=False)
class BloomFilter:
    """A filter: a key may be in it when, in one of its rows, all bits at the key's positions are set."""

    rows: Octets
    """Shape (rows, bytes); bit i is bit i % 8, counted from the least, of byte i // 8."""
    bits: int
    hashes: int

    def may_contain(self, keys: Keys) -> NDArray[np.bool_]:
        """For each key whether it may be in the filter; when not, it is certainly not."""
        positions = keys.positions(self.bits, self.hashes)
        found = (self.rows[:, positions >> 3] >> (positions & 7).astype(np.uint8)) & np.uint8(1)
        may: NDArray[np.bool_] = np.logical_or.reduce(np.logical_and.reduce(found, axis=1), axis=0)
        return may


@dataclass(frozen=True, slots=True, eq=False)
class Keys:
    """Record keys to be looked for in many filters; their positions are calculated once for filters of one shape."""

    texts: Sequence[str]
    _positions: dict[tuple[int, int], NDArray[np.int64]] = field(default_factory=dict)

    def positions(self, bits: int, hashes: int) -> NDArray[np.int64]:
        """Shape (hashes, keys). The seed of each hash is the one before it."""
        found = self._positions.get((bits, hashes))
        if found is None:
            chain = hash_chain([text.encode("utf-8", "surrogatepass") for text in self.texts])
            rounds = [next(chain).view(np.int32).astype(np.int64) for _ in range(hashes)]
            found = np.abs(np.fmod(np.array(rounds, np.int64).reshape(hashes, len(self.texts)), bits))
            self._positions[bits, hashes] = found
        return found


def parse_bloom_filter(text: bytes, where: str) -> BloomFilter:
    """The filter that a base64 text says, as footers and `bloom_filters` hold it: of one row, or growing.

    Raises `CorruptFileError`, and `UnsupportedError` for the hashes of ancient writers; both name `where`.
    """
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise CorruptFileError(where, expected="a bloom filter in base64", found=f"{text[:20]!r}") from None
    bits, hashes = _shape(data, 0, where)
    size = -(-bits // 8)
    if len(data) == _HEADER.size + size:
        return BloomFilter(np.frombuffer(data, np.uint8, size, _HEADER.size).reshape(1, size), bits, hashes)
    begin = _HEADER.size + _GROWTH.size
    count = _GROWTH.unpack_from(data, _HEADER.size)[2] if len(data) >= begin else 0
    if count < 1 or len(data) != begin + count * (_HEADER.size + size):
        raise CorruptFileError(where, expected=f"rows of {bits} bits", found=f"{len(data)} bytes")
    if any(_shape(data, begin + row * (_HEADER.size + size), where) != (bits, hashes) for row in range(count)):
        raise CorruptFileError(where, expected="rows of one shape", found="several")
    rows = np.frombuffer(data, np.uint8, offset=begin).reshape(count, _HEADER.size + size)
    return BloomFilter(rows[:, _HEADER.size :], bits, hashes)


def _shape(data: bytes, at: int, where: str) -> tuple[int, int]:
    """Bits and hashes of a filter, or a row of one."""
    if len(data) < at + _HEADER.size:
        raise CorruptFileError(where, expected="the header of a bloom filter", found=f"{len(data) - at} bytes")
    version, hashes, kind, bits = _HEADER.unpack_from(data, at)
    if version > 0 or kind != _MURMUR:
        raise UnsupportedError(where, expected="a bloom filter with Murmur hashes", found="one with others")
    if version != _VERSION or hashes < 1 or bits < 1:
        raise CorruptFileError(
            where, expected="the header of a bloom filter", found=f"version {version}, {hashes} hashes, {bits} bits"
        )
    return bits, hashes


def hash_chain(keys: Sequence[bytes], seed: int = 0) -> Iterator[Hashes]:
    """The hashes of the keys, round after round without end; each round's seeds are the hashes of the round before.

    Murmur2 as Hadoop has it: the last one to three bytes count as signed, the last of them as the lowest.
    """
    lengths = np.array([len(key) for key in keys], np.int64)
    words, tails = _words(keys, lengths)
    whole = lengths // _WORD
    hashes = np.full(len(keys), seed & 0xFFFFFFFF, np.uint32)
    while True:
        hashes = hashes ^ lengths.astype(np.uint32)
        for at in range(words.shape[1]):
            hashes = np.where(at < whole, (hashes * _FACTOR) ^ words[:, at], hashes)
        hashes = np.where(lengths % _WORD > 0, (hashes ^ tails) * _FACTOR, hashes)
        hashes ^= hashes >> np.uint32(13)
        hashes *= _FACTOR
        hashes ^= hashes >> np.uint32(15)
        yield hashes


def _words(keys: Sequence[bytes], lengths: NDArray[np.int64]) -> tuple[Hashes, Hashes]:
    """The whole words of each key, mixed, and the rest of it as one word."""
    longest = int(lengths.max(initial=0)) // _WORD * _WORD + _WORD
    data = np.array([key.ljust(longest, b"\0") for key in keys], f"V{longest}").view(np.uint8).reshape(-1, longest)
    words = data.view("<u4").astype(np.uint32) * _FACTOR
    words ^= words >> np.uint32(24)
    words *= _FACTOR
    tails = np.zeros(len(keys), np.uint32)
    for back in range(1, _WORD):
        rows = np.flatnonzero(lengths % _WORD >= back)
        signed = data[rows, lengths[rows] - back].view(np.int8).astype(np.int32).view(np.uint32)
        tails[rows] ^= signed << np.uint32(8 * (back - 1))
    return words, tails
