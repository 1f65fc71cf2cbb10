"""Services whose tasks run elsewhere, and more than once, leave what they leave in this process.

Also covers: `transactions/attempts.py`, `front/services.py`, `table/runners.py`.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from hudi_core.commit.heartbeat import heartbeat_path
from hudi_core.commit.markers import MarkerKind, marker_folder, marker_step
from hudi_core.errors import ConflictError, UsageError
from hudi_core.front.table import Table
from hudi_core.table.runners import on_runner
from hudi_core.transactions.attempts import Attempts, TaskFiles
from tests.support.runners import RepeatingRunner, process_runner
from tests.support.served_tables import assert_served_alike, data_files, filled, twin

LOGS = {"min_log_blocks": 1, "of_logs": True}
SERVICES: dict[str, tuple[str, dict[str, Any]]] = {
    "compact": ("compact", {}), "log compaction": ("compact", LOGS), "clean": ("clean", {"keep_versions": 1}),
}  # fmt: skip


def serve(table: Table, service: str, runner: Any = None) -> Any:
    method, options = SERVICES[service]
    return getattr(table, method)(runner=runner, **options)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [*(pytest.param(version, marks=pytest.mark.soak) for version in (6, 8)), 9])
@pytest.mark.parametrize("service", SERVICES)
def test_tasks_that_run_twice_elsewhere_leave_what_they_leave_here(tmp_path: Path, service: str, version: int) -> None:
    """WRITE-421, ENGINE-910."""
    kind = "cow" if service == "clean" else "mor"
    table = filled(tmp_path / "here", kind, version)
    other = twin(table, tmp_path / "there")
    before = data_files(table)
    here, there = serve(table, service), serve(other, service, RepeatingRunner())
    assert here.state == there.state == "completed"
    assert_served_alike(table, other)
    assert data_files(table) != before


@pytest.mark.soak
def test_a_table_that_logs_changes_is_compacted_alike(tmp_path: Path) -> None:
    """WRITE-421, COMPACT-366: the change logs of attempts that were outrun go too."""
    table = filled(tmp_path / "here", "mor", 9, ("column_stats",), **{"hoodie.table.cdc.enabled": "true"})
    other = twin(table, tmp_path / "there")
    serve(table, "compact")
    serve(other, "compact", RepeatingRunner())
    assert_served_alike(table, other)


@pytest.mark.soak
@pytest.mark.parametrize("service", SERVICES)
def test_other_processes_leave_what_this_one_leaves(tmp_path: Path, service: str) -> None:
    """ENGINE-910."""
    table = filled(tmp_path / "here", "cow" if service == "clean" else "mor", 9)
    other = twin(table, tmp_path / "there")
    serve(table, service)
    with process_runner() as runner:
        serve(other, service, runner)
    assert_served_alike(table, other)


def test_tasks_run_no_tasks(tmp_path: Path) -> None:
    """ENGINE-910: where a table is sent to, its engine is the one that reads files."""
    table = filled(tmp_path / "t", "mor", 9, ())
    sent = pickle.loads(pickle.dumps(on_runner(table, RepeatingRunner())))
    assert type(sent.engine) is type(table.engine)
    assert on_runner(table, None) is table


@pytest.mark.parametrize("odd", [7, "spark", object()])
def test_what_is_no_runner_is_refused(tmp_path: Path, odd: Any) -> None:
    """ENGINE-910."""
    table = filled(tmp_path / "t", "mor", 9, ())
    with pytest.raises(UsageError, match=r"^runner: expected"):
        table.compact(runner=odd)


def test_attempts_name_files_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """WRITE-421: where a task runs twice, two files are written, and one of them stays."""
    table = filled(tmp_path / "t", "mor", 9, ("column_stats",))
    before, deleted = data_files(table), set[str]()
    delete_files = type(table.storage).delete_files

    def watched(self: Any, paths: Sequence[str], *, in_order: bool = False) -> None:
        deleted.update(paths)
        delete_files(self, paths, in_order=in_order)

    monkeypatch.setattr(type(table.storage), "delete_files", watched)
    result = table.compact(runner=RepeatingRunner())
    assert len(data_files(table) - before) == result.slices
    assert len({path for path in deleted if path.endswith(".parquet")}) == result.slices


@pytest.mark.parametrize("gone", ["heartbeat", "markers", "neither"])
def test_an_attempt_sees_that_its_run_was_taken_over(tmp_path: Path, gone: str) -> None:
    """WRITE-426: another run of the plan goes on under its time, and has removed the markers of the first."""
    table = filled(tmp_path / "t", "cow", 9, ())
    storage, time, path = table.storage, "20300101000000000", "p0/a_0-1-1_20300101000000000.parquet"
    storage.replace(heartbeat_path(time), b"")
    files = TaskFiles((path,), (marker_step(time, path, MarkerKind.CREATE),))
    with pytest.raises(ConflictError) if gone != "neither" else nullcontext(), Attempts(storage, time).announce(files):
        storage.replace(path, b"rows")
        if gone == "heartbeat":
            storage.delete(heartbeat_path(time))
        if gone == "markers":
            storage.delete_folder(marker_folder(time))
    assert storage.exists(path) is (gone == "neither")
    assert storage.exists(files.markers[0].path) is (gone == "neither")
