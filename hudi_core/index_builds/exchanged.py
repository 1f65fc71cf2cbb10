"""Base files of an index build whose tasks exchange records: these move to the task that writes their file group. Rule META-910.

Tasks read shares of files, as in `row_sources`, and send their sorted runs on in pieces by file group. Other tasks merge the
pieces of their groups, as `runs` does, and write a base file for each, as attempts. The process that runs the build holds the
list of files, what sources join over all files, and a status for each file group.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, Final

import numpy as np

from hudi_core.commit.statuses import WriteStatus
from hudi_core.engine import Engine, Storage
from hudi_core.errors import HudiError, StorageError
from hudi_core.formats.names import BaseFileName, parse_base_file
from hudi_core.index_builds.row_sources import RowSource, SharedRows
from hudi_core.index_builds.runs import GroupNumbers, SortedRun, sort_runs, spool_runs
from hudi_core.metadata.table import METADATA_FOLDER
from hudi_core.metadata_rows.rows import IndexRows, slice_rows
from hudi_core.metadata_writer.group_files import write_base
from hudi_core.parallel.flow import Flow, FlowRunner, Packet
from hudi_core.transactions.attempts import Attempts, TaskFiles, new_attempt
from hudi_core.transactions.reports import by_group, open_reports, pack_object, refusal, report, unpack, write_report

_MOST_TASKS: Final = 1 << 12
"""Tasks that read files, and tasks that write file groups, at most of each: the calling process holds some figures for each."""
_BYTES_OF_PACKET: Final = 1 << 22


@dataclass(frozen=True, slots=True)
class MakeRuns:
    """The records of some shares of files, each with the number of its source, in pieces for the parts that write their file
    groups; and a report of what a source joins over all shares. It can be pickled."""

    sources: tuple[RowSource, ...]
    numbers: GroupNumbers
    parts: int

    def __call__(self, number: int, shares: Sequence[tuple[int, Any]]) -> Iterator[Packet]:
        count = 0
        try:
            for source, share in shares:
                rows, rest = self.sources[source].read(share)
                for run in sort_runs(self.numbers, rows):
                    for group, piece in pieces(run):
                        yield Packet(group % self.parts, group, number, count, pack_object(piece))
                        count += 1
                if rest is not None:
                    yield report(number, (source, rest))
        except HudiError as error:
            if isinstance(error, StorageError):
                raise
            yield report(number, error)
            yield refusal(number, count, error)


def pieces(run: SortedRun) -> Iterator[tuple[int, SortedRun]]:
    """The records of a run by file group, in pieces of some megabytes."""
    rows = IndexRows(run.keys, run.values)
    ends = np.cumsum(run.counts)
    for group in np.flatnonzero(run.counts).tolist():
        stop, count, size = int(ends[group]), int(run.counts[group]), int(run.sizes[group])
        parts = min(max(1, -(-size // _BYTES_OF_PACKET)), count)
        for first, last in pairwise(np.linspace(stop - count, stop, parts + 1).astype(np.int64).tolist()):
            yield group, _piece(slice_rows(rows, first, last))


def _piece(rows: IndexRows) -> SortedRun:
    """Records of one file group, alone: without their neighbours in memory."""
    first, last = int(rows.values.offsets[0]), int(rows.values.offsets[-1])
    values = type(rows.values)(rows.values.offsets - first, rows.values.data[first:last])
    return SortedRun(rows.keys, values, np.array([len(rows)]), np.array([rows.size]))


@dataclass(frozen=True, slots=True)
class WriteGroups:
    """Writes the base files of the file groups of a part, or only looks whether they can be. It can be pickled.

    `joined` are records that the calling process has made, by file group; `attempts` are those of the build, None where nothing
    is to be written.
    """

    engine: Engine[Any, Any, Any]
    storage: Storage
    numbers: GroupNumbers
    joined: Mapping[int, Sequence[SortedRun]]
    parts: int
    file_time: str
    groups_time: str
    attempts: Attempts | None

    def __call__(self, part: int, packets: Iterator[Packet]) -> Iterator[Packet]:
        return write_report(part, lambda: self._statuses(part, packets))

    def _statuses(self, part: int, packets: Iterator[Packet]) -> Iterator[WriteStatus | None]:
        joined = {group: runs for group, runs in self.joined.items() if group % self.parts == part}
        for group, of_group in by_group(packets):
            yield self._write(group, chain(map(unpack, of_group), joined.pop(group, ())))
        for group, runs in joined.items():
            yield self._write(group, runs)

    def _write(self, group: int, runs: Iterable[SortedRun]) -> WriteStatus | None:
        with closing(spool_runs(self.engine, 1, runs)) as waiting:
            if self.attempts is None:
                waiting.refuse_repeated(0)
                return None
            partition, file_id = self.numbers.named[group]
            number = int(file_id.rsplit("-", 2)[1])
            name = BaseFileName(file_id, f"{number}-{new_attempt()}", self.file_time, ".hfile").file_name()
            path = f"{partition}/{name}"
            stored = f"{METADATA_FOLDER}/{path}"
            with self.attempts.announce(TaskFiles((stored,), ())), self.storage.output(stored) as sink:
                size, count = write_base(sink, waiting.key_ranges(0))
        return WriteStatus(partition, file_id, path, size, count, count, 0, 0, previous_instant=self.groups_time)


@dataclass(frozen=True)
class Exchange:
    """The records of an index build, which tasks of a runner exchange."""

    runner: FlowRunner
    engine: Engine[Any, Any, Any]
    storage: Storage
    numbers: GroupNumbers
    sources: Sequence[SharedRows]

    def write(self, file_time: str, groups_time: str, attempts: Attempts) -> list[WriteStatus]:
        """Writes base files; gives the status of each. Files of attempts that others outran are deleted."""
        statuses = [status for status in self._run(file_time, groups_time, attempts) if status is not None]
        self._delete_others(file_time, statuses)
        return statuses

    def refuse_unbuildable(self) -> None:
        """Raises what `written` would, and writes nothing."""
        self._run("0", "0", None)

    def _run(self, file_time: str, groups_time: str, attempts: Attempts | None) -> list[WriteStatus | None]:
        parts = min(len(self.numbers.named), _MOST_TASKS)
        sources = tuple(shared.source for shared in self.sources)
        flow = self.runner.flow(MakeRuns(sources, self.numbers, parts), self._tasks())
        joins = any(source.joins for source in sources)
        with flow.keep() if joins else nullcontext(flow) as kept:
            joined = self._join(kept) if joins else {}
            writes = WriteGroups(
                self.engine, self.storage, self.numbers, joined, parts, file_time, groups_time, attempts
            )
            return open_reports(kept.deal(parts).map(writes).reports())

    def _tasks(self) -> list[list[tuple[int, Any]]]:
        """The shares of all sources in tasks."""
        shares = [(number, share) for number, shared in enumerate(self.sources) for share in shared.shares]
        of_task = -(-len(shares) // _MOST_TASKS)
        return [shares[start : start + of_task] for start in range(0, len(shares), of_task)] if shares else []

    def _join(self, flow: Flow) -> dict[int, list[SortedRun]]:
        """By file group the records that sources join over all files, from what tasks report."""
        rests: list[list[Any]] = [[] for _ in self.sources]
        for number, rest in open_reports(flow.reports()):
            rests[number].append(rest)
        joined: dict[int, list[SortedRun]] = {}
        rows = (part for shared, rest in zip(self.sources, rests, strict=True) for part in shared.source.join(rest))
        for run in sort_runs(self.numbers, rows):
            for group, piece in pieces(run):
                joined.setdefault(group, []).append(piece)
        return joined

    def _delete_others(self, file_time: str, statuses: Iterable[WriteStatus]) -> None:
        written = {f"{METADATA_FOLDER}/{status.path}" for status in statuses}
        for partition in dict.fromkeys(partition for partition, _ in self.numbers.named):
            for info in self.storage.list(f"{METADATA_FOLDER}/{partition}"):
                base = parse_base_file(info.name)
                if base is not None and base.instant == file_time and info.path not in written:
                    self.storage.delete(info.path)
