"""What one data file holds: its rows, statistics of its columns made from its values, its keys. Each file is opened once.

Rules VALID-3, VALID-4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.columns.nodes import Column, StringColumn, StructColumn
from hudi_core.columns.slicing import without_nulls
from hudi_core.commit.statuses import ColumnRange
from hudi_core.data_files.column_ranges import least_and_greatest, ranges_of_rows
from hudi_core.engine import Footer
from hudi_core.errors import CorruptFileError, SchemaError, TableError
from hudi_core.formats.avro.block import join_records
from hudi_core.formats.avro.columns import decode
from hudi_core.formats.deletes import read_deletes
from hudi_core.formats.hfile.file import HFile
from hudi_core.formats.hfile.records import decode_rows
from hudi_core.formats.leaf_statistics import LeafStatistics
from hudi_core.formats.log import BlockKind, HeaderKey, LogBlock
from hudi_core.formats.native_log import log_blocks
from hudi_core.formats.random_access import InMemoryFile
from hudi_core.reading.block_files import open_content
from hudi_core.reading.log_records import list_columns_left_to_keys
from hudi_core.schema.meta import RECORD_KEY
from hudi_core.schema.project import project
from hudi_core.schema.schema import Path, Schema
from hudi_core.timeline.blocks import counting_blocks
from hudi_core.timeline.recorded_logs import knows_writers, lacks_written
from hudi_core.types import nodes as t
from hudi_core.validation.findings import Finding
from hudi_core.validation.subject import DataFile, Subject


class KeyWatch(Protocol):
    """Sees the record keys of a base file as they are read, in one thread."""

    def take(self, keys: StringColumn) -> None:
        """Some of the keys, in file order, none of them null."""
        ...

    def summarize(self) -> KeyWatch:
        """What it has seen, small enough to be sent; it takes no more keys."""
        ...


@dataclass(frozen=True, slots=True)
class NoWatch:
    """In place of a watch that could not be made."""

    error: TableError

    def take(self, keys: StringColumn) -> None:
        """Lets the keys pass."""

    def summarize(self) -> NoWatch:
        return self


class KeyWatcher(Protocol):
    """Makes a watch for a base file, or none. Safe in threads."""

    def watch(self, file: DataFile, footer: Footer) -> KeyWatch | None: ...


class ContentCheck:
    """A check of what data files hold. `take` is called for each file, in order, then `end` once."""

    watcher: ClassVar[str | None] = None
    """The name by which tasks elsewhere make its watches; None: it has none."""

    def open(self) -> TableError | None:
        """Makes ready what threads share. Gives what goes wrong: then the check is left out."""
        return None

    def watch(self, file: DataFile, footer: Footer) -> KeyWatch | None:
        """What is to see the record keys of a base file."""
        return None

    def take(self, facts: FileFacts, watch: KeyWatch | None) -> Iterator[Finding]:
        """The findings of one file."""
        return iter(())

    def end(self) -> Iterator[Finding]:
        """The findings of all files together."""
        return iter(())


@dataclass(frozen=True, slots=True, eq=False)
class FileFacts:
    """What a data file holds. `columns` are statistics of leaves outside lists and maps, by path of names, made from the values;
    of a log file those of the blocks that count. None: they are not known. `problem` is why the file could not be read.
    """

    file: DataFile
    rows: int = 0
    columns: Mapping[Path, LeafStatistics] | None = None
    footer: Footer | None = None
    keys: tuple[bytes, bytes] | None = None
    """The least and the greatest record key."""
    damaged: tuple[tuple[int, int], ...] = ()
    """Where parts of a log file begin that are no block, and their bytes."""
    last_block: int = 0
    """Where the last whole block of a log file ends."""
    is_whole: bool = False
    """Whether a log file is known to have all that completed writes wrote to it, though it has damaged parts."""
    watches: Sequence[KeyWatch | None] = ()
    problem: TableError | None = None


def file_facts(subject: Subject, file: DataFile, watchers: Sequence[KeyWatcher] = ()) -> FileFacts:
    """Reads a data file to its end. Errors are a part of the result."""
    try:
        return _log_facts(subject, file) if file.is_log else _base_facts(subject, file, watchers)
    except TableError as error:
        return FileFacts(file, problem=error)
    except SchemaError as error:
        problem = CorruptFileError(file.info.path, expected="values of the stored types", found=str(error))
        return FileFacts(file, problem=problem)


def _base_facts(subject: Subject, file: DataFile, watchers: Sequence[KeyWatcher]) -> FileFacts:
    table = subject.table
    opened = table.engine.reader(file.info.extension).open(table.storage, file.info)
    footer = opened.footer
    paths = list(_leaves(footer.schema.record, ()))
    stored = project(footer.schema, paths)
    where = f"{subject.root}/{file.info.path}"
    sums, watches = _Sums(), [watcher.watch(file, footer) for watcher in watchers]
    least: bytes | None = None
    greatest: bytes | None = None
    for batch in opened.batches(paths):
        columns = table.engine.rows.to_column(table.engine.rows.root(batch), stored.record, where)
        if not isinstance(columns, StructColumn):
            raise CorruptFileError(where, expected="rows", found=type(columns).__name__)
        sums.add(columns, stored)
        keys = _keys(columns)
        if keys is not None and len(keys.offsets) > 1:
            first, last = (_string(keys, row) for row in least_and_greatest(keys))
            least = first if least is None else min(least, first)
            greatest = last if greatest is None else max(greatest, last)
            for watch in watches:
                if watch is not None:
                    watch.take(keys)
    bounds = None if least is None or greatest is None else (least, greatest)
    return FileFacts(file, sums.rows, sums.columns, footer, bounds, watches=watches)


def _leaves(record: t.Record, path: Path) -> Iterator[Path]:
    """The paths of columns outside lists and maps."""
    for field_ in record.fields:
        place = (*path, field_.name)
        if isinstance(field_.type, t.Record) and field_.type.kind is t.RecordKind.PLAIN:
            yield from _leaves(field_.type, place)
        elif not isinstance(field_.type, t.Nested):
            yield place


def _keys(columns: StructColumn) -> StringColumn | None:
    keys = columns.fields.get(RECORD_KEY)
    live = None if keys is None else without_nulls(keys)
    return live if isinstance(live, StringColumn) else None


def _string(column: StringColumn, row: int) -> bytes:
    return column.data[column.offsets[row] : column.offsets[row + 1]].tobytes()


def _log_facts(subject: Subject, file: DataFile) -> FileFacts:
    source = subject.table.storage.open(file.info.path, file.info.size)
    blocks = list(log_blocks(file.info.name, source))
    damaged = tuple((block.offset, block.length) for block in blocks if block.kind is BlockKind.CORRUPT)
    whole = [block for block in blocks if block.kind is not BlockKind.CORRUPT]
    sums = _Sums()
    counting = {block.offset for block in counting_blocks(whole, subject.table.timeline.is_committed)}
    for block in whole:
        for columns, schema in _block_rows(subject, block):
            if block.offset in counting:
                sums.add(columns, schema)
    ends = [block.offset + block.length for block in whole]
    known = None if damaged or file.is_cdc else sums.columns
    timeline, path = subject.table.timeline, file.info.path
    is_whole = bool(damaged) and knows_writers(timeline, path) and not lacks_written(timeline, path, blocks)
    return FileFacts(file, sums.rows, known, damaged=damaged, last_block=max(ends, default=0), is_whole=is_whole)


def _block_rows(subject: Subject, block: LogBlock) -> Iterator[tuple[StructColumn, Schema]]:
    """The rows of a block; none of a block without rows, which is read all the same."""
    match block.kind:
        case BlockKind.DELETE | BlockKind.CDC_DATA if block.native:
            for _ in _parquet_rows(subject, block):
                pass
        case BlockKind.DELETE:
            read_deletes(block)
        case BlockKind.AVRO_DATA | BlockKind.CDC_DATA:
            text = block.require(HeaderKey.SCHEMA)
            yield _rows(decode(text, *join_records([block]), block.where)), schema_from_avro(text, block.where)
        case BlockKind.HFILE_DATA:
            hfile = HFile(InMemoryFile(block.content(), block.where))
            schema_text = block.header.get(HeaderKey.SCHEMA) or hfile.schema_text
            if schema_text is None:
                raise CorruptFileError(block.where, expected="a schema of the records", found="none")
            schema = schema_from_avro(schema_text, block.where)
            names, left = (
                [column.name for column in schema.fields],
                list_columns_left_to_keys(block, subject.table.config),
            )
            for rows in decode_rows(schema_text, hfile.cells(), names, block.where, left):
                yield rows, schema
        case BlockKind.PARQUET_DATA:
            yield from _parquet_rows(subject, block)


def _parquet_rows(subject: Subject, block: LogBlock) -> Iterator[tuple[StructColumn, Schema]]:
    engine = subject.table.engine
    with open_content(block, engine) as opened:
        schema = opened.footer.schema
        paths = list(_leaves(schema.record, ()))
        stored = project(schema, paths)
        for batch in opened.batches(paths):
            yield _rows(engine.rows.to_column(engine.rows.root(batch), stored.record, block.where)), stored


def _rows(column: Column) -> StructColumn:
    assert isinstance(column, StructColumn)
    return column


@dataclass(slots=True)
class _Sums:
    """Statistics of rows that come a part at a time."""

    rows: int = 0
    _columns: dict[Path, LeafStatistics] = field(default_factory=dict)
    _several_types: bool = False

    def add(self, rows: StructColumn, schema: Schema) -> None:
        self.rows += rows.length
        for name, part in ranges_of_rows(rows, schema.record).items():
            path = tuple(name.split("."))
            kind = schema.get(path).field.type
            before = self._columns.get(path)
            self._several_types |= before is not None and before.type != kind
            self._columns[path] = _leaf(kind, part) if before is None else _merge(before, _leaf(kind, part))

    @property
    def columns(self) -> Mapping[Path, LeafStatistics] | None:
        """None where blocks have a column with several types."""
        return None if self._several_types else self._columns


def _leaf(kind: t.Type, part: ColumnRange) -> LeafStatistics:
    return LeafStatistics(kind, part.lower, part.upper, part.nulls, part.values, part.nan)


def _merge(one: LeafStatistics, other: LeafStatistics) -> LeafStatistics:
    if one.type != other.type:
        return one
    lowers = [leaf.lower for leaf in (one, other) if leaf.lower is not None]
    uppers = [leaf.upper for leaf in (one, other) if leaf.upper is not None]
    return replace(
        one,
        lower=min(lowers, default=None),  # type: ignore[type-var]  # values of one type are comparable
        upper=max(uppers, default=None),  # type: ignore[type-var]
        null_count=(one.null_count or 0) + (other.null_count or 0),
        value_count=(one.value_count or 0) + (other.value_count or 0),
        nans=one.nans or other.nans,
    )
