"""Writes from their request to their commit or rollback.

Also covers: `creating/create.py`, `transactions/conflicts.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hudi_core.commit.avro_schemas import REQUESTED_REPLACE_METADATA
from hudi_core.commit.heartbeat import heartbeat_path
from hudi_core.commit.markers import MarkerKind, marker_step, partition_step
from hudi_core.commit.statuses import TableChange, WriteStatus
from hudi_core.commit.steps import Create, Step, run
from hudi_core.errors import AlreadyExistsError, ConflictError, UsageError
from hudi_core.formats.avro.container import write_container
from hudi_core.front.opening import create_table
from hudi_core.schema.schema import Schema
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.instants import InstantState
from hudi_core.timeline.services import list_rolled_back
from hudi_core.transactions.rollback import roll_back, roll_back_completed
from hudi_core.transactions.rollback_plans import rollback_plan
from hudi_core.transactions.rollback_steps import rollback_steps
from hudi_core.transactions.transaction import transaction
from hudi_core.types import nodes as t

SCHEMA = Schema(t.Record((t.Field(0, "id", t.String()), t.Field(1, "n", t.Long()))))
VERSIONS = pytest.mark.parametrize("version", [6, 8, 9])


def new_table(folder: Path, version: int = 9) -> Table:
    return create_table(folder / "t", SCHEMA, "id", version=version, engine="plain")


def group_file(file_id: str, instant_time: str) -> str:
    return f"{file_id}_0-0-0_{instant_time}.parquet"


def write_file(table: Table, instant_time: str, file_id: str, previous: str | None = None) -> WriteStatus:
    """A data file as a task writes it; what it holds does not matter here."""
    path = group_file(file_id, instant_time)
    partition_step("", instant_time).apply(table.storage)
    marker_step(instant_time, path, MarkerKind.CREATE if previous is None else MarkerKind.MERGE).apply(table.storage)
    table.storage.create(path, b"rows")
    return WriteStatus("", file_id, path, 4, 1, 1, 0, 0, previous_instant=previous)


def commit(table: Table, file_id: str, previous: str | None = None, operation: str = "INSERT") -> str:
    with transaction(table, "commit", operation) as write:
        write.start()
        status = write_file(write.table, write.instant_time, file_id, previous)
        return write.commit(TableChange(operation, "commit", SCHEMA, (status,))).requested_time


@VERSIONS
def test_a_commit_shows_its_files_and_leaves_nothing_else(tmp_path: Path, version: int) -> None:
    """COMMIT-10."""
    table = new_table(tmp_path, version)
    time = commit(table, "aa-0")
    table = refreshed(table)
    assert [instant.requested_time for instant in table.timeline.commits] == [time]
    assert [(s.file_id, s.instant) for s in table.slices()] == [("aa-0", time)]
    assert table.timeline.metadata(table.timeline.commits[0]).operation == "INSERT"
    assert [c.name for c in table.schema.fields if not c.name.startswith("_hoodie_")] == ["id", "n"]
    left = [path.name for folder in (".temp", ".heartbeat") for path in (tmp_path / "t/.hoodie" / folder).rglob("*")]
    assert left == []
    assert not (tmp_path / "t/.hoodie/lock").exists()


@VERSIONS
def test_a_write_that_fails_in_its_work_is_taken_back(tmp_path: Path, version: int) -> None:
    """COMMIT-11, COMMIT-500."""
    table = new_table(tmp_path, version)
    first = commit(table, "aa-0")
    with pytest.raises(ZeroDivisionError), transaction(table, "commit", "UPSERT") as write:
        write.start()
        write_file(write.table, write.instant_time, "aa-0", first)
        raise ZeroDivisionError
    table = refreshed(table)
    assert [s.instant for s in table.slices()] == [first]
    assert table.timeline.pending == ()
    assert [path.name for path in (tmp_path / "t").glob("*.parquet")] == [group_file("aa-0", first)]
    assert [instant.action for instant in table.timeline.instants] == ["commit"]


@VERSIONS
def test_a_write_that_fails_in_its_commit_is_rolled_back(tmp_path: Path, version: int) -> None:
    """COMMIT-11, COMMIT-500: the metadata table may name its files."""
    table = new_table(tmp_path, version)
    first = commit(table, "aa-0")

    def fail(*_: object) -> Sequence[Step]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), transaction(table, "commit", "INSERT", metadata_steps=fail) as write:
        write.start()
        status = write_file(write.table, write.instant_time, "bb-0", None)
        write.commit(TableChange("INSERT", "commit", SCHEMA, (status,)))
    table = refreshed(table)
    assert [s.instant for s in table.slices()] == [first]
    assert [path.name for path in (tmp_path / "t").glob("*.parquet")] == [group_file("aa-0", first)]
    assert [instant.action for instant in table.timeline.completed] == ["commit", "rollback"]


@VERSIONS
@pytest.mark.parametrize("with_markers", [True, False])
def test_the_next_write_rolls_back_one_that_crashed(tmp_path: Path, version: int, with_markers: bool) -> None:
    """ROLLBACK-1, ROLLBACK-2."""
    table = new_table(tmp_path, version)
    first = commit(table, "aa-0")
    folder = tmp_path / "t/.hoodie" / ("timeline" if version > 6 else "")
    (folder / "20250101000000000.commit.requested").touch()
    (folder / "20250101000000000.inflight").touch()
    dead = tmp_path / "t" / group_file("bb-0", "20250101000000000")
    dead.write_bytes(b"half")
    if with_markers:
        marker_step("20250101000000000", dead.name, MarkerKind.CREATE).apply(table.storage)
    second = commit(table, "cc-0")
    table = refreshed(table)
    assert not dead.exists()
    assert table.timeline.pending == ()
    assert [s.instant for s in table.slices()] == [first, second]


def test_a_write_that_lives_is_left_alone(tmp_path: Path) -> None:
    """ROLLBACK-1."""
    table = new_table(tmp_path)
    with transaction(table, "commit", "INSERT") as write:
        write.start()
        other = commit(table, "bb-0")
        status = write_file(write.table, write.instant_time, "aa-0")
        write.commit(TableChange("INSERT", "commit", SCHEMA, (status,)))
    assert {s.instant for s in refreshed(table).slices()} == {other, write.instant_time}


def test_two_writes_of_one_file_group_conflict(tmp_path: Path) -> None:
    """CONFLICT-1."""
    table = new_table(tmp_path)
    first = commit(table, "aa-0")
    table = refreshed(table)
    with pytest.raises(ConflictError, match="aa-0"), transaction(table, "commit", "UPSERT") as write:
        write.start()
        status = write_file(write.table, write.instant_time, "aa-0", first)
        second = commit(table, "aa-0", first)
        write.commit(TableChange("UPSERT", "commit", SCHEMA, (status,)))
    table = refreshed(table)
    assert [s.instant for s in table.slices()] == [second]
    assert not (tmp_path / "t" / group_file("aa-0", write.instant_time)).exists()


def test_an_upsert_conflicts_with_new_keys_of_its_partition(tmp_path: Path) -> None:
    """CONFLICT-2."""
    table = new_table(tmp_path)
    with pytest.raises(ConflictError, match="added file groups"), transaction(table, "commit", "UPSERT") as write:
        write.start()
        status = write_file(write.table, write.instant_time, "aa-0")
        commit(table, "bb-0")
        write.commit(TableChange("UPSERT", "commit", SCHEMA, (status,)))


def test_instants_never_repeat_or_decrease(tmp_path: Path) -> None:
    """COMMIT-5."""
    table = new_table(tmp_path)
    ahead = datetime.now(UTC) + timedelta(hours=5)  # noqa: TID251 - the clock of another writer

    with transaction(table, "commit", "INSERT", clock=lambda: ahead) as write:
        write.start()
        write.commit(TableChange("INSERT", "commit", SCHEMA))
    times = [write.instant_time, *(commit(table, f"{number}-0") for number in range(3))]
    assert times == sorted(set(times))
    instants = refreshed(table).timeline.commits
    completions = [instant.completion_time or "" for instant in instants]
    assert completions == sorted(set(completions))
    assert all(instant.requested_time < (instant.completion_time or "") for instant in instants)


@VERSIONS
def test_a_completed_write_can_be_rolled_back(tmp_path: Path, version: int) -> None:
    """ROLLBACK-4."""
    table = new_table(tmp_path, version)
    first, second = commit(table, "aa-0"), commit(table, "bb-0")
    table = refreshed(table)
    with pytest.raises(UsageError, match=f"a completed write of the timeline \\({first}, {second}\\)"):
        roll_back_completed(table, "20200101000000000")
    roll_back_completed(table, second)
    table = refreshed(table)
    assert [s.instant for s in table.slices()] == [first]
    assert [i.state for i in table.timeline.instants] == [InstantState.COMPLETED] * 2


def test_a_table_is_created_once(tmp_path: Path) -> None:
    """CREATE-1."""
    new_table(tmp_path)
    before = (tmp_path / "t/.hoodie/hoodie.properties").read_bytes()
    with pytest.raises(AlreadyExistsError, match="expected no table, found a table"):
        create_table(tmp_path / "t", SCHEMA, "n", engine="plain")
    assert (tmp_path / "t/.hoodie/hoodie.properties").read_bytes() == before


def test_a_write_that_was_rolled_back_by_another_does_not_complete(tmp_path: Path) -> None:
    """CONFLICT-4."""
    table = new_table(tmp_path)
    with pytest.raises(ConflictError, match="rolled back"), transaction(table, "commit", "INSERT") as write:
        write.start()
        status = write_file(write.table, write.instant_time, "aa-0")
        pending = refreshed(table).timeline.pending[0]
        roll_back(refreshed(table), pending)
        write.commit(TableChange("INSERT", "commit", SCHEMA, (status,)))
    assert list(refreshed(table).slices()) == []


def test_a_file_group_that_is_going_to_be_clustered_is_left_alone(tmp_path: Path) -> None:
    """CONFLICT-3."""
    table = new_table(tmp_path)
    first = commit(table, "aa-0")
    plan = {
        "operationType": "CLUSTER",
        "clusteringPlan": {"inputGroups": [{"slices": [{"fileId": "aa-0", "partitionPath": ""}]}]},
    }
    folder = tmp_path / "t/.hoodie/timeline"
    content = write_container(REQUESTED_REPLACE_METADATA, [plan])
    (folder / f"{first[:-1]}9.clustering.requested").write_bytes(content)
    with pytest.raises(ConflictError, match="not clustered"):
        commit(table, "aa-0", first, "UPSERT")


def test_a_file_group_that_another_write_replaced_is_left_alone(tmp_path: Path) -> None:
    """CONFLICT-1."""
    table = new_table(tmp_path)
    first = commit(table, "aa-0")
    with pytest.raises(ConflictError, match="aa-0"), transaction(table, "commit", "UPSERT") as write:
        write.start()
        status = write_file(write.table, write.instant_time, "aa-0", first)
        with transaction(table, "replacecommit", "DELETE_PARTITION") as other:
            other.start()
            other.commit(TableChange("DELETE_PARTITION", "replacecommit", SCHEMA, (), {"": ("aa-0",)}))
        write.commit(TableChange("UPSERT", "commit", SCHEMA, (status,)))
    assert list(refreshed(table).slices()) == []


def test_a_record_index_built_meanwhile_stops_a_write_that_began_without_one(tmp_path: Path) -> None:
    """Nobody collected the keys of its rows."""
    table = new_table(tmp_path)
    with pytest.raises(ConflictError, match="came since"), transaction(table, "commit", "INSERT") as write:
        write.start()
        status = write_file(write.table, write.instant_time, "aa-0")
        with (tmp_path / "t/.hoodie/hoodie.properties").open("a") as properties:
            properties.write("hoodie.table.metadata.partitions=files,record_index\n")
        write.commit(TableChange("INSERT", "commit", SCHEMA, (status,)))


def test_a_rollback_is_on_the_timeline_with_the_files_it_deleted(tmp_path: Path) -> None:
    """ROLLBACK-3."""
    table = new_table(tmp_path)
    time = commit(table, "aa-0")
    table = refreshed(table)
    roll_back_completed(table, time)
    timeline = refreshed(table).timeline
    (rollback,) = timeline.completed
    assert list_rolled_back(timeline, rollback) == (time,)
    (request,) = timeline.plan(rollback)["RollbackRequests"]
    assert request["filesToBeDeleted"] == [f"{tmp_path}/t/{group_file('aa-0', time)}"]


@pytest.mark.parametrize("stop", range(12))
def test_a_rollback_that_crashed_is_finished_by_the_next(tmp_path: Path, stop: int) -> None:
    """ROLLBACK-3."""
    table = new_table(tmp_path)
    first, second = commit(table, "aa-0"), commit(table, "bb-0")
    table = refreshed(table)
    steps = list(rollback_steps(table, rollback_plan(table, table.timeline.commits[-1])))
    run(table.storage, steps[:stop])
    table = refreshed(table)
    shown = [s.instant for s in table.slices()]
    commit(table, "cc-0")
    table = refreshed(table)
    assert shown == ([first, second] if stop < 3 else [first])
    assert table.timeline.pending == ()
    assert first in [s.instant for s in table.slices()]


def test_the_metadata_table_is_committed_before_its_write(tmp_path: Path) -> None:
    """COMMIT-12."""
    table = new_table(tmp_path)
    seen: list[int] = []

    def steps(latest: Table, time: str, change: TableChange) -> list[Create]:
        seen.append(len(latest.timeline.commits))
        return [Create(".hoodie/metadata/x", time.encode())]

    with transaction(table, "commit", "INSERT", metadata_steps=steps) as write:
        write.start()
        write.commit(TableChange("INSERT", "commit", SCHEMA))
    assert seen == [0]
    assert (tmp_path / "t/.hoodie/metadata/x").read_text() == write.instant_time


def test_a_writer_that_lost_its_lock_does_not_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """COMMIT-322: another took it, whose clock is fast."""
    table = new_table(tmp_path)
    commit(table, "aa-0")

    def taken(_: object, change: TableChange) -> TableChange:
        (tmp_path / "t/.hoodie/lock").write_bytes(b"")
        return change

    with pytest.raises(ConflictError, match="still held"), transaction(refreshed(table), "commit", "INSERT") as write:
        write.start()
        status = write_file(write.table, write.instant_time, "bb-0")
        monkeypatch.setattr("hudi_core.commit.lock.UNNAMED_PATIENCE", 0.1)
        write.commit(TableChange("INSERT", "commit", SCHEMA, (status,)), taken)
    assert (tmp_path / "t/.hoodie/lock").read_bytes() == b""
    assert [file_slice.file_id for file_slice in refreshed(table).slices()] == ["aa-0"]


def test_a_writer_that_was_taken_for_dead_leaves_nothing_behind(tmp_path: Path) -> None:
    """COMMIT-530, COMMIT-532: it goes on after another has rolled its write back."""
    table = new_table(tmp_path)
    stopped = timedelta()
    clock = lambda: datetime.now(UTC) + stopped  # noqa: E731, TID251 - the machine's clock, and a stop
    with (
        pytest.raises(ConflictError, match="took for dead"),
        transaction(table, "commit", "INSERT", clock=clock) as write,
    ):
        write.start()
        write_file(write.table, write.instant_time, "aa-0")
        latest = refreshed(table)
        (pending,) = latest.timeline.pending
        roll_back(latest, pending)
        table.storage.delete(heartbeat_path(write.instant_time))
        status = write_file(write.table, write.instant_time, "bb-0")
        stopped = timedelta(minutes=10)
        write.commit(TableChange("INSERT", "commit", SCHEMA, (status,)))
    assert refreshed(table).timeline.commits == ()
    assert not list((tmp_path / "t").glob("*.parquet"))
    assert not list((tmp_path / "t/.hoodie/.temp").glob("*"))
