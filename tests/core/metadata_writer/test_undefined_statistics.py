"""META-712: a table that keeps `column_stats` without a definition of it, as Apache Hudi's Java client leaves it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hudi_core.front.opening import create_table, open_table
from tests.support.written_tables import rows, rows_of


@pytest.mark.each_value
@pytest.mark.parametrize("type_", ["cow", "mor"])
@pytest.mark.parametrize("version", [8, 9])
def test_a_write_keeps_both_kinds_of_statistics(tmp_path: Path, type_: Any, version: Any) -> None:
    path = tmp_path / "t"
    indexes: Any = ["column_stats", "partition_stats"]
    made = create_table(path, rows(), key="id", partition_by="p", type=type_, version=version, indexes=indexes)
    made.insert(rows(("a", "x", 1), ("b", "y", 1)))
    file = path / ".hoodie/.index_defs/index.json"
    document = json.loads(file.read_text())
    document["indexDefinitions"].pop("column_stats")
    file.write_text(json.dumps(document))
    open_table(path).upsert(rows(("a", "x", 50), ("c", "z", 60)))
    table = open_table(path)
    assert rows_of(table, "n > 40") == [("a", "x", 50), ("c", "z", 60)]
    assert [str(finding) for finding in table.validate()] == []
    stated = {
        (record["ColumnStatsMetadata"]["fileName"], record["ColumnStatsMetadata"]["columnName"])
        for record in table.metadata_records("partition_stats")
    }
    assert {("x", "n"), ("y", "n"), ("z", "n")} <= stated
    written = [
        record["ColumnStatsMetadata"]
        for record in table.metadata_records("column_stats")
        if record["ColumnStatsMetadata"]["columnName"] == "n"
    ]
    assert len(written) >= 4
