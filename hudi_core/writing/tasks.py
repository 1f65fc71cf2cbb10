"""Tasks of a write: values that can be sent to other machines, and what each of them does. Rules: WRITE-5 to WRITE-11.

A task writes the files of one file group and reports a status for each. It changes nothing that readers see.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, Final

from hudi_core.arrays import Numbers
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.string_index import index_strings
from hudi_core.columns.strings import concat_strings, take_strings
from hudi_core.commit.statuses import WriteStatus, add_written
from hudi_core.data_files.base_file import BaseFileWriter, FileTarget, OlderFile, status_of_base
from hudi_core.data_files.change_log import ChangeLog
from hudi_core.data_files.file_properties import BLOCK_BYTES
from hudi_core.data_files.log_file import LogFileWriter, LogTarget
from hudi_core.data_files.log_keys import with_merged_keys
from hudi_core.data_files.spool import Spool
from hudi_core.data_files.waiting import INFLATED, waiting_runner
from hudi_core.engine import Engine, Runner, Storage
from hudi_core.errors import CorruptFileError
from hudi_core.formats.deletes import commit_time_deletes
from hudi_core.formats.names import BaseFileName, parse_base_file
from hudi_core.index_kinds.after_write import slice_after, snapshot_after
from hudi_core.index_kinds.file_notes import FileNotes, NotedIndex
from hudi_core.index_kinds.secondary import Indexed, SecondaryChanges
from hudi_core.merge.rules import MergedColumns, MergeRules, merge_rules, merges
from hudi_core.metadata.kinds import locates_keys
from hudi_core.options import MergeMode
from hudi_core.planning.sources.file_filters import text_in_footer
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.log_buffer import LogBuffer
from hudi_core.reading.log_records import LogRecords, gather_records
from hudi_core.reading.merge_columns import MergeColumns, merge_columns
from hudi_core.reading.slice_merge import Changes, SliceMerge, StoredRows
from hudi_core.schema.meta import bare_schema
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.tally import Tally
from hudi_core.timeline.slices import FileSlice, slices_of
from hudi_core.writing.input_files import InputFiles, MergedInputFiles, OpenedRows, rows_of_slice
from hudi_core.writing.moves import with_partition_path

TaskRows = Numbers | int
"""The rows of a task: their numbers in the spool, or how many there will be, where all rows of the spool are the task's."""

_ROW_BYTES: Final = 1 << 10
"""Bytes of a row in memory, estimated high."""


@dataclass(frozen=True, slots=True, eq=False)
class NewFile:
    """A new file group with these rows. With `combine` rows of one key are merged, and those that delete leave nothing;
    `distinct`: no two have one key."""

    target: FileTarget
    rows: TaskRows
    combine: bool
    distinct: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class RewriteFile:
    """A new version of a slice's base file, its log files merged into it: its rows merged with these and less those of the
    deleted keys. Without `combine` the rows are put behind its own as they are. With `wins` they take the place of those of
    their keys, whatever the table's merge rule."""

    target: FileTarget
    slice: FileSlice
    rows: TaskRows
    combine: bool = True
    deleted_keys: StringColumn | None = None
    wins: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class AppendLog:
    """A log file of a slice with these rows, and the deletes of these keys. `positions` are the places of all these in the
    slice's base file, None where they are not known or not wanted. With `columns` the rows change these alone. `new_keys` are
    those of rows that the slice does not hold; with `meets_deletes` its base file has some of them, which a log file deletes."""

    target: LogTarget
    slice: FileSlice
    rows: TaskRows
    deleted_keys: StringColumn | None = None
    positions: Numbers | None = None
    columns: frozenset[str] | None = None
    new_keys: StringColumn | None = None
    meets_deletes: bool = False


Task = NewFile | RewriteFile | AppendLog


def row_count(task: Task) -> int:
    """How many rows a task has."""
    return task.rows if isinstance(task.rows, int) else len(task.rows)


def numbers_of(task: Task) -> Numbers:
    """The numbers of a task's rows in the spool. Raises `TypeError` for a task whose rows are elsewhere."""
    if isinstance(task.rows, int):
        raise TypeError("the rows of this task are not here")
    return task.rows


def of_attempt(task: Task, attempt: str) -> Task:
    """The task with file names of one attempt of its own, so that of two attempts each writes its own file."""
    match task:
        case AppendLog():
            return replace(task, target=task.target.of_attempt(attempt))
        case _:
            return replace(task, target=task.target.of_attempt(attempt))


@dataclass(frozen=True)
class TaskRunner:
    """Runs tasks of one write. It can be pickled. `snapshot` has the schemas of the table and none of its slices; `rows` is
    the schema in which rows are merged, `files` that of base files."""

    snapshot: Snapshot
    rows: Schema
    files: Schema
    spool: Spool
    keeps_marked: bool = False
    """Rows with a delete marker are written as they are: they are rows of the table."""
    kept: frozenset[int] = frozenset()
    """The columns that rows lack: those of their keys keep what they have stored there."""
    indexed: Indexed | None = None
    """The secondary indexes whose changes are reported."""
    noted: tuple[NotedIndex, ...] = ()
    """The indexes for which files are noted."""
    stays: bool = False
    """Rows may come with another partition than that of their file, whose path they get."""
    codec: str | None = None
    """The codec of base files; None for the engine's own."""
    block_bytes: int = BLOCK_BYTES
    """Bytes of a block of a log file at most."""
    tally: Tally | None = None
    """Gets what tasks write; None for a runner that travels to other processes."""

    def run(self, task: Task) -> WriteStatus | None:
        """What was written; None where no row was left to write. Raises what storage raises."""
        status, time = self._write(task), task.target.instant_time
        if status is not None and self.indexed is not None:
            changes = SecondaryChanges(self.snapshot, self.indexed, time)
            status = changes.of_status(status, None if isinstance(task, NewFile) else task.slice)
        if status is not None and self.noted:
            status = FileNotes(self.snapshot, self.noted, self._table_schema, time).of_status(status)
        if self.tally is not None:
            add_written(self.tally, status, counted=True)
        return status

    def _write(self, task: Task) -> WriteStatus | None:
        match task:
            case NewFile():
                return self._new_file(task)
            case RewriteFile():
                return self._rewritten(task)
            case AppendLog():
                return self._log(task)

    def _log(self, task: AppendLog) -> WriteStatus | None:
        writer = LogFileWriter(self._engine, self.snapshot, self._columns, task.target, task.slice, self.block_bytes)
        stored = list(self._store(task)) if self.kept and task.columns is None else []
        records = self._records(task.rows, task.deleted_keys, task.slice.partition, stored)
        known = sum(map(self._engine.rows.count, stored))
        written = writer.write(records, None if stored else task.positions, task.columns, task.new_keys, known)
        if written is None:
            return None
        if not (written.can_lose_rows or (written.can_lose_deletes and self._has_record_index)):
            return written.status
        after = snapshot_after(self.snapshot, self._table_schema, task.target.instant_time)
        file_slice = slice_after(written.status, task.slice, task.target.instant_time)
        return with_merged_keys(written.status, after, file_slice)

    def _new_file(self, task: NewFile) -> WriteStatus | None:
        writer = self._writer(task.target)
        if not task.combine or (task.distinct and self._columns.keeps_lone_rows):
            made: list[StringColumn] | None = [] if self._reports_keys else None
            writer.expected = row_count(task) if made is None and self._marks is None else None
            batches = self._insert(task.rows, made)
            first = next((batch for batch in batches if self._engine.rows.count(batch)), None)
            if first is None:
                return None
            written = writer.write(chain([first], batches))
            keys = None if made is None else writer.keys if writer.stores_keys else concat_strings(made)
            return status_of_base(writer, written, inserts=written.footer.rows, added_keys=keys)
        empty = FileSlice(task.target.partition, task.target.file_id, task.target.instant_time, None)
        records = self._records(task.rows, None, task.target.partition)
        merge = SliceMerge(self._files(empty), empty, self._columns, records)
        added = merge.added
        if len(added) == 0:
            return None
        written = writer.rewrite(merge.rewritten())
        return status_of_base(writer, written, inserts=len(added), added_keys=merge.keys_of(added))

    def _rewritten(self, task: RewriteFile) -> WriteStatus:
        if not self.snapshot.config.cdc_enabled:
            return self._merge_file(task, None)
        with ChangeLog(self._engine, self.snapshot, self.rows, task.target, self._record_keys).open() as changes:
            status = self._merge_file(task, changes)
        return replace(status, change_logs={changes.path: changes.size})

    def _merge_file(self, task: RewriteFile, changes: Changes | None) -> WriteStatus:
        previous, writer = _base_name(task.slice), self._writer(task.target)
        if not task.combine:
            assert task.slice.base is not None
            stored_files = self._files(task.slice)
            opened = stored_files.open(task.slice, task.slice.base, self.rows)
            stored, before = stored_files.rows_of(opened), opened.file.footer.rows
            made: list[StringColumn] = []
            written = writer.write(chain(stored, self._insert(task.rows, made, changes)))
            new = slice(before, written.footer.rows)
            keys = take_strings(writer.keys, new) if writer.stores_keys else concat_strings(made)
            return status_of_base(
                writer, written, inserts=written.footer.rows - before, added_keys=keys, previous=previous
            )
        columns = self._winning if task.wins else self._columns
        files = self._files(task.slice)
        rows: StoredRows = MergedInputFiles(files.sources)
        if task.slice.base is not None and not task.slice.logs:
            opened = files.open(task.slice, task.slice.base, columns.schema)
            rows, own_filter = OpenedRows(files, opened), text_in_footer(opened.file.footer)
            writer.older = OlderFile(opened.file, opened.as_stored, own_filter, lambda: merge.keys_of(merge.added))
        records = self._records(task.rows, task.deleted_keys, task.slice.partition, columns=columns)
        deletes = task.deleted_keys is not None
        merge = SliceMerge(rows, task.slice, columns, records, deletes_every=deletes)
        written = writer.rewrite(merge.rewritten(changes))
        added, removed = merge.added, merge.removed
        return status_of_base(
            writer,
            written,
            inserts=len(added),
            updates=merge.updates,
            deletes=merge.deletes,
            added_keys=merge.keys_of(added),
            removed_keys=merge.keys_of(removed),
            previous=previous,
        )

    def _insert(self, rows: TaskRows, keys: list[StringColumn] | None, changes: Changes | None = None) -> Iterator[Any]:
        """Rows as they come, less those with a delete marker. Adds their record keys to `keys` where rows have none
        stored with them."""
        engine = self._engine
        for batch in self._take(rows):
            new = batch
            if self._marks is not None:
                new = engine.rows.keep(batch, ~self._marks.find_deleted(engine.rows.root(batch), "rows"))
            if changes is not None:
                changes.write_inserts(new)
            if keys is not None and not self.snapshot.config.populate_meta_fields:
                keys.append(self._record_keys(engine.rows.root(new)))
            yield new

    def _take(self, rows: TaskRows) -> Iterator[Any]:
        return iter(self.spool.batches) if isinstance(rows, int) else self.spool.take(rows)

    def _record_keys(self, root: Any) -> StringColumn:
        return self._columns.record_keys(root, "changes")

    def _records(
        self,
        rows: TaskRows,
        deleted_keys: StringColumn | None,
        partition: str,
        stored: Sequence[Any] = (),
        columns: MergeColumns | None = None,
    ) -> LogRecords:
        """The records of a task, behind those that are stored for their keys where these are needed."""
        columns = columns or self._columns
        buffer = LogBuffer(columns, columns.rules.partial is not None or bool(self.kept))
        own = frozenset(field.id for field in self.rows.fields) - self.kept
        for batch in stored:
            buffer.add_rows(batch, "stored rows")
        for batch in self._take(rows):
            if self.stays:
                batch = with_partition_path(self._engine, self.rows, batch, partition)
            buffer.add_rows(batch, "rows", own if self.kept else None)
        if deleted_keys is not None:
            buffer.add_deletes(commit_time_deletes(deleted_keys, partition), "deleted keys")
        return gather_records(buffer)

    def _store(self, task: AppendLog) -> Iterator[Any]:
        """The rows that are stored in a task's slice for the keys of its rows."""
        rows, columns = self._engine.rows, self._columns
        taken = [columns.record_keys(rows.root(batch), "rows") for batch in self._take(task.rows)]
        wanted = index_strings(concat_strings(taken))
        for batch in rows_of_slice(self._files(task.slice), task.slice, self.rows):
            known = wanted.find(columns.record_keys(rows.root(batch), task.slice.file_id)) >= 0
            if known.any():
                yield rows.keep(batch, known)

    def _files(self, slice: FileSlice) -> InputFiles:
        return InputFiles(Sources(self.snapshot.of_slices(slices_of([slice]))))

    def _writer(self, target: FileTarget) -> BaseFileWriter:
        config, storage = self.snapshot.config, self.snapshot.storage
        return BaseFileWriter(
            self._engine, storage, self.files, target, config.populate_meta_fields, codec=self.codec, tally=self.tally,
            left_out=config.left_out_columns,
        )  # fmt: skip

    @cached_property
    def _columns(self) -> MergeColumns:
        return self._columns_by(merge_rules(self.snapshot.config, self.snapshot.storage.uri))

    def _columns_by(self, rules: MergeRules) -> MergeColumns:
        snapshot = self.snapshot
        return merge_columns(self._engine, snapshot.config, self.rows, rules, self.rows, snapshot.storage.uri)

    @cached_property
    def _marks(self) -> MergeColumns | None:
        """What finds rows with a delete marker; None where none is left out. Where code of the user's merges, Hudi's own columns
        mark rows."""
        if self.keeps_marked:
            return None
        is_known = merges(self.snapshot.config) is not MergedColumns.ANYTHING
        columns = self._columns if is_known else self._columns_by(MergeRules(MergeMode.COMMIT_TIME_ORDERING))
        return columns if columns.has_markers else None

    @cached_property
    def _winning(self) -> MergeColumns:
        """The same, where the newer row wins as a whole."""
        columns = self._columns
        rules = MergeRules(
            MergeMode.COMMIT_TIME_ORDERING,
            delete_field=columns.rules.delete_field,
            delete_marker=columns.rules.delete_marker,
        )
        return replace(columns, rules=rules, ordering=())

    @property
    def _table_schema(self) -> Schema:
        """What the table's schema becomes, without the meta columns. That of files has other ids."""
        return bare_schema(self.rows)

    @property
    def _engine(self) -> Engine[Any, Any, Any]:
        return self.snapshot.engine

    @property
    def _reports_keys(self) -> bool:
        """Whether the commit takes the keys of new files."""
        return self._has_record_index or self.indexed is not None

    @property
    def _has_record_index(self) -> bool:
        return locates_keys(self.snapshot.config.kept_partitions)

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def runner_of(engine: Engine[Any, Any, Any], storage: Storage, tasks: Sequence[Task]) -> Runner:
    """The runner of the tasks of a write."""
    return waiting_runner(engine, storage, max(map(_size, tasks), default=0), max(map(_work, tasks), default=0))


def _size(task: Task) -> int:
    """About how many bytes a task has in memory at most."""
    return _work(task) + (_inflate(task.slice) if isinstance(task, AppendLog) else 0)


def _work(task: Task) -> int:
    """About how many bytes a task puts together: a log file is made without its slice, as a rule."""
    return _ROW_BYTES * row_count(task) + (_inflate(task.slice) if isinstance(task, RewriteFile) else 0)


def _inflate(slice: FileSlice) -> int:
    return INFLATED * sum(file.size for file in slice.files)


def _base_name(slice: FileSlice) -> BaseFileName:
    base = slice.base
    name = None if base is None else parse_base_file(base.name)
    if name is None:
        raise CorruptFileError(
            slice.file_id, expected="a base file with a name of Apache Hudi's", found=str(base and base.name)
        )
    return name
