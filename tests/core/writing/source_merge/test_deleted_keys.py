"""New rows of a merge whose keys log files deleted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.front.opening import create_table

TYPES = pa.schema([("id", pa.string()), ("n", pa.int32()), ("ts", pa.int64())])


@pytest.mark.parametrize("indexes", [(), ("record_index",)])
@pytest.mark.parametrize("version", [6, 8, 9])
def test_a_late_row_is_stored_as_it_is(tmp_path: Path, version: Any, indexes: tuple[Any, ...]) -> None:
    """WRITE-613: and does not bring the deleted row back."""
    options: dict[str, Any] = {"indexes": indexes} if indexes else {}
    table = create_table(tmp_path / "t", TYPES, "id", ordering="ts", type="mor", version=version, **options)
    table.insert([{"id": "a", "n": 1, "ts": 5}, {"id": "b", "n": 1, "ts": 5}])
    table.refresh().delete(where="id = 'a'")
    table.refresh().merge([{"id": "a", "n": 2, "ts": 1}], on="id").when_not_matched_insert().execute()
    rows = sorted(table.refresh().to_arrow().to_pylist(), key=lambda row: str(row["id"]))
    assert rows == [{"id": "a", "n": 2, "ts": 1}, {"id": "b", "n": 1, "ts": 5}]
    assert list(table.refresh().validate()) == []
