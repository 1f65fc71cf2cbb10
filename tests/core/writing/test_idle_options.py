"""Options that would have no effect in a write, of the whole and in parts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hudi_core
from hudi_core import FileSizes, Table, UsageError, WriteOptions
from hudi_core.writing.spread.by_predicate import spread_delete_where, spread_update
from hudi_core.writing.spread.operations import spread_write
from hudi_core.writing.spread.source_merge import spread_overwrite_where
from tests.support.local_flow import local_rows

ROWS = pa.table({"id": ["a", "b"], "p": ["x", "y"], "n": [1, 2]})
BUCKETS = {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "2"}
Write = Callable[[Table, WriteOptions], Any]
ADDS = ("insert", "append", "bulk_insert", "insert_overwrite", "insert_overwrite_table")


def made(folder: Path, kind: str = "cow", **settings: Any) -> Table:
    table = hudi_core.create(folder / "t", ROWS, key="id", partition_by="p", type=kind, **settings)  # type: ignore[arg-type]
    table.upsert(ROWS)
    return table.refresh()


def whole(op: str) -> Write:
    return lambda table, options: table.write(ROWS, op, options)  # type: ignore[arg-type]


def in_parts(op: str) -> Write:
    return lambda table, options: spread_write(table, local_rows(table.engine, [ROWS]), op, options)


def of_rows(table: Table) -> Any:
    return local_rows(table.engine, [ROWS])


CHANGES: dict[str, Write] = {
    "delete where": lambda table, options: table.delete(where="n = 1", options=options),
    "update": lambda table, options: table.update({"n": 5}, where="n = 1", options=options),
    "merge": lambda table, options: table.merge(ROWS, ["id", "p"]).when_matched_update().execute(options),
    "overwrite where": lambda table, options: table.overwrite(ROWS, options, where="n < 9"),
    "delete partitions": lambda table, options: table.delete_partitions(["x"], options),
    "delete where in parts": lambda table, options: spread_delete_where(
        table, "n = 1", lambda _: of_rows(table), options
    ),
    "update in parts": lambda table, options: spread_update(table, {"n": 5}, None, lambda _: of_rows(table), options),
    "overwrite where in parts": lambda table, options: spread_overwrite_where(table, of_rows(table), "n < 9", options),
}


def transaction(*, upserts: bool) -> Write:
    def write(table: Table, options: WriteOptions) -> None:
        with table.transaction(options) as changes:
            changes.delete([{"id": "b", "p": "y"}])
            if upserts:
                changes.upsert(ROWS.slice(0, 1))

    return write


def refused(table: Table, write: Write, options: WriteOptions, text: str) -> None:
    """The write is refused with this text, and not one file changes."""
    before = {path: path.stat().st_mtime_ns for path in Path(table.uri).rglob("*")}
    with pytest.raises(UsageError, match=text):
        write(table, options)
    assert {path: path.stat().st_mtime_ns for path in Path(table.uri).rglob("*")} == before


def test_options_of_log_files_are_refused_where_none_are_written(tmp_path: Path) -> None:
    """WRITE-1630: rows of some columns are written where that is right, else whole ones: WRITE-56."""
    table, no_positions, partial = (
        made(tmp_path),
        WriteOptions(record_positions=False),
        WriteOptions(partial_updates=True),
    )
    logs = "record_positions: expected a merge-on-read table: others have no log files, found a copy-on-write one"
    for write in (CHANGES["update"], whole("upsert"), in_parts("delete")):
        refused(table, write, no_positions, logs)
    for op in ADDS:
        for write in (whole(op), in_parts(op)):
            refused(table, write, no_positions, f"record_positions: expected no such option for {op}, found False")
            refused(table, write, partial, f"partial_updates: expected no such option for {op}, found True")


def test_positions_may_be_left_out_wherever_log_files_are_written(tmp_path: Path) -> None:
    """WRITE-1630: also by an operation that adds rows, in buckets."""
    options = WriteOptions(record_positions=False)
    for number, op in enumerate(("upsert", "delete")):
        whole(op)(made(tmp_path / str(number), "mor"), options)
    whole("insert")(made(tmp_path / "buckets", "mor", options=BUCKETS), options)
    refused(made(tmp_path / "mor", "mor"), whole("insert"), options, "record_positions: expected no such option")


def test_an_upsert_of_whole_rows_updates_no_part_of_them(tmp_path: Path) -> None:
    """WRITE-1630."""
    table, partial = made(tmp_path, "mor"), WriteOptions(partial_updates=True)
    for write in (whole("upsert"), in_parts("upsert")):
        refused(table, write, partial, "partial_updates: expected missing_columns=keep beside it, .*, found none")
    keeps = WriteOptions(partial_updates=True, missing_columns="keep")
    assert table.upsert(ROWS.drop(["n"]), keeps).updated == 2
    refused(table, CHANGES["merge"], partial, "partial_updates: expected no such option for a merge")


def test_a_limit_of_small_files_beyond_the_target_is_refused() -> None:
    """WRITE-1630: no row would go to a file between the two."""
    with pytest.raises(UsageError, match="sizes: expected a limit of small files of at most the target of 1000 bytes"):
        WriteOptions(sizes=FileSizes(1000, 1001))
    assert WriteOptions(sizes=FileSizes(1000)).sizes.small == 1000


def test_sizes_of_files_may_be_stated_for_any_write(tmp_path: Path) -> None:
    """WRITE-1630: one object of options often serves all writes of a table."""
    sizes = WriteOptions(sizes=FileSizes(1000))
    changes = [write for name, write in CHANGES.items() if not name.endswith("in parts")]
    for number, write in enumerate([*changes, whole("delete"), in_parts("delete"), transaction(upserts=False)]):
        table = made(tmp_path / str(number))
        write(table, sizes)
        assert len(table.refresh().timeline.commits) == 2


def test_a_delete_of_partitions_has_no_use_for_options_of_rows(tmp_path: Path) -> None:
    """WRITE-1630."""
    table = made(tmp_path)
    given: list[dict[str, Any]] = [
        {"index": "bloom"},
        {"missing_columns": "null"},
        {"add_columns": True},
        {"sort": "none"},
        {"properties": {"hoodie.datasource.insert.dup.policy": "drop"}},
    ]
    for options in given:
        refused(table, CHANGES["delete partitions"], WriteOptions(**options), "expected (auto|no such)")
    idle = WriteOptions(properties={"hoodie.clean.commits.retained": "3"})
    refused(table, CHANGES["delete partitions"], idle, "with it a service that follows the write")


def test_a_transaction_refuses_what_its_changes_have_no_use_for(tmp_path: Path) -> None:
    """WRITE-1630."""
    table, columns = made(tmp_path), WriteOptions(missing_columns="null")
    refused(table, transaction(upserts=True), WriteOptions(sort="none"), "sort: expected no such option for a trans")
    refused(table, transaction(upserts=False), columns, "missing_columns: expected no such option for a transaction of")
    transaction(upserts=True)(table, columns)


PROPERTIES = {
    "hoodie.write.set.null.for.missing.columns": ("true", {"upsert", *ADDS}),
    "hoodie.datasource.write.reconcile.schema": ("true", {"upsert", *ADDS}),
    "hoodie.bulkinsert.sort.mode": ("NONE", {"bulk_insert"}),
    "hoodie.datasource.insert.dup.policy": ("drop", {"insert"}),
    "hoodie.datasource.write.insert.drop.duplicates": ("true", {"insert"}),
}


@pytest.mark.parametrize("name", PROPERTIES)
def test_properties_are_refused_by_writes_that_have_no_use_for_them(tmp_path: Path, name: str) -> None:
    """WRITE-1630: what asks for nothing may be stated."""
    value, users = PROPERTIES[name]
    table, options = made(tmp_path), WriteOptions(properties={name: value}, dry_run=True)
    for op in ("upsert", "delete", *ADDS):
        for write in (whole(op), in_parts(op)):
            if op in users:
                write(table, options)
            else:
                refused(table, write, options, f"{name}: expected no such property for .*, found '{value}'")
    for change in CHANGES.values():
        refused(table, change, options, f"{name}: expected no such property for .*, found '{value}'")
    nothing = {"hoodie.bulkinsert.sort.mode": "", "hoodie.datasource.insert.dup.policy": "none"}.get(name, "false")
    if nothing:
        whole("delete")(table, WriteOptions(properties={name: nothing}, dry_run=True))


def test_rows_are_not_moved_where_no_index_has_their_partition(tmp_path: Path) -> None:
    """WRITE-1630: without a record index of the whole table the key would be in two partitions."""
    name = "hoodie.record.index.update.partition.path"
    moves = WriteOptions(properties={name: "true"})
    refused(made(tmp_path / "none"), whole("upsert"), moves, f"{name}: expected a record index of the whole table")
    table = made(tmp_path / "index", indexes=["record_index"])
    assert table.upsert(pa.table({"id": ["a"], "p": ["y"], "n": [7]}), moves).deleted == 1
    refused(table.refresh(), whole("insert"), moves, f"{name}: expected no such property for insert")


def test_an_index_is_one_that_the_table_can_use(tmp_path: Path) -> None:
    """WRITE-1630: buckets are the index of a table of buckets, and of no other."""
    buckets, other = made(tmp_path / "buckets", options=BUCKETS), made(tmp_path / "other")
    bloom, bucket = WriteOptions(index="bloom"), WriteOptions(index="bucket")  # type: ignore[arg-type]
    for write in (whole("upsert"), in_parts("upsert"), CHANGES["merge"]):
        refused(buckets, write, bloom, "index: expected auto or bucket, as the table has buckets, found bloom")
        refused(other, write, bucket, "index: expected an index that the table has, found bucket")
    assert buckets.upsert(ROWS, bucket).updated == 2
