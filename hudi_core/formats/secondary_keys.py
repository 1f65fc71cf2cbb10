"""Columns of keys of a secondary index: made from columns of values and record keys, compared as sets. Rule FORMAT-13."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hudi_core.arrays import Numbers, Octets
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.spans import gather
from hudi_core.columns.string_index import index_strings
from hudi_core.columns.strings import concat_strings, string_column, take_strings

_ESCAPE, _SEPARATOR, _NULL = b"\\$\0"
_SPECIAL: Final = np.frombuffer(bytes([_ESCAPE, _SEPARATOR, _NULL]), np.uint8)
_SEPARATOR_PLACE, _NULL_PLACE = 1, 2
"""Where these are among the special bytes."""


@dataclass(frozen=True, slots=True, eq=False)
class SecondaryKeys:
    """Row keys of a secondary index. `prefix_sizes` has for each the bytes of its value and the separator: what all keys of the
    value, and no others, start with."""

    keys: StringColumn
    prefix_sizes: Numbers

    def __len__(self) -> int:
        return len(self.prefix_sizes)

    @property
    def prefixes(self) -> StringColumn:
        """The value and the separator of each key."""
        return StringColumn(*gather(self.keys.data, self.keys.offsets[:-1], self.prefix_sizes))

    def take(self, rows: Numbers) -> SecondaryKeys:
        """The keys of these rows, in the order given."""
        return SecondaryKeys(take_strings(self.keys, rows), self.prefix_sizes[rows])

    def distinct(self) -> SecondaryKeys:
        """Each key once."""
        if len(self) < 2:
            return self
        first = index_strings(self.keys).first
        return self.take(np.flatnonzero(first == np.arange(len(first))))

    def without(self, others: SecondaryKeys) -> SecondaryKeys:
        """The keys that are not among others."""
        if not len(self) or not len(others):
            return self
        return self.take(np.flatnonzero(index_strings(others.keys).find(self.keys) < 0))


NO_KEYS: Final = SecondaryKeys(string_column([]), np.zeros(0, np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class KeyChange:
    """What a secondary index gets and loses."""

    added: SecondaryKeys = NO_KEYS
    removed: SecondaryKeys = NO_KEYS


def secondary_keys(values: StringColumn, record_keys: StringColumn) -> SecondaryKeys:
    """The row keys of records with these values, some of which may be null, and these record keys, none of them null."""
    count = len(values.offsets) - 1
    value_starts, value_sizes, value_data = _escape(values)
    key_starts, key_sizes, key_data = _escape(record_keys)
    data = np.concatenate([_SPECIAL, value_data, key_data])
    value_starts = value_starts + len(_SPECIAL)
    if values.validity is not None:
        value_starts = np.where(values.validity, value_starts, _NULL_PLACE)
        value_sizes = np.where(values.validity, value_sizes, 1)
    starts, sizes = np.empty((count, 3), np.int64), np.empty((count, 3), np.int64)
    starts[:, 0], sizes[:, 0] = value_starts, value_sizes
    starts[:, 1], sizes[:, 1] = _SEPARATOR_PLACE, 1
    starts[:, 2], sizes[:, 2] = key_starts + len(_SPECIAL) + len(value_data), key_sizes
    offsets, joined = gather(data, starts.reshape(-1), sizes.reshape(-1))
    return SecondaryKeys(StringColumn(offsets[::3].copy(), joined), value_sizes + 1)


def concat_keys(parts: Sequence[SecondaryKeys]) -> SecondaryKeys:
    """The keys of all parts, in order."""
    if not parts:
        return NO_KEYS
    return SecondaryKeys(
        concat_strings([part.keys for part in parts]), np.concatenate([part.prefix_sizes for part in parts])
    )


def _escape(strings: StringColumn) -> tuple[Numbers, Numbers, Octets]:
    """Starts, sizes and bytes of strings with a backslash before each special byte. None of these is part of another character
    in UTF-8."""
    first, last = int(strings.offsets[0]), int(strings.offsets[-1])
    data, offsets = strings.data[first:last], strings.offsets - first
    special = (data == _ESCAPE) | (data == _SEPARATOR) | (data == _NULL)
    if not special.any():
        return offsets[:-1], np.diff(offsets), data
    widths = 1 + special.astype(np.int64)
    escaped = np.repeat(data, widths)
    ends = np.cumsum(widths)
    escaped[ends[special] - 2] = _ESCAPE
    places = np.append(0, ends)[offsets]
    return places[:-1], np.diff(places), escaped
