"""META-1586: a partitioned record index of a table without rows has no file group, and is no damage."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pytest

from hudi_core.front.opening import create_table, open_table
from hudi_core.front.table import Table
from hudi_core.index_builds.listing import IndexState

SCHEMA = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64())])
ROWS = pa.Table.from_pylist([{"id": "a", "p": "x", "n": 1}], SCHEMA)
INDEX = ".hoodie/metadata/record_index"


def findings(table: Table) -> list[str]:
    return list(map(str, table.validate()))


def new_table(folder: Path, *, partitioned: bool = True) -> Table:
    table = create_table(folder, SCHEMA, "id", partition_by="p", indexes=["column_stats"])
    return table.index("record_index", partitioned=partitioned)


def test_an_index_that_waits_for_rows_is_whole(tmp_path: Path) -> None:
    table = new_table(tmp_path / "t")
    assert findings(table) == []
    assert {index.name: index.state for index in table.indexes()}["record_index"] is IndexState.READY
    assert list(table.metadata_records("record_index")) == []
    assert table.scan("id = 'a'").count() == 0
    assert table.warnings == []
    table = table.index("bloom_filters")
    for _ in range(12):  # the metadata table is compacted meanwhile
        table.refresh().upsert(SCHEMA.empty_table(), allow_empty=True)
    table.refresh().upsert(ROWS, index="record_index")
    table = table.refresh()
    assert [record["key"] for record in table.metadata_records("record_index")] == ["a"]
    assert findings(table) == []


@pytest.mark.parametrize("is_dropped", [True, False])
def test_what_it_had_before_it_was_built_again_does_not_count(tmp_path: Path, *, is_dropped: bool) -> None:
    table = new_table(tmp_path / "t")
    table.upsert(ROWS)
    table.refresh().delete_partitions(["x"])
    table = table.refresh()
    if is_dropped:
        table.drop_index("record_index")
    table = table.refresh().index("record_index", partitioned=True, rebuild=not is_dropped)
    assert not list((tmp_path / "t" / INDEX).glob(".record-index*"))
    assert findings(table) == []
    table.upsert(ROWS)
    assert findings(table.refresh()) == []


@pytest.mark.parametrize("partitioned", [True, False])
def test_one_whose_file_groups_are_gone_is_damaged(tmp_path: Path, *, partitioned: bool) -> None:
    """META-4: else keys would be taken for new ones."""
    table = new_table(tmp_path / "t", partitioned=partitioned)
    if partitioned:
        table.upsert(ROWS)
    shutil.rmtree(tmp_path / "t" / INDEX)
    assert any("record_index" in finding for finding in findings(open_table(str(tmp_path / "t"))))
