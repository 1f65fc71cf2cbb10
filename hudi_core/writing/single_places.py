"""Keys that one row of a table has: rows that are changed by their keys, one by one. Rules WRITE-1444, WRITE-1581."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import string_list, take_strings
from hudi_core.errors import RowError
from hudi_core.tagging.key_columns import KeyColumns, Locations
from hudi_core.tagging.tag import Tagger


def locate_once(tagger: Tagger, keys: KeyColumns, numbers: Numbers | None = None) -> tuple[Locations, frozenset[int]]:
    """The places of keys of rows, which have these numbers, and the slices whose base files have several rows of one of them.
    Raises `RowError` for a key that several slices hold: a change by key would change a row in one of them."""
    located = Locations.nowhere(len(keys))
    if len(keys) == 0 or len(tagger.sources.snapshot.slices) == 0:
        return located, frozenset()
    rows, places, repeated = tagger.locate_every(keys)
    again = np.flatnonzero(np.diff(rows) == 0)
    if len(again):
        row = rows[again[0]]
        refuse_repeated(take_strings(keys.records, np.array([row])), None if numbers is None else int(numbers[row]))
    located.slices[rows], located.positions[rows] = places.slices, places.positions
    return located, repeated


def locate_single(tagger: Tagger, keys: KeyColumns) -> Locations:
    """The places of keys of stored rows. Raises `RowError` where the table has several rows of one, in one file too."""
    located, repeated = locate_once(tagger, keys)
    if repeated:
        file_slice = tagger.sources.snapshot.slices[min(repeated)]
        file = file_slice.base.path if file_slice.base is not None else f"{file_slice.partition}/{file_slice.file_id}"
        _refuse(None, f"several rows of one in {file}")
    return located


def refuse_repeated(records: StringColumn, number: int | None) -> NoReturn:
    """Raises `RowError` for the one key that several rows of the table have."""
    (key,) = string_list(records)
    _refuse(number, f"several rows of {key!r} in the table")


def _refuse(number: int | None, found: str) -> NoReturn:
    raise RowError(number, expected="a key that one row of the table has", found=found)
