"""Timing two ways of doing one thing on a machine that is never quiet: turn by turn, best and median of many.

With `HUDI_BENCH_CLOCK=processor` seconds are those of processors, of this process and of those that it starts: on a machine with
other work ratios are reliable by these alone. Peers that time themselves go by the same clock (`now`, `tests.bench.peer_clock`).
What both sides mostly wait for is timed by the clock on the wall all the same (`Pair.waits`).
"""

from __future__ import annotations

import gc
import os
import resource
import statistics
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from time import perf_counter, process_time
from typing import Any

import numpy as np

_LONG_CALL = 0.2
"""Seconds of a call that finds the caches of the processor empty, whatever was called before."""


class Missing(Exception):
    """A case that cannot be measured here; the message says what it needs."""


class Unbuilt(Missing):
    """There is no measurement of the case: the capability is yet to be built."""


@dataclass(frozen=True, eq=False)
class Elsewhere:
    """A peer that runs in a process of its own: `run` gives the seconds of its calls, and its answer."""

    run: Callable[[], tuple[Sequence[float], Any]]


@dataclass(frozen=True, eq=False)
class Fresh:
    """A call that needs a state of its own each time: `made` makes it, which is not timed, and gives the call that is."""

    made: Callable[[], AbstractContextManager[Callable[[], object]]]

    def __call__(self) -> None:
        with self.made() as call:
            call()


@dataclass(frozen=True)
class Pair:
    """Ours and a peer's way to the same answer; `check` raises `AssertionError` unless the answers are equal."""

    ours: Callable[[], object]
    peer: Callable[[], object] | Elsewhere
    check: Callable[[Any, Any], None]
    seconds: float = 3.0
    """How long to repeat."""
    min_calls: int = 3
    """Calls of the peer that are timed in any case."""
    part: float = 1.0
    """The share of our work that the peer is given, where all of it would take it minutes; its times are counted up."""
    burst: int = 5
    """Calls in a row of each side, so that both find caches as warm; one where a call of the peer takes long."""
    terms: Mapping[str, str] = field(default_factory=dict)
    """What the two sides do that the answers do not show, by side: codec, columns, durability."""
    waits: bool = False
    """Whether both sides mostly wait, for a store that is far away: no processor shows that."""


@dataclass(frozen=True)
class Times:
    """Seconds: best, median, and median with the processor's caches emptied before each call."""

    best: float
    median: float
    emptied: float


def measured(pair: Pair) -> tuple[Times, Times]:
    """Ours and the peer's times, after calls of each to warm up and to compare the answers.

    Raises `AssertionError` when the answers differ.
    """
    call = None if isinstance(pair.peer, Elsewhere) else pair.peer
    clock = perf_counter if pair.waits else now
    elsewhere: tuple[Sequence[float], Any] | None = pair.peer.run() if isinstance(pair.peer, Elsewhere) else None
    pair.ours()
    pair.check(pair.ours(), call() if call else elsewhere and elsewhere[1])
    ours: list[float] = []
    peer: list[float] = []
    gc.collect()
    gc.disable()
    try:
        end = perf_counter() + pair.seconds
        burst = pair.burst if call is None or _timed(call, clock) < _LONG_CALL else 1
        while not ours or perf_counter() < end or (call and len(peer) < pair.min_calls):
            if call:
                peer += [_timed(call, clock) for _ in range(burst)]
            ours += [_timed(pair.ours, clock) for _ in range(burst)]
        theirs = (
            _scaled(_times(peer, call, clock), 1 / pair.part) if call else _reported(elsewhere[0] if elsewhere else ())
        )
        return _times(ours, pair.ours, clock), theirs
    finally:
        gc.enable()


def first_call(call: Callable[[], object]) -> float:
    """The seconds of a call that is the first of its process."""
    return _timed(call, now)


def _reported(seconds: Sequence[float]) -> Times:
    median = statistics.median(seconds)
    return Times(min(seconds), median, median)


def _times(hot: list[float], call: Callable[[], object], clock: Callable[[], float]) -> Times:
    median = statistics.median(hot)
    rounds = 15 if median < 0.01 else 5 if median < 0.2 else 0
    emptied = [_timed(call, clock) for _ in range(rounds) if _empty_caches()]
    return Times(min(hot), median, statistics.median(emptied) if emptied else median)


def _scaled(times: Times, by: float) -> Times:
    return Times(times.best * by, times.median * by, times.emptied * by)


def _timed(call: Callable[[], object], clock: Callable[[], float]) -> float:
    if isinstance(call, Fresh):
        with call.made() as made:
            return _timed(made, clock)
    begin = clock()
    call()
    return clock() - begin


def counts_processors() -> bool:
    """Whether seconds are those of processors."""
    return os.environ.get("HUDI_BENCH_CLOCK") == "processor"


def now() -> float:
    """Seconds of the clock that is asked for, since some moment."""
    if not counts_processors():
        return perf_counter()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime


_OTHER = np.zeros(16_000_000)


def _empty_caches() -> bool:
    """Reads and writes more memory than any cache holds."""
    np.add(_OTHER, 1, out=_OTHER)
    return True
