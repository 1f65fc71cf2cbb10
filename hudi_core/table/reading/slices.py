"""Rows of file slices: base files read, brought to the wanted schema by column id, and filtered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from hudi_core.engine import FileInfo, Footer
from hudi_core.errors import UnsupportedError
from hudi_core.evolve.reconcile import Default, Keep, Null, ReadRecord, reconcile
from hudi_core.expr.predicate import Predicate, columns_of
from hudi_core.rows.project import projection
from hudi_core.rows.truth import is_true
from hudi_core.schema.schema import Schema
from hudi_core.table.sources.sources import Sources
from hudi_core.timeline.slices import FileSlice


@dataclass(frozen=True, slots=True)
class _FileReading:
    """How the files of one schema are read: which of their columns, and what makes wanted rows of them."""

    columns: list[str]
    plan: ReadRecord


@dataclass(frozen=True)
class SliceReader:
    """Reads slices as rows of the wanted schema. Plans are made once for each schema that files have."""

    sources: Sources
    wanted: Schema
    predicate: Predicate
    _plans: dict[tuple[int, bool], _FileReading] = field(default_factory=dict, repr=False, compare=False)

    def read(self, slice: FileSlice, residual: Predicate | None) -> Iterator[Any]:
        """The engine's batches of the slice's rows, those that match `residual` if there is one.

        Raises `UnsupportedError` for a slice with log files, and for a format that the engine cannot read.
        """
        if slice.logs or slice.base is None:
            where = f"{slice.partition}/{slice.file_id}".lstrip("/")
            raise UnsupportedError(where, expected="a base file alone", found=f"{len(slice.logs)} log files to merge")
        snapshot = self.sources.snapshot
        engine, base = snapshot.engine, slice.base
        reader = engine.reader(base.name.rpartition(".")[2])
        reading = self._reading(base, self.sources.heads.footer(base), residual is not None)
        read = projection(self._with_path_values(reading.plan, slice), engine.values)
        for batch in reader.batches(snapshot.storage, base, reading.columns):
            root = read(engine.rows.root(batch))
            if residual is not None:
                mask = is_true(residual, engine.values, root, self._needed)
                kept = engine.rows.filter(engine.rows.batch(root), mask)
                if not engine.rows.count(kept):
                    continue
                root = self._narrow(engine.rows.root(kept))
            yield engine.rows.batch(root)

    @cached_property
    def _needed(self) -> Schema:
        """The wanted columns and, whole, those that the predicate looks at and that are not wanted, or not all of them."""
        table = self.sources.snapshot.schema
        chosen = {each.id: each for each in self.wanted.fields}
        for column in columns_of(self.predicate):
            if column not in self.wanted.places:
                top = table.fields[table.place(column).positions[0]]
                chosen[top.id] = top
        return replace(self.wanted, record=replace(self.wanted.record, fields=tuple(chosen.values())))

    @cached_property
    def _narrow(self) -> Callable[[Any], Any]:
        """Rows of what is needed to rows of what is wanted."""
        return projection(reconcile(self._needed, self.wanted), self.sources.snapshot.engine.values)

    def _reading(self, base: FileInfo, footer: Footer, filtered: bool) -> _FileReading:
        stored = self.sources.heads.stored_schema(footer, base.path)
        key = (id(stored), filtered)
        if key not in self._plans:
            self._plans[key] = _planned(stored, self._needed if filtered else self.wanted)
        return self._plans[key]

    def _with_path_values(self, plan: ReadRecord, slice: FileSlice) -> ReadRecord:
        """Partition columns that the file leaves out come from its path; in the default partition they are null."""
        values = self.sources.values
        if not any(wanted.id in values for wanted in plan.wanted.fields):
            return plan
        partition = self.sources.partition_number(slice)
        sources = list(plan.fields)
        for position, wanted in enumerate(plan.wanted.fields):
            known = values[wanted.id][partition] if wanted.id in values else None
            if known is not None and known.low is None:
                sources[position] = Null()
            elif known is not None and not known.nulls and not isinstance(sources[position], Keep):
                sources[position] = Default(known.low)
        return replace(plan, fields=tuple(sources))


def _planned(stored: Schema, needed: Schema) -> _FileReading:
    ids = {each.id for each in needed.fields}
    # A reader of no column at all could not tell how many rows there are.
    fields = tuple(each for each in stored.fields if each.id in ids) or stored.fields[:1]
    part = replace(stored, record=replace(stored.record, fields=fields))
    return _FileReading([each.name for each in fields], reconcile(part, needed, nulls_for_required=True))
