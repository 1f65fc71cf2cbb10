"""Rows in an HFile: Avro records, whose texts of one column may be left to the keys. Rules ENGINE-710, LOG-830."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.nodes import Column, StringColumn, StructColumn, length
from hudi_core.columns.strings import concat_strings, take_strings
from hudi_core.formats.avro.columns import decode_batches
from hudi_core.formats.hfile.cells import Cells, keys_of

KEY: Final = "key"
"""The column that base files leave to the keys."""


def decode_rows(
    schema_text: str, cells: Cells, names: Collection[str], where: str, left: Collection[str]
) -> Iterator[StructColumn]:
    """The fields of these names of all rows, in parts. In the columns that are `left` to the keys an empty text is the key of its
    row. Raises as `decode_batches`."""
    first = 0
    for part in decode_batches(schema_text, cells.data, cells.value_offsets, cells.value_lengths, where, names):
        assert isinstance(part, StructColumn)
        rows = np.arange(first, first := first + length(part))
        fields: dict[str, Column] = {
            name: _fill(own, cells, rows)
            for name, own in part.fields.items()
            if name in left and isinstance(own, StringColumn)
        }
        yield replace(part, fields={**part.fields, **fields}) if fields else part


def _fill(own: StringColumn, cells: Cells, rows: Numbers) -> StringColumn:
    """The texts, those that are empty taken from the keys of these rows."""
    is_empty = np.diff(own.offsets) == 0
    if own.validity is not None:
        is_empty &= own.validity
    if not is_empty.any():
        return own
    both = concat_strings([replace(own, validity=None), take_strings(keys_of(cells), rows)])
    places = np.arange(len(rows))
    taken = take_strings(both, np.where(is_empty, places + len(rows), places))
    return StringColumn(taken.offsets, taken.data, own.validity)
