"""New rows of a merge whose keys log files deleted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.front.merging import Merge
from hudi_core.front.opening import create_table
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.result import WriteResult
from hudi_core.writing.source_merge.clauses import Clause
from hudi_core.writing.spread.source_merge import spread_merge
from tests.support.local_flow import local_rows

SIMPLE = {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "1"}
CONSISTENT = {**SIMPLE, "hoodie.index.bucket.engine": "CONSISTENT_HASHING"}
TYPES = pa.schema([("id", pa.string()), ("n", pa.int32()), ("ts", pa.int64())])


@pytest.mark.each_value
@pytest.mark.parametrize("in_parts", [False, True], ids=["whole", "parts"])
@pytest.mark.parametrize(
    "options",
    [{}, {"indexes": ("record_index",)}, {"options": SIMPLE}, {"options": CONSISTENT}],
    ids=["files", "record_index", "simple", "consistent"],
)
@pytest.mark.parametrize("version", [6, 8, 9])
def test_a_late_row_is_stored_as_it_is(tmp_path: Path, version: Any, options: dict[str, Any], in_parts: bool) -> None:
    """WRITE-613: and does not bring the deleted row back."""
    table = create_table(tmp_path / "t", TYPES, "id", ordering="ts", type="mor", version=version, **options)
    table.insert([{"id": "a", "n": 1, "ts": 5}, {"id": "b", "n": 1, "ts": 5}])
    table.refresh().delete(where="id = 'a'")
    source = pa.Table.from_pylist([{"id": "a", "n": 2, "ts": 1}, {"id": "c", "n": 2, "ts": 1}], TYPES)

    def merge_in_parts(clauses: Sequence[Clause], settings: WriteOptions | None) -> WriteResult:
        parts = local_rows(table.engine, [source.slice(0, 1), source.slice(1)])
        return spread_merge(table.refresh(), parts, "id", clauses, settings)

    merge = Merge(merge_in_parts) if in_parts else table.refresh().merge(source, on="id")
    merge.when_not_matched_insert().execute()
    rows = sorted(table.refresh().to_arrow().to_pylist(), key=lambda row: str(row["id"]))
    assert rows == [{"id": "a", "n": 2, "ts": 1}, {"id": "b", "n": 1, "ts": 5}, {"id": "c", "n": 2, "ts": 1}]
    assert list(table.refresh().validate()) == []
