"""Conditions on partition columns that bounds cannot answer, tested on the values in paths.

`month(day) = 2`, `region LIKE '%a'`, `lower(region) = first`: where a path has the columns' exact values, the condition is the
same in every row below it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hudi_core.errors import UnsupportedError
from hudi_core.expr.predicate import Apply, Below, Choose, Column, IsNull, OneOf, Predicate, columns_of
from hudi_core.expr.row import truth_of
from hudi_core.keys.path_values import PathValue
from hudi_core.planning.sources.conditions import ConditionColumns, Leaf, with_condition_columns
from hudi_core.pruning.statistics import ColumnStatistics, from_values, taken
from hudi_core.truth import NULL, TRUE, Truth
from hudi_core.types.nodes import Boolean

Values = Mapping[int, Sequence[PathValue | None]]
"""Values of partition columns from paths: by column id, one for each partition."""


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
    """What is known of the condition in each partition; each combination of values is tested once. None: it is not known."""
    rows_of_combinations: dict[tuple[PathValue | None, ...], int] = {}
    of_partitions = [
        rows_of_combinations.setdefault(combination, len(rows_of_combinations))
        for combination in zip(*path_columns, strict=True)
    ]
    try:
        truths = [_truth(leaf, combination, ids) for combination in rows_of_combinations]
    except UnsupportedError:
        return None
    values = [None if truth in (None, NULL) else truth is TRUE for truth in truths]
    nulls = [None if truth is None else int(truth is NULL) for truth in truths]
    rows = [None if truth is None else 1 for truth in truths]
    return taken(from_values(Boolean(), values, values, nulls, rows), np.array(of_partitions, np.int64))


def _truth(leaf: Leaf, combination: Sequence[PathValue | None], ids: Sequence[int]) -> Truth | None:
    """The condition's truth for these values of paths; None where one of them is unknown."""
    row = {}
    for column, value in zip(ids, combination, strict=True):
        if value is None or not value.is_exact:
            return None
        row[column] = value.lower
    return truth_of(leaf, row)
