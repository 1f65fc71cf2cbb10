"""Rolling back writes of Apache Hudi that died with a new base file in a file group that is there already.

Also covers: `transactions/rollback_plans.py`, `transactions/rollback_steps.py`.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.commit.heartbeat import METADATA_HEARTBEATS, heartbeat_path
from hudi_core.commit.markers import METADATA_MARKERS, MarkerKind, marker_step
from hudi_core.commit.times import next_time, system_clock
from hudi_core.errors import StorageError
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.front.opening import create_table, open_table
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from tests.support.written_tables import TYPES, rows, rows_of


def _with_rows(path: Path, version: int) -> Table:
    made = create_table(path, TYPES, "id", partition_by="p", type="mor", version=version)
    write(made, rows(("a", "x", 1), ("b", "x", 1)))
    return refreshed(made)


def _dies(table: Table, path: Path, *, marker: bool) -> tuple[Path, str]:
    """A writer that puts new rows into a small file, as Apache Hudi's on Spark, and dies before it commits."""
    (base,) = (path / "x").glob("*.parquet")
    time = next_time(table.timeline)
    name = base.name.replace(base.stem.rpartition("_")[2], time)
    folder = path / table.timeline.folder
    (folder / f"{time}.deltacommit.requested").touch()
    (folder / f"{time}.deltacommit.inflight").touch()
    if marker:
        marker_step(time, f"x/{name}", MarkerKind.MERGE).apply(table.storage)
    shutil.copy(base, base.with_name(name))
    return base.with_name(name), time


def _slice_times_of_logs(path: Path, table: Table) -> list[str]:
    """The base instant of each log file where base files of pending writes count too, as in Apache Hudi's view of version 8: the
    latest that began before the log file's commit completed."""
    completed = {instant.requested_time: instant.completion_time for instant in table.timeline.completed}
    bases = [parsed.instant for file in (path / "x").iterdir() if (parsed := parse_base_file(file.name))]
    logs = [parsed.instant for file in (path / "x").iterdir() if (parsed := parse_log_file(file.name))]
    return [max(base for base in bases if base <= str(completed[log])) for log in logs]


@pytest.mark.parametrize("version", [8, 9])
@pytest.mark.parametrize("marker", [True, False], ids=["marker", "no-marker"])
def test_a_base_file_of_a_dead_write_is_gone_before_a_log_file_comes_to_its_file_group(
    tmp_path: Path, version: int, marker: bool
) -> None:
    """ROLLBACK-1, ROLLBACK-490, ROLLBACK-1144, ROLLBACK-1291."""
    path = tmp_path / "t"
    table = _with_rows(path, version)
    left, time = _dies(table, path, marker=marker)
    markers = path / METADATA_MARKERS / time / "record_index"
    markers.mkdir(parents=True)
    (markers / ".record-index-0000-0_1.log.1_0-1-1.marker.CREATE").touch()
    beat = path / heartbeat_path(time, METADATA_HEARTBEATS)
    beat.parent.mkdir()
    beat.touch()
    assert rows_of(refreshed(table)) == [("a", "x", 1), ("b", "x", 1)]
    write(refreshed(table), rows(("a", "x", 2)))
    table = open_table(path)
    assert not left.exists()
    assert not markers.parent.exists() and not beat.exists()
    assert table.timeline.pending == ()
    assert rows_of(table) == [("a", "x", 2), ("b", "x", 1)]
    committed = {instant.requested_time for instant in table.timeline.commits}
    assert _slice_times_of_logs(path, table) and set(_slice_times_of_logs(path, table)) <= committed - {time}


def test_a_base_file_of_a_write_that_may_live_goes_with_the_first_write_after_its_last_heartbeat(
    tmp_path: Path,
) -> None:
    """COMMIT-710, ROLLBACK-490, WRITE-500: meanwhile our rows are in a base file, where Apache Hudi reads them too."""
    path = tmp_path / "t"
    table = _with_rows(path, 8)
    left, time = _dies(table, path, marker=True)
    table.storage.replace(heartbeat_path(time), b"")
    write(refreshed(table), rows(("a", "x", 2)))
    assert left.exists()
    assert rows_of(refreshed(table)) == [("a", "x", 2), ("b", "x", 1)]
    assert _slice_times_of_logs(path, refreshed(table)) == []
    later = WriteOptions(clock=lambda: system_clock() + timedelta(minutes=11))
    write(refreshed(table), rows(("b", "x", 3)), options=later)
    table = open_table(path)
    assert not left.exists()
    assert rows_of(table) == [("a", "x", 2), ("b", "x", 3)]
    committed = {instant.requested_time for instant in table.timeline.commits}
    assert set(_slice_times_of_logs(path, table)) <= committed - {time}


class ClosedPartition(ArrowStorage):
    """No file of the partition `y` can be deleted; where it `is_hidden`, nobody can see whether one is there."""

    is_hidden = False

    def delete_files(self, paths: Sequence[str], *, in_order: bool = False) -> None:
        self._refuse(paths[0] if self.is_hidden else next((path for path in paths if path.startswith("y/")), ""))
        super().delete_files(paths, in_order=in_order)

    def exists(self, path: str) -> bool:
        self._refuse(path if self.is_hidden else "")
        return super().exists(path)

    def _refuse(self, path: str) -> None:
        if path.startswith(("x/", "y/")):
            with self.report_errors(self.where(path)):
                raise PermissionError(13, "Permission denied")


@pytest.mark.each_value
@pytest.mark.parametrize("is_hidden", [False, True])
@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 8), ("mor", 6)])
def test_a_rollback_that_cannot_delete_leaves_the_table_as_before(
    tmp_path: Path, kind: str, version: int, is_hidden: bool
) -> None:
    """ROLLBACK-1403: also what other readers see; once the partition is open the write goes."""
    path = tmp_path / "t"
    create_table(path, TYPES, "id", partition_by="p", type=kind, version=version, indexes=["column_stats"])  # type: ignore[arg-type]
    write(open_table(path), rows(("a", "x", 1), ("b", "y", 1)))
    write(open_table(path), rows(("a", "x", 2), ("b", "y", 2)), "upsert" if kind == "cow" else "insert_overwrite")
    table = open_table(path)
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    storage = ClosedPartition(str(path))
    storage.is_hidden = is_hidden
    with pytest.raises(StorageError, match="Permission denied"):
        replace(table, storage=storage).rollback(table.timeline.commits[-1].requested_time)
    assert {file: file.read_bytes() for file in path.rglob("*") if file.is_file()} == before
    assert rows_of(open_table(path)) == [("a", "x", 2), ("b", "y", 2)]
    table.rollback(table.timeline.commits[-1].requested_time)
    assert rows_of(open_table(path)) == [("a", "x", 1), ("b", "y", 1)]
    assert list(open_table(path).validate()) == []
