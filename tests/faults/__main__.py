"""`python -m tests.faults [--stale] [--at-once] [WORD ...]`: plants known faults, one at a time, and runs their tests.

Prints a line for each fault, and at the end those that no test caught. The exit status is 0 when all were caught.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from tests.faults.faults import Fault, all_faults, stale
from tests.faults.planting import Field, Outcome, Verdict

_WORKERS = 2


def main(arguments: list[str]) -> int:
    """Runs the command; the exit status."""
    options = _parser().parse_args(arguments)
    chosen = [fault for fault in all_faults() if all(word in f"{fault} {fault.file}" for word in options.words)]
    if not chosen:
        print(f"no fault's line contains {' and '.join(options.words)}", file=sys.stderr)
        return 1
    problems = stale(chosen)
    for problem in problems:
        print("stale:", problem)
    if problems or options.stale:
        print(f"{len(chosen)} faults, {len(problems)} stale")
        return int(bool(problems))
    began = time.monotonic()
    verdicts = _tried(chosen, at_once=options.at_once)
    open_ones = [fault for fault, verdict in verdicts if verdict.outcome is not Outcome.CAUGHT]
    for fault in open_ones:
        print("not caught:", fault, f"({fault.file})")
    print(f"{len(chosen) - len(open_ones)} of {len(chosen)} caught in {time.monotonic() - began:.0f} s")
    return int(bool(open_ones))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults",
        description="Plant known faults, one at a time, and run the tests that have to catch them.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "words", nargs="*", metavar="WORD", help="words that the fault's line contains; all faults by default"
    )
    parser.add_argument("--stale", action="store_true", help="only list the entries that do not fit the sources")
    parser.add_argument("--at-once", action="store_true", help="do not first check that the tests pass without a fault")
    return parser


def _tried(faults: list[Fault], *, at_once: bool) -> list[tuple[Fault, Verdict]]:
    with tempfile.TemporaryDirectory(prefix="hudi-faults-", ignore_cleanup_errors=True) as folder:
        fields: SimpleQueue[Field] = SimpleQueue()
        for number in range(_WORKERS):
            fields.put(Field(Path(folder) / str(number)))
        if not at_once:
            clean = fields.get()
            unharmed = clean.ran(sorted({test for fault in faults for test in fault.tests}))
            fields.put(clean)
            if unharmed.outcome is not Outcome.SURVIVED:
                raise SystemExit(f"the tests do not pass without a fault:\n{unharmed.output}")

        def tried(fault: Fault) -> tuple[Fault, Verdict]:
            field = fields.get()
            began = time.monotonic()
            try:
                verdict = field.tried(fault)
            finally:
                fields.put(field)
            print(f"{verdict.outcome.value:12} {time.monotonic() - began:5.1f} s  {fault}", flush=True)
            if verdict.outcome is not Outcome.CAUGHT:
                print(verdict.output, flush=True)
            return fault, verdict

        with ThreadPoolExecutor(_WORKERS) as pool:
            return list(pool.map(tried, faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
