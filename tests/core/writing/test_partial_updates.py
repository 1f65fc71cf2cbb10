"""Updates that write only the columns that they change: where they do, and that rows are those of whole updates.

Also covers: `writing/partial_rows.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core import col
from hudi_core.avro.inbound import schema_from_avro
from hudi_core.formats.log import HeaderKey, LogBlock, read_blocks
from hudi_core.front.opening import create_table
from hudi_core.schema.meta import is_meta
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.writing.operation import WriteOptions

TYPES = pa.schema(
    [("id", pa.string()), ("n", pa.int64()), ("s", pa.string()), ("ts", pa.int64()), ("inner", pa.struct([("a", pa.int32())]))]
)  # fmt: skip
PARTIAL = WriteOptions(partial_updates=True)
BY_COMMIT_TIME = {"hoodie.record.merge.mode": "COMMIT_TIME_ORDERING"}


def rows(*keys: str, n: int = 1) -> pa.Table:
    return pa.Table.from_pylist(
        [{"id": key, "n": n, "s": f"{key}{n}", "ts": n, "inner": {"a": n} if n % 2 else None} for key in keys], TYPES
    )


def new_table(folder: Path, **settings: Any) -> Table:
    table = create_table(folder / "t", TYPES, "id", **{"type": "mor", **settings})
    table.insert(rows("a", "b", "c"))
    return refreshed(table)


def stored(table: Table) -> list[tuple[Any, ...]]:
    columns = ["id", "n", "s", "ts", "inner"]
    return sorted(tuple(row.values()) for row in refreshed(table).scan(columns=columns).to_json_rows())


def blocks(table: Table) -> list[LogBlock]:
    (file_slice,) = refreshed(table).slices()
    return [block for log in file_slice.logs for block in read_blocks(table.storage.open(log.path))]


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    ("version", "settings", "columns"),
    [(9, {}, ["n"]), (8, {}, ["n"]), (9, {"ordering": "ts", "options": BY_COMMIT_TIME}, ["n", "ts"])],
)
def test_a_partial_update_writes_the_changed_columns(
    tmp_path: Path, version: int, settings: dict[str, Any], columns: list[str]
) -> None:
    """WRITE-55."""
    table = new_table(tmp_path, version=version, **settings)
    table.update({"n": col("n") + 10}, where="id <> 'b'", options=PARTIAL)
    (block,) = blocks(table)
    assert block.header[HeaderKey.IS_PARTIAL] == "true"
    fields = schema_from_avro(block.require(HeaderKey.SCHEMA), "log").fields
    assert [column.name for column in fields if not is_meta(column.name)] == columns
    assert len(fields) == 5 + len(columns)
    first = [("a", 11, "a1", 1, {"a": 1}), ("b", 1, "b1", 1, {"a": 1}), ("c", 11, "c1", 1, {"a": 1})]
    assert stored(table) == first
    # Over each other, under a whole row, and under a delete.
    refreshed(table).update({"s": "new"}, where="n = 11", options=PARTIAL)
    assert stored(table) == [("a", 11, "new", 1, {"a": 1}), first[1], ("c", 11, "new", 1, {"a": 1})]
    refreshed(table).upsert(rows("a", n=2))
    refreshed(table).update({"n": 0}, where="id = 'a'", options=PARTIAL)
    refreshed(table).delete(where="id = 'c'")
    assert stored(table) == [("a", 0, "a2", 2, None), first[1]]
    assert refreshed(table).scan("s = 'a2' AND n = 0").to_arrow().num_rows == 1


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        ({"version": 6}, PARTIAL),
        ({"ordering": "ts"}, PARTIAL),
        ({"options": {"hoodie.populate.meta.fields": "false"}}, PARTIAL),
        ({"options": {"hoodie.table.cdc.enabled": "true"}}, PARTIAL),
        ({"indexes": ["column_stats"]}, PARTIAL),
        ({}, WriteOptions()),
    ],
)
def test_whole_rows_are_written_where_readers_would_merge_partial_ones_wrongly(
    tmp_path: Path, settings: dict[str, Any], options: WriteOptions
) -> None:
    """WRITE-56."""
    table = new_table(tmp_path, **settings)
    table.update({"n": 5}, where="id = 'a'", options=options)
    (block,) = blocks(table)
    assert HeaderKey.IS_PARTIAL not in block.header
    assert stored(table)[0] == ("a", 5, "a1", 1, {"a": 1})


def test_a_table_that_writes_no_logs_gets_whole_rows(tmp_path: Path) -> None:
    """WRITE-56."""
    table = new_table(tmp_path, type="cow")
    table.update({"n": 5}, where="id = 'a'", options=PARTIAL)
    assert stored(table)[0] == ("a", 5, "a1", 1, {"a": 1})


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [8, 9])
def test_a_key_comes_back_behind_partial_rows_in_a_base_file(tmp_path: Path, version: int) -> None:
    """WRITE-1481: readers of Apache Hudi cannot merge a row with a delete before it in log files with partial rows."""
    table = new_table(tmp_path, version=version)
    table.update({"n": 7}, where="id = 'a'", options=PARTIAL)
    refreshed(table).delete(where="id = 'b'")
    refreshed(table).upsert(rows("b", n=2))
    assert blocks(table) == []
    assert [row[:2] for row in stored(table)] == [("a", 7), ("b", 2), ("c", 1)]
    refreshed(table).delete(where="id = 'b'")
    refreshed(table).upsert(rows("b", n=4))
    assert len(blocks(table)) == 2
    refreshed(table).update({"n": 9}, where="id = 'b'", options=PARTIAL)
    refreshed(table).upsert(rows("b", n=6))
    assert len(blocks(table)) == 4
    assert [row[:2] for row in stored(table)] == [("a", 7), ("b", 6), ("c", 1)]


@pytest.mark.parametrize("version", [8, 9])
def test_rows_are_counted_without_their_columns(tmp_path: Path, version: int) -> None:
    """Where log files have records by position, no column is read, not even a key."""
    table = new_table(tmp_path, version=version)
    table.update({"s": "new"}, where="id = 'b'", options=PARTIAL)
    table = refreshed(table)
    assert table.scan().count() == 3
    assert table.scan(columns=[]).to_arrow().num_rows == 3
