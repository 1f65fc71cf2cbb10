"""Markers: which data files a write that is not completed may have created. Rule COMMIT-6.

A marker is an empty file, created before its data file. Who rolls the write back deletes the files that have one.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from hudi_core.commit.steps import Ensure
from hudi_core.engine import Storage
from hudi_core.formats.properties import format_properties

MARKERS: Final = ".hoodie/.temp"
"""The folder of the markers of all writes, each in a subfolder named by its time."""
_SEPARATOR: Final = ".marker."
_SERVER_FILE: Final = "MARKERS"
"""Prefix of the marker files of Apache Hudi's timeline server: each lists markers, one a line; `MARKERS.type` announces them."""
PARTITION_METADATA: Final = ".hoodie_partition_metadata"


class MarkerKind(StrEnum):
    """What the write does with the file: a first version, a new version, a log file of table version 6."""

    CREATE = "CREATE"
    MERGE = "MERGE"
    APPEND = "APPEND"


def marker_folder(instant_time: str) -> str:
    """The folder of a write's markers."""
    return f"{MARKERS}/{instant_time}"


def marker_step(instant_time: str, path: str, kind: MarkerKind) -> Ensure:
    """Creates the marker of a data file, by its path from the table's root; an existing marker is kept."""
    return Ensure(f"{marker_folder(instant_time)}/{path}{_SEPARATOR}{kind}")


def has_markers(storage: Storage, instant_time: str) -> bool:
    """Whether the write has any marker."""
    return bool(storage.list(marker_folder(instant_time), recursive=True))


def marked_files(storage: Storage, instant_time: str) -> Iterator[tuple[str, MarkerKind]]:
    """The files with markers, by path from the table's root, whichever writer made them."""
    folder = marker_folder(instant_time)
    for info in storage.list(folder, recursive=True):
        name = info.path[len(folder) + 1 :]
        if name.startswith(_SERVER_FILE) and "/" not in name:
            if name != f"{_SERVER_FILE}.type":
                yield from (_parsed(line) for line in storage.read(info.path).decode().splitlines() if line)
        elif _SEPARATOR in name and not _is_checksum(info.name):
            yield _parsed(name)


def _is_checksum(name: str) -> bool:
    """Whether it is a checksum: Hadoop keeps one beside each file on a local path. Rule META-132."""
    return name.startswith(".") and name.endswith(".crc")


def _parsed(marker: str) -> tuple[str, MarkerKind]:
    path, _, kind = marker.rpartition(_SEPARATOR)
    return path, MarkerKind(kind)


def partition_step(partition: str, instant_time: str) -> Ensure:
    """Creates the metadata file that makes a folder a partition, before its first data file; an existing one is kept."""
    path = f"{partition}/{PARTITION_METADATA}" if partition else PARTITION_METADATA
    depth = partition.count("/") + 1 if partition else 0
    content = format_properties({"commitTime": instant_time, "partitionDepth": str(depth)}, "partition metadata")
    return Ensure(path, content)
