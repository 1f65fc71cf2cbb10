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
    last = last_compaction(timeline)
    if last is None:
        return None
    try:
        left_out = read_plan(timeline, replace(last, action=COMPACTION)).left_out
    except CorruptFileError:  # looking at all partitions costs time alone
        return None
    if left_out is None:
        return None
    written = set(left_out)
    for instant in timeline.commits:
        completed = instant.completion_time or instant.requested_time
        if instant.action in (DELTA_COMMIT, REPLACE_COMMIT) and time_order(completed) >= time_order(
            last.requested_time
        ):
            written |= timeline.metadata(instant).stats.keys()
    return frozenset(written)
