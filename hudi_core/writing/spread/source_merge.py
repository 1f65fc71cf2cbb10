"""Merges of a source in parts: its rows go to the slices that hold their keys, each of which is read once. Rule WRITE-614.

What becomes of the rows is decided by `writing.source_merge`; the rows that this makes are merged as those of any input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from hudi_core.data_files.spool import Spool
from hudi_core.errors import HudiError, StorageError
from hudi_core.parallel.flow import Flow, Packet, SpreadRows
from hudi_core.schema.schema import Schema
from hudi_core.table.table import Table
from hudi_core.tagging.distributed import RemoteTagging, remote_tagging
from hudi_core.tagging.key_columns import NOWHERE, Locations, concat_keys
from hudi_core.tagging.tag import TagOptions
from hudi_core.timeline.slices import FileSlice
from hudi_core.transactions.refusals import refuse_buckets
from hudi_core.transactions.reports import packed, report, unpacked
from hudi_core.writing.incoming import preparation, row_schema
from hudi_core.writing.operations import Operation, run_of
from hudi_core.writing.result import WriteResult
from hudi_core.writing.source_merge.bound import BoundMerge, bound_merge
from hudi_core.writing.source_merge.clauses import Clause, On
from hudi_core.writing.source_merge.matched import (
    SourceRows,
    StoredRows,
    merged_rows,
    rows_without_slices,
    stored_rows,
)
from hudi_core.writing.source_merge.operations import mergeable, of_merge
from hudi_core.writing.spread.cuts import range_cuts
from hudi_core.writing.spread.located import DealRanges
from hudi_core.writing.spread.operations import KEYS_OF_RANGE, prepared_rows, sendable
from hudi_core.writing.spread.packs import RowPack
from hudi_core.writing.spread.prepared import InputReport, PartCounts, PartReport, input_report
from hudi_core.writing.update_outcomes import ChangedRows
from hudi_core.writing.write_run import Planned, WriteOptions, bare_schema

_PARTS_PER_CORE = 2


def spread_merge(
    table: Table, rows: SpreadRows, on: On, clauses: Sequence[Clause], options: WriteOptions | None = None
) -> WriteResult:
    """As `writing.source_merge.operations.merge`, of rows in parts."""
    settings = options or WriteOptions()
    latest = mergeable(table)
    refuse_buckets(latest)
    bound = bound_merge(latest, rows.schema, on, tuple(clauses))
    sent = replace(bound, table=sendable(latest))
    bare = bare_schema(latest)
    with ExitStack() as files:
        kept = files.enter_context(rows.mapped(ReadSource(sent)).kept())
        given = input_report(kept.reports())

        def plan(table: Table, instant_time: str) -> Planned:
            merged = _MergedParts(bound.rows, rows.runner, *_dealt(kept, given, table, sent, settings))
            prepares = preparation(table, bound.rows, instant_time)
            prepared = files.enter_context(prepared_rows(table, merged, prepares, iter))
            planned = prepared.planned_upsert(table, instant_time, settings, files)
            return of_merge(planned.planned, table, bound, planned.loses)

        no_rows = Spool(latest.engine, row_schema(latest, bare))
        return run_of(latest, Operation.UPSERT, bare, no_rows, settings).run(plan)


def _dealt(
    kept: Flow, given: InputReport, table: Table, merge: BoundMerge, options: WriteOptions
) -> tuple[Flow, MergeSlices]:
    """The source's rows in parts by slice, and what is done with them there."""
    ranges = max(kept.parallelism, -(-given.rows // KEYS_OF_RANGE))
    parts = max(1, _PARTS_PER_CORE * kept.parallelism)
    cuts = range_cuts(given.samples, ranges, by_key=merge.whole_table)
    tagging = remote_tagging(table, TagOptions(options.index, merge.whole_table))
    first_rows = {part.part: given.first_row(part.part) for part in given.parts}
    ranged = kept.mapped(DealRanges(cuts, table.engine, merge.given)).dealt(ranges)
    located = ranged.mapped(LocateSource(tagging, merge.given, first_rows, parts)).dealt(parts)
    scan = table.scan(meta=table.config.populate_meta_fields)
    return located, MergeSlices(merge, stored_rows(merge, scan), tagging.slices)


@dataclass(frozen=True, slots=True, eq=False)
class ReadSource:
    """Rows of a part of a source as they are, with their keys. It can be pickled."""

    merge: BoundMerge

    def __call__(self, part: int, batches: Iterator[Any]) -> Iterator[Packet]:
        counts = PartCounts(part)
        try:
            for batch in batches:
                if self.merge.table.engine.rows.count(batch):
                    yield counts.packet(self.merge.keys([batch]), batch)
        except HudiError as error:
            yield counts.refused(error)
        else:
            yield report(part, PartReport(part, counts.partitions, counts.sampler.sample()))


@dataclass(frozen=True, slots=True, eq=False)
class LocateSource:
    """Rows of a range of keys to the parts of the slices that hold their keys. It can be pickled. Rows of a group are those of
    the slice before it; those of group 0 are in none."""

    tagging: RemoteTagging
    schema: Schema
    first_rows: Mapping[int, int]
    parts: int

    def __call__(self, part: int, packets: Iterator[Packet]) -> Iterator[Packet]:
        packs: list[tuple[int, RowPack]] = [(packet.source, unpacked(packet)) for packet in packets]
        if not packs:
            return
        keys, engine = concat_keys([pack.keys for _, pack in packs]), self.tagging.table.engine
        located = Locations.nowhere(len(keys))
        try:
            if self.tagging.slices:
                located = self.tagging.tagger().locate(keys)
        except HudiError as error:
            if isinstance(error, StorageError):
                raise
            yield report(part, error)
            return
        start = 0
        for number, (source, pack) in enumerate(packs):
            slices = located.slices[start : start + len(pack)]
            start += len(pack)
            numbered = replace(pack, numbers=self.first_rows[source] + pack.numbers)
            for of_slice in np.unique(slices).tolist():
                rows = numbered.taken(engine, self.schema, np.flatnonzero(slices == of_slice))
                to_part = part if of_slice == NOWHERE else of_slice
                yield Packet(to_part % self.parts, of_slice - NOWHERE, part, number, packed(rows))


@dataclass(frozen=True, slots=True, eq=False)
class MergeSlices:
    """What becomes of the rows of a source that come to a part. It can be pickled."""

    merge: BoundMerge
    stored: StoredRows
    slices: tuple[FileSlice, ...]

    def rows(self, packets: Iterator[Packet]) -> Iterator[ChangedRows]:
        for group, of_group in groupby(packets, key=lambda packet: packet.group):
            packs: list[RowPack] = [unpacked(packet) for packet in of_group]
            keys = concat_keys([pack.keys for pack in packs])
            numbers = np.concatenate([pack.numbers for pack in packs])
            batches = tuple(pack.batch for pack in packs)
            if group == 0:
                yield from rows_without_slices(self.merge, batches, keys, numbers)
                continue
            source = SourceRows(batches, keys.records, numbers)
            yield from merged_rows(self.merge, source, self.stored.of_slice(self.slices[group + NOWHERE]))


@dataclass(frozen=True, slots=True, eq=False)
class _MergeThen:
    """A step on the rows that a merge makes of packets. It can be pickled."""

    step: MergeSlices
    work: Callable[[int, Iterator[Any]], Iterator[Packet]]

    def __call__(self, part: int, packets: Iterator[Packet]) -> Iterator[Packet]:
        refused: list[HudiError] = []

        def rows() -> Iterator[ChangedRows]:
            try:
                yield from self.step.rows(packets)
            except HudiError as error:
                if isinstance(error, StorageError):
                    raise
                refused.append(error)  # it names a row of the source: the step would count rows of the part

        for packet in self.work(part, rows()):
            if refused:
                break
            yield packet
        if refused:
            yield report(part, refused[0])


@dataclass(frozen=True, slots=True)
class _MergedParts:
    """`hudi_core.parallel.flow.SpreadRows` of what a merge makes: a part's batches are `ChangedRows`."""

    schema: Schema
    runner: Any
    flow: Flow
    step: MergeSlices

    def mapped(self, work: Callable[[int, Iterator[Any]], Iterator[Packet]]) -> Flow:
        return self.flow.mapped(_MergeThen(self.step, work))
