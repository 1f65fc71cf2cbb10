"""What writers note of each file that they make, for the indexes that record values of files. Rules WRITE-60 to WRITE-62.

A note is made where the file is written; rows of the metadata table are made of it at the commit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Protocol

from hudi_core.commit.statuses import SERVICES, TableChange, WriteStatus
from hudi_core.engine import FileInfo
from hudi_core.index_kinds.after_write import snapshot_after
from hudi_core.index_kinds.expressions import keep_expression
from hudi_core.metadata.definitions import IndexDefinition, index_definitions
from hudi_core.metadata.kinds import EXPRESSION_INDEX, PerKind
from hudi_core.parallel.ordered import in_order
from hudi_core.schema.meta import bare_schema
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.table.table import Table
from hudi_core.timeline.slices import FileSlice


class NotedIndex(Protocol):
    """An index that records something of each file. It can be pickled."""

    @property
    def partition(self) -> str:
        """Its metadata partition."""
        ...

    @property
    def index(self) -> object:
        """What its rows are made with, beside the notes."""
        ...

    def of_file(self, snapshot: Snapshot, slice: FileSlice, file: FileInfo) -> object | None:
        """The note of a file of the slice; None where nothing is known. Raises what reading the file raises."""
        ...


Keep = Callable[[Table, str, IndexDefinition | None, Schema | None], NotedIndex]
"""Opens the index of a partition for a write. Raises `UnsupportedError` for one that the write would not keep up to date."""

NOTED: Final = PerKind[Keep]({EXPRESSION_INDEX: keep_expression})
"""The indexes of a kind, for writes."""


def list_noted_indexes(table: Table, schema: Schema | None = None) -> tuple[NotedIndex, ...]:
    """The indexes of a table that record something of each file. `schema` is what the table's becomes, without the meta columns;
    None: it stays.

    Raises `UnsupportedError` for an index that writes would not keep up to date. Rules WRITE-61, WRITE-62.
    """
    kept = list(NOTED.among(table.config.kept_partitions))
    definitions = index_definitions(table.storage, table.config) if kept else {}
    return tuple(keep(table, partition, definitions.get(partition), schema) for partition, keep in kept)


def list_noted_by_run(table: Table, before: Snapshot) -> tuple[NotedIndex, ...]:
    """The indexes for which the run of a plan makes notes of its files: none where it goes on `before` under an earlier schema of
    the table, whose columns are not those that the indexes name. Raises as `list_noted_indexes`. Rule COMMIT-1545."""
    noted = list_noted_indexes(table)
    return noted if before.schema.record == table.schema.record else ()


@dataclass(frozen=True)
class FileNotes:
    """Makes the notes of files that a write made. `before` is the snapshot that it was planned on."""

    before: Snapshot
    indexes: tuple[NotedIndex, ...]
    schema: Schema
    """What the table's becomes, without the meta columns."""
    instant_time: str

    def of_status(self, status: WriteStatus) -> WriteStatus:
        """The status with the notes of its file. Raises what reading it raises."""
        file = FileInfo(status.path, status.size)
        base, logs = (None, (file,)) if status.is_log else (file, ())
        alone = FileSlice(status.partition, status.file_id, self.instant_time, base, logs)
        notes = {index.partition: index.of_file(self._after, alone, file) for index in self.indexes}
        return replace(status, notes={**status.notes, **notes})

    @cached_property
    def _after(self) -> Snapshot:
        return snapshot_after(self.before, self.schema, self.instant_time)


def with_late_notes(table: Table, indexes: Sequence[NotedIndex], instant_time: str, change: TableChange) -> TableChange:
    """The change with notes of files that were written before the build of an index began; nothing is known of those that the run
    of a plan wrote under an earlier schema. `table` is as it was before the commit. Rules WRITE-61, COMMIT-1545."""
    late = [index for index in indexes if any(index.partition not in status.notes for status in change.statuses)]
    if not late:
        return change
    if change.operation in SERVICES and change.schema.record != bare_schema(table.schema).record:
        unknown = dict.fromkeys(index.partition for index in late)
        return replace(change, statuses=tuple(replace(one, notes={**one.notes, **unknown}) for one in change.statuses))
    notes = FileNotes(table.snapshot(), tuple(late), change.schema, instant_time)
    return replace(change, statuses=tuple(in_order(notes.of_status, change.statuses)))
