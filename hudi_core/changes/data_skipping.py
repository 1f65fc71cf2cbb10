"""Which commits and file groups can hold changes that a predicate wants: what is known of them before a row is read.

Rule QUERY-18.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hudi_core.changes.rows import BEFORE, DELETE, INSERT, OPERATION, TIME, UPDATE
from hudi_core.columns.nodes import Bools
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
    """A slice that is compared, and what is known of it."""

    sources: Sources
    slice: FileSlice


@dataclass(frozen=True, slots=True)
class ComparedGroup:
    """A file group before a commit of a time and after it; None where it was not there."""

    time: str
    before: ComparedSlice | None
    after: ComparedSlice | None


def times_that_may_match(predicate: Predicate, schema: Schema, times: Sequence[str]) -> Bools:
    """For each requested time whether changes of its commit may match; `schema` is that of changes."""

    def load(column: Column) -> Iterable[StatisticsPart]:
        return [_texts(times, times)] if schema.place(column.id).path == (TIME,) else []

    return _possible(predicate, len(times), load)


def groups_that_may_match(predicate: Predicate, schema: Schema, compared: Sequence[ComparedGroup]) -> Bools:
    """For each file group whether changes of it may match: by what the footers of base files without logs tell of its rows."""

    def load(column: Column) -> Iterable[StatisticsPart]:
        path = schema.place(column.id).path
        if path == (TIME,):
            times = [each.time for each in compared]
            return [_texts(times, times)]
        if path == (OPERATION,):
            return [_texts(*zip(*map(_operations, compared), strict=True))]
        sides = [each.before if path[0] == BEFORE else each.after for each in compared]
        return _of_images(column, path[1:], sides) if path[1:] else []

    return _possible(predicate, len(compared), load)


def _possible(predicate: Predicate, count: int, load: Load) -> Bools:
    found: Bools = np.zeros(count, np.bool_)
    if count:
        found[FileStatistics(count, load).plan(predicate).possible()] = True
    return found


def _texts(low: Sequence[str], high: Sequence[str]) -> StatisticsPart:
    """Bounds of a column that is never null."""
    count = len(low)
    return StatisticsPart(np.arange(count), from_values(String(), low, high, [0] * count, [1] * count))


def _operations(compared: ComparedGroup) -> tuple[str, str]:
    """The least and the greatest operation."""
    if compared.after is None:
        return DELETE, DELETE
    return (INSERT, INSERT) if compared.before is None else (DELETE, UPDATE)


def _of_images(column: Column, path: Path, sides: Sequence[ComparedSlice | None]) -> Iterator[StatisticsPart]:
    """What is known of a column of images that is at a path in the table's rows. Any image may be null, where there is one."""
    nobody = np.array([number for number, side in enumerate(sides) if side is None], np.int64)
    if len(nobody):
        yield StatisticsPart(nobody, absent(column.type, len(nobody)))
    by_sources: dict[Sources, list[tuple[int, ComparedSlice]]] = {}
    for number, side in enumerate(sides):
        if side is not None and side.slice.base is not None and not side.slice.logs:
            by_sources.setdefault(side.sources, []).append((number, side))
    for sources, found in by_sources.items():
        table = sources.snapshot.schema
        place = table.find(path)
        if place is None or place.field.id in sources.values:
            continue  # what the path of a partition tells is not in its files
        slices = [(number, side.slice) for number, side in found]
        files = [each.base for _, each in slices if each.base is not None]
        footers = sources.headers.footers(files)
        stored = {
            file.path: sources.headers.stored_schema(footers[file.path], file.path)
            for file in files
            if file.path in footers
        }
        own = Column(place.field.id, column.name, place.field.type)
        for piece in footer_pieces(own, slices, stored, table, footers):
            uncounted = np.full(len(piece.statistics), -1, np.int64)
            yield replace(piece, statistics=replace(piece.statistics, nulls=uncounted, rows=uncounted))
