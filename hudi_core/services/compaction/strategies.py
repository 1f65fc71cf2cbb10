"""Which slices a plan takes, and in which order: the strategies of Apache Hudi. Rules COMPACT-356 to COMPACT-359."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from hudi_core.commit.compaction_plans import IO, LOG_BYTES, CompactionOperation
from hudi_core.errors import UsageError
from hudi_core.services.compaction.options import BOUNDED, CompactionOptions, CompactionStrategy

_KEYS: Final = re.compile(r"(^|/)[^/=]*=")


@dataclass(frozen=True, slots=True)
class Chosen:
    """The slices of a plan, and the partitions of those that a bound or a threshold left out."""

    operations: tuple[CompactionOperation, ...]
    left_out: tuple[str, ...] = ()


def choose_partitions(options: CompactionOptions, paths: Iterable[str], now: datetime) -> list[str]:
    """The partitions whose slices are looked at, in order. `now` is the time in the zone of the table.

    Partitions that a strategy rules out are not counted as left out: a later plan rules them out again. Raises `UsageError` for
    partitions that are no days under a strategy that goes by days, and for a pattern that is none.
    """
    chosen = list(paths)
    for strategy in options.strategies:
        match strategy:
            case CompactionStrategy.DAY_BASED:
                chosen = sorted(chosen, key=_day, reverse=True)[: options.target_partitions]
            case CompactionStrategy.BOUNDED_PARTITIONS:
                earliest = now.date() - timedelta(days=options.target_partitions)
                chosen = [path for path in sorted(chosen, key=_day, reverse=True) if _day(path) >= earliest]
            case CompactionStrategy.UNBOUNDED_PARTITIONS:
                earliest = now.date() - timedelta(days=options.target_partitions)
                chosen = [path for path in sorted(chosen, key=_day, reverse=True) if _day(path) < earliest]
            case CompactionStrategy.PARTITION_PATTERN:
                pattern = _pattern(options.partition_pattern or "")
                chosen = [path for path in chosen if pattern.search(path)]
    return chosen


def choose_operations(options: CompactionOptions, operations: Sequence[CompactionOperation]) -> Chosen:
    """The slices to compact. The one that exceeds the bound of megabytes is the last of them."""
    taken, left_out = list(operations), dict[str, None]()
    for strategy in options.strategies:
        kept = [one for one in taken if _reaches(options, strategy, one)]
        if strategy is CompactionStrategy.LOG_FILE_SIZE:
            kept.sort(key=lambda one: -one.metrics[LOG_BYTES])
        elif strategy is CompactionStrategy.LOG_FILE_NUMBER:
            kept.sort(key=lambda one: -len(one.logs))
        if strategy in BOUNDED:
            kept = _within(kept, options.target_io)
        groups = {one.group for one in kept}
        left_out |= {one.partition: None for one in taken if one.group not in groups}
        taken = kept
    return Chosen(tuple(taken), tuple(left_out))


def _reaches(options: CompactionOptions, strategy: CompactionStrategy, operation: CompactionOperation) -> bool:
    match strategy:
        case CompactionStrategy.LOG_FILE_SIZE:
            return operation.metrics[LOG_BYTES] >= options.min_log_bytes
        case CompactionStrategy.LOG_FILE_NUMBER:
            return len(operation.logs) >= options.min_log_files
        case _:
            return True


def _within(operations: Sequence[CompactionOperation], megabytes: int) -> list[CompactionOperation]:
    taken: list[CompactionOperation] = []
    left = megabytes
    for operation in operations:
        if left <= 0:
            break
        taken.append(operation)
        left -= int(operation.metrics[IO])
    return taken


def _day(path: str) -> date:
    """The day of a partition path `yyyy/MM/dd`, also with the names of columns in it."""
    parts = _KEYS.sub(r"\1", path).split("/")
    try:
        year, month, day = map(int, parts)
        return date(year, month, day)
    except ValueError:
        expected = "partitions by day, as 2024/03/01, for a strategy that goes by days"
        raise UsageError("strategy", expected=expected, found=repr(path)) from None


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise UsageError("partition_pattern", expected="a regular expression", found=f"{text!r}: {error}") from None
