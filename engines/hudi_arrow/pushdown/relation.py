"""A table as a relation of DuckDB, whose columns and filters reach the planner. Rule TABLE-697."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hudi_arrow.pushdown.dataset import HudiDataset
from hudi_arrow.pushdown.modules import needed

if TYPE_CHECKING:
    import duckdb

    from hudi_core.table.view import View


def relation(view: View, connection: duckdb.DuckDBPyConnection | None, name: str | None) -> duckdb.DuckDBPyRelation:
    """Registers the table as a view of a connection, and returns it; DuckDB's own connection where none is given.

    Raises `UnsupportedError` without DuckDB.
    """
    library = needed("duckdb", "to_duckdb")
    used = library.default_connection() if connection is None else connection
    registered = name or view.table.config.name
    used.register(registered, HudiDataset(view))
    made: duckdb.DuckDBPyRelation = used.view(registered)
    return made
