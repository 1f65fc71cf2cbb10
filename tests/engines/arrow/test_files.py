"""The readers of base files keep the contract."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_arrow.arrays import from_values, to_values
from hudi_arrow.files.parquet import ParquetReader
from hudi_arrow.rows import ArrowRows
from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.schema.schema import Schema
from tests.contract.files import FileReaderContract, Files


def _rows(batch: pa.RecordBatch, schema: Schema) -> list[Any]:
    batch.validate(full=True)
    return to_values(ArrowRows().root(batch), schema.record)


def _parquet(rows: Sequence[Any], schema: Schema, size: int) -> bytes:
    buffer = io.BytesIO()
    batch = pa.RecordBatch.from_struct_array(from_values(list(rows), schema.record))
    pq.write_table(pa.Table.from_batches([batch]), buffer, row_group_size=size, store_schema=False)
    return buffer.getvalue()


class TestParquet(FileReaderContract):
    @pytest.fixture(scope="module")
    @staticmethod
    def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
        root = tmp_path_factory.mktemp("parquet")
        return Files(ParquetReader(), ArrowStorage(str(root)), root, _parquet, _rows)
