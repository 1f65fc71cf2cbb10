"""Statistics from the footers of base files, for what the metadata table lacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from hudi_core.engine import Footer, RowGroup
from hudi_core.evolve.reconcile import Absent, find_stored_column
from hudi_core.expr.predicate import Column
from hudi_core.formats.leaf_statistics import LeafStatistics
from hudi_core.pruning.statistics import absent, from_leaves, unknown
from hudi_core.pruning.store import StatisticsPart
from hudi_core.schema.schema import Path, Schema
from hudi_core.timeline.slices import FileSlice
from hudi_core.types import nodes as t


def footer_pieces(
    column: Column,
    slices: Iterable[tuple[int, FileSlice]],
    stored: Mapping[str, Schema],
    wanted: Schema,
    footers: Mapping[str, Footer],
) -> Iterator[StatisticsPart]:
    """Statistics of a column from the footers of the base files of numbered slices, a piece for each stored type. `stored` and
    `footers` are by path. Nothing is known of a file whose footer could not be read."""
    leaves_by_type: dict[t.Type, list[tuple[int, LeafStatistics]]] = {}
    missing: dict[Absent, list[int]] = {}
    nothing: list[int] = []
    for row, file_slice in slices:
        if file_slice.base is None:
            continue
        footer = footers.get(file_slice.base.path)
        if footer is None:
            nothing.append(row)
            continue
        position = find_stored_column(stored[file_slice.base.path], wanted, column.id)
        if isinstance(position, Absent):
            missing.setdefault(position, []).append(row)
            continue
        leaf = _leaf_of(footer.statistics, footer.rows, position.place.path, column.type)
        if leaf is None:
            nothing.append(row)
        else:
            leaves_by_type.setdefault(leaf.type, []).append((row, leaf))
    for kind, leaves in leaves_by_type.items():
        rows = np.array([row for row, _ in leaves], np.int64)
        yield StatisticsPart(rows, from_leaves(kind, [leaf for _, leaf in leaves]))
    for one, absentees in missing.items():
        of_absent = absent(column.type, len(absentees), one.value, or_null=one.or_null)
        yield StatisticsPart(np.array(absentees, np.int64), of_absent)
    if nothing:
        yield StatisticsPart(np.array(nothing, np.int64), unknown(column.type, len(nothing)))


def row_group_pieces(
    column: Column, groups: Sequence[RowGroup], stored: Schema, wanted: Schema
) -> list[StatisticsPart]:
    """Statistics of a column in the row groups of one file, numbered from 0. `stored` is the file's schema."""
    rows = np.arange(len(groups), dtype=np.int64)
    position = find_stored_column(stored, wanted, column.id)
    if isinstance(position, Absent):
        return [StatisticsPart(rows, absent(column.type, len(groups), position.value, or_null=position.or_null))]
    group_leaves = [_leaf_of(group.statistics, group.rows, position.place.path, column.type) for group in groups]
    known_leaves = [leaf for leaf in group_leaves if leaf is not None]
    # Leaves of one file have one type, and a record's is the column's.
    return (
        [StatisticsPart(rows, from_leaves(known_leaves[0].type, known_leaves))]
        if len(known_leaves) == len(group_leaves)
        else []
    )


def _leaf_of(statistics: Mapping[Path, LeafStatistics], rows: int, path: Path, type_: t.Type) -> LeafStatistics | None:
    """Statistics of a column in a footer; of a record, that it is never null where a leaf below it never is."""
    if not isinstance(type_, t.Record):
        return statistics.get(path)
    below = (statistics[leaf] for leaf in statistics if leaf[: len(path)] == path)
    return (
        LeafStatistics(type_, null_count=0, value_count=rows) if any(leaf.null_count == 0 for leaf in below) else None
    )
