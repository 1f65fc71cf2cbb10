"""The values of an expression index in one file: their statistics, or a bloom filter of them. Rules META-116 to META-118.

A file is read as it was written, so that what is recorded is of what readers get.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.columns.concat import concat_columns
from hudi_core.columns.nodes import Column, StringColumn, StructColumn, length
from hudi_core.columns.slicing import without_nulls
from hudi_core.columns.strings import concat_strings
from hudi_core.commit.statuses import ColumnRange
from hudi_core.data_files.base_file import filter_settings
from hudi_core.data_files.column_ranges import ranges_of_rows
from hudi_core.data_files.log_ranges import whole_blocks
from hudi_core.engine import FileInfo
from hudi_core.expr.predicate import Term
from hudi_core.formats.avro.block import join_records
from hudi_core.formats.avro.columns import decode
from hudi_core.formats.bloom_write import encode_bloom_filter
from hudi_core.formats.log import HeaderKey
from hudi_core.formats.names import parse_log_file
from hudi_core.metadata_rows.expression import IndexedExpression
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.base_files import BaseFiles
from hudi_core.rows.truth import evaluate
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.tagging.secondary_values import value_strings
from hudi_core.timeline.slices import FileSlice, slices_of
from hudi_core.types import nodes as t

_VALUE: Final = "value"


def can_be_filtered(type: t.Type) -> bool:
    """Whether every reader spells values of a type alike when it asks a filter for them: of the others, dates are spelled as days
    by one and as a calendar shows them by another."""
    return isinstance(type, t.String | t.Int | t.Long)


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression index, with its value as a term of rows of `schema`, which has the one column. Without a term nothing is
    known of the values: readers do not all compute the same."""

    index: IndexedExpression
    term: Term | None
    schema: Schema

    @property
    def partition(self) -> str:
        return self.index.partition

    def of_file(self, snapshot: Snapshot, slice: FileSlice, file: FileInfo) -> ColumnRange | bytes | None:
        """What is recorded of a file of the slice; None where it is not known. Raises what reading the file raises."""
        if self.index.is_filter:
            strings = self.strings_of_file(snapshot, slice, file)
            if strings is None:
                return None
            keys = concat_strings(strings)
            # A filter takes no empty string.
            has_empty = bool((np.diff(keys.offsets) == 0).any())
            return None if has_empty else encode_bloom_filter(keys, filter_settings(length(keys)))
        parts = self._values(snapshot, slice, file)
        if parts is None:
            return None
        count = sum(map(length, parts))
        if not count:
            return ColumnRange(None, None, 0, 0)
        record = t.Record((t.Field(0, _VALUE, self.index.type, optional=True),))
        return ranges_of_rows(StructColumn(count, {_VALUE: concat_columns(parts, count)}), record)[_VALUE]

    def strings_of_file(self, snapshot: Snapshot, slice: FileSlice, file: FileInfo) -> list[StringColumn] | None:
        """The values in a file of the slice as filters have them, nulls left out; None where they are not known."""
        parts = self._values(snapshot, slice, file) if can_be_filtered(self.index.type) else None
        return None if parts is None else [_present_strings(part, file.path) for part in parts]

    def _values(self, snapshot: Snapshot, slice: FileSlice, file: FileInfo) -> list[Column] | None:
        if self.term is None:
            return None
        is_log = parse_log_file(file.name) is not None
        batches = self._of_log(snapshot, file) if is_log else self._of_base(snapshot, slice, file)
        if batches is None:
            return None
        parts: list[Column] = []
        for batch in batches:
            value = evaluate(self.term, snapshot.engine.values, snapshot.engine.rows.root(batch), self.schema)
            parts.append(snapshot.engine.rows.to_column(value, self.index.type, file.path))
        return parts

    def _of_base(self, snapshot: Snapshot, slice: FileSlice, file: FileInfo) -> Iterator[Any]:
        files = BaseFiles(Sources(snapshot.of_slices(slices_of([slice]))))
        return files.rows(slice, file, self.schema)

    def _of_log(self, snapshot: Snapshot, file: FileInfo) -> Iterator[Any] | None:
        """The rows of a log file's data blocks; deletes count for nothing. None for those that `log_ranges` knows nothing of, and
        where the column was another then."""
        blocks = whole_blocks(snapshot.storage, file)
        if not blocks:
            return None if blocks is None else iter(())
        text, where = blocks[0].require(HeaderKey.SCHEMA), blocks[0].where
        stored, column = schema_from_avro(text, where), self.schema.fields[0]
        place = stored.find((column.name,))
        if place is None or place.field.type != column.type:
            return None
        rows = decode(text, *join_records(blocks), where)
        assert isinstance(rows, StructColumn)
        narrow = StructColumn(rows.length, {column.name: rows.fields[place.name]}, rows.validity)
        return snapshot.engine.rows.from_columns(narrow, self.schema, where)


def _present_strings(column: Column, where: str) -> StringColumn:
    """Values that are not null, as filters have them."""
    strings = without_nulls(value_strings(column, where))
    assert isinstance(strings, StringColumn)
    return strings
