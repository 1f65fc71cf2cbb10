"""Python workers of Spark, which run one task after another."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final
from zipimport import zipimporter

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import BooleanType, StructField, StructType

BatchWork = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]
"""What `mapInArrow` takes."""


_ON_THE_WAY: Final = "row"


def map_rows(frame: DataFrame, work: BatchWork, fields: StructType) -> DataFrame:
    """`frame.mapInArrow`, whatever columns are called. PySpark 3.5 looks those of the frame up by name: it takes `a.b` for a
    field of `a`, and finds none of two whose names differ in case; rows with one name twice do not come back.
    Rule ENGINE-1505."""
    names, made = frame.columns, fields.names
    if _is_plain(names) and _is_plain(made):
        return frame.mapInArrow(in_worker(work), fields)

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in work(_rename(batch, names) for batch in batches):
            yield _rename(batch, _number_names(made))

    numbered = StructType(
        [
            StructField(name, field.dataType, field.nullable, field.metadata)
            for name, field in zip(_number_names(made), fields.fields, strict=True)
        ]
    )
    return frame.toDF(*_number_names(names)).mapInArrow(in_worker(run), numbered).toDF(*made)


def map_tasks(numbers: DataFrame, work: BatchWork, fields: StructType) -> DataFrame:
    """The rows that tasks give, by their numbers. PySpark 3.5 lets rows without columns go: they have one on their way.
    Rule ENGINE-1615."""
    if fields.fields:
        return numbers.mapInArrow(in_worker(work), fields)

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in work(batches):
            yield pa.RecordBatch.from_arrays([pa.nulls(batch.num_rows, pa.bool_())], names=[_ON_THE_WAY])

    held = StructType([StructField(_ON_THE_WAY, BooleanType())])
    return numbers.mapInArrow(in_worker(run), held).drop(_ON_THE_WAY)


def _is_plain(names: Sequence[str]) -> bool:
    return len({name.lower() for name in names}) == len(names) and all(name.isidentifier() for name in names)


def _number_names(names: Sequence[str]) -> list[str]:
    return [f"c{number}" for number in range(len(names))]


def _rename(batch: pa.RecordBatch, names: Sequence[str]) -> pa.RecordBatch:
    fields = [field.with_name(name) for field, name in zip(batch.schema, names, strict=True)]
    return pa.RecordBatch.from_arrays(batch.columns, schema=pa.schema(fields))


def in_worker(work: BatchWork) -> BatchWork:
    """The work of a task, after which the worker is ready for its next one sooner.

    PySpark lets importers look for new modules before each task. Those of zip archives, of which PySpark's is one, read the
    whole directory of the archive then, on Python 3.11 and 3.12 (cpython#103200). Importers that are not there have nothing to
    read, and an import that needs one makes it from a directory that was read before.
    """

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        try:
            yield from work(batches)
        finally:
            forget_archives()

    return run


def forget_archives() -> None:
    """Lets go of the importers of zip archives."""
    for path, importer in list(sys.path_importer_cache.items()):
        if isinstance(importer, zipimporter):
            del sys.path_importer_cache[path]
