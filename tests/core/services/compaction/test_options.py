"""Options of a compaction, and the properties that state them."""

from __future__ import annotations

from typing import Any

import pytest

from hudi_core.errors import HudiError, UnsupportedError, UsageError
from hudi_core.services.compaction.options import CompactionOptions, CompactionStrategy, InlineCompaction, Trigger

CLASSES = "org.apache.hudi.table.action.compact.strategy."


def test_the_defaults_are_those_of_hudi() -> None:
    """COMPACT-353, COMPACT-354."""
    assert CompactionOptions.from_properties({}) == CompactionOptions(if_due=True)
    assert InlineCompaction.from_properties({}) == InlineCompaction()


def test_properties_are_read() -> None:
    """COMPACT-354."""
    stated = {
        "hoodie.compaction.strategy": f"{CLASSES}DayBasedCompactionStrategy,{CLASSES}UnBoundedCompactionStrategy",
        "hoodie.compaction.target.io": "7",
        "hoodie.compaction.logfile.size.threshold": "8",
        "hoodie.compaction.logfile.num.threshold": "9",
        "hoodie.compaction.daybased.target.partitions": "3",
        "hoodie.compaction.partition.path.regex": "x",
        "hoodie.table.services.incremental.enabled": "false",
        "hoodie.log.compaction.blocks.threshold": "2",
        "hoodie.parquet.max.file.size": "1048576",
        "hoodie.compact.inline.trigger.strategy": "num_or_time",
        "hoodie.compact.inline.max.delta.commits": "4",
        "hoodie.compact.inline.max.delta.seconds": "60",
    }
    assert CompactionOptions.from_properties(stated, of_logs=True) == CompactionOptions(
        (CompactionStrategy.DAY_BASED, CompactionStrategy.UNBOUNDED), 7, 8, 9, 3, "x", False, True, 2, 1 << 20, True,
        Trigger.NUM_OR_TIME, 4, 60,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({"hoodie.compact.inline": "true", "hoodie.compact.schedule.inline": "true"}, InlineCompaction(runs=True)),
        ({"hoodie.compact.schedule.inline": "TRUE"}, InlineCompaction(plans=True)),
        ({"hoodie.log.compaction.inline": "true"}, InlineCompaction(merges_logs=True)),
        ({"hoodie.compact.inline": "true", "hoodie.table.services.enabled": "false"}, InlineCompaction()),
    ],
)
def test_writers_are_asked_for_services(stated: dict[str, str], expected: InlineCompaction) -> None:
    """COMPACT-354."""
    assert InlineCompaction.from_properties(stated) == expected


@pytest.mark.parametrize(
    ("named", "idle"),
    [
        ({"trigger": "NUM_COMMITS"}, ("trigger", "if_due")),
        ({"max_delta_commits": 5}, ("max_delta_commits", "if_due")),
        ({"if_due": True, "max_delta_commits": 5, "max_delta_seconds": 5}, None),
        ({"min_log_blocks": 5}, ("min_log_blocks", "of_logs")),
        ({"min_log_blocks": 5, "of_logs": True}, None),
        ({"partition_pattern": None, "target_io": 5, "min_log_bytes": 5, "dry_run": True}, None),
        ({"partition_pattern": "x"}, ("partition_pattern", "strategy PartitionRegexBased")),
        ({"partition_pattern": "x", "strategies": "DayBased,PartitionRegexBased", "target_partitions": 2}, None),
        (
            {"target_io": 5, "strategies": "UnBounded"},
            ("target_io", "strategy BoundedIO or DayBased or LogFileNumBased or LogFileSizeBased"),
        ),
        ({"min_log_files": 5}, ("min_log_files", "strategy LogFileNumBased")),
        (
            {"target_partitions": 5},
            ("target_partitions", "strategy BoundedPartitionAware or DayBased or UnBoundedPartitionAware"),
        ),
    ],
)
def test_an_option_without_an_effect_is_known(named: dict[str, Any], idle: tuple[str, str] | None) -> None:
    """COMPACT-1473."""
    assert CompactionOptions(**named).find_idle(named) == idle


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"strategies": "Newest"}, UsageError),
        ({"strategies": ()}, UsageError),
        ({"strategies": "com.example.Own"}, UnsupportedError),
        ({"strategies": "PartitionRegexBased"}, UsageError),
        ({"trigger": "SOMETIMES"}, UsageError),
        ({"target_io": -1}, UsageError),
        ({"strategies": "DayBased", "target_partitions": 0}, UsageError),
    ],
)
def test_other_values_are_refused(given: dict[str, Any], error: type[HudiError]) -> None:
    """COMPACT-353."""
    with pytest.raises(error):
        CompactionOptions(**given)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("hoodie.compaction.target.io", "many"),
        ("hoodie.compact.inline.max.delta.commits", "-1"),
        ("hoodie.compact.inline.trigger.strategy", "SOMETIMES"),
        ("hoodie.compaction.strategy", "com.example.Own"),
        ("hoodie.compaction.plan.generator", "com.example.Own"),
        ("hoodie.table.services.incremental.enabled", "yes"),
    ],
)
def test_other_properties_are_refused(key: str, value: str) -> None:
    """COMPACT-353, COMPACT-354."""
    with pytest.raises(HudiError):
        CompactionOptions.from_properties({key: value})
