"""The data files of each partition, by listing folders: the same live files that the metadata table tells of."""

from __future__ import annotations

from hudi_core.engine import FileInfo, Storage
from hudi_core.options import FOLDER
from hudi_core.timeline.files import FileList, files_in


def listed(storage: Storage) -> FileList:
    """A recursive listing, without Hudi's own folder. Holds files of every kind."""
    found: dict[str, list[FileInfo]] = {}
    for info in storage.list("", recursive=True, without=FOLDER):
        found.setdefault(info.path.rpartition("/")[0], []).append(info)
    return files_in(found)
