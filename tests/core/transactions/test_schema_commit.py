"""Commits go on with the history of schemas; schema changes are commits. COMMIT-13, COMMIT-14, CONFLICT-5.

Also covers: `writing/alter_schema.py`.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pytest

from hudi_core.commit.statuses import TableChange
from hudi_core.errors import ConflictError, UnsupportedError, UsageError
from hudi_core.front.opening import create_table, open_table
from hudi_core.schema.json import history_from_json
from hudi_core.schema.meta import bare_schema
from hudi_core.schema.schema import Schema
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.schemas import read_recorded_history
from hudi_core.transactions.rollback import roll_back_completed
from hudi_core.transactions.transaction import transaction
from hudi_core.writing.alter_schema import alter_schema
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from tests.support.conformance import TableEntry, tables

TYPES = pa.schema([("id", pa.string()), ("n", pa.int32()), ("s", pa.string())])
KINDS = [("cow", 9), ("mor", 9), ("cow", 8), ("mor", 6)]


def new_table(folder: Path, kind: str = "cow", version: int = 9) -> Table:
    table = create_table(folder / "t", TYPES, "id", type=kind, version=version)
    table.insert(pa.Table.from_pylist([{"id": "a", "n": 1, "s": "x"}, {"id": "b", "n": 2, "s": "y"}], TYPES))
    return refreshed(table)


def rows(table: Table) -> list[dict[str, object]]:
    return sorted(refreshed(table).scan(meta=False).to_json_rows(), key=lambda row: row["id"])


def versions(table: Table) -> tuple[Schema, ...]:
    """The history, newest first; its last schema is the one that the newest commit records."""
    recorded = read_recorded_history(refreshed(table).timeline)
    if recorded is None:
        return ()
    history = history_from_json(recorded[0])
    newest = refreshed(table).timeline.extras()[-1]
    assert json.loads(newest["latest_schema"])["version_id"] == history[0].version
    return history


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("kind", "version"), KINDS)
def test_schema_changes_are_commits_that_later_writes_keep(tmp_path: Path, kind: str, version: int) -> None:
    table = new_table(tmp_path, kind, version)
    first = alter_schema(table, "RENAME COLUMN n TO m; ADD COLUMN extra double AFTER id")
    assert rows(table) == [
        {"id": "a", "extra": None, "m": 1, "s": "x"}, {"id": "b", "extra": None, "m": 2, "s": "y"}
    ]  # fmt: skip
    table.upsert(
        pa.table({"id": ["b", "c"], "m": pa.array([5, 6], pa.int32()), "s": ["y", "z"]}), missing_columns="null"
    )
    assert [(row["id"], row["m"]) for row in rows(table)] == [("a", 1), ("b", 5), ("c", 6)]
    table.delete(where="m = 5")
    assert [schema.version for schema in versions(table)] == [int(first.requested_time), 0]
    second = alter_schema(table, "DROP COLUMN s; ALTER COLUMN m TYPE bigint")
    table.upsert(pa.table({"id": ["c"], "extra": [0.5], "m": [1 << 40]}))
    assert rows(table) == [{"id": "a", "extra": None, "m": 1}, {"id": "c", "extra": 0.5, "m": 1 << 40}]
    assert versions(table)[0].version == int(second.requested_time)
    names = {path.name for path in (tmp_path / "t/.hoodie/.schema").iterdir()}
    assert {f"{second.requested_time}.schemacommit.{state}" for state in ("requested", "inflight")} <= names
    last = f"{second.requested_time}.schemacommit" if version == 6 else f"{second.requested_time}_*.schemacommit"
    assert len(list((tmp_path / "t/.hoodie/.schema").glob(last))) == 1


def test_a_column_that_a_write_adds_becomes_a_version(tmp_path: Path) -> None:
    table = new_table(tmp_path)
    alter_schema(table, "RENAME COLUMN s TO t")
    ids = versions(table)[0].ids
    added = pa.table({"id": ["a"], "s": ["new"]})
    written = table.upsert(added, missing_columns="null", add_columns=True).instant
    newest = versions(table)[0]
    assert newest.version == int(written)
    assert newest.ids[("s",)] > max(ids.values())
    assert {path: newest.ids[path] for path in ids} == ids
    assert [(row["s"], row["t"]) for row in rows(table)] == [("new", None), (None, "y")]


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("kind", "version"), KINDS)
def test_columns_are_added_to_tables_with_virtual_keys(tmp_path: Path, kind: str, version: int) -> None:
    """COMMIT-1424: the meta columns of the first version have ids of their own."""
    options = {"hoodie.populate.meta.fields": "false"}
    table = create_table(tmp_path / "t", TYPES, "id", type=kind, version=version, options=options)
    table.insert(pa.table({"id": ["a", "b"], "n": pa.array([1, 2], pa.int32()), "s": ["x", "y"]}))
    table = table.refresh().evolve("ADD COLUMN new int").evolve("ADD COLUMN other int; RENAME COLUMN s TO t")
    table.update({"new": 7}, where="id = 'b'")
    read = [
        {"id": "a", "n": 1, "t": "x", "new": None, "other": None},
        {"id": "b", "n": 2, "t": "y", "new": 7, "other": None},
    ]
    assert rows(table) == read
    assert len(table.refresh().schema.ids) == len(set(table.refresh().schema.ids.values()))
    assert list(table.refresh().validate()) == []


@pytest.mark.each_value
@pytest.mark.parametrize("meta", ["true", "false"])
@pytest.mark.parametrize(("kind", "version"), KINDS)
def test_a_new_column_has_its_default_in_all_rows(tmp_path: Path, kind: str, version: int, meta: str) -> None:
    """COMMIT-1544: whether or not rows have meta columns."""
    options = {"hoodie.populate.meta.fields": meta}
    table = create_table(tmp_path / "t", TYPES, "id", type=kind, version=version, options=options)
    table.insert(pa.table({"id": ["a", "b"], "n": pa.array([1, 2], pa.int32()), "s": ["x", "y"]}))
    changes = "ADD COLUMN new int DEFAULT 7 FIRST; ADD COLUMN must string NOT NULL DEFAULT 'm'"
    table = table.refresh().evolve(changes).evolve("RENAME COLUMN s TO t")
    assert [(row["new"], row["must"]) for row in rows(table)] == [(7, "m"), (7, "m")]
    assert table.count("new = 7 AND must = 'm'") == 2
    table.upsert(pa.table({"id": ["a"]}), missing_columns="keep")
    assert [(row["new"], row["must"]) for row in rows(table)] == [(7, "m"), (7, "m")]


def test_tables_without_a_history_get_none_by_writing(tmp_path: Path) -> None:
    table = new_table(tmp_path)
    table.upsert(pa.table({"id": ["a"], "more": [1]}), missing_columns="null", add_columns=True)
    assert versions(table) == ()
    assert list((tmp_path / "t/.hoodie/.schema").glob("*")) == []


def test_a_rollback_takes_the_change_back(tmp_path: Path) -> None:
    table = new_table(tmp_path)
    before = rows(table)
    changed = alter_schema(table, "DROP COLUMN n")
    roll_back_completed(refreshed(table), changed.requested_time)
    assert rows(table) == before
    assert not list((tmp_path / "t/.hoodie/.schema").iterdir())


def test_a_write_does_not_undo_a_concurrent_schema_change(tmp_path: Path) -> None:
    """CONFLICT-5."""
    table = new_table(tmp_path)
    with pytest.raises(ConflictError, match="schema"), transaction(table, "commit", "INSERT") as write:
        write.start()
        alter_schema(table, "ADD COLUMN more int")
        write.commit(TableChange("INSERT", "commit", bare_schema(write.table.schema)))
    assert "more" in rows(table)[0]


def change_b(table: Table) -> None:
    table.refresh().upsert(pa.table({"id": ["b"], "n": pa.array([4], pa.int32()), "s": ["y"]}))


@pytest.mark.each_value
@pytest.mark.parametrize("evolved", [False, True])
@pytest.mark.parametrize("other", ["upsert", "compact"])
def test_a_schema_change_is_not_hidden_by_a_write_that_was_requested_later(
    tmp_path: Path, other: str, evolved: bool
) -> None:
    """CONFLICT-1546: the write is planned again behind it."""
    kind = "mor" if other == "compact" else "cow"
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="s", type=kind)
    table.insert(pa.table({"id": ["a", "b"], "n": pa.array([1, 2], pa.int32()), "s": ["x", "y"]}))
    table = table.refresh().evolve("ALTER COLUMN n TYPE bigint") if evolved else table.refresh()
    came: list[object] = []

    def meanwhile(_done: int, _of: int) -> None:
        if not came:
            came.append(0)
            if other == "compact":
                assert table.compact().state == "completed"
            else:
                change_b(table)

    rows = pa.table({"id": ["a"], "n": [1 << 40], "s": ["x"], "more": ["new"]})
    change_b(table)
    with pytest.raises(ConflictError, match="behind which nobody would see the new schema"):
        write(table, rows, options=WriteOptions(add_columns=True, attempts=1, progress=meanwhile))
    assert "more" not in table.refresh().schema.ids
    came.clear()
    change_b(table)
    write(table.refresh(), rows, options=WriteOptions(add_columns=True, attempts=2, progress=meanwhile))
    found = table.refresh().scan("more = 'new'", columns=["id", "n", "more"]).to_json_rows()
    assert list(found) == [{"id": "a", "n": 1 << 40, "more": "new"}]
    assert list(table.refresh().validate()) == []


def test_a_schema_change_alone_is_refused_behind_a_write_that_was_requested_later(tmp_path: Path) -> None:
    """CONFLICT-1546."""
    table = new_table(tmp_path)
    with pytest.raises(ConflictError, match="nobody would see"), transaction(table, "commit", "ALTER_SCHEMA") as write:
        write.start()
        table.insert(pa.table({"id": ["c"], "n": pa.array([3], pa.int32()), "s": ["z"]}))
        evolved = table.evolved("ADD COLUMN more int")
        write.commit(TableChange("ALTER_SCHEMA", "commit", bare_schema(evolved)))
    assert len(rows(table)) == 3 and "more" not in table.refresh().schema.ids


def test_changes_that_cannot_be_made_are_refused(tmp_path: Path) -> None:
    table = new_table(tmp_path)
    with pytest.raises(UnsupportedError, match=r"hoodie\.table\.recordkey\.fields"):
        alter_schema(table, "RENAME COLUMN id TO key")
    with pytest.raises(UsageError, match="a change of the schema"):
        alter_schema(table, "ALTER COLUMN n TYPE int")
    assert versions(table) == ()


def test_rows_keep_the_default_that_they_have(tmp_path: Path) -> None:
    """CHANGE-1543."""
    types = pa.schema([("id", pa.string()), ("p", pa.string())])
    table = create_table(tmp_path / "t", types, "id", partition_by="p")
    table.insert(pa.table({"id": ["a", "b"], "p": ["1", "2"]}))
    table = table.refresh().evolve("ADD COLUMN x int DEFAULT 1; ADD COLUMN y int")
    table.upsert(pa.table({"id": ["a"], "p": ["1"]}), missing_columns="keep")
    before = rows(table)
    assert [row["x"] for row in before] == [1, 1]
    changes = ("ALTER COLUMN x SET DEFAULT 2", "ALTER COLUMN x DROP DEFAULT", "ALTER COLUMN y SET DEFAULT 1")
    for change in changes:
        with pytest.raises(UnsupportedError, match="a default of rows to come, of a column that all files have"):
            alter_schema(refreshed(table), change)
    alter_schema(refreshed(table), "ALTER COLUMN x TYPE string")
    assert [row["x"] for row in rows(table)] == ["1", "1"]
    table.refresh().upsert(pa.table({"id": ["b"], "p": ["2"]}), missing_columns="keep")
    for change in changes[:2]:
        alter_schema(refreshed(table), change.replace("2", "'2'"))
        assert [row["x"] for row in rows(table)] == ["1", "1"]


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("kind", "version"), KINDS)
def test_files_keep_their_schema_when_all_before_the_first_change_is_archived(
    tmp_path: Path, kind: str, version: int
) -> None:
    """TIME-34."""
    types = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int32()), ("s", pa.string())])
    table = create_table(tmp_path / "t", types, "id", partition_by="p", type=kind, version=version)
    table.insert(pa.Table.from_pylist([{"id": name, "p": name, "n": 1, "s": name} for name in "ab"], types))
    table = table.refresh().evolve("RENAME COLUMN n TO m; DROP COLUMN s; ADD COLUMN s int")
    changed = table.timeline.commits[-1].requested_time
    update = pa.table({"id": ["b"], "p": ["b"], "m": pa.array([0], pa.int32()), "s": pa.array([2], pa.int32())})
    table.upsert(update)
    saved = table.refresh().savepoint().instant
    for _ in range(3):
        table.upsert(update)
    if kind == "mor":
        table.compact()
    before = rows(table)
    assert before[0] == {"id": "a", "p": "a", "m": 1, "s": None}
    for kept in (True, False):  # the change is the first instant that is left, and then it is gone
        table.refresh().archive(keep_min=2, keep_max=3)
        opened = table.refresh()
        assert (opened.timeline.commits[0].requested_time == changed) is kept
        assert rows(opened) == before
        assert (opened.count("m = 1"), opened.count("s IS NULL"), opened.count("s = 2")) == (1, 1, 1)
        if kept:
            opened.drop_savepoint(saved)


def test_rows_that_are_merged_by_their_defaults_keep_them(tmp_path: Path) -> None:
    """CHANGE-1543."""
    options = {"hoodie.table.partial.update.mode": "IGNORE_DEFAULTS"}
    table = create_table(tmp_path / "t", TYPES, "id", type="mor", options=options)
    for _ in range(2):
        table.refresh().upsert(pa.table({"id": ["a"], "n": pa.array([1], pa.int32()), "s": ["x"]}))
    with pytest.raises(UnsupportedError, match="log files whose rows are merged by their defaults"):
        alter_schema(refreshed(table), "ALTER COLUMN n SET DEFAULT 1")


def with_history() -> list[TableEntry]:
    """A recorded table of each type that has a history."""
    chosen: dict[str, TableEntry] = {}
    for entry in tables():
        if entry.has("*/.schema/*.schemacommit") and entry.expected["table"]["table_version"] == 9:
            chosen.setdefault(entry.expected["table"]["table_type"], entry)
    return list(chosen.values())


@pytest.mark.parametrize("entry", with_history(), ids=lambda entry: entry.name)
def test_schema_histories_of_apache_hudi_are_continued(entry: TableEntry, tmp_path: Path) -> None:
    shutil.copytree(entry.unpacked(), tmp_path / "t")
    table = open_table(tmp_path / "t")
    before, known = table.scan(meta=False).to_arrow(), versions(table)
    table.upsert(before.slice(0, 2))
    after = refreshed(table).scan(meta=False).to_arrow()
    key = table.config.record_key_fields[0]
    assert after.sort_by(key).equals(before.sort_by(key))
    assert versions(table) == known
