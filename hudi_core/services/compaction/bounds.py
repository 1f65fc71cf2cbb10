"""Plans of compactions within bounds of bytes and memory. Rules UPKEEP-863, UPKEEP-864."""

from __future__ import annotations

from dataclasses import replace

from hudi_core.cluster.groups import estimate_written_bytes, slices_by_group
from hudi_core.commit.compaction_plans import CompactionOperation, CompactionPlan
from hudi_core.services.bounds import NO_BOUNDS, PutOff, Work, work_within
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.services.compaction.tasks import task_bytes
from hudi_core.table.table import Table


def bound(table: Table, plan: CompactionPlan, options: CompactionOptions) -> tuple[CompactionPlan, PutOff]:
    """The part of a plan that the bounds of the options leave, and what they put off. The partitions of that are named as left
    out: no write needs to come for the next plan to look at them."""
    if options.bounds == NO_BOUNDS:
        return plan, PutOff()
    done, put_off = work_within(options.bounds, _work(table, plan))
    groups = {one.group for one in done}
    rest = [one.partition for one in plan.operations if one.group not in groups]
    left_out = None if plan.left_out is None else tuple(dict.fromkeys((*plan.left_out, *rest)))
    return replace(plan, operations=tuple(done), left_out=left_out), put_off


def lacking_memory(table: Table, plan: CompactionPlan, options: CompactionOptions) -> PutOff:
    """The slices of a plan that waits which need more memory than there may be: the plan is run as a whole, or not."""
    return work_within(replace(options.bounds, bytes=None), _work(table, plan))[1]


def _work(table: Table, plan: CompactionPlan) -> list[Work[CompactionOperation]]:
    slices = slices_by_group(table.slices())
    work: list[Work[CompactionOperation]] = []
    for one in plan.operations:
        file_slice = slices.get(one.group)
        if file_slice is None:  # it is left out of the run
            work.append(Work(one, 0, 0))
            continue
        read = sum(file.size for file in file_slice.files)
        logs = sum(log.size for log in file_slice.logs)
        written = logs if plan.of_logs else estimate_written_bytes(file_slice)
        work.append(Work(one, read + written, task_bytes(file_slice, of_logs=plan.of_logs)))
    return work
