"""Records of log blocks, gathered one block after the other as arrays that can be merged."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from hudi_core.arrays import Bools, Numbers32
from hudi_core.columns.concat import concat_columns
from hudi_core.columns.nodes import Column, PrimitiveColumn, StringColumn, length, validity_of
from hudi_core.errors import CorruptFileError
from hudi_core.formats.deletes import DeleteRecords
from hudi_core.merge.delete_ordering import delete_ordering
from hudi_core.merge.ordering_values import comparable, width_of
from hudi_core.merge.records import NO_ROW, MergeRecords
from hudi_core.reading.merge_columns import MergeColumns
from hudi_core.types import nodes as t


@dataclass(frozen=True, slots=True, eq=False)
class RawRecords:
    """Records as their blocks have them, oldest first: `ordering` has the values of each ordering field as a column, `rows` the
    number of the row of each record, `has_value` a column for each column that is merged by itself."""

    ordering: tuple[Column, ...]
    deleted: Bools
    absolute: Bools
    listed: Bools
    rows: Numbers32
    has_value: Bools

    def widths(self, columns: MergeColumns) -> tuple[int, ...]:
        """The widths of the ordering values (see `comparable`)."""
        types = [place.field.type for place in columns.ordering]
        return tuple(map(width_of, self.ordering, types))

    def to_merge(self, columns: MergeColumns, widths: tuple[int, ...]) -> MergeRecords:
        """The records with ordering values that compare with those of other records of these widths."""
        types = [place.field.type for place in columns.ordering]
        return MergeRecords(
            tuple(
                comparable(*column, columns.nulls_above) for column in zip(self.ordering, types, widths, strict=True)
            ),
            self.deleted,
            self.absolute,
            self.listed,
            np.repeat(self.rows[:, None], self.has_value.shape[1], axis=1),
            self.has_value,
        )


class LogBuffer:
    """Rows of data blocks and deletes of delete blocks, oldest first. With `partial` columns are merged one by one."""

    def __init__(self, columns: MergeColumns, partial: bool) -> None:
        self.columns, self._partial = columns, partial
        self.batches: list[Any] = []
        self.rows = self.records = self.bytes = 0
        self.merged_columns = len(columns.schema.fields) if partial else 1
        self._keys: list[Column] = []
        self._ordering: list[tuple[Column, ...]] = []
        self._deleted: list[Bools] = []
        self._absolute: list[Bools] = []
        self._listed: list[Bools] = []
        self._has_value: list[Bools] = []
        self._row_numbers: list[Numbers32] = []

    def add_rows(self, batch: Any, where: str, stored: Set[int] | None = None, size: int = 0) -> None:
        """Adds a batch of the columns' schema. `stored` are the ids of the columns in its block, if that is partial; `size` is
        about how many bytes it has."""
        columns, rows = self.columns, self.columns.engine.rows
        root, count = rows.root(batch), rows.count(batch)
        ordering, deleted = columns.ordering_values(root, where), columns.find_deleted(root, where)
        self.batches.append(batch)
        if columns.keys:
            self._keys.append(columns.record_keys(root, where))
        self._add(ordering, deleted, deleted & self._without_value(ordering, count), np.zeros(count, np.bool_))
        self._row_numbers.append(np.arange(self.rows, self.rows + count, dtype=np.int32))
        self.rows += count
        self.bytes += size
        if self._partial:
            has_value = columns.has_value(root)
            if stored is not None:
                has_value &= np.array([field.id in stored for field in columns.schema.fields], np.bool_)
            self._has_value.append(has_value)

    def add_deletes(self, deletes: DeleteRecords, where: str) -> None:
        """Adds the records of a delete block. Raises `CorruptFileError` for one without a key."""
        if length(deletes.record_keys):
            types = [place.field.type for place in self.columns.ordering]
            ordering, absolute = delete_ordering(deletes.ordering_values, types, self.columns)
            self._add_deletes(deletes.record_keys, ordering, absolute, where)

    def add_typed_deletes(self, keys: StringColumn, ordering: tuple[Column, ...], where: str) -> None:
        """Adds deletes with their values of the ordering fields; one that lacks a value wins over what precedes it. Raises
        `CorruptFileError` for one without a key."""
        if count := length(keys):
            has_value = np.full(count, bool(ordering))
            for column in ordering:
                has_value &= validity_of(column)
            self._add_deletes(keys, ordering, ~has_value, where)

    def _add_deletes(self, keys: StringColumn, ordering: tuple[Column, ...], absolute: Bools, where: str) -> None:
        columns, count = self.columns, length(keys)
        if not validity_of(keys).all():
            raise CorruptFileError(where, expected="a key with each delete", found="a null key")
        all_rows = np.ones(count, np.bool_)
        if columns.keys:
            self._keys.append(keys)
        self._add(columns.comparable_values(ordering, where), all_rows, absolute, all_rows)
        self._row_numbers.append(np.full(count, NO_ROW, np.int32))
        if self._partial:
            self._has_value.append(np.ones((count, self.merged_columns), np.bool_))

    def keys(self) -> StringColumn:
        """The keys of all records; empty where the columns have no keys."""
        keys = (
            concat_columns(self._keys, self.records)
            if self._keys
            else StringColumn(np.zeros(1, np.int64), np.empty(0, np.uint8))
        )
        assert isinstance(keys, StringColumn)
        return keys

    def join(self) -> tuple[MergeRecords, tuple[int, ...]]:
        """All records, and the widths of their ordering values (see `comparable`)."""
        raw = self.raw_records()
        widths = raw.widths(self.columns)
        return raw.to_merge(self.columns, widths), widths

    def raw_records(self) -> RawRecords:
        """All records as their blocks have them."""
        records = self.records
        if not records:
            empty = np.zeros(0, np.bool_)
            no_values = tuple(PrimitiveColumn(np.zeros(0, np.int64)) for _ in self.columns.ordering)
            has_value = np.ones((0, self.merged_columns), np.bool_)
            return RawRecords(no_values, empty, empty, empty, np.zeros(0, np.int32), has_value)
        return RawRecords(
            tuple(
                concat_columns((part[n] for part in self._ordering), records) for n in range(len(self.columns.ordering))
            ),
            np.concatenate(self._deleted),
            np.concatenate(self._absolute),
            np.concatenate(self._listed),
            np.concatenate(self._row_numbers),
            np.concatenate(self._has_value) if self._partial else np.ones((records, 1), np.bool_),
        )

    def _add(self, ordering: tuple[Column, ...], deleted: Bools, absolute: Bools, listed: Bools) -> None:
        self._ordering.append(ordering)
        self._deleted.append(deleted)
        self._absolute.append(absolute)
        self._listed.append(listed)
        self.records += len(deleted)

    def _without_value(self, ordering: tuple[Column, ...], rows: int) -> Bools:
        """The rows without an ordering value: no ordering field, a null, or the int 0."""
        if not ordering:
            return np.ones(rows, np.bool_)
        if len(ordering) > 1:
            return np.zeros(rows, np.bool_)
        field_type = self.columns.ordering[0].field.type
        absent: Bools = ~validity_of(ordering[0])
        return absent | (comparable(ordering[0], field_type, 0) == 0) if isinstance(field_type, t.Int) else absent
