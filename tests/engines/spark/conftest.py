"""One Spark session for all tests of a process, with a time zone that is not UTC."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

PYSPARK_WARNS = (
    "ignore:unclosed.*socket:ResourceWarning",
    "ignore:unclosed.*socket:pytest.PytestUnraisableExceptionWarning",
    "ignore:distutils Version classes:DeprecationWarning",
    "ignore:The distutils package is deprecated:DeprecationWarning",
)
"""What PySpark does itself: it leaves sockets to the garbage collector, and compares versions in an old way."""


def _is_default() -> bool:
    """Whether this is the version of Spark that an ordinary run uses for all tests."""
    return version("pyspark").startswith("3.5")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = f"{Path(__file__).parent}{os.sep}"
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker(pytest.mark.spark)
            if item.get_closest_marker("one_spark") and not _is_default():
                item.add_marker(pytest.mark.soak)
            for pattern in PYSPARK_WARNS:
                item.add_marker(pytest.mark.filterwarnings(pattern))


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    made = (
        sql.SparkSession.builder.master("local[2,3]")  # a task may fail twice
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "1g")
        # Every plan has code of its own, which runs for a moment: the second compiler would take longer than it saves.
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.session.timeZone", "America/New_York")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
        .config("spark.sql.parquet.datetimeRebaseModeInWrite", "CORRECTED")  # rows have days of all centuries
        .config("spark.sql.parquet.int96RebaseModeInWrite", "CORRECTED")
        .getOrCreate()
    )
    made.sparkContext.setLogLevel("OFF")
    yield made
    made.stop()
