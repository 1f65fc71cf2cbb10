"""META-99: the live records of a metadata partition, as they were written by several commits."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hudi_core
from hudi_core.errors import UsageError
from hudi_core.front.opening import create_table
from hudi_core.table.metadata_records import metadata_records
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.writing.operations import write

SCHEMA = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64())])
INDEXES = ["column_stats", "partition_stats", "bloom_filters", "record_index"]


def rows(*numbers: int, n: int | None = None) -> pa.Table:
    listed = [{"id": f"k{number}", "p": "xy"[number % 2], "n": number if n is None else n} for number in numbers]
    return pa.Table.from_pylist(listed, SCHEMA)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """Two commits, of which the second rewrites a file, moves bounds, and deletes a key."""
    made = create_table(tmp_path_factory.mktemp("made") / "t", SCHEMA, "id", partition_by="p", indexes=INDEXES)
    write(made, rows(0, 1, 2, 3))
    write(refreshed(made), rows(2, 4, n=50))
    write(refreshed(made), rows(3), "delete")
    return refreshed(made)


def records(table: Table, partition: str, where: str | None = None, limit: int | None = None) -> list[dict[str, Any]]:
    return list(metadata_records(table, partition, where, limit))


def test_files_are_merged(table: Table) -> None:
    listed = {record["key"]: dict(record["filesystemMetadata"]) for record in records(table, "files")}
    assert sorted(listed) == ["__all_partitions__", "x", "y"]
    assert sorted(listed["__all_partitions__"]) == ["x", "y"]
    names = {(partition, name): entry["size"] for partition in "xy" for name, entry in listed[partition].items()}
    snapshot = table.snapshot().metadata
    assert snapshot is not None
    assert names == {(name[0], name[1]): size for name, size in _sizes(snapshot.files()).items()}
    assert len(names) == 4


def _sizes(files: Any) -> dict[tuple[str, str], int]:
    places = files.partition_of.tolist()
    return {(files.partitions[places[row]], files.name(row)): int(files.sizes[row]) for row in range(len(files))}


def test_deleted_keys_have_no_location(table: Table) -> None:
    located = records(table, "record_index")
    assert sorted(record["key"] for record in located) == ["k0", "k1", "k2", "k4"]
    assert {record["key"]: record["recordIndexMetadata"]["partitionName"] for record in located}["k4"] == "x"
    assert all(record["type"] == 5 and "filesystemMetadata" not in record for record in located)


def test_newest_statistics_of_partitions_count(table: Table) -> None:
    where = "ColumnStatsMetadata.columnName = 'n'"
    by_partition = {
        record["ColumnStatsMetadata"]["fileName"]: record["ColumnStatsMetadata"]["valueCount"]
        for record in records(table, "partition_stats", where)
    }
    assert by_partition == {"x": 3, "y": 1}
    columns = [record["ColumnStatsMetadata"]["columnName"] for record in records(table, "column_stats")]
    assert columns.count("n") == 4


def test_a_limit_ends_early(table: Table) -> None:
    assert len(records(table, "column_stats", limit=3)) == 3
    assert records(table, "column_stats", limit=0) == []
    assert len(records(table, "bloom_filters")) == 4
    assert records(table, "record_index", "key = 'k1'", limit=1)[0]["key"] == "k1"


def test_another_partition_is_refused(table: Table, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"of bloom_filters, column_stats, files, .* found 'nonsense'"):
        records(table, "nonsense")
    with pytest.raises(UsageError, match="which this table does not have"):
        records(create_table(tmp_path / "t", SCHEMA, "id"), "files")


@pytest.mark.parametrize("version", [6, 8, 9])
def test_bounds_of_decimals_are_numbers(tmp_path: Path, version: int) -> None:
    """META-99."""
    values = [Decimal("-3.50"), Decimal("1.25"), None]
    rows = pa.table({"id": ["a", "b", "c"], "d": pa.array(values, pa.decimal128(14, 2)), "b": [b"\x01", b"x", b"y"]})
    path = tmp_path / "t"
    hudi_core.create(path, rows, key="id", version=version, indexes=["column_stats"]).insert(rows)
    (found,) = records(hudi_core.open(path), "column_stats", "ColumnStatsMetadata.columnName = 'd'")
    bounds = [found["ColumnStatsMetadata"][name]["value"] for name in ("minValue", "maxValue")]
    assert [Decimal(bound) for bound in bounds] == [Decimal("-3.5"), Decimal("1.25")]
    others = records(hudi_core.open(path), "column_stats", "ColumnStatsMetadata.columnName = 'b'")
    assert all(other["ColumnStatsMetadata"]["minValue"]["value"] == {"base64": "AQ=="} for other in others)
