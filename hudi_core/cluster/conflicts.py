"""Groups that writers changed since a clustering was planned. Rules CLUSTER-40, CLUSTER-41.

Writers precede a table service: the slices that they changed are left alone, and the rest of the plan is run.
"""

from __future__ import annotations

from collections.abc import Mapping

from hudi_core.cluster.plan import ClusteringPlan, PlannedGroup, PlannedSlice, plan_slice
from hudi_core.timeline.services import FileGroup
from hudi_core.timeline.slices import FileSlice


def select_unchanged_groups(plan: ClusteringPlan, slices: Mapping[FileGroup, FileSlice]) -> list[PlannedGroup]:
    """The groups of the plan whose slices are still the latest of their file groups, with the same files."""
    return [group for group in plan.groups if all(_is_unchanged(planned, slices) for planned in group.slices)]


def _is_unchanged(planned: PlannedSlice, slices: Mapping[FileGroup, FileSlice]) -> bool:
    latest = slices.get(planned.group)
    return latest is not None and plan_slice(latest) == planned
