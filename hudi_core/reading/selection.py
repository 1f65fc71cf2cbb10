"""The columns and rows that a query selects: wanted columns, columns of its predicate, and the rows that match."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hudi_core.arrays import Bools
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
        """The wanted columns and those of the predicate, in the order of the table."""
        return project(self.table, [*_leaf_paths(self.schema), *_leaf_paths(self.predicate_columns)])

    def schema_to_read(self, *, filtered: bool) -> Schema:
        """The columns to read of files whose rows are filtered, or are not."""
        return self.needed if filtered else self.schema

    @cached_property
    def predicate_columns(self) -> Schema:
        """The columns of the predicate alone."""
        return project(self.table, [self.table.place(column).path for column in columns_of(self.predicate)])

    def has_match(self, residual: Predicate, batches: Iterator[Any]) -> bool:
        """Whether any row matches, in batches of the predicate's columns; they are drawn up to the first match."""
        engine = self.engine
        return any(
            engine.rows.count(engine.rows.filter(batch, self._mask(residual, batch, self.predicate_columns)))
            for batch in batches
        )

    def flags(self, residual: Predicate, batches: Iterator[Any]) -> Bools | None:
        """For each row of batches of the predicate's columns whether it matches; None as soon as most rows so far match."""
        engine = self.engine
        masks: list[Bools] = []
        rows = matches = 0
        for batch in batches:
            masks.append(engine.rows.flags(self._mask(residual, batch, self.predicate_columns)))
            rows, matches = rows + len(masks[-1]), matches + int(masks[-1].sum())
            if matches * 2 > rows:
                return None
        return np.concatenate(masks) if masks else np.zeros(0, np.bool_)

    def matching(self, residual: Predicate, batches: Iterator[Any]) -> Iterator[Any]:
        """The matching rows of batches of the needed columns, as the wanted columns; no batch is without rows."""
        engine = self.engine
        for batch in batches:
            matching = engine.rows.filter(batch, self._mask(residual, batch, self.needed))
            if engine.rows.count(matching):
                all_wanted = self.needed.record == self.schema.record
                yield matching if all_wanted else engine.rows.batch(self._narrow(engine.rows.root(matching)))

    def _mask(self, residual: Predicate, batch: Any, schema: Schema) -> Any:
        return is_true(residual, self.engine.values, self.engine.rows.root(batch), schema)

    @cached_property
    def _narrow(self) -> Callable[[Any], Any]:
        """Converts rows of the needed columns to rows of the wanted columns."""
        return projection(reconcile(self.needed, self.schema), self.engine.values)


def _leaf_paths(schema: Schema) -> list[Path]:
    """The paths of columns without fields of their own."""
    return [place.path for place in schema.places.values() if not children(place.field.type)]
