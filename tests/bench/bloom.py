"""A bloom filter of Hudi's default shape, full, asked for a million keys shaped as UUIDs: all absent, or all present.

Hashing the keys is part of the work. The peer does the same key by key in Python: it hashes until a bit is not set. It is given
one key in a thousand; the answers to all keys are compared with those of the same arithmetic on arrays, and so are the peer's.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import string_list, take_strings
from hudi_core.formats.bloom import BloomFilter, HashedKeys, parse_bloom_filter
from hudi_core.formats.bloom_write import FilterKind, FilterSettings, encode_bloom_filter
from tests.bench.timing import Pair, Unbuilt

COUNT = 1_000_000
PART = 1_000
_WIDTH = 36
_FACTOR, _MASK = 0x5BD1E995, 0xFFFFFFFF


@cache
def keys(seed: int, count: int) -> StringColumn:
    """Texts shaped as UUIDs."""
    random = np.random.default_rng(seed)
    letters = np.frombuffer(b"0123456789abcdef", np.uint8)[random.integers(0, 16, (count, _WIDTH))]
    letters[:, [8, 13, 18, 23]] = ord("-")
    return StringColumn(np.arange(count + 1, dtype=np.int64) * _WIDTH, letters.reshape(-1))


@cache
def filter_of(seed: int) -> BloomFilter:
    """A filter of Hudi's default settings that holds as many keys as it is made for."""
    settings = FilterSettings(FilterKind.SIMPLE)
    return parse_bloom_filter(encode_bloom_filter(keys(seed, settings.entries), settings), "filter")


def murmur(key: bytes, seed: int) -> int:
    """Murmur2 as Hadoop has it, in Python; signed. The keys' length is a multiple of four."""
    found = seed ^ len(key)
    for at in range(0, len(key), 4):
        word = int.from_bytes(key[at : at + 4], "little") * _FACTOR & _MASK
        word = (word ^ word >> 24) * _FACTOR & _MASK
        found = (found * _FACTOR & _MASK) ^ word
    found = (found ^ found >> 13) * _FACTOR & _MASK
    found ^= found >> 15
    return found - (1 << 32) if found >> 31 else found


def may_contain(bits: bytes, count: int, hashes: int, key: bytes) -> bool:
    """One key, one bit after the other."""
    found = 0
    for _ in range(hashes):
        found = murmur(key, found & _MASK)
        place = abs(found) % count
        if not bits[place >> 3] >> (place & 7) & 1:
            return False
    return True


def murmur_of_all(words: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    """`murmur` of keys of equal length, a row of little-endian words each, with a seed each."""
    factor = np.uint32(_FACTOR)
    found = seeds ^ np.uint32(words.shape[1] * 4)
    for column in words.T:
        word = column * factor
        found = (found * factor) ^ ((word ^ word >> np.uint32(24)) * factor)
    found = (found ^ found >> np.uint32(13)) * factor
    return (found ^ found >> np.uint32(15)).view(np.int32)


def all_answers(bits: bytes, count: int, hashes: int, requested: StringColumn) -> np.ndarray:
    """`may_contain` of every key."""
    words = np.ascontiguousarray(requested.data).reshape(-1, _WIDTH).view("<u4")
    flags = np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")
    held = np.ones(len(words), np.bool_)
    found = np.zeros(len(words), np.int32)
    for _ in range(hashes):
        found = murmur_of_all(words, found.view(np.uint32))
        held &= flags[np.abs(found.astype(np.int64)) % count] == 1
    return held


def pair(case: str, peer: str) -> Pair:
    """The measurement of a case."""
    if peer != "python-loop" or case not in ("probe_miss_1m", "probe_hit_1m"):
        raise Unbuilt("no measurement of this case")
    full = filter_of(1)
    # a filter holds 60,000 keys: those that are present are asked for again and again
    held = keys(1, FilterSettings().entries)
    requested = (
        keys(2, COUNT) if case == "probe_miss_1m" else take_strings(held, np.arange(COUNT) % (len(held.offsets) - 1))
    )
    some = [key.encode() for key in string_list(take_strings(requested, np.arange(0, COUNT, PART)))]
    bits = full.rows[0].tobytes()

    def ours() -> object:
        return full.may_contain(HashedKeys(requested))

    def loop() -> object:
        return [may_contain(bits, full.bits, full.hashes, key) for key in some]

    def agree(mine: object, theirs: object) -> None:
        expected = all_answers(bits, full.bits, full.hashes, requested)
        assert isinstance(mine, np.ndarray)
        assert np.array_equal(mine, expected), f"{np.count_nonzero(mine != expected)} answers differ"
        assert theirs == expected[::PART].tolist(), "the peer's answers differ"

    return Pair(ours, loop, agree, part=1 / PART)
