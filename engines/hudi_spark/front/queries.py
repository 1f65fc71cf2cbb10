"""The id of a streaming query, which its checkpoint folder keeps: one that starts again has it again. Rule WRITE-1501."""

from __future__ import annotations

from typing import Any, Final

from pyspark.sql import SparkSession

from hudi_core.errors import HudiError
from hudi_core.json_texts import parse_json
from hudi_core.table.engines import DEFAULT_ENGINE, load_engine

_PROPERTY: Final = "sql.streaming.queryId"
_FILE: Final = "metadata"


def running_query(spark: SparkSession) -> str | None:
    """The query whose batch this thread works on; None where there is none, and over Spark Connect."""
    if not hasattr(spark, "sparkContext"):
        return None
    query: str | None = spark.sparkContext.getLocalProperty(_PROPERTY)
    return query


def query_of_checkpoint(folder: str) -> str | None:
    """The query of a checkpoint folder, a path or URL; None where its file cannot be read."""
    try:
        document: Any = parse_json(load_engine(DEFAULT_ENGINE).storage(folder, None).read(_FILE).decode())
        query = document["id"]
    except (HudiError, OSError, ValueError, LookupError, TypeError):
        return None
    return query if isinstance(query, str) else None
