"""File slices as clustering would make them: sampled rows in the order of some columns, cut into as many parts. Rule ADVICE-4."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.nodes import StructColumn, nested_column
from hudi_core.columns.slicing import filter_rows
from hudi_core.data_files.column_ranges import ranges_of_rows
from hudi_core.errors import UnsupportedError
from hudi_core.expr.predicate import Column, Predicate
from hudi_core.formats.leaf_statistics import LeafStatistics
from hudi_core.merge.ordering_values import comparable, width_of
from hudi_core.pruning.statistics import from_leaves
from hudi_core.pruning.store import FileStatistics, StatisticsPart
from hudi_core.schema.schema import Schema

_ROWS_A_PART: Final = 16
"""Sampled rows that a part has at least: fewer would make bounds narrower than a file has them."""
_MOST_PARTS: Final = 1024
_DRAWS: Final = 16
"""Slices that are drawn at random for the columns that are in no order."""
_BITS: Final = 15
"""Bits of a rank on the z-order curve."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class SampledRows:
    """Rows of a sample with their schema, of a table whose file slices have so many rows in the mean."""

    rows: StructColumn
    schema: Schema
    rows_a_slice: float


def share_kept(clustered: FileStatistics, predicate: Predicate) -> float:
    """The share of the parts of clustered rows that a predicate leaves."""
    return len(clustered.plan(predicate).possible()) / clustered.count


def clustered_rows(sampled: SampledRows, columns: Sequence[str], slices: int) -> FileStatistics | None:
    """The statistics of parts of the rows that stand for so many slices, were the rows in the order of the columns: sorted by
    one, along the z-order curve of several. Other columns are in each slice as in rows drawn at random. None where a column has
    no order, or the rows are too few.
    """
    rows, schema = sampled.rows, sampled.schema
    parts = min(slices, rows.length // _ROWS_A_PART, _MOST_PARTS)
    if parts < 2:
        return None
    try:
        ranks = [_ranks(rows, schema, column) for column in columns]
    except UnsupportedError:
        return None
    place = ranks[0] if len(ranks) == 1 else _ranked(_interleaved(ranks))
    part_of = place * parts // rows.length
    drawn = list(_drawn(sampled))
    leaves = []
    for part in range(parts):
        ordered = _statistics(rows, schema, part_of == part)
        leaves.append({**drawn[part % len(drawn)], **{name: ordered[name] for name in columns if name in ordered}})

    def load(column: Column) -> Iterator[StatisticsPart]:
        name = next((name for name in leaves[0] if schema.get(name).field.id == column.id), None)
        if name is not None:
            of_parts = [of_part[name] for of_part in leaves]
            yield StatisticsPart(np.arange(parts, dtype=np.int64), from_leaves(of_parts[0].type, of_parts))

    return FileStatistics(parts, load)


def _drawn(sampled: SampledRows) -> Iterator[dict[str, LeafStatistics]]:
    """Statistics of slices whose rows are drawn at random: the same ones each time."""
    count = sampled.rows.length
    size = max(1, min(round(sampled.rows_a_slice), count))
    random = np.random.default_rng(0)
    for _ in range(_DRAWS):
        chosen = np.zeros(count, np.bool_)
        chosen[random.choice(count, size, replace=False)] = True
        yield _statistics(sampled.rows, sampled.schema, chosen)


def _statistics(rows: StructColumn, schema: Schema, chosen: NDArray[np.bool_]) -> dict[str, LeafStatistics]:
    """By name the statistics of the chosen rows."""
    part = filter_rows(rows, chosen)
    assert isinstance(part, StructColumn)
    return {
        name: LeafStatistics(
            schema.get(name).field.type, known.lower, known.upper, known.nulls, known.values, known.nan
        )
        for name, known in ranges_of_rows(part, schema.record).items()
    }


def _ranks(rows: StructColumn, schema: Schema, name: str) -> Ints:
    """The place of each row in the order of a column."""
    kind, column = schema.get(name).field.type, nested_column(rows, name)
    return _ranked(comparable(column, kind, width_of(column, kind)))


def _ranked(items: NDArray[np.generic]) -> Ints:
    ranks = np.empty(len(items), np.int64)
    ranks[np.argsort(items, kind="stable")] = np.arange(len(items))
    return ranks


def _interleaved(ranks: Sequence[Ints]) -> Ints:
    """Places on the z-order curve: the bits of all ranks in turn, the highest first."""
    count = len(ranks[0])
    scaled = [rank * (1 << _BITS) // count for rank in ranks]
    places = np.zeros(count, np.int64)
    for bit in range(_BITS - 1, -1, -1):
        for rank in scaled:
            places = places << 1 | (rank >> bit & 1)
    return places
