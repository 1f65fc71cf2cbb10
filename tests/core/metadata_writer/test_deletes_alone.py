"""META-230: file groups of the metadata table whose log files hold deletes alone, or nothing, stop no reader and no writer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from hudi_core.columns.hashes import column_stats_key, partition_stats_key
from hudi_core.columns.strings import string_column
from hudi_core.commit.steps import run
from hudi_core.front.opening import create_table
from hudi_core.index_builds.build import build_indexes
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.metadata.table import MetadataTable
from hudi_core.metadata_rows.rows import IndexRows, PartitionRows
from hudi_core.metadata_writer import compaction
from hudi_core.metadata_writer.compaction import compaction_steps, request_steps
from hudi_core.metadata_writer.delta_commit import delta_commit_steps
from hudi_core.table.metadata_records import metadata_records
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.instants import COMPACTION
from hudi_core.writing.operations import write

SCHEMA = pa.schema([("id", pa.string()), ("p", pa.string()), ("s", pa.string())])
KEYS = {
    "column_stats": [column_stats_key("s", "x", f"gone-{number}_0-0-0_1.parquet") for number in range(40)],
    "partition_stats": [partition_stats_key("s", "gone")],
    "bloom_filters": ["gone"],
    "record_index": [f"k{number}" for number in range(20, 60)],
    "secondary_index_s": ["gone$k1"],
    "expr_index_low": [column_stats_key("s", "x", "gone_0-0-0_1.parquet")],
}


def new_table(path: Path, kind: str, version: int) -> Table:
    """A table whose metadata table has file groups with deletes alone, and others with nothing at all."""
    indexes = ["column_stats", "bloom_filters", "record_index", *(["partition_stats"] if version > 6 else [])]
    table = create_table(path, SCHEMA, "id", partition_by="p", type=kind, version=version, indexes=indexes)
    if version > 6:
        build_indexes(table, ["secondary_index"], IndexOptions(["s"]))
        low = IndexOptions(["s"], name="low", function="lower")
        build_indexes(refreshed(table), ["expression_index"], low)
    opened = metadata(table)
    deleted = [PartitionRows(name, IndexRows(deletes=string_column(KEYS[name]))) for name in sorted(partitions(table))]
    time = "20200101000000000" if version > 6 else "20200101000000"
    run(table.storage, delta_commit_steps(opened, time, "20200101000000001", deleted))
    return refreshed(table)


def partitions(table: Table) -> set[str]:
    return set(table.config.metadata_partitions) - {"files"}


def metadata(table: Table) -> MetadataTable:
    opened = refreshed(table).snapshot().metadata
    assert opened is not None
    return opened


def rows(numbers: Sequence[int]) -> pa.Table:
    listed = [{"id": f"k{number}", "p": "xy"[number % 2], "s": f"S{number}"} for number in numbers]
    return pa.Table.from_pylist(listed, SCHEMA)


@pytest.mark.each_value
@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 9), ("mor", 8), ("cow", 6)])
def test_writes_and_reads_go_on(tmp_path: Path, kind: str, version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table = new_table(tmp_path / "t", kind, version)
    assert not [record for name in partitions(table) for record in metadata_records(table, name)]
    assert list(table.validate()) == []
    monkeypatch.setattr(compaction, "MAX_DELTA_COMMITS", 2)
    for step in range(4):
        write(refreshed(table), rows(range(step, step + 3)))
        assert [str(finding) for finding in refreshed(table).validate()] == []
        for where in ("s = 'S2'", "lower(s) = 's2'", "id = 'k2'"):
            assert refreshed(table).scan(where).to_arrow().num_rows == 1, (step, where)
    assert any(instant.action == "commit" for instant in metadata(table).timeline.completed)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [9, 6])
def test_a_planned_compaction_of_nothing_is_finished(tmp_path: Path, version: int) -> None:
    """META-103: of file groups that hold no record, as another writer may plan it."""
    table = new_table(tmp_path / "t", "cow", version)
    write(table, rows([1]))
    opened = metadata(table)
    slices = [group for name in sorted(partitions(table)) for group in opened.slices(name) if group.logs]
    time = "20990101000000000" if version > 6 else f"{opened.timeline.commits[-1].requested_time}001"
    run(table.storage, request_steps(opened, compaction.Mergeable(tuple(slices)), time))
    (instant,) = [one for one in metadata(table).timeline.pending if one.action == COMPACTION]
    run(table.storage, compaction_steps(metadata(table), slices, instant.requested_time, "20990101000000001"))
    for step in range(2, 4):
        assert [str(finding) for finding in refreshed(table).validate()] == []
        assert refreshed(table).scan("s = 'S1'").to_arrow().num_rows == 1
        write(refreshed(table), rows([step]))
    assert [record["key"] for record in metadata_records(refreshed(table), "record_index")] == ["k1", "k2", "k3"]
