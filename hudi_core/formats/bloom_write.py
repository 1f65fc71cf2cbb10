"""Bloom filters of record keys, written bit for bit as Apache Hudi writes them. Rules FORMAT-26, FORMAT-27,
FORMAT-1042, FORMAT-1420."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
import pybase64

from hudi_core.arrays import Numbers, Octets
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import take_strings
from hudi_core.errors import UsageError
from hudi_core.formats.bloom import GROWTH, HEADER, MAX_HASHES, MURMUR, VERSION, parse_bloom_filter, positions

_KEYS_AT_ONCE = 1 << 16
"""Keys whose positions are in memory at once."""
_MAX_BITS = (1 << 31) - 1
_MOST_KEYS = 1.1
"""The keys that a filter takes beyond those that it was made for: with a tenth more, one that lets one absent key in a million
pass lets three pass."""


class FilterKind(StrEnum):
    """How a filter takes more keys than it was made for."""

    SIMPLE = "SIMPLE"
    """It fills up."""
    DYNAMIC_V0 = "DYNAMIC_V0"
    """Rows are added until they hold `most` keys; further keys go to the rows in turn."""


KIND_IN_FILES: Final = FilterKind.DYNAMIC_V0
"""The kind of filters in data files. A writer of Apache Hudi that builds `bloom_filters` does not read which kind a file states:
it takes the filters of all files for the kind that its own have."""


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
    most_hashes: int = MAX_HASHES
    """Hashes of a key at most. With fewer than Hudi's a row has more bits for the same rate. Rule FORMAT-1420."""

    @property
    def shape(self) -> tuple[int, int]:
        """Bits of a row, and hashes of a key. Raises `UsageError` for settings that give no bit or no hash."""
        settings = f"a rate of {self.rate} for {self.entries} keys"
        if not 0 < self.rate < 1 or self.entries < 1:
            raise UsageError("bloom filter", expected="a rate between 0 and 1, and a key or more", found=settings)
        bits = math.ceil(self.entries * (-math.log(self.rate) / (math.log(2) * math.log(2))))
        hashes = math.ceil(math.log(2) * bits / self.entries)
        if hashes > self.most_hashes > 0:
            hashes = self.most_hashes
            bits = math.ceil(-hashes * self.entries / math.log1p(-(self.rate ** (1 / hashes))))
        if bits > _MAX_BITS or hashes > MAX_HASHES:
            raise UsageError("bloom filter", expected=f"at most {_MAX_BITS} bits", found=settings)
        return bits, hashes


class BloomFilterWriter:
    """A filter that keys are put into as they come. Memory holds its bits, a byte for each."""

    def __init__(self, settings: FilterSettings) -> None:
        self.settings, self.count = settings, 0
        self.bits, self.hashes = settings.shape
        self._rows = np.zeros((1, self.bits), np.bool_)

    def add(self, keys: StringColumn) -> None:
        """Puts keys in. Keys that come twice count twice. Raises `UsageError` for an empty key, which Hudi's filters do not
        take."""
        count = len(keys.offsets) - 1
        if (keys.offsets[1:] == keys.offsets[:-1]).any():
            raise UsageError("bloom filter", expected="keys that are not empty", found="an empty one")
        rows = None if self._has_room(count) else _rows(self.count, count, self.settings)
        missing = 0 if rows is None else int(rows.max(initial=0)) + 1 - len(self._rows)
        if missing > 0:
            self._rows = np.concatenate([self._rows, np.zeros((missing, self.bits), np.bool_)])
        flat = self._rows.reshape(-1)
        for start in range(0, count, _KEYS_AT_ONCE):
            # A filter whose bits are all set stays as it is.
            if (start or self.count) and self._rows.all():
                break
            chosen = slice(start, min(start + _KEYS_AT_ONCE, count))
            begins = np.int64(0) if rows is None else rows[chosen] * self.bits
            for places in positions(take_strings(keys, chosen), self.bits, self.hashes):
                flat[places + begins] = True
        self.count += count

    def _has_room(self, count: int) -> bool:
        """Whether so many more keys go to the first row."""
        return self.settings.kind is FilterKind.SIMPLE or self.count + count <= self.settings.entries

    def encode(self) -> bytes:
        """The base64 form of the filter."""
        filled, settings = self.pack(), self.settings
        header = HEADER.pack(VERSION, self.hashes, MURMUR, self.bits)
        if settings.kind is FilterKind.SIMPLE:
            return pybase64.b64encode(header + filled[0].tobytes())
        # Keys that go to the rows in turn are counted for the last one.
        in_last = self.count - (len(filled) - 1) * settings.entries
        parts = [header, GROWTH.pack(settings.entries, in_last, len(filled))]
        for row in filled:
            parts += [header, row.tobytes()]
        return pybase64.b64encode(b"".join(parts))

    def pack(self) -> Octets:
        """The bits of each row, eight to a byte."""
        return np.packbits(self._rows, axis=1, bitorder="little")


def encode_bloom_filter(keys: StringColumn, settings: FilterSettings) -> bytes:
    """The base64 form of a filter that keys were put into one after the other. Raises as `BloomFilterWriter.add`."""
    writer = BloomFilterWriter(settings)
    writer.add(keys)
    return writer.encode()


def extend_bloom_filter(encoded: bytes, keys: StringColumn, where: str) -> bytes | None:
    """A filter with more keys. None for one that is not of one row of a dynamic filter, or was made for so few keys that with
    these it would let several times as many absent ones pass. Raises as `parse_bloom_filter`. Rule FORMAT-1185."""
    old, data = parse_bloom_filter(encoded, where), pybase64.b64decode(encoded)
    if len(old.rows) != 1 or len(data) == HEADER.size + old.rows.shape[1]:
        return None
    entries, count, _ = GROWTH.unpack_from(data, HEADER.size)
    added = len(keys.offsets) - 1
    count += added
    if not entries > 0 or count > entries * _MOST_KEYS:
        return None
    if not added:
        return encoded
    bits = np.unpackbits(old.rows[0], bitorder="little").view(np.bool_)
    for places in positions(keys, old.bits, old.hashes):
        bits[places.astype(np.int64)] = True
    header = HEADER.pack(VERSION, old.hashes, MURMUR, old.bits)
    row = np.packbits(bits, bitorder="little").tobytes()
    return pybase64.b64encode(b"".join([header, GROWTH.pack(entries, count, 1), header, row]))


def _rows(first: int, count: int, settings: FilterSettings) -> Numbers:
    """The row of a dynamic filter that each of so many keys goes to, of which the first has this number."""
    numbers = np.arange(first, first + count, dtype=np.int64)
    rows = max(1, -(-settings.max_entries // settings.entries))
    late = numbers - rows * settings.entries
    # the first key beyond all rows goes to the first of them, and does not move the turn on
    return np.where(late < 0, numbers // settings.entries, np.maximum(late - 1, 0) % rows)
