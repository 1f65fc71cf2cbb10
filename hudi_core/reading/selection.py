"""What a query wants of rows: the columns to give, those its predicate looks at, and the rows that match."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hudi_core.columns.nodes import Bools
from hudi_core.engine import Engine
from hudi_core.evolve.reconcile import reconcile
from hudi_core.expr.predicate import Predicate, columns_of
from hudi_core.rows.project import projection
from hudi_core.rows.truth import is_true
from hudi_core.schema.project import project
from hudi_core.schema.schema import Path, Schema
from hudi_core.types.nodes import children


@dataclass(frozen=True)
class Selection:
    """Columns of the table's schema, and a predicate on any of its columns."""

    engine: Engine[Any, Any, Any]
    table: Schema
    schema: Schema
    predicate: Predicate

    @cached_property
    def needed(self) -> Schema:
        """The wanted columns and those that the predicate looks at, in the order of the table."""
        return project(self.table, [*_ends(self.schema), *_ends(self.looked_at)])

    def rows_of(self, *, asked: bool) -> Schema:
        """What is read of files whose rows are to be asked the predicate, or are not."""
        return self.needed if asked else self.schema

    @cached_property
    def looked_at(self) -> Schema:
        """The columns that the predicate looks at, and nothing else."""
        return project(self.table, [self.table.place(column).path for column in columns_of(self.predicate)])

    def has_match(self, residual: Predicate, batches: Iterator[Any]) -> bool:
        """Whether any row of batches of the columns looked at matches; batches are taken up to the first that has one."""
        engine = self.engine
        return any(
            engine.rows.count(engine.rows.filter(batch, self._mask(residual, batch, self.looked_at)))
            for batch in batches
        )

    def flags(self, residual: Predicate, batches: Iterator[Any]) -> Bools | None:
        """Of batches of the columns looked at, whether each row matches; None as soon as most rows so far do."""
        engine = self.engine
        found: list[Bools] = []
        rows = matches = 0
        for batch in batches:
            found.append(engine.rows.flags(self._mask(residual, batch, self.looked_at)))
            rows, matches = rows + len(found[-1]), matches + int(found[-1].sum())
            if matches * 2 > rows:
                return None
        return np.concatenate(found) if found else np.zeros(0, np.bool_)

    def matching(self, residual: Predicate, batches: Iterator[Any]) -> Iterator[Any]:
        """Of batches of the needed columns the rows that match, as the wanted columns; no batch is without rows."""
        engine = self.engine
        for batch in batches:
            kept = engine.rows.filter(batch, self._mask(residual, batch, self.needed))
            if engine.rows.count(kept):
                yield engine.rows.batch(self._narrow(engine.rows.root(kept)))

    def _mask(self, residual: Predicate, batch: Any, schema: Schema) -> Any:
        return is_true(residual, self.engine.values, self.engine.rows.root(batch), schema)

    @cached_property
    def _narrow(self) -> Callable[[Any], Any]:
        """Rows of what is needed to rows of what is wanted."""
        return projection(reconcile(self.needed, self.schema), self.engine.values)


def _ends(schema: Schema) -> list[Path]:
    """The columns that hold no others."""
    return [place.path for place in schema.places.values() if not children(place.field.type)]
