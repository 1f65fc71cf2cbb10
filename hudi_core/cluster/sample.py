"""Random rows of slices, a few columns of them: the sample for layouts and predictions. Rule CLUSTER-5."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import Any, Final

import numpy as np

from hudi_core.cluster.sort_keys import SortKeys, concatenate, sort_keys_of
from hudi_core.engine import Engine
from hudi_core.parallel.flow import FlowRunner
from hudi_core.parallel.streams import read_ahead
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.base_files import BaseFiles
from hudi_core.reading.merged_slices import MergedSlices
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.timeline.slices import FileSlice, slices_of

SAMPLE_ROWS: Final = 1 << 18
"""Rows of a sample, of all slices together. A file of 64 then has 4,096 of them."""
READ_ROWS: Final = 1 << 25
"""Rows that are read for a sample; where there are more, row groups are left out evenly."""
_BYTES_OF_LOGGED_ROW: Final = 100
_SEED: Final = 19
_FOOTERS_OF_TASK: Final = 1 << 8
_TASKS_AT_ONCE: Final = 4
"""Tasks that draw for each that runs at the same time."""


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
        return [concatenate(column) for column in zip(*parts, strict=True)]


def draw_sample(
    sources: Sources, slices: Sequence[FileSlice], wanted: Schema, rows: int = SAMPLE_ROWS, read_rows: int = READ_ROWS
) -> Sample:
    """About `rows` rows of the slices, all of fewer, the same each time. What log files change in base files is left out."""
    files, sizes = BaseFiles(sources), slice_sizes(sources, slices)
    streams = [
        partial(_choose, files, slices[one.slice], wanted, one) for one in sample_streams(sizes, rows, read_rows)
    ]
    return Sample(sources.snapshot.engine, wanted, tuple(read_ahead(streams)))


@dataclass(frozen=True, slots=True)
class SliceSize:
    """About the rows of a slice, and the row groups of its base file."""

    rows: int
    groups: int


@dataclass(frozen=True, slots=True)
class SampleStream:
    """A part of a slice of which some rows are drawn: a row group of its base file, None for the whole slice."""

    slice: int
    place: int
    group: int | None
    share: float


def slice_sizes(sources: Sources, slices: Sequence[FileSlice]) -> list[SliceSize]:
    """The sizes of slices, from their footers."""
    sources.headers.footers([file_slice.base for file_slice in slices if file_slice.base is not None])
    return [SliceSize(rows_of(sources, one), _row_groups(sources, one)) for one in slices]


def sample_streams(
    sizes: Sequence[SliceSize], rows: int = SAMPLE_ROWS, read_rows: int = READ_ROWS
) -> list[SampleStream]:
    """The parts of slices from which about so many rows are drawn."""
    total = sum(size.rows for size in sizes)
    stride = max(1, -(-total // read_rows))
    share = min(1.0, rows * stride / max(total, 1))
    streams: list[SampleStream] = []
    passed = 0
    for number, size in enumerate(sizes):
        parts = [None] if size.groups < 2 else list(range(size.groups))
        streams += [
            SampleStream(number, place, group, share)
            for place, group in enumerate(parts)
            if (passed + place) % stride == 0
        ]
        passed += len(parts)
    return streams


def rows_of(sources: Sources, file_slice: FileSlice) -> int:
    """About the rows of a slice: those of its base file, else as many as its logs have room for."""
    if file_slice.base is not None:
        return sources.headers.footer(file_slice.base).rows
    return 1 + sum(log.size for log in file_slice.logs) // _BYTES_OF_LOGGED_ROW


def _row_groups(sources: Sources, file_slice: FileSlice) -> int:
    return 0 if file_slice.base is None else len(sources.headers.footer(file_slice.base).row_groups)


def _choose(files: BaseFiles, file_slice: FileSlice, wanted: Schema, stream: SampleStream) -> Iterator[Any]:
    engine = files.sources.snapshot.engine
    chance = np.random.default_rng([_SEED, stream.slice, stream.place])
    if file_slice.base is None:
        batches = MergedSlices(files).rows(file_slice, wanted)
    else:
        groups = None if stream.group is None else [stream.group]
        batches = files.rows(file_slice, file_slice.base, wanted, groups)
    for batch in batches:
        kept = engine.rows.keep(batch, chance.random(engine.rows.count(batch)) < stream.share)
        if engine.rows.count(kept):
            yield kept


def sizes_elsewhere(
    runner: FlowRunner, snapshot: Snapshot, groups: Sequence[Sequence[FileSlice]]
) -> list[list[SliceSize]]:
    """The sizes of the slices of groups, from footers that a runner's tasks read. `snapshot` has no slices of its own."""
    slices = [file_slice for group in groups for file_slice in group]
    shares = [slices[start : start + _FOOTERS_OF_TASK] for start in range(0, len(slices), _FOOTERS_OF_TASK)]
    sizes = chain.from_iterable(runner.run(partial(_sizes_of, snapshot), shares))
    return [list(islice(sizes, len(group))) for group in groups]


def _sizes_of(snapshot: Snapshot, slices: Sequence[FileSlice]) -> list[SliceSize]:
    return slice_sizes(Sources(snapshot.of_slices(slices_of(slices))), slices)


def sample_elsewhere(
    runner: FlowRunner,
    snapshot: Snapshot,
    groups: Sequence[Sequence[FileSlice]],
    sizes: Sequence[Sequence[SliceSize]],
    wanted: Schema,
) -> list[Sample]:
    """A sample of each group, the one that `draw_sample` draws, by a runner's tasks. `snapshot` has no slices of its own."""
    streams = [
        (number, groups[number][stream.slice], stream)
        for number, of_group in enumerate(sizes)
        for stream in sample_streams(of_group)
    ]
    share = max(1, -(-len(streams) // (runner.parallelism * _TASKS_AT_ONCE)))
    shares = [streams[start : start + share] for start in range(0, len(streams), share)]
    batches: list[list[Any]] = [[] for _ in groups]
    for drawn in runner.run(partial(_draw_of, snapshot, wanted), shares):
        for number, batch in drawn:
            batches[number].append(batch)
    return [Sample(snapshot.engine, wanted, tuple(of_group)) for of_group in batches]


def _draw_of(
    snapshot: Snapshot, wanted: Schema, streams: Sequence[tuple[int, FileSlice, SampleStream]]
) -> list[tuple[int, Any]]:
    """Rows of parts of slices, with the number of their group."""
    slices = list({file_slice.file_id: file_slice for _, file_slice, _ in streams}.values())
    files = BaseFiles(Sources(snapshot.of_slices(slices_of(slices))))
    return [
        (number, batch)
        for number, file_slice, stream in streams
        for batch in _choose(files, file_slice, wanted, stream)
    ]
