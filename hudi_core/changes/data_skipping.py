"""Data skipping for changes: the commits and file groups that can hold changes that match, before a row is read.

Rule QUERY-18.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hudi_core.arrays import Bools
from hudi_core.changes.rows import BEFORE, DELETE, INSERT, OPERATION, TIME, UPDATE
from hudi_core.expr.predicate import Column, Predicate
from hudi_core.planning.sources.footer_statistics import footer_pieces
from hudi_core.planning.sources.sources import Sources
from hudi_core.pruning.statistics import absent, from_values
from hudi_core.pruning.store import FileStatistics, Load, StatisticsPart
from hudi_core.schema.schema import Path, Schema
from hudi_core.timeline.slices import FileSlice
from hudi_core.types.nodes import String


@dataclass(frozen=True, slots=True)
class ComparedSlice:
    """A slice that is compared, and the sources of its statistics."""

    sources: Sources
    slice: FileSlice


@dataclass(frozen=True, slots=True)
class ComparedGroup:
    """A file group before a commit of a time and after it; None where it did not exist."""

    time: str
    before: ComparedSlice | None
    after: ComparedSlice | None


def times_that_may_match(predicate: Predicate, schema: Schema, times: Sequence[str]) -> Bools:
    """For each requested time whether changes of its commit may match; `schema` is that of changes."""

    def load(column: Column) -> Iterable[StatisticsPart]:
        return [_string_bounds(times, times)] if schema.place(column.id).path == (TIME,) else []

    return _possible(predicate, len(times), load)


def groups_that_may_match(predicate: Predicate, schema: Schema, compared: Sequence[ComparedGroup]) -> Bools:
    """For each file group whether changes of it may match: by footers of base files without logs."""

    def load(column: Column) -> Iterable[StatisticsPart]:
        path = schema.place(column.id).path
        if path == (TIME,):
            times = [group.time for group in compared]
            return [_string_bounds(times, times)]
        if path == (OPERATION,):
            return [_string_bounds(*zip(*map(_operations, compared), strict=True))]
        sides = [group.before if path[0] == BEFORE else group.after for group in compared]
        return _image_statistics(column, path[1:], sides) if path[1:] else []

    return _possible(predicate, len(compared), load)


def _possible(predicate: Predicate, count: int, load: Load) -> Bools:
    flags: Bools = np.zeros(count, np.bool_)
    if count:
        flags[FileStatistics(count, load).plan(predicate).possible()] = True
    return flags


def _string_bounds(lower: Sequence[str], upper: Sequence[str]) -> StatisticsPart:
    """Statistics of a string column without nulls."""
    count = len(lower)
    return StatisticsPart(np.arange(count), from_values(String(), lower, upper, [0] * count, [1] * count))


def _operations(compared: ComparedGroup) -> tuple[str, str]:
    """The least and the greatest operation."""
    if compared.after is None:
        return DELETE, DELETE
    return (INSERT, INSERT) if compared.before is None else (DELETE, UPDATE)


def _image_statistics(column: Column, path: Path, sides: Sequence[ComparedSlice | None]) -> Iterator[StatisticsPart]:
    """Statistics of a column of images, at a path in the table's rows. Null counts are unknown: any image may be null."""
    missing = np.array([index for index, side in enumerate(sides) if side is None], np.int64)
    if len(missing):
        yield StatisticsPart(missing, absent(column.type, len(missing)))
    by_sources: dict[Sources, list[tuple[int, ComparedSlice]]] = {}
    for index, side in enumerate(sides):
        if side is not None and side.slice.base is not None and not side.slice.logs:
            by_sources.setdefault(side.sources, []).append((index, side))
    for sources, compared in by_sources.items():
        table = sources.snapshot.schema
        place = table.find(path)
        if place is None or place.field.id in sources.values:
            continue  # values of the partition path are not in the files
        slices = [(index, side.slice) for index, side in compared]
        files = [file_slice.base for _, file_slice in slices if file_slice.base is not None]
        footers = sources.headers.footers(files)
        stored = {
            file.path: sources.headers.read_stored_schema(footers[file.path], file.path)
            for file in files
            if file.path in footers
        }
        image_column = Column(place.field.id, column.name, place.field.type)
        for piece in footer_pieces(image_column, slices, stored, table, footers):
            uncounted = np.full(len(piece.statistics), -1, np.int64)
            yield replace(piece, statistics=replace(piece.statistics, nulls=uncounted, rows=uncounted))
