"""Rows in, the same rows with their location out; and what rows have to bring along.

Also covers: `tagging/choose.py`, `tagging/key_reader.py`.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import hudi_core
from hudi_core.errors import RowError, UsageError
from hudi_core.keys.records import HoodieKey
from hudi_core.table.table import Table
from hudi_core.tagging.choose import IndexType
from hudi_core.tagging.tag import Tagger, TagOptions, locate, tag
from tests.support.commands import rides


@pytest.fixture(scope="module")
def table() -> Table:
    return hudi_core.open(str(rides()))


@pytest.fixture(scope="module")
def rows(table: Table) -> pa.Table:
    found: pa.Table = table.scan(limit=300).to_arrow()
    return found


def keys_of(rows: pa.Table) -> pa.Table:
    return pa.table({"record_key": rows["_hoodie_record_key"], "partition_path": rows["_hoodie_partition_path"]})


def files_of(rows: pa.Table) -> list[str]:
    return [name.partition("_")[0] for name in rows["_hoodie_file_name"].to_pylist()]


def test_rows_keep_their_order_and_columns(table: Table, rows: pa.Table) -> None:
    """INDEX-20."""
    tagged = tag(table, rows).read_all()
    assert tagged.drop_columns("location").equals(rows)
    locations = tagged["location"].to_pylist()
    assert [location["file_id"] for location in locations] == files_of(rows)
    assert [location["partition_path"] for location in locations] == rows["_hoodie_partition_path"].to_pylist()


def test_positions_are_those_of_rows_in_their_file(table: Table, rows: pa.Table) -> None:
    """INDEX-10."""
    tagged = tag(table, keys_of(rows)).read_all()
    in_file: dict[str, int] = {}
    for file, location in zip(files_of(rows), tagged["location"].to_pylist(), strict=True):
        in_file[file] = in_file.get(file, -1) + 1
        assert location["position"] == in_file[file]


@pytest.mark.parametrize("at_once", [1, 7, 10_000])
def test_however_many_keys_are_located_together(table: Table, rows: pa.Table, at_once: int) -> None:
    """INDEX-20."""
    few = rows.slice(0, 40)
    data = pa.Table.from_batches(keys_of(few).combine_chunks().to_batches(max_chunksize=3))
    tagged = tag(table, data, TagOptions(keys_at_once=at_once)).read_all()
    assert [location["file_id"] for location in tagged["location"].to_pylist()] == files_of(few)


def test_keys_can_be_added(table: Table, rows: pa.Table) -> None:
    """INDEX-19."""
    own = rows.drop_columns([name for name in rows.column_names if name.startswith("_hoodie")])
    given = Tagger(table).tag(table.engine.rows.read_given(own), with_keys=True)
    found = pa.Table.from_batches(list(given.batches))
    assert found.column_names == [*own.column_names, "record_key", "partition_path", "location"]
    assert found["record_key"].to_pylist() == rows["_hoodie_record_key"].to_pylist()
    assert found["partition_path"].to_pylist() == rows["_hoodie_partition_path"].to_pylist()


def test_no_rows_are_no_rows(table: Table, rows: pa.Table) -> None:
    tagged = tag(table, keys_of(rows).slice(0, 0)).read_all()
    assert tagged.num_rows == 0
    assert tagged.column_names == ["record_key", "partition_path", "location"]


def test_single_keys_have_records_as_locations(table: Table, rows: pa.Table) -> None:
    key, path = rows["_hoodie_record_key"][0].as_py(), rows["_hoodie_partition_path"][0].as_py()
    found = locate(table, [HoodieKey(key, path), HoodieKey(key, "elsewhere"), HoodieKey("none", path)])
    assert found[0] is not None
    assert (found[0].partition_path, found[0].file_id) == (path, files_of(rows)[0])
    assert found[1:] == [None, None]
    everywhere = TagOptions(IndexType.SIMPLE, whole_table=True)
    assert locate(table, [HoodieKey(key, "elsewhere")], everywhere) == [found[0]]
    assert locate(table, []) == []


@pytest.mark.parametrize(
    ("columns", "error"),
    [
        ({"record_key": ["a"]}, UsageError),
        ({"other": ["a"]}, hudi_core.UnknownColumnError),
        ({"record_key": [1], "partition_path": ["p"]}, hudi_core.HudiError),
        ({"record_key": ["a", None], "partition_path": ["p", "p"]}, RowError),
        ({"record_key": ["a"], "partition_path": ["p"], "location": [1]}, UsageError),
    ],
)
def test_rows_without_keys_are_refused(table: Table, columns: dict[str, list[Any]], error: type[Exception]) -> None:
    """INDEX-19."""
    with pytest.raises(error):
        tag(table, pa.table(columns)).read_all()


def test_a_choice_states_its_reason(table: Table, rows: pa.Table) -> None:
    """INDEX-17."""
    tagger = Tagger(table)
    list(tagger.tag(table.engine.rows.read_given(keys_of(rows))).batches)
    (choice,) = tagger.choices
    assert choice.kind in (IndexType.SIMPLE, IndexType.BLOOM, IndexType.RECORD_INDEX)
    assert "file slices in range" in choice.reason
    assert tagger.work.counts["found"] == tagger.work.counts["keys"] == 300


def test_pairs_are_keys_and_other_things_are_refused(table: Table, rows: pa.Table) -> None:
    pairs = [tuple(row.values()) for row in keys_of(rows.slice(0, 3)).to_pylist()]
    assert locate(table, pairs) == locate(table, [HoodieKey(*pair) for pair in pairs])
    assert None not in locate(table, pairs)
    for wrong in ("R02", ("R02",), ("R02", 3), None, HoodieKey(None, "u")):  # type: ignore[arg-type]
        with pytest.raises(UsageError, match="locate: expected HoodieKey"):
            locate(table, [wrong])  # type: ignore[list-item]
    with pytest.raises(UsageError, match="locate: expected some keys"):
        locate(table, 3)  # type: ignore[arg-type]
