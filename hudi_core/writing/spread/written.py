"""The last step of a spread write: each task gets its rows, writes files as an attempt of its own, and reports (WRITE-426)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import Any

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.strings import take_strings
from hudi_core.commit.markers import marker_lines
from hudi_core.commit.statuses import WriteStatus
from hudi_core.commit.steps import SideBySide, run
from hudi_core.data_files.change_log import change_log_path
from hudi_core.data_files.spool import spool
from hudi_core.options import TableConfig
from hudi_core.parallel.flow import Packet
from hudi_core.tagging.key_columns import NOWHERE
from hudi_core.transactions.attempts import Attempts, TaskFiles, join_files, new_attempt, new_marker_number
from hudi_core.transactions.filter_logs import with_filter
from hudi_core.transactions.key_exchange import KeyExchange
from hudi_core.transactions.reports import keep_needed, open_reports, unpack, write_report
from hudi_core.writing.announce import marker_steps, partition_steps, task_files
from hudi_core.writing.spread.packs import RowPack, join_packs
from hudi_core.writing.spread.routed import RouteRows
from hudi_core.writing.task_rows import Places, group_rows, in_order_of_keys, with_deletes, with_rows
from hudi_core.writing.tasks import NewFile, RewriteFile, Task, TaskRunner, of_attempt


@dataclass(frozen=True, slots=True, eq=False)
class WriteRows:
    """Runs the tasks of a part with the rows that come to them. It can be pickled. `parts` has the part of each task.

    Markers of all files of the part are there before the first of these; contents of files are made durable together. With an
    exchange of keys the reports go on with these, to its steps; there are `count` parts then.
    """

    runner: TaskRunner
    tasks: Sequence[Task]
    parts: Numbers
    count: int
    in_key_order: bool
    exchange: KeyExchange | None = None
    in_lines: bool = False
    """The markers of a part are lines of one file."""

    def __call__(self, part: int, packets: Iterator[Packet]) -> Iterator[Packet]:
        return self.write_packs(part, map(unpack, packets))

    def write_packs(self, part: int, packs: Iterator[RowPack]) -> Iterator[Packet]:
        """The work on rows that are unpacked."""
        numbers = np.flatnonzero(self.parts == part).tolist()
        attempts = {number: of_attempt(self.tasks[number], new_attempt()) for number in numbers}
        if self.exchange is not None:
            return self.exchange.send(part, self.count, lambda: self._attempt(attempts, packs))
        return write_report(part, lambda: self._attempt(attempts, packs))

    def _attempt(self, attempts: Mapping[int, Task], packs: Iterator[RowPack]) -> Iterator[WriteStatus]:
        """Writes the files of attempts while their write goes on. Attempts that outlive the write leave nothing."""
        if not attempts:
            return
        snapshot, time = self.runner.snapshot, self.tasks[min(attempts)].target.instant_time
        made = [(task, self.tasks[number]) for number, task in attempts.items()]
        of_part = _files_in_lines if self.in_lines else _files
        with Attempts(snapshot.storage, time).announce(of_part(made, time, snapshot.config)):
            folders = tuple(partition_steps([task for task, _ in made], time))
            run(snapshot.storage, [SideBySide(folders)], durable=False)  # with the files in them, when the block ends
            for status in self._write(attempts, packs):
                yield keep_needed(with_filter(status, len(self.tasks)), snapshot.config.kept_partitions)

    def _write(self, attempts: Mapping[int, Task], packs: Iterator[RowPack]) -> Iterator[WriteStatus]:
        """Runs the tasks of the part that rows or keys come for, with these."""
        keys: list[RowPack] = []
        deletes: list[RowPack] = []

        def batches() -> Iterator[Any]:
            for pack in packs:
                if pack.batch is None:
                    deletes.append(pack)
                else:
                    yield pack.batch
                    keys.append(replace(pack, batch=None))

        with closing(spool(self.runner.snapshot.engine, self.runner.rows, batches())) as rows:
            runner, given = replace(self.runner, spool=rows), _TaskRows(keys, deletes, attempts, self.in_key_order)
            for number in given.tasks:
                status = runner.run(given.bring(attempts[number], number))
                if status is not None:
                    yield status


@dataclass(frozen=True, slots=True, eq=False)
class WriteGathered:
    """The last two steps as one, where one part writes all rows, which come from where they are kept (ENGINE-1600). It can be
    pickled."""

    routing: RouteRows
    writing: WriteRows

    def __call__(self, part: int, packets: Iterator[Packet]) -> Iterator[Packet]:
        return self.writing.write_packs(part, self._route(packets))

    def _route(self, packets: Iterator[Packet]) -> Iterator[RowPack]:
        for source, of_source in groupby(packets, key=attrgetter("source")):
            yield from self.routing.route(source, of_source)


class _TaskRows:
    """The rows of a part, and the keys that are to leave its slices, by the task that gets them."""

    def __init__(
        self, packs: Sequence[RowPack], deletes: Sequence[RowPack], tasks: Mapping[int, Task], in_key_order: bool
    ) -> None:
        self._leaves = join_packs([replace(pack, positions=_positions(pack)) for pack in deletes]) if deletes else None
        of_leaves = None if self._leaves is None else self._leaves.tasks
        self._deletes = {} if of_leaves is None else dict(group_rows(of_leaves))
        self._rows: dict[int, Numbers] = {}
        if packs:
            whole = join_packs(packs)
            slices = np.full(len(whole), NOWHERE, np.int64) if whole.places is None else whole.places
            self._records, self._places = whole.keys.records, Places(slices, whole.positions, whole.new)
            assert whole.tasks is not None
            ordered = self._order(whole.tasks, tasks, in_key_order)
            self._rows = {number: ordered[places] for number, places in group_rows(whole.tasks[ordered])}

    def _order(self, of_rows: Numbers, tasks: Mapping[int, Task], in_key_order: bool) -> Numbers:
        """All rows in the order in which their tasks take them: those of slices as they come, then new ones. They are sorted
        together: tasks may be thousands of a few rows."""
        makes_files = np.zeros(max(tasks) + 1, np.bool_)
        makes_files[[number for number, task in tasks.items() if isinstance(task, NewFile)]] = True
        is_new = makes_files[of_rows]
        slices = self._places.slices
        new = np.flatnonzero(is_new | (slices == NOWHERE))
        if in_key_order:
            new = in_order_of_keys(self._records, new)
        return np.concatenate([np.flatnonzero(~is_new & (slices > NOWHERE)), new])

    @property
    def tasks(self) -> list[int]:
        """The numbers of the tasks that get any."""
        return sorted({*self._rows, *self._deletes})

    def bring(self, task: Task, number: int) -> Task:
        """A task with what it gets."""
        leaves = positions = None
        if self._leaves is not None and number in self._deletes:
            own = self._deletes[number]
            leaves = take_strings(self._leaves.keys.records, own)
            positions = _positions(self._leaves)[own]
        if number not in self._rows:
            assert leaves is not None and positions is not None
            return with_deletes(task, leaves, None if (positions == NOWHERE).any() else positions)
        return with_rows(task, self._records, self._rows[number], self._places, leaves)


def _positions(pack: RowPack) -> Numbers:
    """The position of each row, `NOWHERE` where it is not known."""
    return np.full(len(pack), NOWHERE, np.int64) if pack.positions is None else pack.positions


def _files(made: Sequence[tuple[Task, Task]], time: str, config: TableConfig) -> TaskFiles:
    """The files of attempts at tasks, each with a marker of its own."""
    files = []
    for attempt, task in made:
        markers, paths = tuple(marker_steps(attempt, time, config)), _own_paths(attempt, task)
        files.append(TaskFiles(paths, markers) if paths else TaskFiles((), (), markers))
    return join_files(files)


def _files_in_lines(made: Sequence[tuple[Task, Task]], time: str, config: TableConfig) -> TaskFiles:
    """The files of attempts at tasks, with one file of markers. Rule WRITE-1441."""
    paths = tuple(path for attempt, task in made for path in _own_paths(attempt, task))
    announced = [file for attempt, _ in made for file in task_files(attempt, config)]
    marker = marker_lines(time, announced, new_marker_number())
    has_shared = any(not _own_paths(attempt, task) for attempt, task in made)
    return TaskFiles(paths, (), (marker,)) if has_shared else TaskFiles(paths, (marker,))


def _own_paths(attempt: Task, task: Task) -> tuple[str, ...]:
    """The files that an attempt alone writes: none where the committed file may have the name of its own."""
    if attempt.target.path == task.target.path:
        return ()
    logs = (change_log_path(attempt.target),) if isinstance(attempt, RewriteFile) else ()
    return (attempt.target.path, *logs)


def statuses(reports: Sequence[Packet]) -> tuple[WriteStatus, ...]:
    """What tasks report. Raises the first report that is an error."""
    return tuple(open_reports(reports))
