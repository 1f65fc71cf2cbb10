"""Groups of a clustering whose rows tasks exchange: none of them comes to the process that runs the plan. Rule CLUSTER-910.

Groups are rewritten in rounds. In a round tasks draw the sample of each group, which gives its layout: where its files begin.
Then tasks read shares of the slices, and send each file's rows on to the task that writes it, which orders and writes them. The
process that runs the plan holds the samples of a round, and a status for each file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.cluster.layout import TOO_LARGE, Layout, Strategy, layout
from hudi_core.cluster.reader import RowReader
from hudi_core.cluster.sample import SliceSize, sample_elsewhere, sizes_elsewhere
from hudi_core.cluster.sorted_rows import Paths, SortedRows, deal_rows, row_runs
from hudi_core.commit.markers import MarkerKind, marker_step
from hudi_core.commit.statuses import WriteStatus
from hudi_core.data_files.base_file import FileTarget
from hudi_core.data_files.spool import spool
from hudi_core.errors import HudiError, StorageError
from hudi_core.formats.names import parse_base_file
from hudi_core.metadata.table import RECORD_INDEX
from hudi_core.parallel.flow import FlowRunner, Packet
from hudi_core.schema.project import project
from hudi_core.timeline.slices import FileSlice
from hudi_core.transactions.attempts import Attempts, TaskFiles, new_attempt
from hudi_core.transactions.filter_logs import with_filter
from hudi_core.transactions.reports import (
    by_group,
    keep_needed,
    open_reports,
    pack_object,
    refusal,
    unpack,
    write_report,
)
from hudi_core.writing.tasks import NewFile, TaskRunner

_FILES_OF_ROUND: Final = 8
"""Files that are written in a round, for each task that runs at the same time, or those of one group."""
_GROUPS_OF_ROUND: Final = 16
_TASKS_AT_ONCE: Final = 4
"""Tasks of a step for each that runs at the same time, at least, as far as there is work for them."""
_BYTES_OF_TASK: Final = 1 << 27
"""What is done again at most where a task fails, but for files that are larger."""
_FIRST_ROWS: Final = 1 << 12
_MOST_ROWS: Final = 1 << 16
"""Rows of a packet: the first of a task, and others."""
_BYTES_OF_PACKET: Final = 1 << 22


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Slices that are rewritten together into about `outputs` files."""

    slices: tuple[FileSlice, ...]
    outputs: int

    @property
    def bytes(self) -> int:
        return sum(file.size for file_slice in self.slices for file in file_slice.files)


@dataclass(frozen=True, slots=True, eq=False)
class GroupFiles:
    """The files of a group: `first` is the number of its first one among all files of the round, `rows` about how many rows there
    are. Without a layout files have the rows as they come."""

    partition: str
    prefix: str
    first: int
    count: int
    layout: Layout | None
    rows: int
    outputs: int

    @property
    def even(self) -> int:
        """Rows of a file where all are alike."""
        return max(1, -(-self.rows // self.outputs))

    @property
    def ends(self) -> Numbers:
        """The rows behind each file, where rows are dealt as they come."""
        least, rest = divmod(self.rows, self.count)
        return np.cumsum(least + (np.arange(self.count) < rest))


@dataclass(frozen=True, slots=True)
class Share:
    """Slices of a group that a task reads one after the other; `first` is about the number of their first row in the group."""

    group: int
    slices: tuple[FileSlice, ...]
    first: int


@dataclass(frozen=True)
class DealRows:
    """The rows of shares, each in a packet for the task that writes its file. It can be pickled."""

    reader: RowReader
    groups: tuple[GroupFiles, ...]
    paths: Paths
    part_of: Numbers
    """By file the part that writes it."""

    def __call__(self, number: int, shares: Sequence[Share]) -> Iterator[Packet]:
        sent = 0
        try:
            for share in shares:
                group = self.groups[share.group]
                for file, content in self._deal(group, share):
                    place = group.first + file
                    yield Packet(int(self.part_of[place]), place, number, sent, content)
                    sent += 1
        except HudiError as error:
            if isinstance(error, StorageError):
                raise
            yield refusal(number, sent, error)

    def _deal(self, group: GroupFiles, share: Share) -> Iterator[tuple[int, bytes]]:
        """The rows of a share, packed, with the number of their file in the group."""
        engine, schema, first, step = self.reader.snapshot.engine, self.reader.rows, share.first, _FIRST_ROWS
        for held in row_runs(engine, self.reader.batches(share.slices)):
            count = sum(map(engine.rows.count, held))
            if group.layout is None:
                numbers = np.arange(first, first + count)
                files = np.minimum(np.searchsorted(group.ends, numbers, "right"), group.count - 1)
                ordered = np.arange(count, dtype=np.int64)
            else:
                files, ordered = deal_rows(engine, schema, group.layout, self.paths, held)
            first += count
            counts = np.bincount(files, minlength=group.count)
            for file, stop in zip(np.flatnonzero(counts).tolist(), np.cumsum(counts)[counts > 0].tolist(), strict=True):
                start = stop - int(counts[file])
                while start < stop:
                    rows = ordered[start : min(start + step, stop)]
                    start += len(rows)
                    for batch in engine.rows.gather(held, [rows] * len(schema.fields), schema):
                        content = pack_object(engine.rows.compact(batch))
                        yield file, content
                        row_bytes = len(content) / max(engine.rows.count(batch), 1)
                        step = max(1, min(_MOST_ROWS, int(_BYTES_OF_PACKET / row_bytes)))


@dataclass(frozen=True)
class WriteFiles:
    """Writes the files of a part in order, as attempts. It can be pickled. The round has `total` files, the first with the number
    `first`."""

    runner: TaskRunner
    groups: tuple[GroupFiles, ...]
    paths: Paths
    attempts: Attempts
    first: int
    total: int
    planned: int
    """Files of the whole clustering."""

    def __call__(self, part: int, packets: Iterator[Packet]) -> Iterator[Packet]:
        return write_report(part, lambda: self._statuses(packets))

    def _statuses(self, packets: Iterator[Packet]) -> Iterator[tuple[int, WriteStatus]]:
        engine, firsts = self.runner.snapshot.engine, [group.first for group in self.groups]
        kept = self.runner.snapshot.config.kept_partitions - {RECORD_INDEX}  # its keys are read from the files
        for place, of_file in by_group(packets):
            number = int(np.searchsorted(firsts, place, "right")) - 1
            group = self.groups[number]
            with closing(spool(engine, self.runner.rows, map(unpack, of_file))) as rows:
                made = SortedRows(rows, group.layout, self.paths, ())
                for copy, part in enumerate(_split(rows.rows, TOO_LARGE * group.even, group.even)):
                    status = self._write(made, part, group, place + copy * self.total)
                    if status is not None:
                        yield number, keep_needed(with_filter(status, self.planned), kept)

    def _write(self, rows: SortedRows, part: Numbers, group: GroupFiles, number: int) -> WriteStatus | None:
        time = self.attempts.instant_time
        file_id = f"{group.prefix}-{number - group.first}"
        target = FileTarget(group.partition, file_id, time, self.first + number).of_attempt(new_attempt())
        files = TaskFiles((target.path,), (marker_step(time, target.path, MarkerKind.CREATE),))
        with self.attempts.announce(files):
            return replace(self.runner, spool=rows.spool).run(NewFile(target, rows.order(part), combine=False))


def _split(rows: int, limit: int, even: int) -> list[Numbers]:
    """The numbers of rows, in even parts where they are more than a limit."""
    numbers = np.arange(rows, dtype=np.int64)
    return [numbers] if rows <= limit else np.array_split(numbers, -(-rows // even))


@dataclass
class Exchange:
    """Rewrites groups by tasks that exchange rows."""

    tasks: FlowRunner
    reader: RowReader
    runner: TaskRunner
    attempts: Attempts
    strategy: Strategy
    paths: Paths
    planned: int
    """Files of the whole clustering."""
    _first: int = 0
    """The number of the next file: no two of a clustering have one."""

    def rounds(self, groups: Sequence[Group]) -> Iterator[list[Group]]:
        """The groups that are rewritten together."""
        most = self.tasks.parallelism * _FILES_OF_ROUND
        some: list[Group] = []
        for group in groups:
            outputs = sum(one.outputs for one in some)
            if some and (outputs + group.outputs > most or len(some) == _GROUPS_OF_ROUND):
                yield some
                some = []
            some.append(group)
        if some:
            yield some

    def rewritten(self, groups: Sequence[Group], prefixes: Sequence[str]) -> list[tuple[WriteStatus, ...]]:
        """The statuses of the files of each group of a round, whose file ids begin with its prefix."""
        sizes = sizes_elsewhere(self.tasks, self.reader.snapshot, [group.slices for group in groups])
        files = self._files(groups, prefixes, sizes)
        total = sum(group.count for group in files)
        parts = self._parts(sum(group.bytes for group in groups), total)
        part_of = np.arange(total, dtype=np.int64) * parts // max(total, 1)
        flow = self.tasks.flow(DealRows(self.reader, files, self.paths, part_of), self._shares(groups, sizes))
        writes = WriteFiles(self.runner, files, self.paths, self.attempts, self._first, total, self.planned)
        written: list[list[WriteStatus]] = [[] for _ in groups]
        for number, status in open_reports(flow.deal(parts).map(writes).reports()):
            written[number].append(status)
            self._first = max(self._first, _number_of(status) + 1)
        return [tuple(statuses) for statuses in written]

    def _files(
        self, groups: Sequence[Group], prefixes: Sequence[str], sizes: Sequence[Sequence[SliceSize]]
    ) -> tuple[GroupFiles, ...]:
        layouts: list[Layout | None] = [None] * len(groups)
        if self.paths:
            wanted = project(self.reader.rows, self.paths)
            slices = [group.slices for group in groups]
            samples = sample_elsewhere(self.tasks, self.reader.snapshot, slices, sizes, wanted)
            for number, (group, sample) in enumerate(zip(groups, samples, strict=True)):
                if sample.rows:
                    layouts[number] = layout(self.strategy, sample.keys(self.paths), group.outputs)
        made: list[GroupFiles] = []
        first = 0
        for group, prefix, order, of_slices in zip(groups, prefixes, layouts, sizes, strict=True):
            rows = sum(size.rows for size in of_slices)
            count = -(-rows // max(1, -(-rows // group.outputs))) if order is None else order.files
            made.append(GroupFiles(group.slices[0].partition, prefix, first, max(count, 1), order, rows, group.outputs))
            first += made[-1].count
        return tuple(made)

    def _shares(self, groups: Sequence[Group], sizes: Sequence[Sequence[SliceSize]]) -> list[list[Share]]:
        """The slices of all groups in tasks of about even sizes. Each has slices that follow one another."""
        total = sum(group.bytes for group in groups)
        most = total // self._parts(total, sum(len(group.slices) for group in groups)) + 1
        tasks: list[list[Share]] = []
        held = most
        for number, (group, of_slices) in enumerate(zip(groups, sizes, strict=True)):
            firsts = [0, *accumulate(size.rows for size in of_slices)]
            for file_slice, first in zip(group.slices, firsts, strict=False):
                size = sum(file.size for file in file_slice.files)
                if held + size > most:
                    tasks.append([])
                    held = 0
                held += size
                last = tasks[-1][-1] if tasks[-1] else None
                if last is not None and last.group == number:
                    tasks[-1][-1] = replace(last, slices=(*last.slices, file_slice))
                else:
                    tasks[-1].append(Share(number, (file_slice,), first))
        return tasks

    def _parts(self, size: int, most: int) -> int:
        """How many tasks a step of so many bytes has."""
        return max(1, min(most, max(self.tasks.parallelism * _TASKS_AT_ONCE, -(-size // _BYTES_OF_TASK))))


def _number_of(status: WriteStatus) -> int:
    """The number of a file, from its write token."""
    name = parse_base_file(status.path.rpartition("/")[2])
    assert name is not None
    return int(name.write_token.partition("-")[0])
