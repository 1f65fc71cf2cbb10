"""`View`: a table as another query engine reads it, whose predicates, columns and limits make scans. Rule TABLE-690."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from hudi_core.errors import UnsupportedError
from hudi_core.expr.nodes import Expr
from hudi_core.portable import Portable
from hudi_core.schema.schema import Schema
from hudi_core.table.scan import Scan
from hudi_core.table.table import Table
from hudi_core.timeline.times import Time

if TYPE_CHECKING:
    from hudi_core.libraries import ArrowDataset, DuckConnection, DuckRelation, LazyFrame

ScanListener = Callable[[Scan], None]
"""Gets each scan that another engine asks for, before it is read."""


@dataclass(frozen=True)
class View(Portable):
    """The table at an instant, with or without Hudi's own columns. Names of columns are exact: other engines distinguish case."""

    table: Table
    as_of: Time | None = None
    meta: bool = False
    on_scan: ScanListener | None = None

    @cached_property
    def schema(self) -> Schema:
        """The columns that the other engine is offered."""
        return self._exact.scan(as_of=self.as_of, meta=self.meta).schema

    def scan(self, where: Expr | None = None, columns: Sequence[str] | None = None, limit: int | None = None) -> Scan:
        """Makes the scan that the other engine asks for; raises as `Table.scan`."""
        scan = self._exact.scan(where, columns, as_of=self.as_of, limit=limit, meta=self.meta)
        if self.on_scan is not None:
            self.on_scan(scan)
        return scan

    @cached_property
    def _exact(self) -> Table:
        return replace(self.table, case_sensitive=True)


@runtime_checkable
class ViewMaker(Protocol):
    """An optional part of an engine that offers a view to other query engines, in their forms.

    What they ask for reaches the planner. Raises `UnsupportedError` where their library is not installed.
    """

    def lazy_frame(self, view: View) -> LazyFrame:
        """The view as a `polars.LazyFrame`."""

    def dataset(self, view: View) -> ArrowDataset:
        """The view as a `pyarrow.dataset.Dataset`."""

    def relation(self, view: View, connection: DuckConnection | None, name: str | None) -> DuckRelation:
        """The view as a relation of DuckDB, registered under a name."""


def view_maker(table: Table) -> ViewMaker:
    """The table's engine as one that makes views. Raises `UnsupportedError` where it makes none."""
    if not isinstance(table.engine, ViewMaker):
        raise UnsupportedError(
            f"engine {table.engine.name!r}",
            expected="an engine that offers tables to others",
            found="one that does not",
        )
    return table.engine
