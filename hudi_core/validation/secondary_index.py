"""Secondary indexes: each live row under its value, in the file group that its hash names, and nothing else. Rule VALID-24.

An index is compared as a whole: its keys, and those of all rows, are in memory at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hudi_core.columns.nodes import StringColumn, length
from hudi_core.columns.string_index import without
from hudi_core.columns.strings import concat_strings, string_list, take_strings
from hudi_core.index_kinds.secondary import IndexedColumn, keys_of_slices, refuse_unindexable
from hudi_core.metadata.definitions import IndexDefinition
from hudi_core.metadata.kinds import SECONDARY, SECONDARY_INDEX, IndexKind
from hudi_core.metadata.lookup import live_keys
from hudi_core.metadata.table import MetadataTable
from hudi_core.metadata_rows.secondary import first_secondary_rows, in_words
from hudi_core.metadata_writer.group_files import by_group
from hudi_core.validation.column_indexes import ColumnIndexes
from hudi_core.validation.findings import Finding, Severity, rebuild

_NONE: Final = concat_strings([])


class SecondaryIndexes(ColumnIndexes):
    """The check of secondary indexes."""

    @property
    def kind(self) -> IndexKind:
        return SECONDARY

    def of_index(self, metadata: MetadataTable, partition: str, definition: IndexDefinition) -> Iterator[Finding]:
        if len(definition.columns) != 1:
            return  # the check of properties reports it
        refuse_unindexable(self.subject.table, partition, definition.columns[0])
        snapshot = self.subject.snapshot
        columns = [IndexedColumn(partition, definition.columns[0])]
        keys = keys_of_slices(snapshot, columns, snapshot.slices)[partition].distinct()
        groups = metadata.slices(partition)
        wanted = {
            rows.group: rows.keys for rows in by_group(first_secondary_rows(keys, definition.version), len(groups))
        }
        missing, dead = [], []
        for number, group in enumerate(groups):
            live = live_keys(metadata.open_group(group))
            missing.append(without(wanted.get(number, _NONE), live))
            dead.append(without(live, wanted.get(number, _NONE)))
        yield from self._finding(partition, "an entry of each row", concat_strings(missing), "without")
        yield from self._finding(partition, "entries of the values that rows have", concat_strings(dead), "of others")

    def _finding(self, partition: str, expected: str, keys: StringColumn, kind: str) -> Iterator[Finding]:
        if length(keys):
            where = self.subject.metadata_path(partition)
            example = in_words(string_list(take_strings(keys, slice(0, 1)))[0], where)
            found = f"{length(keys):,} {kind}, such as {example}"
            yield Finding(SECONDARY_INDEX, Severity.ERROR, where, expected, found, rebuild(partition))
