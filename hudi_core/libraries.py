"""Types of other libraries in results, for editors and type checkers alone: nothing here is imported when a program runs.

Where a library is not installed its types are unknown, and nothing else changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as DuckConnection
    from duckdb import DuckDBPyRelation as DuckRelation
    from pandas import DataFrame as PandasFrame
    from polars import DataFrame as PolarsFrame
    from polars import LazyFrame
    from pyarrow import RecordBatchReader as ArrowReader
    from pyarrow import Schema as ArrowSchema
    from pyarrow import Table as ArrowTable
    from pyarrow.dataset import Dataset as ArrowDataset
    from pyspark.sql import DataFrame as SparkFrame
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType as SparkSchema

    __all__ = [
        "ArrowDataset",
        "ArrowReader",
        "ArrowSchema",
        "ArrowTable",
        "DuckConnection",
        "DuckRelation",
        "LazyFrame",
        "PandasFrame",
        "PolarsFrame",
        "SparkFrame",
        "SparkSchema",
        "SparkSession",
    ]
