"""The data files of each partition, by listing folders: the same live files that the metadata table tells of."""

from __future__ import annotations

from hudi_core.engine import FileInfo, Storage
from hudi_core.options import FOLDER
from hudi_core.timeline.files import FileList, files_in


def listed(storage: Storage) -> FileList:
    """One recursive listing, without Hudi's own folder. Holds files of every kind."""
    found: dict[str, list[FileInfo]] = {}
    for info in storage.list("", recursive=True):
        if not info.path.startswith(f"{FOLDER}/"):
            found.setdefault(info.path.rpartition("/")[0], []).append(info)
    return files_in(found)
