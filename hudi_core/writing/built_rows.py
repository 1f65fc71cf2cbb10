"""What the files of a table say that its metadata table is to record: listing, footers, record keys. Rules META-80 to META-83."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.hashes import bloom_filter_keys
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import concat_strings, string_column
from hudi_core.engine import FileInfo, Footer
from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.index.stored import StoredKeys
from hudi_core.indexing.delta_commit import epoch_milliseconds
from hudi_core.indexing.group_files import repeated_key
from hudi_core.indexing.partition_ranges import FileStatistics, partition_statistics
from hudi_core.indexing.rows import IndexRows, StoredFilter, file_rows, filter_rows, location_rows, together
from hudi_core.indexing.statistics_rows import Sizes, file_statistics_rows, partition_statistics_rows
from hudi_core.metadata.file_keys import Keys
from hudi_core.parallel.limits import STORAGE_REQUESTS
from hudi_core.parallel.ordered import in_order
from hudi_core.planning.sources.stored_filters import FOOTER_KEYS
from hudi_core.pruning.promoted import promoted
from hudi_core.pruning.statistics import ColumnStatistics, absent, concatenated, from_leaves, taken, unknown
from hudi_core.snapshot.snapshot import listed
from hudi_core.table.table import Table
from hudi_core.timeline.files import FileList
from hudi_core.types import nodes as t
from hudi_core.writing.log_ranges import log_footer

Ints = NDArray[np.int64]
_FILTER_KIND = "hoodie_bloom_filter_type_code"


@dataclass(frozen=True)
class BuiltRows:
    """Rows of metadata partitions, made from the files of a table."""

    table: Table

    def files(self) -> IndexRows:
        """Rows of `files`: of each partition the files of completed writes."""
        sizes: dict[str, dict[str, int]] = {partition: {} for partition in self._listing.partitions}
        for partition, info in self._data_files:
            sizes[partition][info.name] = info.size
        return file_rows({partition: named for partition, named in sizes.items() if named})

    def column_stats(self, columns: Mapping[str, t.Type], version: str) -> IndexRows:
        """Rows of `column_stats`."""
        rows, keys, names = self._measured
        return together(
            [
                file_statistics_rows(
                    column,
                    keys,
                    names,
                    taken(self._statistics(column, column_type), rows),
                    Sizes(*(sizes[rows] for sizes in self._sizes(column))),
                    version,
                )
                for column, column_type in columns.items()
            ]
        )

    def partition_stats(self, columns: Mapping[str, t.Type], version: str) -> IndexRows:
        """Rows of `partition_stats`: of the files of the latest slices."""
        latest = {file.path for file_slice in self.table.slices() for file in file_slice.files}
        rows = np.array(
            [row for row in self._measured[0].tolist() if self._data_files[row][1].path in latest], np.int64
        )
        partitions = sorted({self._data_files[row][0] for row in rows.tolist()})
        if not partitions:
            return together([])
        number_of = {partition: number for number, partition in enumerate(partitions)}
        partition_of = np.array([number_of[self._data_files[row][0]] for row in rows.tolist()], np.int64)
        return together(
            [
                self._of_partitions(column, column_type, partitions, partition_of, rows, version)
                for column, column_type in columns.items()
            ]
        )

    def _of_partitions(
        self, column: str, type: t.Type, partitions: Sequence[str], partition_of: Ints, rows: Ints, version: str
    ) -> IndexRows:
        found = FileStatistics(partition_of, taken(self._statistics(column, type), rows))
        places, statistics = partition_statistics([found])
        zeros = np.zeros(len(places), np.int64)
        names = [partitions[number] for number in places.tolist()]
        return partition_statistics_rows(column, names, statistics, Sizes(zeros, zeros), version)

    def bloom_filters(self, instant_time: str) -> IndexRows:
        """Rows of `bloom_filters`, of the base files whose footers have one."""
        filters: list[StoredFilter] = []
        for (partition, info), footer in zip(self._data_files, self._footers, strict=True):
            stated = {} if footer is None else footer.metadata
            content = next((stated[key] for key in FOOTER_KEYS if key in stated), None)
            if content is not None:
                filters.append(StoredFilter(partition, info.name, stated.get(_FILTER_KIND, "SIMPLE"), content.encode()))
        return filter_rows(filters, instant_time)

    def record_index(self) -> Mapping[str, IndexRows]:
        """Rows of the record index, by partition of the table."""
        stored = StoredKeys(self.table.scan().sources)
        by_partition: dict[str, list[IndexRows]] = {}
        for file_slice in self.table.slices():
            parts = list(stored.of_slice(file_slice))
            if parts:
                milliseconds = epoch_milliseconds(file_slice.instant, self.table.timeline.zone)
                keys = concat_strings(parts)
                rows = location_rows(keys, file_slice.partition, file_slice.file_id, milliseconds)
                by_partition.setdefault(file_slice.partition, []).append(rows)
        return {partition: together(parts) for partition, parts in by_partition.items()}

    def row_count(self, unless: int) -> int:
        """About how many rows the table has: those of the files of its latest slices, as far as they state them. 0 where the
        files are too small for more than `unless` rows, and are not looked into."""
        sizes = {file.path: file.size for file_slice in self.table.slices() for file in file_slice.files}
        if sum(sizes.values()) < unless:
            return 0
        return sum(
            footer.rows
            for (_, info), footer in zip(self._data_files, self._footers, strict=True)
            if footer is not None and info.path in sizes
        )

    def refuse_repeated(self, rows: IndexRows) -> None:
        """Raises `UnsupportedError` when a key is in two places."""
        twice = repeated_key(rows.keys)
        if twice is not None:
            expected = "a table that has each record key once"
            raise UnsupportedError(self.table.storage.uri, expected=expected, found=f"{twice!r} twice")

    @cached_property
    def _listing(self) -> FileList:
        return listed(self.table.storage)

    @cached_property
    def _data_files(self) -> list[tuple[str, FileInfo]]:
        """The base files and log files of completed writes, by partition. Raises `CorruptFileError` for an empty one."""
        data_files: list[tuple[str, FileInfo]] = []
        for partition, info in self._listing.infos():
            if not self._counts(info.name):
                continue
            if not info.size:
                raise CorruptFileError(f"{self.table.storage.uri}/{info.path}", expected="a data file", found="0 bytes")
            data_files.append((partition, info))
        return data_files

    def _counts(self, name: str) -> bool:
        base, log = parse_base_file(name), parse_log_file(name)
        if base is not None:
            return self.table.timeline.is_committed(base.instant)
        # In layout 1 a log file has the time of its slice, but for a log of changes.
        has_own_time = log is not None and (log.is_cdc or self.table.timeline.layout > 1)
        return log is not None and (not has_own_time or self.table.timeline.is_committed(log.instant))

    @cached_property
    def _footers(self) -> list[Footer | None]:
        """The footers of files, side by side; None for log files of which nothing is known."""
        return list(in_order(self._footer, [info for _, info in self._data_files], STORAGE_REQUESTS))

    def _footer(self, info: FileInfo) -> Footer | None:
        base = parse_base_file(info.name)
        if _is_change_log(info):
            return None
        if base is None:
            return log_footer(self.table.storage, info)
        return self.table.engine.reader(base.extension[1:]).footer(self.table.storage, info)

    @cached_property
    def _measured(self) -> tuple[Ints, Keys, StringColumn]:
        """The numbers of files that have statistics, the parts of their keys after the column, and their names."""
        measured = [
            row
            for row, (footer, (_, info)) in enumerate(zip(self._footers, self._data_files, strict=True))
            if not _is_change_log(info) and (footer is None or footer.rows or parse_log_file(info.name))
        ]
        rows = np.array(measured, np.int64)
        partitions = sorted({self._data_files[row][0] for row in rows.tolist()})
        number_of = {partition: number for number, partition in enumerate(partitions)}
        numbers = np.array([number_of[self._data_files[row][0]] for row in rows.tolist()], np.int64)
        names = string_column([self._data_files[row][1].name for row in rows.tolist()])
        keys = bloom_filter_keys(partitions, numbers, names) if len(rows) else np.zeros(0, "S36")
        return rows, keys, names

    def _statistics(self, column: str, type: t.Type) -> ColumnStatistics:
        """Statistics of a column in all files, as of a type. A file without the column has nulls alone."""
        path = tuple(column.split("."))
        by_type: dict[t.Type, list[int]] = {}
        missing: list[int] = []
        nothing: list[int] = []
        for row, footer in enumerate(self._footers):
            if footer is None:
                nothing.append(row)
            elif footer.schema.find(path) is None:
                missing.append(row)
            elif (leaf := footer.statistics.get(path)) is None or leaf.null_count is None or leaf.value_count is None:
                nothing.append(row)
            else:
                by_type.setdefault(leaf.type, []).append(row)
        parts = [(rows, promoted(self._leaves(path, rows, kind), type)) for kind, rows in by_type.items()]
        counts = np.array([footer.rows for row in missing if (footer := self._footers[row]) is not None], np.int64)
        parts += [
            (missing, replace(absent(type, len(missing)), nulls=counts, rows=counts)),
            (nothing, unknown(type, len(nothing))),
        ]
        order = np.argsort(np.concatenate([np.array(rows, np.int64) for rows, _ in parts]), kind="stable")
        return taken(concatenated([statistics for _, statistics in parts]), order)

    def _leaves(self, path: tuple[str, ...], rows: Sequence[int], kind: t.Type) -> ColumnStatistics:
        leaves = [footer.statistics[path] for row in rows if (footer := self._footers[row]) is not None]
        return from_leaves(kind, leaves)

    def _sizes(self, column: str) -> tuple[Ints, Ints]:
        path = tuple(column.split("."))
        leaves = [None if footer is None else footer.statistics.get(path) for footer in self._footers]
        stored = [0 if leaf is None else leaf.size or 0 for leaf in leaves]
        uncompressed = [0 if leaf is None else leaf.uncompressed_size or 0 for leaf in leaves]
        return np.array(stored, np.int64), np.array(uncompressed, np.int64)


def _is_change_log(info: FileInfo) -> bool:
    """Logs of changes are no part of a slice: nothing is recorded of them but that they are there."""
    log = parse_log_file(info.name)
    return log is not None and log.is_cdc
