"""Seconds of processors of a peer that works in processes of its own."""

from __future__ import annotations

import subprocess
import sys
from time import sleep

from tests.bench.peer_clock import processor_seconds

_WORK = "sum(range(3_000_000)); print(flush=True); input()"


def test_work_of_a_process_that_still_runs_counts_and_waiting_does_not() -> None:
    before = processor_seconds()
    with subprocess.Popen([sys.executable, "-c", _WORK], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker:
        assert worker.stdout is not None
        worker.stdout.readline()
        worked = processor_seconds()
        sleep(0.3)
        waited = processor_seconds()
        worker.communicate(b"\n")
    assert worked - before >= 0.02
    assert waited - worked < 0.2
