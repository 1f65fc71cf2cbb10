"""A thousand keys looked up in an HFile of a million, against reading it whole and taking them from it.

The keys are shaped as the record index of a table that grows has them: they begin with the time of their record. Those that are
looked up are of records written lately, one in twenty of the latest 20,000: what an upsert of late changes asks for. Blocks are
those of Apache Hudi's writer, 1 MB uncompressed and inflated as a whole, so that keys scattered over all of the file need
all of its blocks: a thousand of those are found 1.2 times faster than by reading it whole, no more. The number of blocks that
were read is checked.
"""

from __future__ import annotations

import struct
from functools import cache

import numpy as np

from hudi_core.formats.columns import Text
from hudi_core.formats.hfile.cells import Cells, keys_of
from hudi_core.formats.hfile.file import HFile
from hudi_core.formats.source import Bytes
from hudi_core.formats.text_columns import taken
from hudi_core.formats.text_match import index_texts
from tests.bench.timing import Missing, Pair
from tests.support.hfiles import GZ, Shape, build

COUNT, ASKED, LATE = 1_000_000, 1_000, 20_000
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


@cache
def asked() -> Text:
    """One in twenty of the latest keys, in any order."""
    keys = keys_of(HFile(Bytes(hfile(), "made")).cells())
    rows = COUNT - LATE + np.random.default_rng(6).permutation(LATE)[:ASKED]
    return taken(keys, rows)


def lookup() -> int:
    """Looked up by blocks; the number of keys that were found."""
    file = HFile(Bytes(hfile(), "made"))
    found = _found([piece() for piece in file.pieces_for(asked())])
    assert file.blocks_read <= 1 + LATE * 100 // _BLOCK + 1
    return found


def scan() -> int:
    """All of the file read, and the keys taken from it."""
    return _found([HFile(Bytes(hfile(), "made")).cells()])


def _found(parts: list[Cells]) -> int:
    index = index_texts(asked())
    return sum(int(np.count_nonzero(index.find(keys_of(cells)) >= 0)) for cells in parts)


def pair(case: str, peer: str) -> Pair:
    """The measurement of a case."""
    if (case, peer) != ("lookup_1k_of_1m", "scan"):
        raise Missing("no such measurement")

    def agree(ours: object, theirs: object) -> None:
        assert ours == theirs == ASKED

    return Pair(lookup, scan, agree, 0.0)
