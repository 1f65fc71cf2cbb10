"""A Python data source for Spark 4: `spark.read.format("hudi_core").load(path)`, and streams of rows that change.

    hudi_spark.register(spark)
    spark.read.format("hudi_core").option("as_of", "2026-01-01").load(path)
    spark.readStream.format("hudi_core").option("since", "earliest").load(path)

Options are those of `Table.scan` (`where`, `as_of`, `since`, `until`, `read_optimized`, `meta`); those of a stream are `where`,
`since` and `meta`. Others are refused. Offsets of a stream are completion times of commits: a batch has the rows that changed
after one and up to the other, in their latest state. Writes are those of `sink`.

Filters of a query are Spark's own, and choose no files: Spark 4 keeps the filters that it gives to a source in Python for all
later queries on the same DataFrame or view, which then lack rows. Rule QUERY-1401.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
import pyspark.sql.datasource as datasource
from pyspark.sql.types import StructType

from hudi_core.changes.incremental import find_end
from hudi_core.errors import SchemaError, UsageError, list_names
from hudi_core.reading.remote import RemoteScan, SliceRead
from hudi_core.reading.tasks import tasks_of_size
from hudi_core.table.open import open_table
from hudi_core.table.scan import Scan
from hudi_core.table.table import Table
from hudi_spark.arrow_form import batch_form
from hudi_spark.front.sink import HudiStreamWriter, HudiWriter
from hudi_spark.structs import nullable_struct

NAME = "hudi_core"
EARLIEST = "earliest"
_OF_STREAMS: Final = ("where", "since", "meta")
_OPTIONS: Final = (*_OF_STREAMS, "as_of", "until", "read_optimized")
_FLAGS: Final = ("meta", "read_optimized")
_TRUTH: Final = {"true": True, "false": False}
_MIN_TASKS = 64
_TIME = "completed_until"


class HudiSource(datasource.DataSource):
    """The data source `hudi_core`."""

    @classmethod
    def name(cls) -> str:
        return NAME

    def schema(self) -> StructType:
        return nullable_struct(_table(self.options).scan(**read_options(self.options)).schema)

    def reader(self, schema: StructType) -> HudiReader:
        return HudiReader(dict(self.options), schema)

    def streamReader(self, schema: StructType) -> HudiStreamReader:  # noqa: N802  # Spark's name
        return HudiStreamReader(dict(self.options), schema)

    def writer(self, schema: StructType, overwrite: bool) -> HudiWriter:
        return HudiWriter(dict(self.options), schema, overwrite)

    def streamWriter(self, schema: StructType, overwrite: bool) -> HudiStreamWriter:  # noqa: N802  # Spark's name
        return HudiStreamWriter(dict(self.options), schema, overwrite)


@dataclass
class SourcePartition(datasource.InputPartition):
    """Slices that one task reads, and all it needs for it."""

    scan: RemoteScan
    parts: Sequence[SliceRead]


class HudiReader(datasource.DataSourceReader):
    """Rows of one query."""

    def __init__(self, options: Mapping[str, str], schema: StructType) -> None:
        self._options, self._schema = options, schema

    def partitions(self) -> Sequence[datasource.InputPartition]:
        return _partitions(_table(self._options), read_options(self._options), self._schema)

    def read(self, partition: datasource.InputPartition) -> Iterator[pa.RecordBatch]:
        return _rows(partition)


class HudiStreamReader(datasource.DataSourceStreamReader):
    """Rows that change, a range of completion times at a time."""

    def __init__(self, options: Mapping[str, str], schema: StructType) -> None:
        read_options(options, _OF_STREAMS)
        self._options, self._schema = options, schema

    def initialOffset(self) -> dict[str, str]:  # noqa: N802  # Spark's name
        return {_TIME: self._options.get("since", EARLIEST)}

    def latestOffset(self) -> dict[str, str]:  # noqa: N802  # Spark's name
        end = find_end(_table(self._options).timeline)
        return self.initialOffset() if end is None else {_TIME: end}

    def partitions(self, start: dict[str, str], end: dict[str, str]) -> Sequence[datasource.InputPartition]:
        if start == end:
            return []
        scan_options = {**read_options(self._options, _OF_STREAMS), "since": start[_TIME], "until": end[_TIME]}
        return _partitions(_table(self._options), scan_options, self._schema)

    def read(self, partition: datasource.InputPartition) -> Iterator[pa.RecordBatch]:
        return _rows(partition)


def _table(options: Mapping[str, str]) -> Table:
    path = options.get("path")
    if not path:
        raise UsageError("path", expected="the table's root folder, as in load(path)", found="none")
    return open_table(path)


def read_options(options: Mapping[str, str], known: Sequence[str] = _OPTIONS) -> dict[str, Any]:
    """The options of a read, as those of a scan. Raises `UsageError` for one that is not known, and for a flag that is neither
    true nor false."""
    given = {name.lower(): text for name, text in options.items() if name.lower() != "path"}
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise UsageError("options", expected=f"some of {', '.join(known)}", found=list_names(unknown))
    for name, text in given.items():
        if name in _FLAGS and text.lower() not in _TRUTH:
            raise UsageError(name, expected="true or false", found=text)
    return {name: _TRUTH[text.lower()] if name in _FLAGS else text for name, text in given.items()}


def _partitions(table: Table, options: Mapping[str, Any], schema: StructType) -> Sequence[SourcePartition]:
    scan = table.scan(**options, columns=schema.fieldNames())
    _refuse_other_types(schema, scan)
    remote = scan.remote_scan()
    return [SourcePartition(remote, task) for task in tasks_of_size(scan.parts(), _MIN_TASKS)]


def _refuse_other_types(schema: StructType, scan: Scan) -> None:
    """Raises `SchemaError` for a column of another type than Spark expects: one that became wider since the load, or one of a
    schema that was given to the load. Spark reads batches as what it expects, whatever they are. Rule QUERY-1621."""
    for expected, field in zip(schema.fields, nullable_struct(scan.schema).fields, strict=True):
        kind, found = expected.dataType.simpleString(), field.dataType.simpleString()
        if kind != found:
            raise SchemaError(field.name, expected=f"{kind}, as it was loaded", found=f"{found}: load the table again")


def _rows(partition: datasource.InputPartition) -> Iterator[pa.RecordBatch]:
    assert isinstance(partition, SourcePartition)
    record = partition.scan.wanted.record
    for batch in partition.scan.read(partition.parts):
        yield batch_form(batch, record)
