"""Columns with an index of their own, which stay as they are, and those that have none. Rules WRITE-42, WRITE-62, WRITE-1653."""

from __future__ import annotations

from hudi_core.errors import UnsupportedError
from hudi_core.schema.schema import Schema
from hudi_core.table.table import Table


def refuse_changed_column(table: Table, partition: str, name: str, kind: str, schema: Schema | None) -> None:
    """Raises `UnsupportedError` where a write changes or drops a top-level column that an index, a metadata partition, is of.

    `kind` names the index in the error. `schema` is what the table's becomes; None: it stays.
    """
    if schema is None:
        return
    place, after = table.schema.get((name,)), schema.find((name,))
    is_same_column = after is not None and after.field.id == place.field.id
    if after is None or not is_same_column or after.field.type != place.field.type:
        raise UnsupportedError(
            f"{table.storage.uri}: {partition}",
            expected=f"{name} unchanged while it has {kind}; drop the index first",
            found=f"{after.field.type}" if after is not None and is_same_column else "another column",
        )


def refuse_left_out_column(table: Table, partition: str, name: str) -> None:
    """Raises `UnsupportedError` for an index, a metadata partition, of a column that files leave out: it would be of nulls. Rule
    WRITE-1653."""
    if name in table.config.left_out_columns:
        where, expected = f"{table.storage.uri}: {partition}", "a column that files have"
        raise UnsupportedError(where, expected=expected, found=f"the partition column {name}, which they leave out")
