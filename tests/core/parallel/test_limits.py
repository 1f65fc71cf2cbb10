"""The numbers of workers: processors that this process may use, and threads that read."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PRINT_LIMITS = "from hudi_core.parallel.limits import PROCESSORS, READERS; print(PROCESSORS, READERS)"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no processor affinity")
def test_processors_respect_the_affinity_of_the_process() -> None:
    processor = min(os.sched_getaffinity(0))
    code = f"import os; os.sched_setaffinity(0, {{{processor}}}); {PRINT_LIMITS}"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["1", "2"]
