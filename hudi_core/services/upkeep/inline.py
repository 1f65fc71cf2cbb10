"""What properties ask of a writer after each commit, as Apache Hudi's writers do it. Rule UPKEEP-467."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Final

from hudi_core.cluster.planner import find_sort_columns
from hudi_core.commit.times import Clock, system_clock
from hudi_core.errors import HudiError, UsageError
from hudi_core.options import TableType
from hudi_core.service_properties import READ
from hudi_core.services.archiving.options import ArchiveOptions, archive_settings
from hudi_core.services.cleaning.options import CleanOptions, clean_settings
from hudi_core.services.compaction.operations import plan_only
from hudi_core.services.compaction.options import CompactionOptions, InlineCompaction
from hudi_core.services.upkeep.clustering import INLINE, clustering_options
from hudi_core.services.upkeep.services import SERVICES, Request, ServiceName, ServiceRun
from hudi_core.stated_properties import StatedProperties
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table

_COMPACTS: Final = ("hoodie.compact.inline", "hoodie.compact.schedule.inline", "hoodie.log.compaction.inline")
_ENABLED: Final = "hoodie.table.services.enabled"
_FAILS: Final = "hoodie.fail.writes.on.inline.table.service.exception"
_CLEANS: Final = "hoodie.clean.automatic"
_ARCHIVES: Final = "hoodie.archive.automatic"


def refuse_unusable_request(table: Table, properties: Mapping[str, str]) -> None:
    """Raises what services after a write would raise for its properties, so that nothing is written. Rule UPKEEP-1631."""
    given = {name: value for name, value in properties.items() if name in READ}
    if not given:
        return
    stated = StatedProperties(given)
    stated.flag(_FAILS, default=True)
    clean_settings(table.config, CleanOptions(properties=given))
    archive_settings(table.config, ArchiveOptions(properties=given))
    CompactionOptions.from_properties(given)
    CompactionOptions.from_properties(given, of_logs=True)
    of_both = StatedProperties.join(given, table.config.properties)
    if of_both.flag(INLINE, default=False):
        find_sort_columns(table, clustering_options(of_both))
    else:
        clustering_options(stated)
    inline = InlineCompaction.from_properties(given)
    compaction = next((name for name in _COMPACTS if given.get(name, "").strip().lower() == "true"), None)
    compacts = inline.runs or inline.plans or inline.merges_logs
    if compaction is not None and compacts and table.config.type is TableType.COPY_ON_WRITE:
        raise UsageError(
            compaction, expected="a merge-on-read table: others have no log files", found="a copy-on-write one"
        )


def run_inline(
    table: Table, properties: Mapping[str, str] | None = None, *, clock: Clock = system_clock
) -> list[ServiceRun]:
    """Runs after a write what the table's properties, or those of the writer, ask for: clean, archive, compaction, log compaction
    and clustering, in Apache Hudi's order. Nothing where no property states it.

    The write is complete by then. Where a service fails its error is raised, or told as a warning where
    `hoodie.fail.writes.on.inline.table.service.exception` is false.
    """
    latest = refreshed(table)
    given = {name: value for name, value in (properties or {}).items() if name in READ}
    request = Request(given, clock)
    stated = request.read_stated(latest)
    if not stated.flag(_ENABLED, default=True):
        return []
    compaction = InlineCompaction.from_properties(request.merge(latest))
    # What is on by default in Apache Hudi's writers is done where somebody states it.
    wanted = {
        ServiceName.CLEAN: stated.flag(_CLEANS, default=False),
        ServiceName.ARCHIVE: stated.flag(_ARCHIVES, default=False),
        ServiceName.COMPACT: compaction.runs,
        ServiceName.LOG_COMPACT: compaction.merges_logs,
        ServiceName.CLUSTER: stated.flag(INLINE, default=False),
    }
    done: list[ServiceRun] = []
    try:
        for name, asked_for in wanted.items():
            latest = refreshed(latest)
            if asked_for and SERVICES[name].is_due(latest, request):
                done.append(SERVICES[name].run(latest, request))
        if compaction.plans:
            plan_only(refreshed(latest), CompactionOptions.from_properties(request.merge(latest)))
    except HudiError as error:
        if stated.flag(_FAILS, default=True):
            raise
        warnings.warn(f"the write is complete, but a service after it failed:  {error}", stacklevel=2)
    return done
