"""Which partitions are clustered: the filters of Apache Hudi. Rules CLUSTER-31, CLUSTER-1591."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from hudi_core.arguments import take_count, take_fields
from hudi_core.errors import UsageError, list_names
from hudi_core.schema.names import names

_HOURS: Final = 24


class FilterMode(StrEnum):
    """The values of `hoodie.clustering.plan.partition.filter.mode`."""

    NONE = "NONE"
    RECENT_DAYS = "RECENT_DAYS"
    SELECTED_PARTITIONS = "SELECTED_PARTITIONS"
    DAY_ROLLING = "DAY_ROLLING"


@dataclass(frozen=True, slots=True)
class PartitionFilter:
    """A choice among the paths of partitions: first those named, else those that match, then by mode."""

    mode: FilterMode = FilterMode.NONE
    selected: tuple[str, ...] = ()
    """`hoodie.clustering.plan.strategy.partition.selected`."""
    pattern: str | None = None
    """`hoodie.clustering.plan.strategy.partition.regex.pattern`, of the whole path."""
    look_back: int = 2
    """The number of partitions of `RECENT_DAYS`: `hoodie.clustering.plan.strategy.daybased.lookback.partitions`."""
    skip_latest: int = 0
    """The number of latest partitions that `RECENT_DAYS` leaves out: `...daybased.skipfromlatest.partitions`."""
    begin: str | None = None
    """The first partition of `SELECTED_PARTITIONS`: `...cluster.begin.partition`."""
    end: str | None = None
    """The last partition of `SELECTED_PARTITIONS`: `...cluster.end.partition`."""

    def __post_init__(self) -> None:
        """Raises `UsageError` for a field that has no effect beside the others, and for one that chooses no partition."""
        take_fields(self)
        object.__setattr__(self, "selected", names(self.selected, "partitions"))
        if self.selected and self.pattern is not None:
            raise UsageError("partitions", expected="either names of partitions or a pattern", found="both")
        for name, mode, default in _OF_MODES:
            if getattr(self, name) != default and self.mode is not mode:
                raise UsageError(name, expected=f"the mode {mode}", found=f"the mode {self.mode}")
        if self.mode is FilterMode.RECENT_DAYS:
            take_count("look_back", self.look_back, 1)

    def select(self, paths: Iterable[str], now: datetime) -> list[str]:
        """The paths that are chosen, ascending. `now` is the time in the zone of the table, for `DAY_ROLLING`.

        Raises `UsageError` for a partition that is named and is not there, and for a pattern that is none.
        """
        ascending = sorted(paths)
        if self.selected:
            selected = set(self.selected)
            missing = sorted(selected - set(ascending))
            if missing:
                raise UsageError(
                    "partitions",
                    expected=f"partitions of the table ({list_names(ascending)})",
                    found=list_names(missing),
                )
            ascending = sorted(selected)
        elif self.pattern is not None:
            try:
                pattern = re.compile(self.pattern)
            except re.error as error:
                raise UsageError(
                    "partitions", expected="a regular expression", found=f"{self.pattern!r}: {error}"
                ) from None
            ascending = [path for path in ascending if pattern.fullmatch(path)]
        match self.mode:
            case FilterMode.NONE:
                return ascending
            case FilterMode.RECENT_DAYS:
                return sorted(ascending[::-1][self.skip_latest : self.skip_latest + self.look_back])
            case FilterMode.SELECTED_PARTITIONS:
                return [
                    path
                    for path in ascending
                    if (self.begin is None or self.begin <= path) and (self.end is None or path <= self.end)
                ]
            case FilterMode.DAY_ROLLING:
                return [path for number, path in enumerate(ascending) if number % _HOURS == now.hour]


_OF_MODES: Final = (
    ("look_back", FilterMode.RECENT_DAYS, 2),
    ("skip_latest", FilterMode.RECENT_DAYS, 0),
    ("begin", FilterMode.SELECTED_PARTITIONS, None),
    ("end", FilterMode.SELECTED_PARTITIONS, None),
)
"""Fields that have an effect in one mode, and what they are without a choice."""
ALL_PARTITIONS: Final = PartitionFilter()
