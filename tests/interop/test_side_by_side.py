"""Files whose columns were encoded side by side: Apache Hudi reads them under all settings of its readers, and goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from hudi_core.front.opening import create_table
from hudi_core.table.open import refreshed
from tests.interop.test_writes import TYPES, ours, rows, verify_rows
from tests.support.column_parts import columns_encoded

pytestmark = pytest.mark.interop


@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 6)])
def test_hudi_reads_columns_that_were_encoded_side_by_side(tmp_path: Path, judge: Any, kind: str, version: int) -> None:
    """WRITE-1601."""
    path, expected = tmp_path / "t", tmp_path / "rows.parquet"
    indexes = ["column_stats", "bloom_filters"]
    with columns_encoded("side by side"):
        made = create_table(
            path, TYPES, "id", partition_by="p", ordering="ts", type=kind, version=version, indexes=indexes
        )
        table = ours(made)
        pq.write_table(table.scan(meta=False).to_arrow(), expected)
        verified = judge.ask("verify", str(path), expect=str(expected), pending="none", table_version=version, count=8)
        assert verified["ok"], judge.explain(verified)
        options = {"hoodie.write.auto.upgrade": "false", "hoodie.write.table.version": str(version)}
        went_on = judge.ask("continue", str(path), ops=["upsert", "delete"], rows=4, options=options)
        assert went_on["ok"], judge.explain(went_on)
        refreshed(table).upsert(rows(["k001", "k002"], "x", 9))
        verify_rows(judge, table, version)
