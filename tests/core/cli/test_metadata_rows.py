"""Records of the metadata table for people."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pyarrow as pa
import pytest

import hudi_core
from hudi_core.cli.metadata_rows import describe_record, format_bound
from tests.support.commands import ran


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    rows = pa.table(
        {
            "id": ["a", "b"],
            "price": pa.array([Decimal("1.50"), Decimal("-2.25")], pa.decimal128(20, 2)),
            "day": [datetime.date(2026, 1, 2)] * 2,
            "at": pa.array([datetime.datetime(2026, 1, 2, 3, 4, 5)] * 2, pa.timestamp("us", tz="UTC")),
            "local": pa.array([datetime.datetime(2026, 1, 2, 3, 4, 5)] * 2, pa.timestamp("us")),
            "clock": pa.array([datetime.time(1, 2, 3)] * 2, pa.time64("us")),
            "raw": [b"\x00\xff", b"abc"],
        }
    )
    path = tmp_path_factory.mktemp("metadata") / "t"
    hudi_core.create(path, rows, key="id", indexes=["column_stats", "record_index"]).upsert(rows)
    return str(path)


BOUNDS = {
    "price": ("-2.25", "1.50"),
    "day": ("2026-01-02", "2026-01-02"),
    "at": ("2026-01-02T03:04:05.000000Z", "2026-01-02T03:04:05.000000Z"),
    "local": ("2026-01-02T03:04:05.000000", "2026-01-02T03:04:05.000000"),
    "clock": ("01:02:03.000000", "01:02:03.000000"),
    "raw": ("x'00ff'", "x'616263'"),
}


@pytest.mark.parametrize("column", BOUNDS)
def test_bounds_are_values_of_their_type(table: str, column: str) -> None:
    """CLI-982, META-980: in lines for people and in JSON, where bytes have the form of `values.json`."""
    query = (
        "metadata",
        table,
        "--partition",
        "column_stats",
        "--where",
        f"ColumnStatsMetadata.columnName = '{column}'",
    )
    shown = dict(line.split(maxsplit=1) for line in ran(*query).out.splitlines() if line.startswith(("min", "max")))
    assert (shown["minValue"], shown["maxValue"]) == BOUNDS[column]
    (record,) = ran(*query, "--json").lines
    stored = [record["ColumnStatsMetadata"][name]["value"] for name in ("minValue", "maxValue")]
    assert tuple(stored) == BOUNDS[column] or column == "raw"
    assert column != "raw" or stored == [{"base64": "AP8="}, {"base64": "YWJj"}]


def test_locations_have_their_file_id(table: str) -> None:
    """CLI-982."""
    shown = ran("metadata", table, "--partition", "record_index", "--limit", "1").out
    (file_id,) = (line.split()[-1] for line in shown.splitlines() if line.startswith("file id "))
    assert file_id == hudi_core.open(table).slices()[0].file_id


def test_files_have_their_sizes(table: str) -> None:
    """CLI-982."""
    shown = ran("metadata", table, "--partition", "files").out
    assert "KiB)" in shown
    assert describe_record({"filesystemMetadata": [["a", {"size": 5, "isDeleted": True}]]}) == {"files": "a (deleted)"}
    assert format_bound(None) == "-"
