"""Whether a clustering is due, how its rows are ordered by the properties of a table, and how much of it is done at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from hudi_core.cluster.groups import estimate_written_bytes, slices_by_group
from hudi_core.cluster.layout import Strategy
from hudi_core.cluster.options import ClusterOptions
from hudi_core.cluster.planner import plan_clustering
from hudi_core.data_files.waiting import INFLATED
from hudi_core.errors import UsageError
from hudi_core.schema.names import name_list
from hudi_core.services.bounds import PutOff, Work, WorkBounds, work_within
from hudi_core.services.given_properties import read_given
from hudi_core.stated_properties import StatedProperties
from hudi_core.table.table import Table
from hudi_core.timeline.instants import REPLACE_COMMIT, time_order
from hudi_core.writing.plan import FileSizes

INLINE: Final = "hoodie.clustering.inline"
ASYNC: Final = "hoodie.clustering.async.enabled"
_COMMITS: Final = {True: "hoodie.clustering.inline.max.commits", False: "hoodie.clustering.async.max.commits"}
_LAYOUT: Final = "hoodie.layout.optimize.strategy"
_PLAN: Final = "hoodie.clustering.plan.strategy"
_GROUPS: Final = f"{_PLAN}.max.num.groups"


def clustering_is_due(table: Table, stated: StatedProperties) -> bool:
    """Whether so many writes completed since the last clustering that properties ask for the next one."""
    inline = stated.flag(INLINE, default=False)
    if not inline and not stated.flag(ASYNC, default=False):
        return False
    commits = table.timeline.commits
    clusterings = [
        commit.requested_time
        for commit in commits
        if commit.action == REPLACE_COMMIT and table.timeline.operation(commit) == "CLUSTER"
    ]
    last = max(map(time_order, clusterings), default="")
    since = sum(time_order(commit.requested_time) > last for commit in commits)
    return since >= stated.number(_COMMITS[inline], default=4, least=1)


def limit_groups(table: Table, options: ClusterOptions, bounds: WorkBounds) -> tuple[int, PutOff]:
    """How many groups of a plan, from the first on, are within bounds, and what is put off. Rules UPKEEP-863, UPKEEP-864."""
    slices = slices_by_group(table.slices())
    pieces: list[Work[int]] = []
    for number, group in enumerate(plan_clustering(table, options).groups):
        files = [slices[one.group] for one in group.slices]
        written = sum(map(estimate_written_bytes, files))
        read = sum(file.size for one in files for file in one.files)
        pieces.append(Work(number, read + written, INFLATED * min(written, options.sizes.target)))
    done, put_off = work_within(bounds, pieces)
    count = next((place for place, number in enumerate(done) if place != number), len(done))
    rest = pieces[count:]  # a plan has the first groups
    return count, PutOff(len(rest), sum(work.bytes for work in rest), put_off.memory)


def options_on_request(properties: Mapping[str, str] | None, stated: Mapping[str, str]) -> ClusterOptions:
    """The options of a clustering that somebody asks for, due or not: `properties` over those that the table states. It takes all
    groups, unless a property says how many.

    Raises `UsageError` for properties that no service reads, and for a value that is none.
    """
    read = StatedProperties.join(read_given(properties), stated)
    options = clustering_options(read)
    return options if read.text(_GROUPS) else replace(options, max_groups=None)


def clustering_options(stated: StatedProperties) -> ClusterOptions:
    """The options of a clustering that properties state; a limit of small files beyond the size of new ones, which Apache Hudi
    takes, is that size. Raises `UsageError` for a value that is none. Rule CLUSTER-1682."""
    sizes = FileSizes()
    target = stated.number(f"{_PLAN}.target.file.max.bytes", default=sizes.target, least=1)
    layout = (stated.text(_LAYOUT) or Strategy.LINEAR.value).lower().replace("-", "")
    if layout not in list(Strategy):
        raise UsageError(_LAYOUT, expected=f"one of {', '.join(Strategy)}", found=repr(layout))
    return ClusterOptions(
        strategy=Strategy(layout),
        columns=name_list(stated.text(f"{_PLAN}.sort.columns") or ""),
        sizes=FileSizes(target, min(target, stated.number(f"{_PLAN}.small.file.limit", default=sizes.small))),
        max_groups=stated.number(_GROUPS, default=30, least=1),
    )
