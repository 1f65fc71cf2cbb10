"""`Scan`: a chosen read of a table at an instant: its plan, its rows, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from hudi_core.engine import Rows, ScanReader
from hudi_core.expr.nodes import Expr
from hudi_core.expr.predicate import Column, Predicate, columns_of
from hudi_core.expr.unknown import warnings_of
from hudi_core.expr.walk import conjuncts
from hudi_core.parallel.limits import READERS
from hudi_core.parallel.streams import read_ahead
from hudi_core.planning.conjuncts import Conjunct, bound_conjunct, whole
from hudi_core.planning.plan import ALL_MATCH, SKIP, ScanPlan
from hudi_core.planning.prune import prune
from hudi_core.planning.shares import Numbers, PrunedShare, RemotePruning, joined, pruning, records_to_read
from hudi_core.planning.sources.column_ranges import Bounds
from hudi_core.planning.sources.planner import PredicatePlanner
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.remote import RemoteScan, SliceRead, remote_scan
from hudi_core.reading.result import QueryResult
from hudi_core.reading.slices import SliceReader
from hudi_core.schema.meta import is_meta
from hudi_core.schema.project import project
from hudi_core.schema.schema import Schema
from hudi_core.types.nodes import Nested


@dataclass(frozen=True, slots=True)
class ScanOptions:
    """What a read is to give. `where` is settled: what the clock says stands in it (`expr.asked`)."""

    where: Expr | None = None
    columns: tuple[str, ...] | None = None
    limit: int | None = None
    meta: bool = True
    case_sensitive: bool = False


class Scan(QueryResult):
    """A read of a table. The predicate is bound and the columns are found when it is made; rows are read when asked for."""

    def __init__(self, sources: Sources, asked: ScanOptions, plan: ScanPlan | None = None) -> None:
        self._sources, self._asked, self._given_plan = sources, asked, plan
        self._snapshot = sources.snapshot
        self._conjuncts = [*_of_commits(sources), *_conjuncts(asked, self._snapshot.schema)]
        self.predicate = whole(self._conjuncts)
        self.schema = _wanted(asked, self._snapshot.schema)

    def __reduce__(self) -> tuple[type[Scan], tuple[Any, ...]]:
        """A copy has the plan, if it was made, and so reads the same files."""
        return Scan, (self._sources, self._asked, vars(self).get("plan", self._given_plan))

    @property
    def _rows(self) -> Rows[Any, Any, Any]:
        return self._snapshot.engine.rows

    @cached_property
    def plan(self) -> ScanPlan:
        """Which file slices are read, and what decided."""
        if self._given_plan is not None:
            return self._given_plan
        snapshot = self._snapshot
        asking = self._asking()
        found = prune(snapshot.slices, asking.conjuncts, asking.sources, asking.alternatives)
        return replace(found, warnings=(*self.warnings, *snapshot.warnings))

    @property
    def warnings(self) -> list[str]:
        """What the core does not know in the predicate, with the functions that come close; empty when it knows all."""
        return [text for conjunct in self._conjuncts for text in warnings_of(conjunct.tree, conjunct.predicate)]

    @property
    def sources(self) -> Sources:
        """What is known of the table at the scan's instant."""
        return self._sources

    @property
    def limit(self) -> int | None:
        """The greatest number of rows that is asked for."""
        return self._asked.limit

    def parts(self) -> list[SliceRead]:
        """The slices that are read, in order, to be read one by one, here or elsewhere."""
        return [SliceRead(self._snapshot.slices[number], self._residual(number) is not None) for number in self._kept]

    def pruning(self) -> RemotePruning | None:
        """What other machines need to prune shares of the slices; None where an index is asked, which has to know them all."""
        by_index = {index.name for index in self._sources.indexes}
        if any(source.open is not None and source.name in by_index for source in self._asking().sources):
            return None
        return pruning(self._sources, self._conjuncts, case_sensitive=self._asked.case_sensitive)

    def records_to_read(self) -> int:
        """How many records of `column_stats` planning here reads."""
        return records_to_read(self._sources, self._conjuncts)

    def with_shares(self, cut: Sequence[Numbers], found: Sequence[PrunedShare], note: str) -> Scan:
        """The scan with the plan that its shares make together. `note` says how `column_stats` were read. Reasons are
        found here when they are asked for."""
        plan = joined(self._snapshot.slices, cut, found, lambda: self.plan.reasons, note)
        warnings = (*self.warnings, *plan.warnings)
        return Scan(self._sources, self._asked, replace(plan, alone=lambda: self.plan.alone(), warnings=warnings))

    def remote_scan(self) -> RemoteScan:
        """What reading parts of this scan on another machine needs."""
        return remote_scan(self._snapshot, self.schema, self.predicate)

    def explain(self) -> str:
        """The plan in lines for people: what each step removed, and how many slices are left."""
        said = [
            f"{step.source}: {step.removed:,} of {step.before:,} removed{f' ({step.note})' if step.note else ''}"
            for step in self.plan.steps
        ]
        return "\n".join([*said, f"{len(self.plan.kept()):,} of {len(self.plan.slices):,} file slices are read"])

    def conjuncts(self) -> list[dict[str, Any]]:
        """For each part of the predicate's AND the number of slices it would skip by itself, as far as the plan's own
        knowledge tells: files that were not read for the plan are not read for this."""
        return [{"condition": said, "would_skip_alone": count} for said, count in self.plan.alone()]

    def _asking(self) -> PredicatePlanner:
        return PredicatePlanner(self._sources, self._conjuncts, self._asked.case_sensitive)

    def column_ranges(self, slice_numbers: Sequence[int]) -> list[tuple[Column, list[Bounds]]]:
        """For each column of the predicate that is not nested, the ranges of its values in these file slices of the plan."""
        columns = columns_of(self.predicate).values()
        return [
            (column, self._sources.bounds(column, slice_numbers))
            for column in columns
            if not isinstance(column.type, Nested)
        ]

    def batches(self) -> Iterator[Any]:
        """The engine's batches of matching rows, slice after slice, bounded in size.

        Slices, or row groups where there are few, are read side by side, a few batches ahead. With a limit one is read after
        the other, and none after the last row that is asked for. An engine that reads scans as a whole does that, and gives
        rows in no order.
        """
        engine = self._snapshot.engine
        if isinstance(engine, ScanReader):
            return engine.read_scan(self)
        if self._asked.limit is None:
            return self._side_by_side()
        return self._limited(self._asked.limit)

    def _side_by_side(self) -> Iterator[Any]:
        kept = self._kept
        streams: list[Callable[[], Iterator[Any]]] = [partial(self._of_slice, number) for number in kept]
        if len(kept) < READERS:  # then row groups are
            slices, reader = self._snapshot.slices, self._reader
            streams = [part for number in kept for part in reader.parts(slices[number], self._residual(number))]
        yield from read_ahead(streams)

    def _limited(self, left: int) -> Iterator[Any]:
        rows = self._snapshot.engine.rows
        for number in self._kept if left else ():
            for batch in self._of_slice(number):
                cut = rows.head(batch, left)
                left -= rows.count(cut)
                yield cut
                if left == 0:
                    return

    @property
    def _kept(self) -> list[int]:
        """The numbers of the slices that are read."""
        return [int(number) for number in np.flatnonzero(self.plan.codes != SKIP)]

    def count(self) -> int:
        """The number of matching rows, at most the limit. Rows are read only where a predicate is left to look at them, or
        where files are to be merged."""
        found = sum(self.counts())
        return found if self._asked.limit is None else min(found, self._asked.limit)

    def counts(self) -> list[int]:
        """Matching rows of each slice that is read, in order, whatever the limit."""
        told = [
            number for number in self._kept if self._residual(number) is None and not self._snapshot.slices[number].logs
        ]
        bases = {number: base for number in told if (base := self._snapshot.slices[number].base)}
        footers = self._sources.headers.footers(list(bases.values()))
        rows = {number: footers[base.path].rows for number, base in bases.items() if base.path in footers}
        others = [number for number in self._kept if number not in rows]
        rows.update(zip(others, read_ahead([partial(self._counted, number) for number in others]), strict=True))
        return [rows[number] for number in self._kept]

    def _counted(self, number: int) -> Iterator[int]:
        found = self._row_counter.read(self._snapshot.slices[number], self._residual(number))
        yield sum(map(self._snapshot.engine.rows.count, found))

    def _of_slice(self, number: int) -> Iterator[Any]:
        return self._reader.read(self._snapshot.slices[number], self._residual(number))

    def _residual(self, number: int) -> Predicate | None:
        """What rows of a slice have to be asked."""
        every = self.plan.codes[number] == ALL_MATCH
        return None if every or not self._conjuncts else self.predicate

    @cached_property
    def _reader(self) -> SliceReader:
        return SliceReader(self._sources, self.schema, self.predicate)

    @cached_property
    def _row_counter(self) -> SliceReader:
        return SliceReader(self._sources, project(self._snapshot.schema, []), self.predicate)


def _of_commits(sources: Sources) -> list[Conjunct]:
    """The condition that rows are of the commits asked for, before all others: it is the reason to be told."""
    return [] if sources.commits is None else [sources.commits.condition(sources.snapshot.schema)]


def _conjuncts(asked: ScanOptions, schema: Schema) -> list[Conjunct]:
    if asked.where is None:
        return []
    return [bound_conjunct(part, schema, case_sensitive=asked.case_sensitive) for part in conjuncts(asked.where)]


def _wanted(asked: ScanOptions, schema: Schema) -> Schema:
    if asked.columns is not None:
        return project(schema, asked.columns, case_sensitive=asked.case_sensitive, as_asked=True)
    if asked.meta:
        return schema
    return project(schema, [(field.name,) for field in schema.fields if not is_meta(field.name)])
