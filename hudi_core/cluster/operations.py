"""`cluster`: planning a clustering, and running it. Rules CLUSTER-30, CLUSTER-42, CLUSTER-52."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Final

from hudi_core.cluster.groups import slices_by_group
from hudi_core.cluster.options import ClusterOptions
from hudi_core.cluster.plan import ClusteringPlan, clustering_action, encode_plan, read_plan
from hudi_core.cluster.planner import plan_clustering
from hudi_core.cluster.predictions import Gain
from hudi_core.cluster.preview import predict
from hudi_core.cluster.refusals import refuse_unclusterable
from hudi_core.cluster.result import ClusterResult
from hudi_core.cluster.run import run_plan
from hudi_core.commit.heartbeat import is_alive
from hudi_core.commit.lock import table_lock
from hudi_core.commit.steps import Create, run
from hudi_core.commit.times import next_time
from hudi_core.errors import ConflictError, HudiError, UsageError, list_times
from hudi_core.table.open import look_to_plan, refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.instants import Instant, InstantFiles, InstantState, describe_time
from hudi_core.timeline.services import FileGroup, is_planned_clustering
from hudi_core.timeline.slices import FileSlice
from hudi_core.transactions.refusals import list_excluded_groups
from hudi_core.transactions.rollback import roll_back, roll_back_failed
from hudi_core.transactions.taking_back import take_back_plan

_ATTEMPTS: Final = 3
"""Plans that are made while writers continue. The one after them is made while writers wait."""


def cluster(table: Table, options: ClusterOptions | None = None) -> ClusterResult:
    """Plans a clustering of the table and runs it, in one replace commit; nothing where there is nothing to gain.

    Rows keep their commit times. `table` still shows what it showed; `refreshed` shows the commit. Raises `UsageError` and
    `UnknownColumnError` for columns that there are not or that have no order, `UnsupportedError` for a table that this library
    does not write to, and `ConflictError` where writers changed all groups first. Then nothing is changed.
    """
    settings = options or ClusterOptions()
    instant = schedule(table, settings)
    if instant is None:
        return nothing_done(settings)
    try:
        return run_plan(table, instant, settings)
    except BaseException:
        # Whatever ended the run is the error that counts; a plan that cannot be cancelled waits to be run.
        with suppress(HudiError):
            if not take_back_plan(table, instant, settings.clock):
                cancel(table, instant.requested_time, settings)
        raise


def schedule(table: Table, options: ClusterOptions) -> Instant | None:
    """Makes a plan and requests it; None where there is nothing to gain. It can be run later, by Apache Hudi too.

    Until then no writer of this library changes its file groups. Where writers change the table faster than a plan is made,
    they wait while it is. Raises as `cluster` does.
    """
    gains: tuple[Gain, ...] = ()
    for _ in range(_ATTEMPTS):
        latest = look_to_plan(table)
        plan = plan_clustering(latest, options)
        if not plan.groups:
            return None
        plan = predict(latest, plan, options.queries)
        gains = plan.gains
        with table_lock(latest.storage, clock=options.clock):
            healed = roll_back_failed(refreshed(latest), options.clock)
            slices = slices_by_group(healed.slices())
            taken = list_excluded_groups(healed).intersection(plan.file_groups)
            if not taken and all(slices.get(group) == before for group, before in _slices_of(latest, plan).items()):
                return _request(healed, plan, options)
    with table_lock(table.storage, clock=options.clock):
        healed = roll_back_failed(refreshed(table), options.clock)
        plan = replace(plan_clustering(healed, options), gains=gains)
        return _request(healed, plan, options) if plan.groups else None


def _request(table: Table, plan: ClusteringPlan, options: ClusterOptions) -> Instant:
    """The requested instant of a plan, which is written; the table's lock is held."""
    time, action = next_time(table.timeline, options.clock), clustering_action(table.config.version)
    files = InstantFiles(table.timeline.folder, table.config.layout, time, action)
    content = encode_plan(plan, slices_by_group(table.slices()), table.storage)
    run(table.storage, [Create(files.requested, content)])
    return Instant(time, action, InstantState.REQUESTED, None, files.requested.rpartition("/")[2])


def run_requested(table: Table, requested_time: str, options: ClusterOptions) -> ClusterResult:
    """Runs a clustering that is planned, by this library or by Apache Hudi. Raises as `run.run_plan` does."""
    latest = refreshed(table)
    refuse_unclusterable(latest)
    return run_plan(latest, pending_clustering(latest, requested_time), options)


def cancel(table: Table, requested_time: str, options: ClusterOptions) -> None:
    """Cancels a clustering that is not completed: deletes its plan and everything that a run wrote.

    Raises `UsageError` where there is none, `ConflictError` while a run shows that it is alive.
    """
    storage = table.storage
    with table_lock(storage, clock=options.clock):
        latest = refreshed(table)
        instant = pending_clustering(latest, requested_time)
        if instant.state is InstantState.INFLIGHT and is_alive(storage, requested_time, options.clock()):
            where = f"{storage.uri}: {instant.action} {requested_time}"
            raise ConflictError(where, expected="a plan that nobody runs", found="one that is being run")
        roll_back(latest, instant, options.clock)


def pending_clustering(table: Table, requested_time: str) -> Instant:
    """The clustering that was requested at a time and is not completed; `UsageError` where there is none."""
    clusterings = [instant for instant in table.timeline.pending if is_planned_clustering(table.timeline, instant)]
    for instant in clusterings:
        if instant.requested_time == requested_time:
            return instant
    waiting = list_times([instant.requested_time for instant in clusterings])
    raise UsageError(
        "instant", expected=f"a clustering that is not completed ({waiting})", found=describe_time(requested_time)
    )


def nothing_done(options: ClusterOptions) -> ClusterResult:
    """The result where there is nothing to gain."""
    return ClusterResult(None, "nothing to cluster", options.strategy, options.columns)


def plan_only(table: Table, options: ClusterOptions) -> ClusterResult:
    """Requests a plan and leaves it to be run. Raises as `schedule` does."""
    instant = schedule(table, options)
    if instant is None:
        return nothing_done(options)
    plan = read_plan(refreshed(table).timeline, instant)
    slices = _slices_of(refreshed(table), plan)
    size = sum(file.size for file_slice in slices.values() for file in file_slice.files)
    return ClusterResult(
        instant.requested_time,
        "requested",
        plan.strategy,
        plan.columns,
        groups=len(plan.groups),
        files_in=len(slices),
        files_out=sum(group.outputs for group in plan.groups),
        bytes_in=size,
    )


def _slices_of(table: Table, plan: ClusteringPlan) -> dict[FileGroup, FileSlice]:
    groups = set(plan.file_groups)
    return {group: file_slice for group, file_slice in slices_by_group(table.slices()).items() if group in groups}
