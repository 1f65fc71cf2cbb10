"""Settings of a session while blocks run."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import pytest

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
from pyspark.sql import SparkSession

from hudi_spark.settings import settings

NAME, OTHER = "spark.sql.adaptive.enabled", "spark.sql.execution.arrow.maxRecordsPerBatch"


def test_the_last_of_several_blocks_brings_settings_back(spark: Any) -> None:
    """ENGINE-1173: whichever ends first, and whatever object of Python the session is; another session keeps its own."""
    before = spark.conf.get(NAME), spark.conf.get(OTHER)
    again, other = SparkSession(spark.sparkContext, spark._jsparkSession), spark.newSession()
    first, second = ExitStack(), ExitStack()
    first.enter_context(settings(spark, {NAME: "false", OTHER: "32"}))
    second.enter_context(settings(again, {NAME: "false"}))
    assert (spark.conf.get(NAME), spark.conf.get(OTHER), other.conf.get(NAME)) == ("false", "32", "true")
    first.close()
    assert (spark.conf.get(NAME), spark.conf.get(OTHER)) == ("false", before[1])
    second.close()
    assert (spark.conf.get(NAME), spark.conf.get(OTHER)) == before


def test_a_block_that_fails_brings_settings_back(spark: Any) -> None:
    """ENGINE-1173."""
    before = spark.conf.get(NAME)
    with pytest.raises(ZeroDivisionError), settings(spark, {NAME: "false"}):
        _ = 1 / 0
    assert spark.conf.get(NAME) == before
