"""What a clustering makes of queries before it runs: slices, requests and bytes. Rules CLUSTER-50 to CLUSTER-52, CLUSTER-670.

The sample's rows go to the files of the layout that a run would make. The ranges of these files stand for statistics, and
predicates are put to them as to those of a table. How large the files get is measured: some rows are written as the run would
write them.

Preview, noted predictions and advice all ask here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from hudi_core.arrays import Floats, Numbers
from hudi_core.cluster.file_sizes import WrittenSizes, divide_files, measure_sizes, whole_rows
from hudi_core.cluster.groups import slices_by_group
from hudi_core.cluster.layout import layout
from hudi_core.cluster.plan import ClusteringPlan, PlannedGroup
from hudi_core.cluster.predictions import Gain
from hudi_core.cluster.sample import SAMPLE_ROWS, Sample, draw_sample, rows_of
from hudi_core.columns.concat import concat_columns
from hudi_core.columns.nodes import StructColumn
from hudi_core.commit.statuses import ColumnRange
from hudi_core.data_files.column_ranges import ranges_of_rows
from hudi_core.expr.predicate import Column, Predicate, columns_of
from hudi_core.expr.queries import Query
from hudi_core.metadata_rows.rows_of_statistics import statistics_of
from hudi_core.notebook import show_briefly
from hudi_core.planning.plan import SKIP
from hudi_core.planning.sources.sources import Sources
from hudi_core.pruning.store import FIRST_CONDITION_ID, FileStatistics, StatisticsPart
from hudi_core.schema.project import project
from hudi_core.table.scan import Scan
from hudi_core.table.table import Table
from hudi_core.timeline.services import FileGroup
from hudi_core.timeline.slices import FileSlice

MAX_ERROR: Final = 0.1
"""The share by which what is then read may differ from a forecast."""


@show_briefly
@dataclass(frozen=True, slots=True)
class Forecast:
    """The files that a plan leads to, their bytes together, and what each query touches before and after."""

    files: int
    size: int
    gains: tuple[Gain, ...]


@dataclass(frozen=True)
class Forecaster:
    """Forecasts of plans for the same queries. What is sampled of a group of slices serves all plans that have the group.

    `shares` has, for each query, the share of each slice that it keeps; None for what its plan keeps. `names` are columns that
    plans may order by.
    """

    table: Table
    queries: Sequence[Query]
    shares: Sequence[Floats] | None = None
    names: Sequence[tuple[str, ...]] = ()
    sample_rows: int = SAMPLE_ROWS
    _samples: dict[tuple[object, ...], Sample] = field(default_factory=dict, repr=False, compare=False)

    def of_plan(self, plan: ClusteringPlan) -> Forecast:
        """What a plan makes of the queries. Raises as `Table.scan` does for a query."""
        scans = [self.table.scan(query.where) for query in self.queries]
        shares = self.shares or [(scan.plan.codes != SKIP).astype(np.float64) for scan in scans]
        sources, latest = Sources(self.table.snapshot()), self.table.slices()
        slices = slices_by_group(latest)
        members = [[slices[one.group] for one in group.slices] for group in plan.groups]
        sizes = self._sizes(sources, plan, members)
        outcomes = [
            self._outcome(sources, group, of_group, plan, scans, sizes)
            for group, of_group in zip(plan.groups, members, strict=True)
        ]
        rewritten = set(plan.file_groups)
        left = np.array([group not in rewritten for group in slices], np.float64)
        bytes_of = np.array([sum(file.size for file in one.files) for one in latest], np.float64)
        files_of = np.array([len(one.files) for one in latest], np.float64)
        total = int(left.sum()) + sum(len(outcome.sizes) for outcome in outcomes)
        gains = []
        for number, (query, kept) in enumerate(zip(self.queries, shares, strict=True)):
            made = [outcome.kept[number] for outcome in outcomes]
            more, size = sum(map(len, made)), sum(float(o.sizes[k].sum()) for o, k in zip(outcomes, made, strict=True))
            gains.append(
                Gain(
                    query.text,
                    round(kept.sum()),
                    len(latest),
                    round((kept * left).sum()) + more,
                    total,
                    query.weight,
                    round((kept * bytes_of).sum()),
                    round((kept * bytes_of * left).sum() + size),
                    round((kept * files_of).sum()),
                    round((kept * files_of * left).sum()) + more,
                )
            )
        made_bytes = sum(float(outcome.sizes.sum()) for outcome in outcomes)
        return Forecast(sum(len(outcome.sizes) for outcome in outcomes), round(made_bytes), tuple(gains))

    def _sizes(self, sources: Sources, plan: ClusteringPlan, members: Sequence[Sequence[FileSlice]]) -> WrittenSizes:
        """The sizes of files of the group with most bytes, which stand for those of the others."""
        if not members:
            return WrittenSizes(0.0, 0.0)
        largest = max(
            range(len(members)), key=lambda place: sum(file.size for one in members[place] for file in one.files)
        )
        outputs = plan.groups[largest].outputs
        key = (outputs, *_groups(members[largest]))
        if key not in self._samples:
            self._samples[key] = whole_rows(self.table, sources, members[largest], outputs)
        order = [self.table.schema.get(name).path for name in plan.columns]
        return measure_sizes(self.table, self._samples[key], plan.strategy, order, outputs)

    def _outcome(
        self,
        sources: Sources,
        group: PlannedGroup,
        members: Sequence[FileSlice],
        plan: ClusteringPlan,
        scans: Sequence[Scan],
        sizes: WrittenSizes,
    ) -> _Outcome:
        schema = sources.snapshot.schema
        order = [schema.get(name).path for name in plan.columns]
        columns = {id_: column for scan in scans for id_, column in _select_stored_columns(scan.predicate).items()}
        names = dict.fromkeys([*order, *(schema.place(id_).path for id_ in columns), *self.names])
        rows = sum(rows_of(sources, file_slice) for file_slice in members)
        if not names:  # predicates without columns hold for all files or for none
            nothing_known = FileStatistics(group.outputs, lambda _: ())
            even = np.full(group.outputs, rows / group.outputs)
            return _Outcome(sizes.sizes(even), [nothing_known.plan(scan.predicate).possible() for scan in scans])
        sample = self._sample(sources, members, tuple(sorted(names)))
        if sample.rows == 0:
            return _Outcome(np.zeros(group.outputs), [np.zeros(0, np.int64)] * len(scans))
        if order:
            keys = sample.keys(order)
            made = layout(plan.strategy, keys, group.outputs)
            files, file_of = divide_files(made.file_of(keys), made.files, group.outputs)
        else:
            files, file_of = group.outputs, np.arange(sample.rows) * group.outputs // sample.rows
        statistics = _statistics(sample, files, file_of, columns.values())
        shares = np.bincount(file_of, minlength=files) / sample.rows
        kept = [statistics.plan(scan.predicate).possible() for scan in scans]
        return _Outcome(sizes.sizes(shares * rows), kept)

    def _sample(self, sources: Sources, members: Sequence[FileSlice], names: tuple[tuple[str, ...], ...]) -> Sample:
        key = (names, *_groups(members))
        if key not in self._samples:
            wanted = project(sources.snapshot.schema, names)
            self._samples[key] = draw_sample(sources, members, wanted, self.sample_rows)
        return self._samples[key]


@dataclass(frozen=True, slots=True, eq=False)
class _Outcome:
    """The sizes of the files that a group would become, and which of them each scan would keep."""

    sizes: Floats
    kept: Sequence[Numbers]


def _groups(members: Sequence[FileSlice]) -> list[FileGroup]:
    return [(one.partition, one.file_id) for one in members]


def _select_stored_columns(predicate: Predicate) -> Mapping[int, Column]:
    """The columns of the table that a predicate names; not those made for it alone."""
    return {id_: column for id_, column in columns_of(predicate).items() if id_ > FIRST_CONDITION_ID}


def _statistics(sample: Sample, files: int, file_of: Numbers, columns: Iterable[Column]) -> FileStatistics:
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


def _ranges(sample: Sample, rows: Numbers) -> Mapping[str, ColumnRange]:
    if len(rows) == 0:
        return {}
    engine, schema = sample.engine, sample.schema
    parts: list[Any] = [
        engine.rows.to_column(engine.rows.root(batch), schema.record, "sample")
        for batch in engine.rows.gather(sample.batches, [rows] * len(schema.fields), schema)
    ]
    column = concat_columns(parts, len(rows))
    assert isinstance(column, StructColumn)
    return ranges_of_rows(column, schema.record)
