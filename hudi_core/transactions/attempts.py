"""Attempts of tasks: where a task may run more than once, each run writes files of its own names. Rules WRITE-421, WRITE-426.

An attempt announces its files before it writes them, and leaves none where its write has ended.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, TypeVar

from hudi_core.commit.heartbeat import heartbeat_path
from hudi_core.commit.markers import done_path, list_marked_files, marker_folder
from hudi_core.commit.statuses import WriteStatus, add_written
from hudi_core.commit.steps import Create, Ensure, SideBySide, run, sync_changes
from hudi_core.engine import Runner, Storage
from hudi_core.errors import ConflictError
from hudi_core.parallel.reach import Reach
from hudi_core.storage_parts import StorageWithSync
from hudi_core.tally import Tally
from hudi_core.transactions.transaction import Transaction

R = TypeVar("R")

_NUMBERS: Final = 1 << 31
"""The bound of the two numbers of an attempt: readers take them for 32 bits."""
_MARKER_NUMBERS: Final = 1 << 30
"""The bound of the numbers of files of markers: Apache Hudi's timeline server counts on from the greatest, in 32 bits."""
_TASKS_AT_ONCE: Final = 4
"""Tasks for each that runs at the same time, between two reports of progress."""

Progress = Callable[[int, int], None]
"""Called with how many tasks are done, and of how many."""


class Target(Protocol):
    """The file that a task writes."""

    @property
    def path(self) -> str: ...

    def of_attempt(self, attempt: str) -> Any:
        """The file of one attempt, which another attempt does not write; itself where all attempts have to write one file."""
        ...


class TargetedTask(Protocol):
    """A task that writes a file: a dataclass with a target."""

    @property
    def target(self) -> Target: ...


@dataclass(frozen=True, slots=True)
class TaskFiles:
    """The files that a task writes, and their markers. `shared` are markers of files that all attempts write alike."""

    paths: tuple[str, ...]
    markers: tuple[Create | Ensure, ...]
    shared: tuple[Create | Ensure, ...] = ()


def join_files(files: Sequence[TaskFiles]) -> TaskFiles:
    """The files of several tasks."""
    return TaskFiles(
        tuple(path for one in files for path in one.paths),
        tuple(marker for one in files for marker in one.markers),
        tuple(marker for one in files for marker in one.shared),
    )


def new_marker_number() -> int:
    """The number of a file of markers that no other attempt of a write has."""
    return secrets.randbelow(_MARKER_NUMBERS)


def new_attempt() -> str:
    """Two numbers that no other attempt has."""
    return f"{secrets.randbelow(_NUMBERS)}-{secrets.randbelow(_NUMBERS)}"


@dataclass(frozen=True, slots=True)
class Attempts:
    """The attempts of the tasks of a write. It can be pickled."""

    storage: Storage
    instant_time: str
    of_commit: bool = False
    """They prepare the commit, when the tasks that write data files are done."""

    @contextmanager
    def announce(self, files: TaskFiles) -> Iterator[None]:
        """Announces files, and makes their contents durable together when the block ends. Raises `ConflictError` where the write
        has ended before or meanwhile: then these files are deleted."""
        storage = self.storage
        self.refuse_ended()
        run(storage, [SideBySide((*files.markers, *files.shared))])
        with storage.defer() if isinstance(storage, StorageWithSync) else nullcontext():
            yield
        sync_changes(storage)
        try:
            self.refuse_ended((*files.markers, *files.shared))
        except ConflictError:
            storage.delete_files((*files.paths, *(marker.path for marker in files.markers)))
            raise

    def stage_file(self, name: str, contents: Iterable[bytes]) -> tuple[str, int]:
        """Writes a file that waits beside the markers for the commit, where who ends the write deletes it; gives its path and its
        size. The name is made one of this attempt."""
        path, size = f"{marker_folder(self.instant_time)}/{name}_{new_attempt()}", 0
        with self.announce(TaskFiles((path,), ())), self.storage.output(path) as sink:
            for content in contents:
                sink.write(content)
                size += len(content)
        return path, size

    def refuse_ended(self, markers: Sequence[Create | Ensure] = ()) -> None:
        """Raises `ConflictError` where the write has ended, or its tasks are done; with markers also where it was rolled back
        since they were made, and another run of the same plan goes on under its time."""
        storage, time = self.storage, self.instant_time
        is_over = not storage.exists(heartbeat_path(time)) or (not self.of_commit and storage.exists(done_path(time)))
        if is_over or (markers and not storage.exists(markers[0].path)):
            raise ConflictError(storage.uri, expected=f"the write {time} to go on", found="its end")


@dataclass(frozen=True)
class InAttempts:
    """Work on tasks, each run of which is an attempt of its own. It can be pickled."""

    attempts: Attempts
    work: Callable[[Any], Any]
    files: Callable[[Any], TaskFiles]

    def __call__(self, task: Any) -> Any:
        own = replace(task, target=task.target.of_attempt(new_attempt()))
        files = self.files(own)
        if own.target.path == task.target.path:  # the committed file may have this name
            files = TaskFiles((), (), files.markers)
        with self.attempts.announce(files):
            return self.work(own)


@dataclass(frozen=True)
class TaskRuns:
    """Runs the tasks of a write wherever a runner has them run."""

    write: Transaction
    runner: Runner
    progress: Progress | None = None
    tally: Tally | None = None
    """Gets what tasks of other processes report."""

    def results(
        self, work: Callable[[Any], R], tasks: Sequence[TargetedTask], files: Callable[[Any], TaskFiles]
    ) -> Iterator[R]:
        """The result of each task, in their order. In this process each runs once, and its files are announced before; elsewhere
        each run is an attempt. `work`, `files` and tasks can be pickled."""
        storage, runner = self.write.table.storage, self.runner
        repeats = runner.reach is not Reach.MEMORY
        running = (
            InAttempts(Attempts(storage, self.write.instant_time), work, files) if repeats else self.write.guard(work)
        )
        watched = self.progress is not None or (self.tally is not None and repeats)
        share = runner.parallelism * _TASKS_AT_ONCE if watched else len(tasks)
        for start in range(0, len(tasks), max(share, 1)):
            some = tasks[start : start + share]
            if not repeats:
                self.write.announced.update(path for task in some for path in files(task).paths)
                run(storage, [SideBySide(tuple(marker for task in some for marker in files(task).markers))])
            yield from runner.run(running, some)
            if self.progress is not None:
                self.progress(min(start + share, len(tasks)), len(tasks))

    def statuses(
        self,
        work: Callable[[Any], WriteStatus | None],
        tasks: Sequence[TargetedTask],
        files: Callable[[Any], TaskFiles],
    ) -> tuple[WriteStatus, ...]:
        """What tasks report, of one attempt each. The files of other attempts are deleted."""
        statuses = tuple(status for status in self._watch(self.results(work, tasks, files)) if status is not None)
        if self.runner.reach is not Reach.MEMORY:
            delete_others(self.write, statuses)
        return statuses

    def _watch(self, results: Iterable[WriteStatus | None]) -> Iterator[WriteStatus | None]:
        """The results. Those of other processes are added to the tally here; tasks of this one add theirs themselves."""
        for status in results:
            if self.tally is not None and self.runner.reach is not Reach.MEMORY:
                add_written(self.tally, status, counted=False)
            yield status


def delete_others(write: Transaction, reported: Iterable[WriteStatus]) -> None:
    """Deletes the files that attempts of tasks have left which others outran. All tasks are done: attempts that are not find that
    out."""
    storage = write.table.storage
    run(storage, [Ensure(done_path(write.instant_time))])
    written = {path for status in reported for path in (status.path, *status.change_logs)}
    marked = (path for path, _ in list_marked_files(storage, write.instant_time))
    storage.delete_files([path for path in marked if path not in written])
