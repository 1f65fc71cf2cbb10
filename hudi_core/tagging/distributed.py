"""Tagging by many tasks: what a task needs, and whether ranges of keys or files are dealt to them.

Keys sorted into ranges, one for each task, suit files with clustered keys, and the record index: each task reads the
files, or the blocks, of its range and no other. Where keys are so spread that every file may hold any of them, files are dealt.
Keys of the bucket index go to the task that has their bucket's files. A rule of speed: all ways give the same locations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import Any, Final

import numpy as np

from hudi_core.arrays import Numbers32
from hudi_core.engine import InputRows, Runner
from hudi_core.errors import HudiError
from hudi_core.parallel.ordered import in_order
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.remote import SliceRead
from hudi_core.reading.tasks import balance_tasks
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.table.table import Table
from hudi_core.tagging.choose import IndexType
from hudi_core.tagging.slice_keys import KeyBounds, SliceKeyReader, footer_bounds
from hudi_core.tagging.tag import Tagger, TagOptions
from hudi_core.timeline.slices import FileSlice, slices_of
from hudi_core.timeline.times import Time

WIDE_THRESHOLD: Final = 0.25
"""The share of a partition's files that may hold a key of it, above which files are dealt out rather than ranges of keys."""
MAX_LOCAL_FOOTERS: Final = 100
"""Files without recorded bounds whose footers the calling process reads."""
_FOOTERS_AT_ONCE = 16
"""They wait for storage, not for a processor."""
_SAMPLE_SIZE = 1_000
"""Files of which overlaps are measured."""


class Distribution(Enum):
    """The part of a tagging that differs between its tasks."""

    KEY_RANGES = "key ranges"
    FILES = "files"
    BUCKETS = "buckets"


@dataclass(frozen=True)
class RemoteTagging:
    """The task of locating keys in some file slices of a table; it can be pickled."""

    table: Table
    snapshot: Snapshot
    """Without file slices."""
    slices: tuple[FileSlice, ...]
    options: TagOptions
    bounds: KeyBounds | None = None
    """The key bounds of these slices, where more is known than the table records."""

    def tag(self, rows: object) -> InputRows[Any]:
        """Rows that the engine takes, with their location."""
        return self.tagger().tag(self.table.engine.rows.read_given(rows))

    def tagger(self) -> Tagger:
        return Tagger(self.table, self.options, preset=self.read_stored())

    def read_stored(self) -> SliceKeyReader:
        """The keys of these slices."""
        return SliceKeyReader(Sources(self.snapshot.of_slices(slices_of(self.slices))), self.bounds)

    def of_slices(self, slices: Sequence[FileSlice]) -> RemoteTagging:
        """The same for some of the slices, of whose bounds it holds none."""
        return replace(self, slices=tuple(slices), bounds=None)


def remote_tagging(table: Table, options: TagOptions, as_of: Time | None = None) -> RemoteTagging:
    """The common part of locating keys in the table at an instant."""
    snapshot = Sources(table.snapshot(as_of)).snapshot
    sent = replace(table, footer_cache=None, earlier=None)
    return RemoteTagging(sent, snapshot.without_slices(), tuple(snapshot.slices), options)


def distribution(tagging: RemoteTagging, runner: Runner, tasks: int) -> tuple[Distribution, RemoteTagging]:
    """What so many tasks have of their own, and what each needs. Reads bounds of keys where these decide, by the runner if many
    files have none recorded."""
    if tagging.options.index is IndexType.BUCKET:
        return Distribution.BUCKETS, tagging
    if tagging.options.index.has_places:
        return Distribution.KEY_RANGES, tagging
    bounds = key_bounds(tagging, runner, tasks)
    if is_wide(tagging.slices, bounds, tasks):
        return Distribution.FILES, tagging
    return Distribution.KEY_RANGES, replace(tagging, bounds=bounds)


def key_bounds(
    tagging: RemoteTagging, runner: Runner, tasks: int, max_local_footers: int = MAX_LOCAL_FOOTERS
) -> KeyBounds:
    """The bounds of the slices' keys: recorded, else of footers, which the runner reads where they are more than
    `max_local_footers`. A footer that cannot be read leaves its bounds unknown: the task that needs the file raises the error."""
    recorded = tagging.read_stored().read_recorded_bounds(np.arange(len(tagging.slices)))
    unknown = [
        row
        for row in np.flatnonzero(~recorded.known & ~recorded.empty).tolist()
        if tagging.slices[row].base is not None and not tagging.slices[row].logs
    ]
    if tasks < 2 or not unknown:
        return recorded
    if len(unknown) <= max_local_footers:
        return recorded.complete_with(_footer_bounds_of(tagging, unknown))
    results = runner.run(partial(_footer_bounds_of, tagging), [unknown[task::tasks] for task in range(tasks)])
    return recorded.complete_with({row: bounds for result in results for row, bounds in result.items()})


def _footer_bounds_of(tagging: RemoteTagging, rows: Sequence[int]) -> dict[int, tuple[bytes, bytes]]:
    """The bounds by the row of the slice."""
    stored = tagging.read_stored()

    def read(row: int) -> tuple[bytes, bytes] | None:
        try:
            footer = stored.footer(tagging.slices[row])
        except HudiError:
            return None
        return None if footer is None else footer_bounds(footer)

    results = zip(rows, in_order(read, rows, _FOOTERS_AT_ONCE), strict=True)
    return {row: bounds for row, bounds in results if bounds is not None}


def is_wide(slices: Sequence[FileSlice], bounds: KeyBounds, tasks: int) -> bool:
    """Whether most files would be read by most tasks if each had a range of keys, as far as the files' bounds show."""
    if tasks < 2 or len(slices) < 2:
        return False
    members: dict[str, list[int]] = {}
    for row, member in enumerate(slices):
        members.setdefault(member.partition, []).append(row)
    step = max(len(slices) // _SAMPLE_SIZE, 1)
    shares = []
    for rows in members.values():
        shares += _overlaps(bounds.take(np.array(rows, np.int64)), step)
    # A partition of one file is one range at most, whatever its keys.
    return bool(shares) and float(np.mean(shares)) > WIDE_THRESHOLD and max(map(len, members.values())) > 2 * tasks


def _overlaps(bounds: KeyBounds, step: int) -> list[float]:
    """For some files of a partition, which share of its files may hold the file's least key."""
    sample = [(bounds.lower[row], bounds.upper[row]) for row in range(0, len(bounds.known), step) if bounds.known[row]]
    if not sample:
        return [1.0]
    lowers = np.array(sorted(lower for lower, _ in sample), object)
    uppers = np.array(sorted(upper for _, upper in sample), object)
    started = np.searchsorted(lowers, lowers, "right")
    ended = np.searchsorted(uppers, lowers, "left")
    return list((started - ended) / len(sample))


def slice_tasks(slices: Sequence[FileSlice], count: int) -> list[tuple[FileSlice, ...]]:
    """The slices in at most `count` tasks of about equal bytes."""
    dealt = balance_tasks([SliceRead(member, False) for member in slices], count)
    return [tuple(part.slice for part in task) for task in dealt]


def task_of_slices(slices: Sequence[FileSlice], count: int) -> tuple[int, Numbers32]:
    """How many tasks there are, at most `count`, and for each slice the index of the one that has its files."""
    rows = {(member.partition, member.file_id): row for row, member in enumerate(slices)}
    dealt = slice_tasks(slices, count)
    indexes = np.empty(len(slices), np.int32)
    for index, task in enumerate(dealt):
        indexes[[rows[member.partition, member.file_id] for member in task]] = index
    return len(dealt), indexes
