"""One checkout's side of `beside`: makes a case's data, then answers each line with the seconds of one call.

It is run by its path with the sources of the checkout that is measured, which need not be this one: it takes no more of
`tests.bench` than what has always been there.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
from contextlib import nullcontext
from time import perf_counter, process_time
from typing import Any

from tests.bench.goals import Goal, pair_of
from tests.bench.timing import Missing


def now() -> float:
    if os.environ.get("HUDI_BENCH_CLOCK") != "processor":
        return perf_counter()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime


def timed(call: Any) -> float:
    """The seconds of a call, without those of the state that it needs anew each time."""
    with call.made() if hasattr(call, "made") else nullcontext(call) as ready:
        gc.collect()
        begin = now()
        ready()
        return now() - begin


def main(bench: str, case: str, peer: str) -> None:
    answers, sys.stdout = sys.stdout, sys.stderr
    call: Any = None
    for _ in sys.stdin:
        try:
            begin = now()
            if call is None:
                call, seconds = pair_of(Goal(bench, case, peer)).ours, now() - begin
            else:
                seconds = timed(call)
            answer: dict[str, object] = {"seconds": seconds}
        except Missing as reason:
            answer = {"refused": str(reason)}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
