"""Markers: which data files a write that is not completed may have created. Rule COMMIT-6.

A marker is an empty file, or a line of one file for many, created before its data file. Who rolls the write back deletes the
files that have one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from hudi_core.commit.steps import Create, Ensure, SideBySide, Step
from hudi_core.engine import Storage
from hudi_core.formats.names import parse_log_file
from hudi_core.formats.properties import format_properties
from hudi_core.paths import data_path, instant_name, join_paths, partition_path

MARKERS: Final = ".hoodie/.temp"
"""The folder of the markers of all writes, each in a subfolder named by its time."""
METADATA_MARKERS: Final = ".hoodie/metadata/.hoodie/.temp"
"""As MARKERS, of commits of the metadata table: Apache Hudi's writers have some, ours have none."""
_SEPARATOR: Final = ".marker."
_DONE: Final = "TASKS_DONE"
_SERVER_FILE: Final = "MARKERS"
"""Prefix of the marker files of Apache Hudi's timeline server: each lists markers, one a line; `MARKERS.type` announces them."""
_SERVER_TYPE: Final = b"TIMELINE_SERVER_BASED"
MOST_FILES: Final = 16
"""The markers of a write that are files of their own: more of them are lines of one file."""
PARTITION_METADATA: Final = ".hoodie_partition_metadata"


class MarkerKind(StrEnum):
    """What the write does with the file: a first version, a new version, a log file of table version 6."""

    CREATE = "CREATE"
    MERGE = "MERGE"
    APPEND = "APPEND"


def marker_folder(instant_time: str) -> str:
    """The folder of a write's markers."""
    return join_paths(MARKERS, instant_name(instant_time))


def done_path(instant_time: str) -> str:
    """The file that says that the tasks of a write are done: attempts of tasks that see it after they wrote a file remove that
    file. The others announced theirs before, and whoever makes it finds their markers. Rule WRITE-421."""
    return f"{marker_folder(instant_time)}/{_DONE}"


def marker_step(instant_time: str, path: str, kind: MarkerKind) -> Ensure:
    """Creates the marker of a data file, by its path from the table's root; an existing marker is kept."""
    return Ensure(join_paths(marker_folder(instant_time), f"{data_path(path)}{_SEPARATOR}{kind}"))


def markers_steps(instant_time: str, files: Sequence[tuple[str, MarkerKind]], *, apart: bool = False) -> list[Step]:
    """Creates the markers of all data files of a write. Many are written as Apache Hudi's timeline server does, unless they have
    to be `apart`: writers of Apache Hudi that detect conflicts early may look for files. Rule COMMIT-961."""
    if apart or len(files) <= MOST_FILES:
        return [SideBySide(tuple(marker_step(instant_time, path, kind) for path, kind in files))]
    return [marker_lines(instant_time, files), Create(_name_type_file(instant_time), _SERVER_TYPE)]


def marker_lines(instant_time: str, files: Sequence[tuple[str, MarkerKind]], number: int = 0) -> Create:
    """The markers of some files of a write as lines of one file, which has a number of its own."""
    lines = "".join(f"{data_path(path)}{_SEPARATOR}{kind}\n" for path, kind in files)
    return Create(join_paths(marker_folder(instant_time), f"{_SERVER_FILE}{number}"), lines.encode())


def lines_step(instant_time: str) -> Ensure:
    """Announces that the markers of a write are lines of files, before the first of these."""
    return Ensure(_name_type_file(instant_time), _SERVER_TYPE)


def _name_type_file(instant_time: str) -> str:
    return join_paths(marker_folder(instant_time), f"{_SERVER_FILE}.type")


@dataclass(frozen=True, slots=True)
class Markers:
    """The markers of a write: files by path from the table's root, with what the write was to do with each."""

    files: tuple[tuple[str, MarkerKind], ...]
    whole: bool
    """False where one was cut off while it was written: the write may have begun a file that no marker names."""


def read_markers(storage: Storage, instant_time: str) -> Markers | None:
    """The markers of a write, whichever writer made them; None where it has none. Raises `CorruptFileError` for a marker of what
    is no data file of the table."""
    folder = marker_folder(instant_time)
    infos = storage.list(folder, recursive=True)
    marked: list[tuple[str, MarkerKind]] = []
    whole = True
    for info in infos:
        name, where = info.path[len(folder) + 1 :], f"{storage.uri}/{info.path}"
        if name.startswith(_SERVER_FILE) and "/" not in name:
            lines = [] if name == f"{_SERVER_FILE}.type" else _lines(storage.read(info.path))
        elif _SEPARATOR in name and not _is_checksum(info.name):
            lines = [name]
        else:
            continue
        parsed = [_parse(line, where) for line in lines]
        whole = whole and None not in parsed
        marked += [marker for marker in parsed if marker is not None]
    return Markers(tuple(marked), whole) if infos else None


def list_marked_files(storage: Storage, instant_time: str) -> tuple[tuple[str, MarkerKind], ...]:
    """The files that markers of a write name. Raises as `read_markers`."""
    markers = read_markers(storage, instant_time)
    return () if markers is None else markers.files


def list_marked_logs(storage: Storage, times: Iterable[str]) -> frozenset[str]:
    """The log files that markers of the actions requested at some times name. Raises as `read_markers`."""
    marked = (list_marked_files(storage, time) for time in times)
    return frozenset(path for files in marked for path, _ in files if parse_log_file(path.rpartition("/")[2]))


def _lines(content: bytes) -> list[str]:
    return [line for line in content.decode("utf-8", "replace").splitlines() if line]


def _is_checksum(name: str) -> bool:
    """Whether it is a checksum: Hadoop keeps one beside each file on a local path. Rule META-132."""
    return name.startswith(".") and name.endswith(".crc")


def _parse(marker: str, where: str) -> tuple[str, MarkerKind] | None:
    """The file of a marker; None for one that is cut off."""
    path, _, kind = marker.rpartition(_SEPARATOR)
    return (data_path(path, where), MarkerKind(kind)) if kind in list(MarkerKind) else None


def partition_step(partition: str, instant_time: str) -> Ensure:
    """Creates the metadata file that makes a folder a partition, before its first data file; an existing one is kept."""
    path = join_paths(partition_path(partition), PARTITION_METADATA)
    return Ensure(path, _partition_metadata(instant_time, partition.count("/") + 1 if partition else 0))


@lru_cache(maxsize=16)
def _partition_metadata(instant_time: str, depth: int) -> bytes:
    """Made once for the partitions of a write."""
    return format_properties({"commitTime": instant_time, "partitionDepth": str(depth)}, "partition metadata")
