"""Logs of changes beside the base files of tables that keep them (CDC): what they hold, and that changes are read from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.cluster.options import ClusterOptions
from hudi_core.columns.nodes import StructColumn, to_list
from hudi_core.errors import CorruptFileError
from hudi_core.formats.avro.block import avro_records
from hudi_core.formats.avro.columns import decode
from hudi_core.formats.log import BlockKind, HeaderKey, read_blocks
from hudi_core.front.opening import create_table, open_table
from hudi_core.metadata.table import FILES
from hudi_core.options import CdcMode
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.commits import WriteStat
from hudi_core.writing.plan import FileSizes

TYPES = pa.schema(
    [
        ("id", pa.string()), ("p", pa.string()), ("ts", pa.int64()),
        ("inner", pa.struct([pa.field("a", pa.string(), nullable=False), ("b", pa.list_(pa.int32()))])),
    ]
)  # fmt: skip
MODE = "hoodie.table.cdc.supplemental.logging.mode"
COW_AND_MODES = [("cow", version, mode) for version in (6, 8, 9) for mode in CdcMode]


def rows(*keys: str, ts: int) -> pa.Table:
    values = [
        {"id": key, "p": "x", "ts": ts, "inner": {"a": f"{key}{ts}", "b": [ts, None]} if ts % 2 else None}
        for key in keys
    ]
    return pa.Table.from_pylist(values, TYPES)


def new_table(folder: Path, kind: str = "cow", version: int = 9, mode: CdcMode | None = None, **options: Any) -> Table:
    cdc = {"hoodie.table.cdc.enabled": "true", **({} if mode is None else {MODE: mode.value})}
    return create_table(
        folder / "t", TYPES, "id", partition_by="p", ordering="ts", type=kind, version=version,
        options={**cdc, **options.pop("options", {})}, **options,
    )  # fmt: skip


def last_stats(table: Table) -> list[WriteStat]:
    timeline = refreshed(table).timeline
    stats = timeline.metadata(timeline.commits[-1]).stats
    return [stat for of_partition in stats.values() for stat in of_partition]


def changes_of_last(table: Table) -> list[tuple[str, str, Any, Any]]:
    """Operation, key, and the ordering values before and after."""
    last = refreshed(table).timeline.commits[-1]
    found = refreshed(table).changes(meta=False).to_json_rows()
    return sorted(
        (
            row["op"],
            (row["before"] or row["after"])["id"],
            row["before"] and row["before"]["ts"],
            row["after"] and row["after"]["ts"],
        )
        for row in found
        if row["ts_ms"] == last.requested_time
    )


def logged(table: Table) -> list[Any]:
    """The rows of the log of changes of the last write."""
    (stat,) = last_stats(table)
    (path,) = stat.cdc_files
    assert table.storage.open(path).size == stat.cdc_files[path]
    return list(read_blocks(table.storage.open(path)))


@pytest.mark.each_value
@pytest.mark.parametrize(("kind", "version", "mode"), [*COW_AND_MODES, ("mor", 9, CdcMode.DATA_BEFORE_AFTER)])
def test_changes_are_logged_beside_a_rewritten_base_file(
    tmp_path: Path, kind: str, version: int, mode: CdcMode
) -> None:
    """WRITE-50, WRITE-51."""
    table = new_table(tmp_path, kind, version, mode)
    table.insert(rows("a", "b", "c", ts=1))
    assert [stat.cdc_files for stat in last_stats(table)] == [{}]
    refreshed(table).upsert(rows("b", "d", ts=3))
    (block,) = logged(table)
    assert block.kind is BlockKind.CDC_DATA
    columns = {
        CdcMode.OP_KEY_ONLY: ["op", "record_key"],
        CdcMode.DATA_BEFORE: ["op", "record_key", "before"],
        CdcMode.DATA_BEFORE_AFTER: ["op", "ts_ms", "before", "after"],
    }[mode]
    found = schema_from_avro(block.require(HeaderKey.SCHEMA), "log")
    assert [column.name for column in found.fields] == columns
    assert changes_of_last(table) == [("i", "d", None, 3), ("u", "b", 1, 3)]
    if kind == "cow":
        refreshed(table).delete(where="id = 'c'")
        assert changes_of_last(table) == [("d", "c", 1, None)]
        assert len(logged(table)) == 1
    assert not [finding for finding in refreshed(table).validate() if finding.severity == "error"]


@pytest.mark.parametrize("mode", CdcMode)
def test_a_rewritten_file_without_a_change_has_a_log_without_one(tmp_path: Path, mode: CdcMode) -> None:
    """WRITE-51: readers of Apache Hudi end with an error where there is no log."""
    table = new_table(tmp_path, mode=mode)
    table.insert(rows("a", "b", ts=4))
    refreshed(table).upsert(rows("a", ts=2))
    (block,) = logged(table)
    assert block.content()[4:] == b"\0\0\0\0"
    assert changes_of_last(table) == []
    refreshed(table).delete(where="true")
    assert changes_of_last(table) == [("d", "a", 4, None), ("d", "b", 4, None)]


def test_changes_are_read_from_the_log_alone(tmp_path: Path) -> None:
    """WRITE-51: without the base files of before and after."""
    table = new_table(tmp_path)
    table.insert(rows("a", "b", ts=1))
    refreshed(table).insert(rows("a", "c", ts=2))  # added as they are, to the same file
    (stat,) = last_stats(table)
    assert stat.inserts == 2
    for file in (tmp_path / "t/x").glob("*.parquet"):
        file.write_bytes(b"damaged")
    assert changes_of_last_in_log(table) == [("i", "a"), ("i", "c")]
    with pytest.raises(CorruptFileError):
        list(open_table(tmp_path / "t").scan().batches())


def changes_of_last_in_log(table: Table) -> list[tuple[str, str]]:
    commits = refreshed(table).timeline.commits
    found = refreshed(table).changes(since=commits[-2].completion_time, meta=False).to_json_rows()
    return sorted((row["op"], row["after"]["id"]) for row in found)


def test_log_files_of_a_table_with_logs_of_changes_name_their_slice(tmp_path: Path) -> None:
    """WRITE-52."""
    table = new_table(tmp_path, "mor")
    table.insert(rows("a", "b", ts=1))
    first = refreshed(table).timeline.commits[0].requested_time
    (base,) = refreshed(table).slices()
    refreshed(table).upsert(rows("a", ts=2))
    refreshed(table).delete(where="id = 'b'")
    (stat,) = last_stats(table)
    (file_slice,) = refreshed(table).slices()
    assert base.base is not None
    assert (stat.previous, stat.base_file, stat.cdc_files) == (first, base.base.name, {})
    assert list(stat.log_files) == [log.name for log in file_slice.logs]
    assert changes_of_last(table) == [("d", "b", 1, None)]


def test_the_metadata_table_lists_logs_of_changes_and_has_no_statistics_of_them(tmp_path: Path) -> None:
    """WRITE-53, also where the index is built from the files."""
    table = new_table(tmp_path, indexes=["column_stats"])
    table.insert(rows("a", "b", ts=1))
    refreshed(table).upsert(rows("a", ts=3))
    ((path, size),) = last_stats(table)[0].cdc_files.items()
    name = path.rpartition("/")[2]

    def recorded(partition: str) -> str:
        return str(list(refreshed(table).metadata_records(partition)))

    assert name in recorded(FILES) and str(size) in recorded(FILES)
    by_commits = recorded("column_stats")
    assert name not in by_commits
    refreshed(table).drop_index("column_stats")
    refreshed(table).index("column_stats")
    assert name not in recorded("column_stats")
    assert not [finding for finding in refreshed(table).validate() if finding.severity == "error"]


@pytest.mark.parametrize("mode", CdcMode)
def test_virtual_keys(tmp_path: Path, mode: CdcMode) -> None:
    """WRITE-50."""
    table = new_table(tmp_path, mode=mode, options={"hoodie.populate.meta.fields": "false"})
    table.insert(rows("a", "b", ts=1))
    refreshed(table).upsert(rows("b", "c", ts=3))
    (block,) = logged(table)
    rows_of_log = avro_records(block)
    data = np.frombuffer(rows_of_log.data, np.uint8)
    log = decode(rows_of_log.schema_text, data, rows_of_log.starts, rows_of_log.lengths, block.where)
    assert isinstance(log, StructColumn)
    assert to_list(log.fields["op"]) == ["u", "i"]
    if mode is CdcMode.DATA_BEFORE_AFTER:
        assert [row["id"] for row in to_list(log.fields["after"])] == ["b", "c"]
    else:
        assert to_list(log.fields["record_key"]) == ["b", "c"]


@pytest.mark.one_of(2)
@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_a_clustering_is_no_change(tmp_path: Path, kind: str) -> None:
    """WRITE-51: rows that are rewritten as they are have no log of changes, and changes stay those of before."""
    options = {"hoodie.table.cdc.enabled": "true", MODE: CdcMode.DATA_BEFORE_AFTER.value}
    table = create_table(tmp_path / "t", TYPES, "id", type=kind, version=9, options=options)
    first = table.write(rows("a", "b", ts=1)).instant
    assert first is not None
    refreshed(table).append(rows("c", ts=2))
    refreshed(table).upsert(rows("a", ts=3))

    def changes() -> list[str]:
        return sorted(map(str, refreshed(table).changes(since=first).to_arrow().to_pylist()))

    before = changes()
    clustered = refreshed(table).cluster(ClusterOptions(columns=("ts",), sizes=FileSizes(10_000_000, 9_000_000)))
    assert clustered.rows == 3
    assert changes() == before
    refreshed(table).upsert(rows("b", ts=4))
    assert len(changes()) == len(before) + 1
    assert list(refreshed(table).validate()) == []
