"""Plans of clusterings in their stored form, and the choice of partitions.

Also covers: `cluster/partitions.py`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from hudi_core.cluster.layout import Strategy
from hudi_core.cluster.partitions import FilterMode, PartitionFilter
from hudi_core.cluster.plan import (
    SORT_AND_SIZE,
    ClusteringPlan,
    PlannedGroup,
    PlannedSlice,
    clustering_action,
    encode_plan,
    group_metrics,
    plan_slice,
    read_plan,
)
from hudi_core.commit.avro_schemas import REQUESTED_REPLACE_METADATA
from hudi_core.engine import FileInfo
from hudi_core.errors import CorruptFileError, UnsupportedError, UsageError
from hudi_core.formats.avro.container import read_container, write_container
from hudi_core.timeline.instants import Instant, InstantState
from hudi_core.timeline.slices import FileSlice
from hudi_core.timeline.timeline import Timeline, timeline_in
from tests.support.memory import Memory

SLICE = FileSlice(
    "p=1", "f-0", "1", FileInfo("p=1/f-0_0-0-0_1.parquet", 1 << 20), (FileInfo("p=1/.f-0_2.log.1_0-0-0", 512),)
)
LOGS_ONLY = FileSlice("p=1", "g-0", "1", None, (FileInfo("p=1/.g-0_2.log.1_0-0-0", 1),))
PLAN = ClusteringPlan(
    (PlannedGroup((plan_slice(SLICE), plan_slice(LOGS_ONLY)), 3, group_metrics([SLICE, LOGS_ONLY])),),
    Strategy.HILBERT,
    ("a", "b.c"),
    1 << 27,
)
SLICES = {("p=1", "f-0"): SLICE, ("p=1", "g-0"): LOGS_ONLY}
INSTANT = Instant(
    "20260102030405678", "clustering", InstantState.REQUESTED, None, "20260102030405678.clustering.requested"
)
DAYS = ["2026-01-01", "2026-01-02", "2026-01-03"]
NOON = datetime(2026, 1, 3, 1)


def timeline(content: bytes) -> Timeline:
    return timeline_in(Memory({f".hoodie/timeline/{INSTANT.file}": content}), ".hoodie/timeline", 2)


def stored(**changes: Any) -> bytes:
    (record,) = read_container(encode_plan(PLAN, SLICES, Memory({})), "plan")
    record["clusteringPlan"] |= changes
    return write_container(REQUESTED_REPLACE_METADATA, [record])


def test_a_plan_is_read_as_it_was_stored() -> None:
    """CLUSTER-20, CLUSTER-22."""
    content = encode_plan(PLAN, SLICES, Memory({}))
    assert read_plan(timeline(content), INSTANT) == PLAN
    (record,) = read_container(content, "plan")
    assert record["operationType"] == "CLUSTER"
    assert record["clusteringPlan"]["strategy"]["strategyClassName"] == SORT_AND_SIZE
    assert record["clusteringPlan"]["strategy"]["strategyParams"] == {
        "hoodie.layout.optimize.strategy": "HILBERT",
        "hoodie.layout.optimize.curve.build.method": "SAMPLE",
        "hoodie.clustering.plan.strategy.sort.columns": "a,b.c",
        "hoodie.clustering.plan.strategy.target.file.max.bytes": str(1 << 27),
    }
    (group,) = record["clusteringPlan"]["inputGroups"]
    assert [part["dataFilePath"] for part in group["slices"]] == [f"{Memory({}).uri}/p=1/f-0_0-0-0_1.parquet", ""]
    assert group["metrics"]["TOTAL_LOG_FILES"] == 2
    assert [clustering_action(version) for version in (6, 8, 9)] == ["replacecommit", "clustering", "clustering"]


def test_directories_of_a_stored_plan_do_not_count() -> None:
    """CLUSTER-21."""
    part = {
        "dataFilePath": "s3://elsewhere/t/p/f_1.parquet",
        "deltaFilePaths": None,
        "fileId": "f",
        "partitionPath": "p",
    }
    plan = read_plan(timeline(stored(inputGroups=[{"slices": [part], "numOutputFileGroups": 2}])), INSTANT)
    assert plan.groups == (PlannedGroup((PlannedSlice("p", "f", "f_1.parquet"),), 2),)
    assert plan.file_groups == (("p", "f"),)


def test_plans_that_are_not_run_are_refused() -> None:
    """CLUSTER-23."""
    consistent = {"strategyClassName": "org.apache.hudi.SparkConsistentBucketClusteringExecutionStrategy"}
    with pytest.raises(UnsupportedError, match="ConsistentBucket"):
        read_plan(timeline(stored(strategy=consistent)), INSTANT)
    with pytest.raises(CorruptFileError, match="found none"):
        read_plan(timeline(b""), INSTANT)


def test_old_plans_give_rows_the_time_of_the_clustering() -> None:
    """CLUSTER-10."""
    assert not read_plan(timeline(stored(preserveHoodieMetadata=None)), INSTANT).preserves_commit_times


@pytest.mark.parametrize(
    ("chosen", "paths"),
    [
        (PartitionFilter(), DAYS),
        (PartitionFilter(FilterMode.RECENT_DAYS), DAYS[1:]),
        (PartitionFilter(FilterMode.RECENT_DAYS, skip_latest=1, look_back=1), DAYS[1:2]),
        (PartitionFilter(FilterMode.SELECTED_PARTITIONS, begin="2026-01-02"), DAYS[1:]),
        (PartitionFilter(FilterMode.SELECTED_PARTITIONS, begin="2025", end="2026-01-02"), DAYS[:2]),
        (PartitionFilter(FilterMode.DAY_ROLLING), DAYS[1:2]),
        (PartitionFilter(pattern=r".*-0[13]"), [DAYS[0], DAYS[2]]),
        (PartitionFilter(selected=(DAYS[2], DAYS[0])), [DAYS[0], DAYS[2]]),
    ],
)
def test_partitions_are_chosen_as_apache_hudi_does(chosen: PartitionFilter, paths: list[str]) -> None:
    """CLUSTER-31."""
    assert chosen.select(reversed(DAYS), NOON) == paths


@pytest.mark.parametrize(
    ("odd", "message"),
    [
        ({"selected": ("a",), "pattern": "x"}, "either names of partitions or a pattern, found both"),
        ({"look_back": 3}, "look_back: expected the mode RECENT_DAYS, found the mode NONE"),
        ({"mode": FilterMode.DAY_ROLLING, "skip_latest": 1}, "skip_latest: expected the mode RECENT_DAYS"),
        ({"mode": FilterMode.RECENT_DAYS, "begin": "a"}, "begin: expected the mode SELECTED_PARTITIONS"),
        ({"mode": FilterMode.RECENT_DAYS, "look_back": 0}, "look_back: expected a whole number from 1 on, found 0"),
    ],
)
def test_a_field_that_has_no_effect_is_refused(odd: dict[str, Any], message: str) -> None:
    """CLUSTER-1591."""
    with pytest.raises(UsageError, match=message):
        PartitionFilter(**odd)


def test_a_choice_of_no_partition_is_refused() -> None:
    with pytest.raises(UsageError, match="2027"):
        PartitionFilter(selected=("2027",)).select(DAYS, NOON)
    with pytest.raises(UsageError, match="regular expression"):
        PartitionFilter(pattern="(").select(DAYS, NOON)
