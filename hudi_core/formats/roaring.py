"""Roaring bitmaps of 64 bits in their portable form, as log blocks name positions of records. Rule LOG-13."""

from __future__ import annotations

import binascii
from collections.abc import Iterator

import numpy as np
import pybase64

from hudi_core.arrays import Numbers, Octets
from hudi_core.errors import CorruptFileError

_NO_RUNS, _WITH_RUNS = 12346, 12347
_ARRAY_AT_MOST = 4096
_BITMAP_BYTES = 8192
_OFFSETS_FROM = 4
"""Containers from which on a bitmap with runs has offsets."""
_HIGHEST = (1 << 31) - 1
"""The greatest high half of a position, which is never negative."""


def read_positions(text: str, where: str, max_count: int) -> Numbers:
    """The members of a bitmap written in base64, ascending; there are at most so many. Raises `CorruptFileError` with `where`.

    Memory goes with the bytes and with `max_count`, whatever the bytes claim.
    """
    try:
        data = pybase64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise CorruptFileError(where, expected="positions in base64", found=f"{text[:20]!r}") from None
    reader = _Reader(data, where, max_count)
    parts = []
    for _ in range(reader.integer(8)):
        high_bits = reader.integer(4)
        if high_bits > _HIGHEST:
            raise CorruptFileError(where, expected="positions of 63 bits", found=f"high bits {high_bits:#x}")
        parts += [members + (high_bits << 32 | key << 16) for key, members in reader.containers()]
    if reader.offset != len(data):
        raise CorruptFileError(
            where, expected="the end of the positions", found=f"{len(data) - reader.offset} more bytes"
        )
    members = np.concatenate(parts) if parts else np.empty(0, np.int64)
    if len(members) and ((members[1:] <= members[:-1]).any() or members[0] < 0):
        raise CorruptFileError(where, expected="positions in ascending order", found="others")
    return members


def encode_positions(members: Numbers) -> str:
    """A bitmap of these members, which ascend and are not negative, in base64: containers of arrays or of bits."""
    highs, starts = np.unique(members >> 32, return_index=True)
    parts = [len(highs).to_bytes(8, "little")]
    for high, low in zip(highs.tolist(), np.split(members & 0xFFFFFFFF, starts[1:]), strict=False):
        parts += [high.to_bytes(4, "little"), _bitmap(low)]
    return pybase64.b64encode(b"".join(parts)).decode("ascii")


def _bitmap(members: Numbers) -> bytes:
    keys, starts = np.unique(members >> 16, return_index=True)
    containers = [_container(low) for low in np.split(members & 0xFFFF, starts[1:])]
    counts = np.diff(np.append(starts, len(members)))
    sizes = np.array([len(container) for container in containers], np.int64)
    header = np.stack([keys, counts - 1], axis=1).astype("<u2").tobytes()
    first = 8 + len(header) + 4 * len(containers)
    offsets = (first + np.cumsum(sizes) - sizes).astype("<u4").tobytes()
    cookie = np.array([_NO_RUNS, len(containers)], "<u4").tobytes()
    return b"".join([cookie, header, offsets, *containers])


def _container(low: Numbers) -> bytes:
    if len(low) <= _ARRAY_AT_MOST:
        return low.astype("<u2").tobytes()
    bits = np.zeros(1 << 16, np.uint8)
    bits[low] = 1
    return np.packbits(bits, bitorder="little").tobytes()


class _Reader:
    def __init__(self, data: bytes, where: str, max_count: int) -> None:
        self.data, self.where, self.room, self.offset = data, where, max_count, 0

    def integer(self, width: int) -> int:
        return int.from_bytes(self._bytes(width), "little")

    def containers(self) -> Iterator[tuple[int, Numbers]]:
        """Each container's key, the high 16 bits of its members, and their low bits."""
        cookie = self.integer(4)
        runs = np.zeros(0, np.uint8)
        if cookie & 0xFFFF == _WITH_RUNS:
            count = (cookie >> 16) + 1
            runs = self._bits((count + 7) // 8)
        elif cookie == _NO_RUNS:
            count = self.integer(4)
        else:
            raise CorruptFileError(self.where, expected="a roaring bitmap", found=f"cookie {cookie}")
        headers = self._shorts(2 * count).reshape(-1, 2).tolist()
        if not len(runs) or count >= _OFFSETS_FROM:
            self._bytes(4 * count)
        for index, (key, last) in enumerate(headers):
            if len(runs) and runs[index]:
                yield key, self._runs()
            elif last + 1 > _ARRAY_AT_MOST:
                members = np.flatnonzero(self._bits(_BITMAP_BYTES))
                self._take(len(members))
                yield key, members
            else:
                self._take(last + 1)
                yield key, self._shorts(last + 1)

    def _runs(self) -> Numbers:
        pairs = self._shorts(2 * self.integer(2)).reshape(-1, 2)
        lengths = pairs[:, 1] + 1
        ends = np.cumsum(lengths)
        count = int(ends[-1]) if len(ends) else 0
        self._take(count)
        return np.repeat(pairs[:, 0] - (ends - lengths), lengths) + np.arange(count)

    def _take(self, count: int) -> None:
        """Counts members before they are made."""
        self.room -= count
        if self.room < 0:
            raise CorruptFileError(self.where, expected="at most as many positions as records", found="more")

    def _shorts(self, count: int) -> Numbers:
        return np.frombuffer(self._bytes(2 * count), "<u2").astype(np.int64)

    def _bits(self, count: int) -> Octets:
        """The bits of so many bytes, lowest first."""
        return np.unpackbits(np.frombuffer(self._bytes(count), np.uint8), bitorder="little")

    def _bytes(self, count: int) -> bytes:
        if self.offset + count > len(self.data):
            raise CorruptFileError(
                self.where, expected=f"{count} more bytes of positions", found=f"{len(self.data) - self.offset}"
            )
        self.offset += count
        return self.data[self.offset - count : self.offset]
