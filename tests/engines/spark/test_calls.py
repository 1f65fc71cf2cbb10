"""Spark itself gives what `specs/cases/calls.jsonl` says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.core.functions.test_calls import CASES
from tests.support.sql_calls import shown

pyspark = pytest.importorskip("pyspark", reason="PySpark is not installed")
if not pyspark.__version__.startswith("3.5"):
    pytest.skip("the cases say what Spark 3.5 gives", allow_module_level=True)


def test_spark_gives_what_the_cases_say(spark: Any) -> None:
    before = {name: spark.conf.get(name) for name in ("spark.sql.session.timeZone", "spark.sql.ansi.enabled")}
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    spark.conf.set("spark.sql.ansi.enabled", "false")
    try:
        differing = [(case["sql"], found) for case in CASES if (found := _gives(spark, case["sql"])) != case["gives"]]
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)
    assert differing == []


def _gives(spark: Any, sql: str) -> Any:
    frame = spark.sql(f"SELECT {sql} AS v")
    if frame.schema[0].dataType.typeName() in ("date", "timestamp", "timestamp_ntz"):
        frame = frame.select(frame["v"].cast("string"))
    return json.loads(json.dumps(shown(frame.collect()[0][0])))
