"""DataFrames of Parquet files that are known: relations made of them directly, where the JVM can be reached.

`spark.read.load` looks up its data source, searches paths and infers partitions first. It also changes the case of options that
keep columns with ids from being looked for by id.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from py4j.protocol import Py4JError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from hudi_core.errors import StorageError

Read = Callable[[list[str]], DataFrame]
"""All rows of the files with these URIs."""

_AS_WRITTEN: Final = {
    "datetimeRebaseMode": "CORRECTED",  # files say what they mean: no calendar is guessed
    "int96RebaseMode": "CORRECTED",
}
_BY_NAME: Final = {
    "spark.sql.parquet.fieldId.read.enabled": "false",
    "spark.sql.parquet.fieldId.read.ignoreMissing": "true",
}
"""Column ids are ours, and those in files another's: columns are found by name."""


def own_reader(spark: SparkSession, struct: StructType) -> Read:
    """Spark's own way to read files as these columns, which must have no ids."""
    options = {**_AS_WRITTEN, "__globPaths__": "false"}  # a `[` in a path is one
    reader = spark.read.format("parquet").options(**options).schema(struct)
    return lambda uris: reader.load(uris if len(uris) > 1 else uris[0])


def relations_of(spark: SparkSession) -> Relations | None:
    """Relations of a session; None over Spark Connect, and where Spark hides its classes or has others: the rows of
    `own_reader` are the same."""
    if not hasattr(spark, "_jsparkSession"):
        return None
    found = Relations(spark)
    try:
        found.relation(found.schema(StructType()), [])
    except (Py4JError, TypeError):  # TypeError: what is no class is taken for a package
        return None
    return found


@dataclass(frozen=True)
class Relations:
    """What making relations needs of a session, kept: each piece of it is a call to the JVM."""

    spark: SparkSession

    def reader(self, struct: StructType) -> Read:
        """Reads files as these columns, which are found by name and have the metadata given here.

        Reading raises `StorageError` where a file is not there: Spark would take it for one without rows.
        """
        schema = self.schema(struct)

        def read(uris: list[str]) -> DataFrame:
            relation = self.relation(schema, uris)
            return DataFrame(self._session.baseRelationToDataFrame(relation), self.spark)

        return read

    def schema(self, struct: StructType) -> Any:
        """The JVM's form of columns."""
        return self._session.parseDataType(struct.json())

    def relation(self, schema: Any, uris: Sequence[str]) -> Any:
        """The JVM's `HadoopFsRelation` of files with the columns of a `schema`."""
        sources, none = self._sources, self._none
        paths = self._sequence([self._path(uri) for uri in uris])
        files = sources.InMemoryFileIndex(
            self._session, paths, self._options, none, self._no_cache, self._no_partitions, none
        )
        listed = files.allFiles().size()
        if listed != len(uris):
            where = uris[0] if len(uris) == 1 else f"{uris[0]} and {len(uris) - 1:,} others"
            raise StorageError(where, expected="every file that the table has", found=f"{listed:,} of them")
        return sources.HadoopFsRelation(
            files, self._no_columns, schema, none, self._format, self._options, self._session
        )

    @cached_property
    def _session(self) -> Any:
        return self.spark._jsparkSession

    @cached_property
    def _jvm(self) -> Any:
        return self.spark.sparkContext._jvm

    @cached_property
    def _sources(self) -> Any:
        return self._jvm.org.apache.spark.sql.execution.datasources

    @cached_property
    def _path(self) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path

    @cached_property
    def _sequence(self) -> Any:
        return self._jvm.org.apache.spark.api.python.PythonUtils.toSeq

    @cached_property
    def _options(self) -> Any:
        return self._jvm.org.apache.spark.api.python.PythonUtils.toScalaMap({**_AS_WRITTEN, **_BY_NAME})

    @cached_property
    def _format(self) -> Any:
        return self._sources.parquet.ParquetFileFormat()

    @cached_property
    def _none(self) -> Any:
        return self._jvm.scala.Option.empty()

    @cached_property
    def _no_cache(self) -> Any:
        return getattr(getattr(self._sources, "NoopCache$"), "MODULE$")

    @cached_property
    def _no_partitions(self) -> Any:
        return self._jvm.scala.Option.apply(self._sources.PartitionSpec.emptySpec())

    @cached_property
    def _no_columns(self) -> Any:
        return self.schema(StructType())
