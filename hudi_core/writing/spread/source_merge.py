"""Merges of a source in parts: its rows go to the slices that hold their keys, each of which is read once. Rules WRITE-614,
WRITE-1580.

What becomes of the rows is decided by `writing.source_merge`; the rows that this makes are merged as those of any input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np

from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import take_strings
from hudi_core.data_files.spool import Spool, spool
from hudi_core.errors import HudiError, StorageError
from hudi_core.expr.queries import Condition
from hudi_core.parallel.flow import Flow, Packet, SpreadInput
from hudi_core.reading.remote import RemoteScan, SliceRead
from hudi_core.schema.meta import bare_schema
from hudi_core.schema.schema import Schema
from hudi_core.table.table import Table
from hudi_core.tagging.distributed import RemoteTagging, remote_tagging
from hudi_core.tagging.key_columns import NOWHERE, concat_keys, take_keys
from hudi_core.tagging.key_reader import input_schema
from hudi_core.timeline.slices import FileSlice
from hudi_core.transactions.reports import pack_object, report, unpack
from hudi_core.writing.incoming import preparation, row_schema
from hudi_core.writing.operation import Operation, WriteOptions
from hudi_core.writing.operation_plans import tag_options
from hudi_core.writing.operations import run_of
from hudi_core.writing.result import WriteResult
from hudi_core.writing.source_merge.bound import BoundMerge, bind_merge, bind_replacement
from hudi_core.writing.source_merge.clauses import Clause, On
from hudi_core.writing.source_merge.matched import (
    SourceRows,
    change_unmatched_rows,
    locate_source,
    merge_rows,
    rows_without_slices,
    scan_stored_rows,
    with_keys,
)
from hudi_core.writing.source_merge.operations import mergeable, of_merge
from hudi_core.writing.spread.cuts import range_cuts
from hudi_core.writing.spread.located import DealRanges
from hudi_core.writing.spread.operations import KEYS_OF_RANGE, prepare_rows, sendable
from hudi_core.writing.spread.packs import RowPack, join_packs, pack_runs
from hudi_core.writing.spread.prepared import InputReport, PartCounts, input_report
from hudi_core.writing.task_rows import group_rows
from hudi_core.writing.update_outcomes import ChangedRows
from hudi_core.writing.write_run import Planned

_PARTS_PER_CORE = 2


def spread_merge(
    table: Table, source: SpreadInput, on: On, clauses: Sequence[Clause], options: WriteOptions | None = None
) -> WriteResult:
    """As `writing.source_merge.operations.merge`, of rows in parts."""
    settings = options or WriteOptions()
    return _run(table, source, settings, lambda latest, given: bind_merge(latest, given, on, tuple(clauses), settings))


def spread_overwrite_where(
    table: Table, source: SpreadInput, where: Condition, options: WriteOptions | None = None
) -> WriteResult:
    """As `writing.source_merge.operations.overwrite_where`, of rows in parts."""
    settings = options or WriteOptions()
    return _run(table, source, settings, lambda latest, given: bind_replacement(latest, given, where, settings), where)


def _run(
    table: Table,
    source: SpreadInput,
    settings: WriteOptions,
    bind: Callable[[Table, Schema], BoundMerge],
    where: Condition | None = None,
) -> WriteResult:
    latest = mergeable(table, settings, where)
    rows = source.like(input_schema(latest.schema))
    bound = bind(latest, rows.schema)
    sent = replace(bound, table=sendable(latest))
    bare = bare_schema(latest.schema)
    with ExitStack() as files:
        kept = files.enter_context(rows.map(ReadSource(sent)).keep())
        given = input_report(kept.reports())
        bound.refuse_no_rows(given.rows)

        def plan(table: Table, instant_time: str) -> Planned:
            bound.refuse_changed_lookup(table, settings)
            merged = _MergedParts(bound.rows, rows.runner, *_deal(kept, given, table, sent, settings))
            prepares = preparation(table, bound.rows, instant_time)
            prepared = files.enter_context(prepare_rows(table, merged, prepares, iter))
            once = len(bound.unmatched) > 0
            planned = prepared.plan_upsert(table, instant_time, settings, files, removes=True, once=once)
            return of_merge(planned.planned, table, bound, planned.loses)

        no_rows = Spool(latest.engine, row_schema(latest, bare))
        return run_of(latest, Operation.UPSERT, bare, no_rows, settings).run(plan)


def _deal(
    kept: Flow, given: InputReport, table: Table, merge: BoundMerge, options: WriteOptions
) -> tuple[Flow, MergeSlices]:
    """The source's rows in parts by slice, and what is done with them there."""
    ranges = max(kept.parallelism, -(-given.rows // KEYS_OF_RANGE))
    parts = max(1, _PARTS_PER_CORE * kept.parallelism)
    cuts = range_cuts(given.samples, ranges, by_key=merge.whole_table)
    tagging = remote_tagging(table, tag_options(table, options))
    ranged = kept.map(DealRanges(cuts, table.engine, merge.given, given.key_sums)).deal(ranges)
    located = ranged.map(LocateSource(tagging, merge.given, given.first_rows, parts)).deal(parts)
    scan = scan_stored_rows(merge, table)
    reads = {read.number: read for read in scan.parts()} if merge.unmatched else {}
    return located, MergeSlices(merge, scan.remote_scan(), tagging.slices, parts, reads)


@dataclass(frozen=True, slots=True, eq=False)
class ReadSource:
    """Rows of a part of a source as they are, with their keys. It can be pickled."""

    merge: BoundMerge

    def __call__(self, part: int, batches: Iterator[Any]) -> Iterator[Packet]:
        counts = PartCounts(part, self.merge.table.engine)
        try:
            for batch, keys in self.merge.with_keys(batches):
                yield counts.packet(keys, batch)
        except HudiError as error:
            yield counts.refuse(error)
        else:
            yield report(part, counts.report())


@dataclass(frozen=True, slots=True, eq=False)
class LocateSource:
    """Rows of a range of keys to the parts of the slices that hold their keys, with these. It can be pickled."""

    tagging: RemoteTagging
    schema: Schema
    first_rows: Mapping[int, int]
    parts: int

    def __call__(self, part: int, packets: Iterator[Packet]) -> Iterator[Packet]:
        runs = list(pack_runs(packets))
        if not runs:
            return
        keys, engine = concat_keys([pack.keys for run in runs for pack in run.packs]), self.tagging.table.engine
        of_input = [self.first_rows[run.source] + run.whole.numbers for run in runs]
        try:
            located = locate_source(self.tagging.tagger(), keys, np.concatenate(of_input))
        except HudiError as error:
            if isinstance(error, StorageError):
                raise
            yield Packet(0, 0, part, 0, pack_object(error))  # to the next step: packets for the caller are left out
            return
        numbers, start = count(), 0
        for run, of_run in zip(runs, of_input, strict=True):
            whole = run.whole
            slices = located.slices[start : start + len(whole)]
            start += len(whole)
            to_part = np.where(slices == NOWHERE, part, slices) % self.parts
            placed = replace(whole, numbers=of_run, places=slices)
            yield from replace(run, source=part).deal(placed, to_part, engine, self.schema, numbers)


@dataclass(frozen=True, slots=True, eq=False)
class MergeSlices:
    """What becomes of the rows of a source that come to a part, and of the other rows of its slices. It can be pickled."""

    merge: BoundMerge
    stored: RemoteScan
    slices: tuple[FileSlice, ...]
    parts: int
    unmatched: Mapping[int, SliceRead]
    """The slices with rows that clauses for unmatched rows may be for, by number."""

    def rows(self, part: int, packets: Iterator[Packet]) -> Iterator[ChangedRows]:
        packs: list[RowPack] = []

        def batches() -> Iterator[Any]:
            for packet in packets:
                pack: RowPack | HudiError = unpack(packet)
                if isinstance(pack, HudiError):
                    raise pack
                packs.append(replace(pack, batch=None))
                yield pack.batch

        met = set[int]()
        with closing(spool(self.merge.table.engine, self.merge.given, batches())) as rows:
            if packs:
                yield from self._merge(rows, join_packs(packs), met)
        others = [read for number, read in self.unmatched.items() if number % self.parts == part and number not in met]
        yield from change_unmatched_rows(self.merge, self._read(others))

    def _read(self, slices: Sequence[SliceRead]) -> Iterator[tuple[Any, StringColumn]]:
        return with_keys(self.merge, self.stored.wanted, self.stored.read(slices))

    def _merge(self, rows: Spool, whole: RowPack, met: set[int]) -> Iterator[ChangedRows]:
        """What becomes of rows of the source, and of all rows of the slices that hold their keys, which come to `met`."""
        slices = np.full(len(whole), NOWHERE, np.int64) if whole.places is None else whole.places
        new = np.flatnonzero(slices == NOWHERE)
        if len(new):
            keys = take_keys(whole.keys, new)
            yield from rows_without_slices(self.merge, tuple(rows.take(new)), keys, whole.numbers[new])
        for number, own in group_rows(slices):
            records = take_strings(whole.keys.records, own)
            source = SourceRows(tuple(rows.take(own)), records, whole.numbers[own])
            stored = self._read([SliceRead(self.slices[number], filtered=False)])
            met.add(number)
            yield from merge_rows(self.merge, source, stored)


@dataclass(frozen=True, slots=True, eq=False)
class _MergeThen:
    """A step on the rows that a merge makes of packets. It can be pickled."""

    step: MergeSlices
    work: Callable[[int, Iterator[Any]], Iterator[Packet]]

    def __call__(self, part: int, packets: Iterator[Packet]) -> Iterator[Packet]:
        refused: list[HudiError] = []

        def rows() -> Iterator[ChangedRows]:
            try:
                yield from self.step.rows(part, packets)
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

    def map(self, work: Callable[[int, Iterator[Any]], Iterator[Packet]]) -> Flow:
        return self.flow.map(_MergeThen(self.step, work))
