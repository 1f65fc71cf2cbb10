"""Records at the edge: the key of one, where it is stored, and the record itself. Inside, batches go their way as columns.

Names as in RFC-88.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from hudi_core.notebook import show_briefly


@show_briefly
@dataclass(frozen=True, slots=True, order=True)
class HoodieKey:
    """The identity of a record in its table. `partition_path` is empty for a table without partitions."""

    record_key: str
    partition_path: str


@show_briefly
@dataclass(frozen=True, slots=True)
class HoodieRecordLocation:
    """Where a record is stored: the file group, and the instant that wrote the file.

    `position` is the record's place in the base file, counted from 0; None when it is not known.
    """

    instant: str
    file_id: str
    position: int | None = None


@show_briefly
@dataclass(frozen=True, slots=True)
class HoodieRecordGlobalLocation:
    """Where a record is stored in the whole table: the answer of an index over all partitions."""

    partition_path: str
    instant: str
    file_id: str
    position: int | None = None

    @property
    def local(self) -> HoodieRecordLocation:
        """The location within the partition."""
        return HoodieRecordLocation(self.instant, self.file_id, self.position)


class HoodieOperation(Enum):
    """The operations of changes on records, with the letters of the column `_hoodie_operation`."""

    INSERT = "I"
    UPDATE_BEFORE = "-U"
    UPDATE_AFTER = "U"
    DELETE = "D"


@show_briefly
@dataclass(frozen=True, slots=True)
class HoodieRecord:
    """One record: its key, its values by column name, and where it was and will be stored. `data` is None for a deleted record.

    `ordering` are the values that decide which of two records with one key is later; empty means that the one that arrives last
    is.
    """

    key: HoodieKey
    data: Mapping[str, object] | None
    current_location: HoodieRecordLocation | None = None
    new_location: HoodieRecordLocation | None = None
    operation: HoodieOperation | None = None
    ordering: tuple[object, ...] = ()
