"""Which partitions a plan looks at: those written to since the last compaction. Rule COMPACT-360."""

from __future__ import annotations

from dataclasses import replace

from hudi_core.commit.compaction_plans import read_plan
from hudi_core.errors import CorruptFileError
from hudi_core.services.compaction.triggers import last_compaction
from hudi_core.table.table import Table
from hudi_core.timeline.instants import COMPACTION, DELTA_COMMIT, REPLACE_COMMIT, time_order


def partitions_written_to(table: Table) -> frozenset[str] | None:
    """The partitions that delta commits and replace commits wrote to since the last compaction was requested, and those that its
    plan left out; None for all: there was no compaction, or its plan is not there any more or does not state what it left out."""
    timeline = table.timeline
    last, left_out = last_compaction(timeline), partitions_left_out(table)
    if last is None or left_out is None:
        return None
    written = set(left_out)
    for instant in timeline.commits:
        completed = instant.completion_time or instant.requested_time
        if instant.action in (DELTA_COMMIT, REPLACE_COMMIT) and time_order(completed) >= time_order(
            last.requested_time
        ):
            written |= timeline.metadata(instant).stats.keys()
    return frozenset(written)


def partitions_left_out(table: Table) -> tuple[str, ...] | None:
    """The partitions that the plan of the last compaction left out; None where there was none, or its plan does not state it."""
    last = last_compaction(table.timeline)
    if last is None:
        return None
    try:
        return read_plan(table.timeline, replace(last, action=COMPACTION)).left_out
    except CorruptFileError:  # looking at all partitions costs time alone
        return None
