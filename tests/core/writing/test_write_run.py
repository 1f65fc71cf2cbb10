"""Writes of nothing, and what a write that is refused while it is planned leaves. Rules: WRITE-209, COMMIT-200,
CONFLICT-1483."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hudi_core
from hudi_core import ConflictError, RowError, UsageError, col
from hudi_core.cluster.operations import plan_only
from hudi_core.cluster.options import ClusterOptions
from hudi_core.errors import PendingPlanError
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.spread.operations import spread_write
from tests.support.local_flow import local_rows

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64())])
ROWS = pa.table({"id": ["a", "b"], "p": ["x", "y"], "n": [1, 2]}, TYPES)
NONE = ROWS.slice(0, 0)
NOTHING: dict[str, Callable[..., Any]] = {
    "upsert": lambda table, **named: table.upsert(NONE, **named),
    "upsert of other columns": lambda table, **named: table.upsert(NONE.append_column("m", NONE["n"]), **named),
    "insert": lambda table, **named: table.insert(NONE, **named),
    "append": lambda table, **named: table.append(NONE, **named),
    "delete of no keys": lambda table, **named: table.delete(NONE, **named),
    "delete of unknown keys": lambda table, **named: table.delete(pa.table({"id": ["z"], "p": ["x"]}), **named),
    "delete without a match": lambda table, **named: table.delete(where="n > 9", **named),
    "update without a match": lambda table, **named: table.update({"n": 0}, where="n > 9", **named),
    "overwrite of no partition": lambda table, **named: table.overwrite_partitions(NONE, **named),
}


def content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def new_table(folder: Path, kind: str = "cow", version: int = 9) -> hudi_core.Table:
    made = hudi_core.create(folder / "t", TYPES, "id", partition_by="p", type=kind, version=version, indexes=["files"])
    made.insert(ROWS)
    return made.refresh()


@pytest.mark.each_value
@pytest.mark.parametrize("operation", NOTHING)
@pytest.mark.parametrize(("kind", "version"), [("cow", 6), ("mor", 9)])
def test_a_write_of_nothing_commits_only_where_it_is_to(
    tmp_path: Path, operation: str, kind: str, version: int
) -> None:
    """WRITE-209."""
    table = new_table(tmp_path, kind, version)
    before = content(tmp_path / "t")
    result = NOTHING[operation](table)
    assert (result.instant, result.files_added, result.inserted, result.updated, result.deleted) == (None, 0, 0, 0, 0)
    assert content(tmp_path / "t") == before
    named: list[dict[str, Any]] = [{"allow_empty": True}, {"properties": {"hoodie.allow.empty.commit": "true"}}]
    for one in named:
        assert NOTHING[operation](table, **one).instant == table.refresh().timeline.commits[-1].requested_time


def test_a_write_that_replaces_rows_by_none_is_not_one_of_nothing(tmp_path: Path) -> None:
    """WRITE-209, WRITE-1633: where that is asked for; else the rows may be missing for want of a file."""
    table = new_table(tmp_path)
    before = content(tmp_path / "t")
    parts = local_rows(table.engine, [NONE])
    for options in (WriteOptions(), WriteOptions(dry_run=True)):
        for write in (
            lambda: table.overwrite(NONE, options),  # noqa: B023
            lambda: spread_write(table, parts, "insert_overwrite_table", options),  # noqa: B023
        ):
            with pytest.raises(
                UsageError, match=r"^rows: expected a row, or `allow_empty`, which takes all rows of the table away"
            ):
                write()
    assert content(tmp_path / "t") == before
    assert table.overwrite(NONE, allow_empty=True).instant is not None
    assert table.refresh().scan().count() == 0


@pytest.mark.parametrize(("kind", "version"), [("cow", 6), ("cow", 9), ("mor", 6), ("mor", 8)])
def test_a_write_that_its_plan_refuses_leaves_nothing(tmp_path: Path, kind: str, version: int) -> None:
    """COMMIT-200."""
    table = new_table(tmp_path, kind, version)
    before = content(tmp_path / "t")
    with pytest.raises(RowError, match="n: row 1"):
        table.update({"n": col("n") * 0.5})
    assert content(tmp_path / "t") == before


def test_an_option_that_is_none_is_refused(tmp_path: Path) -> None:
    """WRITE-206."""
    with pytest.raises(UsageError, match=r"^WriteOptions: expected some of allow_empty, found allow_emty$"):
        new_table(tmp_path).delete(where="n = 9", allow_emty=True)  # type: ignore[call-arg]


@pytest.mark.parametrize("options", [{}, {"hoodie.populate.meta.fields": "false"}])
def test_of_a_file_that_is_filled_only_the_new_keys_are_recorded(tmp_path: Path, options: dict[str, str]) -> None:
    """WRITE-17: the record index keeps the location of the others as it is, with its time."""
    table = hudi_core.create(tmp_path / "t", TYPES, "id", indexes=["record_index"], options=options)
    table.insert(ROWS)
    before = {record["key"]: record for record in table.refresh().metadata_records("record_index")}
    table.insert(ROWS.set_column(0, "id", pa.array(["c", "d"])))
    after = {record["key"]: record for record in table.refresh().metadata_records("record_index")}
    assert {key: after[key] for key in before} == before
    assert sorted(after) == ["a", "b", "c", "d"]
    assert len(table.refresh().slices()) == 1


def test_new_rows_of_a_merge_come_in_the_order_of_their_keys(tmp_path: Path) -> None:
    """WRITE-9: rows of one key stand where it comes."""
    table = hudi_core.create(tmp_path / "t", TYPES, "id")
    table.insert(ROWS)
    ids, numbers = ["e", "c", "d", "c", "a", "d"], [1, 2, 3, 4, 5, 6]
    table.upsert(pa.table({"id": ids, "p": ["x"] * 6, "n": numbers}, TYPES))
    rows = table.refresh().scan(columns=["id", "n"]).to_arrow()
    assert list(zip(*rows.to_pydict().values(), strict=True)) == [("a", 5), ("b", 2), ("c", 4), ("d", 6), ("e", 1)]


@pytest.mark.parametrize("index", ["GLOBAL_BLOOM", "global_simple", "RECORD_INDEX", "GLOBAL_RECORD_LEVEL_INDEX"])
def test_an_index_of_the_whole_table_needs_the_record_index(tmp_path: Path, index: str) -> None:
    """WRITE-1280: without it a key that is in another partition would be there twice."""
    rows = pa.table({"id": ["a"], "p": ["x"]})
    moved, wanted = rows.set_column(1, "p", pa.array(["y"])), {"hoodie.index.type": index}
    table = hudi_core.create(tmp_path / "t", rows, key="id", partition_by="p")
    table.insert(rows)
    with pytest.raises(hudi_core.UnsupportedError, match="expected a record index, which finds a key in any partition"):
        table.refresh().upsert(moved, properties=wanted)
    table.index("record_index")
    table.refresh().upsert(moved, properties=wanted)
    assert table.refresh().to_arrow(columns=["id", "p"]).to_pylist() == [{"id": "a", "p": "y"}]


def test_an_index_that_there_is_not_is_refused() -> None:
    """WRITE-1280."""
    with pytest.raises(UsageError, match=r"hoodie.index.type: expected one of BUCKET, BLOOM, .*, found 'blom'"):
        hudi_core.WriteOptions(properties={"hoodie.index.type": "blom"})
    assert hudi_core.WriteOptions(properties={"hoodie.index.type": " bloom"})


def test_a_write_is_tried_once_more_where_a_plan_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CONFLICT-1483, and CONFLICT-1436 where the plan is being run."""
    table = new_table(tmp_path)
    table.append(pa.table({"id": ["c", "d"], "p": ["x", "y"], "n": [3, 4]}, TYPES))
    waiting = plan_only(table.refresh(), ClusterOptions(columns=("n",))).instant
    assert waiting is not None
    pauses: list[float] = []
    monkeypatch.setattr("hudi_core.writing.write_run.time.sleep", pauses.append)
    with pytest.raises(PendingPlanError, match="not clustered") as refused:
        table.upsert(ROWS)
    assert len(pauses) == 1
    (note,) = refused.value.__notes__
    assert f"--run {waiting}" in note and f"--cancel {waiting}" in note
    with pytest.raises(PendingPlanError):
        table.upsert(ROWS, attempts=1)
    assert len(pauses) == 1
    (tmp_path / f"t/.hoodie/timeline/{waiting}.clustering.inflight").touch()
    with pytest.raises(ConflictError, match="not clustered") as tried:
        table.upsert(ROWS, attempts=3)
    assert not isinstance(tried.value, PendingPlanError)
    assert len(pauses) == 3
