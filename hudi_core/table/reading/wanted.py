"""What a query wants of rows: the columns to give, those its predicate looks at, and the rows that match."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from hudi_core.engine import Engine
from hudi_core.evolve.reconcile import reconcile
from hudi_core.expr.predicate import Predicate, columns_of
from hudi_core.rows.project import projection
from hudi_core.rows.truth import is_true
from hudi_core.schema.schema import Schema


@dataclass(frozen=True)
class Wanted:
    """Columns of the table's schema, and a predicate on any of its columns."""

    engine: Engine[Any, Any, Any]
    table: Schema
    schema: Schema
    predicate: Predicate

    @cached_property
    def needed(self) -> Schema:
        """The wanted columns and, whole, those that the predicate looks at and that are not wanted, or not all of them."""
        chosen = {each.id: each for each in self.schema.fields}
        for column in columns_of(self.predicate):
            if column not in self.schema.places:
                top = self.table.fields[self.table.place(column).positions[0]]
                chosen[top.id] = top
        return replace(self.schema, record=replace(self.schema.record, fields=tuple(chosen.values())))

    def matching(self, residual: Predicate, batches: Iterator[Any]) -> Iterator[Any]:
        """Of batches of the needed columns the rows that match, as the wanted columns; no batch is without rows."""
        engine = self.engine
        for batch in batches:
            mask = is_true(residual, engine.values, engine.rows.root(batch), self.needed)
            kept = engine.rows.filter(batch, mask)
            if engine.rows.count(kept):
                yield engine.rows.batch(self._narrow(engine.rows.root(kept)))

    @cached_property
    def _narrow(self) -> Callable[[Any], Any]:
        """Rows of what is needed to rows of what is wanted."""
        return projection(reconcile(self.needed, self.schema), self.engine.values)
