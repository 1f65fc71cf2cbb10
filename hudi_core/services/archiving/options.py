"""Options of an archive, and what they and the properties of a table come to. Rules ARCHIVE-380, ARCHIVE-381."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from hudi_core.arguments import take_fields
from hudi_core.commit.times import Clock, system_clock
from hudi_core.errors import UsageError
from hudi_core.notebook import show_briefly
from hudi_core.options import TableConfig
from hudi_core.services.cleaning.options import CleanOptions, CleanSettings, clean_settings
from hudi_core.services.given_properties import read_given
from hudi_core.stated_properties import StatedProperties

_MIN: Final = "hoodie.keep.min.commits"
_MAX: Final = "hoodie.keep.max.commits"
_TRIGGER: Final = "hoodie.compact.inline.trigger.strategy"
_BY_NUMBER: Final = ("NUM_COMMITS", "NUM_AND_TIME")

Progress = Callable[[int, int], None]
"""Gets the number of instants that left the active timeline, and of all that are to."""


@show_briefly
@dataclass(frozen=True, slots=True)
class ArchiveOptions:
    """Options of an archive. What is None is read from `properties`, then from those of the table, then Apache Hudi's default.

    Nothing is archived before there are more than `keep_max` completed writes; then `keep_min` stay. With `keep_min` alone
    whatever is more than that is archived.
    """

    keep_min: int | None = None
    keep_max: int | None = None
    dry_run: bool = False
    """Nothing is written: the result names the instants that would be archived."""
    properties: Mapping[str, str] = field(default_factory=dict)
    """`hoodie.*` properties of services, over those of the table."""
    progress: Progress | None = None
    clock: Clock = system_clock

    def __post_init__(self) -> None:
        """Raises `UsageError` for fields of another type, and for properties that no service reads."""
        object.__setattr__(self, "properties", read_given(self.properties))
        take_fields(self)


@dataclass(frozen=True, slots=True)
class ArchiveSettings:
    """What an archive goes by."""

    keep_min: int
    keep_max: int
    cleaning: CleanSettings
    """A clean by these must find the writes that it retains on the active timeline."""
    block_entries: int = 10
    """Entries of one block of a log of layout 1."""
    beyond_savepoint: bool = False
    """Writes after a savepoint are archived too; the one that is saved stays."""
    until_cleaned: bool = False
    """What the last clean retained stays on the active timeline."""
    delta_commits: int | None = None
    """So many delta commits make a compaction due, and stay; None: their number does not count."""
    merged_files: int = 10
    """So many files of a level of layout 2 are merged into one of the next."""
    merged_bytes: int = 1000 << 20
    """Bytes of such a file, about."""
    manifests: int = 3
    """Manifests of layout 2 that stay, with all that they name."""
    automatic: bool = True
    """An archive follows each write, where one is due."""


def archive_settings(config: TableConfig, options: ArchiveOptions) -> ArchiveSettings:
    """The settings of an archive of a table. Raises `UsageError` for a property that has no such value, and for a greatest number
    that is not above the least."""
    stated = StatedProperties.join(options.properties, config.properties)
    keep_min = options.keep_min if options.keep_min is not None else stated.number(_MIN, default=20, least=1)
    if options.keep_max is not None:
        keep_max = options.keep_max
    elif options.keep_min is not None:
        keep_max = keep_min
    else:
        keep_max = stated.number(_MAX, default=30, least=1)
        if keep_max <= keep_min:
            raise UsageError(_MAX, expected=f"more than {_MIN}, {keep_min}", found=str(keep_max))
    if keep_min < 1 or keep_max < keep_min:
        raise UsageError(
            "archive",
            expected="a `keep_min` of at least 1, and a `keep_max` that is not less",
            found=f"{keep_min} and {keep_max}",
        )
    trigger = (stated.text(_TRIGGER) or _BY_NUMBER[0]).upper()
    delta_commits = stated.number("hoodie.compact.inline.max.delta.commits", default=5, least=1)
    return ArchiveSettings(
        keep_min,
        keep_max,
        clean_settings(config, CleanOptions(properties=options.properties)),
        block_entries=stated.number("hoodie.commits.archival.batch", default=10, least=1),
        beyond_savepoint=stated.flag("hoodie.archive.beyond.savepoint", default=False),
        until_cleaned=stated.flag("hoodie.archive.block.on.latest.clean.ectr", default=False),
        delta_commits=delta_commits if trigger in _BY_NUMBER else None,
        merged_files=stated.number("hoodie.timeline.compaction.batch.size", default=10, least=2),
        merged_bytes=stated.number("hoodie.timeline.compaction.target.file.max.bytes", default=1000 << 20, least=1),
        manifests=stated.number("hoodie.timeline.manifest.retained.versions", default=3, least=1),
        automatic=stated.flag("hoodie.archive.automatic", default=True),
    )
