"""The numbers of workers: processors that this process may use, and threads that read or wait for storage."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from hudi_core.front.opening import create_table, open_table
from hudi_core.snapshot.mode import MetadataMode
from tests.support.written_tables import TYPES, rows

PRINT_LIMITS = "from hudi_core.parallel.limits import PROCESSORS, READERS; print(PROCESSORS, READERS)"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no processor affinity")
def test_processors_respect_the_affinity_of_the_process() -> None:
    processor = min(os.sched_getaffinity(0))
    code = f"import os; os.sched_setaffinity(0, {{{processor}}}); {PRINT_LIMITS}"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["1", "2"]


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
