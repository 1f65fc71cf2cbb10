"""Some file slices of a table, their footers, and how long it took to read them. Rule ADVICE-2."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Final

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.engine import FileInfo, Footer
from hudi_core.planning.sources.sources import Sources

MAX_SLICES: Final = 256
"""Slices whose footers are read."""


def spread(numbers: Numbers, most: int) -> Numbers:
    """At most so many of the numbers, evenly spaced: the same ones each time."""
    if len(numbers) <= most:
        return numbers
    return numbers[np.linspace(0, len(numbers) - 1, most).astype(np.int64)]


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Slices of a table with a base file, by number and evenly spaced, with the footers of these files by path, and the seconds
    that reading them took."""

    sources: Sources
    numbers: Numbers
    footers: Mapping[str, Footer]
    seconds: float

    @property
    def seconds_a_footer(self) -> float:
        return self.seconds / max(len(self.footers), 1)

    @property
    def rows_a_slice(self) -> float:
        """The mean number of rows of a base file."""
        return sum(footer.rows for footer in self.footers.values()) / max(len(self.footers), 1)


def draw_sample(sources: Sources, most: int = MAX_SLICES) -> Sample:
    """A sample of at most so many slices. Draw it before anything is planned: what planning has read takes no time any more."""
    numbers = spread(np.flatnonzero(sources.snapshot.slices.bases >= 0), most)
    bases = list(bases_of(sources, numbers))
    begun = perf_counter()
    footers = sources.headers.footers(bases)
    seconds = perf_counter() - begun
    return Sample(sources, numbers, {base.path: footers[base.path] for base in bases if base.path in footers}, seconds)


def bases_of(sources: Sources, numbers: Numbers) -> Iterator[FileInfo]:
    """The base files of slices that have one."""
    for number in numbers.tolist():
        base = sources.snapshot.slices[number].base
        if base is not None:
            yield base


def slice_sizes(sources: Sources) -> tuple[Numbers, Numbers]:
    """The bytes and the number of files of each slice."""
    slices = sources.snapshot.slices
    bases, counts = slices.bases, np.diff(slices.log_offsets)
    sizes = np.where(bases >= 0, slices.files.sizes[np.maximum(bases, 0)] if len(slices.files) else 0, 0).astype(
        np.int64
    )
    np.add.at(sizes, np.repeat(np.arange(len(slices)), counts), slices.files.sizes[slices.logs])
    return sizes, (bases >= 0).astype(np.int64) + counts


def mean_size(sources: Sources) -> float:
    """The mean bytes of a file slice."""
    return float(slice_sizes(sources)[0].sum()) / max(len(sources.snapshot.slices), 1)


def files_of(sources: Sources) -> int:
    """How many base files and log files the latest slices have."""
    return int(slice_sizes(sources)[1].sum())


def sum_of(sizes: Numbers, numbers: Numbers | Sequence[int]) -> int:
    """The sum of the sizes of these slices."""
    return int(sizes[np.asarray(numbers, np.int64)].sum())
