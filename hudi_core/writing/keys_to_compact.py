"""Keys that a planned compaction puts into a base file, though log files that it leaves out delete them. Rules WRITE-75,
WRITE-1462, WRITE-1484.

Once the compaction ran, readers merge a row behind such a delete with the row in the base file, as if there had been no delete.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.string_index import StringIndex, index_strings
from hudi_core.columns.strings import take_strings
from hudi_core.formats.log import BlockKind
from hudi_core.merge.rules import merge_rules
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.log_blocks import slice_blocks
from hudi_core.reading.log_buffer import LogBuffer
from hudi_core.reading.log_records import LogReader
from hudi_core.reading.merge_columns import merge_columns
from hudi_core.tagging.by_files import FileLookup, Placed
from hudi_core.tagging.key_columns import NOWHERE, KeyColumns
from hudi_core.tagging.slice_keys import SliceKeyReader
from hudi_core.tagging.work import TaggingMetrics
from hudi_core.timeline.services import FileGroup
from hudi_core.timeline.slices import FileSlice, Slices, slices_of
from hudi_core.writing.deleted_keys import RecordsOfKeys
from hudi_core.writing.input_files import InputFiles


def with_keys_to_compact(
    stored: SliceKeyReader,
    keys: KeyColumns,
    places: Numbers,
    planned: Mapping[FileGroup, frozenset[str]],
    place: Callable[[KeyColumns, Slices], Placed],
) -> Numbers:
    """The slices of keys, with those of keys that no slice holds and that a planned compaction puts into a base file. `planned`
    has the file groups to compact with the names of the log files that the plan merges, `place` says in which slices keys may be.

    Reads of slices to compact the log files behind the plan that may delete keys, and where these delete some of `keys`, the
    keys of what the plan merges. Raises as a read of these slices.
    """
    snapshot = stored.sources.snapshot
    rows = np.flatnonzero(places == NOWHERE)
    if len(rows) == 0 or len(snapshot.slices) == 0:
        return places
    wanted = KeyColumns(take_strings(keys.records, rows), keys.partitions[rows], keys.paths)
    placed = place(wanted, snapshot.slices)
    later = _list_later(snapshot.slices, placed, planned)
    numbers = np.array(sorted(later), np.int64)
    if len(numbers) == 0:
        return places
    to_compact = slices_of([_without(snapshot.slices[number], later[number]) for number in numbers.tolist()])
    reader = SliceKeyReader(
        Sources(snapshot.of_slices(to_compact, snapshot.metadata)),
        stored.read_recorded_bounds(numbers),  # those of the later log files only widen them
    )
    lookup, work, deletes = (
        FileLookup(reader),
        TaggingMetrics(),
        _Deletes(stored.sources, index_strings(wanted.records)),
    )
    among = [(of_keys, np.flatnonzero(np.isin(numbers, of_slices))) for of_keys, of_slices in placed]
    tasks = [task for task in lookup.plan(wanted, among, work) if deletes.has_some(later[int(numbers[task.number])])]
    located = lookup.run(len(wanted), tasks, work).slices
    is_held = located != NOWHERE
    completed = places.copy()
    completed[rows[is_held]] = numbers[located[is_held]]
    return completed


def _list_later(slices: Slices, placed: Placed, planned: Mapping[FileGroup, frozenset[str]]) -> dict[int, FileSlice]:
    """The slices to compact that keys may be in, by number, each with the log files alone that no plan merges; of those with
    some."""
    candidates = np.unique(np.concatenate([np.zeros(0, np.int64), *(numbers for _, numbers in placed)]))
    later: dict[int, FileSlice] = {}
    for number in candidates[np.diff(slices.log_offsets)[candidates] > 0].tolist():
        one = slices[number]
        names = planned.get((one.partition, one.file_id))
        if names is not None and (logs := tuple(log for log in one.logs if log.name not in names)):
            later[number] = replace(one, logs=logs)
    return later


def _without(file_slice: FileSlice, later: FileSlice) -> FileSlice:
    """A slice without the log files of another."""
    left_out = frozenset(later.logs)
    return replace(file_slice, logs=tuple(log for log in file_slice.logs if log not in left_out))


class _Deletes:
    """Looks for deletes of some keys in log files."""

    def __init__(self, sources: Sources, keys: StringIndex) -> None:
        snapshot = sources.snapshot
        none = replace(snapshot.schema, record=replace(snapshot.schema.record, fields=()))
        rules = merge_rules(snapshot.config, snapshot.storage.uri)
        self._columns = merge_columns(
            snapshot.engine, snapshot.config, snapshot.schema, rules, none, snapshot.storage.uri
        )
        self._sources, self._keys = sources, keys
        self._reader = LogReader(InputFiles(sources), self._columns)

    def has_some(self, file_slice: FileSlice) -> bool:
        """Whether log files of a slice delete any of the keys. Rows are read where rows can delete."""
        snapshot = self._sources.snapshot
        blocks = slice_blocks(file_slice, snapshot.storage, snapshot.timeline)
        if not self._columns.has_markers:
            blocks = [block for block in blocks if block.kind is BlockKind.DELETE]
        buffer = LogBuffer(self._columns, partial=False)
        self._reader.read_into(RecordsOfKeys(buffer, self._keys), file_slice, blocks)
        return bool(buffer.raw_records().deleted.any())
