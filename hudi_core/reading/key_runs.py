"""Record keys in files, divided by their hashes: which of two large sets of keys are the same, without an index of all.

Keys come in runs. In the files each run has the keys of one share next to each other, so that one share of all runs is read at a
time. Equal keys are in one share.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from hudi_core.arrays import Numbers, Words64
from hudi_core.columns.nodes import StringColumn, length
from hudi_core.columns.string_index import hash_strings
from hudi_core.columns.strings import take_strings
from hudi_core.reading.array_files import ArrayFile, ScratchFolder

_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)
"""Spreads hashes once more: an index of one share goes by their top bits, which may not be the same in all of it."""


class KeyRuns:
    """Keys with the numbers of their rows, in `1 << bits` shares."""

    def __init__(self, folder: ScratchFolder, name: str, bits: int) -> None:
        self._bits = bits
        self._texts = ArrayFile(folder, f"{name}.texts", np.uint8)
        self._lengths = ArrayFile(folder, f"{name}.lengths", np.int32)
        self._numbers = ArrayFile(folder, f"{name}.numbers", np.int64)
        self._rows: list[Numbers] = []
        """For each run where the rows of its shares begin, and where the last of them ends."""
        self._bytes: list[Numbers] = []
        """As the rows, the bytes."""

    @property
    def count(self) -> int:
        """How many keys there are."""
        return self._numbers.rows

    def add(self, keys: StringColumn) -> None:
        """Adds a run. Its rows are numbered on."""
        first = self.count
        shares = self._shares(keys)
        order = np.argsort(shares, kind="stable")
        texts = take_strings(keys, order)
        begins = np.searchsorted(shares[order], np.arange((1 << self._bits) + 1))
        self._rows.append(begins + first)
        self._bytes.append(texts.offsets[begins] - texts.offsets[0] + self._texts.rows)
        self._texts.add(texts.data[texts.offsets[0] : texts.offsets[-1]])
        self._lengths.add(np.diff(texts.offsets))
        self._numbers.add(order + first)

    def share(self, number: int) -> Iterator[tuple[StringColumn, Numbers]]:
        """The keys of one share with the numbers of their rows, run by run: those of a run ascend."""
        for rows, places in zip(self._rows, self._bytes, strict=True):
            begin, end = rows[number : number + 2].tolist()
            if end > begin:
                offsets = np.zeros(end - begin + 1, np.int64)
                np.cumsum(self._lengths.read(begin, end), out=offsets[1:])
                texts = self._texts.read(*places[number : number + 2].tolist())
                yield StringColumn(offsets, texts), self._numbers.read(begin, end)

    def _shares(self, keys: StringColumn) -> Words64:
        if not self._bits or not length(keys):
            return np.zeros(length(keys), np.uint64)
        return (hash_strings(keys) * _SPREAD) >> np.uint64(64 - self._bits)
