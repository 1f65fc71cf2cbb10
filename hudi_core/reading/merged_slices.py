"""Rows of slices with log files: rows of the base file that no log record touches, and merged rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.nodes import Bools, StringColumn
from hudi_core.engine import FileInfo
from hudi_core.errors import CorruptFileError
from hudi_core.evolve.reconcile import reconcile
from hudi_core.expr.predicate import Predicate
from hudi_core.formats.log import LogBlock
from hudi_core.merge.ordering_values import comparable
from hudi_core.merge.records import MergeRecords, Precedence, fold, merged
from hudi_core.merge.rules import MergeRules, merge_rules
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.base_files import BaseFiles, RowRange
from hudi_core.reading.log_records import LogReader, LogRecords, positions_in_base, slice_blocks
from hudi_core.reading.merge_columns import MergeColumns, merge_columns
from hudi_core.reading.selection import Selection
from hudi_core.rows.project import projection
from hudi_core.schema.schema import Schema
from hudi_core.timeline.slices import FileSlice

RowRanges = Callable[[FileInfo], Iterable[RowRange]]
"""The row ranges of a slice's base file, in file order."""


@dataclass(frozen=True)
class MergedSlices:
    """Reads slices with log files. There is one reader for each wanted schema; safe to use from several threads."""

    base_files: BaseFiles
    _readers: dict[tuple[Schema, bool], LogReader] = field(default_factory=dict, repr=False, compare=False)

    def rows(self, slice: FileSlice, wanted: Schema) -> Iterator[Any]:
        """The engine's batches of the slice's rows, as rows of the wanted schema.

        The base file's rows come in file order; behind each of its batches, or behind all of them, those that logs changed;
        then those that only logs have. The base file is read a batch at a time, the logs are held in memory. Raises
        `UnsupportedError` for an unknown way to merge records.
        """
        return self._rows(slice, wanted, _whole_file)

    def matching(self, slice: FileSlice, wanted: Selection, residual: Predicate) -> Iterator[Any]:
        """The slice's rows that match, as the wanted columns; no batch is without rows.

        Of a row group of the base file without a match only merged rows can match: of it, no more is read than merging
        needs. Rule MERGE-16.
        """
        rows = self._rows(slice, wanted.needed, lambda base: self.base_files.row_ranges(slice, base, wanted, residual))
        return wanted.matching(residual, rows)

    def _rows(self, slice: FileSlice, wanted: Schema, row_ranges: RowRanges) -> Iterator[Any]:
        snapshot = self._sources.snapshot
        engine = snapshot.engine
        blocks = slice_blocks(slice, snapshot.storage, snapshot.timeline.is_committed)
        columns, logs = self._logs(slice, blocks, wanted)
        narrow = projection(reconcile(columns.schema, wanted), engine.values)
        is_wanted_schema = len(columns.schema.fields) == len(wanted.fields)
        for batch in _Merge(self.base_files, slice, columns, logs).rows(row_ranges):
            if engine.rows.count(batch):
                yield batch if is_wanted_schema else engine.rows.batch(narrow(engine.rows.root(batch)))

    def _logs(self, slice: FileSlice, blocks: Sequence[LogBlock], wanted: Schema) -> tuple[MergeColumns, LogRecords]:
        """The records of the slice's logs, merged by position where all have one, else by key."""
        positions = positions_in_base(slice, blocks)
        if positions is not None:
            reader = self._reader(wanted, False)
            logs = reader.read(slice, blocks, positions)
            if len(logs.key_ids) == len(logs.records):
                return reader.columns, logs
        reader = self._reader(wanted, True)
        return reader.columns, reader.read(slice, blocks, None)

    def _reader(self, wanted: Schema, by_key: bool) -> LogReader:
        key = wanted, by_key
        if key not in self._readers:
            snapshot = self._sources.snapshot
            columns = merge_columns(
                snapshot.engine, snapshot.config, snapshot.schema, self._rules, wanted, snapshot.storage.uri, by_key
            )
            self._readers[key] = LogReader(self.base_files, columns)
        return self._readers[key]

    @cached_property
    def _rules(self) -> MergeRules:
        return merge_rules(self._sources.snapshot.config, self._sources.snapshot.storage.uri)

    @property
    def _sources(self) -> Sources:
        return self.base_files.sources


def _whole_file(_: FileInfo) -> list[RowRange]:
    return [RowRange(None, 0, may_match=True)]


class _Merge:
    """The merge of one slice: the keys of its logs, which of them the base file has, and the log rows to return."""

    def __init__(self, base_files: BaseFiles, slice: FileSlice, columns: MergeColumns, logs: LogRecords) -> None:
        self._base_files, self._slice, self._columns, self._logs = base_files, slice, columns, logs
        self._rows = columns.engine.rows
        self._precedence = columns.rules.precedence
        self._merges_whole_rows = columns.rules.partial is None and logs.columns == 1
        self._keys, self._log_records = fold(logs.records, logs.key_ids, self._precedence, columns.latest)
        self._in_base = np.zeros(len(self._keys), np.bool_)
        self._selected = np.zeros(logs.rows, np.bool_)
        self._position = 0

    def rows(self, row_ranges: RowRanges) -> Iterator[Any]:
        base = self._slice.base
        if base is not None:
            for row_range in row_ranges(base):
                if row_range.may_match or not self._merge_unread(base, row_range):
                    for batch in self._base_files.rows(self._slice, base, self._columns.schema, row_range.groups):
                        yield from self._merge_batch(batch, base.path)
            self._check_positions(base.path)
        log_only = np.flatnonzero(~self._in_base & ~self._log_records.deleted)
        if self._logs.columns == 1:
            self._selected[self._log_records.sources[log_only, 0]] = True
            yield from self._selected_rows()
        elif len(log_only):
            yield from self._gathered(self._logs.batches, self._log_records.sources[log_only])

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
        rows, replaced, changed = self._merge_rows(batch, self._columns, where)
        if len(rows) == 0:
            yield batch
            return
        unchanged = np.ones(self._rows.count(batch), np.bool_)
        unchanged[replaced] = False
        yield self._rows.keep(batch, unchanged)
        if self._logs.columns > 1 and len(changed):
            has_log = np.zeros(len(unchanged), np.bool_)
            has_log[rows] = True
            batches = [*self._logs.batches, self._rows.keep(batch, has_log)]
            yield from self._gathered(batches, changed)

    def _merge_rows(
        self, batch: Any, columns: MergeColumns, where: str
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
        """Merges a batch of the base file. Returns its rows with a record in the logs, those of them that are replaced or
        deleted, and the sources of the rows that replace them. Log rows that are merged as a whole are marked as selected."""
        root = self._rows.root(batch)
        if self._logs.keys is not None:
            rows, keys = self._match_keys(columns.record_keys(root, where))
        else:
            rows, keys = self._match_positions(self._rows.count(batch))
        if len(rows) == 0:
            return rows, rows, np.empty((0, self._logs.columns), np.int32)
        records = self._base_records(root, columns, rows, where)
        result = merged(records, self._log_records.take(keys), self._precedence, columns.latest)
        unchanged = ((result.sources >= self._logs.rows) & ~result.deleted[:, None]).all(axis=1)
        changed = result.sources[~result.deleted & ~unchanged]
        if self._logs.columns == 1:
            self._selected[changed[:, 0]] = True
        return rows, rows[~unchanged], changed

    def _match_keys(self, keys: StringColumn) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows of a base file's batch whose key is in the logs, ascending, and the number of the key of each.

        Of several rows with one key only the first is merged: rule MERGE-11.
        """
        assert self._logs.keys is not None
        records = self._logs.keys.find(keys)
        rows = np.flatnonzero(records >= 0)
        key_numbers = np.searchsorted(self._keys, records[rows])
        is_first = ~self._in_base[key_numbers]
        rows, key_numbers = rows[is_first], key_numbers[is_first]
        _, first = np.unique(key_numbers, return_index=True)
        first.sort()
        rows, key_numbers = rows[first], key_numbers[first]
        self._in_base[key_numbers] = True
        return rows, key_numbers

    def _match_positions(self, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """As `_matches` for the next rows, by the positions of the log records in the base file."""
        begin = self._position
        self._position += count
        first, stop = np.searchsorted(self._keys, [begin, self._position])
        self._in_base[first:stop] = True
        return self._keys[first:stop] - begin, np.arange(first, stop)

    def _check_positions(self, where: str) -> None:
        if self._logs.keys is None and len(self._keys) and self._keys[-1] >= self._position:
            beyond = int(self._keys[np.searchsorted(self._keys, self._position)])
            raise CorruptFileError(where, expected=f"a row at position {beyond}", found=f"{self._position} rows")

    def _base_records(self, root: Any, columns: MergeColumns, rows: NDArray[np.int64], where: str) -> MergeRecords:
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

    def _selected_rows(self) -> Iterator[Any]:
        begin = 0
        for batch in self._logs.batches:
            end = begin + self._rows.count(batch)
            if self._selected[begin:end].any():
                yield self._rows.keep(batch, self._selected[begin:end])
            begin = end

    def _gathered(self, batches: Sequence[Any], sources: NDArray[np.int32]) -> Iterator[Any]:
        columns = [sources[:, index].astype(np.int64) for index in range(sources.shape[1])]
        return self._rows.gather(batches, columns, self._columns.schema)
