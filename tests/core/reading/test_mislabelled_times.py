"""Files whose times count milliseconds and are labelled as microseconds, as Hudi Streamer left them. Rule RECON-260."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hudi_core
from hudi_core.front.opening import open_table
from hudi_core.front.table import Table
from tests.support.mislabelled import mislabelled

MOMENT = 1_720_631_224_939
MILLIS, MICROS = pa.timestamp("ms", "UTC"), pa.timestamp("us", "UTC")


def times(table: Table, where: str | None = None) -> dict[str, int]:
    rows = table.scan(where, columns=["id", "t"]).to_arrow()
    assert rows.schema.field("t").type.unit == "ms"
    return dict(zip(rows["id"].to_pylist(), rows["t"].cast(pa.int64()).to_pylist(), strict=True))


@pytest.mark.each_value
@pytest.mark.parametrize(
    ("version", "indexes", "type_", "zone"),
    [
        (6, None, "cow", "UTC"),
        (6, None, "mor", None),
        (8, ["column_stats"], "cow", None),
        (8, ["column_stats"], "mor", "UTC"),
        (9, None, "mor", "UTC"),
        (9, ["column_stats"], "cow", "UTC"),
    ],
)
def test_times_are_read_filtered_and_kept_by_writes(
    tmp_path: Path, version: int, indexes: list[str] | None, type_: Any, zone: str | None
) -> None:
    """RECON-260."""
    kind = pa.timestamp("ms", zone)
    data = pa.table({"id": ["a", "b"], "t": pa.array([MOMENT, MOMENT + 1], kind), "n": [1, 1]})
    table = hudi_core.create(tmp_path / "t", data, key="id", type=type_, version=version, indexes=indexes)
    table.insert(data)
    if type_ == "mor":
        table.upsert(data.slice(0, 1).set_column(1, "t", pa.array([MOMENT + 5], kind)))
    wanted = {"a": MOMENT + (5 if type_ == "mor" else 0), "b": MOMENT + 1}
    table = mislabelled(open_table(tmp_path / "t"), tmp_path / "t")
    assert times(table) == wanted
    # From what is recorded, and from the footers.
    for mode in ("auto", "off"):
        opened = open_table(tmp_path / "t", metadata=mode)
        assert times(opened, "t > '2024-07-01'") == wanted
        assert times(opened, "t < '1980-01-01'") == {}
        assert times(opened, "t BETWEEN '2024-07-10 17:07:04.940' AND '2024-07-10 17:07:04.941'") == {"b": MOMENT + 1}
    table.upsert(pa.table({"id": ["c"], "t": pa.array([MOMENT + 9], kind), "n": [1]}))
    assert times(open_table(tmp_path / "t")) == {**wanted, "c": MOMENT + 9}
    table.update({"n": 2})
    assert times(open_table(tmp_path / "t")) == {**wanted, "c": MOMENT + 9}


def test_times_within_other_values_are_read_too(tmp_path: Path) -> None:
    """RECON-260."""
    struct = pa.struct([("at", MILLIS), ("n", pa.int64())])
    columns: dict[str, Any] = {
        "s": pa.array([{"at": MOMENT, "n": 1}, None], struct),
        "l": pa.array([[MOMENT, None], None], pa.list_(MILLIS)),
        "m": pa.array([[("k", MOMENT)], []], pa.map_(pa.string(), MILLIS)),
        "right": pa.array([MOMENT, 1], MICROS),
    }
    data = pa.table({"id": ["a", "b"], **columns})
    table = hudi_core.create(tmp_path / "t", data, key="id")
    table.insert(data)
    before = open_table(tmp_path / "t").scan(columns=list(columns)).to_arrow()
    table = mislabelled(open_table(tmp_path / "t"), tmp_path / "t")
    assert table.scan(columns=list(columns)).to_arrow().equals(before)


def test_an_index_built_from_such_files_finds_their_rows(tmp_path: Path) -> None:
    """RECON-260."""
    data = pa.table({"id": ["a", "b"], "t": pa.array([MOMENT, MOMENT + 1], MILLIS)})
    table = hudi_core.create(tmp_path / "t", data, key="id")
    table.insert(data)
    table = mislabelled(open_table(tmp_path / "t"), tmp_path / "t")
    hudi_core.build_indexes(table, ["column_stats"])
    table = open_table(tmp_path / "t")
    assert times(table, "t >= '2024-07-10 17:07:04.940'") == {"b": MOMENT + 1}
    assert times(table, "t < '2000-01-01'") == {}
    assert [finding for finding in table.validate(["column_stats"]) if finding.severity == "error"] == []


def test_rows_in_microseconds_are_converted_where_they_come_from_elsewhere(tmp_path: Path) -> None:
    """RECON-260."""
    data = pa.table({"id": ["a"], "t": pa.array([MOMENT], MILLIS)})
    table = hudi_core.create(tmp_path / "t", data, key="id")
    table.upsert(data.set_column(1, "t", pa.array([MOMENT * 1000], MICROS)))
    assert times(open_table(tmp_path / "t")) == {"a": MOMENT}
