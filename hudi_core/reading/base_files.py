"""Rows of base files, brought to a wanted schema by column id; row groups that cannot match are not read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hudi_core.columns.nodes import Bools
from hudi_core.engine import FileInfo
from hudi_core.evolve.reconcile import Default, Null, ReadRecord, reconcile
from hudi_core.expr.predicate import Column, Predicate
from hudi_core.planning.sources.footer_statistics import row_group_pieces
from hudi_core.planning.sources.slice_statistics import PartitionValues
from hudi_core.planning.sources.sources import Sources
from hudi_core.pruning.store import FileStatistics, StatisticsPart
from hudi_core.reading.selection import Selection
from hudi_core.rows.project import projection
from hudi_core.schema.project import project
from hudi_core.schema.schema import Path, Schema
from hudi_core.timeline.slices import FileSlice
from hudi_core.types import nodes as t

SMALL = 1 << 19
"""Bytes of a row group that is read once, whatever is asked of its rows: a second look costs more than it saves."""


@dataclass(frozen=True, slots=True)
class FilePlan:
    """How the files of one schema are read: which parts of their columns, and what makes wanted rows of them."""

    columns: list[Path]
    stored: Schema
    """That of these parts: the plan reads its rows."""
    plan: ReadRecord
    schemas: tuple[Schema, Schema]
    """That of the files and the wanted one: held, since plans are found by their identity."""


@dataclass(frozen=True, slots=True)
class RowRange:
    """Rows of a base file that are read together: `groups` are the parts of the file, None for all there is."""

    groups: Sequence[int] | None
    rows: int
    may_match: bool
    """No: no row matches as it stands there."""


@dataclass(frozen=True)
class BaseFiles:
    """Reads base files. Plans are made once for each schema that files have and each that is wanted."""

    sources: Sources
    _plans: dict[tuple[Schema, Schema], FilePlan] = field(default_factory=dict, repr=False, compare=False)

    def rows(
        self,
        slice: FileSlice,
        base: FileInfo,
        wanted: Schema,
        row_groups: Sequence[int] | None = None,
        keep: Bools | None = None,
    ) -> Iterator[Any]:
        """The engine's batches of the rows of the slice's base file, in file order, as rows of the wanted schema.

        `row_groups` are the parts of the file to read, None for all; `keep` has a flag for each of their rows, None gives all.
        Raises `UnsupportedError` for a format that the engine cannot read.
        """
        engine = self.sources.snapshot.engine
        reader = engine.reader(base.name.rpartition(".")[2])
        reading = self.reading(base, wanted)
        read = projection(self.with_path_values(reading.plan, slice), engine.values)
        for batch in reader.batches(self.sources.snapshot.storage, base, reading.columns, row_groups, keep):
            yield engine.rows.batch(read(engine.rows.root(batch)))

    def matching(self, slice: FileSlice, base: FileInfo, wanted: Selection, residual: Predicate) -> Iterator[Any]:
        """The rows of the slice's base file that match, as the wanted columns; no batch is without rows.

        Row groups whose statistics exclude a match are passed over. Of the others only the columns that the predicate looks
        at are read first, and then all wanted columns of the rows that match; all at once where most of the rows do, and where
        row groups are small.
        """
        for groups in self.possible(slice, base, residual):
            yield from self.matching_of(slice, base, wanted, residual, groups)

    def possible(self, slice: FileSlice, base: FileInfo, residual: Predicate) -> list[Sequence[int] | None]:
        """The row groups of the slice's base file whose statistics leave a match possible, each by itself; None is the file."""
        return [groups for groups, _, possible in self._parts(slice, base, residual) if possible]

    def matching_of(
        self, slice: FileSlice, base: FileInfo, wanted: Selection, residual: Predicate, groups: Sequence[int] | None
    ) -> Iterator[Any]:
        """As `matching`, of some row groups, whatever their statistics."""
        keep = None
        if self._looks_first(base, wanted):
            keep = wanted.flags(residual, self.rows(slice, base, wanted.looked_at, groups))
        if keep is None:
            yield from wanted.matching(residual, self.rows(slice, base, wanted.needed, groups))
        elif keep.any():
            yield from self.rows(slice, base, wanted.schema, groups, keep)

    def stretches(self, slice: FileSlice, base: FileInfo, wanted: Selection, residual: Predicate) -> Iterator[RowRange]:
        """All rows of the slice's base file, in file order. Whether one matches is looked up when its turn comes."""
        looks_at = wanted.looked_at
        narrow = self._looks_first(base, wanted)
        for groups, rows, possible in self._parts(slice, base, residual):
            match = possible and (not narrow or wanted.has_match(residual, self.rows(slice, base, looks_at, groups)))
            yield RowRange(groups, rows, match)

    def _parts(
        self, slice: FileSlice, base: FileInfo, residual: Predicate
    ) -> Iterator[tuple[Sequence[int] | None, int, bool]]:
        """The row groups of the file, the rows of each, and whether its statistics leave a match possible."""
        heads, table = self.sources.heads, self.sources.snapshot.schema
        footer = heads.footer(base)
        groups = footer.row_groups
        if not groups or (len(groups) == 1 and base.size <= SMALL):  # of the whole file planning knows as much
            yield None, footer.rows, True
            return
        stored = heads.stored_schema(footer, base.path)
        members = np.full(len(groups), self.sources.partition_number(slice), np.int64)

        def load(column: Column) -> Sequence[StatisticsPart]:
            by_path = PartitionValues(self.sources.values, members).pieces(column)
            return by_path or row_group_pieces(column, groups, stored, table)

        left = set(FileStatistics(len(groups), load).plan(residual).possible().tolist())
        for number, group in enumerate(groups):
            yield [number], group.rows, number in left

    def _looks_first(self, base: FileInfo, wanted: Selection) -> bool:
        """Whether the columns that the predicate looks at are read before the others."""
        is_large = base.size > SMALL * len(self.sources.heads.footer(base).row_groups)
        return is_large and len(wanted.looked_at.places) < len(wanted.needed.places)

    def reading(self, base: FileInfo, wanted: Schema) -> FilePlan:
        """How a base file's rows become rows of the wanted schema; the same object for all files of one schema."""
        return self.reading_of(self.sources.heads.stored_schema(self.sources.heads.footer(base), base.path), wanted)

    def reading_of(self, stored: Schema, wanted: Schema) -> FilePlan:
        """How rows of files with this schema become rows of the wanted one; the same object for the same two."""
        key = (stored, wanted)
        if key not in self._plans:
            self._plans[key] = _planned(stored, wanted)
        return self._plans[key]

    def with_path_values(self, plan: ReadRecord, slice: FileSlice) -> ReadRecord:
        """A partition column has the value its path tells, whatever the file holds; in the default partition it is null."""
        values = self.sources.values
        if not any(wanted.id in values for wanted in plan.wanted.fields):
            return plan
        partition = self.sources.partition_number(slice)
        sources = list(plan.fields)
        for position, wanted in enumerate(plan.wanted.fields):
            known = values[wanted.id][partition] if wanted.id in values else None
            if known is not None and known.lower is None:
                sources[position] = Null()
            elif known is not None and not known.nulls:
                sources[position] = Default(known.lower)
        return replace(plan, fields=tuple(sources))


def _planned(stored: Schema, wanted: Schema) -> FilePlan:
    ends = _ends(stored.record, wanted.record, ())
    part = project(stored, ends)
    return FilePlan(ends, part, reconcile(part, wanted, nulls_for_required=True), (stored, wanted))


def _ends(stored: t.Type, wanted: t.Type, path: Path) -> list[Path]:
    """Where in a stored type the values are that a wanted one needs: the ends of paths, below which all is needed.

    Fields are matched by id. A record of which nothing is wanted tells which rows have it, by any one of its fields.
    """
    if not _is_plain(stored) or not _is_plain(wanted):
        return [path]
    below = {each.id: each.type for each in t.children(wanted)}
    found = [
        end
        for each in t.children(stored)
        if each.id in below
        for end in _ends(each.type, below[each.id], (*path, each.name))
    ]
    return found or _first_end(stored, path)


def _first_end(of: t.Type, path: Path) -> list[Path]:
    inner = t.children(of) if _is_plain(of) else ()
    return _first_end(inner[0].type, (*path, inner[0].name)) if inner else [path] if path else []


def _is_plain(of: t.Type) -> bool:
    """Whether parts of the type can be read by themselves."""
    return isinstance(of, t.Array | t.Map) or (isinstance(of, t.Record) and of.kind is t.RecordKind.PLAIN)
