"""Garbage for every answer that falls under a deviation makes the test fail that compares it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def experiment(*paths: str) -> tuple[int, str]:
    """The exit status and what is printed, of a process of its own: pytest does not run inside of pytest."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.faults.garbage", *paths], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return run.returncode, run.stdout


def test_garbage_is_noticed_and_what_does_not_notice_it_is_named() -> None:
    """The tests of the ledger expect it to fail: so they pass with garbage."""
    status, reported = experiment("tests/conformance/test_constructed_questions.py", "tests/conformance/test_ledger.py")
    unnoticed = [line for line in reported.splitlines() if line.startswith("passes with garbage: ")]
    assert status == 1, reported
    assert unnoticed and all("test_ledger.py" in line for line in unnoticed)
    assert "partitions: " in reported


@pytest.mark.soak
def test_no_test_passes_with_garbage() -> None:
    status, reported = experiment()
    assert status == 0, reported
