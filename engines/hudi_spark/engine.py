"""The Spark engine in one bundle: Spark runs scans, in the running session or a local one; another engine reads files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession

from hudi_core.engine import Engine, FileReader, FileWriter, LayeredEngine, Storage
from hudi_core.errors import UnsupportedError
from hudi_core.schema.schema import Schema
from hudi_core.table.distributed import plan_in_shares
from hudi_core.table.scan import Scan
from hudi_core.types.nodes import Record
from hudi_spark import sessions
from hudi_spark.arrow_form import from_form
from hudi_spark.reading import frame_of
from hudi_spark.runner import SparkRunner
from hudi_spark.values import SparkValues

_NO_COLUMNS = Schema(Record(()))


@dataclass(frozen=True)
class SparkEngine:
    """`hudi_core.engine.Engine` whose scans Spark runs. Batches are those of the engine that reads files, which are Arrow's."""

    files: Engine[Any, Any, Any]
    """Plans on the driver, and reads on executors what Spark's own reader does not."""
    name: str = "spark"

    @property
    def values(self) -> Any:
        """Operations on the batches, on the driver."""
        return self.files.values

    @property
    def columns(self) -> SparkValues:
        """The same operations as plans."""
        return SparkValues()

    @property
    def rows(self) -> Any:
        return self.files.rows

    @property
    def runner(self) -> SparkRunner:
        return SparkRunner(sessions.session())

    def __reduce__(self) -> tuple[Any, tuple[Engine[Any, Any, Any]]]:
        return _receive, (self.files,)

    def storage(self, uri: str, options: Mapping[str, str] | None = None) -> Storage:
        return self.files.storage(uri, options)

    @property
    def formats(self) -> frozenset[str]:
        return self.files.formats

    def reader(self, extension: str) -> FileReader[Any]:
        return self.files.reader(extension)

    def writer(self, extension: str, codec: str | None = None, held: int | None = None) -> FileWriter[Any]:
        return self.files.writer(extension, codec, held)

    def read_scan(self, scan: Scan) -> Iterator[pa.RecordBatch]:
        """The rows of a scan, in no order, as batches of the engine that reads files."""
        arrow_type = pa.struct(self.files.rows.stream(scan.schema, []).schema)
        record = scan.schema.record
        for batch in arrow_batches(frame_of(sessions.session(), scan)):
            if batch.num_columns:
                yield pa.RecordBatch.from_struct_array(from_form(batch.to_struct_array(), record, arrow_type))
            else:
                yield batch

    def frame_of_scan(self, scan: Scan, session: SparkSession | None) -> DataFrame:
        """The rows of a scan. It is planned on executors where its statistics are too many for the driver."""
        spark = sessions.session() if session is None else session
        sessions.refuse_other_session(spark)
        return frame_of(spark, plan_in_shares(scan, SparkRunner(spark)))


def _receive(files: Engine[Any, Any, Any]) -> Engine[Any, Any, Any]:
    """What a sent engine is: in a task of Spark the engine that reads files, for tasks run no tasks."""
    return SparkEngine(files) if TaskContext.get() is None else files


class SparkLayer:
    """Makes the Spark engine of an engine that reads files."""

    def over(self, files: Engine[Any, Any, Any]) -> SparkEngine:
        """Raises `UnsupportedError` for an engine whose batches are not Arrow's: Spark takes no others from Python."""
        if not isinstance(files.rows.stream(_NO_COLUMNS, []).read_all(), pa.Table):
            raise UnsupportedError("Spark", expected="files read as Arrow batches", found=f"the engine {files.name!r}")
        return SparkEngine(files)


def arrow_batches(frame: Any) -> list[pa.RecordBatch]:
    """A DataFrame's rows as Arrow batches on the driver. Raises `UnsupportedError` over Spark Connect before Spark 4."""
    if hasattr(frame, "_collect_as_arrow"):  # `toArrow` of Spark 4 fails on variants that are null
        return list(frame._collect_as_arrow())
    if not hasattr(frame, "toArrow"):
        raise UnsupportedError(
            "Spark Connect", message="gives rows as Arrow batches from Spark 4 on; this is an earlier version"
        )
    return list(frame.toArrow().to_batches())


ENGINE: LayeredEngine = SparkLayer()
