"""Writes, as functions, and the services that follow them where properties ask for them. Rules UPKEEP-467, UPKEEP-1631."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hudi_core.by_need import ModuleByNeed
from hudi_core.table.table import Table

if TYPE_CHECKING:
    from hudi_core.services.upkeep import inline
    from hudi_core.writing import by_predicate, operations, write_properties
    from hudi_core.writing.by_predicate import Assigned, Where
    from hudi_core.writing.operation import WriteOptions
    from hudi_core.writing.result import WriteResult
else:
    # A table that is only read loads none of these.
    inline = ModuleByNeed("hudi_core.services.upkeep.inline")
    by_predicate = ModuleByNeed("hudi_core.writing.by_predicate")
    operations = ModuleByNeed("hudi_core.writing.operations")
    write_properties = ModuleByNeed("hudi_core.writing.write_properties")


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


def serve(table: Table, options: WriteOptions | None, write: Callable[[], WriteResult]) -> WriteResult:
    """Writes, and returns the result after the services that the table's properties or the writer's ask for.

    Nothing runs after a write that committed nothing. Raises `UsageError` before the write for properties of the writer that no
    service could go by, and what a service raises; the write is complete then.
    """
    properties = {} if options is None else options.properties
    asks = write_properties.asks_for_services(properties, table.config.properties)
    if asks:
        inline.refuse_unusable_request(table, properties)
    result = write()
    if asks and result.instant is not None:
        inline.run_inline(table, properties)
    return result
