"""What a write announces in the table before it creates data files: partitions, and a marker of each file. Rule COMMIT-6."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hudi_core.commit.markers import MarkerKind, marker_step, partition_step
from hudi_core.commit.steps import Ensure
from hudi_core.data_files.change_log import change_log_path
from hudi_core.data_files.log_file import OWN_TIME_SINCE
from hudi_core.options import TableConfig
from hudi_core.writing.tasks import AppendLog, NewFile, RewriteFile, Task


def partition_steps(tasks: Sequence[Task], instant_time: str) -> Iterator[Ensure]:
    """The steps that make folders partitions, of file groups that begin: those that have files are in partitions."""
    for partition in dict.fromkeys(task.target.partition for task in tasks if isinstance(task, NewFile)):
        yield partition_step(partition, instant_time)


def marker_steps(task: Task, instant_time: str, config: TableConfig) -> Iterator[Ensure]:
    """The steps that create the markers of a task's files."""
    for path, kind in task_files(task, config):
        yield marker_step(instant_time, path, kind)


def task_files(task: Task, config: TableConfig) -> Iterator[tuple[str, MarkerKind]]:
    """The files that a task writes, and what it does with each."""
    yield task.target.path, _marker(task, config.version)
    if config.cdc_enabled and isinstance(task, RewriteFile):
        yield change_log_path(task.target), _log_marker(config.version)


def _marker(task: Task, version: int) -> MarkerKind:
    match task:
        case NewFile():
            return MarkerKind.CREATE
        case AppendLog():
            return _log_marker(version)
        case _:
            return MarkerKind.MERGE


def _log_marker(version: int) -> MarkerKind:
    return MarkerKind.CREATE if version >= OWN_TIME_SINCE else MarkerKind.APPEND
