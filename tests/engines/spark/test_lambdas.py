"""Lambdas, structures compared, patterns that are values: the engine's plans, and Spark itself, give what the core gives."""

from __future__ import annotations

from typing import Any

import pytest

from hudi_core.expr.bind import bind
from hudi_core.expr.parse import parse_predicate
from hudi_core.rows.truth import truth_masks
from hudi_core.truth import NULL, TRUE
from hudi_core.types import nodes as t
from tests.core.expr import test_comparisons as comparisons
from tests.core.expr.test_lambdas import CASES, ROWS, SCHEMA

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
import pyspark
from pyspark.sql import functions as F

from hudi_spark.cells import Cell
from hudi_spark.values import SparkValues
from tests.engines.spark.columns import SparkColumns, relation
from tests.engines.spark.test_contract import MODES

_ANSWERS = t.Array(t.Field(0, "element", t.Boolean()))
_LOGIC = {TRUE: True, NULL: None}
AT_ONCE = 8
"""So many predicates are one plan: Spark plans many small ones sooner than a great one."""


@pytest.mark.one_of(3)
@pytest.mark.parametrize("ansi", MODES.values(), ids=MODES)
@pytest.mark.parametrize(
    "first",
    [
        pytest.param(first, marks=pytest.mark.one_spark) if (first // AT_ONCE) % 3 else first
        for first in range(0, len(CASES), AT_ONCE)
    ],
)
def test_plans_have_the_truths_of_the_core(spark: Any, ansi: bool, first: int) -> None:
    cases = CASES[first : first + AT_ONCE]

    def truths(root: Cell) -> Cell:
        masks = [truth_masks(bind(parse_predicate(sql), SCHEMA), SparkValues(), root, SCHEMA) for sql, _ in cases]
        answers = [F.when(mask[TRUE].plan, True).when(~mask[NULL].plan, False) for mask in masks]
        return Cell(F.array(*answers), _ANSWERS)

    given = SparkColumns(spark, ansi).column(truths, _ANSWERS, (ROWS, SCHEMA.record))
    for number, (sql, wanted) in enumerate(cases):
        assert (sql, [row[number] for row in given]) == (sql, [_LOGIC.get(truth, False) for truth in wanted])


@pytest.mark.skipif(not pyspark.__version__.startswith("3.5"), reason="the cases say what Spark 3.5 gives")
def test_spark_gives_these_truths(spark: Any) -> None:
    spark.conf.set("spark.sql.ansi.enabled", "false")
    frame = relation(spark, [(ROWS, SCHEMA.record)]).select("c0.*")
    given = frame.select(F.array(*[F.expr(f"({sql})") for sql, _ in CASES])).collect()
    for number, (sql, wanted) in enumerate(CASES):
        assert (sql, [row[0][number] for row in given]) == (sql, [_LOGIC.get(truth, False) for truth in wanted])


@pytest.mark.skipif(pyspark.__version__.startswith("3"), reason="Spark has collations from version 4 on")
def test_spark_compares_by_collations_so(spark: Any) -> None:
    frame = relation(spark, [(comparisons.ROWS, comparisons.SCHEMA.record)]).select("c0.*")
    given = frame.select(F.array(*[F.expr(f"({sql})") for sql, _ in comparisons.CASES])).collect()
    for number, (sql, wanted) in enumerate(comparisons.CASES):
        assert (sql, [row[0][number] for row in given]) == (sql, [_LOGIC.get(truth, False) for truth in wanted])
