"""The power fails: a write that has returned is there, one under way is there or not, and the next write heals the table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hudi_core.cluster.operations import cluster
from hudi_core.cluster.options import ClusterOptions
from hudi_core.front.opening import create_table, open_table
from hudi_core.index_builds.build import build_indexes
from hudi_core.index_builds.removal import drop_index
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.services.archiving.operations import archive
from hudi_core.services.archiving.options import ArchiveOptions
from hudi_core.services.cleaning.operations import clean
from hudi_core.services.cleaning.options import CleanOptions
from hudi_core.services.compaction.operations import compact
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.services.restoring.run import restore
from hudi_core.services.restoring.savepoints import drop_savepoint, savepoint
from hudi_core.services.restoring.undoing import rollback
from hudi_core.table.table import Table
from hudi_core.timeline.instants import RESTORE
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from tests.support.crash_operations import BEFORE, OPERATIONS
from tests.support.crashes import later
from tests.support.drawing import SOAK
from tests.support.power_loss import disk_of
from tests.support.written_tables import TYPES, read, rows

OTHERS: dict[str, tuple[Callable[[Table], object], list[tuple[str, str, int]]]] = {
    "cluster": (lambda table: cluster(table, ClusterOptions(columns=("n",))), BEFORE),
    "rollback": (lambda table: rollback(table, table.timeline.commits[-1].requested_time), BEFORE[:2]),
    "build": (lambda table: build_indexes(table, ["record_index"]), BEFORE),
    "drop": (lambda table: drop_index(table, "column_stats"), BEFORE),
}
SERVICES: dict[str, Callable[[Table], object]] = {
    "compact": compact,
    "compact logs": lambda table: compact(table, CompactionOptions(of_logs=True, min_log_blocks=2)),
    "clean": lambda table: clean(table, CleanOptions(keep_versions=1)),
    "archive": lambda table: archive(table, ArchiveOptions(2, properties={"hoodie.clean.commits.retained": "1"})),
    "savepoint": savepoint,
    "drop savepoint": lambda table: drop_savepoint(table, savepoint(table).instant),
    "restore": lambda table: restore(table, to=table.timeline.commits[3].requested_time, clock=later),
    "secondary index": lambda table: build_indexes(
        table, ["record_index", "secondary_index"], IndexOptions(["n"], name="n")
    ),
    "rebuild": lambda table: build_indexes(table, ["column_stats"], IndexOptions(rebuild=True)),
}
"""Services, which leave the rows as they are."""
ALL = {**OPERATIONS, **OTHERS, **{name: (service, BEFORE) for name, service in SERVICES.items()}}
IN_EACH_RUN = [
    ("mor", 9, "compact"),
    ("cow", 9, "clean"),
    ("mor", 8, "archive"),
    ("cow", 9, "upsert"),
    ("mor", 9, "upsert"),
    ("mor", 6, "delete"),
    ("cow", 6, "rollback"),
    ("mor", 8, "cluster"),
    ("cow", 8, "build"),
]
CASES = [
    *((*case, 1 if case[2] == "archive" else 3) for case in IN_EACH_RUN),
    *(
        pytest.param(kind, version, operation, 1, marks=pytest.mark.soak)
        for kind in ("cow", "mor")
        for version in (6, 8, 9)
        for operation in ALL
        if (kind == "mor" or not operation.startswith("compact")) and (version > 6 or operation != "secondary index")
    ),
]


def made(folder: Path, kind: str, version: int, *, updates: int = 0) -> Path:
    table = create_table(
        folder / "t", TYPES, "id", partition_by="p", type=kind, version=version, indexes=["column_stats"]
    )
    write(table, rows(BEFORE[1]))
    for row in (BEFORE[0], BEFORE[2]):
        write(open_table(folder / "t"), rows(row), "append")
    for _ in range(updates):
        write(open_table(folder / "t"), rows(BEFORE[1]))
    return folder / "t"


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("kind", "version", "operation", "step"), CASES)
def test_no_loss_of_power_loses_a_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, version: int, operation: str, step: int
) -> None:
    """STORE-324, COMMIT-326, ARCHIVE-862."""
    change, then = ALL[operation]
    path = made(tmp_path, kind, version, updates=2 if operation in SERVICES else 0)
    if operation == "archive":
        drop_index(open_table(path), "files")  # which would hold the instants until it is compacted
    if kind == "mor" and operation in ("archive", "clean"):
        compact(open_table(path))  # else delta commits are kept for it, and there are no older slices
    states: list[Path] = []
    with disk_of(path, monkeypatch) as disk:
        barriers = 0

        def fail() -> None:
            nonlocal barriers
            barriers += 1
            if barriers % step == 0:
                for name, state in (("lost", disk.lose), ("torn", disk.tear)):
                    states.append(tmp_path / f"{name}-{barriers}")
                    state(states[-1])

        disk.before_sync = fail
        change(open_table(path))
        disk.before_sync = lambda: None
        disk.lose(tmp_path / "after")
    assert read(tmp_path / "after") == sorted(then)
    assert [found for found in open_table(tmp_path / "after").validate() if found.severity == "error"] == []
    assert len(states) >= 2
    for state in states:
        result = read(state)
        assert result in (sorted(BEFORE), sorted(then)), state.name
        if any(instant.action == RESTORE for instant in open_table(state).timeline.pending):
            change(open_table(state))  # before it is finished nobody may write
        write(open_table(state), rows(("q", "x", 9)), options=WriteOptions(clock=later))
        # A rollback that is planned is finished by whoever comes next.
        healed = (result, then) if operation == "rollback" else (result,)
        assert read(state) in [sorted([*rest, ("q", "x", 9)]) for rest in healed], state.name
        if operation in ("clean", "archive"):
            change(open_table(state))  # finishes one that died
        if SOAK or operation in SERVICES:
            assert [found for found in open_table(state).validate() if found.severity == "error"] == [], state.name


def test_many_files_are_synced_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """STORE-324, STORE-1340."""
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p")
    with disk_of(tmp_path / "t", monkeypatch) as disk:
        groups: list[int] = []
        disk.before_sync = lambda: groups.append(disk.syncs)
        write(table, rows(*((f"k{number}", f"p{number}", number) for number in range(40))))
    # Each partition: its metadata, its file, and the folder with both names.
    assert disk.syncs < 40 * 3 + 40
    assert len(groups) < 20


@pytest.mark.parametrize("operation", ["upsert", "append"])
def test_one_row_takes_few_syncs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, operation: str) -> None:
    """COMMIT-960: contents of two locks, the inflight instant, the marker's folder and its parent, the file, the commit, and of
    their folders the names, those of the timeline twice."""
    table = create_table(tmp_path / "t", TYPES, "id")
    write(table, rows(("k", "p", 1)))
    table = open_table(tmp_path / "t")
    with disk_of(tmp_path / "t", monkeypatch) as disk:
        write(table, rows(("k" if operation == "upsert" else "l", "p", 2)), operation)
        assert disk.syncs == 10


def test_a_commit_that_cannot_be_synced_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """STORE-324: the disk is full, or broken."""
    path = made(tmp_path, "cow", 9)
    with disk_of(path, monkeypatch) as disk:

        def broken() -> None:
            if any(path.rglob("*20*.parquet.marker.*")):
                raise OSError(5, "Input/output error")

        disk.before_sync = broken
        with pytest.raises(OSError, match="Input/output error"):
            write(open_table(path), rows(("q", "x", 9)))
    assert read(path) == BEFORE
