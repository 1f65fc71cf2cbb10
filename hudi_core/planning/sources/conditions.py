"""Facts: whole conditions of one predicate that indexes or partition paths decide, as boolean columns made for it.

A condition such as `month(day) = 2`, or `key IN ('a', 'b')`, becomes a boolean column. The answers for slices are statistics of
that column, so AND, OR and NOT around it follow the rules of all columns. Conditions on partition columns that bounds cannot
answer are tested on the values in paths, where these are exact: they are the same in every row below a path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.errors import ExpressionError, UnsupportedError
from hudi_core.expr.connectives import every, is_truth, negate, some
from hudi_core.expr.predicate import (
    And,
    Apply,
    Below,
    Choose,
    Column,
    Is,
    IsNull,
    Less,
    Matches,
    MatchesOne,
    Not,
    OneOf,
    Opaque,
    Or,
    Predicate,
    Within,
    columns_of,
)
from hudi_core.expr.row import truth_of
from hudi_core.keys.path_values import PathValue
from hudi_core.pruning.statistics import ColumnStatistics, from_values, take_files
from hudi_core.pruning.store import FIRST_CONDITION_ID, Load, StatisticsPart
from hudi_core.truth import NULL, TRUE, Truth
from hudi_core.types.nodes import Boolean

Values = Mapping[int, Sequence[PathValue | None]]
"""Values of partition columns from paths: by column id, one for each partition."""
Leaf = Below | OneOf | Within | IsNull | Less | Matches | MatchesOne | Opaque


@dataclass
class ConditionColumns:
    """The facts of one predicate. `partition_of` gives for each slice the number of its partition."""

    partition_of: Numbers
    first: int = FIRST_CONDITION_ID
    """The id of the first fact; those above it are taken."""
    _names: list[str] = field(default_factory=list)
    _of_partitions: dict[int, ColumnStatistics] = field(default_factory=dict)
    _of_slices: dict[int, StatisticsPart] = field(default_factory=dict)

    def new(self, name: str) -> Column:
        """A fact of which nothing is known yet. `name` serves messages."""
        self._names.append(name)
        return Column(self.first - len(self._names) + 1, name, Boolean())

    def set_partitions(self, fact: Column, statistics: ColumnStatistics) -> None:
        """Sets the statistics of the fact in each partition."""
        self._of_partitions[fact.id] = statistics

    def set_never_true(self, fact: Column, slices: Numbers) -> None:
        """The fact is true in no row of these slices; of others nothing is known."""
        no = [False] * len(slices)
        statistics = from_values(Boolean(), no, no, [None] * len(slices), [None] * len(slices))
        self._of_slices[fact.id] = StatisticsPart(slices, statistics)

    def is_of_partitions(self, fact: int) -> bool:
        """Whether something is known of the fact, by its id, in partitions."""
        return fact in self._of_partitions

    def of_partitions(self, fact: Column) -> Iterable[StatisticsPart]:
        """Statistics of a fact, by number of partition."""
        statistics = self._of_partitions.get(fact.id)
        return [] if statistics is None else [StatisticsPart(np.arange(len(statistics), dtype=np.int64), statistics)]

    def of_slices(self, rows: Numbers) -> Load:
        """Reads what is known of facts in these slices, numbered from 0 by their places in `rows`."""

        def load(fact: Column) -> Iterable[StatisticsPart]:
            by_partition, by_slice = self._of_partitions.get(fact.id), self._of_slices.get(fact.id)
            if by_partition is not None:
                return [
                    StatisticsPart(
                        np.arange(len(rows), dtype=np.int64), take_files(by_partition, self.partition_of[rows])
                    )
                ]
            if by_slice is None:
                return []
            positions = np.searchsorted(by_slice.files, rows)
            known_rows = np.flatnonzero(np.append(by_slice.files, -1)[positions] == rows)
            return [StatisticsPart(known_rows, take_files(by_slice.statistics, positions[known_rows]))]

        return load


def is_fact(fact: Column) -> Predicate:
    """The condition that the fact stands for."""
    return OneOf(fact, (True,))


def with_condition_columns(predicate: Predicate, fact_for: Callable[[Leaf], Column | None]) -> Predicate:
    """The predicate with every condition for which there is a fact replaced by it: the same truth on every row."""
    match predicate:
        case Not(part):
            return negate(with_condition_columns(part, fact_for))
        case Is(part, truth):
            return is_truth(with_condition_columns(part, fact_for), truth)
        case And(parts):
            return every([with_condition_columns(part, fact_for) for part in parts])
        case Or(parts):
            return some([with_condition_columns(part, fact_for) for part in parts])
        case Below() | OneOf() | Within() | IsNull() | Less() | Matches() | MatchesOne() | Opaque():
            fact = fact_for(predicate)
            return predicate if fact is None else is_fact(fact)
        case _:
            return predicate


def with_path_conditions(predicate: Predicate, values: Values, facts: ConditionColumns) -> Predicate:
    """The predicate with conditions that paths decide replaced by columns of their truth, which are added to `facts`."""

    def fact_for(leaf: Leaf) -> Column | None:
        if isinstance(leaf, Below | OneOf | IsNull) and not isinstance(leaf.term, Apply | Choose):
            return None  # bounds answer it as well, many partitions at once
        columns = columns_of(leaf)
        if not columns or not columns.keys() <= values.keys():
            return None
        truths = _truths(leaf, [values[column] for column in columns], list(columns))
        if truths is None:
            return None
        fact = facts.new(str(leaf))
        facts.set_partitions(fact, truths)
        return fact

    return with_condition_columns(predicate, fact_for)


def _truths(
    leaf: Leaf, path_columns: Sequence[Sequence[PathValue | None]], ids: Sequence[int]
) -> ColumnStatistics | None:
    """Statistics of the condition in each partition; each combination of values is tested once. None: it is unknown."""
    rows_of_combinations: dict[tuple[PathValue | None, ...], int] = {}
    of_partitions = [
        rows_of_combinations.setdefault(combination, len(rows_of_combinations))
        for combination in zip(*path_columns, strict=True)
    ]
    try:
        truths = [_truth(leaf, combination, ids) for combination in rows_of_combinations]
    except (ExpressionError, UnsupportedError):
        return None  # an engine may know it, or says why not
    values = [None if truth in (None, NULL) else truth is TRUE for truth in truths]
    nulls = [None if truth is None else int(truth is NULL) for truth in truths]
    rows = [None if truth is None else 1 for truth in truths]
    return take_files(from_values(Boolean(), values, values, nulls, rows), np.array(of_partitions, np.int64))


def _truth(leaf: Leaf, combination: Sequence[PathValue | None], ids: Sequence[int]) -> Truth | None:
    """The condition's truth for these values of paths; None where one of them is unknown."""
    row = {}
    for column, value in zip(ids, combination, strict=True):
        if value is None or not value.is_exact:
            return None
        row[column] = value.lower
    return truth_of(leaf, row)
