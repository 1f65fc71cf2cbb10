"""Savepoints and restores with a real Apache Hudi: it reads what ours leaves, goes on with it, and makes savepoints itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import hudi_core
from hudi_core.writing.plan import FileSizes
from tests.interop.test_writes import TYPES, rows
from tests.support.shared_logs import share_logs

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


@pytest.mark.parametrize(("kind", "version"), [("mor", 9), ("cow", 6)])
def test_hudi_builds_an_index_right_after_a_restore(tmp_path: Path, judge: Any, kind: str, version: int) -> None:
    """RESTORE-1041, FORMAT-1042: and goes on with the index that it built of our filters."""
    path = tmp_path / "t"
    indexes = ["column_stats", *(["partition_stats"] if version > 6 else [])]
    table = hudi_core.create(
        path, TYPES, "id", partition_by="p", ordering="ts", type=kind, version=version, indexes=indexes
    )
    table.append(rows([f"k{number:03d}" for number in range(40)], "x", 1))
    latest = table.refresh().timeline.commits[-1].requested_time
    table.upsert(rows(["k003"], "x", 9))
    table.refresh().restore(to=latest)
    went_on = judge.ask(
        "continue", str(path), ops=[{"op": "index_create", "kind": "bloom"}, "upsert"], table_version=version
    )
    assert went_on["ok"], judge.explain(went_on)
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


@pytest.mark.parametrize(("kind", "version"), KINDS)
def test_hudi_goes_on_after_one_write_was_undone_from_under_others(
    tmp_path: Path, judge: Any, kind: str, version: int
) -> None:
    """ROLLBACK-571, ROLLBACK-574."""
    path = tmp_path / "t"
    indexes = ["column_stats", "bloom_filters", "record_index", *(["partition_stats"] if version > 6 else [])]
    table = hudi_core.create(
        path, TYPES, "id", partition_by="p", ordering="ts", type=kind, version=version, indexes=indexes
    )
    table.append(rows([f"k{number}" for number in range(12)], "x", 1))
    table.refresh().upsert(rows(["k3", "k5"], "x", 2))
    undone = table.refresh().append(rows(["u1", "u2"], "x", 3)).instant
    table.refresh().append(rows(["n1"], "y", 4))
    table.refresh().upsert(rows(["k7"], "x", 5))
    table.refresh().rollback(undone)
    expected = tmp_path / "rows.parquet"
    pq.write_table(table.refresh().scan(meta=False).to_arrow(), expected)
    assert table.refresh().scan().count() == 13
    verified(judge, path, expected, version)
    went_on = judge.ask("continue", str(path), ops=["upsert", "delete"], rows=5, table_version=version)
    assert went_on["ok"], judge.explain(went_on)
    assert others(table) == []


def test_hudi_reads_a_slice_in_which_blocks_were_cancelled_and_goes_on(tmp_path: Path, judge: Any) -> None:
    """ROLLBACK-575."""
    path, expected = tmp_path / "t", tmp_path / "rows.parquet"
    table = hudi_core.create(path, TYPES, "id", partition_by="p", ordering="ts", type="mor", version=6)
    table.append(rows([f"k{number:03d}" for number in range(12)], "x", 1))
    for number in range(3):
        table.refresh().upsert(rows(["k003", "k005"], "x", 2 + number))
    assert share_logs(path) == 2
    table = hudi_core.open(path)
    (plan,) = table.rollback(table.refresh().timeline.commits[-1].requested_time)
    assert len(plan.shared) == 1
    pq.write_table(table.refresh().scan(meta=False).to_arrow(), expected)
    verified(judge, path, expected, 6)
    went_on = judge.ask("continue", str(path), ops=["upsert", "compact"], rows=5, table_version=6)
    assert went_on["ok"], judge.explain(went_on)
    assert others(table) == []
