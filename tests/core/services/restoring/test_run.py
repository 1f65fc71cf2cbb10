"""Restores: the rows, files and indexes of an earlier state, after any history. RESTORE-453 to RESTORE-461.

Also covers: `services/restoring/plan.py`, `services/restoring/proof.py`, `services/restoring/result.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hudi_core
from hudi_core import ConflictError, CorruptFileError, UsageError
from hudi_core.commit.heartbeat import heartbeat_path
from hudi_core.services.restoring.run import restore
from hudi_core.services.restoring.savepoints import savepoint
from hudi_core.transactions.metadata_steps import metadata_steps, require_metadata_table
from hudi_core.transactions.transaction import transaction
from tests.support.crashes import crashes, later

KINDS = [(kind, version) for kind in ("cow", "mor") for version in (6, 8, 9)]


def all_of(version: int) -> list[str]:
    """The indexes that a table of the version has."""
    return ["column_stats", *(["partition_stats"] if version > 6 else []), "bloom_filters", "record_index"]


def rows(first: int, last: int, n: int) -> pa.Table:
    return pa.table(
        {
            "id": pa.array([f"k{number:03}" for number in range(first, last)]),
            "n": pa.array([n] * (last - first), pa.int64()),
            "city": pa.array([("oslo", "rome")[number % 2] for number in range(first, last)]),
        }
    )


def content(table: hudi_core.Table) -> list[dict[str, Any]]:
    found = table.refresh().scan(columns=["id", "n", "city"]).to_arrow().to_pylist()
    return sorted(found, key=lambda row: row["id"])


def files(folder: Path) -> set[str]:
    return {
        str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and ".hoodie" not in path.parts
    }


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 6)])
def test_the_metadata_table_has_a_commit_of_the_restore(tmp_path: Path, kind: str, version: int) -> None:
    """RESTORE-1041."""
    table = made(tmp_path / "t", kind, version, all_of(version))
    restored = table.restore(to=table.timeline.commits[0].requested_time)
    metadata = require_metadata_table(table.refresh())
    assert restored.instant in {instant.requested_time for instant in metadata.timeline.completed}
    assert list(table.refresh().validate()) == []
    table.refresh().upsert(rows(3, 12, 9))
    assert list(table.refresh().validate()) == []


def made(folder: Path, kind: str, version: int, indexes: list[str] | None = None) -> hudi_core.Table:
    table = hudi_core.create(
        folder, rows(0, 1, 0), "id", partition_by="city", type=kind, version=version, indexes=indexes or []
    )
    table.upsert(rows(0, 20, 1))
    table.upsert(rows(5, 30, 2))
    return table.refresh()


def continued(table: hudi_core.Table) -> None:
    """Every kind of change that a restore has to undo."""
    table.upsert(rows(0, 10, 3))
    table.delete(where="id < 'k004'")
    if table.config.type.value == "MERGE_ON_READ":
        table.compact()
    table.cluster(columns=["n"])
    table.upsert(rows(25, 40, 4))
    table.overwrite_partitions(rows(100, 110, 5))


@pytest.mark.each_value
@pytest.mark.parametrize(("kind", "version"), KINDS)
def test_a_table_comes_back_to_its_savepoint(tmp_path: Path, kind: str, version: int) -> None:
    """RESTORE-458."""
    table = made(tmp_path / "t", kind, version, all_of(version))
    before, there = content(table), files(tmp_path / "t")
    saved = savepoint(table).instant
    continued(table)
    assert content(table) != before
    result = restore(table, saved)
    assert (result.state, result.target, len(result.undone) >= 4) == ("completed", saved, True)
    after = table.refresh()
    assert content(after) == before
    assert files(tmp_path / "t") == there
    assert set(result.rebuilt) == {"files", *all_of(version)}
    assert [index.state for index in after.indexes()] == ["ready"] * len(result.rebuilt)
    assert list(after.validate()) == []
    after.upsert(rows(15, 45, 7))
    assert len(content(after)) == 45
    assert list(after.refresh().validate()) == []


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 6)])
def test_a_dry_run_names_all_and_changes_nothing(tmp_path: Path, kind: str, version: int) -> None:
    """RESTORE-457."""
    table = made(tmp_path / "t", kind, version)
    saved = savepoint(table).instant
    continued(table)
    untouched = {path: path.read_bytes() for path in (tmp_path / "t").rglob("*") if path.is_file()}
    planned = restore(table, saved, dry_run=True)
    assert {path: path.read_bytes() for path in (tmp_path / "t").rglob("*") if path.is_file()} == untouched
    assert (planned.state, planned.instant, planned.files_deleted) == ("planned", None, len(planned.files))
    assert sum(partition.rows_after or 0 for partition in planned.partitions) == 30
    assert sum(partition.rows_before or 0 for partition in planned.partitions) == 10
    gone = {file.path for file in planned.files}
    done = restore(table, saved)
    assert (done.undone, done.files_deleted, done.bytes_deleted) == (
        planned.undone, planned.files_deleted, planned.bytes_deleted
    )  # fmt: skip
    assert gone.isdisjoint(files(tmp_path / "t"))


def test_a_write_without_a_savepoint_is_restored_by_name(tmp_path: Path) -> None:
    """RESTORE-453."""
    table = made(tmp_path / "t", "cow", 9)
    before, time = content(table), table.timeline.commits[-1].requested_time
    continued(table)
    with pytest.raises(UsageError, match=r"restore: expected a savepoint of the table \(none\), or `to` for"):
        restore(table, time)
    restore(table, to=time)
    assert content(table) == before


def test_a_time_at_which_a_write_completed_names_that_write(tmp_path: Path) -> None:
    """RESTORE-1525: it is not taken for the write, and the error says which one is. So for savepoints and rollbacks."""
    table = made(tmp_path / "t", "cow", 9)
    first = table.timeline.commits[0]
    completed = str(first.completion_time)
    for ask in (
        lambda time: table.restore(to=time),
        lambda time: table.restore(time),
        table.savepoint,
        table.rollback,
    ):
        with pytest.raises(UsageError, match=f"found {completed}, when the one of {first.requested_time} completed$"):
            ask(completed)
        for time in ("", " ", f" {first.requested_time}", "2026-11-30", "20\n"):
            with pytest.raises(UsageError) as error:
                ask(time)
            assert error.value.found == repr(time)
    for named, name in (({"to": 20260101}, "to"), ({"savepoint": 20260101}, "savepoint")):
        with pytest.raises(UsageError, match=f"^{name}: expected a string, found 20260101"):
            table.restore(**named)


def test_what_cannot_be_restored_is_refused(tmp_path: Path) -> None:
    """RESTORE-454."""
    table = made(tmp_path / "t", "cow", 9)
    first, last = (commit.requested_time for commit in table.timeline.commits)
    with pytest.raises(UsageError, match="expected a savepoint, or `to` with another write, found neither"):
        restore(table)
    with pytest.raises(UsageError, match="expected a write before the latest one, found the latest one"):
        restore(table, to=last)
    with pytest.raises(UsageError, match=r"expected a completed write of the timeline .*, found 2020"):
        restore(table, to="2020")
    savepoint(table, last)
    with pytest.raises(UsageError, match=f"expected no savepoint after {first}: drop it first, found one of {last}"):
        restore(table, to=first)


def test_a_state_whose_files_were_cleaned_away_is_refused(tmp_path: Path) -> None:
    """RESTORE-456."""
    table = made(tmp_path / "t", "cow", 9)
    first = table.timeline.commits[0].requested_time
    table.clean(keep_versions=1)
    with pytest.raises(UsageError, match="cleaned"):
        restore(table, to=first)


def test_a_savepoint_whose_file_is_missing_is_refused(tmp_path: Path) -> None:
    """RESTORE-456."""
    table = made(tmp_path / "t", "cow", 9)
    saved = savepoint(table).instant
    continued(table)
    (tmp_path / "t" / table.slices()[0].files[0].path).unlink()
    with pytest.raises(CorruptFileError, match=r"expected a file of the state at .*, found none"):
        restore(table, saved)
    assert not [one for one in table.refresh().timeline.instants if one.action == "restore"]


def test_a_writer_that_is_alive_is_not_undone(tmp_path: Path) -> None:
    """RESTORE-459."""
    table = made(tmp_path / "t", "cow", 9)
    saved = savepoint(table).instant
    continued(table)
    time = "20991231235959999"
    table.storage.create(f"{table.timeline.folder}/{time}.commit.requested", b"")
    table.storage.replace(heartbeat_path(time), b"")
    with pytest.raises(ConflictError, match=f"expected no writer at work during a restore, found commit {time}"):
        restore(table, saved)


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    ("kind", "version", "after", "step"), [("cow", 9, False, 5), ("mor", 8, True, 6), ("mor", 6, False, 7)]
)
def test_a_restore_that_dies_anywhere_is_finished_by_the_next(
    tmp_path: Path, kind: str, version: int, after: bool, step: int
) -> None:
    """RESTORE-460."""
    table = made(tmp_path / "t", kind, version, ["record_index"])
    before, saved = content(table), savepoint(table).instant
    continued(table)
    states = set()
    for at, path in crashes(tmp_path / "t", lambda dying: restore(dying, saved), after=after, step=step):
        survivor = hudi_core.open(path)
        states.add(done := any(one.action == "restore" and one.completed for one in survivor.timeline.instants))
        if not done:
            restore(survivor, saved, clock=later)
        assert content(survivor) == before, at
        latest = survivor.refresh()
        # A build that dies after the restore is ended by the next build.
        assert [one for one in latest.timeline.pending if one.action != "indexing" or not done] == [], at
        if not done:
            assert not [one for one in latest.timeline.instants if one.action == "rollback"], at
            assert {index.name for index in latest.indexes()} == {"files", "record_index"}, at
            assert list(latest.validate()) == [], at
    assert False in states


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 8), ("cow", 6)])
def test_archived_rows_stay_where_only_the_saved_write_is_left(tmp_path: Path, kind: str, version: int) -> None:
    """TIME-586, ARCHIVE-587: the files of archived writes count where the active timeline has saved writes alone."""
    table = hudi_core.create(tmp_path / "t", rows(0, 1, 0), "id", partition_by="city", type=kind, version=version)
    for number in range(3):
        table.refresh().append(rows(20 * number, 20 * number + 20, number))
    before = content(table)
    saved = savepoint(table.refresh()).instant
    table.refresh().upsert(rows(0, 3, 9))
    properties = {
        "hoodie.clean.policy": "KEEP_LATEST_FILE_VERSIONS",
        "hoodie.compact.inline.trigger.strategy": "TIME_ELAPSED",
    }
    table.refresh().archive(keep_min=1, properties=properties)
    restore(table.refresh(), saved)
    assert content(table) == before
    times = [one.requested_time for one in table.refresh().timeline.commits]
    assert len(times) == 2, "one write before the savepoint stays, for readers of Apache Hudi"
    # Apache Hudi's own archive leaves the saved write alone.
    folder = tmp_path / "t" / table.timeline.folder
    for path in folder.glob(f"{times[0]}*"):
        path.unlink()
    assert content(table) == before
    assert [str(one) for one in table.refresh().validate() if one.check == "orphans"] == []


def test_what_is_archived_after_a_savepoint_cannot_be_undone(tmp_path: Path) -> None:
    """RESTORE-588."""
    table = hudi_core.create(tmp_path / "t", rows(0, 1, 0), "id", partition_by="city")
    table.upsert(rows(0, 20, 1))
    saved = savepoint(table.refresh()).instant
    for number in range(4):
        table.refresh().upsert(rows(0, 3, 9 + number))
    properties = {"hoodie.clean.policy": "KEEP_LATEST_FILE_VERSIONS", "hoodie.archive.beyond.savepoint": "true"}
    table.refresh().archive(keep_min=1, properties=properties)
    before = content(table)
    with pytest.raises(UsageError, match="which is archived"):
        restore(table.refresh(), saved)
    assert content(table) == before


def test_no_commit_begins_while_a_restore_is_pending(tmp_path: Path) -> None:
    """RESTORE-455."""
    table = made(tmp_path / "t", "cow", 9)
    before = content(table)
    table.storage.create(f"{table.timeline.folder}/20991231235959999.restore.requested", b"")
    with pytest.raises(ConflictError, match="expected no restore under way, found restore 20991231235959999"):
        table.upsert(rows(0, 5, 9))
    with (
        pytest.raises(ConflictError, match="expected no restore under way"),
        transaction(table, "commit", "UPSERT", metadata_steps=metadata_steps),  # a write that was prepared before
    ):
        pass
    assert content(table) == before


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("kind", "version"), [("cow", 8), ("mor", 6), ("mor", 9)])
def test_an_index_that_cannot_be_built_again_is_left_out_with_a_warning(
    tmp_path: Path, kind: str, version: int
) -> None:
    """RESTORE-1021: columns of the table have changed their names, which statistics of files cannot be built for."""
    table = made(tmp_path / "t", kind, version, all_of(version))
    table.evolve("RENAME COLUMN n TO m")
    saved = savepoint(table.refresh()).instant
    before = table.refresh().scan().count()
    table.refresh().delete(where="id = 'k001'")
    with pytest.warns(UserWarning) as noticed:
        result = restore(table.refresh(), saved)
    lacking = [text.partition(" any more: ")[0] for text in map(str, (one.message for one in noticed))]
    assert lacking == [
        f"the table is as wanted, but it has no {name}" for name in all_of(version)[: 1 if version == 6 else 2]
    ]
    assert "; hudi-core index build TABLE column_stats builds it" in str(noticed[0].message)
    after = table.refresh()
    assert result.state == "completed"
    assert set(result.rebuilt) == {"files", "bloom_filters", "record_index"} == set(after.config.metadata_partitions)
    assert after.scan().count() == before
    assert [str(finding) for finding in after.validate()] == []
    after.upsert(pa.table({"id": ["k001"], "m": pa.array([7], pa.int64()), "city": ["rome"]}))
    assert table.refresh().scan(where="m = 7").count() == 1


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [6, 9])
def test_statistics_of_columns_that_only_came_are_built_again(tmp_path: Path, version: int) -> None:
    """META-1021, RESTORE-461."""
    table = made(tmp_path / "t", "mor", version, all_of(version))
    table.evolve("ADD COLUMN tip double")
    table.refresh().upsert(rows(3, 9, 8).append_column("tip", pa.array([0.5] * 6)))
    saved = savepoint(table.refresh()).instant
    before = table.refresh().scan().count()
    table.refresh().delete(where="id = 'k001'")
    result = restore(table.refresh(), saved)
    after = table.refresh()
    assert set(result.rebuilt) == {"files", *all_of(version)}
    assert (after.scan().count(), after.scan(where="tip > 0").count()) == (before, 6)
    assert [str(finding) for finding in after.validate()] == []


@pytest.mark.each_value
@pytest.mark.parametrize(("kind", "version"), [("mor", 6), ("cow", 6), ("mor", 9)])
def test_readers_go_on_while_instants_are_undone(tmp_path: Path, kind: str, version: int) -> None:
    """RESTORE-1028: also where file names do not tell which write a log file is of."""
    table = made(tmp_path / "t", kind, version, ["column_stats"])
    saved, before = savepoint(table).instant, content(table)
    for number in (3, 4):
        table.refresh().upsert(rows(0, 10, number), sizes=hudi_core.FileSizes(small=0))
    seen: list[list[dict[str, Any]]] = []
    restore(table.refresh(), saved, progress=lambda *_: seen.append(content(table)))
    assert [len(state) for state in seen] == [30, 30]
    assert seen[-1] == content(table) == before
