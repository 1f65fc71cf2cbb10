"""The gain of a clustering before it runs: slices kept per query, estimated from statistics and a sample.

Rules CLUSTER-50 to CLUSTER-53.

The sample's rows go to the files of the layout that a run would make. The ranges of these files stand for statistics, and
predicates are put to them as to those of a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hudi_core.cluster.groups import slices_by_group
from hudi_core.cluster.layout import layout
from hudi_core.cluster.options import ClusterOptions
from hudi_core.cluster.plan import ClusteringPlan, PlannedGroup
from hudi_core.cluster.planner import planned
from hudi_core.cluster.predictions import Gain, Prediction, predictions
from hudi_core.cluster.sample import Sample, drawn_sample
from hudi_core.columns.concat import concat_columns
from hudi_core.columns.nodes import StructColumn
from hudi_core.commit.statuses import ColumnRange
from hudi_core.data_files.column_ranges import ranges_of_rows
from hudi_core.expr.predicate import Column, Predicate, columns_of
from hudi_core.expr.queries import Condition, Query, as_queries
from hudi_core.metadata_writer.changes import statistics_of
from hudi_core.planning.plan import SKIP
from hudi_core.planning.sources.sources import Sources
from hudi_core.pruning.store import FIRST_CONDITION_ID, FileStatistics, StatisticsPart
from hudi_core.schema.project import project
from hudi_core.table.scan import Scan
from hudi_core.table.table import Table
from hudi_core.timeline.slices import FileSlice

BYTES_PER_SECOND: Final = 16 << 20
"""Bytes of base files that one processor rewrites in a second, roughly: 12 columns, on a machine of 2020."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Preview:
    """What a clustering would rewrite, about how long that takes on this machine, and what it gains. `slices_after` and
    `kept_after` are estimates. `predictions` has, by query, what an earlier clustering noted of it."""

    strategy: str
    columns: tuple[str, ...]
    groups: int
    files_in: int
    files_out: int
    bytes_in: int
    seconds: float
    gains: tuple[Gain, ...]
    predictions: tuple[Prediction | None, ...]

    def as_dict(self) -> dict[str, Any]:
        """The fields by name, gains as a list, with the earlier prediction for the slices that are kept before this one."""
        gains = [
            {**asdict(gain), "predicted_before": None if known is None else known.gain.kept_after}
            for gain, known in zip(self.gains, self.predictions, strict=True)
        ]
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "predictions"}
        return {**fields, "columns": list(self.columns), "gains": gains}


def preview(table: Table, options: ClusterOptions, queries: Sequence[Condition | Query] = ()) -> Preview:
    """Plans a clustering and estimates what it gains for queries; nothing is written.

    Raises as `cluster` and `Table.scan` do.
    """
    plan, given = planned(table, options), as_queries(queries)
    files_out, gains = _gains(table, plan, given)
    slices, rewritten = slices_by_group(table.slices()), set(plan.file_groups)
    size = sum(file.size for group in rewritten for file in slices[group].files)
    return Preview(
        plan.strategy,
        plan.columns,
        len(plan.groups),
        len(rewritten),
        files_out,
        size,
        round(size / (BYTES_PER_SECOND * table.engine.runner.parallelism), 1),
        gains,
        tuple(predictions(table.timeline, [query.where for query in given])),
    )


def predicted(table: Table, plan: ClusteringPlan, queries: Sequence[Condition | Query]) -> ClusteringPlan:
    """The plan with what it gains for queries, to be noted. Raises as `Table.scan` does for a query."""
    return replace(plan, gains=_gains(table, plan, as_queries(queries))[1]) if queries else plan


def _gains(table: Table, plan: ClusteringPlan, queries: Sequence[Query]) -> tuple[int, tuple[Gain, ...]]:
    """The number of files that a plan leads to, and what queries keep before and after."""
    scans = [table.scan(query.where) for query in queries]
    sources = Sources(table.snapshot())
    slices = slices_by_group(table.slices())
    outcomes = [
        _outcome(sources, group, [slices[one.group] for one in group.slices], plan, scans) for group in plan.groups
    ]
    rewritten = set(plan.file_groups)
    untouched = np.array([group not in rewritten for group in slices], np.bool_)
    files_out = sum(outcome.files for outcome in outcomes)
    total = int(untouched.sum()) + files_out
    gains = []
    for number, (query, scan) in enumerate(zip(queries, scans, strict=True)):
        keeps = scan.plan.codes != SKIP
        after = int((keeps & untouched).sum()) + sum(outcome.kept[number] for outcome in outcomes)
        gains.append(Gain(query.text, int(keeps.sum()), len(slices), after, total, query.weight))
    return files_out, tuple(gains)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The files that a group would become, and how many of them each scan would keep."""

    files: int
    kept: tuple[int, ...]


def _outcome(
    sources: Sources,
    group: PlannedGroup,
    members: Sequence[FileSlice],
    plan: ClusteringPlan,
    scans: Sequence[Scan],
) -> _Outcome:
    schema = sources.snapshot.schema
    order = [schema.get(name).path for name in plan.columns]
    columns = {id_: column for scan in scans for id_, column in _stored_columns(scan.predicate).items()}
    names = dict.fromkeys([*order, *(schema.place(id_).path for id_ in columns)])
    if not names:  # predicates without columns hold for all files or for none
        nothing_known = FileStatistics(group.outputs, lambda _: ())
        return _Outcome(group.outputs, tuple(len(nothing_known.plan(scan.predicate).possible()) for scan in scans))
    sample = drawn_sample(sources, members, project(schema, names))
    if sample.rows == 0:
        return _Outcome(group.outputs, (0,) * len(scans))
    if order:
        keys = sample.keys(order)
        made = layout(plan.strategy, keys, group.outputs)
        files, file_of = made.files, made.file_of(keys)
    else:
        files, file_of = group.outputs, np.arange(sample.rows) * group.outputs // sample.rows
    statistics = _statistics(sample, files, file_of, columns.values())
    return _Outcome(files, tuple(len(statistics.plan(scan.predicate).possible()) for scan in scans))


def _stored_columns(predicate: Predicate) -> Mapping[int, Column]:
    """The columns of the table that a predicate names; not those made for it alone."""
    return {id_: column for id_, column in columns_of(predicate).items() if id_ > FIRST_CONDITION_ID}


def _statistics(sample: Sample, files: int, file_of: Ints, columns: Iterable[Column]) -> FileStatistics:
    """The statistics of the files, from the rows of the sample that go to them."""
    order = np.argsort(file_of, kind="stable")
    bounds = np.searchsorted(file_of[order], np.arange(files + 1))
    ranges = [_ranges(sample, order[bounds[file] : bounds[file + 1]]) for file in range(files)]
    nothing = ColumnRange(None, None, 0, 0)
    paths = {column.id: sample.schema.place(column.id).name for column in columns}

    def load(column: Column) -> list[StatisticsPart]:
        name = paths.get(column.id)
        if name is None or not any(name in of_file for of_file in ranges):
            return []
        known = [of_file.get(name, None if of_file else nothing) for of_file in ranges]
        return [StatisticsPart(np.arange(files), statistics_of(known, column.type))]

    return FileStatistics(files, load)


def _ranges(sample: Sample, rows: Ints) -> Mapping[str, ColumnRange]:
    if len(rows) == 0:
        return {}
    engine, schema = sample.engine, sample.schema
    parts = [
        engine.rows.to_column(engine.rows.root(batch), schema.record, "sample")
        for batch in engine.rows.gather(sample.batches, [rows] * len(schema.fields), schema)
    ]
    column = concat_columns(parts, len(rows))
    assert isinstance(column, StructColumn)
    return ranges_of_rows(column, schema.record)
