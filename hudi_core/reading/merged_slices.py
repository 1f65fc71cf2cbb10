"""Rows of slices with logs: the base file's rows that no log touches, and what the logs make of the others."""

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

Stretches = Callable[[FileInfo], Iterable[RowRange]]
"""Gives the rows of a slice's base file, in file order."""


@dataclass(frozen=True)
class MergedSlices:
    """Reads slices with logs. Readers are made once for each wanted schema; safe to use from several threads."""

    base_files: BaseFiles
    _readers: dict[tuple[Schema, bool], LogReader] = field(default_factory=dict, repr=False, compare=False)

    def rows(self, slice: FileSlice, wanted: Schema) -> Iterator[Any]:
        """The engine's batches of the slice's rows, as rows of the wanted schema.

        The base file's rows come in file order; behind each of its batches, or behind all of them, those that logs changed;
        then those that only logs have. The base file is read a batch at a time, the logs are held in memory. Raises
        `UnsupportedError` for a table whose records are merged in a way that is not known.
        """
        return self._rows(slice, wanted, _at_once)

    def matching(self, slice: FileSlice, wanted: Selection, residual: Predicate) -> Iterator[Any]:
        """The slice's rows that match, as the wanted columns; no batch is without rows.

        A row group of the base file none of whose rows matches is in the answer only by what logs made of it: of that, no
        more is read than merging looks at. Rule MERGE-16.
        """
        rows = self._rows(slice, wanted.needed, lambda base: self.base_files.stretches(slice, base, wanted, residual))
        return wanted.matching(residual, rows)

    def _rows(self, slice: FileSlice, wanted: Schema, stretches: Stretches) -> Iterator[Any]:
        snapshot = self._sources.snapshot
        engine = snapshot.engine
        blocks = slice_blocks(slice, snapshot.storage, snapshot.timeline.committed)
        columns, logs = self._logs(slice, blocks, wanted)
        narrow = projection(reconcile(columns.schema, wanted), engine.values)
        whole = len(columns.schema.fields) == len(wanted.fields)
        for batch in _Merge(self.base_files, slice, columns, logs).rows(stretches):
            if engine.rows.count(batch):
                yield batch if whole else engine.rows.batch(narrow(engine.rows.root(batch)))

    def _logs(self, slice: FileSlice, blocks: Sequence[LogBlock], wanted: Schema) -> tuple[MergeColumns, LogRecords]:
        """The records of the slice's logs, found by position where all have one, else by key."""
        positions = positions_in_base(slice, blocks)
        if positions is not None:
            reader = self._reader(wanted, False)
            logs = reader.read(slice, blocks, positions)
            if len(logs.numbers) == len(logs.records):
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


def _at_once(_: FileInfo) -> list[RowRange]:
    return [RowRange(None, 0, may_match=True)]


class _Merge:
    """One slice being merged: which keys of its logs the base file had, and which log rows are left to give."""

    def __init__(self, base_files: BaseFiles, slice: FileSlice, columns: MergeColumns, logs: LogRecords) -> None:
        self._base_files, self._slice, self._columns, self._logs = base_files, slice, columns, logs
        self._rows = columns.engine.rows
        self._precedence = columns.rules.precedence
        self._taken_whole = columns.rules.partial is None and logs.columns == 1
        self._keys, self._left = fold(logs.records, logs.numbers, self._precedence, columns.latest)
        self._met = np.zeros(len(self._keys), np.bool_)
        self._chosen = np.zeros(logs.rows, np.bool_)
        self._passed = 0

    def rows(self, stretches: Stretches) -> Iterator[Any]:
        base = self._slice.base
        if base is not None:
            for each in stretches(base):
                if each.may_match or not self._passed_over(base, each):
                    for batch in self._base_files.rows(self._slice, base, self._columns.schema, each.groups):
                        yield from self._with_base(batch, base.path)
            self._refuse_beyond(base.path)
        only = np.flatnonzero(~self._met & ~self._left.deleted)
        if self._logs.columns == 1:
            self._chosen[self._left.sources[only, 0]] = True
            yield from self._whole_rows()
        elif len(only):
            yield from self._put_together(self._logs.batches, self._left.sources[only])

    def _passed_over(self, base: FileInfo, stretch: RowRange) -> bool:
        """Merges rows of the base file none of which is wanted as it is there, without reading them whole; no, nothing was
        done, where a log's row may be filled up from one of them."""
        by_position, bare = self._logs.keys is None, self._columns.bare
        if by_position:
            begin, end = np.searchsorted(self._keys, [self._passed, self._passed + stretch.rows])
            # Where the log's row wins in any case, what it wins over need not be known.
            blindly = self._taken_whole and self._precedence is Precedence.NEWER
            if begin == end or blindly:
                self._passed += stretch.rows
                return True
            if not self._taken_whole:
                return False
        batches = self._base_files.rows(self._slice, base, bare.schema, stretch.groups)
        if not self._taken_whole:
            return not any(self._has_logged(batch, base.path) for batch in batches)
        for batch in batches:
            self._merged(batch, bare, base.path)
        return True

    def _has_logged(self, batch: Any, where: str) -> bool:
        assert self._logs.keys is not None
        found = self._logs.keys.find(self._columns.bare.record_keys(self._rows.root(batch), where))
        return bool((found >= 0).any())

    def _with_base(self, batch: Any, where: str) -> Iterator[Any]:
        rows, gone, changed = self._merged(batch, self._columns, where)
        if len(rows) == 0:
            yield batch
            return
        stays = np.ones(self._rows.count(batch), np.bool_)
        stays[gone] = False
        yield self._rows.keep(batch, stays)
        if self._logs.columns > 1 and len(changed):
            touched = np.zeros(len(stays), np.bool_)
            touched[rows] = True
            batches = [*self._logs.batches, self._rows.keep(batch, touched)]
            yield from self._put_together(batches, changed)

    def _merged(
        self, batch: Any, columns: MergeColumns, where: str
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
        """Rows of a base file's batch that logs have too, those of them that are not as they were, and the sources of what
        they became, deleted ones left out. Rows of logs that are taken whole are chosen."""
        root = self._rows.root(batch)
        if self._logs.keys is not None:
            rows, at = self._matches(columns.record_keys(root, where))
        else:
            rows, at = self._at_positions(self._rows.count(batch))
        if len(rows) == 0:
            return rows, rows, np.empty((0, self._logs.columns), np.int32)
        records = self._base_records(root, columns, rows, where)
        result = merged(records, self._left.take(at), self._precedence, columns.latest)
        as_it_was = ((result.sources >= self._logs.rows) & ~result.deleted[:, None]).all(axis=1)
        changed = result.sources[~result.deleted & ~as_it_was]
        if self._logs.columns == 1:
            self._chosen[changed[:, 0]] = True
        return rows, rows[~as_it_was], changed

    def _matches(self, keys: StringColumn) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows of a base file's batch whose key is in the logs, ascending, and the number of the key.

        Of several rows with one key only the first is merged: rule MERGE-11.
        """
        assert self._logs.keys is not None
        found = self._logs.keys.find(keys)
        rows = np.flatnonzero(found >= 0)
        numbers = np.searchsorted(self._keys, found[rows])
        fresh = ~self._met[numbers]
        rows, numbers = rows[fresh], numbers[fresh]
        _, first = np.unique(numbers, return_index=True)
        first.sort()
        rows, numbers = rows[first], numbers[first]
        self._met[numbers] = True
        return rows, numbers

    def _at_positions(self, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """As `_matches` for the next rows, by the positions that the logs' records have in the base file."""
        begin = self._passed
        self._passed += count
        low, high = np.searchsorted(self._keys, [begin, self._passed])
        self._met[low:high] = True
        return self._keys[low:high] - begin, np.arange(low, high)

    def _refuse_beyond(self, where: str) -> None:
        if self._logs.keys is None and len(self._keys) and self._keys[-1] >= self._passed:
            beyond = int(self._keys[np.searchsorted(self._keys, self._passed)])
            raise CorruptFileError(where, expected=f"a row at position {beyond}", found=f"{self._passed} rows")

    def _base_records(self, root: Any, columns: MergeColumns, rows: NDArray[np.int64], where: str) -> MergeRecords:
        """The base file's rows that logs have too. Their numbers go on behind those of the logs' rows."""
        ordering = tuple(
            comparable(column, place.field.type, width, columns.nulls_above)[rows]
            for column, place, width in zip(
                columns.ordering_values(root, where), columns.ordering, self._logs.widths, strict=True
            )
        )
        none: Bools = np.zeros(len(rows), np.bool_)
        numbers = np.arange(self._logs.rows, self._logs.rows + len(rows), dtype=np.int32)
        partial = columns.rules.partial is not None
        given = columns.given(root)[rows] if partial else np.ones((len(rows), self._logs.columns), np.bool_)
        sources = np.repeat(numbers[:, None], self._logs.columns, axis=1)
        return MergeRecords(ordering, none, none, none, sources, given)

    def _whole_rows(self) -> Iterator[Any]:
        begin = 0
        for batch in self._logs.batches:
            end = begin + self._rows.count(batch)
            if self._chosen[begin:end].any():
                yield self._rows.keep(batch, self._chosen[begin:end])
            begin = end

    def _put_together(self, batches: Sequence[Any], sources: NDArray[np.int32]) -> Iterator[Any]:
        columns = [sources[:, number].astype(np.int64) for number in range(sources.shape[1])]
        return self._rows.gather(batches, columns, self._columns.schema)
