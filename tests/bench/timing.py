"""Timing two ways of doing one thing on a machine that is never quiet: turn by turn, best and median of many."""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np


class Missing(Exception):
    """A case that cannot be measured here; the text says why."""


@dataclass(frozen=True)
class Pair:
    """Ours and a peer's way to the same answer; `check` raises when the answers do not go together.

    A peer that runs elsewhere gives the seconds that it took there, and None as its answer.
    """

    ours: Callable[[], object]
    peer: Callable[[], object] | Sequence[float]
    check: Callable[[object, object], None]
    seconds: float = 3.0
    """How long to repeat."""
    least: int = 3
    """Calls of the peer that are timed in any case."""
    part: float = 1.0
    """The share of our work that the peer is given, where all of it would take it minutes; its times are counted up."""


@dataclass(frozen=True)
class Times:
    """Seconds: best, median, and median with caches emptied before each call."""

    best: float
    median: float
    cold: float


def measured(pair: Pair) -> tuple[Times, Times]:
    """Ours and the peer's times, after one call of each to warm up and to compare the answers."""
    call = pair.peer if callable(pair.peer) else None
    pair.ours()
    pair.check(pair.ours(), call() if call else None)
    ours: list[float] = []
    peer: list[float] = []
    gc.collect()
    gc.disable()
    try:
        end = perf_counter() + pair.seconds
        while not ours or perf_counter() < end or (call and len(peer) < pair.least):
            if call:
                peer.append(_timed(call))
            ours += [_timed(pair.ours) for _ in range(5)]
        theirs = _scaled(_times(peer, call), 1 / pair.part) if call else _told(pair.peer)
        return _times(ours, pair.ours), theirs
    finally:
        gc.enable()


def _told(seconds: object) -> Times:
    assert isinstance(seconds, Sequence)
    median = statistics.median(seconds)
    return Times(min(seconds), median, median)


def _times(hot: list[float], call: Callable[[], object]) -> Times:
    median = statistics.median(hot)
    rounds = 15 if median < 0.01 else 5 if median < 0.2 else 0
    cold = [_timed(call) for _ in range(rounds) if _emptied_caches()]
    return Times(min(hot), median, statistics.median(cold) if cold else median)


def _scaled(of: Times, by: float) -> Times:
    return Times(of.best * by, of.median * by, of.cold * by)


def _timed(call: Callable[[], object]) -> float:
    begin = perf_counter()
    call()
    return perf_counter() - begin


_OTHER = np.zeros(16_000_000)


def _emptied_caches() -> bool:
    """Reads and writes more memory than any cache holds."""
    np.add(_OTHER, 1, out=_OTHER)
    return True
