"""Tables that are compacted while others write to them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count, takewhile
from pathlib import Path
from shutil import copytree
from time import monotonic

import pyarrow as pa
import pytest

from hudi_core.errors import ConflictError
from hudi_core.front.opening import create_table, open_table
from hudi_core.services.compaction.operations import compact, plan_only, run_requested
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.services.restoring.undoing import rollback
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.writing.alter_schema import alter_schema
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import delete_partitions, write
from hudi_core.writing.plan import FileSizes
from tests.core.services.compaction.test_operations import ALL, content, findings, made, rows
from tests.core.transactions.test_writers_together import TYPES, Reported, expect

INTO_LOGS = FileSizes(small=0)


def meanwhile(action: Callable[[], object]) -> Callable[[int, int], None]:
    """Progress of a run that does something else once, when its files are written and its commit is not."""
    left = [action]

    def report(done: int, of: int) -> None:
        if left:
            left.pop()()

    return report


def copy_of(table: Table, path: Path) -> Table:
    """The table as it was before the write that is under way."""
    copytree(Path(table.storage.uri), path)
    for pending in open_table(path).timeline.pending:
        for file in (path / ".hoodie").glob(f"{pending.requested_time}*"):
            file.unlink()
    return open_table(path)


def into_logs(table: Table, progress: Callable[[int, int], None], attempts: int = 1) -> None:
    options = WriteOptions(sizes=INTO_LOGS, progress=progress, attempts=attempts)
    write(table, rows(("a", "x", 100, 9), ("d", "y", 400, 9)), options=options)


def kept(version: int, *, with_partitions: bool = True) -> list[str]:
    """The indexes that a table of this version may have."""
    if version == 6:
        return ["column_stats", "bloom_filters", "record_index"]
    return [*ALL, "partition_stats"] if with_partitions else list(ALL)


@pytest.mark.each_value
@pytest.mark.parametrize(
    ("version", "is_planned"),
    [(6, True), *((version, is_planned) for version in (8, 9) for is_planned in (False, True))],
)
def test_a_write_completes_after_a_compaction_of_its_file_groups(
    tmp_path: Path, version: int, is_planned: bool
) -> None:
    """COMPACT-371, COMMIT-327."""
    table = made(tmp_path, version, kept(version, with_partitions=is_planned))
    if is_planned:
        plan_only(table)
    before = content(tmp_path)
    into_logs(refreshed(table), meanwhile(lambda: compact(refreshed(table))))
    after = content(tmp_path)
    assert [row["n"] for row in after] == [100, 20, 400, 5]
    assert [row for row in after if row["n"] < 100] == [row for row in before if row["id"] in "be"]
    assert findings(tmp_path) == []
    assert compact(refreshed(table)).log_files == 2
    assert content(tmp_path) == content(tmp_path, MetadataMode.OFF) == after
    assert findings(tmp_path) == []


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [6, 8, 9])
def test_a_compaction_completes_after_writes_to_its_file_groups(tmp_path: Path, version: int) -> None:
    """COMPACT-370, COMMIT-327."""
    table = made(tmp_path, version, kept(version))
    beside = meanwhile(lambda: into_logs(refreshed(table), lambda *_: None))
    assert compact(table, CompactionOptions(progress=beside)).rows == 4
    after = content(tmp_path)
    assert [row["n"] for row in after] == [100, 20, 400, 5]
    assert findings(tmp_path) == []
    assert compact(refreshed(table)).rows == 4
    assert content(tmp_path) == after


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [6, 9])
def test_a_compaction_does_not_undo_a_change_of_the_schema(tmp_path: Path, version: int) -> None:
    """COMPACT-370."""
    table = made(tmp_path, version)
    before = content(tmp_path)
    beside = meanwhile(lambda: alter_schema(refreshed(table), "ADD COLUMN city string"))
    with pytest.raises(ConflictError, match="schema"):
        compact(table, CompactionOptions(progress=beside))
    assert compact(refreshed(table)).rows == 4
    assert content(tmp_path) == [{**row, "city": None} for row in before]


def compactions(path: str, runs: int, seconds: float) -> Reported:
    """Compacts, until it has done so often or the time is over."""
    instants: list[str] = []
    begun = monotonic()
    for _ in takewhile(lambda number: number < runs and monotonic() - begun < seconds, count()):
        result = compact(open_table(path))
        if result.state == "completed" and result.instant is not None:
            instants.append(result.instant)
    return Reported(instants, {})


def changes(path: str, writer: int, runs: int) -> Reported:
    """Updates rows of its own in log files of file groups that all writers share."""
    instants: list[str] = []
    rows: dict[str, int] = {}
    for number in range(runs):
        key = f"{writer}-{number % 2}"
        batch = pa.Table.from_pylist([{"id": key, "p": "x", "n": number}], TYPES)
        try:
            result = open_table(path).upsert(batch, WriteOptions(attempts=8, sizes=INTO_LOGS))
        except ConflictError:
            continue  # is not reported, so nothing of it may be seen
        instants.append(result.instant)
        rows[key] = number
    return Reported(instants, rows)


def test_threads_that_write_and_compact_lose_and_repeat_no_commit(tmp_path: Path) -> None:
    """COMPACT-370, COMPACT-371."""
    path = str(tmp_path / "t")
    table = create_table(path, TYPES, "id", partition_by="p", type="mor", indexes=("column_stats", "record_index"))
    first = [{"id": key, "p": "x", "n": -1} for key in ("0-0", "0-1", "1-0", "1-1", "shared")]
    begun = write(table, pa.Table.from_pylist(first, TYPES))
    with ThreadPoolExecutor(2) as pool:
        running = pool.submit(compactions, path, 1 << 30, 8.0)
        written = changes(path, 0, 6)
        compacted = running.result()
    expect(path, [Reported([begun.instant or ""], {"1-0": -1, "1-1": -1}), written, compacted])
    assert len(compacted.instants) > 1
    assert [str(finding) for finding in open_table(path).validate()] == []


def test_log_files_of_version_6_belong_to_the_slice_that_is_planned(tmp_path: Path) -> None:
    """COMMIT-327: writers of Apache Hudi name them so, and read them with the base file that the compaction is going to make."""
    table = made(tmp_path, 6)
    plan_only(table)
    (pending,) = refreshed(table).timeline.pending
    for n in (7, 8):
        write(refreshed(table), rows(("a", "x", 10 * n, 9)), options=WriteOptions(sizes=INTO_LOGS))
    logs = sorted(path.name for path in (tmp_path / "x").glob(f".*_{pending.requested_time}.log.*"))
    assert [name.partition(".log.")[2].partition("_")[0] for name in logs] == ["1", "2"]
    latest = refreshed(table)
    (stat,) = [stat for stats in latest.timeline.metadata(latest.timeline.commits[-1]).stats.values() for stat in stats]
    assert (stat.previous, stat.base_file, list(stat.log_files)) == (pending.requested_time, "", logs)
    assert next(row["n"] for row in content(tmp_path) if row["id"] == "a") == 80
    compact(refreshed(table))
    assert next(row["n"] for row in content(tmp_path) if row["id"] == "a") == 80
    assert findings(tmp_path) == []


def test_a_write_of_version_6_does_not_complete_behind_a_compaction_that_it_did_not_know(
    tmp_path: Path,
) -> None:
    """COMMIT-327: its log file would have the time of the slice that is merged."""
    table = made(tmp_path, 6)

    def planned_by_another() -> None:
        path = tmp_path.with_name(f"{tmp_path.name}-planned")
        planned = copy_of(table, path)
        plan_only(planned)
        (requested,) = (path / ".hoodie").glob("*.compaction.requested")
        (tmp_path / ".hoodie" / requested.name).write_bytes(requested.read_bytes())

    before = content(tmp_path)
    with pytest.raises(ConflictError, match="file groups whose compaction was known"):
        into_logs(refreshed(table), meanwhile(planned_by_another))
    assert content(tmp_path) == before


@pytest.mark.each_value
@pytest.mark.parametrize("meanwhile_too", [False, True])
@pytest.mark.parametrize("replaces", ["insert_overwrite", "delete_partition"])
def test_in_version_6_a_compaction_has_the_slices_that_were_replaced_since(
    tmp_path: Path, replaces: str, meanwhile_too: bool
) -> None:
    """COMPACT-1486: a rollback brings them back whole, and an earlier time has them."""
    table = made(tmp_path, 6, kept(6))
    write(table, rows(("a", "x", 10, 5)), options=WriteOptions(sizes=INTO_LOGS))
    plan = plan_only(refreshed(table))
    write(refreshed(table), rows(("a", "x", 11, 6), ("b", "x", 12, 6)), options=WriteOptions(sizes=INTO_LOGS))
    before, last = content(tmp_path), refreshed(table).timeline.commits[-1].requested_time

    def replace_groups() -> None:
        if replaces == "insert_overwrite":
            write(refreshed(table), rows(("z", "x", 1, 1)), replaces)
        else:
            delete_partitions(refreshed(table), ["x"])

    if not meanwhile_too:
        replace_groups()
    options = CompactionOptions(progress=meanwhile(replace_groups)) if meanwhile_too else CompactionOptions()
    assert plan.instant is not None
    assert run_requested(refreshed(table), plan.instant, options).slices_dropped == 0
    others = [row for row in before if row["p"] == "y"]
    assert [row for row in content(tmp_path) if row["id"] != "z"] == others
    assert findings(tmp_path) == []
    then = {row["id"]: row["n"] for row in open_table(tmp_path).scan(as_of=last).to_json_rows()}
    assert then == {row["id"]: row["n"] for row in before}
    replaced = next(one for one in refreshed(table).timeline.instants if one.action == "replacecommit")
    rollback(refreshed(table), replaced.requested_time)
    assert content(tmp_path) == content(tmp_path, MetadataMode.OFF) == before
    assert findings(tmp_path) == []
    (in_x,) = (one for one in open_table(tmp_path).slices() if one.partition == "x")
    assert in_x.instant == plan.instant and in_x.base is not None and len(in_x.logs) == 1
