"""Ctrl-C while rows are read: it is never lost, and ends the command at once with a line and exit status 130."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import rides
from tests.support.drawing import cases

TIMES = cases(36, part=6)
"""Interrupts of a read in each of its forms."""
PROMPT = 5.0
"""Seconds; more than the half that a batch and the end of threads may take, on a machine that does much else."""

# Reads over and over, in one process since starting takes longest. Looking for a module that is not installed is slow, as in
# an installation with many folders of packages: what loses interrupts there loses them here.
_SCRIPT = """
import contextlib, io, json, os, random, signal, sys, threading, time
from hudi_core.cli.application import app

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("dateutil", "pandas"):
            end = time.perf_counter() + 2e-4
            while time.perf_counter() < end:
                pass
            raise ModuleNotFoundError(name)

signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell runs in the background ignores it
sys.meta_path.insert(0, Absent())
for module in [name for name in sys.modules if name.partition(".")[0] in ("dateutil", "pandas")]:
    del sys.modules[module]
times, patience, arguments = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
draw = random.Random(7)
sys.stdout = open(os.devnull, "w")

def once(delay):
    sent = []
    def send():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)
    timer, said = threading.Timer(delay, send), io.StringIO()
    timer.start()
    begun = time.monotonic()
    with contextlib.redirect_stderr(said):
        while time.monotonic() < begun + delay + patience:
            try:
                app(arguments)
            except SystemExit as end:
                if end.code:
                    return end.code, said.getvalue(), time.monotonic() - sent[0]
    return "lost", said.getvalue(), patience

# An interrupted import leaves half a module behind, which would fail the reads after it: all is loaded once before.
with contextlib.suppress(SystemExit):
    app(arguments)
seen = 0
while seen < times:
    try:
        found = once(draw.uniform(0.01, 0.4))
    except KeyboardInterrupt:
        continue  # it came between two commands
    sys.__stdout__.write(json.dumps(found) + "\\n")
    seen += 1
"""


@pytest.mark.parametrize(
    "options",
    [("--json", "--where", "distance_km / surge > 0"), ("--overwrite", "--output", "rows.csv")],
    ids=["rows", "file"],
)
def test_every_interrupt_ends_a_read(tmp_path: Path, options: tuple[str, ...]) -> None:
    requested = ["read", str(rides()), "--where", "fare > 0", *options]
    command = [sys.executable, "-c", _SCRIPT, str(TIMES), str(PROMPT), *requested]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    ends = [json.loads(line) for line in done.stdout.splitlines()]
    # One that comes behind the last row finds the file reported.
    assert [[status, message.splitlines()[-1]] for status, message, *_ in ends] == [[130, "interrupted"]] * TIMES
    assert max(seconds for *_, seconds in ends) < PROMPT
    assert [name for name in os.listdir(tmp_path) if name.endswith(".partial")] == []
