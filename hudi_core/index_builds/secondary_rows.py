"""Records with which secondary indexes begin, from the values of file slices. Rules META-112, META-130."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hudi_core.index_builds.runs import PrefixRows
from hudi_core.index_kinds.secondary import IndexedColumn, keys_of_slice
from hudi_core.metadata_rows.secondary import first_secondary_rows
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.timeline.slices import FileSlice


@dataclass(frozen=True)
class SecondaryRows:
    """Makes the records of shares of file slices. It can be pickled.

    `snapshot` has no slices of its own. By metadata partition, `prefixes` are the prefixes of the file groups, `versions` the
    versions of the definitions.
    """

    snapshot: Snapshot
    columns: tuple[IndexedColumn, ...]
    prefixes: Mapping[str, str]
    versions: Mapping[str, str]

    def read(self, share: Sequence[FileSlice]) -> tuple[Iterator[PrefixRows], None]:
        """The records of a share. Raises what reading raises."""
        return self._rows(share), None

    @property
    def joins(self) -> bool:
        return False

    def join(self, partials: Sequence[None]) -> Iterator[PrefixRows]:
        """No records: a secondary index has none of whole partitions."""
        return iter(())

    def _rows(self, share: Sequence[FileSlice]) -> Iterator[PrefixRows]:
        for file_slice in share:
            of_columns = keys_of_slice(self.snapshot, self.columns, file_slice)
            for column, keys in zip(self.columns, of_columns, strict=True):
                name = column.partition
                yield PrefixRows(name, self.prefixes[name], first_secondary_rows(keys, self.versions[name]))
