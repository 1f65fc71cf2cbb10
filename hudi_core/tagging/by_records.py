"""Keys located by the record index: a key's hash chooses the file group, and that a few blocks. Rules INDEX-11 to INDEX-13."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

import numpy as np

from hudi_core.arrays import Numbers, Words64
from hudi_core.columns.hashes import utf8_string_hashes
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.string_index import index_strings
from hudi_core.columns.strings import string_column, take_strings
from hudi_core.metadata.lookup import newest_of
from hudi_core.metadata.record_index import LocationColumns, location_columns, uuid_halves
from hudi_core.metadata.table import RECORD_INDEX, MetadataTable, siblings
from hudi_core.parallel.ordered import in_order
from hudi_core.tagging.key_columns import NOWHERE, KeyColumns, Locations
from hudi_core.tagging.work import TaggingMetrics
from hudi_core.timeline.slices import FileSlice

LOST = -2
"""In place of the number of a slice: the index names a file group that the snapshot has not."""

_MIXERS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)


@dataclass(frozen=True, slots=True)
class _RecordMatches:
    """Rows of the batch, and the slices in which the index places their keys."""

    rows: Numbers
    slices: Numbers


@dataclass(frozen=True)
class RecordIndexLookup:
    """Locates keys by the record index of a metadata table. Positions are not known. With `whole_table` a key may be in any
    partition; otherwise it counts in its own alone."""

    metadata: MetadataTable
    slices: Sequence[FileSlice]
    whole_table: bool = False

    def locate(self, keys: KeyColumns, work: TaggingMetrics) -> Locations:
        """Where the keys are; `LOST` for those that the index places where no slice is."""
        locations = Locations.nowhere(len(keys))
        with work.measure("record index"):
            own = None if self.whole_table else self._places.partitions.find(string_column(keys.paths))
            tasks = [partial(self._look_up, group, rows, keys, own, work) for group, rows in self._parts(keys)]
            work.begin_lookups(len(tasks))
            for matches in in_order(lambda task: task(), tasks):
                free = locations.slices[matches.rows] < 0
                locations.slices[matches.rows[free]] = matches.slices[free]
                work.end_lookups(1)
        return locations

    def _parts(self, keys: KeyColumns) -> Iterator[tuple[FileSlice, Numbers]]:
        """File groups of the index, and the rows of the keys that are to be looked up there."""
        hashes = np.abs(utf8_string_hashes(keys.records.data, keys.records.offsets).astype(np.int64))
        for group in siblings(self.metadata.slices(RECORD_INDEX)):
            group_indexes = hashes % len(group)
            order = np.argsort(
                group_indexes.astype(np.uint16) if len(group) < 1 << 16 else group_indexes, kind="stable"
            )
            bounds = np.searchsorted(group_indexes[order], np.arange(len(group) + 1)).tolist()
            for file_group, (start, end) in zip(group, pairwise(bounds), strict=True):
                if start < end:
                    yield file_group, order[start:end]

    def _look_up(
        self, group: FileSlice, rows: Numbers, keys: KeyColumns, own: Numbers | None, work: TaggingMetrics
    ) -> _RecordMatches:
        """Records of a file group for the keys in these rows; `own` has for each path of the keys its partition's number."""
        looked_up = take_strings(keys.records, rows)
        index = index_strings(looked_up)
        slices = np.full(len(rows), NOWHERE, np.int64)
        partitions = np.full(len(rows), NOWHERE, np.int64)
        opened = self.metadata.open_group(group)
        before = 0 if opened.base is None else opened.base.blocks_read
        for look in newest_of(opened, looked_up, index):
            records = look()
            slices[records.keys], partitions[records.keys] = self._places.numbers(location_columns(records))
        work.count(blocks_read=0 if opened.base is None else opened.base.blocks_read - before, groups_read=1)
        located = np.flatnonzero(slices[index.first] != NOWHERE)
        first_rows = index.first[located]
        if own is not None:
            right = (partitions[first_rows] == own[keys.partitions[rows[located]]]) & (
                partitions[first_rows] != NOWHERE
            )
            located, first_rows = located[right], first_rows[right]
        return _RecordMatches(rows[located], slices[first_rows])

    @cached_property
    def _places(self) -> SliceNumbers:
        return SliceNumbers(self.slices)


class SliceNumbers:
    """The numbers of file slices by partition and file id."""

    def __init__(self, slices: Sequence[FileSlice]) -> None:
        names = sorted({file_slice.partition for file_slice in slices})
        self.partitions = index_strings(string_column(names))
        partition_numbers = {name: index for index, name in enumerate(names)}
        halves = [(index, uuid_halves(file_slice.file_id)) for index, file_slice in enumerate(slices)]
        with_uuid = [(index, uuid) for index, uuid in halves if uuid is not None]
        self._slices = np.array([index for index, _ in with_uuid], np.int64)
        rows = [(partition_numbers[slices[index].partition], *uuid) for index, uuid in with_uuid]
        self._rows = np.array(rows, np.int64).reshape(len(rows), 4)
        hashes = _mix(self._rows)
        order = np.argsort(hashes, kind="stable")
        self._hashes, self._rows, self._slices = hashes[order], self._rows[order], self._slices[order]
        self._by_text = {
            (partition_numbers[file_slice.partition], file_slice.file_id): index
            for index, file_slice in enumerate(slices)
        }

    def numbers(self, locations: LocationColumns) -> tuple[Numbers, Numbers]:
        """The slice of each location, `LOST` for none; and the number of its partition, -1 for one without slices."""
        partitions = self.partitions.find(locations.partitions)
        slices = np.full(len(partitions), LOST, np.int64)
        if len(self._hashes):
            wanted = np.stack([partitions, locations.high, locations.low, locations.file_indexes], axis=1)
            hashes = _mix(wanted)
            places = np.minimum(np.searchsorted(self._hashes, hashes), len(self._hashes) - 1)
            equal = (self._rows[places] == wanted).all(axis=1) & ~locations.as_text
            slices[equal] = self._slices[places[equal]]
        with_text = np.flatnonzero(locations.as_text)
        if len(with_text) and locations.file_ids is not None:
            slices[with_text] = self._of_texts(partitions[with_text], take_strings(locations.file_ids, with_text))
        return slices, partitions

    def _of_texts(self, partitions: Numbers, file_ids: StringColumn) -> Numbers:
        """Slices by strings of file ids: each distinct one is looked up once."""
        index = index_strings(file_ids)
        pairs, inverse = np.unique(np.stack([partitions, index.first], axis=1), axis=0, return_inverse=True)
        names = [bytes(file_ids.data[file_ids.offsets[row] : file_ids.offsets[row + 1]]) for row in pairs[:, 1]]
        slices = [
            self._by_text.get((int(partition), name.decode("utf-8", "replace")), LOST)
            for partition, name in zip(pairs[:, 0], names, strict=True)
        ]
        return np.array(slices, np.int64)[inverse.reshape(-1)]


def _mix(rows: Numbers) -> Words64:
    parts = rows.view(np.uint64)
    mixed: Words64 = parts[:, 0] * _MIXERS[0] ^ parts[:, 1] * _MIXERS[1]
    mixed ^= mixed >> np.uint64(29)
    mixed += parts[:, 2] * _MIXERS[2]
    mixed ^= (mixed >> np.uint64(31)) + parts[:, 3] * _MIXERS[0]
    return mixed
