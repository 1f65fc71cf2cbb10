"""The codec of new base files: the write's, else the table's, else zstd."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.creating.create import create_table
from hudi_core.data_files.file_properties import CODEC
from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.table.open import open_table, refreshed
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write

ROWS = pa.table({"id": ["a", "b"], "ts": [1, 2]})


def _codecs(root: Path) -> list[str]:
    """Of the base files, the oldest first."""
    files = sorted(root.glob("*.parquet"), key=lambda file: file.name.rpartition("_")[2])
    return [pq.read_metadata(file).row_group(0).column(0).compression for file in files]


def test_the_codec_of_a_write_comes_before_that_of_the_table(tmp_path: Path) -> None:
    """WRITE-640."""
    root = tmp_path / "t"
    table = create_table(str(root), ROWS, "id", ordering="ts")
    write(table, ROWS)
    properties = root / ".hoodie" / "hoodie.properties"
    properties.write_text(properties.read_text("utf-8") + f"{CODEC}=SNAPPY\n", "utf-8")
    table = open_table(str(root))
    write(table, ROWS)
    write(refreshed(table), ROWS, options=WriteOptions(properties={CODEC: "gzip"}))
    assert _codecs(root) == ["ZSTD", "SNAPPY", "GZIP"]
    assert refreshed(table).scan(meta=False).to_arrow().num_rows == 2


def test_a_codec_that_is_not_written_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    """WRITE-640."""
    root = tmp_path / "t"
    table = create_table(str(root), ROWS, "id", ordering="ts")
    properties = root / ".hoodie" / "hoodie.properties"
    properties.write_text(properties.read_text("utf-8") + f"{CODEC}=lzo\n", "utf-8")
    before = sorted(root.rglob("*"))
    with pytest.raises(UsageError, match="zstd, snappy, gzip, uncompressed"):
        write(table, ROWS, options=WriteOptions(properties={CODEC: "brotli"}))
    with pytest.raises(UnsupportedError, match="lzo"):
        write(open_table(str(root)), ROWS)
    assert sorted(root.rglob("*")) == before
