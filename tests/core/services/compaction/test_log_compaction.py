"""Log compactions from their plan to their commit.

Also covers: `services/compaction/log_run.py`, `services/compaction/log_tasks.py`, `reading/latest_records.py`.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from hudi_core.data_files.file_properties import BLOCK_SIZE
from hudi_core.errors import ConflictError, UnsupportedError
from hudi_core.formats.log import HeaderKey, LogBlock, read_blocks
from hudi_core.front.opening import create_table, open_table
from hudi_core.services.compaction.operations import compact, plan_only, run_requested
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.writing.by_predicate import update
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from hudi_core.writing.plan import FileSizes
from tests.core.services.compaction.test_operations import ALL, INTO_LOGS, TYPES, content, files, findings, made, rows
from tests.support.spilling import spilled

LOGS = CompactionOptions(of_logs=True, min_log_blocks=2)


def changed(path: Path, version: int, indexes: list[str] | None = None) -> Table:
    """Each key of partition x is changed again; one comes back behind its delete, one is deleted."""
    table = made(path, version, indexes)
    write(table, rows(("a", "x", 10, 5), ("c", "x", 30, 2)), options=INTO_LOGS)
    write(refreshed(table), rows(("a", "x", 11, 4), ("b", "x", 0, 0)), options=INTO_LOGS)
    write(refreshed(table), rows(("b", "x", 0, 0)).select(["id", "p"]), "delete")
    return refreshed(table)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [6, 8, 9])
def test_rows_stay_as_they_are(tmp_path: Path, version: int) -> None:
    """COMPACT-374, COMPACT-375, COMPACT-377."""
    table = changed(tmp_path, version, [*ALL, "partition_stats"] if version > 6 else ALL)
    before, last = content(tmp_path), table.timeline.commits[-1]
    (file_slice,) = [one for one in table.slices() if one.partition == "x"]
    result = compact(table, LOGS)
    assert (result.kind, result.state, result.slices, result.log_files) == ("log compaction", "completed", 1, 5)
    assert content(tmp_path) == content(tmp_path, MetadataMode.OFF) == before
    assert content(tmp_path, as_of=last.requested_time) == before
    assert findings(tmp_path) == []
    after = open_table(tmp_path)
    commit = after.timeline.commits[-1]
    metadata = after.timeline.metadata(commit)
    assert (commit.completes_as, metadata.operation) == ("deltacommit", "LOG_COMPACT")
    (now,) = [one for one in after.slices() if one.partition == "x"]
    assert (now.base, now.logs[:-1]) == (file_slice.base, file_slice.logs)
    blocks = list(read_blocks(after.storage.open(now.logs[-1].path)))
    times = blocks[0].require(HeaderKey.COMPACTED_BLOCK_TIMES).split(",")
    assert times == [one.requested_time for one in table.timeline.commits[1:]]
    assert all(block.header[HeaderKey.COMPACTED_BLOCK_TIMES] == ",".join(times) for block in blocks)
    since = last.completion_time or last.requested_time
    assert after.scan(since=since).count() == 0
    write(after, rows(("a", "x", 12, 9), ("c", "x", 31, 9)), options=INTO_LOGS)
    rows_then = content(tmp_path)
    assert compact(open_table(tmp_path), LOGS).log_files == 7
    assert content(tmp_path) == content(tmp_path, MetadataMode.OFF) == rows_then
    assert compact(open_table(tmp_path)).rows == 4
    assert content(tmp_path) == rows_then
    assert findings(tmp_path) == []


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [6, 8, 9])
def test_records_in_files_give_the_same_log_file(tmp_path: Path, version: int) -> None:
    """COMPACT-1020, WRITE-1020: but for its blocks, which are small ones."""
    logs: dict[str, list[LogBlock]] = {}
    for name in ("memory", "files"):
        table = changed(tmp_path / name, version, ALL)
        before = content(tmp_path / name)
        if name == "files":
            properties = tmp_path / name / ".hoodie" / "hoodie.properties"
            properties.write_text(f"{properties.read_text('utf-8')}{BLOCK_SIZE}=1\n", "utf-8")
            table = open_table(tmp_path / name)
        with spilled(folder=tmp_path) if name == "files" else nullcontext():
            assert compact(refreshed(table), LOGS).state == "completed"
        assert content(tmp_path / name) == content(tmp_path / name, MetadataMode.OFF) == before
        assert findings(tmp_path / name) == []
        after = open_table(tmp_path / name)
        (now,) = [one for one in after.slices() if one.partition == "x"]
        logs[name] = list(read_blocks(after.storage.open(now.logs[-1].path)))
    assert [block.kind.name for block in logs["memory"]] == ["AVRO_DATA", "DELETE"]
    assert [block.kind.name for block in logs["files"]] == ["AVRO_DATA", "AVRO_DATA", "DELETE"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["files", "memory"]


def test_short_slices_are_left_alone(tmp_path: Path) -> None:
    """COMPACT-377."""
    table = changed(tmp_path, 9)
    before = files(tmp_path)
    assert compact(table, CompactionOptions(of_logs=True, min_log_blocks=6)).state == "nothing to compact"
    assert compact(table, CompactionOptions(of_logs=True, if_due=True, min_log_blocks=7)).state == "not due"
    assert files(tmp_path) == before
    assert plan_only(table, CompactionOptions(of_logs=True, min_log_blocks=0)).slices == 1


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [6, 9])
def test_a_plan_that_a_compaction_overtook_is_given_up(tmp_path: Path, version: int) -> None:
    """COMPACT-378."""
    table = changed(tmp_path, version)
    before = content(tmp_path)
    waiting = plan_only(table, LOGS)
    assert compact(refreshed(table)).rows == 4
    assert waiting.instant is not None
    assert run_requested(table, waiting.instant, LOGS).state == "given up"
    assert list(open_table(tmp_path).timeline.pending) == []
    assert content(tmp_path) == before


def test_a_compaction_that_comes_meanwhile_ends_the_run(tmp_path: Path) -> None:
    """COMPACT-378."""
    table = changed(tmp_path, 9)
    before = content(tmp_path)
    left = [True]

    def beside(_done: int, _of: int) -> None:
        if left.pop():
            compact(refreshed(table))

    with pytest.raises(ConflictError, match="no compaction since"):
        compact(table, CompactionOptions(of_logs=True, min_log_blocks=2, progress=beside))
    assert content(tmp_path) == before
    assert compact(refreshed(table), LOGS).state == "given up"
    assert findings(tmp_path) == []


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [6, 8, 9])
def test_writers_go_on_meanwhile(tmp_path: Path, version: int) -> None:
    """COMPACT-371, COMPACT-375, COMPACT-1485: before version 8 the log file of either has the name behind that of the other."""
    table = changed(tmp_path, version, ALL)
    left = [True]

    def beside(_done: int, _of: int) -> None:
        if left and left.pop():
            once = replace(INTO_LOGS, attempts=1)
            for n in (98, 99):
                write(refreshed(table), rows(("a", "x", n, n)), options=once)

    assert compact(table, CompactionOptions(of_logs=True, min_log_blocks=2, progress=beside)).state == "completed"
    assert content(tmp_path)[0]["n"] == 99
    progress = WriteOptions(sizes=FileSizes(small=0), attempts=1, progress=lambda *_: compact(refreshed(table), LOGS))
    write(refreshed(table), rows(("a", "x", 100, 100)), options=progress)
    assert content(tmp_path)[0]["n"] == 100
    assert content(tmp_path) == content(tmp_path, MetadataMode.OFF)
    assert findings(tmp_path) == []


def test_partial_updates_are_not_merged(tmp_path: Path) -> None:
    """COMPACT-376."""
    table = create_table(tmp_path / "t", TYPES, "id", type="mor")
    for ordering in range(3):
        write(refreshed(table), rows(("a", "x", 1, ordering), ("b", "x", 2, ordering)), options=INTO_LOGS)
    partial = WriteOptions(sizes=FileSizes(small=0), partial_updates=True)
    update(refreshed(table), {"n": 5}, "id = 'a'", partial)
    before = content(tmp_path / "t")
    assert compact(refreshed(table), LOGS).state == "nothing to compact"
    assert compact(refreshed(table)).rows == 2
    assert content(tmp_path / "t") == before
    other = made(tmp_path / "u", options={"hoodie.table.partial.update.mode": "IGNORE_DEFAULTS"})
    with pytest.raises(UnsupportedError, match="as a whole"):
        compact(other, LOGS)
