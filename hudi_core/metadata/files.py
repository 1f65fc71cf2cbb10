"""`files`: the live files of each partition, with their sizes. Rules META-5 to META-8."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from numpy.typing import NDArray

from hudi_core.errors import CorruptFileError
from hudi_core.formats.columns import MapOf, Primitive, Struct, Text, at
from hudi_core.metadata.records import Batch, Records, decoded_values

ALL_PARTITIONS = b"__all_partitions__"
"""The key of the record that lists the partitions."""
ROOT = b"."
"""The key of the only partition of a table without partitions."""

_PAYLOAD = "filesystemMetadata"
_WANTED = frozenset({_PAYLOAD})


def live_files(records: Records) -> dict[str, dict[str, int]]:
    """Sizes in bytes by file name, by partition path (empty for a table without partitions).

    The list of partitions decides which partitions there are. Raises `CorruptFileError` when there is no such list, or when
    a partition of it has no record.
    """
    merged: dict[bytes, dict[str, int]] = {}
    deletes = [_Event(each.order, key, None) for each in records.deletes for key in each.keys]
    for event in sorted([*_entries(records.batches), *deletes], key=lambda each: each.order):
        if event.files is None:
            merged.pop(event.key, None)
        else:
            _apply(merged.setdefault(event.key, {}), event.files)
    where = records.batches[0].where if records.batches else "metadata partition files"
    listed = merged.pop(ALL_PARTITIONS, None)
    if listed is None:
        raise CorruptFileError(where, expected=f"a record {ALL_PARTITIONS.decode()}", found="none")
    found: dict[str, dict[str, int]] = {}
    for partition in sorted(listed):
        files = merged.get(partition.encode())
        if files is None:
            raise CorruptFileError(where, expected=f"a record of the partition {partition!r}", found="none")
        found["" if partition == ROOT.decode() else partition] = files
    return found


@dataclass(frozen=True, slots=True)
class _Files:
    """The files of one record: names, sizes, and which are gone (None: none is)."""

    names: list[str]
    sizes: list[int]
    gone: list[bool] | None


@dataclass(frozen=True, slots=True)
class _Event:
    """A record, or the delete of a key (no files)."""

    order: int
    key: bytes
    files: _Files | None


def _apply(live: dict[str, int], files: _Files) -> None:
    """One record put upon the files so far: a deleted file goes, one that is there twice has grown to the larger size."""
    if files.gone is None and not live:
        live.update(zip(files.names, files.sizes, strict=True))
        return
    gone = files.gone or [False] * len(files.names)
    for name, size, is_gone in zip(files.names, files.sizes, gone, strict=True):
        if is_gone:
            live.pop(name, None)
        else:
            live[name] = max(size, live.get(name, 0))


def _entries(batches: Iterable[Batch]) -> Iterator[_Event]:
    """The records of all batches; those of one schema are decoded together."""
    by_schema: dict[str, list[Batch]] = {}
    for batch in batches:
        by_schema.setdefault(batch.schema, []).append(batch)
    for alike in by_schema.values():
        names, sizes, gone, offsets = _columns(decoded_values(alike, _WANTED), alike[0].where)
        keys = ((batch.order, batch.cells.key(row)) for batch in alike for row in range(len(batch.cells)))
        for (order, key), (low, high) in zip(keys, pairwise(offsets.tolist()), strict=True):
            flags = gone[low:high]
            files = _Files(names[low:high], sizes[low:high].tolist(), flags.tolist() if flags.any() else None)
            yield _Event(order, key, files)


def _columns(column: object, where: str) -> tuple[list[str], NDArray[Any], NDArray[Any], NDArray[Any]]:
    try:
        assert isinstance(column, Struct)
        maps = at(column, _PAYLOAD)
        assert isinstance(maps, MapOf)
        sizes, gone = at(maps.values, "size"), at(maps.values, "isDeleted")
        assert isinstance(sizes, Primitive)
        assert isinstance(gone, Primitive)
    except (AssertionError, KeyError):
        raise CorruptFileError(where, expected="a schema of files with sizes", found="another") from None
    return _texts(maps.keys), sizes.values, gone.values, maps.offsets


def _texts(texts: Text) -> list[str]:
    data = texts.data.tobytes()
    return [data[start:end].decode() for start, end in pairwise(texts.offsets.tolist())]
