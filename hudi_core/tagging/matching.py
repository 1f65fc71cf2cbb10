"""Which of some keys a file slice holds, by its own rows. Rules INDEX-9, INDEX-10."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.string_index import StringIndex
from hudi_core.engine import OpenedFile, RowGroup
from hudi_core.tagging.key_columns import NOWHERE
from hudi_core.tagging.slice_keys import SliceKeyReader, leaf_bounds
from hudi_core.timeline.slices import FileSlice

_NONE = np.zeros(0, np.int64)

InRange = Callable[[bytes, bytes], bool]
"""Whether some key that is looked for lies between two bounds, both inclusive."""


@dataclass(frozen=True, slots=True)
class KeyMatches:
    """The rows of the index whose keys a slice holds, ascending, and for each the first row of the base file that has it."""

    rows: Numbers
    positions: Numbers
    rows_read: int
    """Rows of the slice that were read."""
    counts: Numbers
    """How many rows of the slice have the key of each, as far as these were read."""


def find_matches(
    index: StringIndex,
    stored: SliceKeyReader,
    slice: FileSlice,
    opened: OpenedFile[Any] | None,
    in_range: InRange,
    *,
    every_row: bool = False,
) -> KeyMatches:
    """Looks for the keys of an index in a slice, whose base file may be `opened`. Where it has log files, positions are not
    known. With `every_row` it goes on behind the first row of each key."""
    parts_of_rows: list[Numbers] = []
    parts_of_positions: list[Numbers] = []
    hit_count = rows_read = 0
    for position, part in _parts(stored, slice, opened, in_range):
        index_rows = index.find(part)
        rows_of_part = np.flatnonzero(index_rows >= 0)
        parts_of_rows.append(index_rows[rows_of_part])
        parts_of_positions.append(rows_of_part + position)
        rows_read += len(index_rows)
        hit_count += len(rows_of_part)
        if (
            not every_row
            and hit_count >= index.distinct
            and len(np.unique(np.concatenate(parts_of_rows))) == index.distinct
        ):
            break
    rows, index_rows, counts = np.unique(np.concatenate([_NONE, *parts_of_rows]), return_index=True, return_counts=True)
    positions = np.concatenate([_NONE, *parts_of_positions])[index_rows]
    if index.distinct < len(index.first):  # equal keys are all found where the first of them is
        first_positions = np.full(len(index.first), NOWHERE, np.int64)
        first_positions[rows] = positions
        of_firsts = np.zeros(len(index.first), np.int64)
        of_firsts[rows] = counts
        first_positions = np.where(index.first >= 0, first_positions[index.first], NOWHERE)
        rows = np.flatnonzero(first_positions != NOWHERE)
        positions, counts = first_positions[rows], of_firsts[index.first[rows]]
    has_positions = slice.base is not None and not slice.logs
    return KeyMatches(rows, positions if has_positions else np.full(len(rows), NOWHERE, np.int64), rows_read, counts)


def find_repeated_rows(
    index: StringIndex, stored: SliceKeyReader, slice: FileSlice, matches: KeyMatches, in_range: InRange
) -> Numbers:
    """The rows of the index whose keys a slice holds and of which its base file has several rows. `matches` are of all rows of
    the slice. Log files change the first of such rows, so that their keys may come once."""
    repeated = matches.rows[matches.counts > 1]
    if slice.base is None or not slice.logs or not len(matches.rows):
        return repeated
    in_base = find_matches(index, stored, replace(slice, logs=()), None, in_range, every_row=True)
    return np.union1d(repeated, np.intersect1d(in_base.rows[in_base.counts > 1], matches.rows))


def _parts(
    stored: SliceKeyReader, slice: FileSlice, opened: OpenedFile[Any] | None, in_range: InRange
) -> Iterator[tuple[int, StringColumn]]:
    """The keys of the slice, a part at a time, with the position of the first of each; row groups without a key are left out."""
    groups: Sequence[RowGroup] = opened.footer.row_groups if opened is not None else ()
    if len(groups) < 2:
        yield from _place(stored.of_slice(slice, None, opened), 0)
        return
    starts = np.cumsum([0, *(group.rows for group in groups)]).tolist()
    bounds = [leaf_bounds(group.statistics) for group in groups]
    chosen = [
        group_index
        for group_index, group_bounds in enumerate(bounds)
        if group_bounds is None or in_range(*group_bounds)
    ]
    for _, run in groupby(enumerate(chosen), lambda pair: pair[1] - pair[0]):
        run_groups = [group_index for _, group_index in run]
        yield from _place(stored.of_slice(slice, run_groups, opened), starts[run_groups[0]])


def _place(parts: Iterator[StringColumn], position: int) -> Iterator[tuple[int, StringColumn]]:
    for part in parts:
        yield position, part
        position += len(part.offsets) - 1
