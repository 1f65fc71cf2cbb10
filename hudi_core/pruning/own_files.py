"""Data skipping over files of any kind, by statistics that the caller has. Rule PRUNE-690."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from hudi_core.errors import UnknownColumnError, UsageError, describe
from hudi_core.expr.bind import bind
from hudi_core.expr.nodes import Expr
from hudi_core.expr.predicate import Column
from hudi_core.expr.queries import Condition
from hudi_core.expr.sql_predicate import doubts_of, predicate_tree, warn_of
from hudi_core.expr.text import to_sql
from hudi_core.expr.walk import conjuncts
from hudi_core.notebook import html_table, show_briefly
from hudi_core.pruning.statistics import from_values
from hudi_core.pruning.store import FileStatistics, PruningPlan, StatisticsPart
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.values.domain import coerce

Counts = Sequence[int | None]


@show_briefly
@dataclass(frozen=True, slots=True)
class ColumnBounds:
    """What is known of a column in each file, in the order of the files; None is unknown.

    Every value of the file lies between its bounds, NaN aside. `nulls` count null values. `nan_counts` count NaN: without them
    a file of floating-point numbers may hold some.
    """

    lower: Sequence[object]
    upper: Sequence[object]
    nulls: Counts | None = None
    nan_counts: Counts | None = None


@dataclass(frozen=True, slots=True)
class PrunedFiles:
    """Which files a query has to read. Files have numbers from 0, in the order of the statistics."""

    count: int
    """How many files there are."""
    possible: tuple[int, ...]
    """The files in which some row may match."""
    all_match: tuple[int, ...]
    """The files in which every row matches, if they have rows: to count them no file has to be read."""
    removed_by: Mapping[str, int] = field(default_factory=dict)
    """How many files each condition of the AND removes by itself."""

    def __repr__(self) -> str:
        return f"PrunedFiles: {len(self.possible):,} of {self.count:,} files may hold matching rows"

    def _repr_html_(self) -> str:
        """A notebook's table of what each condition removes."""
        return html_table(self.removed_by.items(), ("condition", "removes by itself"), title=repr(self))


def prune(
    where: Condition, statistics: Mapping[str, ColumnBounds], schema: Schema, rows: Counts | None = None
) -> PrunedFiles:
    """Finds the files that may hold rows that match, by bounds and null counts of their columns: no table is needed.

    `rows` are the rows of each file. A column without statistics is unknown, and unknown files are read. Raises
    `ExpressionError` and `UnknownColumnError` for a predicate that does not fit the schema, `UsageError` for statistics of
    different lengths, `SchemaError` for a bound that is no value of its column.
    """
    count = _count(statistics, rows)
    for name in statistics:
        if name not in schema:
            raise UnknownColumnError(
                name, message=f"statistics of a column that is not in the schema{schema.suggestion(name)}"
            )
    files = FileStatistics(count, _Loader(statistics, schema, rows or [None] * count, count).load)
    tree = predicate_tree(where)
    plan = _plan(files, tree, schema)
    warn_of(doubts_of(tree, schema))
    removed = {to_sql(part): count - len(_plan(files, part, schema).possible()) for part in conjuncts(tree)}
    return PrunedFiles(count, tuple(plan.possible().tolist()), tuple(plan.all_match().tolist()), removed)


def _plan(files: FileStatistics, tree: Expr, schema: Schema) -> PruningPlan:
    return files.plan(bind(tree, schema))


def _count(statistics: Mapping[str, ColumnBounds], rows: Counts | None) -> int:
    lengths = {} if rows is None else {"rows": len(rows)}
    for name, bounds in statistics.items():
        if not isinstance(bounds, ColumnBounds):
            raise UsageError(f"statistics of {name}", expected="ColumnBounds", found=describe(bounds))
        parts = {"lower": bounds.lower, "upper": bounds.upper, "nulls": bounds.nulls, "nan_counts": bounds.nan_counts}
        lengths |= {f"{part} of {name}": len(values) for part, values in parts.items() if values is not None}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{length:,} {name}" for name, length in lengths.items())
        raise UsageError("statistics", expected="one value for each file", found=found)
    if not lengths:
        raise UsageError("statistics", expected="statistics of a column, or rows, of each file", found="none")
    return next(iter(lengths.values()))


@dataclass(frozen=True, slots=True)
class _Loader:
    statistics: Mapping[str, ColumnBounds]
    schema: Schema
    rows: Counts
    count: int

    def load(self, column: Column) -> list[StatisticsPart]:
        place = self.schema.places.get(column.id)
        bounds = None if place is None else self.statistics.get(place.name)
        if bounds is None:
            return []
        nulls = bounds.nulls or [None] * self.count
        lower, upper = (_values(values, column.type) for values in (bounds.lower, bounds.upper))
        statistics = from_values(column.type, lower, upper, nulls, self.rows, nan_counts=bounds.nan_counts)
        return [StatisticsPart(np.arange(self.count), statistics)]


def _values(values: Sequence[object], type: t.Type) -> Sequence[object]:
    """The bounds in the form of `hudi_core.values`: numbers and strings have it."""
    if isinstance(type, t.String | t.Double):
        return values
    return [None if value is None else coerce(value, type) for value in values]
