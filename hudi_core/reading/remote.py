"""Remote scans: what an executor needs to read file slices of a scan. It opens no table and lists nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hudi_core.expr.predicate import Predicate
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.ahead import FilesAhead
from hudi_core.reading.slices import SliceReader
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.timeline.slices import FileSlice, slices_of


@dataclass(frozen=True, slots=True)
class SliceRead:
    """A slice to read, and whether its rows are filtered by the predicate."""

    slice: FileSlice
    filtered: bool
    number: int = 0
    """Its number in the snapshot of the scan."""

    @property
    def size(self) -> int:
        """Bytes of its files."""
        return sum(file.size for file in self.slice.files)


@dataclass(frozen=True)
class RemoteScan:
    """All that reading some slices of a scan needs; it can be pickled, with engine and storage.

    `snapshot` has the schemas of the table, but no slices.
    """

    snapshot: Snapshot
    wanted: Schema
    predicate: Predicate

    def read(self, parts: Sequence[SliceRead]) -> Iterator[Any]:
        """The engine's batches of the parts' rows, one after the other. On remote storage files are fetched some parts ahead."""
        return (batch for _, batch in self.read_numbered(parts))

    def read_numbered(self, parts: Sequence[SliceRead]) -> Iterator[tuple[int, Any]]:
        """As `read`, each batch with the number of its slice."""
        reader = SliceReader(self.sources(parts), self.wanted, self.predicate)
        ahead = FilesAhead(self.snapshot.storage, [part.slice for part in parts], range(len(parts)))
        for position, part in enumerate(parts):
            ahead.reach(position)
            for batch in reader.read(part.slice, self.predicate if part.filtered else None):
                yield part.number, batch

    def sources(self, parts: Sequence[SliceRead]) -> Sources:
        """The sources of the slices."""
        return Sources(self.snapshot.of_slices(slices_of([part.slice for part in parts])))


def remote_scan(snapshot: Snapshot, wanted: Schema, predicate: Predicate) -> RemoteScan:
    """The remote scan of a snapshot; its slices are passed when they are read."""
    return RemoteScan(replace(snapshot.without_slices(), mode=MetadataMode.OFF), wanted, predicate)
