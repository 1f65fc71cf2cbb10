"""Parquet files that are known as DataFrames: plans made of them directly, where the JVM can be reached.

`spark.read.load` looks up its data source, searches paths and infers partitions first. It also changes the case of options that
keep columns with ids from being looked for by id. Each call to a DataFrame analyses its plan and makes an encoder of its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol

from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from hudi_core.values.domain import LONG_RANGE
from hudi_spark.java import plans_of


class FileRelation(Protocol):
    """All rows of some files."""

    def column(self, position: int) -> Column:
        """A column of the files, to make a condition of."""

    def rows(self, condition: Column | None = None) -> DataFrame:
        """The rows, or those for which a condition on the columns of these files is true."""


Read = Callable[[Mapping[str, int]], FileRelation]
"""Files by URI, with their sizes in bytes."""

_AS_WRITTEN: Final = {
    "datetimeRebaseMode": "CORRECTED",  # files state their calendar: none is guessed
    "int96RebaseMode": "CORRECTED",
    "ignoreMissingFiles": "false",  # whatever the session's setting: no row is lost in silence
    "ignoreCorruptFiles": "false",
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
    return lambda files: LoadedFiles(reader.load(list(files)), struct)


_OTHER_CLASSES = frozenset(
    {
        "java.lang.ClassNotFoundException",
        "java.lang.IllegalAccessError",
        "java.lang.IllegalAccessException",
        "java.lang.IncompatibleClassChangeError",
        "java.lang.NoClassDefFoundError",
        "java.lang.NoSuchFieldError",
        "java.lang.NoSuchMethodError",
        "java.lang.NoSuchMethodException",
        "java.lang.reflect.InaccessibleObjectException",
        "org.codehaus.commons.compiler.CompileException",
        "org.codehaus.commons.compiler.InternalCompilerException",
        "py4j.security.Py4JSecurityException",
    }
)
"""What the JVM throws where classes are not those that plans are made of. Janino, which compiles against them, throws its own."""
_HIDDEN = ("does not exist", "Py4JSecurityException", "whitelisted")
"""Py4J's own errors for members that a class lacks, or that a platform blocks."""


@dataclass(frozen=True, slots=True)
class LoadedFiles:
    """Files that Spark loads in its own way."""

    frame: DataFrame
    struct: StructType

    def column(self, position: int) -> Column:
        return F.col(quote(self.struct.names[position]))

    def rows(self, condition: Column | None = None) -> DataFrame:
        return self.frame if condition is None else self.frame.where(condition)


def quote(name: str) -> str:
    """A column's name in Spark's expressions."""
    return "`" + name.replace("`", "``") + "`"


def relations_of(spark: SparkSession) -> Relations | None:
    """Relations of a session; None over Spark Connect, and where Spark hides its classes or has others: the rows of
    `own_reader` are the same. Any other failure of the JVM, or of the way to it, is raised as Py4J's error."""
    if not hasattr(spark, "_jsparkSession"):
        return None
    try:
        plans, has_conditions = plans_of(spark, {**_AS_WRITTEN, **_BY_NAME})
        return Relations(spark, plans, has_conditions)
    except TypeError:  # what is no class is taken for a package
        return None
    except Py4JError as error:
        if is_of_other_classes(error):
            return None
        raise


def is_of_other_classes(error: Py4JError) -> bool:
    """Whether a call to the JVM failed because Spark hides a class or a method, or has others."""
    if isinstance(error, Py4JNetworkError):
        return False
    if isinstance(error, Py4JJavaError):
        return str(error.java_exception.getClass().getName()) in _OTHER_CLASSES
    return any(phrase in str(error) for phrase in _HIDDEN)


@dataclass(frozen=True)
class RelationOfFiles:
    """Files that are a relation of their own."""

    relations: Relations
    relation: Any
    """A leaf of a logical plan."""
    struct: StructType
    encoder: Any
    """The encoder of rows with these columns."""

    def column(self, position: int) -> Column:
        if self.relations.has_conditions:
            return Column(self.relations.plans.column(self.relation, position))
        return F.col(quote(self.struct.names[position]))

    def rows(self, condition: Column | None = None) -> DataFrame:
        relations = self.relations
        made: list[Any] = [self.relation]
        if condition is not None and relations.has_conditions:
            made.append(condition._jc)
        rows = DataFrame(relations.plans.rows(*made, self.encoder, not relations.has_own_rules), relations.spark)
        return rows if condition is None or relations.has_conditions else rows.where(condition)


@dataclass(frozen=True)
class Relations:
    """What making relations needs of a session, kept: each piece of it is a call to the JVM."""

    spark: SparkSession
    plans: Any
    """What `hudi_spark.java.plans_of` gives."""
    has_conditions: bool
    """Columns are expressions of plans; else, from Spark 4 on, they are names and calls by name until plans are analyzed."""

    def reader(self, struct: StructType) -> Read:
        """Reads files as these columns, which are found by name and have the metadata given here. Nothing is listed: a file
        that is not there is an error of the task that reads it."""
        schema = self._session.parseDataType(struct.json())
        encoder = self._jvm.org.apache.spark.sql.catalyst.encoders.ExpressionEncoder.apply(schema)

        def read(files: Mapping[str, int]) -> FileRelation:
            listed = "\0".join(f"{uri}\0{size}" for uri, size in files.items())
            return RelationOfFiles(self, self.plans.relation(schema, listed), struct, encoder)

        return read

    def tasks(self, count: int, size: int | None) -> DataFrame:
        """The numbers of tasks, each in a partition of its own, which Spark takes for this many bytes, and with them what
        `mapInArrow` makes of them; None is the greatest size. Of a range of numbers it would take the rows for a few bytes, and
        bring all of them to the driver and to each executor of a join. Rule ENGINE-1614."""
        return DataFrame(self.plans.tasks(count, LONG_RANGE[1] if size is None else max(size, 1)), self.spark)

    @cached_property
    def has_own_rules(self) -> bool:
        """Whether extensions of the session have a word in the analysis of plans."""
        own = self._session.extensions()
        rules = (own.buildResolutionRules, own.buildPostHocResolutionRules, own.buildCheckRules)
        return any(build(self._session).size() for build in rules)

    @property
    def _session(self) -> Any:
        return self.spark._jsparkSession

    @property
    def _jvm(self) -> Any:
        return self.spark.sparkContext._jvm
