"""The record keys of file slices beside the values of columns, as secondary indexes spell them. Rule META-111."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hudi_core.columns.nodes import Column, PrimitiveColumn, StringColumn, kind_name
from hudi_core.errors import CorruptFileError
from hudi_core.expr.predicate import ALWAYS_TRUE
from hudi_core.formats.secondary_keys import SecondaryKeys, concat_keys, secondary_keys
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.slices import SliceReader
from hudi_core.tagging.row_keys import RowKeys
from hudi_core.timeline.slices import FileSlice

_DIGITS = 20
"""Characters of the longest number of 64 bits, its sign among them."""


@dataclass(frozen=True)
class SecondaryValues:
    """Reads keys of secondary indexes of some columns, of the table's own and by name, from file slices."""

    sources: Sources
    columns: Sequence[str]

    def of_slice(self, slice: FileSlice) -> list[SecondaryKeys]:
        """For each column, the keys of the slice's rows, log records merged, in no particular order."""
        engine, where = self.sources.snapshot.engine, f"{slice.partition}/{slice.file_id}"
        parts: list[list[SecondaryKeys]] = [[] for _ in self.columns]
        for batch in self._reader.read(slice, None):
            root = engine.rows.root(batch)
            record_keys, schema = self._keys.of_rows(root, where), self._keys.schema
            for part, name in zip(parts, self.columns, strict=True):
                position = schema.names.index(name)
                field = schema.fields[position]
                column = engine.rows.to_column(engine.values.field(root, position), field.type, where)
                part.append(secondary_keys(value_strings(column, where), record_keys))
        return [concat_keys(part) for part in parts]

    @cached_property
    def _reader(self) -> SliceReader:
        return SliceReader(self.sources, self._keys.schema, ALWAYS_TRUE)

    @cached_property
    def _keys(self) -> RowKeys:
        return RowKeys(self.sources.snapshot, self.columns)


def value_strings(column: Column, where: str) -> StringColumn:
    """Values as secondary indexes have them: strings as they are; numbers, days and microseconds in decimal digits."""
    if isinstance(column, StringColumn):
        return column
    if not isinstance(column, PrimitiveColumn) or column.values.dtype.kind != "i":
        raise CorruptFileError(where, expected="values of a secondary index", found=kind_name(column))
    digits = column.values.astype(f"S{_DIGITS}").view(np.uint8).reshape(-1, _DIGITS)
    is_digit = digits != 0
    if column.validity is not None:
        is_digit &= column.validity[:, None]
    offsets = np.append(0, np.cumsum(np.count_nonzero(is_digit, axis=1)))
    return StringColumn(offsets, digits[is_digit], column.validity)
