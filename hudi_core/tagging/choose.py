"""Which index locates a batch of keys: the requested one, else the one that reads least. Rules INDEX-17, INDEX-18."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from hudi_core.errors import TableError, UnsupportedError
from hudi_core.metadata.kinds import locates_keys
from hudi_core.metadata.table import RECORD_INDEX
from hudi_core.planning.sources.indexes import RecordIndex
from hudi_core.planning.sources.sources import Sources
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.tagging.by_files import FilterUse, SliceLookup, key_bytes

_BLOCK = 1 << 18
"""Bytes of the record index taken to be read for one key, as long as that is not all of it."""


class IndexType(StrEnum):
    """How keys are located."""

    AUTO = "auto"
    """The index that reads least."""
    RECORD_INDEX = "record_index"
    BLOOM = "bloom"
    """Ranges, then bloom filters, then the files that are left."""
    SIMPLE = "simple"
    """Ranges, then the files that are left."""
    BUCKET = "bucket"
    """A hash of the key gives the file group."""

    @property
    def has_places(self) -> bool:
        """Whether the metadata table has the place of each key, whatever its partition: no data file is looked into."""
        return self is IndexType.RECORD_INDEX


@dataclass(frozen=True, slots=True)
class Choice:
    """The index that is used, and why."""

    kind: IndexType
    reason: str


def filters_for(kind: IndexType) -> FilterUse:
    """Which bloom filters an index consults."""
    match kind:
        case IndexType.BLOOM:
            return FilterUse.ALL
        case IndexType.AUTO:
            return FilterUse.CHEAPER
        case _:
            return FilterUse.NONE


def choose(sources: Sources, requested: IndexType, keys: int, tasks: Sequence[SliceLookup]) -> Choice:
    """The index for so many keys, when looking into files would mean these tasks.

    Raises `UnsupportedError` for a requested one that the table has not.
    """
    snapshot = sources.snapshot
    has_record_index = snapshot.usable(RECORD_INDEX) is not None
    if requested.has_places and not has_record_index:
        shown = (
            ", ".join(sorted(snapshot.metadata.partitions)) if snapshot.metadata is not None else "no metadata table"
        )
        raise UnsupportedError(snapshot.storage.uri, expected=f"the metadata partition {RECORD_INDEX}", found=shown)
    if requested is not IndexType.AUTO:
        return Choice(requested, "requested")
    filtered = sum(task.filtered for task in tasks)
    by_files = IndexType.BLOOM if filtered else IndexType.SIMPLE
    files = sum(key_bytes(snapshot.slices[task.number]) for task in tasks)
    in_range = "1 file slice" if len(tasks) == 1 else f"{len(tasks):,} file slices"
    worth = "1 bloom filter is" if filtered == 1 else f"{filtered:,} bloom filters are"
    cost = f"{in_range} in range, about {_megabytes(files)} of keys; {worth} worth probing"
    if not has_record_index:
        return Choice(by_files, f"{cost}; no record index")
    try:
        index = _index_bytes(sources, keys)
        if index >= files:
            return Choice(by_files, f"{cost}; the record index would be {_megabytes(index)}")
        why_not = _unusable(sources)
    except TableError as error:
        snapshot.warn_or_raise(error)
        why_not = "it cannot be read"
    if why_not:
        return Choice(by_files, f"{cost}; not the record index: {why_not}")
    return Choice(IndexType.RECORD_INDEX, f"about {_megabytes(index)} of the record index; {cost}")


def has_partitioned_record_index(snapshot: Snapshot) -> bool:
    """Whether the table has a record index with file groups for each of its partitions. Raises `CorruptFileError` and
    `StorageError` for definitions of indexes that cannot be read."""
    if not locates_keys(snapshot.config.kept_partitions):
        return False
    definition = snapshot.definitions.get(RECORD_INDEX)
    return definition is not None and definition.is_partitioned


def finds_keys_anywhere(snapshot: Snapshot) -> bool:
    """Whether writes look for a key in all partitions, where its row moves from one to another: with a record index, which has
    each key once in the whole table. A partitioned one has a key once in each partition, as a table without one has it. Rule
    WRITE-1537. Raises as `has_partitioned_record_index`."""
    return locates_keys(snapshot.config.kept_partitions) and not has_partitioned_record_index(snapshot)


def _unusable(sources: Sources) -> str:
    record_index = next((index for index in sources.indexes if isinstance(index, RecordIndex)), None)
    return "not usable" if record_index is None else record_index.unusable


def _index_bytes(sources: Sources, keys: int) -> float:
    metadata = sources.snapshot.usable(RECORD_INDEX)
    assert metadata is not None
    size = sum(file.size for file_slice in metadata.slices(RECORD_INDEX) for file in file_slice.files)
    return min(size, keys * _BLOCK)


def _megabytes(size: float) -> str:
    return f"{size / 1e6:,.1f} MB"
