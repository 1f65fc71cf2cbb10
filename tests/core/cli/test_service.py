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
    refused = ran("service", str(tmp_path / "t"), "--rounds", "2")
    assert (refused.status, "--rounds: expected --every beside it" in refused.error) == (2, True)
    assert "expected hoodie.NAME=VALUE" in ran("service", str(tmp_path / "t"), "--option", "retained=1").error


def test_bounds_are_named_and_what_they_put_off_is_told(tmp_path: Path) -> None:
    """UPKEEP-863, UPKEEP-864."""
    table = made(tmp_path / "t", "mor", 9)
    table.upsert(rows(0, 20, 3))
    at_once = ["--only", "compact", "--option", "hoodie.compact.inline.max.delta.commits=1", "--json", "--limit"]
    (lacking,) = ran("service", str(tmp_path / "t"), *at_once, "memory=1kB").lines
    assert (lacking["state"], lacking["slices_put_off"]) == ("put off", 2)
    (done,) = ran("service", str(tmp_path / "t"), *at_once, "time=1h, bytes=1,memory=4GB").lines
    assert (done["state"], done["slices_put_off"], done["bytes_put_off"] > 0) == ("completed", 1, True)
    (late,) = ran("service", str(tmp_path / "t"), "--only", "clean", "--json", "--limit", "0.00001s").lines
    assert (late["state"], late["message"]) == ("put off", "the time is over")
    for wrong, named in {
        "space=1GB": "found space",
        "bytes=much": "found 'much'",
        "time=1h,2h": "found several",
        "bytes=0": "bytes: expected a number above 0, found 0",
    }.items():
        refused = ran("service", str(tmp_path / "t"), "--limit", wrong)
        assert (refused.status, named in refused.error) == (2, True), refused.error
