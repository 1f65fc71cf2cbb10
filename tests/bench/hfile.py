"""Keys looked up in an HFile of a million, against reading it whole and taking them from it.

The keys are shaped as the record index of a table that grows has them: they begin with the time of their record. Blocks are
those of Apache Hudi's writer, 1 MB uncompressed and inflated as a whole, so that a lookup costs what its blocks do.

lookup_20_uniform_of_1m   20 keys spread over all of the file: each has a block of its own
lookup_1k_late_of_1m      one in twenty of the latest 20,000 keys, as an upsert of late changes needs them
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.string_index import index_strings
from hudi_core.columns.strings import take_strings
from hudi_core.formats.hfile.cells import Cells, keys_of
from hudi_core.formats.hfile.file import HFile
from hudi_core.formats.random_access import InMemoryFile
from tests.bench.timing import Pair, Unbuilt
from tests.support.hfiles import GZ, Shape, build

COUNT, LATE = 1_000_000, 20_000
_KEYS = {"lookup_20_uniform_of_1m": 20, "lookup_1k_late_of_1m": 1_000}
_BLOCK = 1 << 20
_SCHEMA = b'"bytes"'


@cache
def hfile() -> bytes:
    """A million keys of 36 bytes in order, with values as long as those of the record index."""
    random = np.random.default_rng(5)
    times = np.sort(random.integers(0, 1 << 40, COUNT)).tolist()
    rest = random.bytes(16 * COUNT)
    cells = []
    for number, time in enumerate(times):
        key = f"{time:012x}-{rest[16 * number : 16 * number + 12].hex()[:23]}".encode()
        cells.append((key, b"\x0e\x06p07" + rest[16 * number : 16 * number + 16] + struct.pack(">q", number)))
    return build(sorted(cells), Shape(block_size=_BLOCK, codec=GZ, info={b"schema": _SCHEMA}))


def wanted_rows(case: str) -> NDArray[np.int64]:
    """The numbers of the keys to look up, in any order."""
    draw = np.random.default_rng(6)
    if case == "lookup_1k_late_of_1m":
        return COUNT - LATE + draw.permutation(LATE)[: _KEYS[case]]
    return draw.permutation(COUNT)[: _KEYS[case]]


def lookup(wanted: StringColumn) -> list[bytes]:
    """The values of the keys, by the blocks that have them."""
    return _values(wanted, (read() for read in HFile(InMemoryFile(hfile(), "made")).pieces_for(wanted)))


def scan(wanted: StringColumn) -> list[bytes]:
    """All of the file read, and the values taken from it."""
    return _values(wanted, [HFile(InMemoryFile(hfile(), "made")).cells()])


def _values(wanted: StringColumn, pieces: Iterable[Cells]) -> list[bytes]:
    """By the number of the key."""
    index, values = index_strings(wanted), [b""] * (len(wanted.offsets) - 1)
    for cells in pieces:
        numbers = index.find(keys_of(cells))
        for row in np.flatnonzero(numbers >= 0).tolist():
            start, size = int(cells.value_offsets[row]), int(cells.value_lengths[row])
            values[numbers[row]] = cells.data[start : start + size].tobytes()
    return values


def pair(case: str, peer: str) -> Pair:
    """The measurement of a case."""
    if peer != "scan" or case not in _KEYS:
        raise Unbuilt("no measurement of this case")
    rows = wanted_rows(case)
    wanted = take_strings(keys_of(HFile(InMemoryFile(hfile(), "made")).cells()), rows)

    def check(ours: list[bytes], theirs: list[bytes]) -> None:
        assert ours == theirs
        assert all(ours), "a key is not there"

    return Pair(lambda: lookup(wanted), lambda: scan(wanted), check, 1.0)
