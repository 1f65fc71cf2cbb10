"""Tables that are not compacted, and errors that name the reason, raised before anything is written. Rule COMPACT-361."""

from __future__ import annotations

from hudi_core.errors import UnsupportedError
from hudi_core.index_kinds.file_notes import list_noted_indexes
from hudi_core.metadata_rows.rows_of_change import is_kept
from hudi_core.metadata_writer.delta_commit import refuse_unkept
from hudi_core.options import TableType
from hudi_core.table.table import Table
from hudi_core.transactions.refusals import refuse_unwritable


def refuse_uncompactable(table: Table) -> None:
    """Raises `UnsupportedError` for a table without log files by its type, for one that this library does not write to or whose
    records it does not merge, and for one with an index that the commit would not keep up to date.

    File groups keep their ids, so tables with a bucket index are compacted.
    """
    if table.config.type is not TableType.MERGE_ON_READ:
        expected, found = "a merge-on-read table to compact", table.config.type.value
        raise UnsupportedError(table.storage.uri, expected=expected, found=found)
    refuse_unwritable(table, merges=True)
    metadata = table.snapshot().metadata
    if metadata is not None:
        refuse_unkept(metadata, is_kept)
    list_noted_indexes(table)
