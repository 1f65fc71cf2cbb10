"""Writes of DataFrames: the operations of a table with the names, options, checks and results that they have on Arrow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from hudi_core.front.keywords import WriteKeywords, options_from
from hudi_core.front.merging import Merge
from hudi_core.front.writes import serve
from hudi_core.table.runners import on_runner
from hudi_core.table.scan import Scan
from hudi_core.table.table import Table
from hudi_core.writing.by_predicate import Assigned, Where, refuse_delete_of_both
from hudi_core.writing.operation import Operation, WriteOptions, operation_of
from hudi_core.writing.operations import delete_partitions
from hudi_core.writing.result import WriteResult
from hudi_core.writing.source_merge.clauses import Clause, On
from hudi_core.writing.spread.by_predicate import spread_delete_where, spread_update
from hudi_core.writing.spread.operations import spread_write
from hudi_core.writing.spread.source_merge import spread_merge, spread_overwrite_where
from hudi_spark.flow import ScanRows, SparkRows
from hudi_spark.runner import SparkRunner
from hudi_spark.structs import arrow_schema, frame_struct, refuse_other_frame, refuse_variants


class FrameWrites:
    """Writes of a table whose rows come as DataFrames of any origin. Rows and keys stay on executors.

    A DataFrame is read once: its rows are persisted in the form in which they are written, and let go of at the end. Options are
    an object, or its fields by name, as for a table on Arrow.
    """

    spark: SparkSession
    table: Table

    def write(
        self, frame: DataFrame, op: str = "upsert", options: WriteOptions | None = None, **named: Unpack[WriteKeywords]
    ) -> WriteResult:
        """Writes rows in one commit: as `hudi_core.writing.operations.write`, and raises as it does."""
        is_delete = operation_of(op) is Operation.DELETE
        rows = self._rows(frame) if is_delete else self._rows_to_store(frame)
        settings = _options(options, named)
        return self._serve(settings, lambda: spread_write(self.table, rows, op, settings))

    def append(
        self, frame: DataFrame, options: WriteOptions | None = None, **named: Unpack[WriteKeywords]
    ) -> WriteResult:
        """Adds rows in new files, in their order, without a look at what is there."""
        return self.write(frame, "append", options, **named)

    def insert(
        self, frame: DataFrame, options: WriteOptions | None = None, **named: Unpack[WriteKeywords]
    ) -> WriteResult:
        """Adds rows, to small files first."""
        return self.write(frame, "insert", options, **named)

    def bulk_insert(
        self, frame: DataFrame, options: WriteOptions | None = None, **named: Unpack[WriteKeywords]
    ) -> WriteResult:
        """Adds rows in new files, in the order of their keys within each partition."""
        return self.write(frame, "bulk_insert", options, **named)

    def upsert(
        self, frame: DataFrame, options: WriteOptions | None = None, **named: Unpack[WriteKeywords]
    ) -> WriteResult:
        """Merges rows with those that have their keys, and adds the others."""
        return self.write(frame, "upsert", options, **named)

    def overwrite(
        self,
        frame: DataFrame,
        options: WriteOptions | None = None,
        *,
        where: Where | None = None,
        **named: Unpack[WriteKeywords],
    ) -> WriteResult:
        """Puts rows in the place of all rows of the table, or of those that match a predicate, as `Table.overwrite`."""
        if where is None:
            return self.write(frame, "insert_overwrite_table", options, **named)
        rows, settings = self._rows_to_store(frame), _options(options, named)
        return self._serve(settings, lambda: spread_overwrite_where(self.table, rows, where, settings))

    def overwrite_partitions(
        self, frame: DataFrame, options: WriteOptions | None = None, **named: Unpack[WriteKeywords]
    ) -> WriteResult:
        """Puts rows in the place of all rows of their partitions."""
        return self.write(frame, "insert_overwrite", options, **named)

    def delete(
        self,
        frame: DataFrame | None = None,
        *,
        where: Where | None = None,
        options: WriteOptions | None = None,
        **named: Unpack[WriteKeywords],
    ) -> WriteResult:
        """Deletes the rows that match a predicate, or those that have the keys of a DataFrame: one of the two is given."""
        refuse_delete_of_both(frame, where)
        settings = _options(options, named)
        if where is not None:
            return self._serve(settings, lambda: spread_delete_where(self.table, where, self._rows_of, settings))
        return self.write(frame, "delete", settings)  # type: ignore[arg-type]  # not None, as was checked

    def update(
        self,
        assigned: Assigned,
        where: Where | None = None,
        options: WriteOptions | None = None,
        **named: Unpack[WriteKeywords],
    ) -> WriteResult:
        """Gives columns of the rows that match new values, Python's own or expressions made with `hudi_core.col`."""
        settings = _options(options, named)
        return self._serve(settings, lambda: spread_update(self.table, assigned, where, self._rows_of, settings))

    def merge(self, source: DataFrame, on: On) -> Merge:
        """Begins a merge of rows into the table by clauses, as `Table.merge`: `execute` of what is returned writes."""
        rows = self._rows_to_store(source)

        def merge(clauses: tuple[Clause, ...], options: WriteOptions) -> WriteResult:
            return self._serve(options, lambda: spread_merge(self.table, rows, on, clauses, options))

        return Merge(merge)

    def delete_partitions(
        self, partitions: Sequence[str], options: WriteOptions | None = None, **named: Unpack[WriteKeywords]
    ) -> WriteResult:
        """Takes all rows of partitions away, by the paths of these."""
        settings = _options(options, named)
        return self._serve(settings, lambda: delete_partitions(self._on_executors, partitions, settings))

    @property
    def _on_executors(self) -> Table:
        return on_runner(self.table, SparkRunner(self.spark))

    def _serve(self, options: WriteOptions, write: Callable[[], WriteResult]) -> WriteResult:
        """Writes, and runs on executors the services that properties ask for after it. Rule UPKEEP-467."""
        return serve(self._on_executors, options, write)

    def _rows_of(self, scan: Scan) -> ScanRows:
        return ScanRows(self.spark, scan)

    def _rows(self, frame: Any) -> SparkRows:
        refuse_other_frame(frame, "frame", "hudi_spark.stream_writer writes the batches of one")
        # A batch of a stream is of a session of its own, and the steps of a write follow the settings of their frame's.
        return SparkRows(frame.sparkSession, self.table.engine, frame)

    def _rows_to_store(self, frame: Any) -> SparkRows:
        """Rows of which more than the keys is written."""
        rows = self._rows(frame)
        refuse_variants(frame_struct(frame))
        return rows


def read_given_schema(schema: object) -> object:
    """The schema of a DataFrame or of a StructType as Arrow has it; another one as it is."""
    struct = frame_struct(schema) if hasattr(schema, "mapInArrow") else schema
    if not isinstance(struct, StructType):
        return schema
    refuse_variants(struct)
    return arrow_schema(struct)


def _options(options: WriteOptions | None, named: Mapping[str, Any]) -> WriteOptions:
    return options_from(WriteOptions, options, named) or WriteOptions()
