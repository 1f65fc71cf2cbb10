"""One predicate over a table's sources: rewritten to what each can answer, and the sources in the order of their use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.errors import TableError
from hudi_core.expr.connectives import every
from hudi_core.expr.nodes import And
from hudi_core.expr.predicate import ALWAYS_TRUE, Column, Predicate, columns_of
from hudi_core.expr.walk import conjuncts, disjuncts
from hudi_core.merge.rules import MergedColumns
from hudi_core.metadata.table import COLUMN_STATS, PARTITION_STATS
from hudi_core.planning.prune import Conjunct, Source, StatisticsAnswer, bind_conjunct, whole
from hudi_core.planning.sources.conditions import ConditionColumns, is_fact, with_path_conditions
from hudi_core.planning.sources.expression_filters import ExpressionFilters
from hudi_core.planning.sources.expression_indexes import ExpressionIndex, expression_pieces, with_index_columns
from hudi_core.planning.sources.file_statistics import FileStatisticsAnswer
from hudi_core.planning.sources.indexes import IndexLookups, Lookup
from hudi_core.planning.sources.sources import Sources
from hudi_core.pruning.store import FIRST_CONDITION_ID, FileStatistics, Load, StatisticsPart

MAX_DOUBTFUL_SLICES = 4096
"""Footers that are read beside `column_stats`: a second or so from a local disk, some seconds from object storage."""


@dataclass(frozen=True)
class PredicatePlanner:
    """One predicate, as the parts of its outermost AND, and what is known that may answer it."""

    inputs: Sources
    original: Sequence[Conjunct]
    case_sensitive: bool = False

    @cached_property
    def conjuncts(self) -> list[Conjunct]:
        """The parts as sources can answer them. Key columns that only together determine record keys add a part."""
        return [*map(self._with_facts, self.original), *self._whole_keys()]

    def alternatives(self, conjunct: Conjunct) -> list[list[Conjunct]]:
        """A conjunct taken apart: the parts of its outermost OR, each as the parts of its AND; none for a leaf."""
        alternatives = [conjuncts(part) for part in disjuncts(conjunct.tree)]
        if len(alternatives) == 1 and len(alternatives[0]) == 1:
            return []
        schema = self.inputs.snapshot.schema
        return [
            [self._with_facts(bind_conjunct(part, schema, case_sensitive=self.case_sensitive)) for part in parts]
            for parts in alternatives
        ]

    @cached_property
    def sources(self) -> list[Source]:
        """The sources, those first that cost least and decide most."""
        conjuncts_ = self.conjuncts  # sets what the indexes look up
        columns = {column for conjunct in conjuncts_ for column in columns_of(conjunct.hinted)}
        self.inputs.refuse_lost_values(columns)
        by_index = {lookup.index.name: lookup.source() for lookup in self._lookups}
        in_footers = by_index.pop(self.inputs.footer_filters.name)
        return [
            *self._by_commits(),
            self._by_paths(columns),
            *(by_index.pop(index.name) for index in self.inputs.indexes),
            *self._by_metadata(),
            *self._by_expressions(columns),
            *self._by_single_files(),
            *by_index.values(),
            Source("footers", self._by_files),
            *([in_footers] if in_footers.open else []),
        ]

    @cached_property
    def _facts(self) -> ConditionColumns:
        taken = len(self.inputs.expression_indexes) + len(self.inputs.expression_filters)
        return ConditionColumns(self.inputs.partition_of, FIRST_CONDITION_ID - taken)

    @cached_property
    def _lookups(self) -> list[IndexLookups]:
        inputs = self.inputs
        indexes = [*inputs.indexes, *inputs.filters, *inputs.expression_filters, inputs.footer_filters]
        return [IndexLookups(index, self._facts, inputs.snapshot.warn_or_raise) for index in indexes]

    def _with_facts(self, conjunct: Conjunct) -> Conjunct:
        plain = with_path_conditions(conjunct.predicate, self.inputs.values, self._facts)
        forms = [plain, *(lookup.with_conditions(plain) for lookup in self._lookups)]
        schema, indexes = self.inputs.snapshot.schema, self.inputs.expression_indexes
        if indexes:
            indexed = with_index_columns(conjunct.tree, indexes, schema, case_sensitive=self.case_sensitive)
            forms += [indexed] if indexed is not None else []
        for lookup in self._lookups:
            if isinstance(lookup.index, ExpressionFilters):
                value = with_index_columns(
                    conjunct.tree, [lookup.index.index], schema, case_sensitive=self.case_sensitive
                )
                forms += [lookup.with_conditions(value)] if value is not None else []
        return replace(conjunct, predicate=plain, hinted=every(dict.fromkeys(forms)))

    def _whole_keys(self) -> list[Conjunct]:
        keys_of_parts = self.inputs.record_keys.of_columns([conjunct.predicate for conjunct in self.original])
        if keys_of_parts is None:
            return []
        parts = [self.original[position] for position in keys_of_parts[0]]
        key_lookup = Lookup(keys_of_parts[1], whole(parts))
        facts = [lookups.fact(key_lookup) for lookups in self._lookups if lookups.index.finds_keys]
        if not facts:
            return []
        tree = And(tuple(part.tree for part in parts)) if len(parts) > 1 else parts[0].tree
        return [Conjunct(tree, ALWAYS_TRUE, every(map(is_fact, facts)))]

    def _by_commits(self) -> list[Source]:
        inputs = self.inputs
        if inputs.commits is None:
            return []
        return [inputs.commits.source(inputs.snapshot.slices, inputs.snapshot.timeline.layout, inputs.snapshot.schema)]

    def _by_paths(self, columns: Iterable[int]) -> Source:
        name = "partition values"
        if not self.inputs.snapshot.config.partition_fields:
            return Source(name, None, "the table has no partitions")
        if not any(column in self.inputs.values or self._facts.is_of_partitions(column) for column in columns):
            return Source(name, None, "no partition column in the predicate")
        return Source(name, lambda slices, _: self._of_partitions(self.inputs.paths, slices), covers_all=True)

    def _by_metadata(self) -> list[Source]:
        snapshot = self.inputs.snapshot
        if snapshot.usable(COLUMN_STATS) is None:
            return [
                Source(COLUMN_STATS, None, "not in the metadata table" if snapshot.metadata else "no metadata table")
            ]
        by_slice = Source(
            COLUMN_STATS, lambda slices, _: self._of_slices(self.inputs.column_stats, slices), covers_all=True
        )
        if snapshot.usable(PARTITION_STATS) is None or len(self.inputs.partitions) < 2:
            return [by_slice]
        if not self.inputs.is_latest:  # bounds of partitions become narrower when rows are deleted
            return [Source(PARTITION_STATS, None, "they are of another instant"), by_slice]
        return [
            Source(
                PARTITION_STATS,
                lambda slices, _: self._of_partitions(self.inputs.partition_stats, slices),
                covers_all=True,
            ),
            by_slice,
        ]

    def _of_partitions(self, statistics: FileStatistics, slices: Numbers) -> StatisticsAnswer:
        return StatisticsAnswer(
            statistics, self.inputs.partition_of[slices], self._facts.of_partitions, of_slices=False
        )

    def _of_slices(self, statistics: FileStatistics, slices: Numbers) -> StatisticsAnswer:
        return StatisticsAnswer(statistics, slices, self._facts.of_slices(self.inputs.all_slices))

    def _by_expressions(self, columns: set[int]) -> list[Source]:
        return [
            Source(index.partition, partial(self._by_expression, index))
            for index in self.inputs.expression_indexes
            if index.column.id in columns
        ]

    def _by_expression(self, index: ExpressionIndex, slices: Numbers, _: Predicate) -> StatisticsAnswer:
        snapshot, others = self.inputs.snapshot, self._facts.of_slices(self.inputs.all_slices)

        def facts(column: Column) -> Iterable[StatisticsPart]:
            if column.id != index.column.id or snapshot.metadata is None:
                return others(column)
            try:
                recorded = self.inputs.recorded
                return list(
                    expression_pieces(index, recorded.files, snapshot.metadata, opaque_logs=recorded.opaque_logs)
                )
            except TableError as error:
                snapshot.warn_or_raise(error)
                return []

        return StatisticsAnswer(self.inputs.column_stats, slices, facts)

    def _by_single_files(self) -> list[Source]:
        name = "column_stats of single files"
        if not self.inputs.has_logs or self.inputs.snapshot.usable(COLUMN_STATS) is None:
            return []
        if self.inputs.merges is not MergedColumns.WHOLE_ROWS:
            return [Source(name, None, "rows are put together from several files")]
        return [Source(name, lambda slices, _: FileStatisticsAnswer(self.inputs.fallback, slices, self._facts))]

    def _by_files(self, slices: Numbers, predicate: Predicate) -> StatisticsAnswer:
        """Statistics from the files of slices in doubt."""
        doubt, beside = self.inputs.fallback, self.inputs.snapshot.usable(COLUMN_STATS) is not None
        open_questions = slices[~self.inputs.has_complete_statistics(slices, predicate)]
        doubtful = doubt.doubtful(open_questions, predicate, self._facts.of_slices(open_questions))
        note = f"{len(doubtful)} of {len(slices)} in doubt" if beside else ""
        if beside and len(doubtful) > MAX_DOUBTFUL_SLICES:
            doubtful, note = (
                doubtful[:0],
                f"{note}: more than the {MAX_DOUBTFUL_SLICES} that are read beside column_stats",
            )
        # Without a slice in doubt there is nothing to add to earlier sources.
        load: Load = doubt.read(slices, doubtful) if len(doubtful) else lambda _: ()
        statistics = FileStatistics(len(slices), load)
        return StatisticsAnswer(statistics, np.arange(len(slices), dtype=np.int64), self._facts.of_slices(slices), note)
