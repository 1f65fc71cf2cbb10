"""Indexes that know in which slices certain values are: conditions on equality become facts that are false elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from hudi_core.errors import TableError
from hudi_core.expr.predicate import Column, OneOf, Predicate
from hudi_core.metadata.record_index import locations
from hudi_core.metadata.table import RECORD_INDEX, MetadataTable
from hudi_core.stats.store import FileStatistics
from hudi_core.table.facts import Facts, Leaf, said_with_facts
from hudi_core.table.heads import Heads
from hudi_core.table.keys import RecordKeys
from hudi_core.table.knowledge import Numbers, RecordedKnowledge
from hudi_core.table.prune import Known, Source
from hudi_core.table.uniqueness import is_current, keys_of, rows_of

Keys = frozenset[str]


class Index(Protocol):
    """An index that finds slices by values of a column."""

    @property
    def name(self) -> str: ...

    @property
    def unusable(self) -> str:
        """Why it may not be used; empty when it may."""
        ...

    @property
    def knows_keys(self) -> bool:
        """It finds slices by record key."""
        ...

    def asks(self, leaf: OneOf) -> Keys | None:
        """What to look up for the condition; None when the index knows nothing of it."""
        ...

    def without(self, keys: Keys, left: Numbers) -> Numbers:
        """Which of these slices hold none of the keys. Raises `TableError` when the index is damaged."""
        ...


@dataclass
class Lookups:
    """What one predicate asks of an index."""

    index: Index
    facts: Facts
    set_aside: Callable[[TableError], None]
    asked: dict[Column, Keys] = field(default_factory=dict)

    def said(self, predicate: Predicate) -> Predicate:
        """The predicate with conditions that the index knows said as facts."""

        def fact_for(leaf: Leaf) -> Column | None:
            keys = self.index.asks(leaf) if isinstance(leaf, OneOf) else None
            return None if keys is None else self.fact(keys)

        return said_with_facts(predicate, fact_for)

    def fact(self, keys: Keys) -> Column:
        """The fact that a row has one of the keys."""
        found = self.facts.new(self.index.name)
        self.asked[found] = keys
        return found

    def source(self) -> Source:
        """The index as a source."""
        if not self.asked:
            return Source(self.index.name, None, "no condition on equality that it knows")
        return Source(self.index.name, lambda left, _: self._open(left))

    def _open(self, left: Numbers) -> Known:
        note = ""
        try:
            note = self.index.unusable
            for fact, keys in self.asked.items() if not note else ():
                self.facts.tell_never(fact, self.index.without(keys, left))
        except TableError as error:
            self.set_aside(error)
            note = "cannot be read"
        nothing = FileStatistics.of(len(left), lambda _: ())
        return Known(nothing, np.arange(len(left), dtype=np.int64), self.facts.of_slices(left), note)


@dataclass(frozen=True)
class RecordIndex:
    """The record index: in which file group each key is."""

    heads: Heads
    metadata: MetadataTable
    recorded: Callable[[], RecordedKnowledge]
    keys: RecordKeys
    name: str = RECORD_INDEX
    knows_keys: bool = True

    @cached_property
    def unusable(self) -> str:
        if not is_current(self.metadata, self.heads.snapshot.timeline):
            return "it tells of another instant"
        known = keys_of(self.metadata, RECORD_INDEX)
        rows = None if known is None else rows_of(self.heads, self.recorded())
        if known is None or rows is None:
            return "it is not certain that each key is in one place"
        return "" if known == rows else f"a key may be in several places: {known} keys, {rows} rows"

    def asks(self, leaf: OneOf) -> Keys | None:
        return self.keys.of_column(leaf)

    def without(self, keys: Keys, left: Numbers) -> Numbers:
        holding = self.holding(keys)
        return left[:0] if holding is None else np.setdiff1d(left, holding)

    def holding(self, keys: Keys) -> Numbers | None:
        """The slices that hold the keys; None when one is said to be where no slice is."""
        places = {location for _, location in locations(self.metadata.lookup(RECORD_INDEX, keys))}
        numbers = [self._numbers.get((place.partition, place.file_id)) for place in places]
        return None if None in numbers else np.array(sorted(n for n in numbers if n is not None), np.int64)

    @cached_property
    def _numbers(self) -> Mapping[tuple[str, str], int]:
        return {(each.partition, each.file_id): number for number, each in enumerate(self.heads.snapshot.slices)}
