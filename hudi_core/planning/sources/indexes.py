"""Indexes with the slices of certain values: conditions on equality become facts that are false elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.errors import TableError
from hudi_core.expr.predicate import Column, OneOf, Predicate
from hudi_core.formats.secondary_key import secondary_file_group_index, secondary_prefix, split_secondary_key
from hudi_core.keys.from_keys import RecordKeys
from hudi_core.metadata.definitions import IndexDefinition
from hudi_core.metadata.kinds import SECONDARY, of_kind
from hudi_core.metadata.lookup import starting
from hudi_core.metadata.record_index import locations
from hudi_core.metadata.table import RECORD_INDEX, MetadataTable
from hudi_core.options import TableType
from hudi_core.planning.prune import Source, StatisticsAnswer
from hudi_core.planning.sources.conditions import ConditionColumns, Leaf, with_condition_columns
from hudi_core.planning.sources.file_headers import FileHeaders
from hudi_core.planning.sources.slice_statistics import ColumnStatsOfSlices
from hudi_core.planning.sources.stable_names import stable_column
from hudi_core.planning.sources.uniqueness import is_current, keys_of, rows_of
from hudi_core.pruning.store import FileStatistics
from hudi_core.schema.schema import Schema
from hudi_core.types.nodes import Date, Int, Long, String

Keys = frozenset[str]

MAX_RECORDS = 10_000
"""Records of a value that are placed one by one; a value of more is not rare enough to be looked up."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """Keys or values to look up in an index, and the condition on rows that they stand for."""

    keys: Keys
    condition: Predicate


class Index(Protocol):
    """An index that finds slices by values of a column."""

    @property
    def name(self) -> str: ...

    @property
    def unusable(self) -> str:
        """Why it may not be used; empty when it may."""
        ...

    @property
    def finds_keys(self) -> bool:
        """Whether it finds slices by record key."""
        ...

    def keys_of(self, leaf: OneOf) -> Keys | None:
        """The keys to look up for the condition; None when the index does not cover it."""
        ...

    def without(self, lookup: Lookup, slices: Numbers) -> Numbers:
        """Which of these slices hold none of the keys. Raises `TableError` when the index is damaged."""
        ...


@dataclass
class IndexLookups:
    """The lookups of one predicate in an index."""

    index: Index
    facts: ConditionColumns
    on_error: Callable[[TableError], None]
    lookups: dict[Keys, tuple[Lookup, Column]] = field(default_factory=dict)
    """The lookups, with the condition column of each."""

    def with_conditions(self, predicate: Predicate) -> Predicate:
        """The predicate with conditions that the index can decide replaced by columns of their truth."""

        def fact_for(leaf: Leaf) -> Column | None:
            keys = self.index.keys_of(leaf) if isinstance(leaf, OneOf) else None
            return None if keys is None else self.fact(Lookup(keys, leaf))

        return with_condition_columns(predicate, fact_for)

    def fact(self, lookup: Lookup) -> Column:
        """The fact that a row has one of the keys; the same one for the same keys."""
        if lookup.keys not in self.lookups:
            self.lookups[lookup.keys] = lookup, self.facts.new(self.index.name)
        return self.lookups[lookup.keys][1]

    def source(self) -> Source:
        """The index as a source."""
        if not self.lookups:
            return Source(self.index.name, None, "no condition on equality that it covers")
        return Source(self.index.name, lambda slices, _: self._open(slices))

    def _open(self, slices: Numbers) -> StatisticsAnswer:
        note = ""
        try:
            note = self.index.unusable
            for lookup, fact in self.lookups.values() if not note else ():
                self.facts.set_never_true(fact, self.index.without(lookup, slices))
        except TableError as error:
            self.on_error(error)
            note = "cannot be read"
        nothing = FileStatistics(len(slices), lambda _: ())
        return StatisticsAnswer(nothing, np.arange(len(slices), dtype=np.int64), self.facts.of_slices(slices), note)


@dataclass(frozen=True)
class RecordIndex:
    """The record index: in which file group each key is."""

    headers: FileHeaders
    metadata: MetadataTable
    recorded: Callable[[], ColumnStatsOfSlices]
    keys: RecordKeys
    name: str = RECORD_INDEX
    finds_keys: bool = True

    @cached_property
    def unusable(self) -> str:
        if not is_current(self.metadata, self.headers.snapshot.timeline):
            return "it is of another instant"
        key_count = keys_of(self.metadata, RECORD_INDEX)
        row_count = None if key_count is None else rows_of(self.headers, self.recorded())
        if key_count is None or row_count is None:
            return "it is not certain that each key is in one place"
        return "" if key_count == row_count else f"a key may be in several places: {key_count} keys, {row_count} rows"

    def keys_of(self, leaf: OneOf) -> Keys | None:
        return self.keys.of_column(leaf)

    def without(self, lookup: Lookup, slices: Numbers) -> Numbers:
        holding = self.holding(lookup.keys)
        return slices[:0] if holding is None else np.setdiff1d(slices, holding)

    def holding(self, keys: Keys) -> Numbers | None:
        """The slices that hold the keys; None when the index places one where no slice is."""
        places_of_keys = {location for _, location in locations(self.metadata.lookup(RECORD_INDEX, keys))}
        rows = [self._numbers.get((place.partition, place.file_id)) for place in places_of_keys]
        return None if None in rows else np.array(sorted(n for n in rows if n is not None), np.int64)

    @cached_property
    def _numbers(self) -> Mapping[tuple[str, str], int]:
        return {
            (file_slice.partition, file_slice.file_id): row
            for row, file_slice in enumerate(self.headers.snapshot.slices)
        }


@dataclass(frozen=True)
class SecondaryIndex:
    """A secondary index: the keys of the rows with each value of a column, which the record index then places.

    It holds what was written, not what merging made of it: slices with log files are never ruled out.
    """

    metadata: MetadataTable
    name: str
    column: int
    version: str
    records: RecordIndex
    is_one_of_several: bool = False
    """A merge-on-read table has other secondary indexes besides: Apache Hudi 1.2.0 keeps one of them up to date."""
    finds_keys: bool = False

    @cached_property
    def unusable(self) -> str:
        if self.is_one_of_several:
            return "one of several of a merge-on-read table, of which Apache Hudi keeps one"
        if self.records.unusable:
            return f"{RECORD_INDEX}: {self.records.unusable}"
        entry_count, key_count = keys_of(self.metadata, self.name), keys_of(self.metadata, RECORD_INDEX)
        return "" if entry_count == key_count else f"it is not whole: {entry_count} keys, {key_count} in {RECORD_INDEX}"

    def keys_of(self, leaf: OneOf) -> Keys | None:
        is_this = isinstance(leaf.term, Column) and leaf.term.id == self.column
        return frozenset(map(str, leaf.values)) if is_this else None

    def without(self, lookup: Lookup, slices: Numbers) -> Numbers:
        record_keys = self._records(lookup.keys)
        holding = self.records.holding(record_keys) if len(record_keys) <= MAX_RECORDS else None
        if holding is None:
            return slices[:0]
        all_slices = self.records.headers.snapshot.slices
        return np.array([row for row in np.setdiff1d(slices, holding).tolist() if not all_slices[row].logs], np.int64)

    def _records(self, values: Keys) -> frozenset[str]:
        """The keys of records with one of the values."""
        groups = self.metadata.slices(self.name)
        if self.version == "V1":  # the hash of a whole key chooses its file group
            values_by_group = dict.fromkeys(range(len(groups)), values)
        else:
            group_of_value = {value: secondary_file_group_index(value, len(groups)) for value in values}
            values_by_group = {
                place: frozenset(v for v in values if group_of_value[v] == place)
                for place in set(group_of_value.values())
            }
        record_keys: set[str] = set()
        self.metadata.expect_groups([groups[place] for place in values_by_group])
        for group, group_values in values_by_group.items():
            prefixes = [secondary_prefix(value).encode() for value in group_values]
            for key in starting(self.metadata.open_group(groups[group]), prefixes):
                record_keys.add(split_secondary_key(key.decode("utf-8", "replace"), self.name)[1])
        return frozenset(record_keys)


def secondary_indexes(
    metadata: MetadataTable,
    definitions: Mapping[str, IndexDefinition],
    wanted: Schema,
    versions: Sequence[Schema],
    records: RecordIndex,
) -> list[Index]:
    """The secondary indexes of columns whose values all writers spell alike: texts, whole numbers, dates (as day numbers)."""
    indexes: list[Index] = []
    merges = records.headers.snapshot.config.type is TableType.MERGE_ON_READ
    several = merges and len(of_kind(SECONDARY, metadata.partitions)) > 1
    for partition in of_kind(SECONDARY, definitions.keys() & metadata.partitions):
        definition = definitions[partition]
        if len(definition.columns) != 1:
            continue
        column = stable_column(definition.columns[0], wanted, versions)
        if column is not None and isinstance(column.field.type, String | Int | Long | Date):
            indexes.append(SecondaryIndex(metadata, partition, column.field.id, definition.version, records, several))
    return indexes
