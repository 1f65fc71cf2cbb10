"""Tables with a simple bucket index are ordered within their buckets. CLUSTER-1027."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hudi_core
from hudi_core.cluster.layout import Strategy
from hudi_core.cluster.operations import cluster, plan_only, run_requested
from hudi_core.cluster.options import ClusterOptions
from hudi_core.cluster.plan import PlannedGroup
from hudi_core.cluster.planner import plan_clustering
from hudi_core.cluster.refusals import refuse_joined
from hudi_core.errors import UnsupportedError
from hudi_core.tagging.bucket_layout import same_bucket

SIMPLE = {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "3"}
BY_N = ClusterOptions(columns=("n",))


def rows(first: int, last: int, n: int = 7) -> pa.Table:
    numbers = list(range(first, last))
    return pa.table(
        {
            "id": [f"k{number:03}" for number in numbers],
            "p": ["xy"[number % 2] for number in numbers],
            "n": pa.array([number * n % 101 for number in numbers], pa.int64()),
        }
    )


def made(path: Path, kind: str, version: int, **options: Any) -> hudi_core.Table:
    table = hudi_core.create(
        path, rows(0, 1).schema, "id", partition_by="p", type=kind, version=version, options=SIMPLE, **options
    )
    table.upsert(rows(0, 60))
    table.refresh().upsert(rows(10, 40, 11))
    return table.refresh()


def content(table: hudi_core.Table) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = table.refresh().scan(columns=["id", "p", "n"]).to_arrow().to_pylist()
    return sorted(found, key=lambda row: row["id"])


def buckets(table: hudi_core.Table) -> list[tuple[str, str]]:
    return sorted((one.partition, same_bucket(one.file_id)) for one in table.refresh().slices())


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    ("kind", "version"),
    [
        ("cow", 9),
        ("mor", 6),
        *(pytest.param(*case, marks=pytest.mark.soak) for case in (("cow", 6), ("mor", 8), ("mor", 9))),
    ],
)
def test_rows_are_put_in_order_within_their_buckets(tmp_path: Path, kind: str, version: int) -> None:
    """CLUSTER-1027."""
    table = made(tmp_path / "t", kind, version, indexes=["column_stats", "record_index"])
    before, there, ids = content(table), buckets(table), {one.file_id for one in table.slices()}
    assert len(there) == 6
    result = cluster(table, BY_N)
    after = table.refresh()
    assert (result.state, result.groups, result.files_out, result.rows) == ("completed", 6, 6, 60)
    assert (content(after), buckets(after)) == (before, there)
    assert ids.isdisjoint(one.file_id for one in after.slices())
    for batch in after.scan(columns=["n", "_hoodie_file_name"]).to_arrow().to_pandas().groupby("_hoodie_file_name"):
        assert batch[1]["n"].is_monotonic_increasing
    assert [str(finding) for finding in after.validate()] == []
    assert cluster(after, BY_N).state == "nothing to cluster"
    after.upsert(rows(0, 70, 13))
    later = table.refresh()
    assert buckets(later) == there
    assert {row["id"]: row["n"] for row in content(later)} == {
        f"k{number:03}": number * 13 % 101 for number in range(70)
    }
    assert [str(finding) for finding in later.validate()] == []


def test_a_curve_orders_buckets_too_and_without_columns_nothing_is_done(tmp_path: Path) -> None:
    """CLUSTER-1027."""
    table = made(tmp_path / "t", "cow", 9)
    before, there = content(table), buckets(table)
    assert cluster(table, ClusterOptions()).state == "nothing to cluster"
    assert cluster(table, ClusterOptions(columns=("n", "id"), strategy=Strategy.ZORDER)).groups == 6
    assert (content(table), buckets(table)) == (before, there)


def test_a_plan_waits_and_is_run_and_one_that_joins_buckets_is_refused(tmp_path: Path) -> None:
    """CLUSTER-1027."""
    table = made(tmp_path / "t", "mor", 9)
    before, there = content(table), buckets(table)
    waiting = plan_only(table, BY_N)
    assert waiting.instant is not None
    assert run_requested(table.refresh(), waiting.instant, BY_N).groups == 6
    assert (content(table), buckets(table)) == (before, there)
    plan = plan_clustering(made(tmp_path / "u", "cow", 9), BY_N)
    one, two, *_ = plan.groups
    for group in (PlannedGroup((*one.slices, *two.slices), 1), PlannedGroup(one.slices, 2)):
        with pytest.raises(UnsupportedError, match="joins or splits"):
            refuse_joined(table.refresh(), [group])
