"""Composite record keys as strings, `name:value,name:value`: put together and taken apart. Rules KEY-8 and KEY-9."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.spans import gather
from hudi_core.columns.string_index import index_strings
from hudi_core.columns.strings import string_column, string_list

NULL: Final = "__null__"
"""Stands for null in a key with names."""
EMPTY: Final = "__empty__"
"""Stands for the empty string in a key with names."""

_COMMA, _COLON = b",:"


def composite_key(names: Sequence[str], values: Sequence[str | None]) -> str:
    """The key of fields with these strings. Nothing in them is escaped, so that several rows may share a key.

    >>> composite_key(("a", "b"), ("1", None))
    'a:1,b:__null__'
    """
    shown = (NULL if value is None else value or EMPTY for value in values)
    return ",".join(f"{name}:{value}" for name, value in zip(names, shown, strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class KeyParts:
    """The strings of keys' fields, one after the other: those of key i stand from `starts[i]` to `starts[i + 1]`.

    A null has no bytes.
    """

    texts: StringColumn
    starts: Numbers


def key_parts(key: str, names: Collection[str] = ()) -> tuple[str | None, ...]:
    """The strings of one key's fields, as `split_keys` has them.

    >>> key_parts("a:1,2,b:x:y,c:__null__"), key_parts("id:5"), key_parts("a:1,b:2", ["b"])
    (('1,2', 'x:y', None), ('id:5',), ('2',))
    """
    parts = split_keys(string_column([key]), names).texts
    assert parts.validity is not None
    return tuple(
        string if valid else None for string, valid in zip(string_list(parts), parts.validity.tolist(), strict=True)
    )


def split_keys(keys: StringColumn, names: Collection[str] = ()) -> KeyParts:
    """The strings of keys' fields, as Hudi takes a key apart: those of `names` only, if there are any.

    A field ends at the last comma before the next colon. A key without a comma or without a colon is one string, whatever the
    names. Keys are not null.
    """
    rows, starts, ends = _fields(keys, names)
    offsets, data = gather(keys.data, starts, ends - starts)
    sentinel = index_strings(string_column([NULL, EMPTY])).find(StringColumn(offsets, data))
    is_whole_key = starts == keys.offsets[rows]  # a field's text has a colon before it
    lengths = np.where((sentinel < 0) | is_whole_key, ends - starts, 0)
    texts = StringColumn(*gather(keys.data, starts, lengths), (sentinel != 0) | is_whole_key)
    return KeyParts(texts, np.searchsorted(rows, np.arange(len(keys.offsets))))


def _fields(keys: StringColumn, names: Collection[str]) -> tuple[Numbers, Numbers, Numbers]:
    """For each field the row of its key, in order, and where in the data its text begins and ends."""
    offsets = keys.offsets
    commas, colons = _places(keys, _COMMA), _places(keys, _COLON)
    apart = np.zeros(len(offsets) - 1, np.bool_)
    apart[_rows(offsets, commas)] = True
    row = _rows(offsets, colons)
    colons, row = colons[apart[row]], row[apart[row]]
    first = np.diff(row, prepend=-1) != 0
    # a colon ends a name when a comma stands between it and the colon before it, or when it is the first
    comma = np.append(commas, -1)[np.searchsorted(commas, colons) - 1]
    names_end = first | (comma > np.roll(colons, 1))
    colons, row, first, comma = colons[names_end], row[names_end], first[names_end], comma[names_end]
    name_starts = np.where(first, offsets[row], comma + 1)
    ends = np.append(np.where(first[1:], offsets[row[:-1] + 1], comma[1:]), offsets[row[-1:] + 1])
    apart[:] = False
    apart[row] = True
    if names:
        wanted = (
            index_strings(string_column(list(names))).find(
                StringColumn(*gather(keys.data, name_starts, colons - name_starts))
            )
            >= 0
        )
        colons, row, ends = colons[wanted], row[wanted], ends[wanted]
    whole_keys = np.flatnonzero(~apart)
    rows = np.concatenate([row, whole_keys])
    order = np.argsort(rows, kind="stable")
    starts = np.concatenate([colons + 1, offsets[whole_keys]])[order]
    return rows[order], starts, np.concatenate([ends, offsets[whole_keys + 1]])[order]


def _places(keys: StringColumn, byte: int) -> Numbers:
    """Where in the data a byte stands."""
    start, end = int(keys.offsets[0]), int(keys.offsets[-1])
    positions: Numbers = start + np.flatnonzero(keys.data[start:end] == byte)
    return positions


def _rows(offsets: Numbers, places: Numbers) -> Numbers:
    """The rows of strings in which places lie."""
    return np.searchsorted(offsets, places, side="right") - 1
