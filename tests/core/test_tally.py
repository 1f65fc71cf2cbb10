"""What work has done so far."""

from __future__ import annotations

import threading
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import hudi_core
from hudi_core import build_indexes
from hudi_core import tally as tallies
from hudi_core.cluster.options import ClusterOptions
from hudi_core.errors import UsageError
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.tally import COMMITTING, LOOKING_UP, READING, WRITING, Tally
from hudi_core.writing.operation import WriteOptions


class Watched(Tally):
    """A tally that keeps how each stage ended."""

    def __init__(self) -> None:
        super().__init__()
        self.stages: list[tuple[str, int, int | None, int, int, int]] = []

    def enter(self, stage: str, total: int | None = None, all_rows: int | None = None) -> None:
        self.stages.append(self.state())
        super().enter(stage, total, all_rows)

    def state(self) -> tuple[str, int, int | None, int, int, int]:
        return self.stage, self.done, self.total, self.rows_read, self.rows_written, self.bytes_written


def cities(first: int, last: int, value: int = 0) -> list[dict[str, object]]:
    return [{"id": str(n), "n": n + value, "city": f"c{n % 3}"} for n in range(first, last)]


def make(folder: Path, type: str = "cow") -> hudi_core.Table:
    return hudi_core.create(str(folder / "t"), cities(0, 1), key="id", partition_by="city", ordering="n", type=type)  # type: ignore[arg-type]


def test_a_write_tells_rows_files_and_bytes_stage_by_stage(tmp_path: Path) -> None:
    """CLI-1085."""
    watched = Watched()
    made = make(tmp_path).upsert(cities(0, 90), WriteOptions(tally=watched))
    stages = {stage[0]: stage for stage in [*watched.stages, watched.state()]}
    assert list(stages) == ["", READING, LOOKING_UP, WRITING, COMMITTING]
    assert stages[READING][3] == 90
    assert stages[WRITING] == (WRITING, 3, 3, 0, 90, made.bytes)


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_updates_compactions_and_clusterings_tell_what_they_write(tmp_path: Path, kind: str) -> None:
    """CLI-1085: rows of log files and of files that are written again, each once."""
    table = make(tmp_path, kind)
    table.upsert(cities(0, 90))
    watched = Watched()
    made = table.refresh().upsert(cities(0, 30, 5), WriteOptions(tally=watched))
    writing = next(stage for stage in watched.stages if stage[0] == WRITING)
    assert writing == (WRITING, 3, 3, 0, 90 if kind == "cow" else 30, made.bytes)
    if kind == "mor":
        watched = Watched()
        compacted = table.refresh().compact(CompactionOptions(tally=watched))
        assert watched.stages[-1] == (WRITING, 3, 3, 0, 90, compacted.bytes_out)
    table.refresh().append(cities(100, 130))
    watched = Watched()
    clustered = table.refresh().cluster(ClusterOptions(columns=("n",), tally=watched))
    assert watched.stages[-1] == (WRITING, 3, clustered.files_out, 120, 120, clustered.bytes_out)


def test_a_scan_tells_its_parts_and_rows(tmp_path: Path) -> None:
    """CLI-1085."""
    table = make(tmp_path)
    table.upsert(cities(0, 90))
    scan = table.refresh().scan()
    scan.tally = Tally()
    assert scan.to_arrow().num_rows == 90
    tally = scan.tally
    assert (tally.stage, tally.done, tally.total, tally.rows_read, tally.all_rows) == (READING, 3, 3, 90, 90)
    scan = table.refresh().scan("n > 44")
    scan.tally = Tally()
    assert scan.count() == 45
    assert (scan.tally.done, scan.tally.rows_read, scan.tally.all_rows) == (3, 45, None)


def test_the_time_that_is_left_follows_rows_before_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """CLI-1085."""
    seconds = count(0, 10)
    monkeypatch.setattr(tallies, "monotonic", lambda: next(seconds))
    tally = Tally()
    tally.enter(WRITING, total=4, all_rows=100)
    assert tally.seconds_left() is None
    tally.add(written=20)
    assert tally.seconds_left() == 40.0
    tally.enter(WRITING, total=4)
    tally.add(done=1, written=20)
    assert tally.seconds_left() == 30.0


def test_threads_add_without_a_loss() -> None:
    """CLI-1085."""
    tally = Tally()
    workers = [threading.Thread(target=lambda: [tally.add(written=1) for _ in range(2_000)]) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert tally.rows_written == 8_000


def test_an_index_build_tells_its_files(tmp_path: Path) -> None:
    """CLI-1085."""
    table = make(tmp_path)
    table.upsert(cities(0, 90))
    watched = Watched()
    build_indexes(table.refresh(), ["record_index"], tally=watched)
    stage, done, total, _, rows, size = watched.state()
    assert (stage, done == total, rows) == (WRITING, True, 90)
    assert size > 0


def test_what_is_no_tally_is_refused(tmp_path: Path) -> None:
    """CLI-1085."""
    wrong: Any = 3
    for make_options in (WriteOptions, CompactionOptions, ClusterOptions):
        with pytest.raises(UsageError, match=r"^tally: expected a hudi_core\.Tally, found 3"):
            make_options(tally=wrong)
    table = make(tmp_path)
    with pytest.raises(UsageError, match=r"^tally: "):
        build_indexes(table, ["column_stats"], tally=wrong)
    with pytest.raises(UsageError, match=r"^index: expected a string, found 7"):
        build_indexes(table, [7])  # type: ignore[list-item]
    with pytest.raises(UsageError, match=r"^connection: expected a connection of DuckDB, found 7"):
        table.to_duckdb(7)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"^schema: expected a schema"):
        hudi_core.evolve("a int", "ADD COLUMN b int")  # type: ignore[arg-type]
