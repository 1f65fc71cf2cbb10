"""What was freed is taken again without asking the system for pages."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

ROUNDS = """
import resource, sys
import numpy as np
from hudi_core.formats.freed_memory import keep_freed

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    parts = [np.ones(100_000, np.uint8) for _ in range(100)]
    while parts:
        parts.pop()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

if sys.argv[1] == "kept":
    keep_freed()
print(sorted(faults() for _ in range(9))[4])
"""


def faults(how: str) -> int:
    found = subprocess.run([sys.executable, "-c", ROUNDS, how], capture_output=True, check=True, text=True)
    return int(found.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc gives memory back so soon")
def test_memory_that_was_freed_is_kept() -> None:
    assert faults("kept") < 200 < 1000 < faults("given back")
