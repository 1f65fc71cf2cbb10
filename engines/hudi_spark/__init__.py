"""The Spark engine: Hudi tables as DataFrames, planned by the core on the driver.

front    what users call: tables, `tagLocation`, the data source of Spark 4

sessions a Spark session with what reading needs
reading  a scan's rows: Spark's own Parquet reader where it can, else the engine's reader of files on executors
native   which files Spark's own reader takes, and one plan for all files of one schema
relations  files as DataFrames, made where Spark plans them soonest
java     what a plan takes of the driver's JVM, in a few calls
packets  packets in motion between tasks
settings settings of a session while a step runs
flow     rows of DataFrames and scans, with which writes begin
runner   tasks on executors
dealing  rows sent to chosen tasks
engine   the bundle behind `--engine spark`

values   the core's operations on columns of values, as plans
cells    a column of values: a plan and its type, inside lists too
compare  order and equality
casts    conversions of stored values, and SQL's CAST
functions, arithmetic  the known functions
scalars  functions that run in Python value by value, for want of a function of Spark's
literals values as constants; ticks: dates and timestamps as integers
arrow_form  Arrow arrays as Spark takes them, and back

types    core types to and from Spark's types, over the JSON of its schemas, without PySpark
ddl      Spark's DDL text of a schema, without PySpark
schema_text  the forms `spark` and `ddl` of schema text
structs  PySpark's StructType, without a JVM
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hudi_spark.front.registering import register as register
    from hudi_spark.front.streams import stream_writer as stream_writer
    from hudi_spark.front.table import create as create
    from hudi_spark.front.table import open as open  # noqa: A004  # `hudi_spark.open`
    from hudi_spark.runner import SparkRunner as SparkRunner
    from hudi_spark.sessions import session as session

_MODULES = {
    "SparkRunner": "hudi_spark.runner",
    "create": "hudi_spark.front.table",
    "open": "hudi_spark.front.table",
    "register": "hudi_spark.front.registering",
    "session": "hudi_spark.sessions",
    "stream_writer": "hudi_spark.front.streams",
}


def __getattr__(name: str) -> Any:
    """What users call, without PySpark where only schema text is wanted."""
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(module), name)
