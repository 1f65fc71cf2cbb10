"""A table as a relation of DuckDB, whose columns and filters reach the planner. Rule TABLE-697."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hudi_arrow.pushdown.dataset import HudiDataset
from hudi_arrow.pushdown.modules import import_needed
from hudi_core.errors import UnsupportedError, UsageError, describe

if TYPE_CHECKING:
    import duckdb

    from hudi_core.table.view import View

_LOWEST = 2


def relation(view: View, connection: duckdb.DuckDBPyConnection | None, name: str | None) -> duckdb.DuckDBPyRelation:
    """Registers the table as a view of a connection, and returns it; DuckDB's own connection where none is given.

    Raises `UnsupportedError` without DuckDB, and for one before 2.0: it gives comparisons of floating-point columns to Arrow, for
    which no comparison with NaN is true, and so loses rows that match by its own rules.
    """
    library = import_needed("duckdb", "to_duckdb")
    if int(library.__version__.partition(".")[0]) < _LOWEST:
        raise UnsupportedError(
            "to_duckdb", expected="DuckDB 2.0 or newer: older ones lose rows with NaN", found=library.__version__
        )
    if connection is not None and not hasattr(connection, "register"):
        raise UsageError("connection", expected="a connection of DuckDB", found=describe(connection))
    used = library.default_connection() if connection is None else connection
    registered = name or view.table.config.name
    used.register(registered, HudiDataset(view))
    made: duckdb.DuckDBPyRelation = used.view(registered)
    return made
