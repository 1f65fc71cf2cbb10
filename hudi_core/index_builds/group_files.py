"""The base files of an index build: records read by tasks of a runner, then a file of each file group, side by side. Rules
META-92, META-130."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import Final, TypeVar

from hudi_core.commit.statuses import WriteStatus, add_written
from hudi_core.data_files.waiting import INFLATED, waiting_runner
from hudi_core.engine import Storage
from hudi_core.formats.names import BaseFileName
from hudi_core.index_builds.built_rows import BuiltRows
from hudi_core.index_builds.exchanged import Exchange
from hudi_core.index_builds.row_sources import row_sources
from hudi_core.index_builds.runs import RANGE_BYTES, RUN_BYTES, GroupNumbers, SpooledRuns, spool_runs
from hudi_core.metadata.definitions import IndexDefinition
from hudi_core.metadata.table import METADATA_FOLDER
from hudi_core.metadata_writer.building import NewGroups
from hudi_core.metadata_writer.group_files import write_base
from hudi_core.parallel.flow import FlowRunner
from hudi_core.table.table import Table
from hudi_core.tally import READING_FILES, WRITING, Tally
from hudi_core.transactions.attempts import Attempts

T = TypeVar("T")

_FILES_AT_ONCE: Final = 4
"""Files for each task that runs at the same time, between two reports of progress."""


@dataclass(frozen=True)
class GroupFiles:
    """Writes the base files of file groups. It can be pickled."""

    storage: Storage
    numbers: GroupNumbers
    runs: SpooledRuns
    file_time: str
    groups_time: str

    def write(self, group: int) -> WriteStatus:
        """The base file of a group. Raises `UnsupportedError` for a key that comes twice, and what storage raises."""
        partition, file_id = self.numbers.named[group]
        number = file_id.rsplit("-", 2)[1]
        name = BaseFileName(file_id, f"{int(number)}-0-0", self.file_time, ".hfile").file_name()
        path = f"{partition}/{name}"
        with self.storage.output(f"{METADATA_FOLDER}/{path}") as sink:
            size, count = write_base(sink, self.runs.key_ranges(group))
        return WriteStatus(partition, file_id, path, size, count, count, 0, 0, previous_instant=self.groups_time)


def write_base_files(
    built: BuiltRows,
    partitions: Sequence[NewGroups],
    definitions: Mapping[str, IndexDefinition],
    file_time: str,
    groups_time: str,
    instant_time: str,
    progress: Callable[[int], None],
    tally: Tally | None = None,
) -> Iterator[WriteStatus]:
    """Writes the base files of metadata partitions, those without records left out. Memory is bounded as in `index_runs`, for
    each task that runs at the same time. `instant_time` is that of the build, whose heartbeat shows that it goes on."""
    storage, numbers = built.table.storage, GroupNumbers(tuple(partitions))
    tally = tally or Tally()
    tally.enter(READING_FILES)
    exchange = _exchange(built, numbers, definitions, file_time)
    if exchange is not None:
        for status in exchange.write(file_time, groups_time, Attempts(storage, instant_time)):
            progress(1)
            yield status
        return
    with closing(_spool(built, numbers, definitions, file_time)) as waiting:
        files = GroupFiles(storage, numbers, waiting, file_time, groups_time)
        tally.enter(WRITING, len(waiting.filled) or None)
        for status in _of_groups(built.table, waiting, files.write):
            progress(1)
            add_written(tally, status, counted=False)
            yield status


def refuse_unbuildable(
    built: BuiltRows, partitions: Sequence[NewGroups], definitions: Mapping[str, IndexDefinition]
) -> None:
    """Reads and orders all records, and writes nothing: raises what `write_base_files` does, unless storage cannot be written.
    Rule META-500."""
    numbers = GroupNumbers(tuple(partitions))
    exchange = _exchange(built, numbers, definitions, "0")
    if exchange is not None:
        exchange.refuse_unbuildable()
        return
    with closing(_spool(built, numbers, definitions, "0")) as waiting:
        for _ in _of_groups(built.table, waiting, waiting.refuse_repeated):
            pass


def _exchange(
    built: BuiltRows, numbers: GroupNumbers, definitions: Mapping[str, IndexDefinition], file_time: str
) -> Exchange | None:
    """The build by tasks that exchange records; None where records are collected here."""
    table = built.table
    runner: object = table.engine.runner
    if not isinstance(runner, FlowRunner):
        return None
    sources = tuple(row_sources(built, numbers.groups, definitions, file_time))
    return Exchange(runner, table.engine, table.storage, numbers, sources)


def _spool(
    built: BuiltRows, numbers: GroupNumbers, definitions: Mapping[str, IndexDefinition], file_time: str
) -> SpooledRuns:
    table = built.table
    # Tasks that read have threads of their own to wait in.
    reading = waiting_runner(table.engine, table.storage, INFLATED * RUN_BYTES)
    sources = row_sources(built, numbers.groups, definitions, file_time)
    runs = chain.from_iterable(source.runs(reading, numbers) for source in sources)
    return spool_runs(table.engine, len(numbers.named), runs)


def _of_groups(table: Table, waiting: SpooledRuns, work: Callable[[int], T]) -> Iterator[T]:
    """The results of some work on each file group that has records, some groups at a time."""
    filled = waiting.filled
    largest = max((waiting.size(group) for group in filled), default=0)
    runner = waiting_runner(table.engine, table.storage, INFLATED * min(largest, RANGE_BYTES))
    at_once = runner.parallelism * _FILES_AT_ONCE
    for start in range(0, len(filled), at_once):
        yield from runner.run(work, filled[start : start + at_once])
