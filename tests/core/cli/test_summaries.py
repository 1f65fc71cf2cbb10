"""`commits`, `partitions`, `count`, `head`, and commands under other names."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.support.commands import ran, rides


def test_short_answers_about_a_table() -> None:
    commits = ran("commits", rides(), "--json").lines
    assert commits[0]["operation"] == "BULK_INSERT" and commits[0]["inserted"] == 6000
    assert len(ran("commits", rides(), "-n", "2", "--json").lines) == 2
    assert "6,000" in ran("commits", rides()).out
    partitions = ran("partitions", rides(), "--json").lines
    counted = json.loads(ran("count", rides(), "--json").out)["count"]
    assert sum(partition["rows"] for partition in partitions) == counted
    assert f"{counted:,} rows" in ran("partitions", rides()).out
    matching = ran("count", rides(), "--where", "fare > 95").out.strip()
    assert int(matching) == len(ran("read", rides(), "--where", "fare > 95", "--json").lines)
    assert len(ran("head", rides(), "-n", "3", "-c", "ride_id", "--json").lines) == 3


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("vacuum", "clean T"), ("optimize", "cluster T"), ("log", "commits T"), ("timelin", "timeline")],
)
def test_a_command_of_another_tool_gives_the_right_word(typed: str, meant: str) -> None:
    refused = ran(typed, rides())
    assert refused.status == 2
    assert f"no such command '{typed}'; did you mean hudi-core {meant.replace('T', str(rides()))}?" in refused.error


def test_the_package_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "hudi_core", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.startswith("hudi-core ")
