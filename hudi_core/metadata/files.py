"""`files`: the live files of each partition, with their sizes. Rules META-5 to META-8."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from numpy.typing import NDArray

from hudi_core.errors import CorruptFileError
from hudi_core.formats.avro_columns import decode
from hudi_core.formats.columns import MapOf, Primitive, Struct, Text, at
from hudi_core.metadata.records import Batch, Deletes, Records

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
    sources: list[Batch | Deletes] = [*records.batches, *records.deletes]
    for source in sorted(sources, key=lambda each: each.order):
        match source:
            case Batch():
                for key, names, sizes, gone in _entries(source):
                    _apply(merged.setdefault(key, {}), names, sizes, gone)
            case Deletes(keys):
                for key in keys:
                    merged.pop(key, None)
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


def _apply(live: dict[str, int], names: list[str], sizes: list[int], gone: list[bool] | None) -> None:
    """One record put upon the files so far: a deleted file goes, one that is there twice has grown to the larger size."""
    if gone is None and not live:
        live.update(zip(names, sizes, strict=True))
        return
    for position, (name, size) in enumerate(zip(names, sizes, strict=True)):
        if gone is not None and gone[position]:
            live.pop(name, None)
        else:
            live[name] = max(size, live.get(name, 0))


def _entries(batch: Batch) -> Iterator[tuple[bytes, list[str], list[int], list[bool] | None]]:
    """Each record of a batch: its key, names of files, their sizes, and which are gone (None: none is)."""
    cells = batch.cells
    column = decode(batch.schema, cells.data, cells.value_offsets, cells.value_lengths, batch.where, _WANTED)
    names, sizes, gone, offsets = _columns(column, batch.where)
    for row in range(len(cells)):
        low, high = int(offsets[row]), int(offsets[row + 1])
        flags = gone[low:high]
        yield cells.key(row), names[low:high], sizes[low:high].tolist(), flags.tolist() if flags.any() else None


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
