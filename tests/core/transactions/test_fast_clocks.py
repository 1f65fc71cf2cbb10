"""Writers whose clocks are minutes ahead: they take runs for dead that go on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hudi_core.cluster.operations import cluster, run_requested
from hudi_core.cluster.options import ClusterOptions
from hudi_core.commit.times import system_clock
from hudi_core.errors import ConflictError
from hudi_core.front.opening import create_table, open_table
from hudi_core.index_builds.removal import drop_index
from hudi_core.services.archiving.operations import archive
from hudi_core.services.archiving.options import ArchiveOptions
from hudi_core.services.compaction.operations import compact
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.transactions.attempts import TaskRuns
from hudi_core.validation.validate import validate
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from hudi_core.writing.plan import FileSizes
from hudi_core.writing.write_run import WriteRun
from tests.support.overlapping import held
from tests.support.written_tables import TYPES, read, rows


def fast() -> datetime:
    return system_clock() + timedelta(minutes=5)


@pytest.mark.parametrize("version", [6, 9])
def test_a_compaction_that_was_taken_over_does_not_complete(tmp_path: Path, version: int) -> None:
    """COMMIT-1431: whoever took it over deleted its files."""
    path = tmp_path / "t"
    create_table(path, TYPES, "id", partition_by="p", type="mor", version=version)  # type: ignore[arg-type]
    for number in (1, 2):
        write(open_table(path), rows(("a", "x", number)))

    with held(lambda options: compact(open_table(path), CompactionOptions(progress=options.progress))) as complete:

        def meanwhile(done: int, of_all: int) -> None:
            if done == of_all:
                with pytest.raises(ConflictError, match="took for dead"):
                    complete()

        result = compact(open_table(path), CompactionOptions(clock=fast, progress=meanwhile))
    assert result.state == "completed"
    assert read(path) == [("a", "x", 2)]
    assert [str(finding) for finding in validate(open_table(path))] == []


def test_a_write_that_was_rolled_back_does_not_complete(tmp_path: Path) -> None:
    """CONFLICT-4: its instant is not pending any more."""
    path = tmp_path / "t"
    create_table(path, TYPES, "id", partition_by="p")
    with held(lambda options: write(open_table(path), rows(("a", "x", 1)), options=options)) as complete:
        write(open_table(path), rows(("b", "x", 1)), options=WriteOptions(clock=fast))
        with pytest.raises(ConflictError, match="another writer rolled back"):
            complete()
    assert read(path) == [("b", "x", 1)]
    assert [str(finding) for finding in validate(open_table(path))] == []


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 9), ("mor", 6)])
def test_files_that_a_write_made_after_its_rollback_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, version: int
) -> None:
    """COMMIT-1437: their markers were removed before; they would count when the timeline begins after them."""
    path = tmp_path / "t"
    create_table(path, TYPES, "id", partition_by="p", type=kind, version=version)  # type: ignore[arg-type]
    if open_table(path).config.kept_partitions:
        drop_index(open_table(path), "files")  # its compactions would hold back archives
    write(open_table(path), rows(("a", "x", 1)), "append")
    run_here, left = WriteRun._run_here, [1]

    def overtaken(self: WriteRun, *given: Any) -> Any:
        if left:
            left.pop()
            write(open_table(path), rows(("b", "x", 1)), "append", WriteOptions(clock=fast))
        return run_here(self, *given)

    monkeypatch.setattr(WriteRun, "_run_here", overtaken)
    with pytest.raises(ConflictError, match="another writer rolled back"):
        write(open_table(path), rows(("a", "x", 666), ("z", "y", 666)), "upsert", WriteOptions(attempts=1))
    for number in range(6):
        write(open_table(path), rows((f"k{number}", "w", 1)), "append")
    assert archive(open_table(path), ArchiveOptions(2, properties={"hoodie.clean.commits.retained": "1"})).instants >= 2
    assert [row for row in read(path) if row[1] != "w"] == [("a", "x", 1), ("b", "x", 1)]
    assert [str(finding) for finding in validate(open_table(path))] == []


@pytest.mark.parametrize("version", [6, 9])
@pytest.mark.parametrize("completes", [True, False])
@pytest.mark.parametrize("looks", [True, False])
def test_files_of_a_clustering_that_was_taken_over_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int, completes: bool, looks: bool
) -> None:
    """COMMIT-1438: the run that was stopped before its first file names other file groups. Where nobody `looks` before a file
    takes its name, as in object stores, that file is there."""
    if not looks:
        monkeypatch.setattr("hudi_core.transactions.transaction.look_before_naming", lambda _: nullcontext())
    path = tmp_path / "t"
    create_table(path, TYPES, "id", partition_by="p", version=version)  # type: ignore[arg-type]
    if open_table(path).config.kept_partitions:
        drop_index(open_table(path), "files")  # folders are listed
    sizes = FileSizes(target=1 << 20, small=1 << 19)
    for key in "abc":
        write(open_table(path), rows((key, "x", 1)), "append", WriteOptions(sizes=FileSizes(small=0)))
    results, complete = TaskRuns.results, list[Callable[[], object]]()

    def run_again(options: WriteOptions) -> object:
        (plan,) = open_table(path).timeline.pending
        again = ClusterOptions(sizes=sizes, clock=fast, progress=options.progress)
        return run_requested(open_table(path), plan.requested_time, again)

    with ExitStack() as beside:

        def overtaken(self: TaskRuns, work: Callable[[Any], Any], tasks: Any, files: Any) -> Any:
            def stopped(task: Any) -> Any:
                if not complete:
                    complete.append(lambda: None)
                    complete.append(beside.enter_context(held(run_again)))
                    if completes:
                        complete[1]()
                return work(task)

            return results(self, stopped, tasks, files)

        monkeypatch.setattr(TaskRuns, "results", overtaken)
        with pytest.raises(ConflictError, match="took for dead"):
            cluster(open_table(path), ClusterOptions(sizes=sizes))
        complete[1]()
    assert read(path) == [("a", "x", 1), ("b", "x", 1), ("c", "x", 1)]
    assert [str(finding) for finding in validate(open_table(path))] == []
