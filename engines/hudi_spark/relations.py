"""Parquet files that are known as DataFrames: plans made of them directly, where the JVM can be reached.

`spark.read.load` looks up its data source, searches paths and infers partitions first. It also changes the case of options that
keep columns with ids from being looked for by id. Each call to a DataFrame analyses its plan and makes an encoder of its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol

from py4j.java_gateway import JavaClass
from py4j.protocol import Py4JError
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from hudi_core.errors import StorageError


class Files(Protocol):
    """All rows of some files."""

    def column(self, position: int) -> Column:
        """A column of the files, to make a condition of."""

    def rows(self, condition: Column | None = None) -> DataFrame:
        """The rows, or those for which a condition on the columns of these files is true."""


Read = Callable[[list[str]], Files]
"""The files with these URIs."""

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
    return lambda uris: Loaded(reader.load(uris if len(uris) > 1 else uris[0]), struct)


@dataclass(frozen=True, slots=True)
class Loaded:
    """Files that Spark loads in its own way."""

    frame: DataFrame
    struct: StructType

    def column(self, position: int) -> Column:
        return F.col(quoted(self.struct.names[position]))

    def rows(self, condition: Column | None = None) -> DataFrame:
        return self.frame if condition is None else self.frame.where(condition)


def quoted(name: str) -> str:
    """A column's name in Spark's expressions."""
    return "`" + name.replace("`", "``") + "`"


def relations_of(spark: SparkSession) -> Relations | None:
    """Relations of a session; None over Spark Connect, and where Spark hides its classes or has others: the rows of
    `own_reader` are the same."""
    if not hasattr(spark, "_jsparkSession"):
        return None
    found = Relations(spark)
    try:
        found.reader(StructType())([]).rows()
    except (Py4JError, TypeError):  # TypeError: what is no class is taken for a package
        return None
    return found


@dataclass(frozen=True)
class Related:
    """Files that are a relation of their own."""

    relations: Relations
    relation: Any
    """A leaf of a logical plan."""
    struct: StructType
    encoder: Any
    """Of rows with these columns."""

    def column(self, position: int) -> Column:
        if self.relations.columns_are_expressions:
            return Column(self.relations.column(self._output.apply(position)))
        return F.col(quoted(self.struct.names[position]))

    def rows(self, condition: Column | None = None) -> DataFrame:
        if condition is None:
            return self._frame(self.relation)
        if self.relations.columns_are_expressions:
            return self._frame(self.relations.filter(condition._jc.expr(), self.relation))
        return self._frame(self.relation).where(condition)

    def _frame(self, plan: Any) -> DataFrame:
        relations = self.relations
        if not relations.has_own_rules and plan.resolved():
            plan.setAnalyzed()
        return DataFrame(relations.dataset(relations.session, plan, self.encoder), relations.spark)

    @cached_property
    def _output(self) -> Any:
        return self.relation.output()


@dataclass(frozen=True)
class Relations:
    """What making relations needs of a session, kept: each piece of it is a call to the JVM."""

    spark: SparkSession

    def reader(self, struct: StructType) -> Read:
        """Reads files as these columns, which are found by name and have the metadata given here.

        Reading raises `StorageError` where a file is not there: Spark would take it for one without rows.
        """
        schema = self._schema(struct)
        encoder = self._catalyst.encoders.ExpressionEncoder.apply(schema)
        return lambda uris: Related(self, self._relation(schema, uris), struct, encoder)

    def _schema(self, struct: StructType) -> Any:
        """The JVM's form of columns."""
        return self.session.parseDataType(struct.json())

    def _relation(self, schema: Any, uris: Sequence[str]) -> Any:
        """The JVM's relation of files with the columns of a `schema`."""
        none, options, paths = self._none, self._options, self._sequence([self._path(uri) for uri in uris])
        files = self._index(self.session, paths, options, none, self._no_cache, self._no_partitions, none)
        listed = files.leafFiles().size()
        if listed != len(uris):
            where = uris[0] if len(uris) == 1 else f"{uris[0]} and {len(uris) - 1:,} others"
            raise StorageError(where, expected="every file that the table has", found=f"{listed:,} of them")
        found = self._of_files(files, self._no_columns, schema, none, self._format, options, self.session)
        return self._leaf(found, False)

    @cached_property
    def has_own_rules(self) -> bool:
        """Whether extensions of the session have a word in the analysis of plans."""
        own = self.session.extensions()
        rules = (own.buildResolutionRules, own.buildPostHocResolutionRules, own.buildCheckRules)
        return any(build(self.session).size() for build in rules)

    @cached_property
    def columns_are_expressions(self) -> bool:
        """Of plans; else, from Spark 4 on, columns are names and calls by name until plans are analyzed."""
        return not isinstance(self._sql.classic.Dataset, JavaClass)

    @cached_property
    def session(self) -> Any:
        return self.spark._jsparkSession

    @cached_property
    def dataset(self) -> Any:
        return self._sql.Dataset if self.columns_are_expressions else self._sql.classic.Dataset

    @cached_property
    def column(self) -> Any:
        return self._sql.Column

    @cached_property
    def filter(self) -> Any:
        return self._catalyst.plans.logical.Filter

    @cached_property
    def _jvm(self) -> Any:
        return self.spark.sparkContext._jvm

    @cached_property
    def _path(self) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path

    @cached_property
    def _sql(self) -> Any:
        return self._jvm.org.apache.spark.sql

    @cached_property
    def _catalyst(self) -> Any:
        return self._sql.catalyst

    @cached_property
    def _sources(self) -> Any:
        return self._sql.execution.datasources

    @cached_property
    def _index(self) -> Any:
        return self._sources.InMemoryFileIndex

    @cached_property
    def _of_files(self) -> Any:
        return self._sources.HadoopFsRelation

    @cached_property
    def _leaf(self) -> Any:
        return _object(self._sources, "LogicalRelation").apply

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
        return _object(self._sources, "NoopCache")

    @cached_property
    def _no_partitions(self) -> Any:
        return self._jvm.scala.Option.apply(self._sources.PartitionSpec.emptySpec())

    @cached_property
    def _no_columns(self) -> Any:
        return self._schema(StructType())


def _object(package: Any, name: str) -> Any:
    """An object of Scala's."""
    return getattr(getattr(package, f"{name}$"), "MODULE$")
