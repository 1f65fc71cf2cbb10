"""Rows of base files, brought to a wanted schema by column id."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from hudi_core.engine import FileInfo
from hudi_core.evolve.reconcile import Default, Keep, Null, ReadRecord, reconcile
from hudi_core.rows.project import projection
from hudi_core.schema.schema import Schema
from hudi_core.table.sources.sources import Sources
from hudi_core.timeline.slices import FileSlice


@dataclass(frozen=True, slots=True)
class _FileReading:
    """How the files of one schema are read: which of their columns, and what makes wanted rows of them."""

    columns: list[str]
    plan: ReadRecord
    wanted: Schema
    """Held, since plans are found by its identity."""


@dataclass(frozen=True)
class BaseFiles:
    """Reads base files. Plans are made once for each schema that files have and each that is wanted."""

    sources: Sources
    _plans: dict[tuple[int, int], _FileReading] = field(default_factory=dict, repr=False, compare=False)

    def rows(self, slice: FileSlice, base: FileInfo, wanted: Schema) -> Iterator[Any]:
        """The engine's batches of all rows of the slice's base file, in file order, as rows of the wanted schema.

        Raises `UnsupportedError` for a format that the engine cannot read.
        """
        engine = self.sources.snapshot.engine
        reader = engine.reader(base.name.rpartition(".")[2])
        reading = self._reading(base, wanted)
        read = projection(self._with_path_values(reading.plan, slice), engine.values)
        for batch in reader.batches(self.sources.snapshot.storage, base, reading.columns):
            yield engine.rows.batch(read(engine.rows.root(batch)))

    def _reading(self, base: FileInfo, wanted: Schema) -> _FileReading:
        stored = self.sources.heads.stored_schema(self.sources.heads.footer(base), base.path)
        key = (id(stored), id(wanted))
        if key not in self._plans:
            self._plans[key] = _planned(stored, wanted)
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


def _planned(stored: Schema, wanted: Schema) -> _FileReading:
    ids = {each.id for each in wanted.fields}
    # A reader of no column at all could not tell how many rows there are.
    fields = tuple(each for each in stored.fields if each.id in ids) or stored.fields[:1]
    part = replace(stored, record=replace(stored.record, fields=fields))
    return _FileReading([each.name for each in fields], reconcile(part, wanted, nulls_for_required=True), wanted)
