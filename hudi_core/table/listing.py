"""The data files of each partition: from the metadata table, or by listing folders. Both give the same live files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hudi_core.engine import FileInfo, Storage
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.options import FOLDER

Listing = Mapping[str, Sequence[FileInfo]]
"""Files by partition path, empty for a table without partitions. May hold files that no completed instant speaks of."""


def listed(storage: Storage) -> Listing:
    """One recursive listing, without Hudi's own folder and without anything that is not a base or log file."""
    found: dict[str, list[FileInfo]] = {}
    for info in storage.list("", recursive=True):
        folder, _, name = info.path.rpartition("/")
        if info.path.startswith(f"{FOLDER}/"):
            continue
        if parse_base_file(name) is not None or parse_log_file(name) is not None:
            found.setdefault(folder, []).append(info)
    return found


def from_metadata(files: Mapping[str, Mapping[str, int]]) -> Listing:
    """The listing of the `files` metadata partition: sizes by file name, by partition path."""
    return {
        partition: [FileInfo(f"{partition}/{name}" if partition else name, size) for name, size in sizes.items()]
        for partition, sizes in files.items()
    }
