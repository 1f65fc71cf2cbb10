"""The changes of a write in secondary indexes: the keys that file groups held before, and those that they hold after it.

Rules WRITE-40 to WRITE-43.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from hudi_core.commit.statuses import CLUSTER, COMPACTIONS, TableChange, WriteStatus
from hudi_core.errors import UnsupportedError
from hudi_core.formats.secondary_keys import NO_KEYS, KeyChange, SecondaryKeys, concat_keys
from hudi_core.index_kinds.after_write import slice_after, snapshot_after
from hudi_core.index_kinds.fixed_columns import refuse_changed_column, refuse_left_out_column
from hudi_core.metadata.definitions import IndexDefinition, index_definitions
from hudi_core.metadata.kinds import SECONDARY, of_kind
from hudi_core.metadata.table import RECORD_INDEX
from hudi_core.metadata_rows.secondary import can_be_secondary
from hudi_core.metadata_rows.statistics_rows import V1, V2
from hudi_core.parallel.ordered import in_order
from hudi_core.planning.sources.sources import Sources
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.table.table import Table
from hudi_core.tagging.secondary_values import SecondaryValues
from hudi_core.timeline.slices import FileSlice, slices_of


@dataclass(frozen=True, slots=True)
class IndexedColumn:
    """A secondary index, by its metadata partition, and its column."""

    partition: str
    column: str


@dataclass(frozen=True, slots=True)
class Indexed:
    """The secondary indexes that a write keeps up to date, and the table's schema after it, without the meta columns."""

    columns: tuple[IndexedColumn, ...]
    schema: Schema


def list_indexed_columns(table: Table, schema: Schema | None = None) -> tuple[IndexedColumn, ...]:
    """The secondary indexes of a table. `schema` is what the table's becomes, without the meta columns; None: it stays.

    Raises `UnsupportedError` for an index that writes would not keep up to date. Rules WRITE-42, WRITE-43.
    """
    partitions = of_kind(SECONDARY, table.config.kept_partitions)
    if not partitions:
        return ()
    definitions = index_definitions(table.storage, table.config)
    records = definitions.get(RECORD_INDEX)
    if records is not None and records.is_partitioned:
        found = f"{partitions[0]} and a partitioned record index"
        raise UnsupportedError(
            table.storage.uri, expected="unique record keys, which secondary indexes need", found=found
        )
    return tuple(_make_indexed(table, partition, definitions.get(partition), schema) for partition in partitions)


def _make_indexed(
    table: Table, partition: str, definition: IndexDefinition | None, schema: Schema | None
) -> IndexedColumn:
    if definition is None or len(definition.columns) != 1 or definition.version not in (V1, V2):
        found = "no definition" if definition is None else f"{definition.columns} in version {definition.version}"
        raise UnsupportedError(
            f"{table.storage.uri}: {partition}", expected="an index of one column in version V1 or V2", found=found
        )
    name = definition.columns[0]
    refuse_unindexable(table, partition, name)
    refuse_changed_column(table, partition, name, "a secondary index", schema)
    return IndexedColumn(partition, name)


def refuse_unindexable(table: Table, partition: str, name: str) -> None:
    """Raises `UnsupportedError` for a column that cannot have a secondary index here. Rules META-111, WRITE-42."""
    refuse_left_out_column(table, partition, name)
    place = table.schema.find((name,))
    if place is None or not can_be_secondary(place.field.type):
        raise UnsupportedError(
            f"{table.storage.uri}: {partition}",
            expected=f"{name} as a top-level column of strings, whole numbers, dates or timestamps in microseconds",
            found="none" if place is None else f"{place.field.type}",
        )


@dataclass(frozen=True)
class SecondaryChanges:
    """Compares file slices before and after a write. `before` is the snapshot that the write was planned on."""

    before: Snapshot
    indexed: Indexed
    instant_time: str

    def of_status(self, status: WriteStatus, slice: FileSlice | None) -> WriteStatus:
        """The status with the changes of its file group, which consisted of this slice; None for a new one."""
        old = self._keys_before(slice)
        new = keys_of_slice(self._after, self.indexed.columns, slice_after(status, slice, self.instant_time))
        changes = {
            column.partition: KeyChange(now.without(then), then.without(now))
            for column, now, then in zip(self.indexed.columns, new, old, strict=True)
        }
        return replace(status, secondary={**status.secondary, **changes})

    def _keys_before(self, slice: FileSlice | None) -> list[SecondaryKeys]:
        """The keys of a slice before the write, by index."""
        return (
            [NO_KEYS] * len(self.indexed.columns)
            if slice is None
            else keys_of_slice(self.before, self.indexed.columns, slice)
        )

    @cached_property
    def _after(self) -> Snapshot:
        return snapshot_after(self.before, self.indexed.schema, self.instant_time)


def read_replaced_secondary(
    table: Table, columns: Sequence[IndexedColumn], replaced: Mapping[str, Iterable[str]]
) -> dict[str, SecondaryKeys]:
    """The keys of file groups that a write replaces, by index."""
    if not columns or not replaced:
        return {}
    gone = {(partition, file_id) for partition, ids in replaced.items() for file_id in ids}
    slices = [file_slice for file_slice in table.slices() if (file_slice.partition, file_slice.file_id) in gone]
    return keys_of_slices(table.snapshot(), columns, slices)


def keys_of_slices(
    snapshot: Snapshot, columns: Sequence[IndexedColumn], slices: Sequence[FileSlice]
) -> dict[str, SecondaryKeys]:
    """The keys of slices, by index; slices are read side by side."""
    of_slices = list(in_order(partial(keys_of_slice, snapshot, columns), slices))
    return {
        column.partition: concat_keys([keys[number] for keys in of_slices]) for number, column in enumerate(columns)
    }


def keys_of_slice(snapshot: Snapshot, columns: Sequence[IndexedColumn], slice: FileSlice) -> list[SecondaryKeys]:
    """The keys of a slice, by number of the index. Raises what reading it raises."""
    sources = Sources(snapshot.of_slices(slices_of([slice])))
    return SecondaryValues(sources, [column.column for column in columns]).of_slice(slice)


def with_late_indexes(table: Table, instant_time: str, change: TableChange) -> TableChange:
    """The change, extended by its changes in secondary indexes whose build began after its files were written. `table` is the
    table before the commit. Rule WRITE-41."""
    if change.operation == CLUSTER or change.operation in COMPACTIONS:
        return change
    staged = frozenset[str]() if change.staged is None else change.staged.partitions
    columns = [column for column in list_indexed_columns(table) if column.partition not in staged]
    late = [
        column
        for column in columns
        if any(column.partition not in status.secondary for status in change.statuses)
        or (change.replaced and column.partition not in change.replaced_secondary)
    ]
    if not late:
        return change
    written = {(status.partition, status.file_id) for status in change.statuses}
    slices = {(one.partition, one.file_id): one for one in table.slices() if (one.partition, one.file_id) in written}
    changes = SecondaryChanges(table.snapshot(), Indexed(tuple(late), change.schema), instant_time)
    statuses = in_order(
        lambda status: changes.of_status(status, slices.get((status.partition, status.file_id))), change.statuses
    )
    replaced = read_replaced_secondary(table, late, change.replaced)
    return replace(change, statuses=tuple(statuses), replaced_secondary={**change.replaced_secondary, **replaced})
