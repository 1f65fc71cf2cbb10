"""What a base file states of its record keys, made as they come: no key is held. Rule WRITE-1186."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from hudi_core.columns.nodes import StringColumn, length
from hudi_core.columns.strings import concat_strings, string_list, take_strings
from hudi_core.data_files.column_ranges import least_and_greatest
from hudi_core.formats.bloom_write import BloomFilterWriter, FilterSettings

_LATE: Final = 0xEE
"""First bytes from this one on are those of characters that UTF-8 and UTF-16 order differently."""


class StreamedKeys:
    """Puts keys into a filter made for as many as are expected, and keeps the least and the greatest of each batch."""

    def __init__(self, settings: FilterSettings) -> None:
        self._filter = BloomFilterWriter(settings)
        self._ends: list[StringColumn] = []

    def add(self, keys: StringColumn) -> None:
        """Keys of a batch. Raises as `BloomFilterWriter.add`."""
        if length(keys):
            self._filter.add(keys)
            self._ends.append(outermost_keys(keys))

    def encode(self) -> bytes:
        """The filter of all keys."""
        return self._filter.encode()

    @property
    def range(self) -> Mapping[str, str]:
        """What `range_of_keys` gives for all of them."""
        return range_of_keys(concat_strings(self._ends)) if self._ends else {}


def outermost_keys(keys: StringColumn) -> StringColumn:
    """The least and the greatest of some keys, and one that the two orders of strings place differently, if there is any."""
    rows = [*least_and_greatest(keys)]
    data = keys.data[keys.offsets[0] : keys.offsets[-1]]
    if int(data.max(initial=0)) >= _LATE:
        first = int(keys.offsets[0]) + int(np.argmax(data >= _LATE))
        rows.append(int(np.searchsorted(keys.offsets, first, side="right")) - 1)
    return take_strings(keys, np.array(rows, np.int64))


def range_of_keys(keys: StringColumn) -> Mapping[str, str]:
    """The least and the greatest key. Readers of Apache Hudi compare them in UTF-8 or in UTF-16: where these orders differ, no
    range is better than one that is wrong for some of them."""
    if length(keys) == 0 or int(keys.data.max(initial=0)) >= _LATE:
        return {}
    least, greatest = string_list(take_strings(keys, np.array(least_and_greatest(keys), np.int64)))
    return {"hoodie_min_record_key": least, "hoodie_max_record_key": greatest}
