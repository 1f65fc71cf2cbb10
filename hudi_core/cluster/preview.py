"""The gain of a clustering before it runs: what queries read, estimated from statistics and a sample. Rules CLUSTER-50 to
CLUSTER-53."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from hudi_core.cluster.forecast import Forecaster
from hudi_core.cluster.groups import slices_by_group
from hudi_core.cluster.options import ClusterOptions
from hudi_core.cluster.plan import ClusteringPlan
from hudi_core.cluster.planner import plan_clustering
from hudi_core.cluster.predictions import Gain, Prediction, predictions
from hudi_core.expr.queries import Condition, Query, as_queries
from hudi_core.table.table import Table

BYTES_PER_SECOND: Final = 16 << 20
"""Bytes of base files that one processor rewrites in a second, roughly: 12 columns, on a machine of 2020."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What a clustering would rewrite, about how long that takes on this machine, and what it gains. `bytes_out` and what gains
    have after it are estimates. `predictions` has, by query, what an earlier clustering noted of it."""

    strategy: str
    columns: tuple[str, ...]
    groups: int
    files_in: int
    files_out: int
    bytes_in: int
    bytes_out: int
    seconds: float
    gains: tuple[Gain, ...]
    predictions: tuple[Prediction | None, ...]

    def as_dict(self) -> dict[str, Any]:
        """The fields by name, gains as a list, with the earlier prediction for the slices that are kept before this one."""
        gains = [
            {**asdict(gain), "predicted_before": None if known is None else known.gain.kept_after}
            for gain, known in zip(self.gains, self.predictions, strict=True)
        ]
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "predictions"}
        return {**fields, "columns": list(self.columns), "gains": gains}


def preview(table: Table, options: ClusterOptions, queries: Sequence[Condition | Query] = ()) -> Preview:
    """Plans a clustering and estimates what it gains for queries; nothing is written.

    Raises as `cluster` and `Table.scan` do.
    """
    plan, given = plan_clustering(table, options), as_queries(queries)
    forecast = Forecaster(table, given).of_plan(plan)
    slices, rewritten = slices_by_group(table.slices()), set(plan.file_groups)
    size = sum(file.size for group in rewritten for file in slices[group].files)
    return Preview(
        plan.strategy,
        plan.columns,
        len(plan.groups),
        len(rewritten),
        forecast.files,
        size,
        forecast.size,
        round(size / (BYTES_PER_SECOND * table.engine.runner.parallelism), 1),
        forecast.gains,
        tuple(predictions(table.timeline, [query.where for query in given])),
    )


def predict(table: Table, plan: ClusteringPlan, queries: Sequence[Condition | Query]) -> ClusteringPlan:
    """The plan with what it gains for queries, to be noted. Raises as `Table.scan` does for a query."""
    return replace(plan, gains=Forecaster(table, as_queries(queries)).of_plan(plan).gains) if queries else plan
