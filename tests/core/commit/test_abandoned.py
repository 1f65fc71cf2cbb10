"""Temporary files of killed processes: those that nobody writes any more go, and no others. COMMIT-1022."""

from __future__ import annotations

import os
from pathlib import Path
from time import time

import pyarrow as pa

from hudi_core.commit.abandoned import ABANDONED_AFTER
from hudi_core.front.opening import create_table, open_table
from hudi_core.front.table import Table
from hudi_core.validation.mend import mend

HOUR = ABANDONED_AFTER.total_seconds()
FOLDERS = (
    ".hoodie",
    ".hoodie/timeline",
    ".hoodie/metadata/.hoodie/timeline",
    ".hoodie/metadata/files",
    ".hoodie/.heartbeat",
    "x",
)


def made(root: Path) -> tuple[Table, list[Path], list[Path]]:
    """A table, temporary files of dead processes, and other files that stay."""
    rows = pa.table({"id": ["a"], "n": pa.array([1], pa.int64())})
    create_table(root, rows, "id", type="mor", indexes=["column_stats"]).append(rows)
    dead, others = [], []
    for number, folder in enumerate(FOLDERS):
        old, young, foreign = (
            root / folder / name
            for name in (f".hudi-core-{number:032x}.tmp", f".hudi-core-{number:032x}a.tmp", f".other-{number}.tmp")
        )
        for path in (old, young, foreign):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"half")
        for path in (old, foreign):
            os.utime(path, (time() - HOUR - 60,) * 2)
        dead.append(old)
        others += [young, *([foreign] if folder != ".hoodie/.heartbeat" else [])]
    return open_table(root), dead, others


def test_a_rollback_of_dead_writers_deletes_them(tmp_path: Path) -> None:
    """COMMIT-1022."""
    table, dead, others = made(tmp_path / "t")
    assert table.rollback(failed=True) == []
    assert not any(path.exists() for path in dead)
    assert all(path.exists() for path in others)


def test_the_service_of_rollbacks_is_due_by_them(tmp_path: Path) -> None:
    """COMMIT-1022."""
    table, dead, others = made(
        tmp_path / "t"
    )  # by those below its own folder: partitions are looked at in its course alone
    assert [run.state for run in table.run_services(["rollback"])] == ["completed"]
    assert not any(path.exists() for path in dead)
    assert all(path.exists() for path in others)
    assert list(table.run_services(["rollback"])) == []


def test_validate_names_and_mends_them(tmp_path: Path) -> None:
    """COMMIT-1022, VALID-9: one that is written again meanwhile stays."""
    table, dead, others = made(tmp_path / "t")
    named = {finding.where for finding in table.validate() if "waits for its name" in str(finding)}
    assert named == {str(path.relative_to(tmp_path / "t")) for path in dead}
    findings = list(table.validate())
    os.utime(dead[0])
    mended = mend(table, findings)
    assert [path.exists() for path in dead] == [True] + [False] * (len(dead) - 1)
    assert str(dead[0].relative_to(tmp_path / "t")) not in mended.removed
    assert all(path.exists() for path in others)


def test_a_clean_deletes_those_of_the_partitions_that_it_cleans(tmp_path: Path) -> None:
    """COMMIT-1147."""
    _, dead, others = made(tmp_path / "t")
    rows = pa.table({"id": ["a"], "n": pa.array([1], pa.int64())})
    left = dead[-1].rename(tmp_path / "t/.hudi-core-1.tmp")
    for _ in range(3):
        open_table(tmp_path / "t").write(rows, "insert_overwrite")
    assert open_table(tmp_path / "t").clean(keep_versions=1).files > 0
    assert not left.exists()
    assert all(path.exists() for path in others)
