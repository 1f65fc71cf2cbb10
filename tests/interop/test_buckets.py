"""Tables of buckets with a real Apache Hudi: each writes into the buckets of the other, in turns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import hudi_core
from tests.interop.test_clusterings import verified
from tests.interop.test_restores import others
from tests.interop.test_writes import TYPES, rows

pytestmark = pytest.mark.interop

SIMPLE = {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "3"}
CONSISTENT = {**SIMPLE, "hoodie.index.bucket.engine": "CONSISTENT_HASHING"}
CASES = [
    ("mor", 9, SIMPLE, True),
    ("cow", 9, SIMPLE, False),
    ("mor", 9, CONSISTENT, True),
    ("cow", 6, SIMPLE, True),
    ("mor", 6, SIMPLE, False),
    ("mor", 8, CONSISTENT, False),
    ("mor", 6, CONSISTENT, False),
    ("cow", 8, SIMPLE, False),
    ("mor", 8, SIMPLE, False),
]
"""Kind, version, buckets, and whether the table states them or each writer does."""


@pytest.mark.parametrize(
    ("kind", "version", "layout", "of_table"), CASES, ids=[f"{one[0]}-{one[1]}-{len(one[2])}" for one in CASES]
)
def test_both_write_into_the_same_buckets(
    tmp_path: Path, judge: Any, kind: str, version: int, layout: dict[str, str], of_table: bool
) -> None:
    """WRITE-579 to WRITE-581, INDEX-576 to INDEX-578, CLUSTER-1027."""
    path, expected = tmp_path / "t", tmp_path / "rows.parquet"
    table = hudi_core.create(
        path, TYPES, "id", partition_by="p", ordering="ts", type=kind, version=version, indexes=["column_stats"],
        options=layout if of_table else {},
    )  # fmt: skip
    options = {"hoodie.write.auto.upgrade": "false", "hoodie.write.table.version": str(version), **layout}
    properties = {} if of_table else layout
    table.upsert(rows([f"k{number}" for number in range(20)], "x", 1), properties=properties)
    for turn in range(3):
        latest = table.refresh()
        latest.upsert(rows(["k1", "k5", f"n{turn}"], "x", 10 + turn), properties=properties)
        latest.refresh().insert(rows([f"i{turn}"], "yz"[turn % 2], 10 + turn), properties=properties)
        latest.refresh().delete(where=f"id = 'k{10 + turn}'", properties=properties)
        if layout is SIMPLE:
            assert table.refresh().cluster(columns=["ts", "id"]).groups > 0
        pq.write_table(table.refresh().scan(meta=False).to_arrow(), expected)
        verified(judge, path, expected, version, ours=turn == 0)
        # Into copy-on-write files an insert of Apache Hudi's puts a key that is there a second time.
        ops = ["upsert", "insert", "delete", "compact"] if kind == "mor" else ["upsert", "delete"]
        went_on = judge.ask("continue", str(path), ops=ops, rows=6, options=options, seed=turn)
        assert went_on["ok"], judge.explain(went_on)
        assert others(table) == []
        keys = table.refresh().scan(columns=["id", "p"]).to_arrow().to_pylist()
        assert len(keys) == len({(row["id"], row["p"]) for row in keys})
        groups = [(one.partition, one.file_id[:8]) for one in table.refresh().slices()]
        assert len(groups) == len(set(groups))
