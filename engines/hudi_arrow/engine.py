"""The Arrow engine in one bundle."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from hudi_arrow.arrays import Array
from hudi_arrow.orc import OrcReader
from hudi_arrow.parquet import ParquetReader
from hudi_arrow.rows import ArrowRows
from hudi_arrow.storage import ArrowStorage
from hudi_arrow.values import ArrowValues
from hudi_core.engine import Engine, FileReader, Storage
from hudi_core.errors import UnsupportedError

_READERS: dict[str, FileReader[pa.RecordBatch]] = {".parquet": ParquetReader(), ".orc": OrcReader()}


class ArrowEngine:
    """`hudi_core.engine.Engine` in one process: record batches of Arrow arrays."""

    name = "arrow"
    values = ArrowValues()
    rows = ArrowRows()

    def storage(self, uri: str, options: Mapping[str, str] | None = None) -> Storage:
        return ArrowStorage(uri, options)

    def reader(self, extension: str) -> FileReader[pa.RecordBatch]:
        found = _READERS.get(extension if extension.startswith(".") else f".{extension}")
        if found is not None:
            return found
        if extension.endswith("lance"):
            raise UnsupportedError(
                "Lance files", message="reading rows needs a Lance reader, which this engine has not"
            )
        raise UnsupportedError(f"{extension} files", expected=f"one of {', '.join(_READERS)}", found=extension)


ENGINE: Engine[Array, Array, pa.RecordBatch] = ArrowEngine()
