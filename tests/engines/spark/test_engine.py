"""The Spark engine stands on an engine that reads files as Arrow batches. No session is needed to make it."""

from __future__ import annotations

import pickle

import pytest

from hudi_core.errors import UnsupportedError
from hudi_core.table.engines import load_engine

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
from hudi_arrow.engine import ENGINE as ARROW
from hudi_plain.engine import ENGINE as PLAIN
from hudi_spark.engine import ENGINE, SparkEngine


def test_files_are_read_by_the_engine_below() -> None:
    engine = ENGINE.over(ARROW)
    assert isinstance(engine, SparkEngine)
    assert engine.rows is ARROW.rows and engine.reader("parquet") is ARROW.reader("parquet")
    loaded = load_engine("spark")
    assert loaded.name == "spark" and loaded.rows is load_engine("arrow").rows


def test_an_engine_without_arrow_batches_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="Arrow"):
        ENGINE.over(PLAIN)


def test_the_engine_can_be_sent_to_executors() -> None:
    assert pickle.loads(pickle.dumps(ENGINE.over(ARROW))).name == "spark"
