"""Records of the record index, from the keys of file slices. Rules META-83, META-130.

Slices are dealt to tasks in shares. A task holds the records of its share: those of `SHARE_BYTES` of files, or of one slice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial
from typing import Final

from hudi_core.data_files.waiting import INFLATED, waiting_threads
from hudi_core.index_builds.runs import PrefixRows
from hudi_core.metadata.table import RECORD_INDEX
from hudi_core.metadata_rows.rows import GroupKeys, location_rows
from hudi_core.metadata_rows.rows_of_keys import epoch_milliseconds
from hudi_core.metadata_writer.delta_commit import partition_group_prefix
from hudi_core.parallel.streams import read_ahead
from hudi_core.planning.sources.sources import Sources
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.tagging.slice_keys import SliceKeyReader
from hudi_core.timeline.slices import FileSlice, slices_of

SHARE_BYTES: Final = 1 << 24
"""Bytes of the files of a share, of which keys are a part."""
SLICES_OF_SHARE: Final = 64


def shares_of_slices(slices: Iterable[FileSlice]) -> list[tuple[FileSlice, ...]]:
    """The slices in shares, each of `SHARE_BYTES` at most or of one slice."""
    shares: list[tuple[FileSlice, ...]] = []
    held: list[FileSlice] = []
    size = 0
    for file_slice in slices:
        added = sum(file.size for file in file_slice.files)
        if held and (size + added > SHARE_BYTES or len(held) >= SLICES_OF_SHARE):
            shares.append(tuple(held))
            held, size = [], 0
        held.append(file_slice)
        size += added
    return [*shares, tuple(held)] if held else shares


@dataclass(frozen=True)
class KeyRows:
    """Makes the records of shares of file slices. It can be pickled.

    `snapshot` has no slices of its own. `prefix` is that of the index's file groups; None where each partition of the table
    has groups of its own.
    """

    snapshot: Snapshot
    zone: tzinfo | None
    prefix: str | None

    def read(self, share: Sequence[FileSlice]) -> tuple[Iterator[PrefixRows], None]:
        """The records of a share. Raises what reading raises."""
        return self._rows(share), None

    @property
    def joins(self) -> bool:
        return False

    def join(self, partials: Sequence[None]) -> Iterator[PrefixRows]:
        """No records: the record index has none of whole partitions."""
        return iter(())

    def _rows(self, share: Sequence[FileSlice]) -> Iterator[PrefixRows]:
        """Slices of remote storage are read side by side, for the most part they wait; others one after the other, as a runner
        has a task for each processor."""
        stored = SliceKeyReader(Sources(self.snapshot.of_slices(slices_of(share))))
        largest = max(sum(file.size for file in file_slice.files) for file_slice in share)
        threads = waiting_threads(INFLATED * largest) if self.snapshot.storage.is_remote else 1
        return read_ahead([partial(self._of_slice, stored, file_slice) for file_slice in share], threads)

    def _of_slice(self, stored: SliceKeyReader, file_slice: FileSlice) -> Iterator[PrefixRows]:
        prefix = partition_group_prefix(file_slice.partition) if self.prefix is None else self.prefix
        milliseconds = epoch_milliseconds(file_slice.instant, self.zone)
        for keys in stored.of_slice(file_slice):
            rows = location_rows([GroupKeys(file_slice.partition, file_slice.file_id, keys)], milliseconds)
            yield PrefixRows(RECORD_INDEX, prefix, rows)
