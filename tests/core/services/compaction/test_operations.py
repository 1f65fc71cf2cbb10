"""Compactions from their plan to their commit.

Also covers: `services/compaction/run.py`, `services/compaction/tasks.py`, `services/compaction/planner.py`,
`services/compaction/result.py`, `services/compaction/refusals.py`, `services/compaction/partitions.py`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.commit.compaction_plans import read_plan
from hudi_core.commit.heartbeat import heartbeat_path
from hudi_core.errors import ConflictError, CorruptFileError, NoSuchFileError, UnsupportedError, UsageError
from hudi_core.front.opening import create_table, open_table
from hudi_core.services.compaction.operations import compact, plan_only, run_requested
from hudi_core.services.compaction.options import CompactionOptions, CompactionStrategy
from hudi_core.services.compaction.planner import plan_compaction
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.instants import Instant
from hudi_core.transactions.rollback import roll_back, roll_back_completed
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import delete_partitions, write
from hudi_core.writing.plan import FileSizes
from tests.support.crashes import later

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64()), ("ts", pa.int64())])
INTO_LOGS = WriteOptions(sizes=FileSizes(small=0))
"""New rows make new files, so all others go to log files."""
ALL = ["column_stats", "bloom_filters", "record_index"]
_TEMPLATES = TemporaryDirectory(prefix="hudi-core-tables-")

Row = tuple[str, str, int, int]


def rows(*values: Row) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(TYPES.names, row, strict=True)) for row in values], TYPES)


def made(path: Path, version: int = 9, indexes: list[str] | None = None, **options: Any) -> Table:
    """Two partitions; updates in each, one that loses by its ordering value, and a delete."""
    if options:
        return _filled(path, version, tuple(indexes or ()), options)
    copytree(_template(version, tuple(indexes or ())), path, dirs_exist_ok=True)
    return open_table(path)


@cache
def _template(version: int, indexes: tuple[str, ...]) -> Path:
    path = Path(_TEMPLATES.name) / "-".join([str(version), *indexes])
    _filled(path, version, indexes, {})
    return path


def _filled(path: Path, version: int, indexes: tuple[str, ...], options: dict[str, Any]) -> Table:
    table = create_table(
        path,
        TYPES,
        "id",
        partition_by="p",
        ordering="ts",
        type="mor",
        version=version,
        indexes=list(indexes),
        **options,
    )
    first = [("a", "x", 1, 1), ("b", "x", 2, 1), ("c", "x", 3, 1), ("d", "y", 4, 1), ("e", "y", 5, 5)]
    write(table, rows(*first))
    write(refreshed(table), rows(("b", "x", 20, 2), ("e", "y", 50, 2)), options=INTO_LOGS)
    write(refreshed(table), rows(("c", "x", 0, 0)).select(["id", "p"]), "delete")
    return refreshed(table)


def content(path: Path, mode: MetadataMode = MetadataMode.AUTO, as_of: str | None = None) -> list[dict[str, Any]]:
    """All rows by key, without the name of the file that they are in."""
    found = open_table(path, metadata=mode).scan(as_of=as_of).to_json_rows()
    return sorted(({**row, "_hoodie_file_name": None} for row in found), key=lambda row: str(row["id"]))


def findings(path: Path) -> list[str]:
    return [str(finding) for finding in open_table(path).validate()]


def files(path: Path) -> dict[str, bytes]:
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [6, 8, 9])
def test_rows_stay_as_they_are(tmp_path: Path, version: int) -> None:
    """COMPACT-364, COMPACT-365, COMPACT-367."""
    indexes = [*ALL, "partition_stats"] if version > 6 else ALL
    table = made(tmp_path, version, indexes)
    before, last = content(tmp_path), table.timeline.commits[-1]
    result = compact(table)
    assert (result.slices, result.log_files, result.rows) == (2, 3, 4)
    assert (result.updated, result.inserted, result.deleted) == (1, 0, 1)
    assert content(tmp_path, MetadataMode.REQUIRE) == content(tmp_path, MetadataMode.OFF) == before
    assert content(tmp_path, as_of=last.requested_time) == before
    assert findings(tmp_path) == []
    after = open_table(tmp_path)
    commit = after.timeline.commits[-1]
    assert (commit.completes_as, commit.requested_time) == ("commit", result.instant)
    assert {(one.instant, one.logs) for one in after.slices()} == {(result.instant, ())}
    assert [row["id"] for row in after.scan("p = 'x'").to_json_rows()] == ["a", "b"]
    since = last.completion_time or last.requested_time
    assert after.scan(since=since).count() == 0
    assert [row["id"] for row in after.scan("id = 'b'").to_json_rows()] == ["b"]
    write(after, rows(("b", "x", 21, 3), ("f", "y", 6, 1)), options=INTO_LOGS)
    assert compact(refreshed(table)).updated == 1
    assert findings(tmp_path) == []


def test_a_commit_records_what_was_merged(tmp_path: Path) -> None:
    """COMPACT-367."""
    table = made(tmp_path)
    operations = {one.group: one for one in plan_compaction(table, CompactionOptions()).operations}
    compact(table)
    after = refreshed(table)
    record = after.timeline.record(after.timeline.commits[-1])
    assert (record["operationType"], record["compacted"], list(record["extraMetadata"])) == (
        "COMPACT",
        True,
        ["schema"],
    )
    (stat,) = record["partitionToWriteStats"]["x"]
    operation = operations["x", stat["fileId"]]
    assert (stat["prevCommit"], stat["prevBaseFile"]) == (operation.instant, operation.base)
    assert (stat["numWrites"], stat["numUpdateWrites"], stat["numDeletes"], stat["numInserts"]) == (2, 1, 1, 0)
    assert (stat["totalLogRecords"], stat["totalLogFilesCompacted"], stat["totalLogBlocks"]) == (2, 2, 2)
    assert stat["totalLogSizeCompacted"] == operation.metrics["TOTAL_LOG_FILES_SIZE"]


def test_nothing_is_written_where_nothing_is_to_compact(tmp_path: Path) -> None:
    """COMPACT-363."""
    table = made(tmp_path)
    before = files(tmp_path)
    shown = compact(table, CompactionOptions(dry_run=True))
    assert (shown.state, shown.slices, len(shown.as_dict()["operations"])) == ("planned", 2, 2)
    assert compact(table, CompactionOptions(if_due=True)).state == "not due"
    assert plan_only(table, CompactionOptions(min_log_bytes=1 << 30)).state == "nothing to compact"
    assert files(tmp_path) == before
    compact(table)
    before = files(tmp_path)
    assert compact(refreshed(table)).as_dict()["state"] == "nothing to compact"
    assert files(tmp_path) == before


@pytest.mark.parametrize("version", [6, 9])
def test_a_plan_waits_and_is_run(tmp_path: Path, version: int) -> None:
    """COMPACT-350, COMPACT-356, COMPACT-368."""
    table = made(tmp_path, version)
    before = content(tmp_path)
    waiting = plan_only(table, CompactionOptions(target_io=0, strategies=(CompactionStrategy.UNBOUNDED,)))
    assert (waiting.state, waiting.slices, waiting.log_files) == ("requested", 2, 3)
    assert plan_only(refreshed(table)).state == "nothing to compact"
    assert content(tmp_path) == before
    shown = compact(refreshed(table), CompactionOptions(dry_run=True))
    assert (shown.instant, shown.operations) == (waiting.instant, waiting.operations)
    assert waiting.instant is not None
    result = run_requested(table, waiting.instant)
    assert (result.instant, result.rows) == (waiting.instant, 4)
    assert content(tmp_path) == before
    with pytest.raises(UsageError, match="not completed"):
        run_requested(table, waiting.instant)


def test_a_run_that_is_alive_is_left_alone(tmp_path: Path) -> None:
    """COMPACT-368."""
    table = made(tmp_path)
    before = content(tmp_path)
    waiting = plan_only(table)
    assert waiting.instant is not None
    inflight = tmp_path / f".hoodie/timeline/{waiting.instant}.compaction.inflight"
    inflight.touch()
    with pytest.raises(ConflictError, match="nobody runs"):
        run_requested(table, waiting.instant)
    assert compact(table).state == "nothing to compact"
    heartbeat = tmp_path / heartbeat_path(waiting.instant)
    heartbeat.parent.mkdir(exist_ok=True)
    heartbeat.touch()
    with pytest.raises(ConflictError, match="nobody runs"):
        run_requested(table, waiting.instant, CompactionOptions(takes_over=True))
    heartbeat.unlink()
    assert run_requested(table, waiting.instant, CompactionOptions(takes_over=True)).rows == 4
    assert content(tmp_path) == before
    assert [instant.action for instant in open_table(tmp_path).timeline.pending] == []


def test_a_dead_run_is_rolled_back_and_run_again(tmp_path: Path) -> None:
    """COMPACT-368."""
    table = made(tmp_path)
    before = content(tmp_path)
    waiting = plan_only(table)
    assert waiting.instant is not None
    (tmp_path / f".hoodie/timeline/{waiting.instant}.compaction.inflight").touch()
    heartbeat = tmp_path / heartbeat_path(waiting.instant)
    heartbeat.parent.mkdir(exist_ok=True)
    heartbeat.touch()
    result = compact(table, CompactionOptions(clock=later))
    assert (result.instant, result.state) == (waiting.instant, "completed")
    assert content(tmp_path) == before


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [6, 8, 9])
def test_writers_go_on_while_a_plan_waits(tmp_path: Path, version: int) -> None:
    """COMPACT-367, COMPACT-370, COMPACT-373: their log files belong to the slices after the compaction."""
    table = made(tmp_path, version, [*ALL, "partition_stats"] if version > 6 else ALL)
    waiting = plan_only(table)
    write(refreshed(table), rows(("a", "x", 99, 8)), options=INTO_LOGS)
    write(refreshed(table), rows(("a", "x", 100, 9)), options=INTO_LOGS)
    if version == 6:
        names = [log.name for one in refreshed(table).slices() for log in one.logs if str(waiting.instant) in log.name]
        assert [name.partition(".log.")[2][0] for name in names] == ["1", "2"]
    write(refreshed(table), rows(("d", "y", 0, 0)).select(["id", "p"]), "delete", options=INTO_LOGS)
    before = content(tmp_path)
    assert waiting.instant is not None
    result = run_requested(table, waiting.instant)
    assert (result.slices, result.rows) == (2, 4)
    assert content(tmp_path) == content(tmp_path, MetadataMode.OFF) == before
    assert findings(tmp_path) == []
    assert [row["n"] for row in refreshed(table).scan("n = 100").to_json_rows()] == [100]
    assert compact(refreshed(table)).log_files == 3
    assert content(tmp_path) == before
    assert findings(tmp_path) == []


def test_a_slice_without_rows_gets_an_empty_base_file(tmp_path: Path) -> None:
    """COMPACT-364."""
    table = made(tmp_path, indexes=[*ALL, "partition_stats"])
    write(table, rows(*(("abc"[n], "x", 0, 0) for n in range(3))).select(["id", "p"]), "delete", options=INTO_LOGS)
    assert compact(refreshed(table)).rows == 2
    assert [row["id"] for row in content(tmp_path)] == ["d", "e"]
    assert findings(tmp_path) == []


def test_replaced_file_groups_are_left_out(tmp_path: Path) -> None:
    """COMPACT-369."""
    table = made(tmp_path, indexes=ALL)
    waiting = plan_only(table)
    delete_partitions(refreshed(table), ["x"])
    before = content(tmp_path)
    assert waiting.instant is not None
    result = run_requested(table, waiting.instant)
    assert (result.slices, result.slices_dropped) == (1, 1)
    assert content(tmp_path) == before
    assert findings(tmp_path) == []


def test_partitions_are_looked_at_again_that_a_plan_left_out(tmp_path: Path) -> None:
    """COMPACT-360."""
    table = made(tmp_path)
    small = CompactionOptions(target_io=1)  # a slice without a base file would be as large
    sizes = {one.partition: one.metrics["TOTAL_LOG_FILES_SIZE"] for one in plan_compaction(table, small).operations}
    limit = int(max(sizes.values()))
    first = plan_only(table, CompactionOptions(min_log_bytes=limit))
    assert (first.slices, first.partitions_left_out) == (1, ("y",))
    second = plan_only(refreshed(table), CompactionOptions(min_log_bytes=limit))
    assert second.state == "nothing to compact"
    compact(refreshed(table))
    assert [one.partition for one in plan_compaction(refreshed(table), CompactionOptions()).operations] == ["y"]
    compact(refreshed(table))
    assert plan_compaction(refreshed(table), CompactionOptions()).operations == ()
    assert plan_compaction(refreshed(table), CompactionOptions(incremental=False)).left_out is None


def test_other_tables_are_refused(tmp_path: Path) -> None:
    """COMPACT-361."""
    create_table(tmp_path / "cow", TYPES, "id")
    with pytest.raises(UnsupportedError, match="merge-on-read"):
        compact(open_table(tmp_path / "cow"))
    table = made(tmp_path / "custom")
    properties = tmp_path / "custom/.hoodie/hoodie.properties"
    properties.write_text(properties.read_text() + "hoodie.table.format=other\n")
    before = files(tmp_path / "custom")
    with pytest.raises(UnsupportedError, match="native"):
        compact(table)
    assert files(tmp_path / "custom") == before


def test_no_plan_is_made_while_a_writer_of_version_6_writes(tmp_path: Path) -> None:
    """COMPACT-362."""
    table = made(tmp_path, 6)
    (tmp_path / ".hoodie/20260101000000000.deltacommit.requested").touch()
    heartbeat = tmp_path / heartbeat_path("20260101000000000")
    heartbeat.parent.mkdir(exist_ok=True)
    heartbeat.touch()
    with pytest.raises(ConflictError, match="under way"):
        compact(table)
    heartbeat.unlink()
    assert compact(refreshed(table)).rows == 4


@pytest.mark.parametrize("version", [6, 9])
def test_a_completed_compaction_is_rolled_back_with_its_plan(tmp_path: Path, version: int) -> None:
    """ROLLBACK-4."""
    table = made(tmp_path, version, ALL)
    before = content(tmp_path)
    result = compact(table)
    assert result.instant is not None
    roll_back_completed(refreshed(table), result.instant)
    assert list(open_table(tmp_path).timeline.pending) == []
    assert content(tmp_path) == before
    assert compact(refreshed(table)).rows == 4


def test_changes_are_logged(tmp_path: Path) -> None:
    """COMPACT-366."""
    table = made(tmp_path, options={"hoodie.table.cdc.enabled": "true"})
    before = content(tmp_path)
    last = table.timeline.commits[-1].completion_time
    compact(table)
    after = refreshed(table)
    stats = after.timeline.metadata(after.timeline.commits[-1]).stats
    assert all(len(stat.cdc_files) == 1 for of_partition in stats.values() for stat in of_partition)
    assert content(tmp_path) == before
    assert list(after.changes(since=last).to_json_rows()) == []
    assert findings(tmp_path) == []


def test_plans_without_content_or_of_other_versions_are_refused(tmp_path: Path) -> None:
    """COMPACT-352."""
    table = made(tmp_path)
    waiting = plan_only(table)
    assert waiting.instant is not None
    requested = tmp_path / f".hoodie/timeline/{waiting.instant}.compaction.requested"
    instant = next(one for one in refreshed(table).timeline.pending if isinstance(one, Instant))
    assert read_plan(refreshed(table).timeline, instant).operations == waiting.operations
    requested.write_bytes(b"")
    before = files(tmp_path)
    with pytest.raises(Exception, match="a plan of a compaction"):
        run_requested(table, waiting.instant)
    assert files(tmp_path) == before


@pytest.mark.parametrize("version", [6, 9])
@pytest.mark.parametrize("lost", ["file", "end"])
def test_a_damaged_log_file_is_not_compacted_away(tmp_path: Path, version: int, lost: str) -> None:
    """COMPACT-364: what a completed write wrote and is not there ends the run, and the plan stays."""
    table = made(tmp_path, version)
    waiting = plan_only(table)
    assert waiting.instant is not None
    log = tmp_path / waiting.operations[0].partition / waiting.operations[0].logs[0]
    if lost == "file":
        log.unlink()
    else:
        log.write_bytes(log.read_bytes()[:-20])
    for mode in (MetadataMode.AUTO, MetadataMode.OFF):
        with pytest.raises((CorruptFileError, NoSuchFileError)):
            run_requested(open_table(tmp_path, metadata=mode), waiting.instant)
    after = refreshed(table)
    assert [instant.requested_time for instant in after.timeline.pending] == [waiting.instant]
    assert not list(tmp_path.rglob(f"*_{waiting.instant}.parquet"))


def test_log_files_of_a_write_that_was_rolled_back_are_passed_over(tmp_path: Path) -> None:
    """COMPACT-364."""
    table = made(tmp_path)
    write(table, rows(("a", "x", 7, 9)), options=INTO_LOGS)
    waiting = plan_only(refreshed(table))
    assert (waiting.log_files, waiting.instant is not None) == (4, True)
    roll_back(refreshed(table), refreshed(table).timeline.commits[-1])  # as Apache Hudi does it, whatever is planned
    before = content(tmp_path)
    assert compact(refreshed(table)).log_files == 3
    assert content(tmp_path) == before
