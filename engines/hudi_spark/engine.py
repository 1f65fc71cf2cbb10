"""The Spark engine in one bundle: rows of a scan come from a local or configured Spark session, files' heads from Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from hudi_core.engine import Engine, FileReader, Storage
from hudi_core.errors import UnsupportedError
from hudi_core.table.engines import load_engine
from hudi_core.table.scan import Scan
from hudi_spark.arrow_form import from_form
from hudi_spark.reading import frame_of
from hudi_spark.sessions import session
from hudi_spark.values import SparkValues

READER = "arrow"
"""The engine that plans on the driver and reads on executors what Spark's own reader does not."""


class SparkEngine:
    """`hudi_core.engine.Engine` whose scans Spark runs. Batches are those of the Arrow engine."""

    name = "spark"

    def __init__(self) -> None:
        self._arrow: Engine[Any, Any, Any] = load_engine(READER)

    @property
    def values(self) -> Any:
        """What the batches are looked at with on the driver."""
        return self._arrow.values

    @property
    def columns(self) -> SparkValues:
        """The same operations as plans."""
        return SparkValues()

    @property
    def rows(self) -> Any:
        return self._arrow.rows

    def storage(self, uri: str, options: Mapping[str, str] | None = None) -> Storage:
        return self._arrow.storage(uri, options)

    def reader(self, extension: str) -> FileReader[Any]:
        return self._arrow.reader(extension)

    def read_scan(self, scan: Scan) -> Iterator[pa.RecordBatch]:
        """The rows of a scan, in no order, as batches of the Arrow engine."""
        kind = pa.struct(self._arrow.rows.stream(scan.schema, []).schema)
        of = scan.schema.record
        for batch in arrow_batches(frame_of(session(), scan)):
            if batch.num_columns:
                yield pa.RecordBatch.from_struct_array(from_form(batch.to_struct_array(), of, kind))
            else:
                yield batch


def arrow_batches(frame: Any) -> list[pa.RecordBatch]:
    """A DataFrame's rows as Arrow batches on the driver. Raises `UnsupportedError` over Spark Connect before Spark 4."""
    if hasattr(frame, "toArrow"):  # Spark 4
        return list(frame.toArrow().to_batches())
    if not hasattr(frame, "_collect_as_arrow"):
        raise UnsupportedError(
            "Spark Connect", message="gives rows as Arrow batches from Spark 4 on; this is an earlier version"
        )
    return list(frame._collect_as_arrow())


ENGINE: Engine[Any, Any, pa.RecordBatch] = SparkEngine()
