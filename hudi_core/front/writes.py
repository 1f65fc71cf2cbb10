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
    """Writes rows to the table, in one commit that is seen as a whole or not at all: `writing.operations.write`."""
    return serve(table, options, lambda: operations.write(table, data, op, options))


def delete(
    table: Table, data: object = None, where: Where | None = None, options: WriteOptions | None = None
) -> WriteResult:
    """Deletes the rows that have the keys of `data`, or those that match: `writing.by_predicate.delete`."""
    return serve(table, options, lambda: by_predicate.delete(table, data, where, options))


def update(
    table: Table, assigned: Assigned, where: Where | None = None, options: WriteOptions | None = None
) -> WriteResult:
    """Gives columns of the rows that match new values: `writing.by_predicate.update`."""
    return serve(table, options, lambda: by_predicate.update(table, assigned, where, options))


def delete_partitions(table: Table, partitions: Sequence[str], options: WriteOptions | None = None) -> WriteResult:
    """Deletes all rows of partitions: `writing.operations.delete_partitions`."""
    return serve(table, options, lambda: operations.delete_partitions(table, partitions, options))
