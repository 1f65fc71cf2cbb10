"""Dry runs count what the write then does, and leave nothing behind."""

from __future__ import annotations

import pickle
import random
from pathlib import Path
from typing import Any

import pytest

import hudi_core
from hudi_core.cluster.operations import plan_only
from hudi_core.errors import AlreadyExistsError, ConflictError, NoSuchFileError
from hudi_core.front.table import Table
from hudi_core.table.open import refreshed
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.rehearsal import RehearsedStorage
from hudi_core.writing.spread.operations import spread_write
from tests.support.drawing import SOAK
from tests.support.local_flow import local_rows
from tests.support.spread_writes import cut, random_rows, twins

SCHEMA = {"id": "string", "ts": "int", "p": "string", "n": "int", "_hoodie_is_deleted": "boolean"}
TABLES = [
    ("cow", 9, (), {}, ("column_stats", "record_index")),
    ("cow", 6, ("ts",), {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "2"}, ()),
    ("mor", 9, ("ts",), {}, ("column_stats", "record_index")),
    ("mor", 6, (), {}, ()),
    ("mor", 8, ("ts",), {"hoodie.table.cdc.enabled": "true"}, ("bloom_filters",)),
]


def rows(chance: random.Random) -> list[dict[str, object]]:
    return [
        {
            "id": chance.choice("abcdefgh"),
            "ts": chance.randint(0, 5),
            "p": chance.choice("xy"),
            "n": chance.randint(0, 9),
            "_hoodie_is_deleted": chance.random() < 0.3,
        }
        for _ in range(chance.randint(1, 6))
    ]


def change(table: Table, op: str, given: list[dict[str, object]], dry_run: bool) -> Any:
    match op:
        case "delete":
            return table.delete([{"id": row["id"], "p": row["p"]} for row in given], dry_run=dry_run)
        case "where":
            return table.delete(where="n < 4", dry_run=dry_run)
        case "update":
            return table.update({"n": hudi_core.col("n") + 1}, where="n > 2", dry_run=dry_run)
        case "keep":
            some = [{name: row[name] for name in ("id", "ts", "p")} for row in given]
            return table.upsert(some, missing_columns="keep", dry_run=dry_run)
        case "transaction":
            with table.transaction(dry_run=dry_run) as together:
                together.upsert(given)
            return together.result
        case _:
            return table.write(given, op, dry_run=dry_run)  # type: ignore[arg-type]


OPERATIONS = [
    "upsert", "upsert", "insert", "bulk_insert", "append", "insert_overwrite", "insert_overwrite_table", "delete", "where",
    "update", "keep", "transaction",
]  # fmt: skip


@pytest.mark.each_value
@pytest.mark.parametrize(("kind", "version", "ordering", "options", "indexes"), TABLES)
def test_a_dry_run_counts_what_the_write_does(
    tmp_path: Path, kind: Any, version: Any, ordering: Any, options: dict[str, str], indexes: Any
) -> None:
    """WRITE-1490."""
    chance = random.Random(f"{kind}{version}{indexes}")
    table = hudi_core.create(
        tmp_path / "t", hudi_core.schema_of(SCHEMA), "id", partition_by="p", ordering=ordering, type=kind, version=version,
        indexes=indexes, options=options,
    )  # fmt: skip
    for _ in range(25 if SOAK else 8):
        op, given = chance.choice(OPERATIONS), rows(chance)
        table, before = table.refresh(), sorted(tmp_path.rglob("*"))
        try:
            foreseen = change(table, op, given, True)
        except hudi_core.HudiError as error:
            with pytest.raises(type(error)):
                change(table, op, given, False)
            continue
        assert foreseen.instant is None
        assert sorted(tmp_path.rglob("*")) == before
        done = change(table, op, given, False)
        for name in ("operation", "inserted", "updated", "deleted", "files_added", "files_replaced"):
            assert getattr(foreseen, name) == getattr(done, name), (op, name)


def test_a_row_that_comes_back_behind_a_delete_is_new_in_a_dry_run_too(tmp_path: Path) -> None:
    """WRITE-1490."""
    table = hudi_core.create(tmp_path / "t", hudi_core.schema_of("id string, ts int"), "id", ordering="ts", type="mor")
    table.upsert([{"id": "a", "ts": 5}, {"id": "b", "ts": 5}])
    table.delete([{"id": "a"}])
    foreseen, done = (table.upsert([{"id": "a", "ts": 1}], dry_run=dry_run) for dry_run in (True, False))
    assert (foreseen.inserted, foreseen.updated) == (done.inserted, done.updated) == (1, 0)


def test_a_dry_run_of_rows_in_parts_counts_as_one_of_the_whole(tmp_path: Path) -> None:
    """WRITE-1490."""
    for folder, (kind, version) in zip("ab", [("cow", 9), ("mor", 8)], strict=True):
        chance = random.Random(3)
        spread, whole = twins(tmp_path / folder, kind, version, ("column_stats", "record_index"))
        whole_before = random_rows(chance, 40, [0])
        for table in (spread, whole):
            hudi_core.write(table, whole_before)
        given, before = random_rows(chance, 40, [1]), sorted((tmp_path / folder).rglob("*"))
        foreseen = spread_write(
            refreshed(spread), local_rows(spread.engine, cut(chance, given)), "upsert", WriteOptions(dry_run=True)
        )
        assert sorted((tmp_path / folder).rglob("*")) == before
        done = hudi_core.write(refreshed(whole), given)
        for name in ("inserted", "updated", "deleted"):
            assert getattr(foreseen, name) == getattr(done, name), name


def test_a_dry_run_is_refused_as_the_write_is_where_a_clustering_is_planned(tmp_path: Path) -> None:
    """WRITE-1490."""
    table = hudi_core.create(tmp_path / "t", [{"id": "a", "n": 1}], "id")
    table.append([{"id": "a", "n": 1}])
    table.append([{"id": "b", "n": 1}])
    plan_only(table.refresh(), hudi_core.ClusterOptions(columns=("n",)))
    for dry_run in (True, False):
        with pytest.raises(ConflictError, match="expected file groups that are not clustered"):
            table.refresh().upsert([{"id": "a", "n": 2}], dry_run=dry_run, attempts=1)
    assert table.refresh().upsert([{"id": "a", "n": 2}], dry_run=True, cancels_plans=True).updated == 1


def test_files_of_a_rehearsal_take_no_room_and_the_tables_stay(tmp_path: Path) -> None:
    """WRITE-1490."""
    table = hudi_core.create(tmp_path / "t", [{"id": "a"}], "id")
    storage = RehearsedStorage(table.storage, frozenset({"there"}))
    stored = ".hoodie/hoodie.properties"
    content = storage.read(stored)
    storage.create("p/x", b"abc")
    storage.replace("p/y", b"de")
    with storage.output("p/v") as file:
        file.write(b"abc")
    assert all(map(storage.exists, ("p/v", "p/x", "p/y", "there")))
    with pytest.raises(NoSuchFileError):
        storage.read("p/v")
    assert not storage.exists("p/z")
    for path in ("p/x", stored):
        with pytest.raises(AlreadyExistsError):
            storage.create(path, b"")
    storage.delete_files(["p/x", stored])
    storage.delete_folder("p")
    assert not storage.exists("p/x")
    assert not storage.exists("p/y")
    assert table.storage.read(stored) == content
    other: RehearsedStorage = pickle.loads(pickle.dumps(storage))
    assert other.exists("there")
    assert other.open(stored).size == len(content)
    with pytest.raises(OSError, match="no room"), storage.output("p/x"):
        raise OSError("no room")
    assert not storage.exists("p/x")
