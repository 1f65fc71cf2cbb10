"""Keys that log files alone delete: where a new row of such a key goes, and whether a log file can have it. Rules WRITE-75,
WRITE-1462, WRITE-1481, WRITE-1484.

Readers merge the records of log files first, and what that gives with the base file (MERGE-3). So a row behind a delete that wins
in any case competes with the row that was deleted, as if there had been no delete (MERGE-6).
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.columns.nodes import Column, StringColumn
from hudi_core.columns.slicing import filter_rows
from hudi_core.columns.string_index import StringIndex, index_strings
from hudi_core.columns.strings import take_strings
from hudi_core.evolve.reconcile import reconcile
from hudi_core.formats.deletes import DeleteRecords
from hudi_core.merge.records import MergeRecords, fold, merge_records
from hudi_core.merge.rules import MergeRules, merge_rules
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.log_blocks import slice_blocks
from hudi_core.reading.log_buffer import LogBuffer
from hudi_core.reading.log_records import PARTIAL_ROWS_SINCE, LogReader, is_partial
from hudi_core.reading.merge_columns import MergeColumns, merge_columns
from hudi_core.rows.project import projection
from hudi_core.tagging.by_files import FileLookup
from hudi_core.tagging.key_columns import NOWHERE, KeyColumns, slices_of_partitions
from hudi_core.tagging.slice_keys import SliceKeyReader
from hudi_core.tagging.work import TaggingMetrics
from hudi_core.timeline.services import FileGroup, list_opened_by_compactions
from hudi_core.timeline.slices import NO_BASE, FileSlice
from hudi_core.writing.incoming import Incoming
from hudi_core.writing.input_files import InputFiles
from hudi_core.writing.moves import LEFT_OUT
from hudi_core.writing.task_rows import Places, group_rows


def with_deleted_keys(
    stored: SliceKeyReader, keys: KeyColumns, places: Numbers, deleting: Set[FileGroup] | None = None
) -> Numbers:
    """The slices of keys, with those of keys that no slice holds and that the base file of a slice in their partition has.

    Reads base files of slices with log files alone, and of these what key ranges and bloom filters do not exclude; with
    `deleting` those of these file groups.
    """
    snapshot, slices = stored.sources.snapshot, stored.sources.snapshot.slices
    logged = np.flatnonzero((slices.bases != NO_BASE) & (np.diff(slices.log_offsets) > 0))
    if deleting is not None:
        chosen = [(one.partition, one.file_id) in deleting for one in slices.select(logged)] if deleting else []
        logged = logged[np.flatnonzero(chosen)]
    rows = np.flatnonzero(places == NOWHERE)
    if len(logged) == 0 or len(rows) == 0:
        return places
    bases = slices.select(logged).without_logs()
    wanted = KeyColumns(take_strings(keys.records, rows), keys.partitions[rows], keys.paths)
    of_bases = Sources(snapshot.of_slices(bases, snapshot.metadata))
    lookup = FileLookup(
        SliceKeyReader(of_bases, stored.read_recorded_bounds(logged))
    )  # those of the log files only widen them
    located = lookup.locate(wanted, slices_of_partitions(wanted, bases), TaggingMetrics()).slices
    is_held = located != NOWHERE
    completed = places.copy()
    completed[rows[is_held]] = logged[located[is_held]]
    return completed


def settle_deleted_rows(sources: Sources, incoming: Incoming, places: Places) -> Places:
    """The places of rows that are merged, of which some have keys that log files delete (`Places.deleted_in`).

    Rows that lose to the delete of their key are left out, and so are delete markers that would bring back the row which the base
    file has of a deleted key. Where rows would do that, their slices are `unlogged`, and so are those whose log files have rows
    of some columns. Reads of each slice with deleted keys the columns that merging needs. Raises as a read of these slices.
    """
    snapshot = sources.snapshot
    rules = merge_rules(snapshot.config, snapshot.storage.uri)
    if places.deleted_in is None or (rules.newer_wins and snapshot.config.version < PARTIAL_ROWS_SINCE):
        return places
    columns = _merge_columns(sources, incoming, rules)
    slices, unlogged = places.slices.copy(), set[int]()
    in_slices = list(group_rows(places.deleted_in))
    planned = list_opened_by_compactions(snapshot.timeline) if in_slices else {}
    for number, rows in in_slices:
        if any(map(is_partial, slice_blocks(snapshot.slices[number], snapshot.storage, snapshot.timeline))):
            unlogged.add(number)
        if rules.newer_wins:
            continue
        index = index_strings(take_strings(incoming.keys.records, rows))
        records = _read_records(sources, incoming, columns, snapshot.slices[number], rows, index)
        left_out, returns = _find_outcomes(columns, records, len(rows))
        one = snapshot.slices[number]
        if (one.partition, one.file_id) in planned:
            returns |= _settle_with_compacted(columns, records, left_out)
        slices[rows[left_out[index.first]]] = LEFT_OUT
        if returns:
            unlogged.add(number)
    return replace(places, slices=slices, unlogged=frozenset(unlogged))


def _merge_columns(sources: Sources, incoming: Incoming, rules: MergeRules) -> MergeColumns:
    """The columns of rows that decide which wins; all of them where columns are merged one by one."""
    snapshot, wanted = sources.snapshot, incoming.rows
    if rules.partial is None:
        wanted = replace(wanted, record=replace(wanted.record, fields=()))
    return merge_columns(snapshot.engine, snapshot.config, incoming.rows, rules, wanted, snapshot.storage.uri)


@dataclass(frozen=True, slots=True, eq=False)
class _Records:
    """The records of some keys of a slice: rows of its base file, records of its log files, and rows to write, of which `first`
    is the number of the first. `numbers` stand for the keys."""

    records: MergeRecords
    numbers: Numbers
    logs: int
    given: int
    first: int


def _read_records(
    sources: Sources,
    incoming: Incoming,
    columns: MergeColumns,
    file_slice: FileSlice,
    rows: Numbers,
    index: StringIndex,
) -> _Records:
    """The records of the keys of an index, which rows to write have."""
    snapshot, files = sources.snapshot, InputFiles(sources)
    buffer = LogBuffer(columns, columns.rules.partial is not None)
    of_keys = RecordsOfKeys(buffer, index)
    if file_slice.base is not None:
        for batch in files.rows(file_slice, file_slice.base, columns.schema):
            of_keys.add_rows(batch, file_slice.base.path)
    logs = buffer.records
    LogReader(files, columns).read_into(
        of_keys, file_slice, slice_blocks(file_slice, snapshot.storage, snapshot.timeline)
    )
    given, first, engine = buffer.records, buffer.rows, snapshot.engine
    narrow = projection(reconcile(incoming.rows, columns.schema), engine.values)
    for batch in incoming.spool.take(rows):
        buffer.add_rows(engine.rows.batch(narrow(engine.rows.root(batch))), "rows")
    return _Records(buffer.join()[0], index.find(buffer.keys()), logs, given, first)


def _find_outcomes(columns: MergeColumns, read: _Records, count: int) -> tuple[Bools, bool]:
    """By the number of each key, whether its rows are left out; and whether those of another would bring back a deleted row."""
    precedence, latest = columns.rules.precedence, columns.latest
    places = np.arange(len(read.numbers))
    of_parts = places[: read.logs], places[read.logs : read.given], places[read.given :]
    folded = [fold(read.records.take(part), read.numbers[part], precedence, latest) for part in of_parts]
    of_base, of_logs, of_rows = (numbers for numbers, _ in folded)
    left_out = np.zeros(count, np.bool_)
    keys = np.intersect1d(of_logs, of_rows)  # an index may name another file group than the files do
    # Rows of keys that a planned compaction takes from log files alone: they meet nothing but these.
    without_base = np.setdiff1d(keys, of_base)
    logs, given = (part.take(np.searchsorted(numbers, without_base)) for numbers, part in folded[1:])
    due = merge_records(logs, given, precedence, latest)
    left_out[without_base[due.deleted & (due.sources < read.first).all(axis=1)]] = True
    keys = np.intersect1d(keys, of_base)
    base, logs, given = (part.take(np.searchsorted(numbers, keys)) for numbers, part in folded)
    # What becomes of the rows as they came, and what readers make of them.
    due = merge_records(merge_records(base, logs, precedence, latest), given, precedence, latest)
    seen = merge_records(base, merge_records(logs, given, precedence, latest), precedence, latest)
    left_out[keys[due.deleted & ((due.sources < read.first).all(axis=1) | ~seen.deleted)]] = True
    differs = seen.deleted | (seen.sources != due.sources).any(axis=1)
    return left_out, bool((~due.deleted & differs).any())


def _settle_with_compacted(columns: MergeColumns, read: _Records, left_out: Bools) -> bool:
    """Whether a row that is not left out loses to any stored row of its key, or takes a value from it, as if nothing had deleted
    that one: the compaction that is planned may put it into the base file, with which readers then merge the row. Delete markers
    that lose so are left out: they would bring it back."""
    precedence, latest = columns.rules.precedence, columns.latest
    stored, given = np.flatnonzero(~read.records.deleted[: read.given]), np.arange(read.given, len(read.numbers))
    folded = [fold(read.records.take(part), read.numbers[part], precedence, latest) for part in (stored, given)]
    keys = np.intersect1d(folded[0][0], folded[1][0])
    highest, rows = (part.take(np.searchsorted(numbers, keys)) for numbers, part in folded)
    merged = merge_records(highest, rows, precedence, latest)
    left_out[keys[rows.deleted & ~merged.deleted]] = True
    return bool((~rows.deleted & ~left_out[keys] & (merged.sources < read.first).any(axis=1)).any())


@dataclass(frozen=True, slots=True)
class RecordsOfKeys:
    """Hands the records of the keys of an index to a buffer (`reading.log_records.RecordSink`)."""

    buffer: LogBuffer
    keys: StringIndex

    def add_rows(self, batch: Any, where: str, stored: Set[int] | None = None, size: int = 0) -> None:
        columns, rows = self.buffer.columns, self.buffer.columns.engine.rows
        known = self.keys.find(columns.record_keys(rows.root(batch), where)) >= 0
        if known.any():
            self.buffer.add_rows(rows.keep(batch, known), where, stored, size)

    def add_deletes(self, deletes: DeleteRecords, where: str) -> None:
        self.buffer.add_deletes(deletes.keep(self.keys.find(deletes.record_keys) >= 0), where)

    def add_typed_deletes(self, keys: StringColumn, ordering: tuple[Column, ...], where: str) -> None:
        known = self.keys.find(keys) >= 0
        chosen = filter_rows(keys, known)
        assert isinstance(chosen, StringColumn)
        self.buffer.add_typed_deletes(chosen, tuple(filter_rows(column, known) for column in ordering), where)
