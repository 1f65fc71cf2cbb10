"""Queries put to a table as it is, and as it would be with an index or clustering. Rules ADVICE-1 to ADVICE-9."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np

from hudi_core.advice.costs import Cost, Costs
from hudi_core.advice.proposals import LEAST_SAVING, Advice, Measure, Proposal, Touched
from hudi_core.advice.sample import Sample, draw_sample, mean_size, slice_sizes, spread, sum_of
from hudi_core.arrays import Floats, Numbers
from hudi_core.cluster.forecast import Forecaster
from hudi_core.cluster.layout import Strategy
from hudi_core.cluster.options import ClusterOptions
from hudi_core.cluster.planner import plan_clustering
from hudi_core.cluster.predictions import Gain
from hudi_core.columns.strings import string_column
from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.expr.build import ExpressionBuilder
from hudi_core.expr.nodes import Expr
from hudi_core.expr.predicate import Column, OneOf, Predicate, columns_of
from hudi_core.expr.queries import Condition, Query, as_queries
from hudi_core.expr.sql_predicate import doubts_of, predicate_tree, warn_of
from hudi_core.expr.walk import conjuncts
from hudi_core.formats.bloom import HashedKeys, parse_bloom_filter
from hudi_core.metadata.definitions import index_definitions
from hudi_core.metadata.table import BLOOM_FILTERS, COLUMN_STATS, RECORD_INDEX
from hudi_core.planning.plan import SKIP
from hudi_core.planning.prune import bind_conjunct, prune, whole
from hudi_core.planning.sources.file_filters import text_in_footer
from hudi_core.planning.sources.planner import PredicatePlanner
from hudi_core.planning.sources.sources import Sources
from hudi_core.pruning.store import FIRST_CONDITION_ID, FileStatistics, StatisticsPart
from hudi_core.table.table import Table
from hudi_core.types import nodes as t
from hudi_core.writing.plan import FileSizes

_OF_FILES = ("footers", "bloom filters in footers")
"""Sources that open files."""
_MOST_CURVE_COLUMNS = 4
_SAMPLED_ROWS = 1 << 16
"""Rows of a group that are sampled for a forecast: many forecasts are made."""
DEFAULT_SIZES = FileSizes()
MAX_QUERIES = 200
"""Queries that are looked into: the most frequent ones."""


def advise(
    table: Table,
    where: Sequence[Condition | Query],
    measures: Collection[Measure] = frozenset(Measure),
    sizes: FileSizes = DEFAULT_SIZES,
) -> Advice:
    """Advises which index or clustering would speed up these queries. Each query counts as often as its weight; a bare
    predicate counts once.

    Only `measures` are proposed, and clustering into files of these sizes. Estimates come from footers and from rows of a
    sample of base files. Nothing is written to the table. Raises `UsageError` for no query, and as `Table.scan` does for a
    predicate.
    """
    if isinstance(where, str | Expr | ExpressionBuilder) or not where:
        raise UsageError("where", expected="a list of predicates", found="one by itself" if where else "none")
    sources = table.scan().sources
    sample = draw_sample(sources)
    frequent = sorted(as_queries(where), key=lambda query: -query.weight)[:MAX_QUERIES]
    of_slices = slice_sizes(sources)
    queries = [_query(sample, query, table, of_slices) for query in frequent]
    before = Advice(
        tuple(query.text for query in queries),
        tuple(query.weight for query in queries),
        tuple(query.now for query in queries),
        len(sources.snapshot.slices),
        mean_size(sources),
        len(sample.numbers),
        (),
    )
    advisor = _Advisor(table, sources, sample, Costs(sample), queries, before, measures, sizes)
    cost = {proposal: before.cost(proposal.touched) for proposal in advisor.proposals()}
    most = before.cost(before.touched) * (1 - LEAST_SAVING)
    ordered = sorted(
        (proposal for proposal in cost if cost[proposal] < most),
        key=lambda proposal: (cost[proposal], proposal.seconds),
    )
    return replace(before, proposals=tuple(ordered))


@dataclass(frozen=True)
class _Query:
    """A query put to the table as it is."""

    sample: Sample
    planner: PredicatePlanner
    given: Query
    text: str
    weight: int
    sizes: Numbers
    files: Numbers

    @cached_property
    def predicate(self) -> Predicate:
        return whole(self.planner.original)

    @cached_property
    def columns(self) -> dict[str, Column]:
        """The columns of the predicate that have statistics, by name."""
        return {
            column.name: column
            for column in columns_of(self.predicate).values()
            if column.id > FIRST_CONDITION_ID and not isinstance(column.type, t.Nested)
        }

    @cached_property
    def keys(self) -> frozenset[str] | None:
        """The record keys that matching rows have; None where the predicate does not determine them."""
        record_keys = self.sample.sources.record_keys
        parts = [conjunct.predicate for conjunct in self.planner.original]
        for part in parts:
            keys = record_keys.of_column(part) if isinstance(part, OneOf) else None
            if keys is not None:
                return keys
        of_columns = record_keys.of_columns(parts)
        return None if of_columns is None else of_columns[1]

    def prune_by(self, names: Iterable[str] | None) -> Numbers:
        """The slices that recorded sources leave, those of these names alone or, for None, all; no file is opened."""
        chosen = [source for source in self.planner.sources if source.name not in _OF_FILES]
        if names is not None:
            wanted = frozenset(names)
            chosen = [source for source in chosen if source.name in wanted]
        plan = prune(self.sample.sources.snapshot.slices, self.planner.conjuncts, chosen)
        return np.flatnonzero(plan.codes != SKIP).astype(np.int64)

    @cached_property
    def recorded(self) -> Numbers:
        return self.prune_by(None)

    @cached_property
    def now(self) -> Touched:
        """Recorded sources, then the footers of slices whose recorded statistics are incomplete."""
        sources = self.sample.sources
        open_questions = self.recorded[~sources.has_complete_statistics(self.recorded, self.predicate)]
        doubtful = sources.fallback.doubtful(open_questions, self.predicate, lambda _: ())
        opened = len(self.recorded) if self.keys is not None else len(doubtful)
        return self.count_touched(opened, *self._now)

    @cached_property
    def _now(self) -> tuple[Numbers, Numbers]:
        return self.prune_with(self.columns, self.keys is not None)

    @cached_property
    def shares(self) -> Floats:
        """The share of each slice that is kept: one or none of a slice that was looked into, the mean of these of the others."""
        looked_into, kept = self._now
        shares = np.zeros(len(self.sample.sources.snapshot.slices), np.float64)
        if len(looked_into):
            shares[self.recorded] = len(kept) / len(looked_into)
            shares[looked_into] = 0.0
            shares[kept] = 1.0
        return shares

    def count_touched(self, opened: int, looked_into: Numbers, kept: Numbers) -> Touched:
        """What is touched where so many footers are opened, and these of the slices that were looked into are kept."""
        if not len(kept):
            return Touched(opened, 0, 0, 0)
        count = max(round(len(kept) / len(looked_into) * len(self.recorded)), 1)
        size, files = (
            round(sum_of(of_slices, kept) / max(sum_of(of_slices, looked_into), 1) * sum_of(of_slices, self.recorded))
            for of_slices in (self.sizes, self.files)
        )
        return Touched(opened, count, size, max(files, 1))

    def prune_with(self, columns: Iterable[str], by_filter: bool = False) -> tuple[Numbers, Numbers]:
        """Some of the slices that recorded sources leave, and which of them statistics of these columns leave."""
        numbers = np.intersect1d(self.recorded, self.sample.numbers)
        if not len(numbers):
            numbers = spread(self.recorded, len(self.sample.numbers))
        if not len(numbers):
            return numbers, numbers
        wanted = {self.columns[name].id for name in columns}
        load = self.sample.sources.fallback.read(numbers, numbers)

        def choose_parts(column: Column) -> Iterable[StatisticsPart]:
            return load(column) if column.id in wanted else ()

        possible = FileStatistics(len(numbers), choose_parts).plan(self.predicate).possible()
        if by_filter and self.keys is not None:
            possible = np.array([row for row in possible.tolist() if self._passes(int(numbers[row]))], np.int64)
        return numbers, numbers[possible]

    def _passes(self, number: int) -> bool:
        """Whether the bloom filter in the footer of a slice lets one of the keys pass; log files may hold any key."""
        file_slice = self.sample.sources.snapshot.slices[number]
        if file_slice.base is None or file_slice.logs or not self.sample.sources.snapshot.stores_keys:
            return True
        headers = self.sample.sources.headers
        text = text_in_footer(headers.footer_read(file_slice.base) or headers.open_file(file_slice.base).footer)
        if text is None or self.keys is None:
            return True
        return bool(
            parse_bloom_filter(text, file_slice.base.path)
            .may_contain(HashedKeys(string_column(sorted(self.keys))))
            .any()
        )


def _query(sample: Sample, query: Query, table: Table, sizes: tuple[Numbers, Numbers]) -> _Query:
    schema, case_sensitive = sample.sources.snapshot.schema, table.case_sensitive
    tree = predicate_tree(query.where)
    parts = [bind_conjunct(part, schema, case_sensitive=case_sensitive) for part in conjuncts(tree)]
    warn_of(doubts_of(tree, schema))
    planner = PredicatePlanner(sample.sources, parts, case_sensitive)
    return _Query(sample, planner, query, " AND ".join(part.text for part in parts), query.weight, *sizes)


@dataclass(frozen=True)
class _Advisor:
    table: Table
    sources: Sources
    sample: Sample
    costs: Costs
    queries: Sequence[_Query]
    before: Advice
    measures: Collection[Measure]
    sizes: FileSizes

    def proposals(self) -> Iterator[Proposal]:
        """All that is possible of the measures that are wanted, useful or not."""
        if not len(self.sample.numbers):
            return
        names = list(dict.fromkeys(chain.from_iterable(query.columns for query in self.queries)))
        free = [name for name in names if self._is_free(name)]
        ways: Mapping[Measure, Callable[[Sequence[str]], Iterator[Proposal]]] = {
            Measure.COLUMN_STATS: self._column_stats,
            Measure.RECORD_INDEX: self._record_index,
            Measure.BLOOM_FILTERS: self._bloom_filters,
            Measure.CLUSTERING: self._clustering,
        }
        for measure, propose in ways.items():
            if measure in self.measures:
                yield from propose(free)

    def _is_free(self, name: str) -> bool:
        """Whether partition paths do not have the column's values."""
        return self.sources.snapshot.schema.get(name).field.id not in self.sources.values

    def _column_stats(self, names: Sequence[str]) -> Iterator[Proposal]:
        recorded = self._list_recorded_columns()
        new = [name for name in names if name not in recorded]
        choices: list[tuple[str, ...]] = [(name,) for name in new]
        if len(new) > 1:
            choices.append(tuple(new))
        for columns in choices:
            touched = []
            for query in self.queries:
                own = [name for name in columns if name in query.columns]
                touched.append(self._with_statistics(query, own, {*columns, *recorded}) if own else query.now)
            yield self._proposal(Measure.COLUMN_STATS, columns, touched, self.costs.column_stats(columns))

    def _with_statistics(self, query: _Query, own: Sequence[str], recorded: set[str]) -> Touched:
        """What a query touches with statistics of some of its columns, where these columns have recorded ones then."""
        left = query.count_touched(0, *query.prune_with(own))
        opened = 0 if set(query.columns) <= recorded else min(query.now.opened, left.kept)
        return replace(left if left.kept < query.now.kept else query.now, opened=opened)

    def _list_recorded_columns(self) -> frozenset[str]:
        """The columns that `column_stats` has."""
        snapshot = self.sources.snapshot
        if snapshot.usable(COLUMN_STATS) is None:
            return frozenset()
        definition = index_definitions(snapshot.storage, snapshot.config).get(COLUMN_STATS)
        return frozenset() if definition is None else frozenset(definition.columns)

    def _record_index(self, _: Sequence[str]) -> Iterator[Proposal]:
        if not self._asks_for_keys or self.sources.snapshot.usable(RECORD_INDEX) is not None:
            return
        touched = [
            query.now if query.keys is None else _at_most(replace(query.now, opened=0), len(query.keys))
            for query in self.queries
        ]
        yield self._proposal(Measure.RECORD_INDEX, self._key_fields, touched, self.costs.record_index())

    def _bloom_filters(self, _: Sequence[str]) -> Iterator[Proposal]:
        snapshot = self.sources.snapshot
        if not self._asks_for_keys or snapshot.usable(BLOOM_FILTERS) is not None or not snapshot.stores_keys:
            return
        cost = self.costs.bloom_filters()
        if cost is not None:
            touched = [
                query.now if query.keys is None else query.count_touched(0, *query.prune_with((), by_filter=True))
                for query in self.queries
            ]
            yield self._proposal(Measure.BLOOM_FILTERS, self._key_fields, touched, cost)

    @property
    def _asks_for_keys(self) -> bool:
        return any(query.keys is not None for query in self.queries)

    @property
    def _key_fields(self) -> tuple[str, ...]:
        return self.sources.snapshot.config.record_key_fields

    def _clustering(self, names: Sequence[str]) -> Iterator[Proposal]:
        """Sorted by a column, or along the z-order curve of those that save most by themselves; as `cluster` would plan it."""
        if not names:
            return
        by_one = [proposal for name in names if (proposal := self._propose_clustering((name,))) is not None]
        yield from by_one
        best = sorted(by_one, key=lambda proposal: self.before.cost(proposal.touched))
        for count in range(2, min(len(best), _MOST_CURVE_COLUMNS) + 1):
            chosen = {proposal.columns for proposal in best[:count]}
            proposal = self._propose_clustering(tuple(name for name in names if (name,) in chosen))
            if proposal is not None:
                yield proposal

    def _propose_clustering(self, columns: tuple[str, ...]) -> Proposal | None:
        """What `cluster` by these columns would make of the queries; None where it has nothing to do, or cannot be done."""
        strategy = Strategy.LINEAR if len(columns) == 1 else Strategy.ZORDER
        try:
            plan = plan_clustering(self.table, ClusterOptions(strategy, columns, self.sizes))
        except (UsageError, UnsupportedError):
            return None
        if not plan.groups:
            return None
        forecast = self._forecaster.of_plan(plan)
        touched = [self._after(query, gain) for query, gain in zip(self.queries, forecast.gains, strict=True)]
        cost = self.costs.writing(forecast.size)
        return self._proposal(Measure.CLUSTERING, columns, touched, cost)

    def _after(self, query: _Query, gain: Gain) -> Touched:
        """What a query touches then. Footers are opened of as large a share of the slices as now."""
        opened = -(-query.now.opened * gain.slices_after // max(gain.slices_before, 1))
        after = Touched(opened, gain.kept_after, gain.bytes_after, gain.requests_after)
        located = query.keys is not None and self.sources.snapshot.usable(RECORD_INDEX) is not None
        return _at_most(after, len(query.keys)) if located and query.keys is not None else after

    @cached_property
    def _forecaster(self) -> Forecaster:
        schema = self.sources.snapshot.schema
        names = dict.fromkeys(chain.from_iterable(query.columns for query in self.queries))
        return Forecaster(
            self.table,
            [query.given for query in self.queries],
            [query.shares for query in self.queries],
            [schema.get(name).path for name in names],
            _SAMPLED_ROWS,
        )

    def _proposal(self, measure: Measure, columns: Sequence[str], touched: Sequence[Touched], cost: Cost) -> Proposal:
        return Proposal(measure, tuple(columns), tuple(touched), cost.size, cost.seconds)


def _at_most(touched: Touched, slices: int) -> Touched:
    """What is touched where at most so many slices are kept."""
    if touched.kept <= slices:
        return touched
    share = slices / touched.kept
    return replace(touched, kept=slices, size=round(touched.size * share), files=max(round(touched.files * share), 1))
