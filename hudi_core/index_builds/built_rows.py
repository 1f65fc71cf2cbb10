"""The files of a table that its metadata table is to record. Rules META-80, META-84."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from hudi_core.data_files.waiting import INFLATED, waiting_threads
from hudi_core.engine import Engine, FileInfo, Storage
from hudi_core.errors import CorruptFileError
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.index_builds.footers import FILES_OF_SHARE, IndexedFile, footer_of
from hudi_core.metadata_rows.rows import IndexRows, file_rows
from hudi_core.parallel.ordered import in_order
from hudi_core.parallel.reach import Reach
from hudi_core.snapshot.snapshot import list_files
from hudi_core.table.table import Table
from hudi_core.timeline.files import FileList


@dataclass(frozen=True)
class BuiltRows:
    """The data files of a table, and the rows of `files` that list them."""

    table: Table

    def files(self) -> IndexRows:
        """Rows of `files`: of each partition the files of completed writes."""
        sizes: dict[str, dict[str, int]] = {partition: {} for partition in self._listing.partitions}
        for file in self.data_files:
            sizes[file.partition][file.info.name] = file.info.size
        return file_rows({partition: named for partition, named in sizes.items() if named})

    def row_count(self, unless: int) -> int:
        """About how many rows the table has: those of the files of its latest slices, as far as they state them. 0 where the
        files are too small for more than `unless` rows, and are not looked into."""
        live = [file.info for file in self.data_files if file.live]
        if sum(info.size for info in live) < unless:
            return 0
        work, runner = partial(_rows_of, self.table.engine, self.table.storage), self.table.engine.runner
        if runner.reach is Reach.MEMORY:
            return work(live)
        shares = [live[start : start + FILES_OF_SHARE] for start in range(0, len(live), FILES_OF_SHARE)]
        return sum(runner.run(work, shares))

    @cached_property
    def _listing(self) -> FileList:
        return list_files(self.table.storage)

    @cached_property
    def data_files(self) -> tuple[IndexedFile, ...]:
        """The base files and log files of completed writes, by partition. Raises `CorruptFileError` for an empty one."""
        latest = {file.path for file_slice in self.table.slices() for file in file_slice.files}
        files: list[IndexedFile] = []
        for partition, info in self._listing.infos():
            if not self._counts(info.name):
                continue
            if not info.size:
                raise CorruptFileError(f"{self.table.storage.uri}/{info.path}", expected="a data file", found="0 bytes")
            files.append(IndexedFile(partition, info, info.path in latest))
        return tuple(files)

    def _counts(self, name: str) -> bool:
        base, log = parse_base_file(name), parse_log_file(name)
        if base is not None:
            return self.table.timeline.is_committed(base.instant)
        # In layout 1 a log file has the time of its slice, but for a change log.
        has_own_time = log is not None and (log.is_cdc or self.table.timeline.layout > 1)
        return log is not None and (not has_own_time or self.table.timeline.is_committed(log.instant))


def _rows_of(engine: Engine[Any, Any, Any], storage: Storage, files: Sequence[FileInfo]) -> int:
    """The rows of files, as far as they state them."""
    largest = max((info.size for info in files if parse_log_file(info.name)), default=0)
    footers = in_order(partial(footer_of, engine, storage), files, waiting_threads(INFLATED * largest))
    return sum(stated.rows for stated in footers if stated is not None)
