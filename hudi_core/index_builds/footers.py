"""Records of `column_stats`, `partition_stats` and `bloom_filters`, from the footers of base files and from log files. Rules
META-81, META-82, META-130.

Files are dealt to tasks in shares. A task holds the footers of its share, and of log files as many at once as memory has room
for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Final

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import string_column
from hudi_core.data_files.footer_filters import footer_filter
from hudi_core.data_files.log_ranges import log_footer
from hudi_core.data_files.waiting import INFLATED, waiting_threads
from hudi_core.engine import Engine, FileInfo, Footer, Storage
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.index_builds.runs import PrefixRows
from hudi_core.metadata.file_keys import Keys, keys_of
from hudi_core.metadata.kinds import has_whole_partitions
from hudi_core.metadata.table import BLOOM_FILTERS, COLUMN_STATS, PARTITION_STATS
from hudi_core.metadata_rows.partition_ranges import FileStatistics, partition_statistics
from hudi_core.metadata_rows.rows import FileFilter, IndexRows, filter_rows
from hudi_core.metadata_rows.statistics_rows import Sizes, file_statistics_rows, partition_statistics_rows
from hudi_core.parallel.ordered import in_order
from hudi_core.pruning.promoted import promote
from hudi_core.pruning.statistics import (
    ColumnStatistics,
    absent,
    concatenate,
    from_leaves,
    nothing,
    take_files,
    unknown,
)
from hudi_core.types import nodes as t

FILES_OF_SHARE: Final = 256
FILTERS_OF_SHARE: Final = 64
"""Files of a share whose bloom filters are recorded: one has half a megabyte by Apache Hudi's defaults."""
LOG_BYTES_OF_SHARE: Final = 1 << 26


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A data file; `live`: the latest file slices have it."""

    partition: str
    info: FileInfo
    live: bool

    @property
    def is_log(self) -> bool:
        return parse_log_file(self.info.name) is not None

    @property
    def is_change_log(self) -> bool:
        """A change log is no part of a slice: nothing is recorded of it but that it is there."""
        log = parse_log_file(self.info.name)
        return log is not None and log.is_cdc


def shares_of_files(files: Iterable[IndexedFile], most: int = FILES_OF_SHARE) -> list[tuple[IndexedFile, ...]]:
    """The files in shares: at most so many, but no more log files than memory has room for."""
    shares: list[tuple[IndexedFile, ...]] = []
    held: list[IndexedFile] = []
    size = 0
    for file in files:
        added = file.info.size if file.is_log else 0
        if held and (len(held) >= most or size + added > LOG_BYTES_OF_SHARE):
            shares.append(tuple(held))
            held, size = [], 0
        held.append(file)
        size += added
    return [*shares, tuple(held)] if held else shares


PartialStatistics = Mapping[str, FileStatistics]
"""By column the statistics of partitions, over the files of one share."""


@dataclass(frozen=True)
class FooterRows:
    """Makes the records of shares of files. It can be pickled.

    `prefixes` are the prefixes of the file groups of each metadata partition that is made; `columns` and `version` are those of
    statistics; `partitions` are the table's, in ascending order; `instant_time` is that of the base files; `of_paths` are columns
    that have values in partition paths, which files may leave out.
    """

    engine: Engine[Any, Any, Any]
    storage: Storage
    prefixes: Mapping[str, str]
    columns: Mapping[str, t.Type]
    version: str
    partitions: tuple[str, ...]
    instant_time: str
    of_paths: frozenset[str] = frozenset()

    def read(self, share: Sequence[IndexedFile]) -> tuple[list[PrefixRows], PartialStatistics]:
        """The records of a share, and its part of the statistics of whole partitions. Raises what reading raises."""
        files = FooterColumns(share, tuple(self._footers(share)))
        rows: list[PrefixRows] = []
        if (prefix := self.prefixes.get(BLOOM_FILTERS)) is not None:
            rows.append(PrefixRows(BLOOM_FILTERS, prefix, filter_rows(files.filters(), self.instant_time)))
        partials: dict[str, FileStatistics] = {}
        for column, column_type in self.columns.items():
            statistics = files.statistics(column, column_type, may_be_left_out=column in self.of_paths)
            if (prefix := self.prefixes.get(COLUMN_STATS)) is not None:
                rows.append(PrefixRows(COLUMN_STATS, prefix, self._of_files(files, column, statistics)))
            if self.joins and len(files.live):
                numbers = np.searchsorted(self.partitions, [share[row].partition for row in files.live.tolist()])
                of_files = FileStatistics(numbers.astype(np.int64), take_files(statistics, files.live))
                partials[column] = FileStatistics(*partition_statistics([of_files]))
        return rows, partials

    @property
    def joins(self) -> bool:
        return has_whole_partitions(self.prefixes)

    def join(self, partials: Sequence[PartialStatistics]) -> Iterator[PrefixRows]:
        """Records of whole partitions, joined from the parts of all shares."""
        for column in self.columns:
            parts = [partial[column] for partial in partials if column in partial]
            if parts:
                places, statistics = partition_statistics(parts)
                zeros = np.zeros(len(places), np.int64)
                names = [self.partitions[number] for number in places.tolist()]
                rows = partition_statistics_rows(column, names, statistics, Sizes(zeros, zeros), self.version)
                yield PrefixRows(PARTITION_STATS, self.prefixes[PARTITION_STATS], rows)

    def _of_files(self, files: FooterColumns, column: str, statistics: ColumnStatistics) -> IndexRows:
        return file_statistics_rows(
            column, files.keys, files.names, statistics, Sizes(*files.sizes(column)), self.version
        )

    def _footers(self, share: Sequence[IndexedFile]) -> Iterator[Footer | None]:
        """The footers of files, side by side; None for log files of which nothing is known."""
        largest = max((file.info.size for file in share if file.is_log), default=0)
        footer = partial(footer_of, self.engine, self.storage)
        return in_order(footer, [file.info for file in share], waiting_threads(INFLATED * largest))


def footer_of(engine: Engine[Any, Any, Any], storage: Storage, info: FileInfo) -> Footer | None:
    """The footer of a base file, or what stands for that of a log file; None for one of which nothing is known."""
    if parse_base_file(info.name) is None:
        return log_footer(storage, info)
    return engine.reader(info.extension).open(storage, info).footer


@dataclass(frozen=True)
class FooterColumns:
    """The footers of some files as columns."""

    files: Sequence[IndexedFile]
    footers: Sequence[Footer | None]

    @cached_property
    def live(self) -> Numbers:
        """The numbers of files that the latest file slices have."""
        return np.flatnonzero(np.array([file.live for file in self.files], np.bool_))

    @cached_property
    def names(self) -> StringColumn:
        """The names of all files."""
        return string_column([file.info.name for file in self.files])

    @cached_property
    def keys(self) -> Keys:
        """The parts of their keys after the column."""
        return keys_of((file.partition for file in self.files), self.names)

    def filters(self) -> list[FileFilter]:
        """The bloom filters that footers have."""
        filters: list[FileFilter] = []
        for file, footer in zip(self.files, self.footers, strict=True):
            if (stored := footer_filter(file.partition, file.info.name, footer)) is not None:
                filters.append(stored)
        return filters

    def statistics(self, column: str, type: t.Type, *, may_be_left_out: bool = False) -> ColumnStatistics:
        """Statistics of a column in all files, as of a type. A file without the column has nulls alone; one that may spell it in
        other letters' case says nothing, nor does one where it may be left out. One without rows has no value of any column.
        Rules META-1570, META-1589, TIME-1569."""
        path = tuple(column.split("."))
        by_type: dict[t.Type, list[int]] = {}
        missing: list[int] = []
        empty: list[int] = []
        unstated: list[int] = []
        for row, footer in enumerate(self.footers):
            if footer is None:
                unstated.append(row)
            elif footer.rows == 0:
                empty.append(row)
            elif footer.schema.find(path) is None:
                (unstated if may_be_left_out or footer.schema.list_spellings(path) else missing).append(row)
            elif (leaf := footer.statistics.get(path)) is None or leaf.null_count is None or leaf.value_count is None:
                unstated.append(row)
            else:
                by_type.setdefault(leaf.type, []).append(row)
        parts = [(rows, promote(self._leaves(path, rows, kind), type)) for kind, rows in by_type.items()]
        counts = np.array([footer.rows for row in missing if (footer := self.footers[row]) is not None], np.int64)
        parts += [
            (missing, replace(absent(type, len(missing)), nulls=counts, rows=counts)),
            (empty, nothing(type, len(empty))),
            (unstated, unknown(type, len(unstated))),
        ]
        order = np.argsort(np.concatenate([np.array(rows, np.int64) for rows, _ in parts]), kind="stable")
        return take_files(concatenate([statistics for _, statistics in parts]), order)

    def _leaves(self, path: tuple[str, ...], rows: Collection[int], kind: t.Type) -> ColumnStatistics:
        leaves = [footer.statistics[path] for row in rows if (footer := self.footers[row]) is not None]
        return from_leaves(kind, leaves)

    def sizes(self, column: str) -> tuple[Numbers, Numbers]:
        """Bytes of a column in each file, stored and uncompressed."""
        path = tuple(column.split("."))
        leaves = [None if footer is None else footer.statistics.get(path) for footer in self.footers]
        stored = [0 if leaf is None else leaf.size or 0 for leaf in leaves]
        uncompressed = [0 if leaf is None else leaf.uncompressed_size or 0 for leaf in leaves]
        return np.array(stored, np.int64), np.array(uncompressed, np.int64)
