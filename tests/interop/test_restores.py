"""Savepoints and restores with a real Apache Hudi: it reads what ours leaves, goes on with it, and makes savepoints itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import hudi_core
from hudi_core.writing.plan import FileSizes
from tests.interop.test_writes import TYPES, rows

pytestmark = pytest.mark.interop

KINDS = [(kind, version) for kind in ("cow", "mor") for version in (9, 8, 6)]


def verified(judge: Any, path: Path, expected: Path, version: int) -> None:
    answer = judge.ask(
        "verify", str(path), expect=str(expected), pending="none", table_version=version, count=8,
        checks=["timeline", "rows", "metadata"],
    )  # fmt: skip
    errors = [finding for finding in answer.get("findings", ()) if finding["severity"] == "error"]
    assert answer["ok"], errors or answer


def others(table: hudi_core.Table) -> list[Any]:
    """What validation names, but for statistics: bounds that Apache Hudi records of its files lose rows with NaN."""
    return [
        finding for finding in table.refresh().validate() if finding.check not in ("column_stats", "partition_stats")
    ]


@pytest.mark.parametrize(("kind", "version"), KINDS)
def test_hudi_reads_a_restored_table_and_goes_on_with_it(tmp_path: Path, judge: Any, kind: str, version: int) -> None:
    """RESTORE-458, RESTORE-461."""
    path, expected = tmp_path / "t", tmp_path / "rows.parquet"
    table = hudi_core.create(
        path, TYPES, "id", partition_by="p", ordering="ts", type=kind, version=version,
        indexes=["column_stats", "bloom_filters", "record_index"],
    )  # fmt: skip
    table.append(rows([f"k{number:03d}" for number in range(40)], "x", 1))
    table.upsert(rows(["k003", "k020"], "x", 2))
    table = table.refresh()
    before = table.scan(meta=False).to_arrow()
    pq.write_table(before, expected)
    saved = table.savepoint(by="ours", comment="before").instant
    table.upsert(rows(["k003", "k030", "new"], "x", 3))
    if kind == "mor":
        table.compact()
    table.cluster(columns=["n"], sizes=FileSizes(20_000, 20_000))
    table.delete(where="id < 'k010'")
    table.overwrite_partitions(rows(["only"], "x", 4))
    table.restore(saved)
    assert table.refresh().scan(meta=False).to_arrow().num_rows == before.num_rows
    verified(judge, path, expected, version)
    table.drop_savepoint(saved)
    went_on = judge.ask("continue", str(path), ops=["upsert", "delete"], rows=5, table_version=version)
    assert went_on["ok"], went_on
    assert others(table) == []


@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 9), ("mor", 6)])
def test_hudi_goes_on_after_its_own_restore_of_our_table(tmp_path: Path, judge: Any, kind: str, version: int) -> None:
    """RESTORE-450."""
    path = tmp_path / "t"
    table = hudi_core.create(path, TYPES, "id", partition_by="p", ordering="ts", type=kind, version=version)
    table.append(rows([f"k{number:03d}" for number in range(40)], "x", 1))
    went_on = judge.ask("continue", str(path), ops=["savepoint_restore"], rows=5, table_version=version)
    assert went_on["ok"], went_on
    latest = table.refresh()
    saved = latest.savepoint()
    latest.upsert(rows(["k003"], "x", 9))
    latest.restore(saved.instant)
    assert others(table) == []
