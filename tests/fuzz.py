"""Looks for cases that break a test: draws new ones, run after run, until the time is over. `make fuzz`.

The environment tells `FUZZ_SECONDS`, and with `FUZZ_SEED` the number of the first run, by which a failure is drawn again.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import time

from tests.support.drawing import FUZZ

LAWS = ("tests/laws", "tests/core/formats", "tests/core/metadata/test_damaged_logs.py")
"""What draws its cases, damaged input above all."""


def main(arguments: list[str]) -> int:
    """The exit status: 0, or that of the first run that failed."""
    end = time.monotonic() + float(os.environ.get("FUZZ_SECONDS", "600"))
    number = int(os.environ.get(FUZZ) or secrets.randbelow(1 << 32))
    while True:
        print(f"{FUZZ}={number}", flush=True)
        command = [sys.executable, "-m", "pytest", "-q", "-x", f"--hypothesis-seed={number}", *(arguments or LAWS)]
        status = subprocess.run(
            command, env={**os.environ, FUZZ: str(number), "HUDI_SOAK": "1"}, check=False
        ).returncode
        if status or time.monotonic() >= end:
            return status
        number += 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
