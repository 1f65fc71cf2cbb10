"""PartAttempts of tasks: those that fail, those that are outrun, and those that outlive their write."""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pytest

from hudi_core.commit.heartbeat import heartbeat_path
from hudi_core.commit.markers import list_marked_files, marker_folder
from hudi_core.commit.statuses import WriteStatus
from hudi_core.commit.steps import Ensure
from hudi_core.creating.create import create_table
from hudi_core.errors import ConflictError, StorageError
from hudi_core.parallel.flow import Packet
from hudi_core.table.open import open_table
from hudi_core.table.table import Table
from hudi_core.transactions import transaction
from hudi_core.transactions.attempts import Attempts, delete_others
from hudi_core.transactions.early_conflicts import EARLY_DETECTION
from hudi_core.transactions.reports import unpack_objects
from hudi_core.transactions.rollback import roll_back_dead
from hudi_core.transactions.transaction import Transaction
from hudi_core.writing import write_run
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from hudi_core.writing.spread.operations import spread_write
from hudi_core.writing.spread.written import WriteGathered, WriteRows
from tests.support.drawing import each_pair
from tests.support.local_flow import LocalFlow, LocalRows, local_rows
from tests.support.spread_writes import KINDS, assert_twins, cut, random_rows, rows_of, twins

ROWS = 50


@dataclass
class PartAttempts:
    """What a flow does with the parts of the write step: `fail` leaves the first attempt of each part when its first file is
    there, `die` the whole flow when all is written."""

    fail: bool = False
    die: bool = False
    done: list[tuple[bytes, int, list[Packet]]] = field(default_factory=list)


@dataclass(frozen=True)
class AttemptFlow(LocalFlow):
    attempts: PartAttempts = field(default_factory=PartAttempts)

    def _worked(self, work: bytes, number: int, part: Sequence[Packet]) -> list[Packet]:
        if not isinstance(pickle.loads(work), WriteRows | WriteGathered):
            return super()._worked(work, number, part)
        if self.attempts.fail and part:
            next(pickle.loads(work)(number, iter(part)))
        self.attempts.done.append((work, number, list(part)))
        return super()._worked(work, number, part)

    def reports(self) -> Sequence[Packet]:
        reports = super().reports()
        if self.attempts.die and self.attempts.done:
            raise MemoryError
        return reports


@dataclass(frozen=True)
class AttemptRows(LocalRows):
    attempts: PartAttempts = field(default_factory=PartAttempts)

    def map(self, work: Any) -> LocalFlow:
        flow = super().map(work)
        return AttemptFlow(flow.parts, flow.repeats, attempts=self.attempts)


def attempted(table: Table, rows: Any, attempts: PartAttempts) -> AttemptRows:
    given = local_rows(table.engine, cut(random.Random(2), rows))
    return AttemptRows(given.engine, given.schema, given.batches, attempts=attempts)


def data_files(table: Table) -> set[str]:
    return {info.path for info in table.storage.list("", recursive=True, without=".hoodie")}


def late(attempts: PartAttempts) -> Iterator[list[Any]]:
    """What attempts report that begin when all is over."""
    for work, number, part in attempts.done:
        yield [one for packet in pickle.loads(work)(number, iter(part)) for one in unpack_objects(packet)]


EACH: Final = each_pair(kind=["cow", "mor"], version=[6, 8, 9], most_files=[1 << 20, 0])
"""Markers of a part are files, or, where it may have none, lines of one."""


@pytest.mark.each_value
@EACH
def test_a_task_that_failed_is_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, version: int, most_files: int
) -> None:
    """WRITE-421: what the first attempt wrote is deleted by the commit; nothing is lost or doubled."""
    monkeypatch.setattr(write_run, "MOST_FILES", most_files)
    spread, whole = twins(tmp_path, kind, version, ("column_stats", "record_index"))
    chance = random.Random(1)
    for _ in range(3):
        rows, attempts = random_rows(chance, ROWS, [0]), PartAttempts(fail=True)
        write(whole, rows)
        spread_write(spread, attempted(spread, rows, attempts))
        assert attempts.done
    assert_twins(spread, whole)
    latest = open_table(spread.storage.uri)
    commits = [latest.timeline.metadata(commit) for commit in latest.timeline.commits]
    named = {stat.path for commit in commits for stats in commit.stats.values() for stat in stats}
    assert {path for path in data_files(spread) if not path.endswith("metadata")} <= named
    assert spread.storage.list(".hoodie/.temp", recursive=True) == []


@pytest.mark.each_value
@pytest.mark.parametrize(("kind", "version"), KINDS)
def test_an_attempt_that_outlives_its_write_leaves_nothing(tmp_path: Path, kind: str, version: int) -> None:
    """WRITE-426: before it writes it sees that the write has ended."""
    spread, whole = twins(tmp_path, kind, version, ("column_stats",))
    chance, attempts = random.Random(1), PartAttempts()
    for _ in range(2):
        rows = random_rows(chance, ROWS, [0])
        write(whole, rows)
        spread_write(spread, attempted(spread, rows, attempts))
    before = data_files(spread)
    for reports in late(attempts):
        assert [type(report) for report in reports] in ([ConflictError], [])
    assert data_files(spread) == before
    assert spread.storage.list(".hoodie/.temp", recursive=True) == []
    assert_twins(spread, whole)


@pytest.mark.each_value
@EACH
def test_an_attempt_whose_write_ends_while_it_writes_deletes_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, version: int, most_files: int
) -> None:
    """WRITE-426: it looks again when its file is written. A log file before table version 8 stays: it is the committed one."""
    monkeypatch.setattr(write_run, "MOST_FILES", most_files)
    spread, whole = twins(tmp_path, kind, version, ("column_stats",))
    chance, attempts = random.Random(1), PartAttempts()
    for _ in range(2):
        rows = random_rows(chance, ROWS, [0])
        write(whole, rows)
        spread_write(spread, attempted(spread, rows, attempts))
    before, looks = data_files(spread), []
    refuses = Attempts.refuse_ended

    def at_the_end(self: Attempts, markers: Sequence[Ensure] = ()) -> None:
        looks.append(self.instant_time)
        if len(looks) % 2 == 0:
            refuses(self, markers)

    monkeypatch.setattr(Attempts, "refuse_ended", at_the_end)
    for reports in late(attempts):
        assert [type(report) for report in reports] in ([ConflictError], [])
    assert len(looks) > 1
    assert data_files(spread) == before
    assert [path for path, _ in list_marked_files(spread.storage, looks[0]) if kind == "cow" or version > 6] == []
    roll_back_dead(spread)  # removes the folder of its markers
    assert_twins(spread, whole)


@pytest.mark.each_value
@EACH
def test_a_write_that_dies_is_rolled_back_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, version: int, most_files: int
) -> None:
    """WRITE-421, ROLLBACK-1: the markers of attempts name their files."""
    monkeypatch.setattr(write_run, "MOST_FILES", most_files)
    spread, whole = twins(tmp_path, kind, version, ("column_stats",))
    first, second = (random_rows(random.Random(seed), ROWS, [0]) for seed in (1, 2))
    for table in (spread, whole):
        write(table, first)
    before = rows_of(open_table(spread.storage.uri))
    with monkeypatch.context() as killed:
        killed.setattr(transaction, "_undo", lambda *_, **__: None)
        attempts = PartAttempts(fail=True, die=True)
        with suppress(MemoryError):
            spread_write(spread, attempted(spread, second, attempts))
    latest = open_table(spread.storage.uri)
    assert rows_of(latest) == before
    (pending,) = latest.timeline.pending
    assert not spread.storage.exists(heartbeat_path(pending.requested_time))
    for table in (spread, whole):
        write(table, second)
    for reports in late(attempts):
        assert [type(report) for report in reports] in ([ConflictError], [])
    assert_twins(spread, whole)
    assert spread.storage.list(".hoodie/.temp", recursive=True) == []


def test_storage_that_fails_is_left_to_whoever_runs_the_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """WRITE-421: it may be tried again; the write is rolled back when it fails for good."""
    spread, _ = twins(tmp_path, "cow", 9, None)
    rows = random_rows(random.Random(1), ROWS, [0])

    def failing(self: Any, storage: Any, path: str, *_: Any) -> Any:
        raise StorageError(path, message="no room")

    monkeypatch.setattr("hudi_arrow.files.parquet_write.ParquetWriter.write", failing, raising=False)
    with pytest.raises(StorageError, match="no room"):
        spread_write(spread, attempted(spread, rows, PartAttempts()))
    monkeypatch.undo()
    assert open_table(spread.storage.uri).timeline.commits == ()
    assert replace(spread).storage.list(".hoodie/.temp", recursive=True) == []
    assert {path for path in data_files(spread) if path.endswith(".parquet")} == set()


@pytest.mark.parametrize("detects_early", [False, True])
def test_markers_of_many_files_are_lines_of_a_file_for_each_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, detects_early: bool
) -> None:
    """WRITE-1441, COMMIT-961: files of their own where writers look for them."""
    rows = pa.table({"id": [f"k{number}" for number in range(40)], "p": [f"p{number}" for number in range(40)]})
    table = create_table(str(tmp_path / "t"), rows.schema, "id", partition_by="p")
    names, marked = [], []

    def at_the_end(write: Transaction, reported: Sequence[WriteStatus]) -> None:
        names.extend(info.name for info in table.storage.list(marker_folder(write.instant_time), recursive=True))
        marked.extend(path for path, _ in list_marked_files(table.storage, write.instant_time))
        delete_others(write, reported)

    monkeypatch.setattr(write_run, "delete_others", at_the_end)
    options = WriteOptions(properties={EARLY_DETECTION: str(detects_early).lower()})
    spread_write(table, local_rows(table.engine, cut(random.Random(2), rows)), "append", options)
    assert len(marked) == len(set(marked)) == 40
    assert (len(names) == 40) is detects_early
    assert {path for path in data_files(table) if path.endswith(".parquet")} == set(marked)
    assert sum(path.endswith("/.hoodie_partition_metadata") for path in data_files(table)) == 40  # made by the parts
    if not detects_early:
        numbers = sorted(name.removeprefix("MARKERS") for name in names)
        assert numbers[0] == ".type"
        assert 1 <= len(numbers[1:]) < 16
        assert all(number.isdigit() for number in numbers[1:])
    assert table.storage.list(".hoodie/.temp", recursive=True) == []


@pytest.mark.parametrize("partition", ["", "p"])
def test_rows_that_one_part_writes_are_not_dealt_out(tmp_path: Path, partition: str) -> None:
    """ENGINE-1600: their keys are checked all the same, and they keep their order."""
    rows = random_rows(random.Random(3), ROWS, [0], distinct=True).drop_columns(["_hoodie_is_deleted"])
    table = create_table(str(tmp_path / "t"), rows.schema, "id", partition_by=[partition] if partition else [])
    attempts = PartAttempts()
    spread_write(table, attempted(table, rows, attempts), "append")
    kinds = {type(pickle.loads(work)) for work, _, _ in attempts.done}
    assert kinds == {WriteRows if partition else WriteGathered}
    stored = open_table(table.storage.uri).scan(columns=["id"]).to_arrow()["id"].to_pylist()
    assert sorted(stored) == sorted(rows["id"].to_pylist())
    assert partition or stored == rows["id"].to_pylist()
