"""One log file: newer rows and deletes of a file slice, and what is reported of it. Rules: WRITE-13 to WRITE-15,
WRITE-1480.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.avro.outbound import schema_to_avro
from hudi_core.columns.concat import concat_columns
from hudi_core.columns.nodes import Column, StringColumn, StructColumn, UnionColumn, length
from hudi_core.columns.string_index import index_strings
from hudi_core.columns.strings import take_strings
from hudi_core.commit.statuses import WriteStatus
from hudi_core.data_files.column_ranges import ranges_of_rows
from hudi_core.data_files.file_properties import BLOCK_BYTES
from hudi_core.engine import Engine
from hudi_core.errors import AlreadyExistsError, ConflictError
from hudi_core.formats.deletes import DeleteRecords, deletes_of_keys
from hudi_core.formats.log import HeaderKey
from hudi_core.formats.log_write import encode_data_blocks, encode_delete_blocks
from hudi_core.formats.names import BaseFileName, LogFileName, parse_base_file, parse_log_file
from hudi_core.formats.roaring import encode_positions
from hudi_core.merge.delete_ordering import list_ordering
from hudi_core.merge.records import MergeRecords, Precedence, fold
from hudi_core.merge.rules import lists_marked_rows
from hudi_core.paths import data_path, file_name, join_paths
from hudi_core.reading.log_records import LogRecords
from hudi_core.reading.merge_columns import MergeColumns
from hudi_core.schema.meta import META_COLUMNS, is_meta
from hudi_core.schema.project import leave_out
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.timeline.slices import FileSlice
from hudi_core.types import nodes as t

OWN_TIME_SINCE: Final = 8
"""The table version from which on a log file has the time of its own commit in its name, not that of the slice's base file."""
POSITIONS_SINCE: Final = 8
"""The table version from which on blocks record the positions of their records in the base file."""
_STRING: Final = t.String()

Header = dict[HeaderKey, str]


@dataclass(frozen=True, slots=True)
class LogTarget:
    """A log file that is to be written. `number` is that of its task in the write."""

    partition: str
    name: LogFileName
    instant_time: str
    number: int

    @property
    def path(self) -> str:
        """From the table's root."""
        return data_path(join_paths(self.partition, file_name(self.name.file_name())))

    def beside(self, taken: Collection[str]) -> LogTarget:
        """The file, or the one of the next version whose path is not among those taken. Rule COMPACT-1485."""
        target = self
        while target.path in taken:
            target = replace(target, name=replace(target.name, version=target.name.version + 1))
        return target

    def of_attempt(self, attempt: str) -> LogTarget:
        """The file of one attempt at it. One that has its slice's time in its name, before table version 8, keeps its name: it is
        made once, whoever makes it. Rule WRITE-421."""
        if self.name.instant != self.instant_time:
            return self
        return replace(self, name=replace(self.name, write_token=f"{self.number}-{attempt}"))


def log_target(slice: FileSlice, instant_time: str, number: int, version: int, opened: str | None = None) -> LogTarget:
    """The next log file of a slice. In table version 6 it has the next version and the token of the slice's last one; `opened` is
    the time of a pending compaction of the slice: then it belongs to the slice that this opens. Rule COMPACT-373."""
    token = f"{number}-0-0"
    if version >= OWN_TIME_SINCE:
        return LogTarget(slice.partition, LogFileName(slice.file_id, instant_time, 1, token, ""), instant_time, number)
    instant = slice.instant if opened is None else opened
    logs = [log for file in slice.logs if (log := parse_log_file(file.name)) is not None]
    last = next((log for log in reversed(logs) if opened is None or log.instant == opened), None)
    name = LogFileName(slice.file_id, instant, 1, token, "")
    if last is not None:
        name = LogFileName(slice.file_id, last.instant, last.version + 1, last.write_token or token, "")
    return LogTarget(slice.partition, name, instant_time, number)


@dataclass(frozen=True, slots=True, eq=False)
class WrittenLog:
    """A log file and its status, whose added and removed keys hold only where rows and delete markers of the file win."""

    status: WriteStatus
    can_lose_rows: bool
    """Rows of added keys may lose against records of the slice with a higher ordering value."""
    can_lose_deletes: bool
    """Delete markers of removed keys may lose, too."""


@dataclass(frozen=True)
class LogFileWriter:
    """Writes one log file: blocks of rows, then blocks of deletes."""

    engine: Engine[Any, Any, Any]
    snapshot: Snapshot
    columns: MergeColumns
    target: LogTarget
    slice: FileSlice
    block_bytes: int = BLOCK_BYTES
    """Bytes of a block of rows, or of deletes, at most."""

    def write(
        self,
        records: LogRecords,
        positions: Numbers | None = None,
        columns: Collection[str] | None = None,
        new_keys: StringColumn | None = None,
        stored: int = 0,
    ) -> WrittenLog | None:
        """Writes the latest record of each key; None where there is no record. The first rows of `records`, so many, are stored
        already: what none of the others changes is left out.

        Rows with a delete marker have their ordering values, as rows or in delete blocks. `positions` are the positions of all
        records in the slice's base file, where known: then blocks record them. With `columns` rows have only these, the meta
        columns and the ordering fields: a partial update. Rows of `new_keys` are inserts. Raises `ConflictError` as `store_log`
        does, and what storage raises.
        """
        assert records.keys is not None
        key_ids, latest = fold(records.records, records.key_ids, self.columns.rules.precedence, self.columns.latest)
        if stored:
            changes = latest.listed | (latest.sources >= stored).any(axis=1)
            key_ids, latest = key_ids[changes], latest.take(np.flatnonzero(changes))
        strings = records.keys.strings
        assert isinstance(strings, StringColumn)
        base = None if self.slice.base is None else parse_base_file(self.slice.base.name)
        if base is None or self.snapshot.config.version < POSITIONS_SINCE:
            positions = None
        places = None if positions is None else positions[key_ids]
        # Without positions rows come in the order of the input.
        order = np.argsort(latest.sources[:, 0] if places is None else places, kind="stable")
        of_rows, listed = self._divide(records, latest, order)
        whole = leave_out(self.columns.schema, self.snapshot.config.left_out_columns)
        schema = whole if columns is None else self._partial(whole, columns)
        rows = with_fields(self._rows(records, latest.sources[of_rows]), schema.record)
        deletes = [
            deletes_of_keys(take_strings(strings, key_ids[of_deletes]), self.target.partition, ordering)
            for of_deletes, ordering in listed
        ]
        deleted = sum(len(of_deletes) for of_deletes, _ in listed)
        if length(rows) == deleted == 0:
            return None
        of_parts = [
            _BlockHeaders(self._header(stored), base, None if places is None else places[some])
            for stored, some in ((schema, of_rows), *((whole, of_deletes) for of_deletes, _ in listed))
        ]
        if columns is not None:
            of_parts[0].shared[HeaderKey.IS_PARTIAL] = "true"
        size = store_log(self.snapshot, self.target, self._blocks(rows, deletes, of_parts))
        is_ordered = self.columns.rules.precedence is not Precedence.NEWER
        added_keys, inserts = None, 0
        if new_keys is not None:
            is_new = index_strings(new_keys).find(take_strings(strings, key_ids)) >= 0
            added_keys = take_strings(strings, key_ids[is_new & ~latest.deleted])
            inserts = length(added_keys)
        status = replace(
            self._status(size, length(rows), deleted, inserts),
            added_keys=added_keys,
            columns=ranges_of_rows(rows, schema.record),
            removed_keys=take_strings(strings, key_ids[latest.deleted]),
            is_partial=columns is not None,
        )
        has_markers = bool(np.any(latest.deleted & ~latest.absolute))
        return WrittenLog(status, is_ordered and inserts > 0, is_ordered and has_markers)

    def _status(self, size: int, rows: int, deletes: int, inserts: int) -> WriteStatus:
        """What is reported of the file beside its contents. Its other rows count as updates. A file of the slice that a pending
        compaction opens states that slice, which has no base file yet."""
        instant = self.slice.instant
        base = None if self.slice.base is None else self.slice.base.name
        logs = [log.name for log in self.slice.logs]
        if self.snapshot.config.version < OWN_TIME_SINCE and self.target.name.instant > instant:
            instant, base = self.target.name.instant, None
            logs = [name for name in logs if (log := parse_log_file(name)) is not None and log.instant == instant]
        return WriteStatus(
            self.target.partition,
            self.target.name.file_id,
            self.target.path,
            size,
            rows=rows,
            inserts=inserts,
            updates=rows - inserts,
            deletes=deletes,
            is_log=True,
            previous_instant=instant,
            previous_base=base,
            log_files=(*logs, self.target.name.file_name()),
            names_slice=self.snapshot.config.cdc_enabled,
        )

    def _divide(
        self, records: LogRecords, latest: MergeRecords, order: Numbers
    ) -> tuple[Numbers, list[tuple[Numbers, UnionColumn | None]]]:
        """The numbers of the records that are written as rows, and of those that delete blocks list, with their ordering values
        or without any, all in this order. Rules WRITE-14, WRITE-1480."""
        columns = self.columns
        listed, ordered = latest.listed, list[tuple[Numbers, UnionColumn | None]]()
        as_rows = ~listed
        if columns.marker is not None and lists_marked_rows(self.snapshot.config):
            absolute = latest.absolute | (columns.rules.precedence is Precedence.NEWER)
            listed = listed | (latest.deleted & absolute)
            marked = order[(latest.deleted & ~listed)[order]]
            as_rows = ~listed
            if len(marked) and (values := self._list_ordering(records, latest.sources[marked])) is not None:
                ordering, stated = values
                ordered.append((marked[stated], ordering))
                as_rows[marked[stated]] = False
        return order[as_rows[order]], [(order[listed[order]], None), *ordered]

    def _list_ordering(self, records: LogRecords, sources: Any) -> tuple[UnionColumn, Bools] | None:
        columns, rows = self.columns, self.engine.rows
        parts = [
            columns.ordering_values(rows.root(batch), self.target.path) for batch in self._gather(records, sources)
        ]
        values = [concat_columns(some, len(sources)) for some in zip(*parts, strict=True)]
        return list_ordering(values, [place.field.type for place in columns.ordering], columns)

    def _gather(self, records: LogRecords, sources: Any) -> Iterator[Any]:
        """The rows of these sources, in the engine's batches."""
        parts = [sources[:, number].astype(np.int64) for number in range(sources.shape[1])]
        if len(parts) < len(self.columns.schema.fields):  # rows that are merged as a whole
            parts = parts * len(self.columns.schema.fields)
        return self.engine.rows.gather(records.batches, parts, self.columns.schema) if records.batches else iter(())

    def _rows(self, records: LogRecords, sources: Any) -> StructColumn:
        """The rows as columns, with the meta columns filled in."""
        record = self.columns.schema.record
        columns = list(self._stamp_rows(self._gather(records, sources)))
        joined: Column = concat_columns(columns, sum(map(length, columns))) if columns else no_rows(record)
        assert isinstance(joined, StructColumn)
        return joined

    def _stamp_rows(self, batches: Iterator[Any]) -> Iterator[Column]:
        values, target, schema = self.engine.values, self.target, self.columns.schema
        first = 1
        for batch in batches:
            root = self.engine.rows.root(batch)
            if self.snapshot.config.populate_meta_fields:
                parts = [values.field(root, position) for position in range(len(schema.fields))]
                parts[0] = values.literal(target.instant_time, _STRING, root)
                parts[1] = values.number_rows(root, first, f"{target.instant_time}_{target.number}_")
                parts[len(META_COLUMNS) - 1] = values.literal(target.name.file_id, _STRING, root)
                root = values.struct(list(zip(schema.fields, parts, strict=True)), values.is_null(root), root)
            yield self.engine.rows.to_column(root, schema.record, target.path)
            first += self.engine.rows.count(batch)

    def _partial(self, whole: Schema, columns: Collection[str]) -> Schema:
        """The schema of rows that change some columns alone."""
        ordering = {self.columns.schema.fields[place.positions[0]].name for place in self.columns.ordering}
        kept = tuple(
            column for column in whole.fields
            if column.name in columns or column.name in ordering or is_meta(column.name)
        )  # fmt: skip
        return replace(whole, record=replace(whole.record, fields=kept))

    def _header(self, schema: Schema) -> Header:
        """What the headers of all blocks of rows of a schema have."""
        text = json.dumps(schema_to_avro(schema), separators=(",", ":"))
        return {HeaderKey.INSTANT_TIME: self.target.instant_time, HeaderKey.SCHEMA: text}

    def _blocks(
        self, rows: StructColumn, deletes: Sequence[DeleteRecords], of_parts: Sequence[_BlockHeaders]
    ) -> Iterator[bytes]:
        of_rows, *of_deletes = of_parts
        yield from encode_data_blocks(of_rows.header, [rows], self.target.path, self.block_bytes)
        for some, headers in zip(deletes, of_deletes, strict=True):
            yield from encode_delete_blocks(headers.header, some, self.block_bytes)


@dataclass(frozen=True, slots=True, eq=False)
class _BlockHeaders:
    """The headers of blocks: what all share, and the places of their records in the base file, ascending, where known."""

    shared: Header
    base: BaseFileName | None
    places: Numbers | None

    def header(self, first: int, stop: int) -> Header:
        """The header of a block of the records from `first` up to `stop`."""
        if self.places is None or self.base is None:
            return self.shared
        return {
            **self.shared,
            HeaderKey.RECORD_POSITIONS: encode_positions(self.places[first:stop]),
            HeaderKey.BASE_FILE_INSTANT_TIME_OF_RECORD_POSITIONS: self.base.instant,
        }


def store_log(snapshot: Snapshot, target: LogTarget, blocks: Iterable[bytes]) -> int:
    """Writes the blocks of a log file, and gives their bytes. Before table version 8 the file is made at once, from memory.

    Raises `ConflictError` where another write has made it: before version 8, two writes may give their log files of one slice
    the same name.
    """
    storage, path = snapshot.storage, target.path
    if snapshot.config.version >= OWN_TIME_SINCE:
        size = 0
        with storage.output(path) as stream:
            for block in blocks:
                size += stream.write(block)
        return size
    content = b"".join(blocks)
    try:
        storage.create(path, content)
    except AlreadyExistsError:
        if storage.read(path) != content:  # it is not that of an earlier attempt of this task
            expected = "no log file of another write"
            raise ConflictError(f"{storage.uri}/{path}", expected=expected, found="one") from None
    return len(content)


def with_fields(rows: StructColumn, record: t.Record) -> StructColumn:
    """Rows with the fields of the record alone, in its order."""
    return replace(rows, fields={field.name: rows.fields[field.name] for field in record.fields})


def no_rows(record: t.Record) -> StructColumn:
    """The columns of no row."""
    return StructColumn(
        0, {field.name: StringColumn(np.zeros(1, np.int64), np.zeros(0, np.uint8)) for field in record.fields}
    )
