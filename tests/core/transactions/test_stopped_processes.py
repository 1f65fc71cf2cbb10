"""Real processes that are stopped for longer than their lock and their heartbeat count, and go on behind others.

Each stops within a call of the storage, before which `tests/model` can stop its actors: when a file is about to take its name.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hudi_core.commit.times import Clock
from hudi_core.front.opening import create_table, open_table
from hudi_core.services.compaction.operations import compact
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.table import Table
from hudi_core.transactions.rollback import roll_back_dead
from hudi_core.validation.validate import validate
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from tests.support.crashes import later
from tests.support.written_tables import TYPES, read, rows

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the system stops no processes")

CHILD = """
import os, signal, sys
from hudi_core import local_files
from hudi_core.commit.times import system_clock
from hudi_core.errors import ConflictError
from hudi_core.front.opening import open_table
from tests.core.transactions.test_stopped_processes import ACTIONS
from tests.support.crashes import later

path, action, name = sys.argv[1:]
link, begin, stopped = os.link, local_files._open, []

def stop(target):
    if target.name.endswith(name) and not stopped:
        stopped.append(target)
        os.kill(os.getpid(), signal.SIGSTOP)
    elif stopped and name == ".parquet" and target.name == "lock":
        os._exit(9)

def linking(source, target):
    stop(target)
    return link(source, target)

def beginning(target):
    stop(target)
    return begin(target)

os.link, local_files._open = linking, beginning
try:
    ACTIONS[action](open_table(path), lambda: later() if stopped else system_clock())
except ConflictError as error:
    print(error)
else:
    print("done")
"""
"""Stops once, before a file with this end of its name appears, or is begun; time has passed when it goes on. Where that is a data
file, it dies when it takes the lock again."""
ACTIONS: dict[str, Callable[[Table, Clock], object]] = {
    "upsert": lambda table, clock: write(table, rows(("a", "x", 10)), options=WriteOptions(attempts=1, clock=clock)),
    "other upsert": lambda table, clock: write(
        table, rows(("a", "x", 20)), options=WriteOptions(attempts=1, clock=clock)
    ),
    "compact": lambda table, clock: compact(table, CompactionOptions(clock=clock)),
    "roll back": roll_back_dead,
}


def stopped_meanwhile(path: Path, first: str, end: str, second: str) -> tuple[str, int]:
    """What a process that does the first action says, and its exit status. This process does the second while it is stopped."""
    arguments = [sys.executable, "-c", CHILD, str(path), first, end]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        ACTIONS[second](open_table(path), later)
        os.kill(process.pid, signal.SIGCONT)
        output, _ = process.communicate(timeout=60)
    return output, process.returncode


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    ("kind", "first", "second", "value"),
    [("cow", "upsert", "roll back", 2), ("mor", "upsert", "other upsert", 20), ("mor", "compact", "compact", 2)],
)
def test_a_process_that_goes_on_behind_others_completes_nothing(
    tmp_path: Path, kind: str, first: str, second: str, value: int
) -> None:
    """COMMIT-1475."""
    path, end = tmp_path / "t", ".deltacommit" if (kind, first) == ("mor", "upsert") else ".commit"
    create_table(path, TYPES, "id", partition_by="p", type=kind)  # type: ignore[arg-type]
    for number in (1, 2):
        write(open_table(path), rows(("a", "x", number)))
    output, _ = stopped_meanwhile(path, first, end, second)
    assert "expected a lock that is still held, found" in output
    for mode in (MetadataMode.AUTO, MetadataMode.OFF):
        assert read(path, mode) == [("a", "x", value)]
    assert list(validate(open_table(path), clock=later)) == []


def test_no_data_file_appears_behind_the_rollback_of_its_write(tmp_path: Path) -> None:
    """COMMIT-1477: once the timeline begins after the write, it would count."""
    path = tmp_path / "t"
    create_table(path, TYPES, "id", partition_by="p")
    for number in (1, 2):
        write(open_table(path), rows(("a", "x", number)))
    before = sorted((path / "x").iterdir())
    assert stopped_meanwhile(path, "upsert", ".parquet", "roll back") == ("", 9)
    assert sorted((path / "x").iterdir()) == before
