"""The data source `hudi_core` in a session of Spark 3.5, which has none."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import pytest

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")

from hudi_core.errors import UnsupportedError
from hudi_spark.front.registering import register


@pytest.mark.skipif(not version("pyspark").startswith("3."), reason="Spark 4 has data sources in Python")
def test_spark_3_is_pointed_to_its_methods() -> None:
    """WRITE-615."""
    session: Any = None
    with pytest.raises(UnsupportedError, match=r"hudi_spark.open\(.* upsert .* stream_writer, found Spark 3"):
        register(session)
