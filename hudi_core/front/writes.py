"""Writes and the services that follow them, as functions: `hudi_core.write`, `update`, `delete`, `delete_partitions`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hudi_core.by_need import ModuleByNeed
from hudi_core.front.after_write import serve
from hudi_core.table.table import Table

if TYPE_CHECKING:
    from hudi_core.writing import by_predicate, operations
    from hudi_core.writing.by_predicate import Assigned, Where
    from hudi_core.writing.operation import WriteOptions
    from hudi_core.writing.result import WriteResult
else:
    # A table that is only read loads none of these.
    by_predicate = ModuleByNeed("hudi_core.writing.by_predicate")
    operations = ModuleByNeed("hudi_core.writing.operations")


def write(table: Table, data: object, op: str = "upsert", options: WriteOptions | None = None) -> WriteResult:
    """Writes rows to the table, in one commit that is seen as a whole or not at all, and runs the services that properties ask
    for after it.

    `data` is anything with `__arrow_c_stream__` (Arrow, pandas, Polars, DuckDB), a lazy frame of Polars, dictionaries (a row
    each, or one of columns), an iterable of these, or the path of a local file or folder (Parquet, Arrow, CSV, JSON). Columns
    go by name. `table` still shows what it showed; `refreshed` shows the commit.

    Raises `UsageError` for an unknown operation and for options that would have no effect, `SchemaError` and `RowError` for data
    that does not fit, `UnsupportedError` for a table that this library does not write to, and `ConflictError` where other writers
    win again and again. Nothing is changed then.
    """
    return serve(table, options, lambda: operations.write(table, data, op, options))


def delete(
    table: Table, data: object = None, where: Where | None = None, options: WriteOptions | None = None
) -> WriteResult:
    """Deletes the rows that have the keys of `data`, or those that match `where`. Raises `UsageError` unless exactly one is
    present, what a scan with the predicate raises, `RowError` for a row of which it does not say whether it is true, and as
    `write`."""
    return serve(table, options, lambda: by_predicate.delete(table, data, where, options))


def update(
    table: Table, assigned: Assigned, where: Where | None = None, options: WriteOptions | None = None
) -> WriteResult:
    """Gives columns of the rows that match (without `where` of all rows) new values, in one commit. Raises `UsageError` for a
    column of the key or the partition, `UnknownColumnError` for one that is not there, `SchemaError` for a value that a column's
    type cannot have, `RowError` for one that a row's expression gives, and as `write`."""
    return serve(table, options, lambda: by_predicate.update(table, assigned, where, options))


def delete_partitions(table: Table, partitions: Sequence[str], options: WriteOptions | None = None) -> WriteResult:
    """Deletes all rows of partitions. Raises `UsageError` for a partition that the table does not have, and as `write`."""
    return serve(table, options, lambda: operations.delete_partitions(table, partitions, options))
