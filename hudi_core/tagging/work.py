"""The work of locating keys, counted and timed."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

from hudi_core.formats.bloom import BloomFilter
from hudi_core.planning.sources.file_filters import FilterState
from hudi_core.tally import LOOKING_UP, Tally


@dataclass
class TaggingMetrics:
    """Counts of keys, of pairs of a key and a file slice, of file slices and filters; seconds by stage, of all threads together.

    May be added to from many threads.
    """

    counts: Counter[str] = field(default_factory=Counter)
    filters: Counter[FilterState] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)
    fill: float = 0.0
    """The share of bits that are set in the fullest of the filters that were consulted."""
    false_positives: float = 0.0
    """The share of absent keys that the worst of them lets pass, as its bits stand."""
    tally: Tally | None = None
    """Gets how many of the files that may hold the keys are looked into."""
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def begin_lookups(self, total: int) -> None:
        """Begins to look into so many files."""
        if self.tally is not None:
            self.tally.enter(LOOKING_UP, total)

    def end_lookups(self, done: int) -> None:
        """Counts files that are looked into."""
        if self.tally is not None:
            self.tally.add(done=done)

    def count(self, **numbers: int) -> None:
        """Adds to counts by name."""
        with self._lock:
            self.counts.update(numbers)

    def filter(self, state: FilterState, bloom_filter: BloomFilter | None = None) -> None:
        """Counts what became of a filter, and how full it is where it is consulted."""
        with self._lock:
            self.filters[state] += 1
            if bloom_filter is not None:
                self.fill = max(self.fill, bloom_filter.fill)
                self.false_positives = max(self.false_positives, bloom_filter.false_positives)

    @contextmanager
    def measure(self, stage: str) -> Iterator[None]:
        """Adds the time that the block takes to a stage."""
        begun = perf_counter()
        try:
            yield
        finally:
            with self._lock:
                self.seconds[stage] += perf_counter() - begun  # type: ignore[assignment]  # counters count in fractions too
