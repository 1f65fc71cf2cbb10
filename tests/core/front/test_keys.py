"""Record keys and partition paths of rows: by options, by a table, by a generator of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

import hudi_core
from hudi_core import RowError, UsageError, keys_of_rows

ROWS = [{"city": "oslo", "number": 7}, {"city": "lima", "number": 42}]
OPTIONS = {
    "hoodie.datasource.write.recordkey.field": "number",
    "hoodie.datasource.write.partitionpath.field": "city",
    "hoodie.datasource.write.hive_style_partitioning": "true",
}


class Letters:
    """Keys by city and number; a partition for each city's first letter."""

    def record_key(self, row: Mapping[str, object]) -> str:
        return f"{row['city']}-{row['number']:06d}"

    def partition_path(self, row: Mapping[str, object]) -> str:
        return str(row["city"])[0]


def test_options_name_a_generator() -> None:
    assert keys_of_rows(ROWS, OPTIONS).to_pylist() == [
        {"record_key": "7", "partition_path": "city=oslo"},
        {"record_key": "42", "partition_path": "city=lima"},
    ]


def test_a_table_makes_its_own_keys(tmp_path: Path) -> None:
    table = hudi_core.create(tmp_path / "t", ROWS, "number", partition_by="city")
    table.upsert(ROWS)
    stored = table.refresh().scan(columns=["_hoodie_record_key", "_hoodie_partition_path"]).to_arrow().to_pylist()
    made = keys_of_rows(ROWS, table).to_pylist()
    assert sorted(map(tuple, map(dict.values, stored))) == sorted(map(tuple, map(dict.values, made)))


def test_a_generator_of_ones_own_is_an_object() -> None:
    assert keys_of_rows(iter(ROWS), Letters())["record_key"].to_pylist() == ["oslo-000007", "lima-000042"]
    with pytest.raises(UsageError, match=r"keys: expected a method record_key\(row\), found none in object"):
        keys_of_rows(ROWS, object())  # type: ignore[arg-type]


def test_a_row_without_a_key_is_named_by_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hudi_arrow.incoming.given._BATCH_ROWS", 2)
    rows = [*ROWS, {"city": "rome", "number": None}]
    with pytest.raises(RowError, match="rows: row 3: expected a record key in number") as refused:
        keys_of_rows(rows, OPTIONS)
    assert refused.value.row == 2
