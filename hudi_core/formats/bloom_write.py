"""Bloom filters of record keys, written bit for bit as Apache Hudi writes them. Rules FORMAT-26, FORMAT-27."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import pybase64
from numpy.typing import NDArray

from hudi_core.columns.nodes import Bytes8, StringColumn
from hudi_core.columns.strings import take_strings
from hudi_core.errors import UsageError
from hudi_core.formats.bloom import GROWTH, HEADER, MAX_HASHES, MURMUR, VERSION, BloomFilter, positions

_KEYS_AT_ONCE = 1 << 14
"""Keys whose positions are in memory at once."""
_MAX_BITS = (1 << 31) - 1


class FilterKind(StrEnum):
    """How a filter takes more keys than it was made for."""

    SIMPLE = "SIMPLE"
    """It fills up."""
    DYNAMIC_V0 = "DYNAMIC_V0"
    """Rows are added until they hold `most` keys; further keys go to the rows in turn."""


@dataclass(frozen=True, slots=True)
class FilterSettings:
    """What filters a table's writer makes; the defaults are Hudi's."""

    kind: FilterKind = FilterKind.DYNAMIC_V0
    """`hoodie.bloom.index.filter.type`."""
    entries: int = 60_000
    """`hoodie.index.bloom.num_entries`: keys that a row is made for."""
    rate: float = 1e-9
    """`hoodie.index.bloom.fpp`: the share of absent keys that a row with so many keys lets pass."""
    max_entries: int = 100_000
    """`hoodie.bloom.index.filter.dynamic.max.entries`."""

    @property
    def shape(self) -> tuple[int, int]:
        """Bits of a row, and hashes of a key. Raises `UsageError` for settings that give no bit or no hash."""
        settings = f"a rate of {self.rate} for {self.entries} keys"
        if not 0 < self.rate < 1 or self.entries < 1:
            raise UsageError("bloom filter", expected="a rate between 0 and 1, and a key or more", found=settings)
        bits = math.ceil(self.entries * (-math.log(self.rate) / (math.log(2) * math.log(2))))
        hashes = math.ceil(math.log(2) * bits / self.entries)
        if bits > _MAX_BITS or hashes > MAX_HASHES:
            raise UsageError("bloom filter", expected=f"at most {_MAX_BITS} bits", found=settings)
        return bits, hashes


def encode_bloom_filter(keys: StringColumn, settings: FilterSettings) -> bytes:
    """The base64 form of a filter that keys were put into one after the other.

    Keys that come twice count twice. Raises `UsageError` for an empty key, which Hudi's filters do not take.
    """
    bits, hashes = settings.shape
    count = len(keys.offsets) - 1
    if count and not np.diff(keys.offsets).all():
        raise UsageError("bloom filter", expected="keys that are not empty", found="an empty one")
    rows = _rows(count, settings)
    filled = _filled(keys, rows, bits, hashes)
    header = HEADER.pack(VERSION, hashes, MURMUR, bits)
    if settings.kind is FilterKind.SIMPLE:
        return pybase64.b64encode(header + filled[0].tobytes())
    row_count = len(filled)
    in_last = (
        count - (row_count - 1) * settings.entries
    )  # keys that go to the rows in turn are counted for the last one
    parts = [header, GROWTH.pack(settings.entries, in_last, row_count)]
    for row in filled:
        parts += [header, row.tobytes()]
    return pybase64.b64encode(b"".join(parts))


def build_bloom_filter(keys: StringColumn, settings: FilterSettings) -> BloomFilter:
    """The filter itself, ready to be asked."""
    bits, hashes = settings.shape
    return BloomFilter(_filled(keys, _rows(len(keys.offsets) - 1, settings), bits, hashes), bits, hashes)


def _rows(count: int, settings: FilterSettings) -> NDArray[np.int64]:
    """The row that each key goes to."""
    numbers = np.arange(count, dtype=np.int64)
    if settings.kind is FilterKind.SIMPLE:
        return np.zeros(count, np.int64)
    rows = max(1, -(-settings.max_entries // settings.entries))
    late = numbers - rows * settings.entries
    # the first key beyond all rows goes to the first of them, and does not move the turn on
    return np.where(late < 0, numbers // settings.entries, np.maximum(late - 1, 0) % rows)


def _filled(keys: StringColumn, rows: NDArray[np.int64], bits: int, hashes: int) -> Bytes8:
    count = int(rows.max(initial=0)) + 1
    bits_of_rows = np.zeros((count, bits), np.bool_)
    for start in range(0, len(rows), _KEYS_AT_ONCE):
        chosen = slice(start, min(start + _KEYS_AT_ONCE, len(rows)))
        for places in _positions(keys, chosen, bits, hashes):
            bits_of_rows[rows[chosen], places] = True
    return np.packbits(bits_of_rows, axis=1, bitorder="little")


def _positions(keys: StringColumn, chosen: slice, bits: int, hashes: int) -> Iterator[NDArray[np.uint32]]:
    return positions(take_strings(keys, chosen), bits, hashes)
