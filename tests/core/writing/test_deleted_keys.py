"""WRITE-75, WRITE-76: rows of keys that log files delete go back to their file groups; the record index has what there is.
WRITE-1462: they bring no deleted row back.

Also covers: `data_files/log_keys.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.errors import UnsupportedError
from hudi_core.front.opening import create_table, open_table
from hudi_core.metadata.record_index import locations
from hudi_core.services.compaction.operations import compact, plan_only
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.tagging.by_files import FileLookup
from hudi_core.tagging.choose import IndexType
from hudi_core.writing import deleted_keys
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from hudi_core.writing.result import WriteResult
from hudi_core.writing.spread.operations import spread_write
from tests.support.drawing import each_pair
from tests.support.local_flow import local_rows
from tests.support.restated import restated
from tests.support.spilling import spilled
from tests.support.written_tables import TYPES, rows, rows_of

INDEXES: list[Sequence[str]] = [(), ("column_stats", "bloom_filters"), ("column_stats", "record_index")]


def with_a_deleted_key(folder: Path, indexes: Sequence[str] = (), kind: str = "mor", version: int = 9) -> Table:
    table = create_table(
        folder / "t", TYPES, "id", partition_by="p", type=kind, version=version, indexes=indexes or None
    )
    write(table, rows(("a", "x", 1), ("b", "x", 1), ("c", "y", 1)))
    write(refreshed(table), rows(("b", "x", 1)), "delete")
    return refreshed(table)


@pytest.mark.each_value
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


@pytest.mark.each_value
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


@pytest.mark.one_of(2)
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
    assert (result.inserted, result.updated) == (1, 0)
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


BUCKETS = {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "1"}
CONSISTENT = {**BUCKETS, "hoodie.index.bucket.engine": "CONSISTENT_HASHING"}
MADE: dict[str, dict[str, Any]] = {
    "files": {},
    "record_index": {"indexes": ["record_index"]},
    "buckets": {"options": BUCKETS},
    "consistent": {"options": CONSISTENT},
    "virtual keys": {"options": {"hoodie.populate.meta.fields": "false"}},
}
"""How tables find keys and hold log records."""


def upsert(table: Table, batch: pa.Table, spread: bool) -> WriteResult:
    if spread:
        return spread_write(refreshed(table), local_rows(table.engine, [batch.slice(0, 1), batch.slice(1)]))
    return write(refreshed(table), batch)


@pytest.mark.each_value
@each_pair(version=[6, 8, 9], made=list(MADE), spread=[False, True], late=[True, False])
def test_a_late_row_is_there_in_the_place_of_the_deleted_one(
    tmp_path: Path, version: Any, made: str, spread: bool, late: bool
) -> None:
    """WRITE-1462: in a log file it would bring the deleted row back. One that is not late goes to a log file."""
    table = create_table(
        tmp_path / "t", EVENTS, "id", partition_by="p", type="mor", ordering="ts", version=version, **MADE[made]
    )
    write(table, events(("a", 10, False), ("b", 10, False), ("c", 10, False), ("d", 10, False)))
    write(refreshed(table), events(("b", 12, False)))
    write(refreshed(table), events(("b", 0, False), ("c", 0, False)).select(["id", "p"]), "delete")
    ts = 5 if late else 11
    result = upsert(table, events(("a", 4, False), ("b", ts, False), ("d", 13, False)), spread)
    assert result.inserted == 1
    after = refreshed(table)
    expected = [("a", "x", 10), ("b", "x", ts), ("d", "x", 13)]
    assert rows_of(after) == rows_of(open_table(tmp_path / "t", metadata=MetadataMode.OFF)) == expected
    assert rows_of(after, "id = 'b'") == expected[1:2]
    (file_slice,) = after.slices()
    assert len(file_slice.logs) == (0 if late else 3)
    assert [str(finding) for finding in after.validate()] == []
    compact(after)
    assert rows_of(refreshed(table)) == expected


@pytest.mark.each_value
@each_pair(version=[6, 9], made=list(MADE), spread=[False, True])
def test_a_rewritten_slice_keeps_what_its_delete_markers_say(
    tmp_path: Path, version: Any, made: str, spread: bool
) -> None:
    """WRITE-1462: `b` loses to its marker, `c` wins over it, `d` comes late after a delete of its key."""
    table = create_table(
        tmp_path / "t", EVENTS, "id", partition_by="p", type="mor", ordering="ts", version=version, **MADE[made]
    )
    write(table, events(*((key, 10, False) for key in "abcd")))
    write(refreshed(table), events(("b", 20, True), ("c", 20, True)))
    write(refreshed(table), events(("d", 0, False)).select(["id", "p"]), "delete")
    result = upsert(table, events(("b", 15, False), ("c", 25, False), ("d", 5, False), ("d", 4, False)), spread)
    assert (result.inserted, result.updated) == (2, 0)
    after = refreshed(table)
    assert rows_of(after) == [("a", "x", 10), ("c", "x", 25), ("d", "x", 5)]
    assert [str(finding) for finding in after.validate()] == []


@pytest.mark.each_value
@each_pair(version=[6, 9], made=list(MADE), spread=[False, True])
def test_a_late_delete_marker_brings_no_row_back(tmp_path: Path, version: Any, made: str, spread: bool) -> None:
    """WRITE-1462: nothing is written for it. A row behind it is as any behind the delete."""
    table = create_table(
        tmp_path / "t", EVENTS, "id", partition_by="p", type="mor", ordering="ts", version=version, **MADE[made]
    )
    write(table, events(("a", 5, False), ("b", 5, False)))
    write(refreshed(table), events(("b", 0, False)).select(["id", "p"]), "delete")
    assert upsert(table, events(("b", 4, True), ("b", 3, True)), spread).files_added == 0
    assert rows_of(refreshed(table)) == [("a", "x", 5)]
    upsert(table, events(("a", 4, True), ("b", 6, True)), spread)
    assert rows_of(refreshed(table)) == [("a", "x", 5)]
    assert upsert(table, events(("b", 5, False)), spread).inserted == 0
    assert upsert(table, events(("b", 6, False)), spread).inserted == 1
    after = refreshed(table)
    assert rows_of(after) == [("a", "x", 5), ("b", "x", 6)]
    assert [str(finding) for finding in after.validate()] == []


@pytest.mark.parametrize(
    ("payload", "there"),
    [
        ("FirstValueAvroPayload", {5: True, 10: True, 15: False}),
        ("ReverseOrderHoodieRecordPayload", {5: False, 15: True}),
        ("OverwriteWithLatestAvroPayload", {5: False, 15: False}),
    ],
)
def test_which_row_is_late_is_as_the_table_merges(tmp_path: Path, payload: str, there: dict[int, bool]) -> None:
    """WRITE-1462, MERGE-17: by the lower ordering value a higher one is late, and of equal ones the newer may be."""
    stated = {"hoodie.compaction.payload.class": f"org.apache.hudi.common.model.{payload}"}
    for ts, rewritten in there.items():
        folder = tmp_path / str(ts)
        create_table(folder, EVENTS, "id", partition_by="p", type="mor", ordering="ts", version=6)
        restated(folder, stated)
        table = open_table(folder)
        write(table, events(("a", 10, False), ("b", 10, False)))
        write(refreshed(table), events(("b", 0, False)).select(["id", "p"]), "delete")
        assert write(refreshed(table), events(("b", ts, False))).inserted == 1
        after = refreshed(table)
        assert rows_of(after) == [("a", "x", 10), ("b", "x", ts)]
        assert [len(one.logs) == 0 for one in after.slices()] == [rewritten]


@pytest.mark.parametrize("mode", ["COMMIT_TIME_ORDERING", "EVENT_TIME_ORDERING"])
def test_no_value_of_a_deleted_row_comes_back(tmp_path: Path, mode: str) -> None:
    """WRITE-1462, MERGE-9: where a null leaves the stored value, whichever row wins."""
    types = pa.schema([("id", pa.string()), ("n", pa.int64()), ("m", pa.int64()), ("ts", pa.int64())])
    create_table(tmp_path / "t", types, "id", type="mor", ordering="ts")
    restated(tmp_path / "t", {"hoodie.table.partial.update.mode": "IGNORE_DEFAULTS", "hoodie.record.merge.mode": mode})
    table = open_table(tmp_path / "t")
    write(table, pa.Table.from_pylist([{"id": key, "n": 1, "m": 7, "ts": 10} for key in "ab"], types))
    write(refreshed(table), pa.table({"id": ["b"]}), "delete")
    write(refreshed(table), pa.Table.from_pylist([{"id": "b", "n": 2, "m": None, "ts": 15}], types))
    read = sorted(refreshed(table).scan(meta=False).to_json_rows(), key=str)
    assert read == [{"id": "a", "n": 1, "m": 7, "ts": 10}, {"id": "b", "n": 2, "m": None, "ts": 15}]


def test_a_row_of_a_bucket_may_lose_to_a_marker_of_log_files_alone(tmp_path: Path) -> None:
    """WRITE-75: the base file has no row of the key."""
    table = create_table(tmp_path / "t", EVENTS, "id", partition_by="p", type="mor", ordering="ts", options=BUCKETS)
    for batch in (("a", 10, False), ("b", 10, False), ("b", 20, True)):
        write(refreshed(table), events(batch))
    result = write(refreshed(table), events(("b", 15, False)))
    assert (result.inserted, result.updated) == (0, 1)
    assert rows_of(refreshed(table)) == [("a", "x", 10)]


def test_deletes_of_buckets_are_met_where_log_records_are_in_files(tmp_path: Path) -> None:
    """WRITE-1462, MERGE-860."""
    table = create_table(tmp_path / "t", EVENTS, "id", partition_by="p", type="mor", ordering="ts", options=BUCKETS)
    write(table, events(*((key, 10, False) for key in "abcdef")))
    write(refreshed(table), events(*((key, 11, False) for key in "abc")))
    write(refreshed(table), events(("b", 0, False), ("d", 0, False)).select(["id", "p"]), "delete")
    with spilled():
        assert write(refreshed(table), events(("b", 5, False), ("d", 12, False))).inserted == 2
    assert rows_of(refreshed(table))[1:4] == [("b", "x", 5), ("c", "x", 11), ("d", "x", 12)]


def test_a_late_row_of_a_slice_that_is_to_be_compacted_is_refused(tmp_path: Path) -> None:
    """WRITE-1462."""
    table = create_table(tmp_path / "t", EVENTS, "id", partition_by="p", type="mor", ordering="ts")
    write(table, events(("a", 10, False), ("b", 10, False)))
    write(refreshed(table), events(("b", 0, False)).select(["id", "p"]), "delete")
    plan_only(refreshed(table))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(
        UnsupportedError, match=r"bring back a deleted one; compact it first, found a pending compaction"
    ):
        write(refreshed(table), events(("a", 11, False), ("b", 5, False)))
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    write(refreshed(table), events(("a", 11, False), ("b", 12, False)))
    assert rows_of(refreshed(table)) == [("a", "x", 11), ("b", "x", 12)]


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [6, 8, 9])
def test_a_row_that_loses_to_what_a_planned_compaction_merges_is_refused(tmp_path: Path, version: int) -> None:
    """WRITE-1462: the compaction puts a row of a log file into the base file, and its delete stays in a later log file."""
    table = create_table(tmp_path / "t", EVENTS, "id", partition_by="p", type="mor", ordering="ts", version=version)
    write(table, events(("a", 10, False), ("b", 10, False)))
    write(refreshed(table), events(("b", 20, False)))
    plan_only(refreshed(table))
    write(refreshed(table), events(("b", 0, False)).select(["id", "p"]), "delete")
    with pytest.raises(UnsupportedError, match="compact it first, found a pending compaction"):
        write(refreshed(table), events(("b", 15, False)))
    write(refreshed(table), events(("b", 25, False)))
    assert rows_of(refreshed(table)) == [("a", "x", 10), ("b", "x", 25)]
    assert compact(refreshed(table)).state == "completed"
    assert rows_of(refreshed(table)) == [("a", "x", 10), ("b", "x", 25)]


def test_of_buckets_without_deletes_no_file_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """WRITE-1462: whether a key of the base file is deleted is known from looking its bucket up."""
    table = create_table(tmp_path / "t", EVENTS, "id", partition_by="p", type="mor", ordering="ts", options=BUCKETS)
    write(table, events(("a", 10, False), ("b", 10, False)))
    write(refreshed(table), events(("a", 11, False), ("c", 1, False)))
    looked: list[object] = []
    monkeypatch.setattr(deleted_keys, "FileLookup", lambda *given: looked.append(given) or FileLookup(*given))
    write(refreshed(table), events(("b", 12, False), ("d", 1, False)))
    assert not looked
    write(refreshed(table), events(("b", 0, False)).select(["id", "p"]), "delete")
    write(refreshed(table), events(("b", 12, False), ("d", 1, False)))
    assert len(looked) == 1
