"""The record keys whose entries in the record index a write of the table changed. Rule CONFLICT-530."""

from __future__ import annotations

from collections.abc import Mapping

from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import concat_strings, utf8_column
from hudi_core.engine import FileInfo
from hudi_core.errors import NoSuchFileError
from hudi_core.formats.hfile.cells import keys_of
from hudi_core.metadata.records import open_group
from hudi_core.metadata.table import METADATA_FOLDER, RECORD_INDEX, MetadataTable
from hudi_core.timeline.slices import FileSlice


def read_changed_keys(metadata: MetadataTable, requested_time: str) -> Mapping[str, StringColumn] | None:
    """The keys that a write added, moved or removed, by file group of the record index; None where that is not known any more,
    as its log files were merged and cleaned away since."""
    written = next((one for one in metadata.timeline.commits if one.requested_time == requested_time), None)
    if written is None:
        return None
    keys: dict[str, StringColumn] = {}
    for stat in metadata.timeline.metadata(written).stats.get(RECORD_INDEX, ()):
        log = FileInfo(f"{METADATA_FOLDER}/{stat.path}", stat.file_size or 0)
        try:
            group = open_group(
                metadata.storage, FileSlice(RECORD_INDEX, stat.file_id, requested_time, None, (log,)), lambda _: True
            )
        except NoSuchFileError:
            return None
        added = [keys_of(batch.cells) for batch in group.logs]
        removed = [utf8_column(list(block.keys)) for block in group.deletes]
        keys[stat.file_id] = concat_strings([*added, *removed])
    return keys
