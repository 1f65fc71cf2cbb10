"""Options of a compaction. Rules COMPACT-353, COMPACT-354."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, TypeVar

from hudi_core.arguments import take_count, take_fields
from hudi_core.commit.compaction_plans import NEW_FILE_BYTES
from hudi_core.commit.times import Clock, system_clock
from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.notebook import show_briefly
from hudi_core.schema.names import name_list
from hudi_core.services.bounds import NO_BOUNDS, WorkBounds
from hudi_core.services.given_properties import read_given
from hudi_core.stated_properties import StatedProperties, property_texts
from hudi_core.tally import Tally, refuse_other_tally

Progress = Callable[[int, int], None]
"""Called with how many file slices are done, and of how many."""


class CompactionStrategy(StrEnum):
    """Which slices a plan takes, and in which order: Apache Hudi's strategies, without `CompactionStrategy` in their names."""

    LOG_FILE_SIZE = "LogFileSizeBased"
    LOG_FILE_NUMBER = "LogFileNumBased"
    BOUNDED_IO = "BoundedIO"
    UNBOUNDED = "UnBounded"
    DAY_BASED = "DayBased"
    BOUNDED_PARTITIONS = "BoundedPartitionAware"
    UNBOUNDED_PARTITIONS = "UnBoundedPartitionAware"
    PARTITION_PATTERN = "PartitionRegexBased"


class Trigger(StrEnum):
    """When a compaction is due: the values of `hoodie.compact.inline.trigger.strategy`."""

    NUM_COMMITS = "NUM_COMMITS"
    NUM_COMMITS_AFTER_LAST_REQUEST = "NUM_COMMITS_AFTER_LAST_REQUEST"
    TIME_ELAPSED = "TIME_ELAPSED"
    NUM_AND_TIME = "NUM_AND_TIME"
    NUM_OR_TIME = "NUM_OR_TIME"


_PACKAGE: Final = "org.apache.hudi.table.action.compact.strategy."
_SUFFIX: Final = "CompactionStrategy"
_GENERATOR: Final = "hoodie.compaction.plan.generator"
_GENERATOR_CLASS: Final = "HoodieCompactionPlanGenerator"


_BY_DAY: Final = frozenset(
    {CompactionStrategy.DAY_BASED, CompactionStrategy.BOUNDED_PARTITIONS, CompactionStrategy.UNBOUNDED_PARTITIONS}
)
BOUNDED: Final = frozenset(
    {
        CompactionStrategy.LOG_FILE_SIZE,
        CompactionStrategy.LOG_FILE_NUMBER,
        CompactionStrategy.BOUNDED_IO,
        CompactionStrategy.DAY_BASED,
    }
)
"""Strategies that take no more than `target_io`."""
_STRATEGIES: Final = MappingProxyType(
    {
        "target_io": BOUNDED,
        "min_log_bytes": frozenset({CompactionStrategy.LOG_FILE_SIZE}),
        "min_log_files": frozenset({CompactionStrategy.LOG_FILE_NUMBER}),
        "target_partitions": _BY_DAY,
        "partition_pattern": frozenset({CompactionStrategy.PARTITION_PATTERN}),
    }
)
"""The strategies that an option is about."""
_NEEDED: Final = MappingProxyType(
    {
        "trigger": "if_due",
        "max_delta_commits": "if_due",
        "max_delta_seconds": "if_due",
        "min_log_blocks": "of_logs",
    }
)
"""The flag without which an option has no effect."""


@show_briefly
@dataclass(frozen=True, slots=True)
class CompactionOptions:
    """Which slices are compacted, and when. The defaults are those of Apache Hudi."""

    strategies: tuple[CompactionStrategy, ...] = (CompactionStrategy.LOG_FILE_SIZE,)
    """One after the other: each takes of what those before it took."""
    target_io: int = 512_000
    """`hoodie.compaction.target.io`: megabytes read and written, of the strategies with a bound. The slice that exceeds it is
    taken too."""
    min_log_bytes: int = 0
    """`hoodie.compaction.logfile.size.threshold`, of a slice."""
    min_log_files: int = 0
    """`hoodie.compaction.logfile.num.threshold`, of a slice."""
    target_partitions: int = 10
    """`hoodie.compaction.daybased.target.partitions`: of `DayBased` how many partitions, of the strategies aware of partitions
    how many days."""
    partition_pattern: str | None = None
    """`hoodie.compaction.partition.path.regex`, found anywhere in a path."""
    incremental: bool = True
    """`hoodie.table.services.incremental.enabled`: only partitions written to since the last compaction are looked at."""
    of_logs: bool = False
    """Log files are merged into one log file, and base files stay: a log compaction."""
    min_log_blocks: int = 5
    """`hoodie.log.compaction.blocks.threshold`: blocks or log files of a slice, and delta commits since the last one."""
    new_file_bytes: int = NEW_FILE_BYTES
    if_due: bool = False
    """Nothing is planned before `trigger` asks for it."""
    trigger: Trigger = Trigger.NUM_COMMITS
    max_delta_commits: int = 5
    """`hoodie.compact.inline.max.delta.commits`."""
    max_delta_seconds: int = 3600
    """`hoodie.compact.inline.max.delta.seconds`."""
    bounds: WorkBounds = NO_BOUNDS
    """How much a plan takes at most, exactly where `target_io` is roughly."""
    dry_run: bool = False
    """The plan is shown, and nothing is written."""
    takes_over: bool = False
    """A run of a plan without a heartbeat counts as dead: its writer is known to be gone."""
    progress: Progress | None = None
    tally: Tally | None = None
    """Gets what the run has done so far, as it goes on."""
    clock: Clock = system_clock

    def __post_init__(self) -> None:
        """Takes what users write: one strategy by its name, or a list of them."""
        refuse_other_tally(self.tally)
        take_fields(self)
        given: Any = self.strategies
        object.__setattr__(self, "strategies", tuple(map(_strategy, name_list(given, "strategies"))))
        if not self.strategies:
            raise UsageError("strategies", expected=f"one of {', '.join(CompactionStrategy)}", found="none")
        if not _BY_DAY.isdisjoint(self.strategies):
            take_count("target_partitions", self.target_partitions, 1)
        if CompactionStrategy.PARTITION_PATTERN in self.strategies and self.partition_pattern is None:
            found = f"none with {CompactionStrategy.PARTITION_PATTERN}"
            raise UsageError("partition_pattern", expected="a regular expression", found=found)

    def find_idle(self, named: Iterable[str]) -> tuple[str, str] | None:
        """The first of these options, named by a user, that has no effect beside the others, and what it has one with: an option
        (`if_due`), or strategies. None where all have one. Rule COMPACT-1473."""
        for name in named:
            if getattr(self, name) is None:
                continue
            needed, strategies = _NEEDED.get(name), _STRATEGIES.get(name)
            if needed is not None and not getattr(self, needed):
                return name, needed
            if strategies is not None and strategies.isdisjoint(self.strategies):
                return name, f"strategy {' or '.join(sorted(strategies))}"
        return None

    @staticmethod
    def on_request(
        properties: Mapping[str, str] | None, stated: Mapping[str, str], *, of_logs: bool = False
    ) -> CompactionOptions:
        """The options of a compaction that somebody asks for, due or not: `properties` over those that the table states.

        Raises `UsageError` for properties that no service reads, and as `from_properties` does.
        """
        read = CompactionOptions.from_properties({**stated, **read_given(properties)}, of_logs=of_logs)
        return replace(read, if_due=False)

    @property
    def strategy(self) -> str:
        """The strategies, as results name them."""
        return ",".join(self.strategies)

    @staticmethod
    def from_properties(properties: Mapping[str, str], *, of_logs: bool = False) -> CompactionOptions:
        """The options that properties state, those of a table or of a writer, as Apache Hudi reads them; a plan is made where one
        is due.

        Raises `UsageError` for a value that is none, `UnsupportedError` for a class of the user's.
        """
        read = StatedProperties(property_texts(properties, "properties"))
        generator = read.text(_GENERATOR) or _GENERATOR_CLASS
        if generator.rpartition(".")[2] != _GENERATOR_CLASS:
            raise UnsupportedError(_GENERATOR, expected=_GENERATOR_CLASS, found=generator)
        own = CompactionOptions()
        return CompactionOptions(
            strategies=tuple(map(_strategy, name_list(read.text("hoodie.compaction.strategy") or own.strategy))),
            target_io=read.number("hoodie.compaction.target.io", default=own.target_io),
            min_log_bytes=read.number("hoodie.compaction.logfile.size.threshold", default=own.min_log_bytes),
            min_log_files=read.number("hoodie.compaction.logfile.num.threshold", default=own.min_log_files),
            target_partitions=read.number(
                "hoodie.compaction.daybased.target.partitions", default=own.target_partitions
            ),
            partition_pattern=read.text("hoodie.compaction.partition.path.regex"),
            incremental=read.flag("hoodie.table.services.incremental.enabled", default=True),
            of_logs=of_logs,
            min_log_blocks=read.number("hoodie.log.compaction.blocks.threshold", default=own.min_log_blocks),
            new_file_bytes=read.number("hoodie.parquet.max.file.size", default=own.new_file_bytes),
            if_due=True,
            trigger=_member(
                Trigger,
                "hoodie.compact.inline.trigger.strategy",
                (read.text("hoodie.compact.inline.trigger.strategy") or own.trigger).upper(),
            ),
            max_delta_commits=read.number("hoodie.compact.inline.max.delta.commits", default=own.max_delta_commits),
            max_delta_seconds=read.number("hoodie.compact.inline.max.delta.seconds", default=own.max_delta_seconds),
        )


@dataclass(frozen=True, slots=True)
class InlineCompaction:
    """What properties ask of a writer after each delta commit: to plan a compaction and run it, or to plan it alone, and the same
    of a log compaction."""

    runs: bool = False
    plans: bool = False
    merges_logs: bool = False

    @staticmethod
    def from_properties(properties: Mapping[str, str]) -> InlineCompaction:
        """Raises `UsageError` for a value that is no truth value."""
        read = StatedProperties(properties)
        if not read.flag("hoodie.table.services.enabled", default=True):
            return InlineCompaction()
        runs = read.flag("hoodie.compact.inline", default=False)
        return InlineCompaction(
            runs,
            not runs and read.flag("hoodie.compact.schedule.inline", default=False),
            read.flag("hoodie.log.compaction.inline", default=False),
        )


def _strategy(name: str) -> CompactionStrategy:
    """A strategy by its name or by the name of Apache Hudi's class."""
    short = name.removeprefix(_PACKAGE)
    if "." in short:
        raise UnsupportedError("strategy", expected=f"one of {', '.join(CompactionStrategy)}", found=name)
    return _member(CompactionStrategy, "strategy", short.removesuffix(_SUFFIX))


M = TypeVar("M", bound=StrEnum)


def _member(members: type[M], where: str, given: str) -> M:
    try:
        return members(given)
    except ValueError:
        raise UsageError(where, expected=f"one of {', '.join(members)}", found=repr(given)) from None
