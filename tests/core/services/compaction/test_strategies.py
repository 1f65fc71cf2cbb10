"""Which slices and partitions strategies take."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hudi_core.commit.compaction_plans import CompactionOperation
from hudi_core.errors import UsageError
from hudi_core.services.compaction.options import CompactionOptions, CompactionStrategy
from hudi_core.services.compaction.strategies import choose_operations, choose_partitions

NOW = datetime(2024, 3, 10, 12, tzinfo=UTC)
DAYS = ["2024/03/01", "2024/03/09", "2023/12/31", "2024/03/10"]


def operation(name: str, log_bytes: int, logs: int, megabytes: int, partition: str = "p") -> CompactionOperation:
    metrics = {"TOTAL_LOG_FILES_SIZE": float(log_bytes), "TOTAL_IO_MB": float(megabytes)}
    return CompactionOperation(partition, name, "1", f"{name}.parquet", tuple(map(str, range(logs))), metrics)


OPERATIONS = [operation("a", 10, 3, 40), operation("b", 30, 1, 40, "q"), operation("c", 20, 2, 40, "r")]


@pytest.mark.parametrize(
    ("options", "taken", "left_out"),
    [
        (CompactionOptions(), "bca", ()),
        (CompactionOptions(target_io=80), "bc", ("p",)),
        (CompactionOptions(target_io=81), "bca", ()),
        (CompactionOptions(target_io=0), "", ("p", "q", "r")),
        (CompactionOptions(min_log_bytes=20), "bc", ("p",)),
        (CompactionOptions(CompactionStrategy.LOG_FILE_NUMBER), "acb", ()),
        (CompactionOptions(CompactionStrategy.LOG_FILE_NUMBER, min_log_files=2), "ac", ("q",)),
        (CompactionOptions(CompactionStrategy.LOG_FILE_NUMBER, target_io=1, min_log_files=2), "a", ("q", "r")),
        (CompactionOptions(CompactionStrategy.BOUNDED_IO, target_io=50), "ab", ("r",)),
        (CompactionOptions(CompactionStrategy.UNBOUNDED, target_io=1), "abc", ()),
        (CompactionOptions("LogFileSizeBased,BoundedIO", target_io=41), "bc", ("p",)),
    ],
)
def test_slices_are_ordered_and_bounded(options: CompactionOptions, taken: str, left_out: tuple[str, ...]) -> None:
    """COMPACT-357, COMPACT-359: the slice that exceeds the bound is the last one."""
    chosen = choose_operations(options, OPERATIONS)
    assert "".join(one.file_id for one in chosen.operations) == taken
    assert chosen.left_out == left_out


def test_partitions_are_chosen_by_day() -> None:
    """COMPACT-358."""
    newest = CompactionOptions("DayBased", target_partitions=2)
    assert choose_partitions(newest, DAYS, NOW) == ["2024/03/10", "2024/03/09"]
    recent = CompactionOptions(CompactionStrategy.BOUNDED_PARTITIONS, target_partitions=9)
    assert choose_partitions(recent, DAYS, NOW) == ["2024/03/10", "2024/03/09", "2024/03/01"]
    old = CompactionOptions(CompactionStrategy.UNBOUNDED_PARTITIONS, target_partitions=8)
    assert choose_partitions(old, DAYS, NOW) == ["2024/03/01", "2023/12/31"]
    named = ["year=2024/month=3/day=9", "year=2024/month=11/day=1"]
    assert choose_partitions(newest, named, NOW) == named[::-1]
    for path in ("oslo", "2024-03-01", "2024/02/30", ""):
        with pytest.raises(UsageError, match="by day"):
            choose_partitions(newest, [path], NOW)


def test_partitions_are_chosen_by_pattern() -> None:
    """COMPACT-359."""
    options = CompactionOptions("PartitionRegexBased", partition_pattern="03/[01]0")
    assert choose_partitions(options, DAYS, NOW) == ["2024/03/10"]
    both = CompactionOptions(("DayBased", "PartitionRegexBased"), target_partitions=1, partition_pattern="03/0")
    assert choose_partitions(both, DAYS, NOW) == []
    with pytest.raises(UsageError, match="regular expression"):
        choose_partitions(CompactionOptions("PartitionRegexBased", partition_pattern="("), DAYS, NOW)
