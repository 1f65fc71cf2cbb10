"""Hudi tables as Spark DataFrames: `open`, and the scans of a table. Planning is the core's, on the driver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from hudi_core.front.opening import create_table
from hudi_core.planning.plan import ScanPlan
from hudi_core.schema.schema import Schema
from hudi_core.table.distributed import MAX_RECORDS, plan_in_shares
from hudi_core.table.open import open_table, refreshed
from hudi_core.table.scan import Scan
from hudi_core.table.table import Table
from hudi_core.tagging.tag import TagOptions
from hudi_core.timeline.slices import FileSlice
from hudi_core.timeline.timeline import Timeline
from hudi_core.timeline.times import Time
from hudi_spark.front.services import ServicesOnExecutors
from hudi_spark.front.tagging import DEFAULT, tag
from hudi_spark.front.writing import FrameWrites, read_given_schema
from hudi_spark.reading import frame_of, frame_of_changes
from hudi_spark.runner import SparkRunner
from hudi_spark.sessions import refuse_other_session
from hudi_spark.structs import nullable_struct


def open(  # noqa: A001  # `hudi_spark.open`
    spark: SparkSession, uri: str, *, records_on_driver: int = MAX_RECORDS, **options: Any
) -> SparkTable:
    """The Hudi table at a path or URL. `options` are the options of `hudi_core.table.open.open_table`; raises as it does.

    A plan that takes more than `records_on_driver` records of statistics, one for each file and column of a predicate, is
    made on executors. Raises `UsageError` for what is no session.
    """
    refuse_other_session(spark)
    return SparkTable(spark, open_table(uri, **options), records_on_driver)


def create(spark: SparkSession, uri: str, schema: Any, key: Any = (), **options: Any) -> SparkTable:
    """A new table without rows, at a local path or URL.

    `schema` is a DataFrame with rows such as it will have, a StructType, or what `hudi_core.create` takes for one; `options` are
    the arguments of that by name, and it raises as that does, and `UsageError` for what is no session.
    """
    refuse_other_session(spark)
    return SparkTable(spark, create_table(uri, read_given_schema(schema), key, **options))


@dataclass(frozen=True)
class SparkTable(FrameWrites, ServicesOnExecutors):
    """A table that was opened, with the names of `hudi_core.table.table.Table`; its scans give DataFrames, its writes take them.

    It shows what it showed when it was opened; `refresh` gives it with later commits.
    """

    spark: SparkSession
    table: Table
    records_on_driver: int = MAX_RECORDS

    @property
    def schema(self) -> Schema:
        """The latest schema, with column ids."""
        return self.table.schema

    @property
    def timeline(self) -> Timeline:
        """The instants of the table, as it was opened."""
        return self.table.timeline

    def history(self, as_of: Time | None = None) -> tuple[Schema, ...]:
        """Every schema the table's files were written under, oldest first."""
        return self.table.history(as_of)

    def slices(self, as_of: Time | None = None, **options: Any) -> Sequence[FileSlice]:
        """The latest slice of each live file group at an instant; `options` are the options of `Table.slices`."""
        return self.table.slices(as_of, **options)

    def refresh(self) -> SparkTable:
        """The table with the commits that were made since, its own too."""
        return replace(self, table=refreshed(self.table))

    def scan(self, *given: Any, **options: Any) -> SparkScan:
        """A read of the table; arguments are those of `Table.scan`, the predicate first. Raises as it does. Rule ENGINE-1622."""
        return SparkScan(self.spark, self.table.scan(*given, **options), self.records_on_driver)

    def changes(self, *given: Any, **options: Any) -> DataFrame:
        """Changes one by one, with the row before and after; arguments are those of `Table.changes`. Raises as it does."""
        return frame_of_changes(self.spark, self.table.changes(*given, **options))

    def tag(
        self,
        keys: DataFrame,
        options: TagOptions = DEFAULT,
        *,
        tasks: int | None = None,
        as_of: Time | None = None,
    ) -> DataFrame:
        """The rows with one more column `location`: the file that holds their record, null for none. See `tagging.tag`."""
        return tag(self.spark, self.table, keys, options, tasks=tasks, as_of=as_of)


@dataclass(frozen=True)
class SparkScan:
    """A read of a table, to be run by Spark. `unplanned` is the core's, `scan` the same with its plan."""

    spark: SparkSession
    unplanned: Scan
    records_on_driver: int = MAX_RECORDS

    @cached_property
    def scan(self) -> Scan:
        """The scan, planned: on executors where statistics are too many for the driver."""
        return plan_in_shares(self.unplanned, SparkRunner(self.spark), self.records_on_driver)

    @property
    def schema(self) -> Schema:
        """The schema of the rows."""
        return self.unplanned.schema

    @cached_property
    def spark_schema(self) -> StructType:
        """The schema of the DataFrame: column ids are in the metadata of its fields."""
        return nullable_struct(self.schema)

    @property
    def plan(self) -> ScanPlan:
        """Which file slices are read, and what decided."""
        return self.scan.plan

    def explain(self) -> str:
        """The plan in lines for people: also whether the driver made it."""
        return self.scan.explain()

    def to_spark(self) -> DataFrame:
        """The rows that match. Spark reads them when an action runs."""
        return frame_of(self.spark, self.scan)
