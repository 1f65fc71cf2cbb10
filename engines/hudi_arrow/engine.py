"""The Arrow engine in one bundle."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from hudi_arrow.arrays import Array
from hudi_arrow.orc import OrcReader
from hudi_arrow.parquet import ParquetReader
from hudi_arrow.parquet_write import ParquetWriter
from hudi_arrow.remote import opened_storage
from hudi_arrow.rows import ArrowRows
from hudi_arrow.values import ArrowValues
from hudi_core.engine import Engine, FileReader, FileWriter, Storage
from hudi_core.errors import UnsupportedError
from hudi_core.parallel.runners import ThreadRunner

_READERS: dict[str, FileReader[pa.RecordBatch]] = {".parquet": ParquetReader(), ".orc": OrcReader()}
_WRITERS: dict[str, FileWriter[pa.RecordBatch]] = {".parquet": ParquetWriter()}
_WITHOUT_ROWS = {"lance": "Lance", "hfile": "HFile"}
"""Formats of base files that are known and not read."""


class ArrowEngine:
    """`hudi_core.engine.Engine` in one process: record batches of Arrow arrays."""

    name = "arrow"
    values = ArrowValues()
    rows = ArrowRows()
    runner = ThreadRunner()

    def storage(self, uri: str, options: Mapping[str, str] | None = None) -> Storage:
        return opened_storage(uri, options or {})

    def reader(self, extension: str) -> FileReader[pa.RecordBatch]:
        reader = _READERS.get(extension if extension.startswith(".") else f".{extension}")
        if reader is not None:
            return reader
        name = extension.removeprefix(".")
        readable = " and ".join(sorted(known.removeprefix(".") for known in _READERS))
        if name in _WITHOUT_ROWS:
            raise UnsupportedError(
                f"{_WITHOUT_ROWS[name]} base files",
                message=f"rows need an engine that reads {_WITHOUT_ROWS[name]}; this one reads {readable} (all but rows works)",
            )
        raise UnsupportedError(f"{name} files", expected=readable, found=name)

    def writer(self, extension: str) -> FileWriter[pa.RecordBatch]:
        writer = _WRITERS.get(extension if extension.startswith(".") else f".{extension}")
        if writer is not None:
            return writer
        raise UnsupportedError(
            f"{extension.removeprefix('.')} files",
            expected=" or ".join(sorted(known.removeprefix(".") for known in _WRITERS)) + " to be written",
            found=extension.removeprefix("."),
        )


ENGINE: Engine[Array, Array, pa.RecordBatch] = ArrowEngine()
