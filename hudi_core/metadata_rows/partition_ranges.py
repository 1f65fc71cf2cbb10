"""Statistics of whole partitions, from those of the files that their latest slices are made of. Rule META-65."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.hashes import bloom_filter_keys
from hudi_core.columns.strings import string_column
from hudi_core.metadata.file_keys import Keys
from hudi_core.metadata.merged import merge_statistics
from hudi_core.metadata.statistics import RecordedStatistics
from hudi_core.metadata.table import MetadataTable
from hudi_core.metadata.typed_by_file import as_stored
from hudi_core.pruning.promoted import promote
from hudi_core.pruning.statistics import ColumnStatistics, concatenate, take_files, unknown, without_bounds
from hudi_core.types import nodes as t


@dataclass(frozen=True, slots=True, eq=False)
class FileStatistics:
    """Statistics of a column in some files, and the number of each file's partition."""

    partition_of: Numbers
    statistics: ColumnStatistics


def partition_statistics(parts: Sequence[FileStatistics]) -> tuple[Numbers, ColumnStatistics]:
    """The numbers of the partitions of all files, and the statistics of each. There is a file at least."""
    partition_of = np.concatenate([part.partition_of for part in parts])
    places, whole = merge_statistics(partition_of, concatenate([part.statistics for part in parts]))
    return (partition_of if places is None else partition_of[places]), whole


@dataclass(frozen=True, eq=False)
class RecordedFiles:
    """Files of the table whose statistics the metadata table may have."""

    partition_of: Numbers
    keys: Keys
    recorded: Mapping[str, tuple[RecordedStatistics, ...]]

    def statistics(self, column: str, type: t.Type) -> FileStatistics:
        """The recorded statistics of a column, as of this type; unknown for files without a record."""
        order = np.argsort(self.keys)
        ordered = self.keys[order]
        known = np.zeros(len(self.keys), np.bool_)
        rows: list[Numbers] = []
        parts: list[ColumnStatistics] = []
        for part in self.recorded.get(column, ()):
            keys = np.ascontiguousarray(part.keys).view(self.keys.dtype).ravel()
            places = np.minimum(np.searchsorted(ordered, keys), max(len(ordered) - 1, 0))
            there = np.flatnonzero(ordered[places] == keys)
            files = order[places[there]]
            known[files] = True
            rows.append(files)
            parts.append(_as_type(take_files(part.statistics, there), type, typed=part.typed))
        missing = np.flatnonzero(~known)
        all_rows = np.concatenate([*rows, missing])
        return FileStatistics(self.partition_of[all_rows], concatenate([*parts, unknown(type, len(missing))]))


def read_recorded_files(
    metadata: MetadataTable,
    files: Mapping[str, Sequence[str]],
    numbers: Mapping[str, int],
    columns: Sequence[str],
    index: str | None = None,
) -> RecordedFiles:
    """The statistics that the metadata table has of files, by partition and name; `numbers` are the numbers of the
    partitions. With an expression index, by its metadata partition, those of its function of the columns."""
    partitions = sorted(files)
    place = np.repeat(np.arange(len(partitions)), [len(files[partition]) for partition in partitions])
    names = string_column([name for partition in partitions for name in files[partition]])
    if not len(place):
        return RecordedFiles(np.zeros(0, np.int64), np.zeros(0, "S36"), {})
    keys = bloom_filter_keys(partitions, place, names)
    of_table = np.array([numbers[partition] for partition in partitions], np.int64)
    known = metadata.of_files(keys)
    recorded = (
        known.column_stats(columns)
        if index is None
        else {name: known.expression_stats(index, name) for name in columns}
    )
    return RecordedFiles(of_table[place], keys, recorded)


def _as_type(statistics: ColumnStatistics, type: t.Type, *, typed: bool) -> ColumnStatistics:
    if typed:
        return promote(statistics, type)
    stored = as_stored(statistics, type)
    return without_bounds(statistics, type) if stored is None else stored
