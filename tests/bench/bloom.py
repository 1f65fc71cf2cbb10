"""A bloom filter of Hudi's default shape, full, asked for a million keys shaped as UUIDs: all absent, or all present.

Hashing the keys is part of the work. The peer does the same key by key in Python: it hashes until a bit is not set. It is given
one key in a thousand.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import string_list, take_strings
from hudi_core.formats.bloom import BloomFilter, HashedKeys
from hudi_core.formats.bloom_write import FilterKind, FilterSettings, build_bloom_filter
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
    return build_bloom_filter(keys(seed, settings.entries), settings)


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


def pair(case: str, peer: str) -> Pair:
    """The measurement of a case."""
    if peer != "python-loop" or case not in ("probe_miss_1m", "probe_hit_1m"):
        raise Unbuilt("no measurement of this case")
    full = filter_of(1)
    # a filter holds 60,000 keys: those that are present are asked for again and again
    held = keys(1, FilterSettings().entries)
    asked = (
        keys(2, COUNT) if case == "probe_miss_1m" else take_strings(held, np.arange(COUNT) % (len(held.offsets) - 1))
    )
    some = [key.encode() for key in string_list(take_strings(asked, np.arange(0, COUNT, PART)))]
    bits = full.rows[0].tobytes()

    def ours() -> object:
        return full.may_contain(HashedKeys(asked))

    def loop() -> object:
        return [may_contain(bits, full.bits, full.hashes, key) for key in some]

    def agree(mine: object, theirs: object) -> None:
        assert isinstance(mine, np.ndarray)
        assert mine[::PART].tolist() == theirs

    return Pair(ours, loop, agree, part=1 / PART)
