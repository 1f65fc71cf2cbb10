"""Rows of slices with log files: rows of the base file that no log record touches, and merged rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from hudi_core.arrays import Numbers
from hudi_core.columns.nodes import StringColumn
from hudi_core.errors import UsageError
from hudi_core.evolve.reconcile import reconcile
from hudi_core.expr.predicate import Predicate
from hudi_core.formats.log import LogBlock
from hudi_core.merge.rules import MergeRules, merge_rules
from hudi_core.options import TableConfig
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.array_files import ScratchFolder
from hudi_core.reading.base_files import BaseFiles
from hudi_core.reading.damage import DAMAGE, RAISED, Damage
from hudi_core.reading.latest_records import LatestRecords, latest_records
from hudi_core.reading.log_blocks import slice_blocks
from hudi_core.reading.log_records import LogReader, LogRecords, log_bytes, positions_in_base, refuse_positions_beyond
from hudi_core.reading.log_runs import LogRuns, share_bits
from hudi_core.reading.merge_columns import MergeColumns, merge_columns
from hudi_core.reading.selection import Selection
from hudi_core.reading.slice_merge import RowRanges, SliceMerge, whole_file
from hudi_core.reading.spilled_merge import SpilledMerge
from hudi_core.rows.project import projection
from hudi_core.schema.schema import Schema
from hudi_core.timeline.services import FileGroup
from hudi_core.timeline.slices import FileSlice

MAX_LOG_BYTES: Final = 64 << 20
"""Bytes of the blocks of a slice, as they are in memory, that are held there."""
_MERGE_MEMORY: Final = "hoodie.memory.merge.max.size"


def max_log_bytes(config: TableConfig) -> int:
    """`MAX_LOG_BYTES`, or what the table's properties state. Raises `UsageError` for what is no number of bytes."""
    text = config.properties.get(_MERGE_MEMORY)
    if text is None:
        return MAX_LOG_BYTES
    if not text.strip().isdecimal():
        raise UsageError(_MERGE_MEMORY, expected="a number of bytes", found=repr(text))
    return int(text)


@dataclass(frozen=True)
class MergedSlices:
    """Reads slices with log files. There is one reader for each wanted schema; safe to use from several threads."""

    base_files: BaseFiles
    damage: Damage = RAISED
    _readers: dict[tuple[Schema, bool], LogReader] = field(default_factory=dict, repr=False, compare=False)

    def rows(self, slice: FileSlice, wanted: Schema, deleting: set[FileGroup] | None = None) -> Iterator[Any]:
        """The engine's batches of the slice's rows, as rows of the wanted schema. `deleting` gets the file group, behind the last
        row, where log files delete rows of the base file.

        The base file's rows come in file order; behind each of its batches, or behind all of them, those that logs changed;
        then those that only logs have. The base file is read a batch at a time, the logs are held in memory; where these do not
        fit, changed rows come where they stood. Raises `UnsupportedError` for an unknown way to merge records.
        """
        return self._rows(slice, wanted, whole_file, deleting)

    def matching(self, slice: FileSlice, wanted: Selection, residual: Predicate) -> Iterator[Any]:
        """The slice's rows that match, as the wanted columns; no batch is without rows.

        Of a row group of the base file without a match only merged rows can match: of it, no more is read than merging
        needs. Rule MERGE-16.
        """
        rows = self._rows(slice, wanted.needed, lambda base: self.base_files.row_ranges(slice, base, wanted, residual))
        return wanted.matching(residual, rows)

    def merge(self, slice: FileSlice, wanted: Schema, *, by_key: bool = False) -> tuple[SliceMerge | SpilledMerge, int]:
        """The merge of a slice, and the number of blocks that it merges. Its rows have the wanted columns first, then those that
        merging needs; with `by_key` they have record keys in any case."""
        blocks = self._blocks(slice, wanted)
        if self._spills(blocks):
            return self._spill(slice, blocks, wanted, by_key=by_key)[1], len(blocks)
        columns, logs = self._logs(slice, blocks, wanted, by_key=by_key)
        return SliceMerge(self.base_files, slice, columns, logs), len(blocks)

    def log_records(self, slice: FileSlice, wanted: Schema) -> tuple[MergeColumns, LogRecords, Sequence[LogBlock]]:
        """The records of a slice's logs with their keys, and the blocks that they are in, whatever the base file has."""
        blocks = self._blocks(slice, wanted)
        return *self._logs(slice, blocks, wanted, by_key=True), blocks

    @contextmanager
    def latest_records(self, slice: FileSlice, wanted: Schema) -> Iterator[tuple[LatestRecords, Sequence[LogBlock]]]:
        """The latest record of each key of a slice's logs, and the blocks that they are in. Raises `UnsupportedError` as
        `reading.latest_records` does."""
        blocks = self._blocks(slice, wanted)
        with latest_records(self._reader(wanted, True), slice, blocks, spills=self._spills(blocks)) as latest:
            yield latest, blocks

    def _rows(
        self, slice: FileSlice, wanted: Schema, row_ranges: RowRanges, deleting: set[FileGroup] | None = None
    ) -> Iterator[Any]:
        engine, blocks = self._sources.snapshot.engine, self._blocks(slice, wanted)
        merge: SliceMerge | SpilledMerge
        if self._spills(blocks):
            columns, merge = self._spill(slice, blocks, wanted)
            batches: Iterator[Any] = (made.rows for made in merge.rewritten())
        else:
            columns, logs = self._logs(slice, blocks, wanted)
            merge = SliceMerge(self.base_files, slice, columns, logs)
            batches = merge.rows(row_ranges)
        narrow = projection(reconcile(columns.schema, wanted), engine.values)
        is_wanted_schema = len(columns.schema.fields) == len(wanted.fields)
        for batch in batches:
            if engine.rows.count(batch):
                yield batch if is_wanted_schema else engine.rows.batch(narrow(engine.rows.root(batch)))
        if deleting is not None and merge.deletes:
            deleting.add((slice.partition, slice.file_id))

    def _blocks(self, slice: FileSlice, wanted: Schema) -> list[LogBlock]:
        """The blocks that count; where damage is skipped those that can be read."""
        snapshot = self._sources.snapshot
        blocks = slice_blocks(slice, snapshot.storage, snapshot.timeline, self.damage)
        return [block for block in blocks if self._is_sound(slice, block, wanted)] if self.damage.skips else blocks

    def _logs(
        self, slice: FileSlice, blocks: Sequence[LogBlock], wanted: Schema, *, by_key: bool = False
    ) -> tuple[MergeColumns, LogRecords]:
        """The records of the slice's logs, merged by position where all have one, else by key."""
        positions = None if by_key else positions_in_base(slice, blocks)
        if positions is not None:
            reader = self._reader(wanted, False)
            logs = reader.read(slice, blocks, positions)
            if len(logs.key_ids) == len(logs.records):
                return reader.columns, logs
        reader = self._reader(wanted, True)
        return reader.columns, reader.read(slice, blocks, None)

    def _spills(self, blocks: Sequence[LogBlock]) -> bool:
        """Whether the records of blocks go into files: those of the plain engine stay in memory, for it writes none."""
        snapshot = self._sources.snapshot
        return snapshot.engine.rows.spills and log_bytes(blocks) > max_log_bytes(snapshot.config)

    def _spill(
        self, slice: FileSlice, blocks: Sequence[LogBlock], wanted: Schema, *, by_key: bool = False
    ) -> tuple[MergeColumns, SpilledMerge]:
        """The merge of a slice with the records of its logs in files. Rows without a column cannot be put together: they have
        keys."""
        positions = None if by_key or not wanted.fields else positions_in_base(slice, blocks)
        if positions is not None and (merge := self._spill_by(slice, blocks, self._reader(wanted, False), positions)):
            return self._reader(wanted, False).columns, merge
        reader = self._reader(wanted, True)
        merge = self._spill_by(slice, blocks, reader, None)
        assert merge is not None
        return reader.columns, merge

    def _spill_by(
        self, slice: FileSlice, blocks: Sequence[LogBlock], reader: LogReader, positions: Numbers | None
    ) -> SpilledMerge | None:
        """The merge by positions in the base file, or by keys; None where the positions are not those of the records."""
        base, folder = slice.base, ScratchFolder()
        try:
            base_rows = 0 if base is None else self._sources.headers.footer(base).rows
            if base is not None and positions is not None:
                refuse_positions_beyond(positions, base_rows, base.path)
            bits = share_bits(log_bytes(blocks), base_rows)
            logs = LogRuns(reader.columns, reader.merges_columns(blocks), bits, folder)
            reader.read_into(logs, slice, blocks)
            runs = logs.finish(positions, base_rows, self._base_keys(slice, reader.columns))
        except BaseException:
            folder.close()
            raise
        if runs is None:
            folder.close()
            return None
        return SpilledMerge(self.base_files, slice, runs, folder)

    def _base_keys(self, slice: FileSlice, columns: MergeColumns) -> Iterator[StringColumn]:
        """The record keys of a slice's base file, batch by batch."""
        if slice.base is not None:
            wanted, rows = columns.keys_and_ordering, columns.engine.rows
            for batch in self.base_files.rows(slice, slice.base, wanted.schema):
                yield wanted.record_keys(rows.root(batch), slice.base.path)

    def _is_sound(self, slice: FileSlice, block: LogBlock, wanted: Schema) -> bool:
        """Whether a block's records can be read; notes that they are left out where not."""
        try:
            positions_in_base(slice, [block])
            self._reader(wanted, True).read(slice, [block], None)
        except DAMAGE as error:
            self.damage.leave_out(error, "its records are")
            return False
        return True

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
