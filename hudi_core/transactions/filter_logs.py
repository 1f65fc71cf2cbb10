"""Bloom filters of new base files go from footers to log files of `bloom_filters` by tasks. Rule META-1170.

A filter of a million keys has a megabyte. Filters of few files come with the statuses of these. Of more files the footers alone
have them. Once it is known which attempts of tasks count, a task for each file group of `bloom_filters` reads the footers of its
files, and encodes the log file, which waits beside the write's markers as those of keys do (`key_exchange`). The process that
commits holds a line for each log file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from hudi_core.columns.hashes import bloom_filter_key
from hudi_core.columns.strings import string_column
from hudi_core.commit.statuses import StagedLog, StagedLogs, WriteStatus
from hudi_core.data_files.footer_filters import footer_filter
from hudi_core.data_files.waiting import waiting_threads
from hudi_core.engine import Engine, FileInfo, Runner
from hudi_core.metadata.kinds import stores_filters
from hudi_core.metadata.table import BLOOM_FILTERS
from hudi_core.metadata_rows.rows import FileFilter, IndexRows, filter_rows
from hudi_core.metadata_writer.delta_commit import group_sets
from hudi_core.metadata_writer.group_files import by_group, group_numbers, log_content
from hudi_core.parallel.ordered import in_order
from hudi_core.table.table import Table
from hudi_core.transactions.attempts import Attempts
from hudi_core.transactions.metadata_steps import require_metadata_table

FILES_WITH_FILTERS: Final = 32
"""Files whose filters come with their statuses, at most."""
_BYTES_OF_BLOCK: Final = 1 << 24
"""Bytes of filters that are a block of a log file, and together in memory."""
_BYTES_OF_FILTER: Final = 1 << 21
_FOLDER: Final = "hudi_core_filters"
"""The folder of waiting log files, in that of the write's markers: who ends the write deletes both."""


def with_filter(status: WriteStatus, files: int) -> WriteStatus:
    """The status of one of so many files: with its filter where they are few, else without."""
    return status if files <= FILES_WITH_FILTERS else replace(status, bloom_filter=None)


def stage_filters(
    table: Table, instant_time: str, statuses: Sequence[WriteStatus], runner: Runner
) -> StagedLogs | None:
    """The log files of `bloom_filters` with the filters that statuses left in the footers of their files; None where statuses
    have all filters, or the table does not keep them."""
    waiting = [one for one in statuses if one.bloom_filter_type is not None and one.bloom_filter is None]
    if not waiting or not stores_filters(table.config.kept_partitions):
        return None
    metadata = table.snapshot().metadata or require_metadata_table(table)
    metadata = replace(metadata, partitions=table.config.kept_partitions)
    (file_groups,) = group_sets(metadata, BLOOM_FILTERS, None)
    files = [(one.partition, FileInfo(one.path, one.size)) for one in statuses if not one.is_log]
    keys = string_column([bloom_filter_key(partition, info.name) for partition, info in files])
    groups = group_numbers(IndexRows(keys), len(file_groups))
    tasks = [
        _GroupFiles(group, tuple(files[number] for number in np.flatnonzero(groups == group).tolist()))
        for group in np.unique(groups).tolist()
    ]
    attempts = Attempts(table.storage, instant_time, of_commit=True)
    logs = runner.run(EncodeFilters(table.engine, attempts, len(file_groups)), tasks)
    return StagedLogs(tuple(logs), frozenset({BLOOM_FILTERS}), runner)


def join_staged(*parts: StagedLogs | None) -> StagedLogs | None:
    """Parts of one commit that wait, together; None where there is none."""
    some = [part for part in parts if part is not None]
    if not some:
        return None
    logs = tuple(log for part in some for log in part.logs)
    return replace(some[0], logs=logs, partitions=frozenset().union(*(part.partitions for part in some)))


@dataclass(frozen=True, slots=True)
class _GroupFiles:
    """The new files whose filters a file group gets, each with its partition."""

    group: int
    files: tuple[tuple[str, FileInfo], ...]


@dataclass(frozen=True, slots=True, eq=False)
class EncodeFilters:
    """Encodes the log file of a file group of `bloom_filters`, one of `groups`, and lets it wait. It can be pickled. Memory holds
    the filters of a block."""

    engine: Engine[Any, Any, Any]
    attempts: Attempts
    groups: int

    def __call__(self, task: _GroupFiles) -> StagedLog:
        records: list[int] = []
        path, size = self.attempts.stage_file(f"{_FOLDER}/{task.group}", self._blocks(task.files, records))
        return StagedLog(BLOOM_FILTERS, None, self.groups, task.group, path, size, sum(records), deletes=0)

    def _blocks(self, files: Sequence[tuple[str, FileInfo]], records: list[int]) -> Iterator[bytes]:
        """The log file block by block; `records` gets how many each has."""
        time = self.attempts.instant_time
        for filters in self._runs(files):
            records.append(len(filters))
            for rows in by_group(filter_rows(filters, time), self.groups):
                yield log_content(rows, BLOOM_FILTERS, time)

    def _runs(self, files: Sequence[tuple[str, FileInfo]]) -> Iterator[list[FileFilter]]:
        """The filters of files, in runs of some megabytes."""
        held: list[FileFilter] = []
        size = 0
        for one in in_order(self._filter, files, waiting_threads(_BYTES_OF_FILTER)):
            if one is None:
                continue
            if held and size + len(one.content) > _BYTES_OF_BLOCK:
                yield held
                held, size = [], 0
            held.append(one)
            size += len(one.content)
        if held:
            yield held

    def _filter(self, file: tuple[str, FileInfo]) -> FileFilter | None:
        partition, info = file
        footer = self.engine.reader(info.extension).open(self.attempts.storage, info).footer
        return footer_filter(partition, info.name, footer)
