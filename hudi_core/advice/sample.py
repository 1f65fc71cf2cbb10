"""Some file slices of a table: footers, rows of row groups, and how long it took to read them. Rule ADVICE-2."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.concat import concat_columns
from hudi_core.columns.nodes import StructColumn
from hudi_core.columns.slicing import filter_rows
from hudi_core.engine import FileInfo, Footer
from hudi_core.parallel.ordered import in_order
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.base_files import BaseFiles
from hudi_core.schema.schema import Schema

MAX_SLICES: Final = 256
"""Slices whose footers are read."""
MAX_ROW_GROUPS: Final = 64
"""Slices of which a row group is read."""
MAX_ROWS: Final = 2048
"""Rows that are taken of each of these."""

Numbers = NDArray[np.int64]


def spread(numbers: Numbers, most: int) -> Numbers:
    """At most so many of the numbers, evenly spaced: the same ones each time."""
    if len(numbers) <= most:
        return numbers
    return numbers[np.linspace(0, len(numbers) - 1, most).astype(np.int64)]


@dataclass(frozen=True)
class Sample:
    """Slices of a table with a base file, evenly spaced, with the statistics of their footers."""

    sources: Sources
    most: int = MAX_SLICES
    _timed: list[float] = field(default_factory=list)
    """Seconds that reading the footers took."""

    @cached_property
    def numbers(self) -> Numbers:
        """The slices, by number."""
        slices = self.sources.snapshot.slices
        return spread(np.flatnonzero(slices.bases >= 0), self.most)

    @cached_property
    def footers(self) -> Mapping[str, Footer]:
        """The footers of the slices' base files by path."""
        bases = list(self.bases(self.numbers))
        begun = perf_counter()
        footers = self.sources.headers.footers(bases)
        known = {base.path: footers[base.path] for base in bases if base.path in footers}
        self._timed.append(perf_counter() - begun)
        return known

    @property
    def seconds_a_footer(self) -> float:
        return sum(self._timed) / max(len(self.footers), 1)

    def bases(self, numbers: Numbers) -> Iterator[FileInfo]:
        """The base files of slices that have one."""
        for number in numbers.tolist():
            base = self.sources.snapshot.slices[number].base
            if base is not None:
                yield base

    @cached_property
    def rows_a_slice(self) -> float:
        """The mean number of rows of a base file."""
        return sum(footer.rows for footer in self.footers.values()) / max(len(self.footers), 1)

    def rows(self, numbers: Numbers, wanted: Schema) -> StructColumn | None:
        """Rows of slices, some of a row group of each of some base files, evenly spaced; None where there are none."""
        parts = list(in_order(lambda number: self._part(number, wanted), spread(numbers, MAX_ROW_GROUPS).tolist()))
        columns = [part for part in parts if part is not None]
        if not columns:
            return None
        joined = concat_columns(columns, sum(column.length for column in columns))
        assert isinstance(joined, StructColumn)
        return joined

    def _part(self, number: int, wanted: Schema) -> StructColumn | None:
        file_slice = self.sources.snapshot.slices[number]
        base = file_slice.base
        if base is None:
            return None
        groups = self.sources.headers.footer(base).row_groups
        engine = self.sources.snapshot.engine
        columns: list[StructColumn] = []
        batches = BaseFiles(self.sources).rows(file_slice, base, wanted, [len(groups) // 2] if groups else None)
        for batch in batches:
            column = engine.rows.to_column(engine.rows.root(batch), wanted.record, base.path)
            assert isinstance(column, StructColumn)
            columns.append(column)
        read = sum(column.length for column in columns)
        if not read:
            return None
        rows = concat_columns(columns, read)
        chosen = np.zeros(read, np.bool_)
        chosen[spread(np.arange(read, dtype=np.int64), MAX_ROWS)] = True
        few = filter_rows(rows, chosen)
        assert isinstance(few, StructColumn)
        return few


def mean_size(sources: Sources) -> float:
    """The mean bytes of a file slice."""
    slices = sources.snapshot.slices
    sizes = slices.files.sizes
    return float(sizes[slices.bases[slices.bases >= 0]].sum() + sizes[slices.logs].sum()) / max(len(slices), 1)


def files_of(sources: Sources) -> int:
    """How many base files and log files the latest slices have."""
    slices = sources.snapshot.slices
    return int(np.count_nonzero(slices.bases >= 0)) + len(slices.logs)
