"""Runs of rows that are looked for in an HFile: which blocks can hold them, and where they are among cells. Rule FORMAT-712.

Rows ascend by their bytes. Apache Hudi before 1.2.1 sorted rows as Java sorts strings, by UTF-16 units, in which U+E000 to U+FFFF
come after all other characters. Where neither of two rows has a byte of these or of later characters, the two orders agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hudi_core.arrays import Numbers, Octets
from hudi_core.columns.nodes import StringColumn
from hudi_core.formats.hfile.cells import FIRST_LATE, Cells, find_rows, find_strings, in_byte_order
from hudi_core.formats.hfile.index import UNITS, IndexNode, units

Spans = Callable[[Cells | list[bytes]], tuple[Numbers, Numbers]]
"""The request: from ascending rows, the start and stop of each wanted run of them."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Runs of rows that are looked for: in rows that ascend by bytes, and in the `units` of rows that ascend by UTF-16 units;
    None where both find the same."""

    by_bytes: Spans
    by_units: Spans | None

    def covering(self, node: IndexNode) -> IndexNode:
        """The entries whose blocks can hold wanted rows, whichever order the file is in."""
        chosen = _covering(node.rows, self.by_bytes)
        if self.by_units is not None:
            chosen = np.union1d(chosen, _covering(list(map(units, node.rows)), self.by_units))
        return IndexNode(
            [node.rows[index] for index in chosen],
            [node.offsets[index] for index in chosen],
            [node.sizes[index] for index in chosen],
        )

    def within(self, cells: Cells) -> tuple[Cells, Numbers, Numbers]:
        """The cells in the order of their bytes, and the start and stop of each wanted run of them."""
        ordered = cells if self.by_units is None else in_byte_order(cells)
        return ordered, *self.by_bytes(ordered)


def match_rows(keys: Sequence[bytes]) -> Wanted:
    """The rows that are one of the keys."""
    late = _has_late(np.frombuffer(b"".join(keys), np.uint8))
    translated = list(map(units, keys)) if late else []
    return Wanted(lambda rows: find_rows(rows, keys), (lambda rows: find_rows(rows, translated)) if late else None)


def match_strings(keys: StringColumn) -> Wanted:
    """The rows that are one of the keys of a column, without nulls."""
    late = _has_late(keys.data)
    table = np.frombuffer(UNITS, np.uint8)
    translated = StringColumn(keys.offsets, table[keys.data]) if late else keys
    return Wanted(
        lambda rows: find_strings(rows, keys), (lambda rows: find_strings(rows, translated)) if late else None
    )


def match_prefixes(prefixes: Sequence[bytes]) -> Wanted:
    """The rows that start with one of the prefixes, each row once."""
    apart = _apart(prefixes)
    late = any(_has_late(np.frombuffer(prefix, np.uint8)) for prefix in apart)
    translated = _apart(list(map(units, apart))) if late else []
    return Wanted(
        lambda rows: _find_prefixes(rows, apart), (lambda rows: _find_prefixes(rows, translated)) if late else None
    )


def _has_late(data: Octets) -> bool:
    return bool(data.max(initial=0) >= FIRST_LATE)


def _apart(prefixes: Sequence[bytes]) -> list[bytes]:
    """The prefixes, ascending, without those that start with another one."""
    apart: list[bytes] = []
    for prefix in sorted(set(prefixes)):
        if not apart or not prefix.startswith(apart[-1]):
            apart.append(prefix)
    return apart


def _covering(rows: list[bytes], spans: Spans) -> Numbers:
    """The numbers of blocks, by their first rows. A row equal to a block's first one may end the block before too."""
    starts, stops = spans(rows)
    starts = np.minimum(np.maximum(starts - 1, 0), stops)
    edges = np.bincount(starts, minlength=len(rows) + 1) - np.bincount(stops, minlength=len(rows) + 1)
    return np.flatnonzero(np.cumsum(edges)[:-1])


def _find_prefixes(rows: Cells | list[bytes], prefixes: list[bytes]) -> tuple[Numbers, Numbers]:
    """Where the rows that start with each of the ascending prefixes start and stop."""
    starts, _ = find_rows(rows, prefixes)
    after = [end for end in map(_after_prefix, prefixes) if end is not None]
    # Only the last prefix can be one that nothing comes after.
    stops, _ = find_rows(rows, after)
    return starts, np.append(stops, np.full(len(prefixes) - len(after), len(rows)))


def _after_prefix(prefix: bytes) -> bytes | None:
    """The least bytes greater than all that start with the prefix; None when there are none."""
    shortened = prefix.rstrip(b"\xff")
    return shortened[:-1] + bytes([shortened[-1] + 1]) if shortened else None
