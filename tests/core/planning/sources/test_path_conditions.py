"""Conditions on partition columns that are tested on the values of paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from hudi_core.expr.bind import bind
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import columns_of
from hudi_core.keys.path_values import PathValue
from hudi_core.planning.sources.conditions import ConditionColumns
from hudi_core.planning.sources.path_conditions import with_path_conditions
from hudi_core.planning.sources.slice_statistics import PartitionValues
from hudi_core.pruning.store import FIRST_CONDITION_ID, FileStatistics
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.truth import Truth
from hudi_core.types import nodes as t

SCHEMA = Schema(
    record_with_ids(t.Record((t.Field(0, "day", t.Date()), t.Field(0, "region", t.String()), t.Field(0, "n", t.Int()))))
)
DAYS = [19723, 19754, 19755, 20120]  # 2024-01-01, 2024-02-01, 2024-02-02, 2025-02-01


def exact(value: object) -> PathValue:
    return PathValue(value, value, value is None)


VALUES: Mapping[int, Sequence[PathValue | None]] = {
    0: [*(exact(day) for day in DAYS), None, exact(None)],
    1: [exact(region) for region in ("emea", "EMEA", "apac", "amer", "asia")] + [PathValue("", "default", True)],
}


def kept(where: str) -> tuple[list[int], list[int]]:
    """Partitions in which some row may match, and in which every row does."""
    facts = ConditionColumns(np.zeros(0, np.int64))
    said = with_path_conditions(bind(parse_predicate(where), SCHEMA), VALUES, facts)
    by_path = PartitionValues(VALUES, np.arange(6))
    plan = FileStatistics(6, lambda column: by_path.pieces(column) or []).plan(said, facts.of_partitions)
    return plan.possible().tolist(), plan.all_match().tolist()


@pytest.mark.parametrize(
    ("where", "possible", "certain"),
    [
        ("month(day) = 2", [1, 2, 3, 4], [1, 2, 3]),
        ("year(day) = 2024 and month(day) = 2", [1, 2, 4], [1, 2]),
        ("month(day) <> 2", [0, 4], [0]),
        ("not (month(day) = 2)", [0, 4], [0]),
        ("lower(region) = 'emea'", [0, 1, 5], [0, 1]),
        ("region like '%a'", [0, 4, 5], [0, 4]),
        ("case when region = 'apac' then month(day) = 1 else day is null end", [4, 5], []),
        ("month(day) = 2 or n > 3", [0, 1, 2, 3, 4, 5], [1, 2, 3]),
        ("month(day) = 2 and n > 3", [1, 2, 3, 4], []),
        ("upper(region) = region", [1, 5], [1]),
        ("n % 2 = 1", [0, 1, 2, 3, 4, 5], []),
    ],
)
def test_conditions_are_decided_by_the_values_of_paths(where: str, possible: list[int], certain: list[int]) -> None:
    """SOURCE-4."""
    assert kept(where) == (possible, certain)


def test_what_bounds_answer_is_left_to_them() -> None:
    for where in ("day = date'2024-01-01'", "region in ('a', 'b')", "day is null", "n > 3", "lower('A') = 'a'"):
        predicate = bind(parse_predicate(where), SCHEMA)
        assert with_path_conditions(predicate, VALUES, ConditionColumns(np.zeros(0, np.int64))) == predicate


def test_each_combination_of_values_is_tested_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """SOURCE-4."""
    tested: list[object] = []

    def truth(_: object, row: object) -> Truth:
        tested.append(row)
        return Truth.TRUE

    monkeypatch.setattr("hudi_core.planning.sources.path_conditions.truth_of", truth)
    many: Mapping[int, Sequence[PathValue | None]] = {0: [exact(day % 5) for day in range(1000)]}
    facts = ConditionColumns(np.zeros(0, np.int64))
    said = with_path_conditions(bind(parse_predicate("month(day) = 2"), SCHEMA), many, facts)
    assert min(columns_of(said)) == FIRST_CONDITION_ID
    assert len(tested) == 5
