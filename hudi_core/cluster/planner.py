"""The plan of a clustering on a table as it is. Rules CLUSTER-30 to CLUSTER-32."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hudi_core.cluster.groups import plan_groups
from hudi_core.cluster.layout import Strategy, refuse_many
from hudi_core.cluster.notes import find_laid_out
from hudi_core.cluster.options import ClusterOptions
from hudi_core.cluster.plan import ClusteringPlan
from hudi_core.cluster.refusals import refuse_unclusterable
from hudi_core.cluster.sort_keys import refuse_unsortable
from hudi_core.errors import UsageError
from hudi_core.expr.predicate import Column
from hudi_core.planning.plan import SKIP
from hudi_core.schema.names import refuse_repeated
from hudi_core.schema.schema import ColumnPlace
from hudi_core.table.scan import Scan
from hudi_core.table.table import Table
from hudi_core.tagging.bucket_layout import has_simple_buckets
from hudi_core.timeline.services import FileGroup
from hudi_core.transactions.refusals import list_excluded_groups


def plan_clustering(table: Table, options: ClusterOptions) -> ClusteringPlan:
    """The plan on the table as it is; nothing is written. Raises `UsageError` for a curve without columns, or with too
    many, and for a column that is named twice."""
    refuse_unclusterable(table)
    places = find_sort_columns(table, options)
    names = tuple(place.name for place in places)
    scan = table.scan(options.where)
    column = Column(places[0].field.id, names[0], places[0].field.type) if places else None
    named = replace(options, columns=names)
    apart = has_simple_buckets(table)
    done = frozenset[FileGroup]()
    if apart or options.strategy is not Strategy.LINEAR:
        done = find_laid_out(table, options.strategy, names)
    groups = plan_groups(scan.sources, _eligible(table, scan, options), column, named, done, apart=apart)
    return ClusteringPlan(tuple(groups), options.strategy, names, options.sizes.target)


def find_sort_columns(table: Table, options: ClusterOptions) -> list[ColumnPlace]:
    """The columns that rows are ordered by. Raises `UnknownColumnError` for one that the table has not, and `UsageError` as
    `plan_clustering`."""
    if options.strategy is not Strategy.LINEAR and not options.columns:
        raise UsageError("columns", expected=f"one or more for strategy {options.strategy.value}", found="none")
    places = [table.schema.get(name, case_sensitive=table.case_sensitive) for name in options.columns]
    refuse_repeated("columns", options.columns, [place.name for place in places])
    refuse_unsortable(table.schema, [place.path for place in places])
    refuse_many(options.strategy, len(places))
    return places


def _eligible(table: Table, scan: Scan, options: ClusterOptions) -> list[int]:
    """The numbers of the slices of the chosen partitions that no service is going to rewrite."""
    slices = table.slices()
    now = options.clock().astimezone(table.timeline.zone)
    partitions = set(options.partitions.select({file_slice.partition for file_slice in slices}, now))
    if options.where is not None:
        kept = np.flatnonzero(scan.plan.codes != SKIP).tolist()
        partitions &= {slices[number].partition for number in kept}
    excluded = list_excluded_groups(table)
    return [
        number
        for number, file_slice in enumerate(slices)
        if file_slice.partition in partitions and (file_slice.partition, file_slice.file_id) not in excluded
    ]
