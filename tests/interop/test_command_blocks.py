"""Delete blocks and blocks that cancel others, of ours and of Apache Hudi's, read, log-compacted and compacted by the other.

COMPACT-374, ROLLBACK-575.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import hudi_core
from hudi_core.formats.log import BlockKind
from hudi_core.services.compaction.options import CompactionOptions
from tests.interop.test_writes import TYPES, rows
from tests.support.log_blocks import kinds_of_blocks
from tests.support.shared_logs import share_logs

pytestmark = pytest.mark.interop

LOGS = CompactionOptions(of_logs=True, min_log_blocks=2)
VERSIONS = [6, 8, 9]


def made(path: Path, version: int) -> hudi_core.Table:
    table = hudi_core.create(path, TYPES, "id", partition_by="p", ordering="ts", type="mor", version=version)
    table.append(rows([f"k{number:03d}" for number in range(12)], "x", 1))
    return table.refresh()


def users_rows(table: hudi_core.Table) -> list[dict[str, Any]]:
    return sorted(table.refresh().scan(meta=False).to_json_rows(), key=lambda row: str(row["id"]))


def verified(judge: Any, table: hudi_core.Table, version: int, folder: Path) -> None:
    """Apache Hudi reads the rows that we read, under each of its settings."""
    expected = folder / "rows.parquet"
    pq.write_table(table.refresh().scan(meta=False).to_arrow(), expected)
    answer = judge.ask(
        "verify", table.uri, expect=str(expected), pending="none", table_version=version,
        checks=["timeline", "rows", "metadata"],
    )  # fmt: skip
    assert answer["ok"], judge.explain(answer)


def went_on(judge: Any, table: hudi_core.Table, version: int, folder: Path, *ops: str) -> None:
    """Apache Hudi's operations, after which we read what it does."""
    options = {"hoodie.write.auto.upgrade": "false", "hoodie.write.table.version": str(version)}
    answer = judge.ask(
        "continue", table.uri, ops=list(ops), rows=5, options=options, out=str(folder), stop_at_error=True
    )
    assert answer["ok"], judge.explain(answer)
    stated = (folder / f"{len(ops) - 1:02d}_{ops[-1]}.jsonl").read_text("utf-8").splitlines()
    theirs = [
        {name: value for name, value in json.loads(line).items() if not name.startswith("_hoodie_")} for line in stated
    ]
    assert sorted(row["id"] for row in theirs) == sorted(row["id"] for row in users_rows(table))
    assert Counter(row["n"] for row in theirs) == Counter(row["n"] for row in users_rows(table))


@pytest.mark.parametrize("version", VERSIONS)
def test_delete_blocks_of_each_other(tmp_path: Path, judge: Any, version: int) -> None:
    table = made(tmp_path / "t", version)
    table.upsert(rows(["k003", "k005"], "x", 2))
    table.refresh().delete(where="id IN ('k005', 'k007')")
    assert BlockKind.DELETE in kinds_of_blocks(tmp_path / "t")
    verified(judge, table, version, tmp_path)
    went_on(judge, table, version, tmp_path / "a", "upsert", "delete")
    before = users_rows(table)
    assert table.refresh().compact(LOGS).state == "completed"
    assert users_rows(table) == before
    verified(judge, table, version, tmp_path)
    went_on(judge, table, version, tmp_path / "b", "delete", "logcompact")
    table.refresh().delete(where="id = 'k001'")
    before = users_rows(table)
    assert table.refresh().compact().state == "completed"
    assert users_rows(table) == before
    verified(judge, table, version, tmp_path)


def test_blocks_that_apache_hudi_cancels(tmp_path: Path, judge: Any) -> None:
    """Its rollback of a write of version 6 appends blocks that cancel those of the write."""
    table = made(tmp_path / "t", 6)
    table.upsert(rows(["k003", "k005"], "x", 2))
    before = users_rows(table)
    went_on(judge, table, 6, tmp_path / "a", "rollback")
    assert users_rows(table) == before
    went_on(judge, table, 6, tmp_path / "b", "upsert", "rollback", "delete")
    before = users_rows(table)
    table.refresh().compact(LOGS)
    assert users_rows(table) == before
    verified(judge, table, 6, tmp_path)
    went_on(judge, table, 6, tmp_path / "c", "upsert", "rollback")
    before = users_rows(table)
    assert table.refresh().compact().state == "completed"
    assert users_rows(table) == before
    verified(judge, table, 6, tmp_path)


@pytest.mark.parametrize("service", ["logcompact", "compact"])
def test_blocks_that_we_cancel(tmp_path: Path, judge: Any, service: str) -> None:
    table = made(tmp_path / "t", 6)
    for number in range(3):
        table.refresh().upsert(rows(["k003", "k005"], "x", 2 + number))
    assert share_logs(tmp_path / "t") == 2
    table = hudi_core.open(tmp_path / "t")
    table.rollback(table.refresh().timeline.commits[-1].requested_time)
    assert BlockKind.COMMAND in kinds_of_blocks(tmp_path / "t")
    verified(judge, table, 6, tmp_path)
    went_on(judge, table, 6, tmp_path / "a", "upsert", "delete", service)
    table.refresh().upsert(rows(["k003"], "x", 9))
    verified(judge, table, 6, tmp_path)
