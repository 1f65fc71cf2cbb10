"""Names of the properties of services, which are options of writers in Apache Hudi and which a table may state for all of them.

Writers of Apache Hudi that are begun from Spark take the table's properties as options of theirs, refuse to state others, and
leave what they do not know in the file. Rule CREATE-570.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Final

from hudi_core.errors import UsageError

_PLAN: Final = "hoodie.clustering.plan.strategy"

FLAGS: Final = frozenset(
    {
        "hoodie.archive.automatic",
        "hoodie.archive.beyond.savepoint",
        "hoodie.archive.block.on.latest.clean.ectr",
        "hoodie.clean.allow.multiple",
        "hoodie.clean.automatic",
        "hoodie.clean.incremental.enabled",
        "hoodie.clean.multiple.enabled",
        "hoodie.cleaner.incremental.mode",
        "hoodie.clustering.async.enabled",
        "hoodie.clustering.inline",
        "hoodie.compact.inline",
        "hoodie.compact.schedule.inline",
        "hoodie.fail.writes.on.inline.table.service.exception",
        "hoodie.log.compaction.enable",
        "hoodie.log.compaction.inline",
        "hoodie.table.services.enabled",
        "hoodie.table.services.incremental.enabled",
    }
)
"""Properties that are true or false."""

NUMBERS: Final = frozenset(
    {
        f"{_PLAN}.max.num.groups",
        f"{_PLAN}.small.file.limit",
        f"{_PLAN}.target.file.max.bytes",
        "hoodie.clean.commits.retained",
        "hoodie.clean.fileversions.retained",
        "hoodie.clean.hours.retained",
        "hoodie.clean.max.commits",
        "hoodie.clean.max.commits.to.clean",
        "hoodie.clean.trigger.max.commits",
        "hoodie.cleaner.commits.retained",
        "hoodie.cleaner.fileversions.retained",
        "hoodie.cleaner.hours.retained",
        "hoodie.clustering.async.max.commits",
        "hoodie.clustering.inline.max.commits",
        "hoodie.commits.archival.batch",
        "hoodie.compact.inline.max.delta.commits",
        "hoodie.compact.inline.max.delta.seconds",
        "hoodie.compaction.daybased.target.partitions",
        "hoodie.compaction.logfile.num.threshold",
        "hoodie.compaction.logfile.size.threshold",
        "hoodie.compaction.target.io",
        "hoodie.keep.max.commits",
        "hoodie.keep.min.commits",
        "hoodie.log.compaction.blocks.threshold",
        "hoodie.timeline.compaction.batch.size",
        "hoodie.timeline.compaction.target.file.max.bytes",
        "hoodie.timeline.manifest.retained.versions",
        "hoodie.write.empty.clean.interval.hours",
    }
)
"""Properties that are whole numbers; one of them may be below 0."""

TEXTS: Final = frozenset(
    {
        f"{_PLAN}.sort.columns",
        "hoodie.clean.partition.filter.regex",
        "hoodie.clean.partition.filter.selected",
        "hoodie.clean.policy",
        "hoodie.clean.trigger.strategy",
        "hoodie.cleaner.partition.filter.regex",
        "hoodie.cleaner.partition.filter.selected",
        "hoodie.cleaner.policy",
        "hoodie.compact.inline.trigger.strategy",
        "hoodie.compaction.partition.path.regex",
        "hoodie.compaction.plan.generator",
        "hoodie.compaction.strategy",
        "hoodie.layout.optimize.strategy",
    }
)
"""Properties that are words, names, patterns or lists of them."""

READ: Final = FLAGS | NUMBERS | TEXTS
"""The properties that services of this library read."""

OLDER: Final[Mapping[str, str]] = {
    "hoodie.clean.commits.retained": "hoodie.cleaner.commits.retained",
    "hoodie.clean.fileversions.retained": "hoodie.cleaner.fileversions.retained",
    "hoodie.clean.hours.retained": "hoodie.cleaner.hours.retained",
    "hoodie.clean.incremental.enabled": "hoodie.cleaner.incremental.mode",
    "hoodie.clean.multiple.enabled": "hoodie.clean.allow.multiple",
    "hoodie.clean.partition.filter.regex": "hoodie.cleaner.partition.filter.regex",
    "hoodie.clean.partition.filter.selected": "hoodie.cleaner.partition.filter.selected",
    "hoodie.clean.policy": "hoodie.cleaner.policy",
    "hoodie.clean.trigger.max.commits": "hoodie.clean.max.commits",
}
"""The name that a property had in older versions of Apache Hudi, which still counts where the new one is not stated."""

_OF_OTHERS: Final = frozenset(
    {
        f"{_PLAN}.{name}"
        for name in (
            "binary.copy.schema.evolution.enable",
            "class",
            "cluster.begin.partition",
            "cluster.end.partition",
            "daybased.lookback.partitions",
            "daybased.skipfromlatest.partitions",
            "earliest.commit.to.cluster",
            "file.slices.sort.by",
            "max.bytes.per.group",
            "partition.filter.mode",
            "partition.regex.pattern",
            "partition.selected",
            "single.group.clustering.enabled",
        )
    }
    | {
        "hoodie.archive.async",
        "hoodie.archive.delete.parallelism",
        "hoodie.clean.async",
        "hoodie.clean.async.enabled",
        "hoodie.clean.delete.bootstrap.base.file",
        "hoodie.clean.failed.writes.policy",
        "hoodie.clean.optimize.using.local.engine.context",
        "hoodie.clean.parallelism",
        "hoodie.cleaner.delete.bootstrap.base.file",
        "hoodie.cleaner.parallelism",
        "hoodie.cleaner.policy.failed.writes",
        "hoodie.clustering.enable.expirations",
        "hoodie.clustering.execution.strategy.class",
        "hoodie.clustering.expiration.threshold.mins",
        "hoodie.clustering.group.read.parallelism",
        "hoodie.clustering.max.parallelism",
        "hoodie.clustering.plan.generation.use.local.engine.context",
        "hoodie.clustering.plan.partition.filter.mode",
        "hoodie.clustering.rollback.pending.replacecommit.on.conflict",
        "hoodie.clustering.schedule.inline",
        "hoodie.clustering.updates.strategy",
        "hoodie.layout.optimize.build.curve.sample.size",
        "hoodie.layout.optimize.curve.build.method",
        "hoodie.layout.optimize.data.skipping.enable",
        "hoodie.layout.optimize.enable",
    }
)
"""Properties of services that only writers of Apache Hudi read."""

_FAMILIES: Final = re.compile(
    r"hoodie\.(clean|cleaner|archive|keep|compact|compaction|log\.compaction|clustering|layout\.optimize|commits\.archival"
    r"|timeline\.(compaction|manifest)|table\.services|fail\.writes\.on\.inline|write\.empty\.clean)\..*"
)
_PAYLOAD: Final = "hoodie.compaction.payload.class"
"""It is of the family by its name alone: a choice of how records merge."""
_TRUTHS: Final = ("true", "false")


def names_of(name: str) -> tuple[str, str]:
    """The names of a property, the one that counts first before the older one."""
    return name, OLDER[name]


def is_of_service(name: str) -> bool:
    """Whether a property is one of services, by its name."""
    return name != _PAYLOAD and (name in READ or _FAMILIES.fullmatch(name) is not None)


def is_of_others(name: str) -> bool:
    """Whether only writers of Apache Hudi read a property of services."""
    return name in _OF_OTHERS


def refuse_unknown(properties: Mapping[str, str], where: str) -> None:
    """Raises `UsageError` for a property of services that nobody reads, at `where`, for a value that is not of its kind, and for
    two values of a property under both of its names."""
    for name, older in OLDER.items():
        if name in properties and older in properties and properties[name] != properties[older]:
            raise UsageError(where, expected=f"one value of {name}, whose older name is {older}", found="several")
    for name, value in properties.items():
        if not is_of_service(name):
            continue
        if name not in READ | _OF_OTHERS:
            near = difflib.get_close_matches(name, sorted(READ | _OF_OTHERS), n=2)
            expected = f"one of {', '.join(near)}" if near else "a property that some service reads"
            raise UsageError(where, expected=expected, found=name)
        text = value.strip().lower()
        if name in FLAGS and text not in _TRUTHS:
            raise UsageError(name, expected="true or false", found=repr(value))
        digits = text.removeprefix("-")
        if name in NUMBERS and not (digits.isascii() and digits.isdigit()):
            raise UsageError(name, expected="a whole number", found=repr(value))
