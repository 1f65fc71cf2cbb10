"""The services of a table, one record each: when it is due by the table's properties, and its run.

Rules UPKEEP-462, UPKEEP-463.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from time import perf_counter
from typing import Any

from hudi_core.cluster.operations import cluster, nothing_done
from hudi_core.commit.abandoned import list_abandoned
from hudi_core.commit.times import Clock
from hudi_core.notebook import show_briefly
from hudi_core.options import TableType
from hudi_core.services.archiving.operations import archive
from hudi_core.services.archiving.operations import is_due as archive_is_due
from hudi_core.services.archiving.options import ArchiveOptions
from hudi_core.services.bounds import NO_BOUNDS, WorkBounds
from hudi_core.services.cleaning.operations import clean
from hudi_core.services.cleaning.operations import is_due as clean_is_due
from hudi_core.services.cleaning.options import CleanOptions
from hudi_core.services.cleaning.run import pending_cleans
from hudi_core.services.compaction.operations import compact
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.services.compaction.partitions import partitions_left_out
from hudi_core.services.compaction.result import PUT_OFF
from hudi_core.services.compaction.triggers import is_due as compaction_is_due
from hudi_core.services.upkeep.clustering import clustering_is_due, clustering_options, limit_groups
from hudi_core.stated_properties import StatedProperties
from hudi_core.table.table import Table
from hudi_core.tally import Tally
from hudi_core.timeline.instants import COMPACTION, LOG_COMPACTION, ROLLBACK
from hudi_core.transactions.remains import list_remains
from hudi_core.transactions.rollback import list_failed_writes, roll_back_dead


class ServiceName(StrEnum):
    """The services, by the names of their commands, in the order in which they run."""

    ROLLBACK = "rollback"
    """Writes that died are undone, so that nothing waits for them."""
    COMPACT = "compact"
    LOG_COMPACT = "log-compact"
    CLUSTER = "cluster"
    CLEAN = "clean"
    """After what makes old files superfluous."""
    ARCHIVE = "archive"
    """Last: it keeps what a clean still needs."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a run of services goes by: properties over those of the table."""

    properties: Mapping[str, str]
    clock: Clock
    bounds: WorkBounds = NO_BOUNDS
    tally: Tally | None = None
    """Gets how far the running service is."""

    def read_stated(self, table: Table) -> StatedProperties:
        """The properties that count."""
        return StatedProperties.join(self.properties, table.config.properties)

    def merge(self, table: Table) -> Mapping[str, str]:
        """All properties by name."""
        return {**table.config.properties, **self.properties}

    @property
    def progress(self) -> Callable[[int, int], None] | None:
        """What a service calls with the tasks that are over, and with all."""
        return None if self.tally is None else self.tally.reach


@show_briefly
@dataclass(frozen=True, slots=True)
class ServiceRun:
    """One run of a service: what it is called, its state and what it did."""

    service: ServiceName
    state: str
    seconds: float
    details: Mapping[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """The service and its state, followed by what the service's own result has."""
        return {"service": self.service.value, "state": self.state, "seconds": self.seconds, **self.details}


@dataclass(frozen=True, slots=True)
class Service:
    """A service: whether it is due on a table as it is, and its run, which gives the fields of its result."""

    name: ServiceName
    is_due: Callable[[Table, Request], bool]
    work: Callable[[Table, Request], Mapping[str, Any]]

    def run(self, table: Table, request: Request) -> ServiceRun:
        """Runs it. Raises what the service raises."""
        begun = perf_counter()
        if request.tally is not None:
            request.tally.begin(self.name.value)
        fields = dict(self.work(table, request))
        state = str(fields.pop("state", "completed"))
        fields.pop("seconds", None)
        return ServiceRun(self.name, state, round(perf_counter() - begun, 3), fields)


def _dead_writers(table: Table, request: Request) -> bool:
    rollbacks = any(instant.action == ROLLBACK for instant in table.timeline.pending)
    if rollbacks or list_failed_writes(table, request.clock):
        return True
    now = request.clock()
    return bool(list_remains(table, now)) or any(True for _ in list_abandoned(table.storage, now))


def _roll_back(table: Table, request: Request) -> Mapping[str, Any]:
    undone = roll_back_dead(table, request.clock)
    return {"instant": None, "instants": [plan.instant.requested_time for plan in undone]}


def _compaction(table: Table, request: Request, *, of_logs: bool) -> CompactionOptions:
    options = CompactionOptions.from_properties(request.merge(table), of_logs=of_logs)
    return replace(options, clock=request.clock, bounds=request.bounds, tally=request.tally)


def _is_compacted(table: Table, request: Request) -> bool:
    if table.config.type is not TableType.MERGE_ON_READ:
        return False
    waits = any(instant.action == COMPACTION for instant in table.timeline.pending)
    return waits or _was_put_off(table, request) or compaction_is_due(table, _compaction(table, request, of_logs=False))


def _was_put_off(table: Table, request: Request) -> bool:
    """Whether the last compaction left slices out, which a bound of bytes may have put off."""
    return request.bounds.bytes is not None and bool(partitions_left_out(table))


def _compact(table: Table, request: Request) -> Mapping[str, Any]:
    options = _compaction(table, request, of_logs=False)
    return compact(table, replace(options, if_due=not _was_put_off(table, request))).as_dict()


def _merges_logs(table: Table, request: Request) -> bool:
    if table.config.type is not TableType.MERGE_ON_READ:
        return False
    if any(instant.action == LOG_COMPACTION for instant in table.timeline.pending):
        return True  # until it is done no other is due
    stated = request.read_stated(table)
    enabled = stated.flag("hoodie.log.compaction.enable", "hoodie.log.compaction.inline", default=False)
    return enabled and compaction_is_due(table, _compaction(table, request, of_logs=True))


def _merge_logs(table: Table, request: Request) -> Mapping[str, Any]:
    return compact(table, _compaction(table, request, of_logs=True)).as_dict()


def _is_clustered(table: Table, request: Request) -> bool:
    return clustering_is_due(table, request.read_stated(table))


def _cluster(table: Table, request: Request) -> Mapping[str, Any]:
    options = replace(clustering_options(request.read_stated(table)), clock=request.clock, tally=request.tally)
    if request.bounds == NO_BOUNDS:
        return cluster(table, options).as_dict()
    groups, put_off = limit_groups(table, options, request.bounds)
    if put_off.pieces and not groups:
        done = replace(nothing_done(options), state=PUT_OFF)
    else:
        done = cluster(table, replace(options, max_groups=max(groups, 1)))
    figures = {"groups_put_off": put_off.pieces, "bytes_put_off": put_off.bytes, "memory_needed": put_off.memory}
    return {**done.as_dict(), **figures}


def _cleaning(request: Request) -> CleanOptions:
    return CleanOptions(properties=request.properties, clock=request.clock, progress=request.progress)


def _is_cleaned(table: Table, request: Request) -> bool:
    return bool(pending_cleans(table)) or clean_is_due(table, _cleaning(request))


def _clean(table: Table, request: Request) -> Mapping[str, Any]:
    return clean(table, _cleaning(request)).as_dict()


def _archiving(request: Request) -> ArchiveOptions:
    return ArchiveOptions(properties=request.properties, clock=request.clock, progress=request.progress)


def _is_archived(table: Table, request: Request) -> bool:
    return archive_is_due(table, _archiving(request))


def _archive(table: Table, request: Request) -> Mapping[str, Any]:
    return archive(table, _archiving(request)).as_dict()


SERVICES: Mapping[ServiceName, Service] = {
    service.name: service
    for service in (
        Service(ServiceName.ROLLBACK, _dead_writers, _roll_back),
        Service(ServiceName.COMPACT, _is_compacted, _compact),
        Service(ServiceName.LOG_COMPACT, _merges_logs, _merge_logs),
        Service(ServiceName.CLUSTER, _is_clustered, _cluster),
        Service(ServiceName.CLEAN, _is_cleaned, _clean),
        Service(ServiceName.ARCHIVE, _is_archived, _archive),
    )
}
"""The services in the order in which they run."""
