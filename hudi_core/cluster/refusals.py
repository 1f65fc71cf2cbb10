"""Tables that are not clustered, and errors that name the reason, raised before anything is read or written. Rule CLUSTER-16."""

from __future__ import annotations

from collections.abc import Sequence

from hudi_core.cluster.plan import PlannedGroup
from hudi_core.errors import UnsupportedError
from hudi_core.index_kinds.file_notes import list_noted_indexes
from hudi_core.index_kinds.secondary import list_indexed_columns
from hudi_core.metadata_rows.rows_of_change import is_kept
from hudi_core.metadata_writer.delta_commit import refuse_unkept
from hudi_core.options import HASHING_FOLDER
from hudi_core.table.table import Table
from hudi_core.tagging.bucket_layout import has_simple_buckets, read_stated_layout
from hudi_core.transactions.refusals import refuse_unwritable


def refuse_unclusterable(table: Table) -> None:
    """Raises `UnsupportedError` for a table that this library does not write to, whose file ids mean something, or that has an
    index that the commit would not keep up to date."""
    refuse_unwritable(table, merges=any(file_slice.logs for file_slice in table.slices()))
    stated = read_stated_layout(table.config.properties, table.config.record_key_fields)
    if (stated is not None and stated.consistent) or table.storage.list(HASHING_FOLDER, recursive=True):
        # Its nodes name the file groups: Apache Hudi's clustering resizes buckets, and changes the nodes.
        expected, found = "file groups that no hashing nodes name", "consistent hashing"
        raise UnsupportedError(table.storage.uri, expected=expected, found=found)
    metadata = table.snapshot().metadata
    if metadata is not None:
        refuse_unkept(metadata, is_kept)
    list_indexed_columns(table)
    list_noted_indexes(table)


def refuse_joined(table: Table, groups: Sequence[PlannedGroup]) -> None:
    """Raises `UnsupportedError` for a plan that would take keys out of their buckets. Rule CLUSTER-1027."""
    if has_simple_buckets(table) and any((len(group.slices), group.outputs) != (1, 1) for group in groups):
        expected, found = "a plan that leaves each key in its bucket", "one that joins or splits file groups"
        raise UnsupportedError(table.storage.uri, expected=expected, found=found)
