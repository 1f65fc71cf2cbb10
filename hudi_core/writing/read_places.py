"""Places of rows that were read to be changed: the file slices that they were read from. Rule WRITE-1443.

A key may be in several slices, as rows that are added are not looked up. A lookup of keys would find one of these rows, which
need not be the one that was read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.string_index import index_strings
from hudi_core.columns.strings import string_list, take_strings
from hudi_core.errors import RowError
from hudi_core.parallel.ordered import in_order
from hudi_core.planning.sources.sources import Sources
from hudi_core.table.scan import Scan
from hudi_core.table.table import Table
from hudi_core.tagging.key_columns import KeyColumns, Locations
from hudi_core.tagging.matching import KeyMatches, find_matches, find_repeated_rows
from hudi_core.tagging.slice_keys import SliceKeyReader
from hudi_core.tagging.sorted_keys import sort_keys
from hudi_core.writing.task_rows import group_rows


class ReadBatches:
    """The batches of a scan, and the slice of each row of those that were drawn."""

    def __init__(self, table: Table, scan: Scan) -> None:
        self._table, self._scan = table, scan
        self._slices = [np.zeros(0, np.int64)]

    def batches(self) -> Iterator[Any]:
        for number, batch in self._scan.batches_of_slices():
            self._slices.append(np.full(self._table.engine.rows.count(batch), number, np.int64))
            yield batch

    def locate(self, keys: KeyColumns, *, deletes: bool) -> tuple[Locations, frozenset[int]]:
        """As `locate_read_rows`, of the rows, which have these keys."""
        stored = SliceKeyReader(Sources(self._table.snapshot()))
        return locate_read_rows(stored, keys, np.concatenate(self._slices), deletes=deletes)


def locate_read_rows(
    stored: SliceKeyReader, keys: KeyColumns, slices: Numbers, *, deletes: bool
) -> tuple[Locations, frozenset[int]]:
    """The places of rows of these keys, which were read from slices of these numbers, and the slices whose base files have
    several rows of one of the keys.

    Raises `RowError` for a key that several rows of its slice have, unless `deletes` means all of them: rows are changed by their
    keys.
    """
    located, repeated = Locations.nowhere(len(keys)), set[int]()

    def match(of_slice: tuple[int, Numbers]) -> tuple[int, Numbers, KeyMatches, bool]:
        number, rows = of_slice
        return number, rows, *_match(stored, number, take_strings(keys.records, rows), deletes)

    for number, rows, matches, is_repeated in in_order(match, group_rows(slices)):
        located.slices[rows] = number
        located.positions[rows[matches.rows]] = matches.positions
        if is_repeated:
            repeated.add(number)
    return located, frozenset(repeated)


def _match(stored: SliceKeyReader, number: int, records: StringColumn, deletes: bool) -> tuple[KeyMatches, bool]:
    """Where a slice has these keys, and whether its base file has several rows of one. Raises `RowError`."""
    file_slice, index, ordered = stored.sources.snapshot.slices[number], index_strings(records), sort_keys(records)

    def in_range(lower: bytes, upper: bytes) -> bool:
        starts, stops = ordered.runs(ByteStrings.from_list([lower]), ByteStrings.from_list([upper]))
        return bool(starts[0] < stops[0])

    matches = find_matches(index, stored, file_slice, stored.open(file_slice), in_range, every_row=True)
    repeated = find_repeated_rows(index, stored, file_slice, matches, in_range)
    read = np.bincount(index.first, minlength=len(index.first))[index.first]
    refused = matches.rows[matches.counts != read[matches.rows]] if deletes else repeated
    if len(refused):
        (key,) = string_list(take_strings(records, refused[:1]))
        file = file_slice.base.path if file_slice.base is not None else f"{file_slice.partition}/{file_slice.file_id}"
        expected = "one row of each key in a file, or an overwrite of its partition"
        raise RowError(None, expected=expected, found=f"several of {key!r} in {file}", path="where")
    return matches, len(repeated) > 0
