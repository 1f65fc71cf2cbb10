"""ENGINE-1603: what threads share, in a process that was forked while they were at work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_FORKED = """
import os, signal
from threading import Thread
from time import sleep
from hudi_core.parallel.requests import AnswersAhead, RequestLine

ahead, line = AnswersAhead(2), RequestLine(1)
ahead.ask("used", lambda: 1, 1)
assert ahead.take("used", lambda: 0) == 1  # its thread is idle from here on
ahead.ask("under way", lambda: sleep(60), 1)

def hold():
    with line.request():
        sleep(60)

Thread(target=hold, daemon=True).start()
sleep(0.2)
child = os.fork()
if child == 0:
    signal.alarm(20)  # ends one that waits without end
    ahead.ask("new", lambda: 2, 1)
    answers = [ahead.take("new", lambda: 0), ahead.take("under way", lambda: 3)]
    with line.request():
        os._exit(0 if answers == [2, 3] else 1)
os._exit(abs(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))
"""


_PLANNING = """
import os, signal, sys
from threading import Event, Thread
import hudi_core
from hudi_core.table.scan import Scan

table = hudi_core.create(sys.argv[1], [{"id": "a", "n": 1}], key="id")
table.upsert([{"id": "a", "n": 1}])
table, planner, begun = table.refresh(), Scan._planner, Event()

def plan_without_end(scan):
    begun.set()
    Event().wait()

Scan._planner = plan_without_end
Thread(target=table.scan("n = 1").count, daemon=True).start()
begun.wait()
Scan._planner = planner
child = os.fork()
if child == 0:
    signal.alarm(20)
    os._exit(0 if table.scan("n = 1").count() == 1 else 1)
os._exit(abs(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system forks no processes")
@pytest.mark.parametrize("code", [_FORKED, _PLANNING], ids=["storage", "plan"])
def test_a_forked_process_waits_for_no_thread_of_the_other(code: str, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", code, str(tmp_path / "t")]
    assert subprocess.run(command, timeout=50, check=False).returncode == 0
