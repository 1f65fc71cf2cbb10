"""Every stored version of a record."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.front.opening import create_table
from hudi_core.table.open import refreshed
from hudi_core.table.record_versions import RecordVersion, record_versions
from hudi_core.table.table import Table
from hudi_core.writing.by_predicate import delete_where
from hudi_core.writing.operations import delete_partitions, write

SCHEMA = pa.schema([("id", pa.string()), ("n", pa.int64()), ("v", pa.string())])


def written(folder: Path, kind: str) -> Table:
    """A record `a` of which a later write came too late, and a record `b` that was deleted."""
    table = create_table(folder, SCHEMA, "id", ordering="n", type=kind)
    for rows in ([("a", 1, "x"), ("b", 1, "x")], [("a", 3, "y")], [("a", 2, "late")]):
        ids, numbers, values = zip(*rows, strict=True)
        write(refreshed(table), pa.table([ids, numbers, values], schema=SCHEMA), "upsert")
    delete_where(refreshed(table), "id = 'b'")
    return refreshed(table)


def seen(versions: list[RecordVersion]) -> list[object]:
    return [None if version.row is None else version.row["v"] for version in versions if version.seen]


def test_copy_on_write_keeps_the_winners_alone(tmp_path: Path) -> None:
    """TABLE-671."""
    table = written(tmp_path / "t", "cow")
    first, second, _, last = [commit.requested_time for commit in table.timeline.commits]
    a = record_versions(table, "a")
    assert [(version.instant, version.copies, version.ordering) for version in a] == [
        (first, 1, (1,)),
        (second, 3, (3,)),
    ]
    assert seen(a) == ["y"]
    assert [version.why for version in a] == [
        f"{second} wrote the record again",
        "it is the only one in its file slice",
    ]
    (b,) = record_versions(table, "b")
    assert (b.seen, b.copies, b.why) == (False, 3, f"{last} wrote its file group without the record")
    assert record_versions(table, "nobody") == []


def test_a_record_written_again_after_its_delete_was_deleted(tmp_path: Path) -> None:
    """TABLE-671: the write that took the record away is named, not the one that brought its key again."""
    table = written(tmp_path / "t", "cow")
    deleted = table.timeline.commits[-1].requested_time
    write(table, pa.table([["b"], [5], ["again"]], schema=SCHEMA), "upsert")
    first, second = record_versions(refreshed(table), "b")
    assert first.why == f"{deleted} wrote its file group without the record"
    assert second.seen


def test_merge_on_read_keeps_losers_and_deletes_too(tmp_path: Path) -> None:
    """TABLE-671, TABLE-672."""
    table = written(tmp_path / "t", "mor")
    a = record_versions(table, "a")
    assert [(version.ordering, version.seen) for version in a] == [((1,), False), ((3,), True), ((2,), False)]
    assert a[1].why == "n 3 beside n 2: the higher value wins"
    assert a[2].why == "n 2 beside n 3: the higher value wins"
    assert [".log." in version.file for version in a] == [False, True, True]
    stored, deleted = record_versions(table, "b")
    assert stored.why == f"the delete in {deleted.file} takes it away"
    assert (deleted.deletes, deleted.row, deleted.why) == (True, None, "it deletes the record")


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_what_is_seen_is_what_readers_read(tmp_path: Path, kind: str) -> None:
    """TABLE-672: whatever the reasons, the version that is seen is the row."""
    table = written(tmp_path / "t", kind)
    for key in ("a", "b"):
        rows = [row["v"] for row in table.scan(where=f"id = '{key}'").to_json_rows()]
        assert seen(record_versions(table, key)) == rows


def test_versions_in_replaced_file_groups_say_so(tmp_path: Path) -> None:
    table = written(tmp_path / "t", "cow")
    write(table, pa.table([["z"], [1], ["z"]], schema=SCHEMA), "insert_overwrite_table")
    table = refreshed(table)
    replaced = table.timeline.commits[-1].requested_time
    assert {version.why for version in record_versions(table, "a")} == {f"{replaced} replaced its file group"}
    with pytest.raises(UsageError, match=r"expected a partition of the table .*, found 'elsewhere'"):
        record_versions(table, "a", partition="elsewhere")


def test_virtual_keys_are_refused(tmp_path: Path) -> None:
    table = create_table(tmp_path / "t", SCHEMA, "id", options={"hoodie.populate.meta.fields": "false"})
    with pytest.raises(UnsupportedError, match="found virtual keys"):
        record_versions(table, "a")


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_a_record_of_a_deleted_partition_is_there_with_the_write_that_replaced_it(tmp_path: Path, kind: str) -> None:
    """TABLE-671: also where no file of the partition is read any more."""
    rows = pa.table({"id": ["a", "b"], "p": ["x", "y"]})
    table = create_table(tmp_path / "t", rows.schema, "id", partition_by="p", type=kind)
    write(table, rows)
    delete_partitions(table, ["x"])
    table = refreshed(table)
    replaced = table.timeline.commits[-1].requested_time
    (version,) = record_versions(table, "a")
    assert (version.seen, version.why) == (False, f"{replaced} replaced its file group")
    assert [version.partition for version in record_versions(table, "b")] == ["y"]
