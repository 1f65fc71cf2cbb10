"""The merge of one file slice: rows of its base file with newer records, be they those of its logs or of a write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Bools, Numbers, Numbers32
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import take_strings
from hudi_core.engine import FileInfo
from hudi_core.formats.files import RewrittenRows
from hudi_core.merge.ordering_values import comparable
from hudi_core.merge.records import MergeRecords, Precedence, fold, merge_records
from hudi_core.reading.base_files import RowRange
from hudi_core.reading.log_records import LogRecords, refuse_positions_beyond
from hudi_core.reading.merge_columns import MergeColumns
from hudi_core.schema.schema import Schema
from hudi_core.timeline.slices import FileSlice

RowRanges = Callable[[FileInfo], Iterable[RowRange]]
"""The row ranges of a slice's base file, in file order."""


def whole_file(_: FileInfo) -> list[RowRange]:
    """All rows of a base file."""
    return [RowRange(None, 0, may_match=True)]


class Changes(Protocol):
    """Receives the changes of a merge to a base file, in batches of the engine's with the columns of the merge."""

    def write_updates(self, before: Any, after: Iterable[Any]) -> None:
        """Rows that changed, as they were and as they are, in one order."""

    def write_deletes(self, before: Any) -> None:
        """Rows that went away."""

    def write_inserts(self, after: Any) -> None:
        """New rows."""


class StoredRows(Protocol):
    """Gives the rows of base files: `BaseFiles`, or what stands for some rows of one."""

    def rows(
        self, slice: FileSlice, base: FileInfo, wanted: Schema, row_groups: Sequence[int] | None = None
    ) -> Iterator[Any]:
        """The rows in file order, as rows of the wanted schema; those of some row groups, None for all."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class _MergedRows:
    """A merged batch of the base file: `rows` have a newer record, `replaced` are the rows among them that change, `deleted`
    marks those of these go away, and `changed` holds the sources of the others."""

    rows: Numbers
    replaced: Numbers
    deleted: Bools
    changed: Numbers32


class SliceMerge:
    """The merge of one slice: the keys of the newer records, which of them the base file has, and the rows to return.

    Its rows are drawn once, by `rows` or by `rewritten`; the counts and keys are known then. Those of removed rows and of
    added ones need records that are merged by key.
    """

    def __init__(
        self,
        base_files: StoredRows,
        slice: FileSlice,
        columns: MergeColumns,
        logs: LogRecords,
        *,
        deletes_every: bool = False,
    ) -> None:
        """With `deletes_every` a delete takes away every row of its key, as a write that rewrites the base file means it."""
        self._base_files, self._slice, self._columns, self._logs = base_files, slice, columns, logs
        self._rows = columns.engine.rows
        self._precedence = columns.rules.precedence
        self._merges_whole_rows = columns.rules.partial is None and logs.columns == 1
        self._keys, self._log_records = fold(logs.records, logs.key_ids, self._precedence, columns.latest)
        self._in_base = np.zeros(len(self._keys), np.bool_)
        self._selected = np.zeros(logs.rows, np.bool_)
        self._removed = np.zeros(len(self._keys), np.bool_)
        self._position, self._deletes_every = 0, deletes_every
        self.updates = 0
        """Rows of the base file that a newer record changed."""
        self.deletes = 0
        """Rows of the base file that the newer records took away."""

    @property
    def records(self) -> int:
        """The number of newer records, deletes among them."""
        return len(self._logs.key_ids)

    def record_keys(self, root: Any) -> StringColumn:
        """The record keys of rows of the merge."""
        return self._columns.record_keys(root, "rows")

    @property
    def added(self) -> Numbers:
        """The numbers of records, one a key, whose keys have a row and the base file has not."""
        return self._keys[self._log_only()]

    @property
    def removed(self) -> Numbers:
        """The numbers of records, one a key, that took away the row of the base file."""
        return self._keys[self._removed]

    @property
    def inserts(self) -> int:
        """How many rows only the newer records have."""
        return len(self.added)

    def keys_of(self, records: Numbers) -> StringColumn:
        """The keys of records by their numbers."""
        assert self._logs.keys is not None
        strings = self._logs.keys.strings
        assert isinstance(strings, StringColumn)
        return take_strings(strings, records)

    def rewritten(self, changes: Changes | None = None) -> Iterator[RewrittenRows[Any]]:
        """All rows: those of the base file in file order, changed ones where they stood, then those that only the newer records
        have, in the order in which their keys come first. `changes` receives those of each batch before the batch is returned."""
        base, schema, first = self._slice.base, self._columns.schema, 0
        if base is not None:
            for batch in self._base_files.rows(self._slice, base, schema):
                merged_rows = self._merge_rows(batch, self._columns, base.path)
                if len(merged_rows.rows) == 0:
                    yield RewrittenRows(batch, batch, first)
                else:
                    pieces = self._in_place(batch, merged_rows, changes)
                    removes = merged_rows.deleted.any()
                    yield from map(RewrittenRows, pieces) if removes else self._beside(batch, first, pieces)
                first += self._rows.count(batch)
            self._check_positions(base.path)
        log_only = self._log_only()
        if len(log_only):
            for batch in self._gather(self._logs.batches, self._log_records.sources[log_only]):
                if changes is not None:
                    changes.write_inserts(batch)
                yield RewrittenRows(batch)

    def _beside(self, before: Any, first: int, pieces: Iterable[Any]) -> Iterator[RewrittenRows[Any]]:
        """Pieces of a batch with changed rows, each beside the rows that it was."""
        begin = 0
        for piece in pieces:
            count = self._rows.count(piece)
            yield RewrittenRows(piece, self._rows.slice(before, begin, count), first + begin)
            begin += count

    def _in_place(self, batch: Any, merged_rows: _MergedRows, changes: Changes | None) -> Iterator[Any]:
        """A batch of the base file with its changed rows where they stood."""
        first = self._logs.rows  # rows of the batch are numbered after those of the newer records
        changed = merged_rows.changed.astype(np.int64)
        of_batch = changed >= first
        changed[of_batch] = merged_rows.rows[changed[of_batch] - first] + first
        if changes is not None:
            self._report(changes, batch, merged_rows, changed)
        sources = np.repeat(np.arange(self._rows.count(batch))[:, None] + first, changed.shape[1], axis=1)
        sources[merged_rows.replaced[~merged_rows.deleted]] = changed
        stays = np.ones(len(sources), np.bool_)
        stays[merged_rows.replaced[merged_rows.deleted]] = False
        yield from self._gather([*self._logs.batches, batch], sources[stays])

    def _report(self, changes: Changes, batch: Any, merged_rows: _MergedRows, changed: Numbers) -> None:
        """Reports the deleted and updated rows of a batch; `changed` are the sources of its updated ones."""
        is_deleted, is_updated = (np.zeros(self._rows.count(batch), np.bool_) for _ in range(2))
        is_deleted[merged_rows.replaced[merged_rows.deleted]] = True
        is_updated[merged_rows.replaced[~merged_rows.deleted]] = True
        if is_deleted.any():
            changes.write_deletes(self._rows.keep(batch, is_deleted))
        if is_updated.any():
            after = self._gather([*self._logs.batches, batch], changed)
            changes.write_updates(self._rows.keep(batch, is_updated), after)

    def rows(self, row_ranges: RowRanges) -> Iterator[Any]:
        base = self._slice.base
        if base is not None:
            for row_range in row_ranges(base):
                if row_range.may_match or not self._merge_unread(base, row_range):
                    for batch in self._base_files.rows(self._slice, base, self._columns.schema, row_range.groups):
                        yield from self._merge_batch(batch, base.path)
            self._check_positions(base.path)
        log_only = self._log_only()
        if self._logs.columns == 1:
            self._selected[self._log_records.sources[log_only, 0]] = True
            yield from self._select_rows()
        elif len(log_only):
            yield from self._gather(self._logs.batches, self._log_records.sources[log_only])

    def _log_only(self) -> Numbers:
        """The numbers of keys that have a row, and that no batch of the base file has had so far."""
        return np.flatnonzero(~self._in_base & ~self._log_records.deleted)

    def _merge_unread(self, base: FileInfo, row_range: RowRange) -> bool:
        """Merges a row range without a match, reading the record key and ordering fields alone. False: nothing was done, since
        a log record may take column values from one of the rows."""
        by_position, keys_and_ordering = self._logs.keys is None, self._columns.keys_and_ordering
        if by_position:
            first, stop = np.searchsorted(self._keys, [self._position, self._position + row_range.rows])
            # Where the newer row wins, the older rows need not be read.
            newer_wins = self._merges_whole_rows and self._precedence is Precedence.NEWER
            if first == stop or newer_wins:
                self._position += row_range.rows
                return True
            if not self._merges_whole_rows:
                return False
        batches = self._base_files.rows(self._slice, base, keys_and_ordering.schema, row_range.groups)
        if not self._merges_whole_rows:
            return not any(self._has_logged(batch, base.path) for batch in batches)
        for batch in batches:
            self._merge_rows(batch, keys_and_ordering, base.path)
        return True

    def _has_logged(self, batch: Any, where: str) -> bool:
        assert self._logs.keys is not None
        records = self._logs.keys.find(self._columns.keys_and_ordering.record_keys(self._rows.root(batch), where))
        return bool((records >= 0).any())

    def _merge_batch(self, batch: Any, where: str) -> Iterator[Any]:
        merged_rows = self._merge_rows(batch, self._columns, where)
        if len(merged_rows.rows) == 0:
            yield batch
            return
        unchanged = np.ones(self._rows.count(batch), np.bool_)
        unchanged[merged_rows.replaced] = False
        yield self._rows.keep(batch, unchanged)
        if self._logs.columns > 1 and len(merged_rows.changed):
            has_log = np.zeros(len(unchanged), np.bool_)
            has_log[merged_rows.rows] = True
            batches = [*self._logs.batches, self._rows.keep(batch, has_log)]
            yield from self._gather(batches, merged_rows.changed)

    def _merge_rows(self, batch: Any, columns: MergeColumns, where: str) -> _MergedRows:
        """Merges a batch of the base file. Log rows that are merged as a whole are marked as selected."""
        root = self._rows.root(batch)
        if self._logs.keys is not None:
            rows, keys = self._match_keys(columns.record_keys(root, where))
        else:
            rows, keys = self._match_positions(self._rows.count(batch))
        if len(rows) == 0:
            return _MergedRows(rows, rows, np.zeros(0, np.bool_), np.empty((0, self._logs.columns), np.int32))
        records = self._base_records(root, columns, rows, where)
        result = merge_records(records, self._log_records.take(keys), self._precedence, columns.latest)
        unchanged = ((result.sources >= self._logs.rows) & ~result.deleted[:, None]).all(axis=1)
        changed = result.sources[~result.deleted & ~unchanged]
        self._removed[keys[result.deleted]] = True
        self.updates += len(changed)
        self.deletes += int(np.count_nonzero(result.deleted))
        if self._logs.columns == 1:
            self._selected[changed[:, 0]] = True
        return _MergedRows(rows, rows[~unchanged], result.deleted[~unchanged], changed)

    def _match_keys(self, keys: StringColumn) -> tuple[Numbers, Numbers]:
        """The rows of a base file's batch whose key is in the logs, ascending, and the number of the key of each.

        Only the first of several rows with one key is merged, rule MERGE-11, but for deletes of a write: rule WRITE-7.
        """
        assert self._logs.keys is not None
        records = self._logs.keys.find(keys)
        rows = np.flatnonzero(records >= 0)
        key_numbers = np.searchsorted(self._keys, records[rows])
        merged = np.zeros(len(rows), np.bool_)
        merged[np.unique(key_numbers, return_index=True)[1]] = True
        merged &= ~self._in_base[key_numbers]
        if self._deletes_every:
            merged |= self._log_records.deleted[key_numbers]
        rows, key_numbers = rows[merged], key_numbers[merged]
        self._in_base[key_numbers] = True
        return rows, key_numbers

    def _match_positions(self, count: int) -> tuple[Numbers, Numbers]:
        """As `_matches` for the next rows, by the positions of the log records in the base file."""
        begin = self._position
        self._position += count
        first, stop = np.searchsorted(self._keys, [begin, self._position])
        self._in_base[first:stop] = True
        return self._keys[first:stop] - begin, np.arange(first, stop)

    def _check_positions(self, where: str) -> None:
        if self._logs.keys is None:
            refuse_positions_beyond(self._keys[-1:], self._position, where)

    def _base_records(self, root: Any, columns: MergeColumns, rows: Numbers, where: str) -> MergeRecords:
        """The base file's rows with a record in the logs, numbered after the rows of the logs."""
        ordering = tuple(
            comparable(column, place.field.type, width, columns.nulls_above)[rows]
            for column, place, width in zip(
                columns.ordering_values(root, where), columns.ordering, self._logs.widths, strict=True
            )
        )
        no_deletes: Bools = np.zeros(len(rows), np.bool_)
        row_numbers = np.arange(self._logs.rows, self._logs.rows + len(rows), dtype=np.int32)
        partial = columns.rules.partial is not None
        has_value = columns.has_value(root)[rows] if partial else np.ones((len(rows), self._logs.columns), np.bool_)
        sources = np.repeat(row_numbers[:, None], self._logs.columns, axis=1)
        return MergeRecords(ordering, no_deletes, no_deletes, no_deletes, sources, has_value)

    def _select_rows(self) -> Iterator[Any]:
        begin = 0
        for batch in self._logs.batches:
            end = begin + self._rows.count(batch)
            if self._selected[begin:end].any():
                yield self._rows.keep(batch, self._selected[begin:end])
            begin = end

    def _gather(self, batches: Sequence[Any], sources: NDArray[np.integer[Any]]) -> Iterator[Any]:
        columns = [sources[:, index].astype(np.int64) for index in range(sources.shape[1])]
        if len(columns) < len(self._columns.schema.fields):  # rows that are merged as a whole
            columns = columns * len(self._columns.schema.fields)
        return self._rows.gather(batches, columns, self._columns.schema)
