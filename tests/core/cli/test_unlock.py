"""`unlock`, and what a command that is ended by a signal gives back.

Also covers: `cli/signals.py`.
"""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from hudi_core.commit.lock import LOCK_PATH
from hudi_core.front.opening import open_table
from tests.core.commit.test_lock_owner import dead_process
from tests.support.commands import ran

_SLOW = """
import sys, time
import hudi_core.transactions.transaction as transaction
from hudi_core.cli.main import run
whole = transaction.refuse_conflicts
def slow(*arguments):
    print("under the lock", flush=True)
    time.sleep(60)
    whole(*arguments)
transaction.refuse_conflicts = slow
run()
"""
"""A command that is under the lock for long."""


def new_table(folder: Path) -> Path:
    (folder / "rows.csv").write_text("id,n\na,1\n")
    ran("create", str(folder / "t"), "--like", str(folder / "rows.csv"), "--key", "id")
    ran("write", str(folder / "t"), str(folder / "rows.csv"))
    return folder / "t"


def test_the_lock_of_a_dead_writer_is_freed(tmp_path: Path) -> None:
    """COMMIT-324."""
    table = new_table(tmp_path)
    assert ran("unlock", table).out == "no lock\n"
    owner = f"hudi-core {socket.gethostname()} {dead_process()} MainThread x"
    (table / LOCK_PATH).write_text(json.dumps({"owner": owner, "validUntil": 1 << 50}))
    assert ran("unlock", table, "--json").lines == [{"freed": owner}]
    (table / LOCK_PATH).write_bytes(b"")
    refused = ran("unlock", table)
    assert refused.status == 1
    assert "--owner 'unnamed'" in refused.error
    assert ran("unlock", table, "--owner", "another").status == 2
    assert ran("unlock", table, "--owner", "unnamed").out == "freed the lock of unnamed\n"


@pytest.mark.one_of(2)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_command_that_is_ended_gives_its_lock_back(tmp_path: Path, number: signal.Signals) -> None:
    """COMMIT-325."""
    table = new_table(tmp_path)
    (tmp_path / "rows.csv").write_text("id,n\na,2\n")
    command = [sys.executable, "-c", _SLOW, "write", str(table), str(tmp_path / "rows.csv")]
    # Whoever runs the tests in the background may have the signal ignored, which processes inherit.
    heard = partial(signal.signal, number, signal.SIG_DFL)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heard
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "under the lock\n"
        begun = time.monotonic()
        process.send_signal(number)
        _, problem = process.communicate(timeout=30)
    assert time.monotonic() - begun < 20
    assert (process.returncode, problem) == (128 + number, "interrupted\n")
    assert not (table / LOCK_PATH).exists()
    opened = open_table(str(table))
    assert not opened.timeline.pending
    assert [row["n"] for row in opened.scan(columns=["n"]).to_json_rows()] == [1]
