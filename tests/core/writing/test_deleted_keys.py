"""WRITE-75, WRITE-76: rows of keys that log files delete go back to their file groups; the record index has what there is.

Also covers: `data_files/log_keys.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from hudi_core.front.opening import create_table, open_table
from hudi_core.metadata.record_index import locations
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.tagging.choose import IndexType
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from hudi_core.writing.spread.operations import spread_write
from tests.support.local_flow import local_rows
from tests.support.written_tables import TYPES, rows, rows_of

INDEXES: list[Sequence[str]] = [(), ("column_stats", "bloom_filters"), ("column_stats", "record_index")]


def with_a_deleted_key(folder: Path, indexes: Sequence[str] = (), kind: str = "mor", version: int = 9) -> Table:
    table = create_table(
        folder / "t", TYPES, "id", partition_by="p", type=kind, version=version, indexes=indexes or None
    )
    write(table, rows(("a", "x", 1), ("b", "x", 1), ("c", "y", 1)))
    write(refreshed(table), rows(("b", "x", 1)), "delete")
    return refreshed(table)


@pytest.mark.parametrize("version", [6, 8, 9])
@pytest.mark.parametrize("indexes", INDEXES)
def test_a_key_that_a_log_file_deletes_comes_back_to_its_file_group(
    tmp_path: Path, indexes: Sequence[str], version: int
) -> None:
    table = with_a_deleted_key(tmp_path, indexes, version=version)
    groups = {file_slice.partition: file_slice.file_id for file_slice in table.slices()}
    result = write(table, rows(("b", "x", 2), ("b", "x", 3), ("d", "x", 2), ("a", "x", 2)))
    assert (result.inserted, result.updated) == (2, 1)
    after = refreshed(table)
    assert rows_of(after) == [("a", "x", 2), ("b", "x", 3), ("c", "y", 1), ("d", "x", 2)]
    assert rows_of(after, "id = 'b'") == [("b", "x", 3)]
    places = {row["_hoodie_record_key"]: row["_hoodie_file_name"] for row in after.scan().to_json_rows()}
    assert places["b"].startswith(groups["x"])
    assert not places["d"].startswith(groups["x"])
    if "record_index" in indexes:
        metadata = after.snapshot().metadata
        assert metadata is not None
        found = {"abcd"[number]: place for number, place in locations(metadata.lookup("record_index", list("abcd")))}
        assert found["b"].file_id == groups["x"]
    assert [str(finding) for finding in after.validate()] == []


def test_a_key_of_another_partition_is_new(tmp_path: Path) -> None:
    table = with_a_deleted_key(tmp_path)
    write(table, rows(("b", "y", 2)))
    assert rows_of(refreshed(table)) == [("a", "x", 1), ("b", "y", 2), ("c", "y", 1)]
    write(refreshed(table), rows(("b", "x", 3)))
    assert rows_of(refreshed(table)) == [("a", "x", 1), ("b", "x", 3), ("b", "y", 2), ("c", "y", 1)]


@pytest.mark.parametrize(
    ("version", "index", "spread"),
    [
        (9, IndexType.AUTO, False),
        (9, IndexType.AUTO, True),
        (8, IndexType.SIMPLE, False),
        (8, IndexType.BLOOM, True),
        (9, IndexType.RECORD_INDEX, False),
        (6, IndexType.AUTO, True),
    ],
)
def test_a_row_that_moves_to_the_file_group_of_its_deleted_key_takes_no_place_there(
    tmp_path: Path, version: int, index: IndexType, spread: bool
) -> None:
    """WRITE-1382: its position in the file that it leaves is that of the row `a` in the one it goes to."""
    table = create_table(
        tmp_path / "t", TYPES, "id", partition_by="p", type="mor", version=version, indexes=["record_index"]
    )
    options = WriteOptions(index=index)
    steps = [
        ("upsert", rows(("a", "x", 1), ("b", "x", 1), ("c", "x", 1))),
        ("delete", rows(("c", "x", 1))),
        ("upsert", rows(("c", "y", 2), ("d", "y", 2))),
        ("upsert", rows(("c", "x", 3))),
    ]
    for op, batch in steps:
        if spread:
            spread_write(refreshed(table), local_rows(table.engine, [batch]), op, options)
        else:
            write(refreshed(table), batch, op, options)
    after = refreshed(table)
    assert rows_of(after) == [("a", "x", 1), ("b", "x", 1), ("c", "x", 3), ("d", "y", 2)]
    assert [str(finding) for finding in after.validate()] == []


def test_a_delete_marker_for_a_key_that_is_deleted_adds_nothing(tmp_path: Path) -> None:
    types = TYPES.append(pa.field("_hoodie_is_deleted", pa.bool_()))
    table = create_table(tmp_path / "t", types, "id", partition_by="p", type="mor", indexes=["record_index"])
    made = [{"id": key, "p": "x", "n": 1, "_hoodie_is_deleted": False} for key in "ab"]
    write(table, pa.Table.from_pylist(made, types))
    for _ in range(2):
        write(refreshed(table), pa.Table.from_pylist([{**made[1], "_hoodie_is_deleted": True}], types))
        after = refreshed(table)
        assert rows_of(after) == [("a", "x", 1)]
        assert [str(finding) for finding in after.validate()] == []
        metadata = after.snapshot().metadata
        assert metadata is not None
        assert [number for number, _ in locations(metadata.lookup("record_index", ["a", "b"]))] == [0]


EVENTS = TYPES.append(pa.field("ts", pa.int64())).append(pa.field("_hoodie_is_deleted", pa.bool_()))


def events(*values: tuple[str, int, bool]) -> pa.Table:
    made = [{"id": key, "p": "x", "n": ts, "ts": ts, "_hoodie_is_deleted": deleted} for key, ts, deleted in values]
    return pa.Table.from_pylist(made, EVENTS)


@pytest.mark.parametrize("version", [6, 9])
def test_a_row_that_loses_against_its_delete_marker_is_no_insert(tmp_path: Path, version: int) -> None:
    table = create_table(
        tmp_path / "t",
        EVENTS,
        "id",
        partition_by="p",
        type="mor",
        version=version,
        ordering="ts",
        indexes=["record_index"],
    )
    write(table, events(("a", 1, False), ("b", 1, False), ("c", 1, False)))
    write(refreshed(table), events(("b", 10, True), ("c", 10, True)))
    result = write(refreshed(table), events(("b", 5, False), ("c", 11, False)))
    assert (result.inserted, result.updated) == (1, 1)
    after = refreshed(table)
    assert rows_of(after) == [("a", "x", 1), ("c", "x", 11)]
    metadata = after.snapshot().metadata
    assert metadata is not None
    assert [number for number, _ in locations(metadata.lookup("record_index", list("abc")))] == [0, 2]
    assert [str(finding) for finding in after.validate()] == []


def test_the_record_index_keeps_keys_whose_delete_marker_loses(tmp_path: Path) -> None:
    table = create_table(
        tmp_path / "t", EVENTS, "id", partition_by="p", type="mor", ordering="ts", indexes=["record_index"]
    )
    write(table, events(("a", 5, False), ("b", 5, False)))
    write(refreshed(table), events(("a", 4, True), ("b", 6, True)))
    after = refreshed(table)
    assert rows_of(after) == [("a", "x", 5)]
    assert [str(finding) for finding in after.validate()] == []


def test_the_record_index_gets_back_a_key_whose_delete_marker_takes_the_place_of_its_delete(tmp_path: Path) -> None:
    table = create_table(
        tmp_path / "t", EVENTS, "id", partition_by="p", type="mor", ordering="ts", indexes=["record_index"]
    )
    write(table, events(("a", 5, False), ("b", 5, False)))
    write(refreshed(table), events(("b", 0, False)).select(["id", "p"]), "delete")
    assert rows_of(refreshed(table)) == [("a", "x", 5)]
    write(refreshed(table), events(("a", 4, True), ("b", 4, True)))
    after = refreshed(table)
    assert (
        rows_of(after)
        == rows_of(open_table(tmp_path / "t", metadata=MetadataMode.OFF))
        == [("a", "x", 5), ("b", "x", 5)]
    )
    assert rows_of(after, "id = 'b'") == [("b", "x", 5)]
    assert [str(finding) for finding in after.validate()] == []
