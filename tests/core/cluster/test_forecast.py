"""What a clustering makes of queries: further cases than the law of twenty layouts (`tests/laws/test_forecasts.py`)."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from hudi_core.cluster.forecast import Forecaster
from hudi_core.cluster.options import ClusterOptions
from hudi_core.cluster.planner import plan_clustering
from hudi_core.expr.queries import Query
from hudi_core.front.opening import create_table
from hudi_core.table.open import refreshed
from hudi_core.writing.operations import write
from hudi_core.writing.plan import FileSizes

SCHEMA = pa.schema([("id", pa.string()), ("n", pa.int64()), ("city", pa.string())])


def test_samples_of_a_group_serve_all_plans_of_it(tmp_path: Path) -> None:
    """CLUSTER-670: and a plan that does nothing leaves all as it is."""
    table = create_table(tmp_path / "t", SCHEMA, "id", partition_by=["city"])
    for part in range(3):
        rows = {"id": [f"{part}-{n}" for n in range(20)], "n": list(range(20)), "city": ["a", "b"] * 10}
        write(refreshed(table), pa.table(rows, SCHEMA), "append")
    table = refreshed(table)
    forecaster = Forecaster(table, [Query("n < 3"), Query("city = 'a'")], names=[("n",), ("city",)])
    by_n = forecaster.of_plan(plan_clustering(table, ClusterOptions(columns=("n",))))
    drawn = len(forecaster._samples)
    by_city = forecaster.of_plan(plan_clustering(table, ClusterOptions(columns=("city",))))
    assert len(forecaster._samples) == drawn
    assert (by_n.files, by_city.files) == (2, 2)
    assert [(gain.kept_before, gain.kept_after, gain.slices_after) for gain in by_n.gains] == [(6, 2, 2), (3, 1, 2)]
    nothing = forecaster.of_plan(plan_clustering(table, ClusterOptions(sizes=FileSizes(1, 0))))
    assert (nothing.files, nothing.size) == (0, 0)
    for gain in nothing.gains:
        assert (gain.kept_before, gain.bytes_before, gain.requests_before) == (
            gain.kept_after,
            gain.bytes_after,
            gain.requests_after,
        )
