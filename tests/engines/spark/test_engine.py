"""The Spark engine stands on an engine that reads files as Arrow batches. No session is needed to make it."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

import hudi_core
from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.table.engines import load_engine
from tests.support.commands import rides

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
import hudi_spark
from hudi_arrow.engine import ENGINE as ARROW
from hudi_plain.engine import ENGINE as PLAIN
from hudi_spark.engine import ENGINE, SparkEngine
from hudi_spark.front.table import SparkTable


def test_files_are_read_by_the_engine_below() -> None:
    engine = ENGINE.over(ARROW)
    assert isinstance(engine, SparkEngine)
    assert engine.rows is ARROW.rows and engine.reader("parquet") is ARROW.reader("parquet")
    loaded = load_engine("spark")
    assert loaded.name == "spark" and loaded.rows is load_engine("arrow").rows


def test_an_engine_without_arrow_batches_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="Arrow"):
        ENGINE.over(PLAIN)


def test_what_is_no_session_makes_no_frame() -> None:
    """TABLE-1559."""
    scan = hudi_core.open(rides()).scan()
    with pytest.raises(UsageError, match="session: expected a Spark session, found 'local'"):
        scan.to_spark("local")  # type: ignore[arg-type]


@pytest.mark.parametrize("given", ["a/path", None])
def test_what_is_no_session_opens_and_makes_no_table(tmp_path: Path, given: Any) -> None:
    """ENGINE-1613: also where both arguments have changed places."""
    with pytest.raises(UsageError, match="session: expected a Spark session, found"):
        hudi_spark.open(given, str(rides()))
    with pytest.raises(UsageError, match="session: expected a Spark session, found"):
        hudi_spark.create(given, str(tmp_path / "t"), {"id": ["a"]}, "id")
    assert list(tmp_path.iterdir()) == []


def test_a_table_has_the_names_of_one_on_arrow() -> None:
    """TABLE-1559."""
    here = hudi_core.open(rides())
    there = SparkTable(None, here)  # type: ignore[arg-type]
    first = here.timeline.commits[0].requested_time
    assert (there.schema, there.timeline) == (here.schema, here.timeline)
    assert there.history() == here.history() and there.history(first) == here.history(first)
    assert list(there.slices(first)) == list(here.slices(first)) != list(there.slices())
    assert there.slices(where="fare > 95") == here.slices(where="fare > 95")


def test_the_engine_can_be_sent_to_executors() -> None:
    assert pickle.loads(pickle.dumps(ENGINE.over(ARROW))).name == "spark"
