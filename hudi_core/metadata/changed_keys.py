"""The record keys whose entries in the record index a write of the table changed. Rule CONFLICT-530."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import concat_strings, utf8_column
from hudi_core.engine import FileInfo, Storage
from hudi_core.errors import NoSuchFileError
from hudi_core.formats.hfile.cells import keys_of
from hudi_core.metadata.records import open_group
from hudi_core.metadata.table import METADATA_FOLDER, RECORD_INDEX, MetadataTable
from hudi_core.timeline.slices import FileSlice

ChangedLogs = Mapping[str, tuple[FileInfo, ...]]
"""The log files of a write in the record index, by file group of it."""


def list_changed_logs(metadata: MetadataTable, requested_time: str) -> ChangedLogs | None:
    """The log files with the keys that a write added, moved or removed; None where its commit is not known any more."""
    written = next((one for one in metadata.timeline.commits if one.requested_time == requested_time), None)
    if written is None:
        return None
    logs: dict[str, tuple[FileInfo, ...]] = {}
    for stat in metadata.timeline.metadata(written).stats.get(RECORD_INDEX, ()):
        log = FileInfo(f"{METADATA_FOLDER}/{stat.path}", stat.file_size or 0)
        logs[stat.file_id] = (*logs.get(stat.file_id, ()), log)
    return logs


def read_changed_keys(metadata: MetadataTable, requested_time: str) -> Mapping[str, StringColumn] | None:
    """The keys that a write added, moved or removed, by file group of the record index; None where that is not known any more,
    as its log files were merged and cleaned away since."""
    logs = list_changed_logs(metadata, requested_time)
    if logs is None:
        return None
    try:
        return {file_id: read_log_keys(metadata.storage, of_group) for file_id, of_group in logs.items()}
    except NoSuchFileError:
        return None


def read_log_keys(storage: Storage, logs: Sequence[FileInfo]) -> StringColumn:
    """The keys of the records and deletes in log files of one file group. Raises `NoSuchFileError` for one that is gone."""
    group = open_group(storage, FileSlice(RECORD_INDEX, "", "", None, tuple(logs)), lambda _: True)
    added = [keys_of(batch.cells) for batch in group.logs]
    removed = [utf8_column(list(block.keys)) for block in group.deletes]
    return concat_strings([*added, *removed])
