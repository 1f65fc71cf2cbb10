"""The record index's part of a commit: where keys are after it. Rules META-53, META-54, META-72."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import concat_strings
from hudi_core.commit.statuses import WriteStatus
from hudi_core.errors import UsageError
from hudi_core.metadata_writer.group_files import find_repeated_key, without
from hudi_core.metadata_writer.rows import IndexRows, location_rows, together


@dataclass(frozen=True, slots=True, eq=False)
class KeyChanges:
    """Record keys that a file group holds after a commit, all that are new to it among them, and keys that it does not hold any
    more."""

    partition: str
    file_id: str
    added: StringColumn | None = None
    removed: StringColumn | None = None


def key_changes(status: WriteStatus) -> KeyChanges:
    """The keys of a status."""
    return KeyChanges(status.partition, status.file_id, status.added_keys, status.removed_keys)


def location_changes(changes: Sequence[KeyChanges], milliseconds: int) -> IndexRows:
    """The records of these keys in the record index, of a commit at a time counted from 1970. A key that one file group loses and
    another gets has moved. Raises `UsageError` for a key that two get."""
    added = together(
        [location_rows(one.added, one.partition, one.file_id, milliseconds) for one in changes if one.added is not None]
    )
    twice = find_repeated_key(added.keys)
    if twice is not None:
        raise UsageError("record index", expected="each record key in one file group", found=f"{twice!r} in two")
    removed = [one.removed for one in changes if one.removed is not None]
    gone = without(concat_strings(removed), added.keys) if removed else added.deletes
    return IndexRows(added.keys, added.values, gone)
