"""Queries put to a table as it is, and as it would be with an index or clustering. Rules ADVICE-1 to ADVICE-8."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np

from hudi_core.advice.clustered import SampledRows, clustered_rows, share_kept
from hudi_core.advice.costs import Cost, Costs
from hudi_core.advice.proposals import Advice, Measure, Proposal, Touched
from hudi_core.advice.sample import Numbers, Sample, mean_size, spread
from hudi_core.columns.strings import string_column
from hudi_core.errors import UsageError
from hudi_core.expr.build import ExpressionBuilder
from hudi_core.expr.nodes import Expr
from hudi_core.expr.predicate import Column, OneOf, Predicate, columns_of
from hudi_core.expr.queries import Condition, Query, as_queries
from hudi_core.expr.sql_predicate import predicate_tree
from hudi_core.expr.walk import conjuncts
from hudi_core.formats.bloom import HashedKeys, parse_bloom_filter
from hudi_core.metadata.definitions import index_definitions
from hudi_core.metadata.table import BLOOM_FILTERS, COLUMN_STATS, RECORD_INDEX
from hudi_core.planning.plan import SKIP
from hudi_core.planning.prune import bound_conjunct, prune, whole
from hudi_core.planning.sources.planner import PredicatePlanner
from hudi_core.planning.sources.sources import Sources
from hudi_core.planning.sources.stored_filters import text_in_footer
from hudi_core.pruning.store import FIRST_CONDITION_ID, FileStatistics, StatisticsPart
from hudi_core.schema.project import project
from hudi_core.table.table import Table
from hudi_core.types import nodes as t

_OF_FILES = ("footers", "bloom filters in footers")
"""Sources that open files."""
_MOST_CURVE_COLUMNS = 4
MAX_QUERIES = 200
"""Queries that are looked into: the most frequent ones."""


def advise(
    table: Table, where: Sequence[Condition | Query], measures: Collection[Measure] = frozenset(Measure)
) -> Advice:
    """Which index or clustering would speed up these queries. Each counts as often as its weight; a bare predicate counts once.

    Only `measures` are proposed. Estimates come from footers and rows of a sample of base files; nothing is written to the
    table. Raises `UsageError` for no query, and as `Table.scan` does for a predicate.
    """
    if isinstance(where, str | Expr | ExpressionBuilder) or not where:
        raise UsageError("where", expected="a list of predicates", found="one by itself" if where else "none")
    sources = table.scan().sources
    sample = Sample(sources)
    _ = sample.footers  # timed, before planning keeps them
    frequent = sorted(as_queries(where), key=lambda query: -query.weight)[:MAX_QUERIES]
    queries = [_query(sample, query, table) for query in frequent]
    before = Advice(
        tuple(query.text for query in queries),
        tuple(query.weight for query in queries),
        tuple(query.now for query in queries),
        len(sources.snapshot.slices),
        mean_size(sources),
        len(sample.numbers),
        (),
    )
    advisor = _Advisor(sources, sample, Costs(sample), queries, before, measures)
    read = {proposal: before.bytes_read(proposal.touched) for proposal in advisor.proposals()}
    useful = [proposal for proposal in read if read[proposal] < before.bytes_read(before.touched)]
    ordered = sorted(useful, key=lambda proposal: (read[proposal], proposal.seconds))
    return replace(before, proposals=tuple(ordered))


@dataclass(frozen=True)
class _Query:
    """A query put to the table as it is."""

    sample: Sample
    planner: PredicatePlanner
    text: str
    weight: int

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

    def left_by(self, names: Iterable[str] | None) -> Numbers:
        """The slices that recorded sources leave, those of these names alone or, for None, all; no file is opened."""
        chosen = [source for source in self.planner.sources if source.name not in _OF_FILES]
        if names is not None:
            wanted = frozenset(names)
            chosen = [source for source in chosen if source.name in wanted]
        plan = prune(self.sample.sources.snapshot.slices, self.planner.conjuncts, chosen)
        return np.flatnonzero(plan.codes != SKIP).astype(np.int64)

    @cached_property
    def recorded(self) -> Numbers:
        return self.left_by(None)

    @cached_property
    def now(self) -> Touched:
        """Recorded sources, then the footers of slices whose recorded statistics are incomplete."""
        sources = self.sample.sources
        open_questions = self.recorded[~sources.has_complete_statistics(self.recorded, self.predicate)]
        doubtful = sources.fallback.doubtful(open_questions, self.predicate, lambda _: ())
        opened = len(self.recorded) if self.keys is not None else len(doubtful)
        return Touched(opened, _scaled(self.share_kept(self.columns, self.keys is not None), self.recorded))

    def share_kept(self, columns: Iterable[str], by_filter: bool = False) -> float:
        """The share of the slices left by recorded sources that statistics of these columns leave, in a sample of them."""
        numbers = np.intersect1d(self.recorded, self.sample.numbers)
        if not len(numbers):
            numbers = spread(self.recorded, len(self.sample.numbers))
        if not len(numbers):
            return 0.0
        wanted = {self.columns[name].id for name in columns}
        load = self.sample.sources.fallback.read(numbers, numbers)

        def chosen(column: Column) -> Iterable[StatisticsPart]:
            return load(column) if column.id in wanted else ()

        possible = FileStatistics(len(numbers), chosen).plan(self.predicate).possible()
        if by_filter and self.keys is not None:
            possible = np.array([row for row in possible.tolist() if self._passes(int(numbers[row]))], np.int64)
        return len(possible) / len(numbers)

    def _passes(self, number: int) -> bool:
        """Whether the bloom filter in the footer of a slice lets one of the keys pass; log files may hold any key."""
        file_slice = self.sample.sources.snapshot.slices[number]
        if file_slice.base is None or file_slice.logs or not self.sample.sources.snapshot.stores_keys:
            return True
        text = text_in_footer(self.sample.sources.headers.footer(file_slice.base))
        if text is None or self.keys is None:
            return True
        return bool(
            parse_bloom_filter(text, file_slice.base.path)
            .may_contain(HashedKeys(string_column(sorted(self.keys))))
            .any()
        )


def _scaled(share: float, numbers: Numbers) -> int:
    """A share of slices as a number of them; some is never none."""
    return 0 if share == 0 else max(round(share * len(numbers)), 1)


def _query(sample: Sample, query: Query, table: Table) -> _Query:
    schema, case_sensitive = sample.sources.snapshot.schema, table.case_sensitive
    parts = [
        bound_conjunct(part, schema, case_sensitive=case_sensitive) for part in conjuncts(predicate_tree(query.where))
    ]
    planner = PredicatePlanner(sample.sources, parts, case_sensitive)
    return _Query(sample, planner, " AND ".join(part.text for part in parts), query.weight)


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Rows that stand for so many slices; None where none could be drawn."""

    slices: int
    sampled: SampledRows | None

    def clustered(self, columns: Sequence[str]) -> FileStatistics | None:
        return None if self.sampled is None else clustered_rows(self.sampled, columns, self.slices)


@dataclass(frozen=True)
class _Advisor:
    sources: Sources
    sample: Sample
    costs: Costs
    queries: Sequence[_Query]
    before: Advice
    measures: Collection[Measure]

    def proposals(self) -> Iterator[Proposal]:
        """All that is possible of the measures that are wanted, useful or not."""
        if not len(self.sample.numbers):
            return
        names = list(dict.fromkeys(chain.from_iterable(query.columns for query in self.queries)))
        free = [name for name in names if self._is_free(name)]
        if Measure.COLUMN_STATS in self.measures:
            yield from self._column_stats(free)
        if any(query.keys is not None for query in self.queries):
            yield from self._by_keys()
        if Measure.CLUSTERING in self.measures and free:
            yield from self._clustering(free)

    def _is_free(self, name: str) -> bool:
        """Whether partition paths do not have the column's values."""
        return self.sources.snapshot.schema.get(name).field.id not in self.sources.values

    def _column_stats(self, names: Sequence[str]) -> Iterator[Proposal]:
        recorded = self._recorded_columns()
        new = [name for name in names if name not in recorded]
        choices: list[tuple[str, ...]] = [(name,) for name in new]
        if len(new) > 1:
            choices.append(tuple(new))
        for columns in choices:
            touched = []
            for query in self.queries:
                own = [name for name in columns if name in query.columns]
                left = _scaled(query.share_kept(own), query.recorded) if own else len(query.recorded)
                decided = set(query.columns) <= {*columns, *recorded}
                opened = 0 if decided else min(query.now.opened, left)
                touched.append(Touched(opened, min(query.now.kept, left)) if own else query.now)
            yield self._proposal(Measure.COLUMN_STATS, columns, touched, self.costs.column_stats(columns))

    def _recorded_columns(self) -> frozenset[str]:
        """The columns that `column_stats` has."""
        snapshot = self.sources.snapshot
        if snapshot.usable(COLUMN_STATS) is None:
            return frozenset()
        definition = index_definitions(snapshot.storage, snapshot.config).get(COLUMN_STATS)
        return frozenset() if definition is None else frozenset(definition.columns)

    def _by_keys(self) -> Iterator[Proposal]:
        snapshot = self.sources.snapshot
        columns = snapshot.config.record_key_fields
        if Measure.RECORD_INDEX in self.measures and snapshot.usable(RECORD_INDEX) is None:
            touched = [
                query.now if query.keys is None else Touched(0, min(query.now.kept, len(query.keys)))
                for query in self.queries
            ]
            yield self._proposal(Measure.RECORD_INDEX, columns, touched, self.costs.record_index())
        wanted = Measure.BLOOM_FILTERS in self.measures and snapshot.usable(BLOOM_FILTERS) is None
        cost = self.costs.bloom_filters() if wanted and snapshot.stores_keys else None
        if cost is not None:
            touched = [
                query.now
                if query.keys is None
                else Touched(0, _scaled(query.share_kept((), by_filter=True), query.recorded))
                for query in self.queries
            ]
            yield self._proposal(Measure.BLOOM_FILTERS, columns, touched, cost)

    def _clustering(self, names: Sequence[str]) -> Iterator[Proposal]:
        """Sorted by a column, or along the z-order curve of those that save most by themselves; partitions stay as they are."""
        of_queries = self._sampled_rows(names)
        by_one = [self._clustered(of_queries, (name,)) for name in names]
        yield from by_one
        best = sorted(by_one, key=lambda proposal: self.before.bytes_read(proposal.touched))
        for count in range(2, min(len(best), _MOST_CURVE_COLUMNS) + 1):
            chosen = {proposal.columns for proposal in best[:count]}
            yield self._clustered(of_queries, tuple(name for name in names if (name,) in chosen))

    def _sampled_rows(self, names: Sequence[str]) -> list[_Rows]:
        """Of each query the rows of the partitions that it leaves, which queries of the same partitions share."""
        with_base = np.flatnonzero(self.sources.snapshot.slices.bases >= 0)
        wanted = project(self.sources.snapshot.schema, names)
        known: dict[bytes, _Rows] = {}
        of_queries = []
        for query in self.queries:
            slices = np.intersect1d(query.left_by(["partition values"]), with_base)
            key = slices.tobytes()
            if key not in known:
                rows = self.sample.rows(slices, wanted)
                sampled = None if rows is None else SampledRows(rows, wanted, self.sample.rows_a_slice)
                known[key] = _Rows(len(slices), sampled)
            of_queries.append(known[key])
        return of_queries

    def _clustered(self, of_queries: Sequence[_Rows], columns: tuple[str, ...]) -> Proposal:
        made = {rows: rows.clustered(columns) for rows in dict.fromkeys(of_queries)}
        touched = []
        for query, rows in zip(self.queries, of_queries, strict=True):
            statistics = made[rows]
            if statistics is None:
                touched.append(query.now)
                continue
            kept = round(share_kept(statistics, query.predicate) * rows.slices)
            # Between two parts of the sample lie rows that it has not.
            touched.append(Touched(query.now.opened, max(kept, min(query.now.kept, 1))))
        return self._proposal(Measure.CLUSTERING, columns, touched, self._clustering_cost)

    @cached_property
    def _clustering_cost(self) -> Cost:
        return self.costs.clustering()

    def _proposal(self, measure: Measure, columns: Sequence[str], touched: Sequence[Touched], cost: Cost) -> Proposal:
        return Proposal(measure, tuple(columns), tuple(touched), cost.size, cost.seconds)
