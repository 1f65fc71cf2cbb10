"""The data source `hudi_core` in a session."""

from __future__ import annotations

import importlib
from importlib.util import find_spec

import pyspark
from pyspark.sql import SparkSession

from hudi_core.errors import UnsupportedError


def register(spark: SparkSession) -> None:
    """Registers the format `hudi_core` with a session.

    Raises `UnsupportedError` before Spark 4, which has no data sources in Python.
    """
    if find_spec("pyspark.sql.datasource") is None:
        expected = (
            "Spark 4; before it hudi_spark.open(spark, path) with scan, upsert and its other methods, and stream_writer"
        )
        raise UnsupportedError("format hudi_core", expected=expected, found=f"Spark {pyspark.__version__}")
    source = importlib.import_module("hudi_spark.front.source").HudiSource
    spark.dataSource.register(source)  # type: ignore[attr-defined]  # of Spark 4
