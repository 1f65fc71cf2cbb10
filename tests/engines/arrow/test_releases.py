"""Ways round what older releases of pyarrow cannot do, taken on every release."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_arrow.engine import ENGINE
from hudi_arrow.files import parquet
from hudi_arrow.files.parquet import ParquetReader
from hudi_arrow.files.releases import has_lists_of_fixed_size
from hudi_arrow.incoming import input as given
from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.engine import FileInfo


@pytest.mark.parametrize("codec", ["zstd", "gzip"])
def test_lists_of_fixed_size_are_read_as_lists_of_any_size(
    tmp_path: Path, codec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FILE-8: also null ones, and in a file that is not read with its footer."""
    pairs = pa.array([[1, 2], None] * 300, pa.list_(pa.int64(), 2))
    wide = pa.array([b"ARROW:schema" + bytes([n % 256]) * 2_000 for n in range(600)])
    rows = pa.table({"f": pairs, "w": wide, "u": pa.array([1, None] * 300, pa.uint64())})
    assert has_lists_of_fixed_size(rows.schema) and not has_lists_of_fixed_size(rows.select(["w"]).schema)
    pq.write_table(rows, tmp_path / "x.parquet", compression=codec, use_dictionary=False)
    for module in (given, parquet):
        monkeypatch.setattr(module, "READS_NULL_LISTS_OF_FIXED_SIZE", False)
    read = ENGINE.rows.read(str(tmp_path / "x.parquet"))
    opened = ParquetReader().open(ArrowStorage(str(tmp_path)), FileInfo("x.parquet", 0))
    for batches in (list(read.batches), list(opened.batches())):
        taken = pa.Table.from_batches(batches)
        assert taken["f"].to_pylist() == rows["f"].to_pylist()
        assert taken["w"].to_pylist() == rows["w"].to_pylist()
