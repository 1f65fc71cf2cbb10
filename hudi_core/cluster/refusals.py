"""Tables that are not clustered, and errors that name the reason, raised before anything is read or written. Rule CLUSTER-16."""

from __future__ import annotations

from hudi_core.errors import UnsupportedError
from hudi_core.index_kinds.expressions import table_expressions
from hudi_core.index_kinds.secondary import list_indexed_columns
from hudi_core.metadata_writer.changes import is_kept
from hudi_core.metadata_writer.delta_commit import refuse_unkept
from hudi_core.table.table import Table
from hudi_core.tagging.buckets import HASHING_FOLDER
from hudi_core.transactions.refusals import refuse_buckets, refuse_unwritable


def refuse_unclusterable(table: Table) -> None:
    """Raises `UnsupportedError` for a table that this library does not write to, whose file ids mean something, or that has an
    index that the commit would not keep up to date."""
    refuse_unwritable(table, merges=any(file_slice.logs for file_slice in table.slices()))
    refuse_buckets(table)
    if table.storage.list(HASHING_FOLDER, recursive=True):
        expected, found = "file groups that are not buckets", "consistent hashing"
        raise UnsupportedError(table.storage.uri, expected=expected, found=found)
    metadata = table.snapshot().metadata
    if metadata is not None:
        refuse_unkept(metadata, is_kept)
    list_indexed_columns(table)
    table_expressions(table)
