"""Reading slices of a scan on another machine: what goes there, and the reading there. It opens no table and lists nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hudi_core.expr.predicate import Predicate
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.slices import SliceReader
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.snapshot import MetadataMode, Snapshot
from hudi_core.timeline.slices import FileSlice, slices_of


@dataclass(frozen=True, slots=True)
class SliceRead:
    """A slice to read, and whether its rows are to be asked the predicate."""

    slice: FileSlice
    asked: bool

    @property
    def size(self) -> int:
        """Bytes of its files."""
        return sum(file.size for file in self.slice.files)


@dataclass(frozen=True)
class RemoteScan:
    """All that reading parts of a scan needs; it can be pickled. Engine and storage go as the objects that they are.

    `snapshot` has no slices, and of what was read of the table its schemas alone.
    """

    snapshot: Snapshot
    wanted: Schema
    predicate: Predicate

    def read(self, parts: Sequence[SliceRead]) -> Iterator[Any]:
        """The engine's batches of the parts' rows, one after the other."""
        reader = SliceReader(self.sources(parts), self.wanted, self.predicate)
        for part in parts:
            yield from reader.read(part.slice, self.predicate if part.asked else None)

    def sources(self, parts: Sequence[SliceRead]) -> Sources:
        """What is known of the parts' slices."""
        return Sources(self.snapshot.of_slices(slices_of([part.slice for part in parts])))


def shipment(snapshot: Snapshot, wanted: Schema, predicate: Predicate) -> RemoteScan:
    """What reading parts of a snapshot's slices needs elsewhere."""
    return RemoteScan(replace(snapshot.without_slices(), mode=MetadataMode.OFF), wanted, predicate)
