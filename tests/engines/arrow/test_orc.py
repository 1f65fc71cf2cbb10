"""ORC base files: rows by stripe, schema refined by the Avro schema, nothing known of statistics."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import orc

from hudi_arrow.files.orc import OrcReader
from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.engine import FileInfo
from hudi_core.errors import CorruptFileError, UnknownColumnError
from hudi_core.types import nodes as t

READER = OrcReader()
TABLE = pa.table(
    {"a": list(range(10)), "s": [{"x": str(n)} if n % 2 else None for n in range(10)], "b": [b"\xff"] * 10}
)


@pytest.fixture
def file(tmp_path: Path) -> tuple[ArrowStorage, FileInfo]:
    orc.write_table(TABLE, str(tmp_path / "f.orc"))
    return ArrowStorage(str(tmp_path)), FileInfo("f.orc", 0)


def test_footer_and_rows(file: tuple[ArrowStorage, FileInfo]) -> None:
    footer = READER.open(*file).footer
    assert (footer.rows, dict(footer.statistics)) == (10, {})
    assert [field.type for field in footer.schema.fields][::2] == [t.Long(), t.Binary()]
    assert pa.Table.from_batches(READER.open(*file).batches()).to_pylist() == TABLE.to_pylist()


def test_columns_and_stripes_are_chosen(file: tuple[ArrowStorage, FileInfo]) -> None:
    chosen = pa.Table.from_batches(READER.open(*file).batches(["b", "a"]))
    assert chosen.to_pylist() == TABLE.select(["a", "b"]).to_pylist()
    assert [batch.num_rows for batch in READER.open(*file).batches([])] == [10]
    assert list(READER.open(*file).batches(None, [])) == []
    with pytest.raises(UnknownColumnError, match="zzz"):
        next(READER.open(*file).batches(["zzz"]))


def test_other_bytes_are_corrupt(tmp_path: Path) -> None:
    (tmp_path / "f.orc").write_bytes(b"not ORC" * 20)
    with pytest.raises(CorruptFileError, match="ORC"):
        _ = READER.open(ArrowStorage(str(tmp_path)), FileInfo("f.orc", 140)).footer
