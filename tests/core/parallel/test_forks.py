"""ENGINE-1603: what threads share, in a process that was forked while they were at work."""

from __future__ import annotations

import os
import subprocess
import sys

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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system forks no processes")
def test_a_forked_process_waits_for_no_thread_of_the_other() -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", _FORKED], timeout=50, check=False)
    assert done.returncode == 0
