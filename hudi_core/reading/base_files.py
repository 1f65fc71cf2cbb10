"""Rows of base files, brought to a wanted schema by column id; row groups that cannot match are not read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hudi_core.arrays import Bools
from hudi_core.engine import FileInfo, OpenedFile
from hudi_core.evolve.reconcile import AsStored, Default, Keep, Null, ReadRecord, reconcile
from hudi_core.expr.predicate import Column, Predicate
from hudi_core.planning.sources.footer_statistics import row_group_pieces
from hudi_core.planning.sources.slice_statistics import PartitionValues
from hudi_core.planning.sources.sources import Sources
from hudi_core.portable import Portable
from hudi_core.pruning.store import FileStatistics, StatisticsPart
from hudi_core.reading.selection import Selection
from hudi_core.rows.project import projection
from hudi_core.schema.project import project
from hudi_core.schema.schema import Path, Schema
from hudi_core.timeline.slices import FileSlice
from hudi_core.types import nodes as t

SMALL_ROW_GROUP_BYTES = 1 << 19
"""Row groups up to this size are read once, filtered or not: reading them in two steps costs more than it saves."""


@dataclass(frozen=True, slots=True)
class FilePlan:
    """How files of one schema are read: the columns to read, and the plan that converts them to the wanted schema."""

    columns: list[Path]
    stored: Schema
    """The schema of these columns, the input of the plan."""
    plan: ReadRecord
    schemas: tuple[Schema, Schema]
    """The schema of the files, and the wanted schema."""


@dataclass(frozen=True, slots=True)
class RowRange:
    """Rows of a base file that are read together: `groups` are the numbers of row groups, None is the whole file."""

    groups: Sequence[int] | None
    rows: int
    may_match: bool
    """False: no row matches as the base file has it."""


@dataclass(frozen=True, slots=True)
class OpenedBaseFile:
    """A base file and how its rows become rows of the wanted schema.

    `projection` makes them of rows as they are stored. It is the same object for all files that are read alike.
    """

    file: OpenedFile[Any]
    plan: FilePlan
    projection: Callable[[Any], Any]

    @property
    def as_stored(self) -> frozenset[str]:
        """The columns that rows have as they are stored, under the same name."""
        stored, plan = self.plan.stored.fields, self.plan.plan
        return frozenset(
            wanted.name
            for wanted, source in zip(plan.wanted.fields, plan.fields, strict=True)
            if isinstance(source, Keep)
            and isinstance(source.reading, AsStored)
            and stored[source.position].name == wanted.name
        )

    def batches(self, row_groups: Sequence[int] | None = None, keep: Bools | None = None) -> Iterator[Any]:
        """The engine's batches of the rows as they are stored, in the needed columns. Parameters as for `BaseFiles.rows`."""
        return self.file.batches(self.plan.columns, row_groups, keep)


@dataclass(frozen=True)
class BaseFiles(Portable):
    """Reads base files. There is one plan for each pair of a stored and a wanted schema."""

    sources: Sources
    _plans: dict[tuple[Schema, Schema], FilePlan] = field(default_factory=dict, repr=False, compare=False)
    _projections: dict[tuple[Schema, Schema, int], Callable[[Any], Any]] = field(
        default_factory=dict, repr=False, compare=False
    )
    """By the schema of the files, the wanted schema, and the number of the partition where its values count, else -1."""

    def rows(
        self,
        slice: FileSlice,
        base: FileInfo,
        wanted: Schema,
        row_groups: Sequence[int] | None = None,
        keep: Bools | None = None,
    ) -> Iterator[Any]:
        """The engine's batches of the rows of the slice's base file, in file order, as rows of the wanted schema.

        `row_groups` are the row groups to read, None is all; `keep` has a flag for each of their rows, None keeps all.
        Raises `UnsupportedError` for a format that the engine cannot read.
        """
        yield from self.rows_of(self.open(slice, base, wanted), row_groups, keep)

    def rows_of(
        self, file: OpenedBaseFile, row_groups: Sequence[int] | None = None, keep: Bools | None = None
    ) -> Iterator[Any]:
        """As `rows`, of an opened file."""
        rows = self.sources.snapshot.engine.rows
        for batch in file.batches(row_groups, keep):
            yield rows.batch(file.projection(rows.root(batch)))

    def open(self, slice: FileSlice, base: FileInfo, wanted: Schema) -> OpenedBaseFile:
        """The slice's base file, opened to be read as rows of the wanted schema."""
        headers = self.sources.headers
        file = headers.open_file(base)
        stored = headers.read_stored_schema(file.footer, base.path)
        file_plan = self.plan_of(stored, wanted)
        return OpenedBaseFile(file, file_plan, self._projection(file_plan, slice))

    def matching(self, slice: FileSlice, base: FileInfo, wanted: Selection, residual: Predicate) -> Iterator[Any]:
        """The rows of the slice's base file that match, as the wanted columns; no batch is without rows.

        Row groups whose statistics exclude a match are skipped. Of the others the columns of the predicate are read first,
        and then all wanted columns of the rows that match; all columns at once where most rows match or row groups are small.
        """
        for groups in self.possible_row_groups(slice, base, residual):
            yield from self.matching_in(slice, base, wanted, residual, groups)

    def possible_row_groups(self, slice: FileSlice, base: FileInfo, residual: Predicate) -> list[Sequence[int] | None]:
        """The row groups of the slice's base file in which a row may match, one per item; None is the whole file."""
        return [groups for groups, _, possible in self._row_groups(slice, base, residual) if possible]

    def matching_in(
        self, slice: FileSlice, base: FileInfo, wanted: Selection, residual: Predicate, groups: Sequence[int] | None
    ) -> Iterator[Any]:
        """As `matching`, in these row groups, whatever their statistics."""
        keep = None
        if self._filters_first(base, wanted):
            keep = wanted.flags(residual, self.rows(slice, base, wanted.predicate_columns, groups))
        if keep is None:
            yield from wanted.matching(residual, self.rows(slice, base, wanted.needed, groups))
        elif keep.any():
            yield from self.rows(slice, base, wanted.schema, groups, keep)

    def row_ranges(
        self, slice: FileSlice, base: FileInfo, wanted: Selection, residual: Predicate
    ) -> Iterator[RowRange]:
        """All rows of the slice's base file, in file order. Whether a row matches is computed when its range is drawn."""
        predicate_columns = wanted.predicate_columns
        narrow = self._filters_first(base, wanted)
        for groups, rows, possible in self._row_groups(slice, base, residual):
            match = possible and (
                not narrow or wanted.has_match(residual, self.rows(slice, base, predicate_columns, groups))
            )
            yield RowRange(groups, rows, match)

    def _row_groups(
        self, slice: FileSlice, base: FileInfo, residual: Predicate
    ) -> Iterator[tuple[Sequence[int] | None, int, bool]]:
        """The row groups of the file, their numbers of rows, and whether by their statistics a row may match."""
        headers, table = self.sources.headers, self.sources.snapshot.schema
        footer = headers.footer(base)
        groups = footer.row_groups
        # A small file of one row group was decided on as a whole, in planning.
        if not groups or (len(groups) == 1 and base.size <= SMALL_ROW_GROUP_BYTES):
            yield None, footer.rows, True
            return
        stored = headers.read_stored_schema(footer, base.path)
        members = np.full(len(groups), self.sources.partition_number(slice), np.int64)

        def load(column: Column) -> Sequence[StatisticsPart]:
            by_path = PartitionValues(self.sources.values, members).pieces(column)
            return by_path or row_group_pieces(column, groups, stored, table)

        possible = set(FileStatistics(len(groups), load).plan(residual).possible().tolist())
        for index, group in enumerate(groups):
            yield [index], group.rows, index in possible

    def _filters_first(self, base: FileInfo, wanted: Selection) -> bool:
        """Whether the columns of the predicate are read before the others."""
        is_large = base.size > SMALL_ROW_GROUP_BYTES * len(self.sources.headers.footer(base).row_groups)
        return is_large and len(wanted.predicate_columns.places) < len(wanted.needed.places)

    def plan_of(self, stored: Schema, wanted: Schema) -> FilePlan:
        """The plan that reads files of a stored schema as rows of the wanted schema; the same object for the same two."""
        key = (stored, wanted)
        if key not in self._plans:
            self._plans[key] = _plan(stored, wanted)
        return self._plans[key]

    def _projection(self, file_plan: FilePlan, slice: FileSlice) -> Callable[[Any], Any]:
        """The function that reads rows of the slice's base file by a plan."""
        values, partition = self.sources.values, -1
        if values and any(wanted.id in values for wanted in file_plan.plan.wanted.fields):
            partition = self.sources.partition_number(slice)
        key = (*file_plan.schemas, partition)
        if key not in self._projections:
            plan = self.with_path_values(file_plan.plan, slice)
            self._projections[key] = projection(plan, self.sources.snapshot.engine.values)
        return self._projections[key]

    def with_path_values(self, plan: ReadRecord, slice: FileSlice) -> ReadRecord:
        """The plan with partition columns read from the partition path, whatever the file holds; null in the default
        partition. Raises `UnsupportedError` for one that neither has."""
        values = self.sources.values
        if not any(wanted.id in values for wanted in plan.wanted.fields):
            return plan
        partition = self.sources.partition_number(slice)
        sources = list(plan.fields)
        for position, wanted in enumerate(plan.wanted.fields):
            bounds = values[wanted.id][partition] if wanted.id in values else None
            if bounds is not None and bounds.lower is None:
                sources[position] = Null()
            elif bounds is not None and not bounds.nulls:
                sources[position] = Default(bounds.lower)
            elif bounds is None and not isinstance(sources[position], Keep):
                self.sources.refuse_lost_values([wanted.id])
        return replace(plan, fields=tuple(sources))


def _plan(stored: Schema, wanted: Schema) -> FilePlan:
    leaves = _leaf_paths(stored.record, wanted.record, ())
    part_schema = project(stored, leaves)
    return FilePlan(leaves, part_schema, reconcile(part_schema, wanted, nulls_for_required=True), (stored, wanted))


def _leaf_paths(stored: t.Type, wanted: t.Type, path: Path) -> list[Path]:
    """The paths to read in a stored type for a wanted type, each with all that is below it.

    Fields are matched by id. Of a record without a wanted field one field is read: it shows which rows have the record.
    """
    if not _is_plain(stored) or not _is_plain(wanted):
        return [path]
    wanted_types = {field.id: field.type for field in t.children(wanted)}
    leaves = [
        leaf
        for field in t.children(stored)
        if field.id in wanted_types
        for leaf in _leaf_paths(field.type, wanted_types[field.id], (*path, field.name))
    ]
    return leaves or _first_leaf(stored, path)


def _first_leaf(stored: t.Type, path: Path) -> list[Path]:
    children = t.children(stored) if _is_plain(stored) else ()
    return _first_leaf(children[0].type, (*path, children[0].name)) if children else [path] if path else []


def _is_plain(schema_type: t.Type) -> bool:
    """Whether fields of the type can be read alone."""
    return isinstance(schema_type, t.Array | t.Map) or (
        isinstance(schema_type, t.Record) and schema_type.kind is t.RecordKind.PLAIN
    )
