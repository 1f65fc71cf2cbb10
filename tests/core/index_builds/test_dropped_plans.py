"""Pending plans that cannot be read: what a write does beside each, and what validation does about it.

Also covers: `timeline/plans.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_core.commit.avro_schemas import ROLLBACK_PLAN
from hudi_core.commit.steps import Create, run
from hudi_core.commit.times import next_time
from hudi_core.creating.create import create_table
from hudi_core.errors import CorruptFileError, HudiError, StorageError
from hudi_core.formats.avro.container import write_container
from hudi_core.index_builds import removal
from hudi_core.index_builds.build import build_indexes
from hudi_core.index_kinds.planned_builds import indexing_files, plan_content
from hudi_core.metadata.definitions import index_definitions
from hudi_core.table.open import open_table
from hudi_core.timeline.instants import CLEAN, CLUSTERING, COMPACTION, INDEXING, REPLACE_COMMIT, RESTORE, ROLLBACK
from hudi_core.timeline.plans import rollback_target, unreadable_plans
from hudi_core.transactions.rollback import roll_back
from hudi_core.transactions.rollback_plans import rollback_plan
from hudi_core.transactions.rollback_steps import rollback_steps
from hudi_core.validation.mend import mend
from hudi_core.validation.validate import validate
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from tests.support.drawing import each_pair
from tests.support.written_tables import TYPES, rows, rows_of

TIME = "20250101000000000"
TORN = b"Obj\x01\x02\x16avro.schema"
ONCE = WriteOptions(attempts=1)
CONTENTS = [b"", TORN, b"no plan at all"]
VERSIONS = pytest.mark.parametrize("version", [6, 8, 9])


def planned(folder: Path, version: int, action: str, content: bytes, *, inflight: bool = False) -> Path:
    """A table of one row with a pending action that has this plan; the plan's path."""
    table = create_table(
        folder / "t", TYPES, "id", partition_by="p", type="mor", version=version, indexes=["column_stats"]
    )
    write(table, rows(("a", "x", 1)))
    timeline = folder / "t" / table.timeline.folder
    if inflight:
        (timeline / f"{TIME}.{action}.inflight").write_bytes(b"")
    path = timeline / f"{TIME}.{action}.requested"
    path.write_bytes(content)
    return path


def upsert(folder: Path, n: int) -> None:
    write(open_table(folder / "t"), rows(("a", "x", n)), options=ONCE)
    assert rows_of(open_table(folder / "t")) == [("a", "x", n)]


def mended(folder: Path) -> None:
    table = open_table(folder / "t")
    mend(table, validate(table))


@pytest.mark.each_value
@each_pair(version=[6, 8, 9], content=CONTENTS, inflight=[False, True])
def test_a_rollback_that_cannot_be_read_is_dropped_by_the_next_write(
    tmp_path: Path, version: int, content: bytes, inflight: bool
) -> None:
    """ROLLBACK-320."""
    path = planned(tmp_path, version, ROLLBACK, content, inflight=inflight)
    others = tmp_path / "t/.hoodie/.heartbeat/20990101000000000"
    others.parent.mkdir(exist_ok=True)
    others.write_bytes(b"")
    marker = tmp_path / "t/.hoodie/.temp/20990101000000000/x/f.marker.CREATE"
    marker.parent.mkdir(parents=True)
    marker.write_bytes(b"")
    upsert(tmp_path, 2)
    assert not path.exists()
    assert not path.with_name(f"{TIME}.rollback.inflight").exists()
    assert others.exists()
    assert marker.exists()


@pytest.mark.each_value
@VERSIONS
@pytest.mark.parametrize("target", [None, "", "../../t"])
def test_a_rollback_that_names_no_instant_is_none(tmp_path: Path, version: int, target: str | None) -> None:
    """ROLLBACK-320, TIME-321, STORE-322."""
    named = None if target is None else {"commitTime": target, "action": "commit"}
    content = write_container(ROLLBACK_PLAN, [{"instantToRollback": named, "RollbackRequests": [], "version": 1}])
    path = planned(tmp_path, version, ROLLBACK, content)
    table = open_table(tmp_path / "t")
    (rollback,) = table.timeline.pending
    with pytest.raises(CorruptFileError, match=rf"{TIME}\.rollback\.requested: expected"):
        rollback_target(table.timeline, rollback)
    upsert(tmp_path, 2)
    assert not path.exists()


@VERSIONS
def test_what_a_lost_rollback_was_to_undo_is_rolled_back_anew(tmp_path: Path, version: int) -> None:
    """ROLLBACK-320: it had begun, and its plan was lost after the instant that it undoes was pending again."""
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p", version=version)
    write(table, rows(("a", "x", 1)))
    write(table, rows(("a", "x", 2)))
    table = open_table(tmp_path / "t")
    steps = rollback_steps(table, rollback_plan(table, table.timeline.commits[-1]))
    for _ in range(3):
        next(steps).apply(table.storage)
    (plan,) = (tmp_path / "t" / table.timeline.folder).glob("*.rollback.requested")
    plan.write_bytes(TORN)
    assert rows_of(open_table(tmp_path / "t")) == [("a", "x", 1)]
    write(open_table(tmp_path / "t"), rows(("b", "x", 3)))
    assert rows_of(open_table(tmp_path / "t")) == [("a", "x", 1), ("b", "x", 3)]
    assert not open_table(tmp_path / "t").timeline.pending
    assert not [finding for finding in validate(open_table(tmp_path / "t")) if finding.severity != "info"]


@pytest.mark.each_value
@each_pair(
    version=[6, 8, 9], content=CONTENTS, action=[CLEAN, COMPACTION, CLUSTERING, REPLACE_COMMIT, RESTORE, INDEXING]
)
def test_other_plans_are_dropped_by_validation(tmp_path: Path, version: int, content: bytes, action: str) -> None:
    """ROLLBACK-321, VALID-320, TIME-320."""
    path = planned(tmp_path, version, action, content)
    assert rows_of(open_table(tmp_path / "t")) == [("a", "x", 1)]
    try:
        upsert(tmp_path, 2)
    except HudiError as error:
        assert TIME in str(error)
        assert action in str(error)
        assert rows_of(open_table(tmp_path / "t")) == [("a", "x", 1)]
    table = open_table(tmp_path / "t")
    overwrite = action == REPLACE_COMMIT and not content
    assert [unreadable.instant.requested_time for unreadable in unreadable_plans(table.timeline)] == [TIME] * (
        not overwrite and path.exists()
    )
    if not overwrite:
        (finding,) = [finding for finding in validate(table) if finding.mending.drops]
        assert finding.where == path.relative_to(tmp_path / "t").as_posix()
    mended(tmp_path)
    assert not path.exists()
    upsert(tmp_path, 3)
    assert not [finding for finding in validate(open_table(tmp_path / "t")) if finding.severity != "info"]


def test_a_restore_that_has_begun_is_not_dropped(tmp_path: Path) -> None:
    """ROLLBACK-321."""
    path = planned(tmp_path, 9, RESTORE, TORN, inflight=True)
    mended(tmp_path)
    assert path.exists()
    with pytest.raises(HudiError, match=f"found restore {TIME}"):
        upsert(tmp_path, 2)


def test_a_compaction_whose_time_log_files_of_version_6_have_is_not_dropped(tmp_path: Path) -> None:
    """ROLLBACK-321: without it readers would take the log file for a slice of its own."""
    path = planned(tmp_path, 6, COMPACTION, TORN)
    (tmp_path / "t/x" / f".f-0_{TIME}.log.1_0-0-0").write_bytes(b"")
    mended(tmp_path)
    assert path.exists()


def test_a_plan_whose_run_is_alive_stays(tmp_path: Path) -> None:
    """ROLLBACK-321."""
    path = planned(tmp_path, 9, CLUSTERING, TORN, inflight=True)
    (tmp_path / f"t/.hoodie/.heartbeat/{TIME}").write_bytes(b"")
    mended(tmp_path)
    assert path.exists()


def test_files_of_a_run_go_with_its_plan(tmp_path: Path) -> None:
    """ROLLBACK-321."""
    planned(tmp_path, 9, COMPACTION, TORN, inflight=True)
    written = tmp_path / f"t/x/f-0_0-0-0_{TIME}.parquet"
    written.write_bytes(b"half a file")
    mended(tmp_path)
    assert not written.exists()


@pytest.mark.parametrize("action", [COMPACTION, CLEAN])
def test_a_service_of_the_metadata_table_that_cannot_be_read_has_it_built_again(tmp_path: Path, action: str) -> None:
    """VALID-320."""
    planned(tmp_path, 9, CLEAN, b"")
    mended(tmp_path)
    path = tmp_path / f"t/.hoodie/metadata/.hoodie/timeline/{TIME}.{action}.requested"
    path.write_bytes(TORN)
    with pytest.raises(CorruptFileError, match=f"{TIME}.{action}.requested"):
        upsert(tmp_path, 2)
    mended(tmp_path)
    upsert(tmp_path, 3)
    assert not [finding for finding in validate(open_table(tmp_path / "t")) if finding.severity != "info"]


def test_a_clustering_is_rolled_back_by_its_markers_or_names(tmp_path: Path) -> None:
    """ROLLBACK-321: its plan is not needed for that."""
    planned(tmp_path, 9, CLUSTERING, TORN)
    table = open_table(tmp_path / "t")
    (instant,) = table.timeline.pending
    assert roll_back(table, instant).files == ()


def test_a_build_that_never_began_leaves_the_index_that_it_was_to_replace(tmp_path: Path) -> None:
    """META-1409: nothing says afterwards that the index was built again."""
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p", indexes=["column_stats"])
    write(table, rows(("a", "x", 1)))
    table = open_table(tmp_path / "t")
    files = indexing_files(table, next_time(table.timeline))
    run(table.storage, [Create(files.requested, plan_content(table.timeline, ("column_stats",)))])
    built = build_indexes(table, ["bloom_filters"])
    assert built.timeline.pending == ()
    assert [one.action for one in built.timeline.completed].count(INDEXING) == 1
    assert set(built.config.metadata_partitions) >= {"files", "column_stats", "bloom_filters"}
    assert list(validate(built)) == []


def test_a_drop_that_storage_ended_is_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """META-1408."""
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p", indexes=["column_stats"])
    write(table, rows(("a", "x", 1)))

    def full(*_: object) -> None:
        raise StorageError("index.json", message="No space left on device")

    monkeypatch.setattr(removal, "remove_definitions", full)
    with pytest.raises(StorageError):
        removal.drop_index(table, "column_stats")
    monkeypatch.undo()
    table = open_table(tmp_path / "t")
    assert [found.check for found in validate(table)] == ["properties"]
    assert "column_stats" in removal.drop_index(table, "column_stats")
    assert index_definitions(table.storage, table.config) == {}
    assert list(validate(open_table(tmp_path / "t"))) == []
