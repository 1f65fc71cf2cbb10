"""Cleans from their plan to the record.

Also covers: `services/cleaning/planner.py`, `services/cleaning/result.py`, `services/cleaning/run.py`,
`services/cleaning/metadata_steps.py`, `metadata_rows/removed_files.py`.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from shutil import copytree, move
from typing import Any

import fastavro
import pytest

import hudi_core
from hudi_core.commit.times import system_clock
from hudi_core.creating.create import create_table
from hudi_core.errors import ConflictError, CorruptFileError, UsageError
from hudi_core.formats.names import parse_base_file
from hudi_core.services.cleaning import operations
from hudi_core.services.cleaning.operations import clean, is_due, run_requested, schedule
from hudi_core.services.cleaning.options import CleanOptions
from hudi_core.services.cleaning.run import pending_cleans
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.metadata_records import metadata_records
from hudi_core.table.open import open_table, refreshed
from hudi_core.table.table import Table
from hudi_core.transactions.rollback import roll_back
from hudi_core.validation.validate import validate
from hudi_core.writing.operations import delete_partitions, write
from tests.support.savepoints import saved
from tests.support.written_tables import TYPES, read, rows

INDEXES = ("column_stats", "bloom_filters", "record_index")
ONE = CleanOptions(keep_commits=1)


def written(path: Path, commits: int = 4, **settings: Any) -> Table:
    """A table of two partitions; each commit rewrites the file of the first one."""
    settings = {"type": "cow", "version": 9, "indexes": INDEXES, **settings}
    table = create_table(path, TYPES, "id", partition_by="p", **settings)
    write(table, rows(("a", "x", 0), ("b", "y", 0)))
    for number in range(1, commits):
        write(refreshed(table), rows(("a", "x", number)))
    return open_table(path)


def base_files(path: Path, partition: str = "x") -> list[str]:
    """The instants of a partition's base files."""
    parsed = (parse_base_file(file.name) for file in (path / partition).iterdir())
    return sorted(name.instant for name in parsed if name is not None)


def times(table: Table) -> list[str]:
    return [instant.requested_time for instant in table.timeline.commits]


def recorded(path: Path, what: str = "*.clean") -> dict[str, Any]:
    (file,) = (path / ".hoodie").rglob(f"timeline/{what}")
    (record,) = fastavro.reader(io.BytesIO(file.read_bytes()))
    assert isinstance(record, dict)
    return record


def test_a_dry_run_names_each_file_and_changes_nothing(tmp_path: Path) -> None:
    """CLEAN-406."""
    table = written(tmp_path)
    before = sorted((str(file), file.stat().st_size) for file in tmp_path.rglob("*") if file.is_file())
    foreseen = clean(table, CleanOptions(keep_commits=1, dry_run=True))
    assert (foreseen.state, foreseen.instant, foreseen.files) == ("planned", None, 2)
    made = times(table)
    assert [file.instant for file in foreseen.planned] == made[:2]
    assert foreseen.earliest_retained == made[3]
    for file in foreseen.planned:
        assert (file.partition, file.reason) == ("x", "older version")
        assert (tmp_path / "x" / file.file).stat().st_size == file.bytes
    assert foreseen.bytes == sum(file.bytes for file in foreseen.planned)
    assert before == sorted((str(file), file.stat().st_size) for file in tmp_path.rglob("*") if file.is_file())


def test_a_clean_deletes_and_records_what_it_did(tmp_path: Path) -> None:
    """CLEAN-397, CLEAN-400, CLEAN-403, META-380."""
    table = written(tmp_path)
    made, seen = times(table), []
    done = clean(table, CleanOptions(keep_commits=1, progress=lambda *counts: seen.append(counts)))
    assert (done.state, done.files, done.files_kept, done.earliest_retained) == ("completed", 2, 0, made[3])
    assert base_files(tmp_path) == made[2:]
    assert seen == [(2, 2)]
    record = recorded(tmp_path)
    (names,) = [of["deletePathPatterns"] for of in record["partitionMetadata"].values()]
    assert record["partitionMetadata"]["x"] == {
        "partitionPath": "x",
        "policy": "KEEP_LATEST_COMMITS",
        "deletePathPatterns": names,
        "successDeleteFiles": names,
        "failedDeleteFiles": [],
        "isPartitionDeleted": False,
    }
    assert len(names) == 2
    assert (record["totalFilesDeleted"], record["version"], record["extraMetadata"]) == (2, 2, {})
    assert (record["earliestCommitToRetain"], record["lastCompletedCommitTimestamp"]) == (made[3], made[3])
    assert (record["startCleanTime"], record["bootstrapPartitionMetadata"]) == (done.instant, {})
    assert read(tmp_path, MetadataMode.REQUIRE) == read(tmp_path, MetadataMode.OFF) == [("a", "x", 3), ("b", "y", 0)]
    assert list(validate(open_table(tmp_path))) == []
    listed = open_table(tmp_path).snapshot().listing.by_name()
    assert set(names).isdisjoint(listed["x"])
    for partition in ("column_stats", "bloom_filters"):
        named = [str(one) for one in metadata_records(open_table(tmp_path), partition)]
        assert not any(name in text for name in names for text in named)
    with pytest.raises(UsageError, match=f"from {made[3]} on"):
        open_table(tmp_path).scan(as_of=made[1])
    assert open_table(tmp_path).scan("n = 3", as_of=made[3]).count() == 1
    assert clean(open_table(tmp_path), ONE).state == "nothing to clean"


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [6, 8, 9])
def test_every_version_cleans_by_versions(tmp_path: Path, version: int) -> None:
    """CLEAN-389, CLEAN-400."""
    table = written(tmp_path, version=version)
    done = clean(table, CleanOptions(keep_versions=2))
    assert (done.policy, done.files, done.earliest_retained) == ("KEEP_LATEST_FILE_VERSIONS", 2, None)
    assert base_files(tmp_path) == times(table)[2:]
    assert read(tmp_path, MetadataMode.REQUIRE) == read(tmp_path, MetadataMode.OFF)
    with pytest.raises(UsageError, match="cleaned away"):
        open_table(tmp_path).scan(as_of=times(table)[1])


def test_a_partition_that_is_left_empty_goes_with_its_folder(tmp_path: Path) -> None:
    """CLEAN-393, CLEAN-401, META-380."""
    table = written(tmp_path)
    delete_partitions(table, ["x"])
    write(refreshed(table), rows(("c", "y", 5)))
    done = clean(open_table(tmp_path), ONE)
    assert done.partitions_deleted == ("x",)
    assert not (tmp_path / "x").exists()
    assert recorded(tmp_path)["partitionMetadata"]["x"]["isPartitionDeleted"]
    assert "x" not in open_table(tmp_path).snapshot().listing.partitions
    write(open_table(tmp_path), rows(("a", "x", 7)))
    assert read(tmp_path, MetadataMode.REQUIRE) == [("a", "x", 7), ("b", "y", 0), ("c", "y", 5)]
    assert list(validate(open_table(tmp_path))) == []


def test_a_partition_with_anything_else_stays(tmp_path: Path) -> None:
    """CLEAN-393, CLEAN-391."""
    table = written(tmp_path / "a")
    time = saved(table)
    delete_partitions(table, ["x"])
    assert clean(open_table(tmp_path / "a"), CleanOptions(keep_versions=1)).partitions_deleted == ()
    assert base_files(tmp_path / "a") == [time]
    other = written(tmp_path / "b")
    (tmp_path / "b" / "x" / "notes.txt").write_text("mine")
    delete_partitions(other, ["x"])
    assert clean(open_table(tmp_path / "b"), CleanOptions(keep_versions=1)).partitions_deleted == ()
    assert (tmp_path / "b" / "x" / "notes.txt").exists()


def test_while_a_write_is_pending_no_partition_goes(tmp_path: Path) -> None:
    """CLEAN-401."""
    table = written(tmp_path)
    delete_partitions(table, ["x"])
    instant = schedule(open_table(tmp_path), CleanOptions(keep_versions=1))
    assert instant is not None
    (tmp_path / ".hoodie/timeline/20990101000000000.deltacommit.requested").touch()
    done = run_requested(open_table(tmp_path), instant.requested_time)
    assert (done.files, done.partitions_deleted) == (4, ())
    assert not recorded(tmp_path)["partitionMetadata"]["x"]["isPartitionDeleted"]
    assert "x" in open_table(tmp_path).snapshot().listing.partitions


def test_a_savepoint_is_kept_and_recorded(tmp_path: Path) -> None:
    """CLEAN-391, CLEAN-395, CLEAN-385."""
    table = written(tmp_path, 2)
    time = saved(table)
    for number in (5, 6, 7):
        write(open_table(tmp_path), rows(("a", "x", number)))
    clean(open_table(tmp_path), ONE)
    made = times(open_table(tmp_path))
    assert base_files(tmp_path) == [time, *made[-2:]]
    assert recorded(tmp_path)["extraMetadata"] == {"savepointed_timestamps": time}
    for file in (tmp_path / ".hoodie/timeline").glob("*.savepoint*"):
        file.unlink()
    write(open_table(tmp_path), rows(("c", "y", 8)))
    assert clean(open_table(tmp_path), ONE).files == 2
    assert base_files(tmp_path) == made[-1:]


def test_changes_never_begin_with_the_older_state_that_a_savepoint_keeps(tmp_path: Path) -> None:
    """QUERY-17."""
    table = written(tmp_path, 1)
    saved(table)
    write(table, rows(("a", "x", 5)))
    before = open_table(tmp_path).timeline.commits[-1].requested_time
    write(open_table(tmp_path), rows(("a", "x", 6)), "insert_overwrite")
    write(open_table(tmp_path), rows(("b", "y", 7)))
    assert clean(open_table(tmp_path), ONE).files == 1
    with pytest.raises(UsageError, match="cleaned away"):
        list(open_table(tmp_path).changes(since=before).to_json_rows())


def test_a_plan_of_another_place_deletes_files_of_this_table(tmp_path: Path) -> None:
    """CLEAN-396, CLEAN-398."""
    table = written(tmp_path / "old")
    instant = schedule(table, ONE)
    assert instant is not None
    copytree(tmp_path / "old", tmp_path / "new")
    done = run_requested(open_table(tmp_path / "new"), instant.requested_time)
    assert done.files == 2
    assert len(base_files(tmp_path / "new")) == 2
    assert len(base_files(tmp_path / "old")) == 4
    with pytest.raises(UsageError, match="a clean that is not completed"):
        run_requested(open_table(tmp_path / "new"), instant.requested_time)


def test_pending_cleans_are_finished_first(tmp_path: Path) -> None:
    """CLEAN-404."""
    table = written(tmp_path)
    instant = schedule(table, CleanOptions(keep_commits=2))
    assert instant is not None
    assert schedule(open_table(tmp_path), ONE) is None
    several = CleanOptions(keep_commits=1, properties={"hoodie.clean.multiple.enabled": "true"})
    assert schedule(open_table(tmp_path), several) is not None
    assert len(pending_cleans(open_table(tmp_path))) == 2
    done = clean(open_table(tmp_path), ONE)
    assert (len(done.finished), done.finished[0]) == (2, instant.requested_time)
    assert pending_cleans(open_table(tmp_path)) == []
    assert base_files(tmp_path) == times(table)[2:]


def test_files_that_are_needed_again_stay(tmp_path: Path) -> None:
    """CLEAN-399."""
    table = written(tmp_path)
    made = times(table)
    instant = schedule(table, CleanOptions(keep_versions=1))
    assert instant is not None
    latest = open_table(tmp_path)
    roll_back(latest, latest.timeline.commits[3])  # as Apache Hudi does it, whatever is planned
    before = read(tmp_path)
    done = run_requested(open_table(tmp_path), instant.requested_time)
    assert (done.files, done.files_kept) == (2, 1)
    assert base_files(tmp_path) == [made[2]]
    assert read(tmp_path, MetadataMode.REQUIRE) == read(tmp_path, MetadataMode.OFF) == before


def test_a_savepoint_that_comes_after_the_plan_is_kept(tmp_path: Path) -> None:
    """CLEAN-399."""
    table = written(tmp_path, 2)
    instant = schedule(table, CleanOptions(keep_versions=1))
    assert instant is not None
    time = saved(table, times(table)[0])
    done = run_requested(open_table(tmp_path), instant.requested_time)
    assert (done.files, done.files_kept) == (0, 1)
    assert time in base_files(tmp_path)


def test_a_clean_without_files_is_recorded_where_that_is_asked_for(tmp_path: Path) -> None:
    """CLEAN-408."""
    table = create_table(tmp_path, TYPES, "id", partition_by="p", indexes=INDEXES)
    for number in range(3):
        write(refreshed(table), rows((f"a{number}", f"p{number}", 1)))
    assert clean(open_table(tmp_path), ONE).instant is None
    hourly = {"hoodie.write.empty.clean.interval.hours": "1"}
    done = clean(open_table(tmp_path), CleanOptions(keep_commits=1, properties=hourly))
    assert (done.state, done.files) == ("completed", 0)
    assert recorded(tmp_path)["earliestCommitToRetain"] == times(open_table(tmp_path))[2]
    assert clean(open_table(tmp_path), CleanOptions(keep_commits=1, properties=hourly)).instant is None

    def later() -> datetime:
        return system_clock() + timedelta(hours=2)

    again = CleanOptions(keep_commits=1, properties=hourly, clock=later)
    assert clean(open_table(tmp_path), again).instant is not None


def test_a_completed_clean_without_a_record_is_done_again(tmp_path: Path) -> None:
    """CLEAN-408, QUERY-380."""
    table = written(tmp_path)
    instant = schedule(table, ONE)
    assert instant is not None
    (tmp_path / f".hoodie/timeline/{instant.requested_time}_20990101000000000.clean").touch()
    with pytest.raises(UsageError, match="cleaned away"):
        open_table(tmp_path).scan(as_of=times(table)[0])
    done = clean(open_table(tmp_path), ONE)
    assert (done.files, done.finished) == (2, (instant.requested_time,))
    assert recorded(tmp_path)["totalFilesDeleted"] == 2


def test_a_clean_is_due_after_so_many_writes(tmp_path: Path) -> None:
    """CLEAN-407."""
    table = written(tmp_path)
    three = CleanOptions(properties={"hoodie.clean.trigger.max.commits": "3"})
    assert is_due(table, three)
    clean(table, ONE)
    assert not is_due(open_table(tmp_path), three)
    assert not is_due(open_table(tmp_path), CleanOptions())
    write(open_table(tmp_path), rows(("a", "x", 9)))
    assert is_due(open_table(tmp_path), CleanOptions())
    assert not is_due(open_table(tmp_path), CleanOptions(properties={"hoodie.clean.automatic": "false"}))


def test_writers_that_are_faster_than_a_plan_wait_at_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CLEAN-405."""
    table, planned = written(tmp_path), operations.plan_clean
    plans = 0

    def beside_a_writer(*given: Any) -> Any:
        nonlocal plans
        plans += 1
        plan = planned(*given)
        if plans < 4:
            write(open_table(tmp_path), rows(("a", "x", 10 + plans)))
        return plan

    monkeypatch.setattr(operations, "plan_clean", beside_a_writer)
    done = clean(table, ONE)
    assert (plans, done.files) == (4, 5)
    assert read(tmp_path) == [("a", "x", 13), ("b", "y", 0)]


def damaged_savepoint(path: Path) -> None:
    (path / ".hoodie/timeline/20260101000000000_20260101000000001.savepoint").write_bytes(b"Obj\1damaged")


def pending_restore(path: Path) -> None:
    (path / ".hoodie/timeline/20990101000000000.restore.requested").touch()


@pytest.mark.parametrize(("spoil", "error"), [(damaged_savepoint, CorruptFileError), (pending_restore, ConflictError)])
def test_where_something_cannot_be_known_nothing_is_deleted(
    tmp_path: Path, spoil: Callable[[Path], None], error: type[Exception]
) -> None:
    """CLEAN-392."""
    table = written(tmp_path)
    spoil(tmp_path)
    with pytest.raises(error):
        clean(open_table(tmp_path), ONE)
    assert len(base_files(tmp_path)) == 4
    assert pending_cleans(open_table(tmp_path)) == []
    assert len(times(table)) == 4


def test_of_two_runs_one_completes(tmp_path: Path) -> None:
    """CLEAN-402."""
    table = written(tmp_path)
    instant = schedule(table, ONE)
    assert instant is not None

    def beside(*_: int) -> None:
        move(tmp_path / "x", tmp_path / "kept")
        move(tmp_path / "kept", tmp_path / "x")
        if not list((tmp_path / ".hoodie/timeline").glob("*.clean")):
            run_requested(open_table(tmp_path), instant.requested_time)

    done = run_requested(open_table(tmp_path), instant.requested_time, CleanOptions(progress=beside))
    assert done.state == "completed"
    assert len(list((tmp_path / ".hoodie/timeline").glob("*.clean"))) == 1
    assert len(list((tmp_path / ".hoodie/metadata/.hoodie/timeline").glob(f"{instant.requested_time}_*"))) == 1


def test_methods_of_a_table_clean_it(tmp_path: Path) -> None:
    written(tmp_path)
    table = hudi_core.open(tmp_path)
    assert table.clean(keep_commits=1, dry_run=True).files == 2
    assert table.clean(hudi_core.CleanOptions(keep_versions=1)).files == 3
