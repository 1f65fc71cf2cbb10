"""The sources of knowledge about a snapshot's slices, in the order in which they are asked. Rules: `specs/sources.md`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hudi_core.errors import TableError
from hudi_core.expr.leaves import every
from hudi_core.expr.predicate import ALWAYS_TRUE, Column, Predicate, columns_of
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.metadata.statistics import RecordedStatistics
from hudi_core.metadata.table import COLUMN_STATS, PARTITION_STATS, RECORD_INDEX
from hudi_core.stats.store import FileStatistics, Piece
from hudi_core.table.doubt import Doubt, is_told_of
from hudi_core.table.facts import Facts, is_fact
from hudi_core.table.heads import Heads
from hudi_core.table.indexes import Index, Lookups, RecordIndex
from hudi_core.table.keys import RecordKeys, record_keys
from hudi_core.table.knowledge import Numbers, PartitionKnowledge, PartitionValues, RecordedKnowledge, files_of
from hudi_core.table.partitions import PathValue, path_values
from hudi_core.table.path_facts import with_path_facts
from hudi_core.table.picture import Bounds
from hudi_core.table.prune import Conjunct, Known, Source
from hudi_core.table.ranges import ranges
from hudi_core.table.snapshot import Snapshot
from hudi_core.timeline.slices import FileSlice

MOST_IN_DOUBT = 4096
"""Footers that are read beside `column_stats`: a second or so from a local disk, some seconds from object storage."""


@dataclass(frozen=True)
class Sources:
    """What is known of the slices of a snapshot. Statistics are read a column at a time, when a predicate first needs them."""

    snapshot: Snapshot
    _told: dict[int, npt.NDArray[np.bool_]] = field(default_factory=dict, repr=False, compare=False)
    """By column the slices of which `column_stats` tell all that can be told."""

    @cached_property
    def heads(self) -> Heads:
        """What data files say of themselves."""
        return Heads(self.snapshot)

    @cached_property
    def partitions(self) -> list[str]:
        return sorted({each.partition for each in self.snapshot.slices})

    @cached_property
    def _partition_numbers(self) -> dict[str, int]:
        return {partition: number for number, partition in enumerate(self.partitions)}

    def partition_number(self, slice: FileSlice) -> int:
        return self._partition_numbers[slice.partition]

    @cached_property
    def partition_of(self) -> Numbers:
        """The number of each slice's partition."""
        return np.array([self.partition_number(each) for each in self.snapshot.slices], np.int64)

    @cached_property
    def values(self) -> Mapping[int, Sequence[PathValue | None]]:
        """What paths say, by column id, a value for each partition."""
        config, schema = self.snapshot.config, self.snapshot.schema
        places = [schema.find(name, case_sensitive=False) for name in config.partition_fields]
        found = [place for place in places if place is not None]
        if len(found) != len(places) or not found:
            return {}
        rows = [path_values(path, config, [place.field.type for place in found]) for path in self.partitions]
        return {place.field.id: [row[position] for row in rows] for position, place in enumerate(found)}

    def asked(self, conjuncts: Sequence[Conjunct]) -> tuple[list[Conjunct], list[Source]]:
        """The parts of a predicate as sources can answer them, and the sources, those first that cost least and tell most."""
        facts = Facts(self.partition_of)
        said = [with_path_facts(conjunct.predicate, self.values, facts) for conjunct in conjuncts]
        lookups = [Lookups(index, facts, self.snapshot.set_aside) for index in self._indexes]
        asked = [
            replace(each, predicate=part, hinted=every(dict.fromkeys([part, *(index.said(part) for index in lookups)])))
            for each, part in zip(conjuncts, said, strict=True)
        ]
        asked += self._whole_keys(asked, lookups)
        columns = [column for conjunct in conjuncts for column in columns_of(conjunct.predicate)]
        by_index = [index.source() for index in lookups]
        return asked, [self._by_paths(columns, facts), *by_index, *self._by_metadata(facts), self._by_heads(facts)]

    @cached_property
    def record_keys(self) -> RecordKeys:
        """How record keys are made of columns."""
        snapshot = self.snapshot
        return record_keys(snapshot.config, snapshot.schema, snapshot.history.schemas)

    @cached_property
    def _indexes(self) -> list[Index]:
        table = self.snapshot.usable(RECORD_INDEX)
        return [] if table is None else [RecordIndex(self.heads, table, lambda: self._recorded, self.record_keys)]

    def _whole_keys(self, conjuncts: Sequence[Conjunct], lookups: Sequence[Lookups]) -> list[Conjunct]:
        """What conditions on each of several key columns tell together."""
        found = self.record_keys.of_columns([conjunct.predicate for conjunct in conjuncts])
        if found is None:
            return []
        places, keys = found
        text = " AND ".join(conjuncts[place].text for place in places)
        facts = [is_fact(index.fact(keys)) for index in lookups if index.index.knows_keys]
        return [Conjunct(text, ALWAYS_TRUE, every(facts))] if facts else []

    def _by_paths(self, columns: Sequence[int], facts: Facts) -> Source:
        name = "partition values"
        if not self.snapshot.config.partition_fields:
            return Source(name, None, "the table has no partitions")
        if not any(column in self.values for column in columns):
            return Source(name, None, "no partition column in the predicate")
        return Source(name, self._of_partitions(lambda: self._paths, facts))

    def _by_metadata(self, facts: Facts) -> list[Source]:
        if self.snapshot.usable(COLUMN_STATS) is None:
            note = "not in the metadata table" if self.snapshot.metadata else "no metadata table"
            return [Source(COLUMN_STATS, None, note)]
        found = []
        if self.snapshot.usable(PARTITION_STATS) is not None and len(self.partitions) > 1:
            found.append(Source(PARTITION_STATS, self._of_partitions(lambda: self._partition_stats, facts)))
        every = np.arange(len(self.snapshot.slices), dtype=np.int64)
        return [
            *found,
            Source(COLUMN_STATS, lambda left, _: Known(self._column_stats, left, facts.of_slices(every))),
        ]

    def _by_heads(self, facts: Facts) -> Source:
        return Source("footers", lambda left, predicate: self._in_doubt(left, predicate, facts))

    def _of_partitions(
        self, statistics: Callable[[], FileStatistics], facts: Facts
    ) -> Callable[[Numbers, Predicate], Known]:
        return lambda left, _: Known(statistics(), self.partition_of[left], facts.of_partitions, of_slices=False)

    @cached_property
    def _paths(self) -> FileStatistics:
        every = np.arange(len(self.partitions), dtype=np.int64)
        known = PartitionValues(self.values, every)
        return FileStatistics.of(len(self.partitions), lambda column: known.pieces(column) or [])

    @cached_property
    def _partition_stats(self) -> FileStatistics:
        def load(column: Column) -> Iterable[Piece]:
            every = np.arange(len(self.partitions), dtype=np.int64)
            by_path = PartitionValues(self.values, every).pieces(column)
            return by_path if by_path is not None else self._recorded_of_partitions(column)

        return FileStatistics.of(len(self.partitions), load)

    def _recorded_of_partitions(self, column: Column) -> Iterable[Piece]:
        table = self.snapshot.metadata
        assert table is not None
        versions = self.snapshot.history.schemas
        used = [versions[number] for number in np.unique(self._recorded.files.versions)]
        if not self._recorded.files.certain.all():
            return []
        known = PartitionKnowledge(self.partitions, used, self.snapshot.schema, table.partition_stats)
        try:
            return list(known.pieces(column, self._covered))
        except TableError as error:
            self.snapshot.set_aside(error)
            return []

    def _covered(self, name: str) -> npt.NDArray[np.bool_]:
        """Which partitions have recorded statistics of the column for each of their live files.

        A writer that cannot make statistics of a file leaves it out, and the partition's record, made from the others, says
        nothing of that.
        """
        missing = self._recorded.missing(name)
        covered = np.ones(len(self.partitions), np.bool_)
        covered[self.partition_of[self._recorded.files.slices[missing]]] = False
        return covered

    @cached_property
    def _column_stats(self) -> FileStatistics:
        def load(column: Column) -> Iterable[Piece]:
            found = list(self._by_path(column, self.partition_of) or self._recorded.pieces(column))
            self._told[column.id] = is_told_of(found, len(self.snapshot.slices))
            return found

        return FileStatistics.of(len(self.snapshot.slices), load)

    def _by_path(self, column: Column, members: Numbers) -> list[Piece] | None:
        return PartitionValues(self.values, members).pieces(column)

    @cached_property
    def _recorded(self) -> RecordedKnowledge:
        snapshot, versions = self.snapshot, self.snapshot.history.schemas
        files = files_of(snapshot.slices, self.version_of)
        return RecordedKnowledge(files, versions, snapshot.schema, self._records, self.record_keys.twins)

    def _records(self, names: Sequence[str]) -> Mapping[str, tuple[RecordedStatistics, ...]]:
        table = self.snapshot.usable(COLUMN_STATS)
        try:
            return {} if table is None else table.column_stats(names)
        except TableError as error:
            self.snapshot.set_aside(error)
            return {}

    def _in_doubt(self, left: Numbers, predicate: Predicate, facts: Facts) -> Known:
        """What files say of themselves where that may change the answer."""
        beside = self.snapshot.usable(COLUMN_STATS) is not None
        doubt = Doubt(self.heads, self._recorded, lambda column, some: self._by_path(column, self.partition_of[some]))
        open_questions = left[~self._settled(left, predicate)]
        doubtful = doubt.about(open_questions, predicate, facts.of_slices(open_questions))
        note = f"{len(doubtful)} of {len(left)} in doubt" if beside else ""
        if beside and len(doubtful) > MOST_IN_DOUBT:
            doubtful, note = doubtful[:0], f"{note}: more than the {MOST_IN_DOUBT} that are read beside column_stats"
        statistics = FileStatistics.of(len(left), doubt.read(left, doubtful))
        return Known(statistics, np.arange(len(left), dtype=np.int64), facts.of_slices(left), note)

    def _settled(self, left: Numbers, predicate: Predicate) -> npt.NDArray[np.bool_]:
        """Of which slices all that can be told of the predicate's columns is told."""
        told = [self._told.get(column) for column in columns_of(predicate) if column > 0]
        found = np.ones(len(left), np.bool_)
        for each in told:
            found &= False if each is None else each[left]
        return found

    def bounds(self, column: Column, numbers: Sequence[int]) -> list[Bounds]:
        """Least and greatest value of a column in these slices, from whatever source tells."""
        by_path = self._by_path(column, self.partition_of)
        if by_path is not None:
            return ranges(column, by_path, numbers)
        if self.snapshot.usable(COLUMN_STATS) is not None:
            return ranges(column, list(self._recorded.pieces(column)), numbers)
        some = np.array(numbers, np.int64)
        doubt = Doubt(self.heads, self._recorded, lambda *_: None)
        pieces = [Piece(some[piece.numbers], piece.statistics) for piece in doubt.read(some, some)(column)]
        return ranges(column, pieces, numbers)

    def version_of(self, slice: FileSlice, name: str) -> tuple[int, bool]:
        """The number of the schema version that a file of a slice was written under, and whether that is certain."""
        history = self.snapshot.history
        log = parse_log_file(name)
        if log is None:
            base = parse_base_file(name)
            instant = base.instant if base else slice.instant
            return history.number_at(instant), history.certain(instant)
        number, certain = history.number_at(log.instant), history.certain(log.instant)
        # In layout 1 a log file goes on collecting blocks of later commits.
        return number, certain and (self.snapshot.timeline.layout > 1 or number == len(history.schemas) - 1)
