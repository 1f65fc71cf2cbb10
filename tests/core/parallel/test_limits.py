"""The numbers of workers: processors that this process may use, and threads that read or wait for storage."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from hudi_core.front.opening import create_table, open_table
from hudi_core.parallel import limits
from hudi_core.snapshot.mode import MetadataMode
from tests.support.written_tables import TYPES, rows

PRINT_LIMITS = "from hudi_core.parallel.limits import PROCESSORS, READERS; print(PROCESSORS, READERS)"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no processor affinity")
def test_processors_respect_the_affinity_of_the_process() -> None:
    processor = min(os.sched_getaffinity(0))
    code = f"import os; os.sched_setaffinity(0, {{{processor}}}); {PRINT_LIMITS}"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["1", "2"]


GROUPS_1 = "7:cpu,cpuacct:/docker/a1\n3:cpuset:/docker/a1\n0::/\n"


@pytest.mark.parametrize(
    ("groups", "files", "quota"),
    [
        ("0::/a/b\n", {"a/b/cpu.max": "150000 100000\n"}, 2),
        ("0::/a/b\n", {"a/b/cpu.max": "max 100000\n", "a/cpu.max": "300000 100000\n"}, 3),
        ("0::/a/b\n", {"a/b/cpu.max": "400000 100000\n", "cpu.max": "50000 100000\n"}, 1),
        ("0::/../outside\n", {"cpu.max": "200000 100000\n"}, 2),
        (GROUPS_1, {"cpu/cpu.cfs_quota_us": "250000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 3),
        (GROUPS_1, {"cpu/docker/a1/cpu.cfs_quota_us": "-1\n", "cpu/docker/a1/cpu.cfs_period_us": "100000\n"}, 64),
        ("0::/\n", {"cpu.max": "max 100000\n"}, 64),
        ("0::/\n", {"cpu.max": ""}, 64),
        ("0::/\n", {}, 64),
        ("", {}, 64),
        ("0\nno group\n0::\n\xff::/", {"cpu.max": "200000 100000"}, 2),
    ],
)
def test_processors_respect_the_limits_of_control_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, groups: str, files: dict[str, str], quota: int
) -> None:
    """ENGINE-1626: of both versions, of the group and of those above it; parts of a processor count as one."""
    monkeypatch.setattr(limits, "_schedulable", lambda: 64)
    (tmp_path / "groups").write_text(groups)
    for name, content in files.items():
        (tmp_path / "fs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "fs" / name).write_text(content)
    assert limits.count_processors(str(tmp_path / "groups"), str(tmp_path / "fs")) == quota


def test_processors_where_there_are_no_control_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ENGINE-1626."""
    monkeypatch.setattr(limits, "_schedulable", lambda: 5)
    assert limits.count_processors(str(tmp_path / "none"), str(tmp_path / "none")) == 5


def test_small_requests_to_local_files_start_no_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They answer before a thread has started."""
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p", type="mor", indexes=["record_index"])
    for number in range(3):
        table.refresh().upsert(rows(("a", "x", number), ("b", "y", number)))
    started = list[Thread]()
    monkeypatch.setattr(Thread, "start", started.append)
    opened = open_table(tmp_path / "t", metadata=MetadataMode.REQUIRE)
    assert len(opened.slices()) == 2 and len(opened.timeline.extras()) == 3
    assert opened.schema_at(None) == opened.schema
    assert len(list(opened.scan().to_json_rows())) == 2
    without = open_table(tmp_path / "t", metadata=MetadataMode.OFF)
    assert len(without.scan("n > 0").plan.codes) == 2
    assert started == []
