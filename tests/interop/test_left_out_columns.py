"""Tables whose files leave out partition columns: Apache Hudi verifies what this library wrote and goes on; then we do.
Rule WRITE-1650."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.front.opening import create_table, open_table

pytestmark = pytest.mark.interop

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("q", pa.string()), ("ts", pa.int64()), ("v", pa.int64())])
DROPPED = {"hoodie.datasource.write.drop.partition.columns": "true"}


def rows(names: list[str], p: str, ts: int) -> pa.Table:
    values = [{"id": name, "p": p, "q": "é %", "ts": ts, "v": number} for number, name in enumerate(names)]
    return pa.Table.from_pylist(values, TYPES)


@pytest.mark.parametrize(
    ("kind", "version", "hive_style"),
    [("cow", 9, "false"), ("mor", 9, "true"), ("cow", 6, "true"), ("mor", 6, "false"), ("mor", 8, "false")],
)
def test_apache_hudi_goes_on_with_a_table_whose_files_leave_columns_out(
    judge: Any, tmp_path: Path, kind: str, version: int, hive_style: str
) -> None:
    path, expected = tmp_path / "t", tmp_path / "rows.parquet"
    indexes = ["column_stats", "bloom_filters", "record_index"]
    options = {**DROPPED, "hoodie.datasource.write.hive_style_partitioning": hive_style}
    by = ["p", "q"] if version == 9 else ["p"]  # before, Apache Hudi takes one key column beside one partition column
    create_table(
        path, TYPES, "id", partition_by=by, ordering="ts", type=kind, version=version, indexes=indexes,
        options={**options, "hoodie.datasource.write.partitionpath.urlencode": "true"},
    )  # fmt: skip
    open_table(path).insert(rows([f"k{number:02d}" for number in range(12)], "x", 1))
    open_table(path).upsert(rows(["k03", "new"], "x", 2))
    open_table(path).update({"v": 77}, where="id = 'k04'")
    open_table(path).delete(where="id = 'k05'")
    open_table(path).insert(rows(["a", "b"], "y/z", 1))
    if kind == "mor":
        open_table(path).compact()
        open_table(path).upsert(rows(["k06", "k07"], "x", 3))

    def verify(checks: list[str]) -> None:
        table = open_table(path)
        pq.write_table(table.scan(meta=False).to_arrow(), expected)
        verified = judge.ask(
            "verify", str(path), expect=str(expected), key=["id"], table_version=version, checks=checks, count=8
        )
        assert verified["ok"], judge.explain(verified)
        assert [str(finding) for finding in table.validate()] == []

    verify(["timeline", "rows", "metadata", "filters"])
    operations = ["upsert", "delete", *(["compact"] if kind == "mor" else []), "cluster", "clean"]
    stated = {"hoodie.write.auto.upgrade": "false", "hoodie.write.table.version": str(version)}
    went_on = judge.ask("continue", str(path), ops=operations, rows=6, options=stated)
    assert went_on["ok"], judge.explain(went_on)
    open_table(path).upsert(rows(["k01", "last"], "x", 99))
    open_table(path).cluster(columns=["v"])
    verify(["timeline", "rows"])
