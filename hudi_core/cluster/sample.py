"""Random rows of slices, a few columns of them: the sample for layouts and predictions. Rule CLUSTER-5."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from hudi_core.cluster.sort_keys import SortKeys, concatenated, sort_keys_of
from hudi_core.engine import Engine
from hudi_core.parallel.streams import read_ahead
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.base_files import BaseFiles
from hudi_core.reading.merged_slices import MergedSlices
from hudi_core.schema.schema import Schema
from hudi_core.timeline.slices import FileSlice

SAMPLE_ROWS: Final = 1 << 18
"""Rows of a sample, of all slices together. A file of 64 then has 4,096 of them."""
READ_ROWS: Final = 1 << 25
"""Rows that are read for a sample; where there are more, row groups are left out evenly."""
_BYTES_OF_LOGGED_ROW: Final = 100
_SEED: Final = 19


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Batches of the schema."""

    engine: Engine[Any, Any, Any]
    schema: Schema
    batches: tuple[Any, ...]

    @property
    def rows(self) -> int:
        return sum(map(self.engine.rows.count, self.batches))

    def keys(self, paths: Sequence[tuple[str, ...]]) -> list[SortKeys]:
        """The keys of columns, by path of names. There is at least one row."""
        parts = [sort_keys_of(self.engine, self.schema, batch, paths) for batch in self.batches]
        return [concatenated(column) for column in zip(*parts, strict=True)]


def drawn_sample(
    sources: Sources, slices: Sequence[FileSlice], wanted: Schema, rows: int = SAMPLE_ROWS, read_rows: int = READ_ROWS
) -> Sample:
    """About `rows` rows of the slices, all of fewer, the same each time. What log files change in base files is left out."""
    files = BaseFiles(sources)
    sources.headers.footers([file_slice.base for file_slice in slices if file_slice.base is not None])
    counts = [rows_of(sources, file_slice) for file_slice in slices]
    total = sum(counts)
    stride = max(1, -(-total // read_rows))
    share = min(1.0, rows * stride / max(total, 1))
    streams: list[Callable[[], Iterator[Any]]] = []
    passed = 0
    for number, file_slice in enumerate(slices):
        parts = _parts(sources, file_slice)
        streams += [
            partial(_chosen, files, file_slice, wanted, groups, share, (number, place))
            for place, groups in enumerate(parts)
            if (passed + place) % stride == 0
        ]
        passed += len(parts)
    return Sample(sources.snapshot.engine, wanted, tuple(read_ahead(streams)))


def rows_of(sources: Sources, file_slice: FileSlice) -> int:
    """About the rows of a slice: those of its base file, else as many as its logs have room for."""
    if file_slice.base is not None:
        return sources.headers.footer(file_slice.base).rows
    return 1 + sum(log.size for log in file_slice.logs) // _BYTES_OF_LOGGED_ROW


def _parts(sources: Sources, file_slice: FileSlice) -> list[Sequence[int] | None]:
    """The row groups of a slice's base file one by one; None for the whole slice."""
    groups = 0 if file_slice.base is None else len(sources.headers.footer(file_slice.base).row_groups)
    return [None] if groups < 2 else [[group] for group in range(groups)]


def _chosen(
    files: BaseFiles,
    file_slice: FileSlice,
    wanted: Schema,
    groups: Sequence[int] | None,
    share: float,
    seed: tuple[int, int],
) -> Iterator[Any]:
    engine = files.sources.snapshot.engine
    chance = np.random.default_rng([_SEED, *seed])
    if file_slice.base is None:
        batches = MergedSlices(files).rows(file_slice, wanted)
    else:
        batches = files.rows(file_slice, file_slice.base, wanted, groups)
    for batch in batches:
        kept = engine.rows.keep(batch, chance.random(engine.rows.count(batch)) < share)
        if engine.rows.count(kept):
            yield kept
