"""Options of a clean, and what they and the properties of a table come to. Rules CLEAN-380, CLEAN-381."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from hudi_core.arguments import take_count, take_fields
from hudi_core.commit.times import Clock, system_clock
from hudi_core.errors import UsageError
from hudi_core.notebook import show_briefly
from hudi_core.options import TableConfig
from hudi_core.service_properties import names_of
from hudi_core.services.given_properties import read_given
from hudi_core.stated_properties import StatedProperties

_COMMITS: Final = names_of("hoodie.clean.commits.retained")
_HOURS: Final = names_of("hoodie.clean.hours.retained")
_VERSIONS: Final = names_of("hoodie.clean.fileversions.retained")
_POLICY: Final = names_of("hoodie.clean.policy")
_TRIGGER: Final = "hoodie.clean.trigger.strategy"
_NUM_COMMITS: Final = "NUM_COMMITS"
_EMPTY: Final = "hoodie.write.empty.clean.interval.hours"

Progress = Callable[[int, int], None]
"""Gets the number of files that are deleted, and of all."""


class CleanPolicy(StrEnum):
    """What a clean keeps, under Apache Hudi's names."""

    COMMITS = "KEEP_LATEST_COMMITS"
    """Every state that the table had since the last so many writes began."""
    VERSIONS = "KEEP_LATEST_FILE_VERSIONS"
    """So many versions of each file group."""
    HOURS = "KEEP_LATEST_BY_HOURS"
    """Every state that the table had in the last so many hours."""

    @property
    def counts_versions(self) -> bool:
        """Whether versions are counted, whenever they were written."""
        return self is CleanPolicy.VERSIONS


@show_briefly
@dataclass(frozen=True, slots=True)
class CleanOptions:
    """Options of a clean. What is None is read from `properties`, then from those of the table, then Apache Hudi's default.

    At most one of the three numbers is given; it decides on the policy.
    """

    keep_commits: int | None = None
    keep_versions: int | None = None
    keep_hours: int | None = None
    full: bool = False
    """All partitions are looked at, not only those that were written to since the last clean."""
    dry_run: bool = False
    """Nothing is written: the result names the files that would be deleted."""
    properties: Mapping[str, str] = field(default_factory=dict)
    """`hoodie.*` properties of services, over those of the table."""
    progress: Progress | None = None
    clock: Clock = system_clock

    def __post_init__(self) -> None:
        """Raises `UsageError` for several numbers, for one below 1, and for properties that no service reads."""
        object.__setattr__(self, "properties", read_given(self.properties))
        take_fields(self)
        given = {name: getattr(self, name) for name in ("keep_commits", "keep_versions", "keep_hours")}
        stated = {name: number for name, number in given.items() if number is not None}
        if len(stated) > 1:
            raise UsageError("clean", expected=f"one of {', '.join(given)}", found=" and ".join(stated))
        for name, number in stated.items():
            take_count(name, number, 1)


@dataclass(frozen=True, slots=True)
class CleanSettings:
    """What a clean goes by. `retained` counts commits, versions or hours, as the policy has it."""

    policy: CleanPolicy
    retained: int
    incremental: bool = True
    max_commits: int | None = None
    """By how many commits the first one that is retained moves on at most."""
    empty_after_hours: int | None = None
    """A clean without a file to delete is recorded where the last one is so old; None: never."""
    automatic: bool = True
    """A clean follows each write, where one is due."""
    trigger_commits: int = 1
    """So many writes since the last clean make one due."""
    several: bool = False
    """A clean may be planned while another is pending."""


def clean_settings(config: TableConfig, options: CleanOptions) -> CleanSettings:
    """The settings of a clean of a table. Raises `UsageError` for a property that has no such value."""
    stated = StatedProperties.join(options.properties, config.properties)
    policy, retained = _policy(stated, options)
    trigger = stated.text(_TRIGGER) or _NUM_COMMITS
    if trigger.upper() != _NUM_COMMITS:
        raise UsageError(_TRIGGER, expected=_NUM_COMMITS, found=repr(trigger))
    filters = names_of("hoodie.clean.partition.filter.regex")
    selected = names_of("hoodie.clean.partition.filter.selected")
    if stated.text(*filters, *selected) is not None:
        raise UsageError(filters[0], expected="a clean of all partitions", found="a filter of partitions")
    empty_after = stated.number(_EMPTY, default=-1, least=-1)
    if empty_after == 0:
        raise UsageError(_EMPTY, expected="-1, or a whole number from 1 on", found="'0'")
    incremental = stated.flag(*names_of("hoodie.clean.incremental.enabled"), default=True)
    max_commits = stated.number("hoodie.clean.max.commits.to.clean", default=0, least=0)
    return CleanSettings(
        policy,
        retained,
        incremental=incremental and not options.full,
        max_commits=max_commits or None,
        empty_after_hours=None if empty_after < 0 else empty_after,
        automatic=stated.flag("hoodie.clean.automatic", default=True),
        trigger_commits=stated.number(*names_of("hoodie.clean.trigger.max.commits"), default=1, least=0),
        several=stated.flag(*names_of("hoodie.clean.multiple.enabled"), default=False),
    )


def _policy(stated: StatedProperties, options: CleanOptions) -> tuple[CleanPolicy, int]:
    """The policy that is stated, or the one whose number is the only one that is."""
    if options.keep_commits is not None:
        return CleanPolicy.COMMITS, options.keep_commits
    if options.keep_versions is not None:
        return CleanPolicy.VERSIONS, options.keep_versions
    if options.keep_hours is not None:
        return CleanPolicy.HOURS, options.keep_hours
    numbers = {
        CleanPolicy.COMMITS: (_COMMITS, 10),
        CleanPolicy.VERSIONS: (_VERSIONS, 3),
        CleanPolicy.HOURS: (_HOURS, 24),
    }
    name = stated.text(*_POLICY)
    if name is None:
        only = [policy for policy, (names, _) in numbers.items() if stated.text(*names) is not None]
        policy = only[0] if len(only) == 1 else CleanPolicy.COMMITS
    elif name.upper() in list(CleanPolicy):
        policy = CleanPolicy(name.upper())
    else:
        raise UsageError(_POLICY[0], expected=f"one of {', '.join(CleanPolicy)}", found=repr(name))
    names, default = numbers[policy]
    return policy, stated.number(*names, default=default, least=1)
