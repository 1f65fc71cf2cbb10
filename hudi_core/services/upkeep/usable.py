"""Properties of services that a table states, tried before it exists. Rule CREATE-570."""

from __future__ import annotations

from typing import Final

from hudi_core.errors import UsageError
from hudi_core.options import TableConfig, TableType
from hudi_core.services.archiving.options import ArchiveOptions, archive_settings
from hudi_core.services.cleaning.options import CleanOptions, clean_settings
from hudi_core.services.compaction.options import CompactionOptions, InlineCompaction
from hudi_core.services.upkeep.clustering import clustering_options
from hudi_core.stated_properties import StatedProperties

_STRATEGY: Final = "hoodie.compaction.strategy"
_CAPITALS: Final = (
    "hoodie.clean.policy",
    "hoodie.cleaner.policy",
    "hoodie.clean.trigger.strategy",
    "hoodie.compact.inline.trigger.strategy",
)
"""Words that Apache Hudi reads in capital letters alone."""


def refuse_unusable(config: TableConfig) -> None:
    """Raises what a service of the table would raise for its properties; also for a short form that this library reads and
    writers of Apache Hudi would stumble over."""
    clean_settings(config, CleanOptions())
    archive_settings(config, ArchiveOptions())
    CompactionOptions.from_properties(config.properties)
    CompactionOptions.from_properties(config.properties, of_logs=True)
    inline = InlineCompaction.from_properties(config.properties)
    if config.type is TableType.COPY_ON_WRITE and (inline.runs or inline.plans or inline.merges_logs):
        # Each write of Apache Hudi's writers would fail by it.
        raise UsageError(
            "options", expected="no inline compaction in a copy-on-write table", found="a compaction after each write"
        )
    stated = StatedProperties(config.properties)
    clustering_options(stated)
    for name in _CAPITALS:
        word = stated.text(name)
        if word is not None and word != word.upper():
            raise UsageError(name, expected=word.upper(), found=repr(word))
    for strategy in (stated.text(_STRATEGY) or "").split(","):
        if strategy and "." not in strategy:
            raise UsageError(_STRATEGY, expected="the full names of Apache Hudi's classes", found=repr(strategy))
