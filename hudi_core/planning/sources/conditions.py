"""Facts: what indexes and paths decide of a whole condition of one predicate, as a boolean column made for it.

A condition such as `month(day) = 2`, or `key IN ('a', 'b')`, is a column of yes and no like any other. What is known of it in
each slice is statistics of that column, and AND, OR and NOT around it follow by the rules that hold for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from hudi_core.expr.leaves import every, is_truth, negate, some
from hudi_core.expr.predicate import (
    And,
    Below,
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
)
from hudi_core.pruning.statistics import ColumnStatistics, from_values, taken
from hudi_core.pruning.store import FIRST_CONDITION_ID, Load, StatisticsPart
from hudi_core.types.nodes import Boolean

Bools = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]

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
        """What is known of the fact in each partition."""
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
        """What is known of a fact, by number of partition."""
        statistics = self._of_partitions.get(fact.id)
        return [] if statistics is None else [StatisticsPart(np.arange(len(statistics), dtype=np.int64), statistics)]

    def of_slices(self, rows: Numbers) -> Load:
        """Reads what is known of facts in these slices, numbered from 0 by their places in `rows`."""

        def load(fact: Column) -> Iterable[StatisticsPart]:
            by_partition, by_slice = self._of_partitions.get(fact.id), self._of_slices.get(fact.id)
            if by_partition is not None:
                return [
                    StatisticsPart(np.arange(len(rows), dtype=np.int64), taken(by_partition, self.partition_of[rows]))
                ]
            if by_slice is None:
                return []
            positions = np.searchsorted(by_slice.files, rows)
            known_rows = np.flatnonzero(np.append(by_slice.files, -1)[positions] == rows)
            return [StatisticsPart(known_rows, taken(by_slice.statistics, positions[known_rows]))]

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
