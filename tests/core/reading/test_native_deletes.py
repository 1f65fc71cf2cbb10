"""Native log files of version 10 give the rows that log files of blocks give.

Also covers: `reading/block_files.py`.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.errors import CorruptFileError, TableError, UnsupportedError
from hudi_core.table.table import Table
from tests.support.drawing import cases
from tests.support.logged_tables import FILE_ID, Block, LoggedTable
from tests.support.native_tables import Native, NativeTable, native_files, native_name, without

BASE = [{"id": f"k{n}", "ts": 5, "v": "base", "n": n} for n in range(4)]
MODES = ["EVENT_TIME_ORDERING", "COMMIT_TIME_ORDERING"]
KEYS = [f"k{n}" for n in range(6)]
TIMES = st.none() | st.sampled_from([0, 4, 5, 6])
ROWS = st.builds(dict, id=st.sampled_from(KEYS), ts=TIMES, v=st.sampled_from(["x", "y"]), n=st.integers(0, 9))
DELETES = st.tuples(st.sampled_from(KEYS), TIMES)


def distinct(items: Sequence[Any], key: Any) -> list[Any]:
    return list({key(item): item for item in items}.values())


@st.composite
def blocks(draw: st.DrawFn) -> Block:
    """Rows, deletes or both, of different keys each; some blocks have positions in the base file, or some columns alone."""
    rows = distinct(draw(st.lists(ROWS, max_size=3)), lambda row: row["id"])
    taken = {row["id"] for row in rows}
    deletes = [one for one in distinct(draw(st.lists(DELETES, max_size=2)), lambda one: one[0]) if one[0] not in taken]
    if not rows and not deletes:
        rows = [draw(ROWS)]
    columns = draw(st.sampled_from([None, None, ("id", "ts", "v")]))
    rows, deletes = sorted(rows, key=lambda row: row["id"]), sorted(deletes, key=lambda one: one[0])
    places = [KEYS.index(key) for key in (*(row["id"] for row in rows), *(key for key, _ in deletes))]
    positions = places if max(places) < len(BASE) and draw(st.booleans()) else None
    return Block(rows, deletes, positions, columns)


def sorted_rows(table: Table, **query: Any) -> list[Any]:
    return sorted(table.scan(**query).to_json_rows(), key=str)


@settings(max_examples=cases(120, part=6), deadline=None)
@given(st.lists(blocks(), min_size=1, max_size=4), st.data(), st.sampled_from(MODES), st.booleans())
def test_native_files_and_blocks_mean_the_same(
    drawn: Sequence[Block], data: st.DataObject, mode: str, base: bool
) -> None:
    """LOG-712, LOG-713: whichever of the delta commits are native."""
    properties = {"hoodie.record.merge.mode": mode}
    natives = [Native(block) if data.draw(st.booleans()) else block for block in drawn]
    rows = BASE if base else None
    expected = sorted_rows(LoggedTable(rows, drawn, properties).open())
    table = NativeTable(rows, (), properties, natives=natives).open()
    assert sorted_rows(table) == expected
    where = "v = 'x' AND n > 2"
    assert sorted_rows(table, where=where) == sorted_rows(LoggedTable(rows, drawn, properties).open(), where=where)


def test_a_delete_of_one_version_wins_over_its_rows() -> None:
    """FORMAT-711: writers never put a key into both."""
    row = {"id": "k1", "ts": 7, "v": "new", "n": 1}
    table = NativeTable(BASE, (), natives=[Native(Block([row], [("k1", None)]))]).open()
    assert [one["id"] for one in sorted_rows(table)] == ["k0", "k2", "k3"]


def test_a_delete_without_a_value_wins_and_one_with_a_real_zero_may_lose() -> None:
    """LOG-712."""
    table = NativeTable(BASE, (), natives=[Native(Block(deletes=[("k0", None), ("k1", 0), ("k2", 9)]))]).open()
    assert [one["id"] for one in sorted_rows(table)] == ["k1", "k3"]


def test_deletes_of_a_table_without_ordering_fields_have_one_column() -> None:
    """LOG-712."""
    table = NativeTable(
        BASE, (), {"hoodie.record.merge.mode": "COMMIT_TIME_ORDERING"}, natives=[Native(Block(deletes=[("k0", 1)]))]
    )
    table.open()
    (path,) = [path for path in table.memory.files if ".deletes." in path]
    whole = pq.read_table(io.BytesIO(table.memory.files[path]))
    out = io.BytesIO()
    pq.write_table(whole.select(["_hoodie_record_key"]), out)
    table.memory.files[path] = out.getvalue()
    commit = next(path for path in table.memory.files if path.endswith(".deltacommit"))
    table.memory.files[commit] = table.memory.files[commit].replace(b'"fileSizeInBytes"', b'"unused"')
    assert [one["id"] for one in sorted_rows(table.open())] == ["k1", "k2", "k3"]


def test_a_delete_wins_where_no_field_orders_it_though_the_older_of_equal_rows_stays() -> None:
    """LOG-712: every delete of a table without ordering fields is one without a value."""
    properties = {
        "hoodie.record.merge.mode": "CUSTOM",
        "hoodie.compaction.payload.class": "org.apache.hudi.common.model.FirstValueAvroPayload",
        "hoodie.table.ordering.fields": "",
    }
    rows = {"id": "k1", "ts": 9, "v": "late", "n": 1}
    table = NativeTable(BASE, (), properties, natives=[Native(Block([rows])), Native(Block(deletes=[("k0", None)]))])
    assert [(one["id"], one["v"]) for one in sorted_rows(table.open())] == [(f"k{n}", "base") for n in (1, 2, 3)]


def test_native_files_of_a_write_that_did_not_complete_do_not_count() -> None:
    table = NativeTable(BASE, (), natives=[])
    table.open()
    row = {"id": "k1", "ts": 7, "v": "new", "n": 1}
    table.memory.files.update(native_files(Native(Block([row], [("k0", None)])), "20240102000000000"))
    assert {one["v"] for one in sorted_rows(table.open())} == {"base"}


def test_files_of_changes_are_not_merged() -> None:
    """FORMAT-710: whatever is in them."""
    table = NativeTable(BASE, (), natives=[Native(Block(deletes=[("k0", None)]))])
    table.open()
    table.memory.files[native_name("20240101000100001", 1, "cdc")] = b"no Parquet file"
    table.memory.files[native_name("20240101000100001", 1, "cdc", "x")] = b"no Parquet file"
    assert len(sorted_rows(table.open())) == 3


@pytest.mark.parametrize("kind", ["log", "deletes"])
@pytest.mark.parametrize("extension", ["lance", "orc"])
def test_a_native_format_that_is_not_read_is_refused(kind: str, extension: str) -> None:
    """LOG-710: what a completed write wrote is not left out."""
    native = Native(Block([{"id": "k1", "ts": 7, "v": "new", "n": 1}]))
    table = NativeTable(BASE, (), natives=[native])
    table.open()
    table.memory.files[native_name("20240101000100001", 2, kind, extension)] = b"x"
    with pytest.raises(UnsupportedError, match=f"one in '{extension}'"):
        sorted_rows(table.open())


def test_tables_of_version_9_read_native_files_too() -> None:
    """FORMAT-710: a name means the same in each version."""
    natives = [Native(Block(deletes=[("k0", None)]))]
    table = NativeTable(BASE, (), natives=natives)
    table.properties = {}
    assert [one["id"] for one in sorted_rows(table.open())] == ["k1", "k2", "k3"]


@pytest.mark.parametrize("extension", ["log.parquet", "deletes.parquet"])
def test_a_native_file_that_was_cut_is_damage(extension: str) -> None:
    """LOG-260."""
    native = Native(Block([{"id": "k1", "ts": 7, "v": "new", "n": 1}], [("k0", None)]))
    table = NativeTable(BASE, (), natives=[native])
    table.open()
    (path,) = [path for path in table.memory.files if path.endswith(extension)]
    table.memory.files[path] = table.memory.files[path][:-1]
    with pytest.raises(TableError, match=f"_1.{extension}"):
        sorted_rows(table.open())


def test_rows_without_a_schema_in_the_footer_are_refused_and_left_out_on_request() -> None:
    """LOG-711, LOG-262."""
    native = without(Native(Block([{"id": "k1", "ts": 7, "v": "new", "n": 1}])), "SCHEMA")
    table = NativeTable(BASE, (), natives=[native]).open()
    with pytest.raises(CorruptFileError, match="a SCHEMA"):
        sorted_rows(table)
    scan = table.scan(on_damage="skip")
    assert {row["v"] for row in scan.to_json_rows()} == {"base"}
    assert any(".log.parquet" in warning for warning in scan.warnings)


def test_deletes_without_keys_are_refused() -> None:
    """LOG-712."""
    table = NativeTable(BASE, (), natives=[Native(Block(deletes=[("k0", None)]))])
    table.open()
    (path,) = [path for path in table.memory.files if ".deletes." in path]
    row = {"id": "k1", "ts": 7, "v": "new", "n": 1}
    (rows,) = native_files(replace(Native(Block([row])), version=1), "20240101000100001").values()
    assert path.startswith(FILE_ID)
    table.memory.files[path] = rows.replace(b"_hoodie_record_key", b"_hoodie_record_kex")
    commit = next(path for path in table.memory.files if path.endswith(".deltacommit"))
    table.memory.files[commit] = table.memory.files[commit].replace(b'"fileSizeInBytes"', b'"unused"')
    with pytest.raises(CorruptFileError, match="_hoodie_record_key"):
        sorted_rows(table.open())
