"""Measures Apache Hudi in seconds of processors: `python peer_clock.py SCRIPT ARGUMENT…` runs a script of its measurements so.

Runs in Apache Hudi's environment, beside `bench_hudi`. The seconds are those of this process and of all that it started, the JVM
with its compiler and its collector among them.
"""

from __future__ import annotations

import os
import runpy
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

_TICK: Final = 1 / os.sysconf("SC_CLK_TCK")
_PROC: Final = Path("/proc")


def processor_seconds() -> float:
    """Seconds of processors that this process and its descendants have used."""
    return time.process_time() + sum(_seconds_of(process) for process in _descendants(os.getpid()))


def _descendants(process: int) -> Iterator[int]:
    for task in (_PROC / str(process) / "task").iterdir():
        try:
            children = (task / "children").read_text("ascii").split()
        except FileNotFoundError:  # a thread that has ended
            continue
        for child in children:
            yield int(child)
            yield from _descendants(int(child))


def _seconds_of(process: int) -> float:
    """Seconds of a process and of its children that have ended."""
    fields = (_PROC / str(process) / "stat").read_text("ascii").rpartition(")")[2].split()
    return sum(int(ticks) for ticks in fields[11:15]) * _TICK


def main() -> None:
    import bench_hudi  # noqa: PLC0415 - stands beside this script only where Apache Hudi is measured

    script, *arguments = sys.argv[1:]
    time.perf_counter = processor_seconds
    bench_hudi.Out.case = _timed_here(bench_hudi.Out.case)
    sys.argv = [script, *arguments]
    if Path(script).samefile(bench_hudi.__file__):
        bench_hudi.main()
    else:
        runpy.run_path(script, run_name="__main__")


def _timed_here(case: Callable[..., Any]) -> Callable[..., Any]:
    """Times the cases of `tag` here, which the JVM times by its own clock: with the opening and the end of its client."""

    def run(out: Any, bench: str, name: str, once: Callable[[int], Any], **options: Any) -> Any:
        return case(out, bench, name, (lambda number: (None, once(number)[1])) if bench == "tag" else once, **options)

    return run


if __name__ == "__main__":
    main()
