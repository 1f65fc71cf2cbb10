"""META-98: what is told of the indexes of a table."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from hudi_core.errors import UsageError
from hudi_core.front import table as front
from hudi_core.front.opening import create_table
from hudi_core.index_builds.build import build_indexes
from hudi_core.index_builds.listing import Index, IndexState, indexes
from hudi_core.index_builds.removal import drop_index
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.options import PROPERTIES_PATH
from hudi_core.table.table import Table
from hudi_core.writing.operations import write

SCHEMA = pa.schema([("id", pa.string()), ("n", pa.int64()), ("s", pa.string())])


def new_table(folder: Path) -> Table:
    table = create_table(folder, SCHEMA, "id")
    write(table, pa.Table.from_pylist([{"id": "a", "n": 1, "s": "b"}], SCHEMA))
    return table


def by_name(table: Table) -> dict[str, Index]:
    return {entry.name: entry for entry in indexes(table)}


def test_indexes_are_listed_with_their_definitions(tmp_path: Path) -> None:
    table = new_table(tmp_path / "t")
    assert indexes(table) == []
    building: dict[str, Index] = {}
    build_indexes(table, ["column_stats"], IndexOptions(["n"]), progress=lambda _: building.update(by_name(table)))
    assert building["column_stats"].state is IndexState.BUILDING
    build_indexes(table, ["record_index"], IndexOptions(partitioned=True))
    listed = by_name(table)
    assert list(listed) == ["files", "column_stats", "record_index"]
    assert listed["column_stats"].columns == ("n",)
    assert listed["record_index"].kind == "partitioned_record_index"
    assert [(entry.state, entry.file_groups) for entry in listed.values()] == [
        (IndexState.READY, 1), (IndexState.READY, 2), (IndexState.READY, 1)
    ]  # fmt: skip
    folder = tmp_path / "t/.hoodie/metadata/column_stats"
    assert listed["column_stats"].bytes == sum(
        file.stat().st_size for file in folder.iterdir() if "part" not in file.name and file.suffix != ".crc"
    )


def test_a_kind_as_it_is_listed_builds_and_drops_an_index(tmp_path: Path) -> None:
    """META-1561."""
    table = build_indexes(new_table(tmp_path / "t"), ["record_index"])
    for name, found in (("partitioned_record_index", "'partitioned_record_index'"), ("nope", "'nope'")):
        with pytest.raises(UsageError, match=f"index: expected one of .*record_index, found {found}"):
            drop_index(table, name)
    assert drop_index(table, "record_index") == ("record_index",)
    table = build_indexes(table, ["partitioned_record_index"])
    assert by_name(table)["record_index"].kind == "partitioned_record_index"
    assert drop_index(table, "partitioned_record_index", dry_run=True) == ("record_index",)
    assert drop_index(table, "partitioned_record_index") == ("record_index",)
    assert list(by_name(table)) == ["files"]


@pytest.mark.parametrize(
    ("kinds", "partitioned", "found"),
    [
        (["record_index", "partitioned_record_index"], None, "record_index as well"),
        (["partitioned_record_index"], False, "partitioned: False"),
    ],
)
def test_a_record_index_is_partitioned_or_not(
    tmp_path: Path, kinds: list[str], partitioned: bool | None, found: str
) -> None:
    """META-1561."""
    table = new_table(tmp_path / "t")
    with pytest.raises(UsageError, match=f"index: expected partitioned_record_index alone, found {found}"):
        build_indexes(table, kinds, IndexOptions(partitioned=partitioned))
    assert indexes(table) == []


def test_damage_and_leftovers_are_reported(tmp_path: Path) -> None:
    table = build_indexes(new_table(tmp_path / "t"), ["column_stats", "bloom_filters"])
    next((tmp_path / "t/.hoodie/metadata/column_stats").glob("*.hfile")).unlink()
    properties = tmp_path / "t" / PROPERTIES_PATH
    properties.write_text(properties.read_text().replace("bloom_filters,", ""))
    listed = by_name(table)
    assert listed["column_stats"].state is IndexState.DAMAGED
    assert "a file that a completed instant of the metadata table wrote" in str(listed["column_stats"].problem)
    assert listed["bloom_filters"].state is IndexState.UNFINISHED
    assert listed["bloom_filters"].bytes > 0
    (tmp_path / "t/.hoodie/metadata/.hoodie/hoodie.properties").unlink()
    assert by_name(table)["files"].as_dict()["state"] == "damaged"


def test_a_table_has_verbs_for_its_indexes(tmp_path: Path) -> None:
    table = front.Table.from_opened(new_table(tmp_path / "t"))
    built = table.index("column_stats", options=IndexOptions(["n"]))
    assert [entry.name for entry in built.indexes()] == ["files", "column_stats"]
    (record,) = built.metadata_records("column_stats")
    assert record["ColumnStatsMetadata"]["columnName"] == "n"
    assert built.drop_index("column_stats") == ("column_stats",)
    assert [entry.name for entry in table.indexes()] == ["files"]
