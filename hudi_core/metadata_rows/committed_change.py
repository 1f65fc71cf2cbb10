"""A commit of the table, as rows of the metadata table are made of it: what they share, found once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from functools import cached_property

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import string_column
from hudi_core.commit.statuses import TableChange, WriteStatus
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.metadata.definitions import IndexDefinition
from hudi_core.metadata.file_keys import Keys, keys_of
from hudi_core.metadata.table import MetadataTable


@dataclass(frozen=True, slots=True)
class Touched:
    """The partitions that a commit touches: of each the files that were there before and still count; all of them in order, with
    their numbers; those that are left without files; and the number of each new file's with statistics."""

    live: Mapping[str, Sequence[str]]
    partitions: Sequence[str]
    numbers: Mapping[str, int]
    gone: Sequence[str]
    new: Numbers

    @property
    def has_files(self) -> bool:
        return len(self.new) > 0 or any(self.live.values())


@dataclass(frozen=True)
class CommittedChange:
    """A commit of the table, as rows of the metadata table are made of it."""

    metadata: MetadataTable
    definitions: Mapping[str, IndexDefinition]
    instant_time: str
    change: TableChange
    files_before: Mapping[str, Collection[str]]
    """By partition the names of the files that the latest slices were made of before the commit, at least of the partitions
    that it touches."""
    zone: tzinfo | None = None
    """That of the table's times; None: the machine's own."""
    noted: Mapping[str, object] = field(default_factory=dict)
    """By metadata partition what is known of an index of which files were noted."""
    tight: bool = True
    """Records of whole partitions take the place of earlier ones; else they are merged with them."""

    @cached_property
    def new_files(self) -> tuple[Keys, StringColumn]:
        """The parts after the column of the keys of new files, and the names of these."""
        names = string_column([file_name_of(status) for status in self.change.statuses])
        return keys_of((status.partition for status in self.change.statuses), names), names

    @cached_property
    def touched(self) -> Touched:
        live = self._files_left()
        partitions = sorted({*live, *(status.partition for status in self.change.statuses)})
        filled = {status.partition for status in self.change.statuses} | {name for name in live if live[name]}
        gone = [*self.change.deleted_partitions, *(partition for partition in partitions if partition not in filled)]
        # What a delete would hide of a write that is not complete is not known: then the records stay, and are too wide.
        gone = [partition for partition in dict.fromkeys(gone) if partition not in filled and self.tight]
        numbers = {partition: number for number, partition in enumerate(partitions)}
        new = np.array([numbers[status.partition] for status in self.change.statuses], np.int64)
        return Touched(live, partitions, numbers, gone, new)

    def _files_left(self) -> dict[str, list[str]]:
        """By partition that the commit touches, the files from before it that are still live."""
        touched = {status.partition for status in self.change.statuses} | set(self.change.replaced)
        superseded = {
            (status.partition, status.file_id): None if status.merged is None else status.merged.superseded
            for status in self.change.statuses
            if not status.is_log
        }
        replaced = {(partition, file_id) for partition, ids in self.change.replaced.items() for file_id in ids}
        left: dict[str, list[str]] = {}
        for partition in touched - set(self.change.deleted_partitions):
            left[partition] = [
                name
                for name in self.files_before.get(partition, ())
                if not self._is_over(partition, name, superseded, replaced)
            ]
        return left

    def _is_over(
        self,
        partition: str,
        name: str,
        superseded: Mapping[tuple[str, str], Collection[str] | None],
        replaced: Collection[tuple[str, str]],
    ) -> bool:
        """A new base file takes the place of what its file group was made of, but for log files of later commits. A compaction
        states which files it merged: log files of earlier commits that completed since stay."""
        parsed = parse_log_file(name) or parse_base_file(name)
        if parsed is None:
            return True
        group = (partition, parsed.file_id)
        if group in replaced or group not in superseded:
            return group in replaced
        merged = superseded[group]
        return parsed.instant < self.instant_time if merged is None else name in merged


def file_name_of(status: WriteStatus) -> str:
    """The name of the file that a task wrote."""
    return status.path.rpartition("/")[2]
