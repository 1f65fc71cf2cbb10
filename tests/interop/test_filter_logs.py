"""Log files of `bloom_filters` that tasks made of footers, several blocks each: Apache Hudi reads and continues them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.front.opening import create_table, open_table
from hudi_core.table.engines import load_engine
from hudi_core.transactions import filter_logs
from hudi_core.writing.spread.operations import spread_write
from tests.interop.test_clusterings import verified
from tests.interop.test_writes import TYPES, rows
from tests.support.local_flow import local_rows
from tests.support.spread_writes import cut

pytestmark = pytest.mark.interop


@pytest.mark.parametrize("version", [6, 9])
def test_hudi_reads_filters_in_several_blocks(
    tmp_path: Path, judge: Any, version: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """META-1170: the records of each block, and after an upsert that locates keys by them."""
    monkeypatch.setattr(filter_logs, "FILES_WITH_FILTERS", 1)
    monkeypatch.setattr(filter_logs, "_BYTES_OF_BLOCK", 1)
    path, engine, chance = tmp_path / "t", load_engine("arrow"), random.Random(version)
    create_table(
        path, TYPES, "id", partition_by="p", ordering="ts", version=version, indexes=["column_stats", "bloom_filters"]
    )
    # Six files among four file groups: some log file has the filters of two.
    parts = [rows([f"k{p}{number}" for number in range(9)], p, 1) for p in "uvwxyz"]
    spread_write(open_table(path), local_rows(engine, cut(chance, pa.concat_tables(parts))), "append")
    assert len(open_table(path).slices()) == 6
    expected = tmp_path / "rows.parquet"
    pq.write_table(open_table(path).scan(meta=False).to_arrow(), expected)
    verified(judge, path, expected, version, ours=True)
    options = {"hoodie.write.auto.upgrade": "false", "hoodie.write.table.version": str(version)}
    options |= {"hoodie.index.type": "BLOOM", "hoodie.bloom.index.use.metadata": "true"}
    went_on = judge.ask("continue", str(path), ops=["upsert", "delete"], rows=10, options=options)
    assert went_on["ok"], went_on
    assert open_table(path).scan().count() == went_on["ops"][-1]["rows"]
