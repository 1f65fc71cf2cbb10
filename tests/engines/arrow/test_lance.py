"""Lance base files, where the library of Lance is installed: rows of public tables are in `tests/conformance/test_tables.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hudi_arrow.engine import ENGINE
from hudi_core.engine import FileInfo
from hudi_core.errors import CorruptFileError, UnsupportedError
from tests.support.memory import Memory

COUNT = 40_000
ROWS = pa.table(
    {"id": [f"k{n}" for n in range(COUNT)], "n": range(COUNT), "deep": [{"a": n, "b": "x"} for n in range(COUNT)]}
)


def test_without_the_library_the_error_names_what_to_install() -> None:
    """ENGINE-711."""
    if "lance" in ENGINE.formats:
        pytest.skip("the library of Lance is installed")
    with pytest.raises(UnsupportedError, match=r"hudi-core\[lance\]"):
        ENGINE.reader("lance")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    library: Any = pytest.importorskip("lance.file", reason="the library of Lance is not installed")
    with library.LanceFileWriter(str(tmp_path / "f.lance"), ROWS.schema) as writer:
        writer.write_batch(ROWS)
    return tmp_path / "f.lance"


@pytest.mark.parametrize("local", [True, False])
def test_rows_columns_and_flags(path: Path, local: bool) -> None:
    """ENGINE-711: also of a file that is not local."""
    storage: Any = ENGINE.storage(str(path.parent)) if local else Memory({"f.lance": path.read_bytes()})
    opened = ENGINE.reader("lance").open(storage, FileInfo("f.lance", path.stat().st_size))
    assert opened.footer.rows == len(ROWS)
    assert pa.Table.from_batches(opened.batches()).to_pylist() == ROWS.to_pylist()
    keep = np.arange(len(ROWS)) % 10_000 == 7
    part = pa.Table.from_batches(opened.batches([("deep", "a"), "id"], keep=keep)).to_pylist()
    assert part == [{"id": f"k{n}", "deep": {"a": n}} for n in range(7, 40_000, 10_000)]
    assert sum(batch.num_rows for batch in opened.batches([])) == len(ROWS)


def test_damage_is_named(path: Path) -> None:
    """ENGINE-711."""
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(CorruptFileError, match="a Lance file"):
        assert ENGINE.reader("lance").open(ENGINE.storage(str(path.parent)), FileInfo("f.lance", 1)).footer
