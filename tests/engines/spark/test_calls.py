"""Spark itself gives what `specs/cases/calls.jsonl` says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.core.functions.test_calls import CASES
from tests.support.sql_calls import shown

pyspark = pytest.importorskip("pyspark", reason="PySpark is not installed")
RELEASE = int(pyspark.__version__.partition(".")[0])
KNOWN = [case for case in CASES if case.get("since", 3) == RELEASE]
"""The cases say what Spark 3.5 gives; those of functions that came later, what that release gives."""

AT_ONCE = 50
"""Calls in one query: each query costs more than all that it computes."""


def test_spark_gives_the_results_of_the_cases(spark: Any) -> None:
    before = {name: spark.conf.get(name) for name in ("spark.sql.session.timeZone", "spark.sql.ansi.enabled")}
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    spark.conf.set("spark.sql.ansi.enabled", "false")
    try:
        given = [value for at in range(0, len(KNOWN), AT_ONCE) for value in _gives(spark, KNOWN[at : at + AT_ONCE])]
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)
    assert [(case["sql"], value) for case, value in zip(KNOWN, given, strict=True) if value != case["gives"]] == []


def _gives(spark: Any, cases: list[dict[str, Any]]) -> list[Any]:
    frame = spark.sql("SELECT " + ", ".join(f"{case['sql']} AS c{number}" for number, case in enumerate(cases)))
    moments = {
        field.name for field in frame.schema if field.dataType.typeName() in ("date", "timestamp", "timestamp_ntz")
    }
    (row,) = frame.select(*[frame[n].cast("string") if n in moments else frame[n] for n in frame.columns]).collect()
    return [json.loads(json.dumps(shown(value))) for value in row]
