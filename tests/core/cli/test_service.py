"""`service`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.core.services.restoring.test_run import content, made, rows
from tests.support.commands import ran


def test_what_is_due_runs_once(tmp_path: Path) -> None:
    table = made(tmp_path / "t", "mor", 9)
    for number in range(6):
        table.upsert(rows(0, 10, number))
    before = content(table)
    lines = ran("service", str(tmp_path / "t"), "--option", "hoodie.clean.commits.retained=1", "--json").lines
    assert [line["service"] for line in lines] == ["compact", "clean"]
    assert content(table) == before
    assert "nothing is due" in ran("service", str(tmp_path / "t"), "--only", "compact").out


def test_a_signal_ends_it_after_the_running_service(tmp_path: Path) -> None:
    """UPKEEP-466."""
    made(tmp_path / "t", "cow", 9)
    command = [sys.executable, "-c", "from hudi_core.cli.main import run; run()", "service", str(tmp_path / "t")]
    with subprocess.Popen([*command, "--every", "1h", "--json"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert '"service": "clean"' in process.stdout.readline()
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(60) == 0


def test_misuse_is_one_line(tmp_path: Path) -> None:
    made(tmp_path / "t", "cow", 9)
    refused = ran("service", str(tmp_path / "t"), "--only", "vacuum")
    assert (refused.status, "found vacuum" in refused.error) == (2, True)
    assert "expected hoodie.NAME=VALUE" in ran("service", str(tmp_path / "t"), "--option", "retained=1").error
