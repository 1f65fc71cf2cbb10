"""Tables that are compacted while others write to them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count, takewhile
from pathlib import Path
from time import monotonic

import pyarrow as pa
import pytest

from hudi_core.errors import ConflictError
from hudi_core.front.opening import create_table, open_table
from hudi_core.services.compaction.operations import compact, plan_only
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.writing.alter_schema import alter_schema
from hudi_core.writing.operations import write
from hudi_core.writing.plan import FileSizes
from hudi_core.writing.write_run import WriteOptions
from tests.core.services.compaction.test_operations import ALL, content, findings, made, rows
from tests.core.writing.test_writers_together import TYPES, Reported, expect

INTO_LOGS = FileSizes(small=0)


def meanwhile(action: Callable[[], object]) -> Callable[[int, int], None]:
    """Progress of a run that does something else once, when its files are written and its commit is not."""
    left = [action]

    def report(done: int, of: int) -> None:
        if left:
            left.pop()()

    return report


def into_logs(table: Table, progress: Callable[[int, int], None], attempts: int = 1) -> None:
    options = WriteOptions(sizes=INTO_LOGS, progress=progress, attempts=attempts)
    write(table, rows(("a", "x", 100, 9), ("d", "y", 400, 9)), options=options)


@pytest.mark.parametrize("version", [8, 9])
@pytest.mark.parametrize("is_planned", [False, True], ids=["planned meanwhile", "planned before"])
def test_a_write_completes_after_a_compaction_of_its_file_groups(
    tmp_path: Path, version: int, is_planned: bool
) -> None:
    """COMPACT-371."""
    table = made(tmp_path, version, [*ALL, "partition_stats"] if is_planned else ALL)
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


@pytest.mark.parametrize("version", [8, 9])
def test_a_compaction_completes_after_writes_to_its_file_groups(tmp_path: Path, version: int) -> None:
    """COMPACT-370."""
    table = made(tmp_path, version, [*ALL, "partition_stats"])
    beside = meanwhile(lambda: into_logs(refreshed(table), lambda *_: None))
    assert compact(table, CompactionOptions(progress=beside)).rows == 4
    after = content(tmp_path)
    assert [row["n"] for row in after] == [100, 20, 400, 5]
    assert findings(tmp_path) == []
    assert compact(refreshed(table)).rows == 4
    assert content(tmp_path) == after


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
