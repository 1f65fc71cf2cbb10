"""Tables in which a write of another writer has begun base files: Apache Hudi reads what we wrote there, listing folders too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.commit.heartbeat import heartbeat_path
from hudi_core.front.opening import create_table
from tests.support.half_written import begin_base_files

pytestmark = pytest.mark.interop

ROWS = pa.table({"id": ["a", "b", "c", "d"], "p": ["x", "x", "y", "y"], "v": [1, 2, 3, 4], "ts": [1, 1, 1, 1]})

SEVERAL_WRITERS = {
    "hoodie.write.concurrency.mode": "optimistic_concurrency_control",
    "hoodie.clean.failed.writes.policy": "LAZY",
    "hoodie.write.lock.provider": "org.apache.hudi.client.transaction.lock.FileSystemBasedLockProvider",
}
"""A writer of Apache Hudi that counts on others rolls back only writes that nobody followed."""


@pytest.mark.parametrize("version", [8, 9])
@pytest.mark.parametrize("indexes", [None, ("column_stats",)])
@pytest.mark.parametrize("alive", [True, False])
def test_apache_hudi_reads_our_write_beside_one_that_has_begun(
    tmp_path: Path, judge: Any, version: int, indexes: tuple[str, ...] | None, alive: bool
) -> None:
    """WRITE-500."""
    path, expected = tmp_path / "t", tmp_path / "rows.parquet"
    table = create_table(
        path, ROWS.schema, "id", partition_by="p", ordering="ts", type="mor", version=version, indexes=indexes
    )
    table.insert(ROWS)
    time = begin_base_files(table.refresh(), alive=alive)
    table.upsert(pa.table({"id": ["a", "new"], "p": ["x", "x"], "v": [9, 5], "ts": [2, 2]}))
    table.delete(where="id = 'c'")
    rows = table.refresh().scan(meta=False).to_arrow()
    assert sorted(rows["id"].to_pylist()) == ["a", "b", "d", "new"]
    pq.write_table(rows, expected)
    verified = judge.ask("verify", str(path), expect=str(expected), table_version=version, checks=["rows"])
    assert verified["ok"], verified
    if alive:
        table.storage.delete(heartbeat_path(time))
    options = {"hoodie.write.auto.upgrade": "false", "hoodie.write.table.version": str(version), **SEVERAL_WRITERS}
    went_on = judge.ask("continue", str(path), ops=["upsert", "compact"], rows=4, options=options)
    assert went_on["ok"], str(went_on)
