"""How many tasks on files run at once."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.data_files.waiting import waiting_runner
from hudi_core.front.opening import create_table
from hudi_core.parallel.limits import STORAGE_REQUESTS
from hudi_core.parallel.runners import SerialRunner, ThreadRunner
from hudi_core.writing.tasks import TaskRunner

LOCAL, REMOTE = SimpleNamespace(is_remote=False), SimpleNamespace(is_remote=True)
LITTLE, MUCH = 1 << 21, (1 << 21) + 1


@pytest.mark.parametrize(
    ("runner", "storage", "sizes", "wanted"),
    [
        (ThreadRunner(), LOCAL, [LITTLE], SerialRunner),
        (ThreadRunner(), LOCAL, [MUCH], None),
        (ThreadRunner(), LOCAL, [MUCH, LITTLE], SerialRunner),
        (ThreadRunner(2), LOCAL, [LITTLE], 2),
        (ThreadRunner(2), REMOTE, [LITTLE], STORAGE_REQUESTS),
        (ThreadRunner(2), REMOTE, [1 << 40, LITTLE], 2),
    ],
)
def test_little_work_on_local_files_is_done_by_one_thread(
    runner: ThreadRunner, storage: Any, sizes: list[int], wanted: type | int | None
) -> None:
    """WRITE-1611. Beside the size of the tasks in memory stands that of their work, where it is another one."""
    chosen = waiting_runner(SimpleNamespace(runner=runner), storage, *sizes)  # type: ignore[arg-type]  # what is asked of them
    if isinstance(wanted, type):
        assert isinstance(chosen, wanted)
    else:
        assert chosen == ThreadRunner(wanted)


def test_runners_of_other_processes_stay() -> None:
    """WRITE-1611."""
    runner = object()
    assert waiting_runner(SimpleNamespace(runner=runner), LOCAL, LITTLE) is runner  # type: ignore[arg-type]


@pytest.mark.parametrize(("rows", "here"), [(100, True), (3000, False)])
@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_files_of_few_rows_are_written_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: Any, rows: int, here: bool
) -> None:
    """WRITE-1611: new files, and files or logs of changed rows."""
    monkeypatch.setattr("hudi_core.parallel.ordered.PROCESSORS", 2)
    threads, run = set[str](), TaskRunner.run

    def follow(self: TaskRunner, task: Any) -> Any:
        threads.add(threading.current_thread().name)
        return run(self, task)

    monkeypatch.setattr(TaskRunner, "run", follow)
    given = pa.table({"id": list(range(3 * rows)), "part": [row % 3 for row in range(3 * rows)]})
    table = create_table(tmp_path, given, "id", partition_by="part", type=kind)
    for write in (table.append, table.refresh().upsert):
        write(given)
        assert (threads == {threading.current_thread().name}) is here
        threads.clear()
