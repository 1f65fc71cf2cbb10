"""Which file slices are rewritten together: by size, and by overlap of their ranges. Rules CLUSTER-33 to CLUSTER-36.

A group that is chosen by size alone spans the domain of the column, and each of its files is kept by every predicate. So
slices are taken in the order of their ranges, and those whose ranges overlap go together: files that are in order already
are left alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

import numpy as np

from hudi_core.cluster.options import LOG_SHARE, ClusterOptions
from hudi_core.cluster.plan import PlannedGroup, group_metrics, plan_slice
from hudi_core.expr.predicate import Column
from hudi_core.planning.sources.column_ranges import Bounds, ColumnRange, ranges
from hudi_core.planning.sources.sources import Sources
from hudi_core.pruning.store import StatisticsPart
from hudi_core.timeline.services import FileGroup
from hudi_core.timeline.slices import FileSlice
from hudi_core.values.order import sort_key

_TOO_LARGE: Final = 2
"""A slice of at least so many times the size of a file is split; files of a clustering are not that uneven."""


@dataclass(frozen=True, slots=True)
class Sized:
    """A slice and the bytes that its rows will take in base files."""

    slice: FileSlice
    bytes: int


def plan_groups(
    sources: Sources,
    numbers: Sequence[int],
    column: Column | None,
    options: ClusterOptions,
    laid_out: frozenset[FileGroup] = frozenset(),
    *,
    apart: bool = False,
) -> list[PlannedGroup]:
    """The groups of slices with these numbers, partition by partition. `column` is the first one to order by; file groups in
    `laid_out` have the order already. With `apart` each slice is a group of its own, for file groups are buckets."""
    by_partition: dict[str, list[int]] = {}
    for number in numbers:
        by_partition.setdefault(sources.snapshot.slices[number].partition, []).append(number)
    groups: list[PlannedGroup] = []
    for of_partition in by_partition.values():
        if apart:
            groups += _plan_apart(sources, of_partition if column is not None else (), laid_out)
        for members in () if apart else _of_partition(sources, of_partition, column, options, laid_out):
            groups += [
                _plan_group(part, options.sizes.target)
                for part in _within(members, options.max_group_bytes)
                if _gains(part, column, options.sizes.target)
            ]
        if options.max_groups is not None and len(groups) >= options.max_groups:
            return groups[: options.max_groups]
    return groups


def _plan_apart(sources: Sources, numbers: Sequence[int], laid_out: frozenset[FileGroup]) -> Iterator[PlannedGroup]:
    """A group of one file for each slice that is not in order already."""
    for number in numbers:
        file_slice = sources.snapshot.slices[number]
        in_order = (file_slice.partition, file_slice.file_id) in laid_out
        if not in_order:
            yield PlannedGroup((plan_slice(file_slice),), 1, group_metrics([file_slice]))


def estimate_written_bytes(file_slice: FileSlice) -> int:
    """About the bytes that the rows of a slice take in base files."""
    base = 0 if file_slice.base is None else file_slice.base.size
    return base + int(LOG_SHARE * sum(log.size for log in file_slice.logs))


def _of_partition(
    sources: Sources,
    numbers: Sequence[int],
    column: Column | None,
    options: ClusterOptions,
    laid_out: frozenset[FileGroup],
) -> Iterator[list[Sized]]:
    slices = {number: sources.snapshot.slices[number] for number in numbers}
    sized = {number: Sized(file_slice, estimate_written_bytes(file_slice)) for number, file_slice in slices.items()}
    small = {number for number in numbers if sized[number].bytes < options.sizes.small or slices[number].base is None}
    if column is None:
        ordered = sorted((number for number in numbers if number in small), key=lambda number: -sized[number].bytes)
        yield [sized[number] for number in ordered]
        return
    wanted = [
        number
        for number in numbers
        if number in small or (slices[number].partition, slices[number].file_id) not in laid_out
    ]
    known = _ranges(sources, wanted, column)
    joined: list[Sized] = []
    joined_bytes = 0
    for component in _overlapping(wanted, known, column):
        members = [sized[number] for number in component]
        size = sum(member.bytes for member in members)
        # Neighbours in the order of ranges that fill a file together become one.
        joins = size < options.sizes.target and (len(members) > 1 or component[0] in small)
        if joined and (not joins or joined_bytes + size > options.sizes.target):
            yield joined
            joined, joined_bytes = [], 0
        if joins:
            joined += members
            joined_bytes += size
        else:
            yield members
    if joined:
        yield joined


def _ranges(sources: Sources, numbers: Sequence[int], column: Column) -> dict[int, Bounds]:
    """The ranges of slices by number: as they are recorded, of others as footers have them."""
    known = dict(zip(numbers, sources.bounds(column, numbers), strict=True))
    slices = sources.snapshot.slices
    unknown = sorted(n for n in numbers if not _is_known(known[n]) and slices[n].base is not None)
    if unknown:
        sources.headers.footers([base for number in unknown if (base := slices[number].base) is not None])
        rows = np.array(unknown, np.int64)
        parts = [
            StatisticsPart(rows[part.files], part.statistics) for part in sources.fallback.read(rows, rows)(column)
        ]
        known |= dict(zip(unknown, ranges(column, parts, unknown), strict=True))
    return known


def _is_known(bounds: Bounds) -> TypeGuard[ColumnRange]:
    if not isinstance(bounds, ColumnRange):
        return False
    return not bounds.values or (bounds.lower is not None and bounds.upper is not None)


def _overlapping(numbers: Sequence[int], of_slices: Mapping[int, Bounds], column: Column) -> Iterator[list[int]]:
    """The slices in the order of their lower bounds, those together whose ranges overlap one after the other. A range that
    begins where another ends does not overlap it; one that is not known overlaps all."""
    bounded: list[tuple[Any, Any, int]] = []
    empty: list[int] = []
    for number in numbers:
        known = of_slices[number]
        if not _is_known(known):
            yield list(numbers)
            return
        if not known.values:
            empty.append(number)
        else:
            upper = (True, ()) if known.nans else (False, sort_key(known.upper, column.type))
            bounded.append((sort_key(known.lower, column.type), upper, number))
    bounded.sort(key=lambda bound: bound[0])
    component, greatest = empty, None
    for lower, upper, number in bounded:
        if greatest is not None and (False, lower) >= greatest:
            yield component
            component, greatest = [], None
        component.append(number)
        greatest = upper if greatest is None else max(greatest, upper)
    if component:
        yield component


def _within(members: Sequence[Sized], max_bytes: int | None) -> Iterator[list[Sized]]:
    """The slices in their order, in parts of at most so many bytes, or of one slice."""
    part: list[Sized] = []
    size = 0
    for member in members:
        if part and max_bytes is not None and size + member.bytes > max_bytes:
            yield part
            part, size = [], 0
        part.append(member)
        size += member.bytes
    if part:
        yield part


def _gains(members: Sequence[Sized], column: Column | None, target: int) -> bool:
    """Several slices; one that is alone is in order with all others already, unless it has log files or is much too large."""
    if len(members) != 1 or column is None:
        return len(members) > 1
    return bool(members[0].slice.logs) or members[0].bytes > _TOO_LARGE * target


def _plan_group(members: Sequence[Sized], target: int) -> PlannedGroup:
    slices = [member.slice for member in members]
    outputs = max(1, math.ceil(sum(member.bytes for member in members) / target))
    return PlannedGroup(tuple(map(plan_slice, slices)), outputs, group_metrics(slices))


def slices_by_group(slices: Iterable[FileSlice]) -> dict[FileGroup, FileSlice]:
    """Slices by their file groups."""
    return {(file_slice.partition, file_slice.file_id): file_slice for file_slice in slices}
