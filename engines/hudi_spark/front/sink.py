"""Writes by the Python data source of Spark 4: `frame.write.format("hudi_core")`, and streams. Rules: WRITE-430, WRITE-615.

    frame.write.format("hudi_core").mode("append").option("op", "upsert").save(path)
    rows.writeStream.format("hudi_core").option("stream", "rides").option("checkpointLocation", folder).start(path)

Spark gives the rows of a partition to one task and what tasks report to one process, and moves no rows between tasks for a
source in Python. So tasks put their rows into files of the table's own folder, and that process writes them, as a table on Arrow
is written to: in one commit, which for a stream has the number of the batch. The methods of a table write on executors.
"""

from __future__ import annotations

import secrets
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
import pyspark.sql.datasource as datasource
from pyspark.sql.types import StructType

from hudi_core.commit.staged_rows import BEAT_SECONDS, beat, delete_abandoned_rows, new_folder
from hudi_core.engine import Storage
from hudi_core.errors import HudiError, StorageError, UnsupportedError, UsageError, list_names
from hudi_core.front.writes import serve
from hudi_core.table.open import open_table
from hudi_core.table.table import Table
from hudi_core.transactions.stream_batches import DEFAULT_STREAM, StreamBatch
from hudi_core.writing.operation import Operation, WriteOptions, latest_writable, operation_of
from hudi_core.writing.operations import write
from hudi_core.writing.result import WriteResult
from hudi_spark.arrow_form import take_types
from hudi_spark.front.queries import query_of_checkpoint
from hudi_spark.structs import arrow_schema, refuse_variants

_ROWS_OF_FILE: Final = 1 << 18
_OWN: Final = ("path", "op", "stream")
_OF_SPARK: Final = frozenset({"checkpointlocation", "queryname", "outputmode"})
_OVERWRITES: Final = (Operation.INSERT_OVERWRITE_TABLE, Operation.INSERT_OVERWRITE)


@dataclass(frozen=True)
class SinkOptions:
    """What options of a write by format mean."""

    path: str
    operation: Operation
    stream: str
    properties: Mapping[str, str]
    checkpoint: str | None = None
    """The folder by which a stream goes on."""


def sink_options(options: Mapping[str, str], *, overwrite: bool) -> SinkOptions:
    """The options of a write. Raises `UsageError` for a table, an operation or an option that is not known."""
    given = {name.lower(): text for name, text in options.items()}
    properties = {name: text for name, text in options.items() if name.lower().startswith("hoodie.")}
    unknown = sorted(set(given) - set(_OWN) - _OF_SPARK - {name.lower() for name in properties})
    if unknown:
        expected = f"some of {', '.join(_OWN[1:])} and properties hoodie.*"
        raise UsageError("options", expected=expected, found=list_names(unknown))
    if not given.get("path"):
        raise UsageError("path", expected="the table's root folder, as in save(path)", found="none")
    default = Operation.INSERT_OVERWRITE_TABLE if overwrite else Operation.UPSERT
    operation = operation_of(given.get("op", default))
    if overwrite != (operation in _OVERWRITES):
        mode = "overwrite" if overwrite else "append"
        raise UsageError("op", expected=f"an operation of mode {mode}", found=operation)
    stream, checkpoint = given.get("stream", DEFAULT_STREAM), given.get("checkpointlocation")
    return SinkOptions(given["path"], operation, stream, properties, checkpoint)


@dataclass
class StagedRows(datasource.WriterCommitMessage):
    """The files with the rows of one task, in order."""

    paths: tuple[str, ...]


class Staging:
    """Rows of tasks in files, until one process writes them. It can be pickled."""

    def __init__(self, options: Mapping[str, str], schema: StructType, overwrite: bool) -> None:
        self.options = sink_options(options, overwrite=overwrite)
        opened = open_table(self.options.path)
        latest = latest_writable(opened, self.options.operation, self.options.properties)
        self._storage: Storage = latest.storage
        refuse_variants(schema)
        self._schema = arrow_schema(schema)
        self._folder = new_folder()

    def stage(self, batches: Iterator[pa.RecordBatch]) -> StagedRows:
        """Puts the rows of a task into files of its own."""
        attempt, paths = secrets.token_hex(8), list[str]()
        pending: list[pa.RecordBatch] = []
        beaten = -BEAT_SECONDS
        for batch in batches:
            if time.monotonic() - beaten > BEAT_SECONDS:
                beat(self._storage, self._folder)
                beaten = time.monotonic()
            pending.append(batch)
            if sum(waiting.num_rows for waiting in pending) >= _ROWS_OF_FILE:
                paths.append(self._file(f"{attempt}-{len(paths)}", pending))
                pending = []
        if pending:
            paths.append(self._file(f"{attempt}-{len(paths)}", pending))
        return StagedRows(tuple(paths))

    def commit(self, messages: Sequence[Any], batch: int | None) -> WriteResult:
        """Writes the rows of all tasks in one commit, and deletes their files, and those of writes that are dead. Services follow
        where properties ask for them; one that fails is a warning. Rule UPKEEP-1623."""
        paths = _paths(messages)
        of_stream = None if batch is None else StreamBatch(batch, self.options.stream, self._query())
        settings = WriteOptions(batch=of_stream, properties=self.options.properties)
        table = open_table(self.options.path)
        reader = pa.RecordBatchReader.from_batches(self._schema, self._rows(table, paths))
        completed: list[WriteResult] = []

        def write_rows() -> WriteResult:
            try:
                completed.append(write(table, reader, self.options.operation, settings))
            finally:
                self._clean_up(messages)
            return completed[0]

        try:
            return serve(table, settings, write_rows)
        except HudiError as error:  # with an error Spark would take the write for one that failed
            if not completed:
                raise
            warnings.warn(f"the write is complete, but a service after it failed: {error}", stacklevel=2)
            return completed[0]

    def _clean_up(self, messages: Sequence[Any]) -> None:
        """Warns of what storage does not delete: with an error a write that is complete would be tried again. Rule WRITE-1534."""
        try:
            self.drop(messages)
            delete_abandoned_rows(self._storage)
        except StorageError as error:
            warnings.warn(f"rows of tasks stay until a later write or clean deletes them: {error}", stacklevel=2)

    def drop(self, messages: Sequence[Any]) -> None:
        """Deletes the files of all tasks. Spark may commit by another copy of the writer than the one that its tasks got."""
        for folder in sorted({self._folder, *(path.rpartition("/")[0] for path in _paths(messages))}):
            self._storage.delete_folder(folder)

    def _query(self) -> str | None:
        return None if self.options.checkpoint is None else query_of_checkpoint(self.options.checkpoint)

    def _file(self, name: str, batches: Sequence[pa.RecordBatch]) -> str:
        path = f"{self._folder}/{name}.arrow"
        rows = take_types(pa.Table.from_batches(batches), self._schema)
        with self._storage.output(path) as file, pa.ipc.new_file(file, self._schema) as writer:
            writer.write_table(rows)
        return path

    def _rows(self, table: Table, paths: Sequence[str]) -> Iterator[pa.RecordBatch]:
        for path in paths:
            yield from pa.ipc.open_file(table.storage.read(path)).read_all().to_batches()


def _paths(messages: Sequence[Any]) -> list[str]:
    """The files of all tasks that reported, in order."""
    return [path for message in messages if message is not None for path in message.paths]


class HudiWriter(datasource.DataSourceArrowWriter):
    """A write of one DataFrame."""

    def __init__(self, options: Mapping[str, str], schema: StructType, overwrite: bool) -> None:
        self.staging = Staging(options, schema, overwrite)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> StagedRows:
        return self.staging.stage(iterator)

    def commit(self, messages: list[Any]) -> None:
        self.staging.commit(messages, None)

    def abort(self, messages: list[Any]) -> None:
        self.staging.drop(messages)


_STREAM_WRITER: Any = getattr(datasource, "DataSourceStreamArrowWriter", datasource.DataSourceStreamWriter)
"""Before Spark 4.1 sources in Python got the rows of streams one by one alone."""


class HudiStreamWriter(_STREAM_WRITER):
    """A write of the batches of a stream: each is one commit, with the batch's number."""

    def __init__(self, options: Mapping[str, str], schema: StructType, overwrite: bool) -> None:
        if _STREAM_WRITER is datasource.DataSourceStreamWriter:
            expected = "Spark 4.1, or foreachBatch with hudi_spark.stream_writer"
            raise UnsupportedError("writeStream", expected=expected, found="Spark 4.0")
        self.staging = Staging(options, schema, overwrite)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> StagedRows:
        return self.staging.stage(iterator)

    def commit(self, messages: list[Any], batch: int) -> None:
        self.staging.commit(messages, batch)

    def abort(self, messages: list[Any], batch: int) -> None:
        self.staging.drop(messages)
