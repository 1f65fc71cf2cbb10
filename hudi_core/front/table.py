"""`Table`: an open table with its operations as methods. Each method calls the function that does the work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack

from hudi_core.arguments import name_arguments
from hudi_core.by_need import ModuleByNeed
from hudi_core.front import writes
from hudi_core.front.keywords import (
    IndexKeywords,
    IndexName,
    OperationName,
    RowData,
    WriteKeywords,
    options_from,
)
from hudi_core.front.services import ServedTable
from hudi_core.front.writes import serve
from hudi_core.notebook import Listing
from hudi_core.schema.names import refuse_no_name
from hudi_core.table import table as opened
from hudi_core.table.open import refreshed

if TYPE_CHECKING:
    from hudi_core.advice import advise as advice
    from hudi_core.advice.proposals import Advice
    from hudi_core.engine import Runner
    from hudi_core.evolve.changes import Change
    from hudi_core.expr.queries import Condition, Query
    from hudi_core.front import changes, merging
    from hudi_core.front.changes import Changes
    from hudi_core.front.merging import Merge
    from hudi_core.index_builds import build as index_build
    from hudi_core.index_builds import listing as index_list
    from hudi_core.index_builds import removal as index_removal
    from hudi_core.index_builds.listing import Index
    from hudi_core.index_kinds import build_plan as index_plan
    from hudi_core.index_kinds.build_plan import IndexOptions
    from hudi_core.libraries import (
        ArrowDataset,
        ArrowTable,
        DuckConnection,
        DuckRelation,
        LazyFrame,
        PandasFrame,
        PolarsFrame,
    )
    from hudi_core.services.restoring import run as restoring
    from hudi_core.services.restoring import savepoints as saving
    from hudi_core.services.restoring import undoing
    from hudi_core.services.restoring.result import RestoreResult, SavepointResult
    from hudi_core.services.restoring.run import Progress as RestoreProgress
    from hudi_core.table import metadata_records as metadata
    from hudi_core.table import runners, summaries
    from hudi_core.table import view as views
    from hudi_core.table.summaries import CommitSummary, PartitionSummary
    from hudi_core.table.view import ScanListener
    from hudi_core.tally import Tally
    from hudi_core.timeline.times import Time
    from hudi_core.transactions.rollback_plans import RollbackPlan
    from hudi_core.validation import validate as validation
    from hudi_core.validation.findings import Finding
    from hudi_core.writing import alter_schema, operation, several
    from hudi_core.writing.operation import WriteOptions
    from hudi_core.writing.result import WriteResult
    from hudi_core.writing.source_merge import operations as source_merge
    from hudi_core.writing.source_merge.clauses import Clause, On
else:
    # A table that is only read loads none of these.
    advice = ModuleByNeed("hudi_core.advice.advise")
    alter_schema = ModuleByNeed("hudi_core.writing.alter_schema")
    changes = ModuleByNeed("hudi_core.front.changes")
    index_build = ModuleByNeed("hudi_core.index_builds.build")
    index_list = ModuleByNeed("hudi_core.index_builds.listing")
    index_plan = ModuleByNeed("hudi_core.index_kinds.build_plan")
    index_removal = ModuleByNeed("hudi_core.index_builds.removal")
    merging = ModuleByNeed("hudi_core.front.merging")
    metadata = ModuleByNeed("hudi_core.table.metadata_records")
    operation = ModuleByNeed("hudi_core.writing.operation")
    restoring = ModuleByNeed("hudi_core.services.restoring.run")
    runners = ModuleByNeed("hudi_core.table.runners")
    saving = ModuleByNeed("hudi_core.services.restoring.savepoints")
    several = ModuleByNeed("hudi_core.writing.several")
    source_merge = ModuleByNeed("hudi_core.writing.source_merge.operations")
    summaries = ModuleByNeed("hudi_core.table.summaries")
    undoing = ModuleByNeed("hudi_core.services.restoring.undoing")
    views = ModuleByNeed("hudi_core.table.view")
    validation = ModuleByNeed("hudi_core.validation.validate")


@name_arguments
@dataclass(frozen=True, repr=False)
class Table(ServedTable):
    """An open table. It shows the timeline as of opening; `refresh` gives the table with later commits.

    Methods that write commit at once or change nothing: a write is visible as a whole when its instant completes. One that
    meets a conflict with another writer is planned again on the table as it is then, `attempts` times in all; one that dies
    is rolled back by the next write, of whichever library. This object goes on showing what it showed, so readers that hold
    it keep their answers as long as the files are not cleaned away.

    Options are an object, or its fields by name: `table.upsert(rows, dry_run=True)`. `UsageError` for a name that is none.
    Services and index builds take a `runner`, which runs their tasks: `table.compact(runner=hudi_spark.SparkRunner(spark))`.
    """

    @classmethod
    def from_opened(cls, table: opened.Table) -> Self:
        """Gives an opened table its operations."""
        return cls(**{field.name: getattr(table, field.name) for field in fields(opened.Table)})

    @property
    def name(self) -> str:
        """The table's name: `hoodie.table.name`."""
        return self.config.name

    @property
    def uri(self) -> str:
        """The place of the table's root folder: a local path or a URL."""
        return self.storage.uri

    def refresh(self) -> Self:
        """Returns the table with its latest commits. Files that have not changed are not read again."""
        return refreshed(self)

    def evolve(self, changes: str | Change | Iterable[str | Change]) -> Self:
        """Changes the schema in one commit that writes no rows, and returns the table with it.

        For example `table.evolve("ADD COLUMN tip double")`. `evolved` shows the schema after changes and writes nothing. Raises
        `SchemaError` for a change that removes or renames a column that the table's properties name or an index needs, and for
        changes that change nothing.
        """
        alter_schema.alter_schema(self, changes)
        return self.refresh()

    def count(self, where: Condition | None = None, as_of: Time | None = None) -> int:
        """Counts the rows, or those that match a predicate. Footers answer where no row has to be read."""
        return self.scan(where, as_of=as_of).count()

    def commits(self) -> list[CommitSummary]:
        """Lists what each completed write of the active timeline did, oldest first: rows, files, bytes."""
        return Listing(summaries.commits(self))

    def partitions(self) -> list[PartitionSummary]:
        """Lists the partitions by path: rows, files, bytes. Rows are read only where log files have to be merged."""
        return Listing(summaries.partitions(self))

    def to_pandas(
        self,
        where: Condition | None = None,
        columns: Sequence[str] | None = None,
        *,
        meta: bool = False,
        dtype_backend: Literal["pyarrow"] | None = None,
    ) -> PandasFrame:
        """Reads the rows, or those that match, as a `pandas.DataFrame`; with `meta` it has Hudi's own columns too.

        With `dtype_backend="pyarrow"` columns have Arrow's types, as in `pandas.read_parquet`: null and NaN are two values.
        """
        return self.scan(where, columns).to_pandas(meta=meta, dtype_backend=dtype_backend)

    def to_polars(
        self, where: Condition | None = None, columns: Sequence[str] | None = None, *, meta: bool = False
    ) -> PolarsFrame:
        """Reads the rows, or those that match, as a `polars.DataFrame`; with `meta` it has Hudi's own columns too."""
        return self.scan(where, columns).to_polars(meta=meta)

    def to_arrow(
        self, where: Condition | None = None, columns: Sequence[str] | None = None, *, meta: bool = False
    ) -> ArrowTable:
        """Reads the rows, or those that match, as a `pyarrow.Table`; with `meta` it has Hudi's own columns too."""
        return self.scan(where, columns, meta=meta).to_arrow()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Lets Arrow, Polars, DuckDB and others take all rows, without Hudi's own columns: `polars.DataFrame(table)`."""
        return self.scan(meta=False).__arrow_c_stream__(requested_schema)

    def to_lazy(
        self, *, as_of: Time | None = None, meta: bool = False, on_scan: ScanListener | None = None
    ) -> LazyFrame:
        """Offers the table to Polars: the predicate, the columns and the limit of a lazy query decide which files are read.

        Polars filters the rows that are read itself: a condition that has no counterpart here skips no file and loses no row.
        `on_scan` gets each `Scan` that a query makes, for its `explain()`. `to_dataset` and `to_duckdb` do the same.
        """
        return views.view_maker(self).lazy_frame(views.View(self, as_of, meta, on_scan))

    def to_dataset(
        self, *, as_of: Time | None = None, meta: bool = False, on_scan: ScanListener | None = None
    ) -> ArrowDataset:
        """Offers the table as a `pyarrow.dataset.Dataset`: DuckDB, DataFusion and others scan it with their columns and filters.

        For example `SessionContext().register_dataset("rides", table.to_dataset())` for DataFusion.
        """
        return views.view_maker(self).dataset(views.View(self, as_of, meta, on_scan))

    def to_duckdb(
        self,
        con: DuckConnection | None = None,
        name: str | None = None,
        *,
        as_of: Time | None = None,
        meta: bool = False,
        on_scan: ScanListener | None = None,
    ) -> DuckRelation:
        """Registers the table with a connection of DuckDB, or with its default one, and returns the relation."""
        return views.view_maker(self).relation(views.View(self, as_of, meta, on_scan), con, name)

    def write(
        self,
        data: RowData,
        op: OperationName = "upsert",
        options: WriteOptions | None = None,
        **named: Unpack[WriteKeywords],
    ) -> WriteResult:
        """Writes rows in one commit. All rows are checked before the first byte is written. Raises as `hudi_core.write`."""
        return self._write(data, op, _write_options(options, named))

    def append(self, data: RowData, options: WriteOptions | None = None, **named: Unpack[WriteKeywords]) -> WriteResult:
        """Adds rows in new files without looking at what is there: a key that the table already has is then there twice."""
        return self._write(data, "append", _write_options(options, named))

    def insert(self, data: RowData, options: WriteOptions | None = None, **named: Unpack[WriteKeywords]) -> WriteResult:
        """Adds rows, to small files first; keys are not looked up."""
        return self._write(data, "insert", _write_options(options, named))

    def bulk_insert(
        self, data: RowData, options: WriteOptions | None = None, **named: Unpack[WriteKeywords]
    ) -> WriteResult:
        """Adds rows in new files, in the order of their keys within each partition; keys are not looked up."""
        return self._write(data, "bulk_insert", _write_options(options, named))

    def upsert(self, data: RowData, options: WriteOptions | None = None, **named: Unpack[WriteKeywords]) -> WriteResult:
        """Merges rows with those that have their keys, and adds the others."""
        return self._write(data, "upsert", _write_options(options, named))

    def overwrite(
        self,
        data: RowData,
        options: WriteOptions | None = None,
        *,
        where: Condition | None = None,
        **named: Unpack[WriteKeywords],
    ) -> WriteResult:
        """Puts rows in the place of all rows of the table, or of those that match a predicate, which must be true of the new
        rows, too. Files of the replaced rows stay until they are cleaned away."""
        settings = _write_options(options, named)
        if where is None:
            return self._write(data, "insert_overwrite_table", settings)
        return serve(self, settings, lambda: source_merge.overwrite_where(self, data, where, settings))

    def overwrite_partitions(
        self, data: RowData, options: WriteOptions | None = None, **named: Unpack[WriteKeywords]
    ) -> WriteResult:
        """Puts rows in the place of all rows of the partitions that they fall into; other partitions stay as they are."""
        return self._write(data, "insert_overwrite", _write_options(options, named))

    def delete(
        self,
        data: RowData | None = None,
        *,
        where: Condition | None = None,
        options: WriteOptions | None = None,
        **named: Unpack[WriteKeywords],
    ) -> WriteResult:
        """Deletes the rows that match a predicate, or those that have the keys of `data`. Exactly one of the two is given."""
        return writes.delete(self, data, where, _write_options(options, named))

    def update(
        self,
        assigned: Mapping[str, object],
        where: Condition | None = None,
        options: WriteOptions | None = None,
        **named: Unpack[WriteKeywords],
    ) -> WriteResult:
        """Gives columns new values in the rows that match. Values are those of Python, or expressions made with
        `hudi_core.expr("upper(city)")` or `hudi_core.col`. A string is a text. Raises `UsageError` for a string that is an
        expression of columns, as `"upper(city)"`, because all rows would have that text; `hudi_core.lit` makes it one.
        """
        return writes.update(self, assigned, where, _write_options(options, named))

    def merge(self, source: RowData, on: On) -> Merge:
        """Begins a merge of rows into the table by clauses, as SQL's MERGE does, also for rows of the table that no row of the
        source matches. Call `execute` on the result to write.

        `on` names the columns of the key, and those of the partition if the table has no record index. It can also have
        equalities of such columns: `"target.id = source.ride"`.
        """
        return merging.Merge(lambda clauses, options: self._merge(source, on, clauses, options))

    def _merge(self, source: RowData, on: On, clauses: tuple[Clause, ...], options: WriteOptions) -> WriteResult:
        return serve(self, options, lambda: source_merge.merge(self, source, on, clauses, options))

    def transaction(self, options: WriteOptions | None = None, **named: Unpack[WriteKeywords]) -> Changes:
        """Begins several changes of rows in one commit, which readers see as a whole or not at all:

            with table.transaction() as changes:
                changes.upsert(arrived)
                changes.delete(where="status = 'cancelled'")
            print(changes.result)

        Other writers are not held up by it: where one of them changes what it builds on, it is planned again.
        """
        return changes.Changes(self._commit, _write_options(options, named) or operation.WriteOptions())

    def _commit(
        self, upserts: list[RowData], deletes: list[RowData], wheres: list[Condition], options: WriteOptions
    ) -> WriteResult:
        return serve(self, options, lambda: several.write_several(self, upserts, deletes, wheres, options))

    def delete_partitions(
        self, partitions: Sequence[str], options: WriteOptions | None = None, **named: Unpack[WriteKeywords]
    ) -> WriteResult:
        """Deletes all rows of partitions, by the paths of these."""
        return writes.delete_partitions(self, partitions, _write_options(options, named))

    def _write(self, data: RowData, op: OperationName, options: WriteOptions | None) -> WriteResult:
        return writes.write(self, data, op, options)

    def rollback(
        self, instant: str | None = None, *, failed: bool = False, dry_run: bool = False, tally: Tally | None = None
    ) -> list[RollbackPlan]:
        """Undoes a completed write that nothing builds on, by its requested time, or with `failed` all writes that died. A dry
        run gives what would be undone. Raises as `hudi_core.rollback`. `tally` gets how many of the files are deleted.
        """
        return undoing.rollback(self, _instant(instant), failed=failed, dry_run=dry_run, tally=tally)

    def savepoint(
        self, instant: str | None = None, *, by: str = "", comment: str = "", tally: Tally | None = None
    ) -> SavepointResult:
        """Saves a completed write, by its requested time, or the latest: no clean deletes its files, and `restore` can bring the
        table back to it. `tally` gets how many files there are."""
        refuse_no_name(by, "by")
        refuse_no_name(comment, "comment")
        return saving.savepoint(self, _instant(instant), by=by, comment=comment, tally=tally)

    def savepoints(self) -> list[SavepointResult]:
        """Lists the savepoints of the table as it is now, oldest first."""
        return Listing(saving.list_savepoints(self))

    def drop_savepoint(self, instant: str) -> SavepointResult:
        """Drops a savepoint: the next clean may delete its files."""
        refuse_no_name(instant, "instant")
        return saving.drop_savepoint(self, instant)

    def restore(
        self,
        savepoint: str | None = None,
        *,
        to: str | None = None,
        dry_run: bool = False,
        progress: RestoreProgress | None = None,
    ) -> RestoreResult:
        """Brings the table back to a savepoint, or with `to` to any completed write whose files are all there.

        All later writes are undone for good. No writer may be at work; a restore that dies is finished by the next call. A dry
        run shows the files that would go, and the rows of each partition before and after. `progress` gets how many instants
        are undone, and of how many. Raises as `hudi_core.restore`.
        """
        return restoring.restore(
            self, _instant(savepoint, "savepoint"), to=_instant(to, "to"), dry_run=dry_run, progress=progress
        )

    def indexes(self) -> list[Index]:
        """Lists the indexes of the table as it is now: kind, name, columns, state, size."""
        return Listing(index_list.indexes(self))

    def index(
        self,
        *kinds: IndexName,
        options: IndexOptions | None = None,
        runner: Runner | None = None,
        **named: Unpack[IndexKeywords],
    ) -> Self:
        """Builds indexes from the table's files while writers go on, and returns the table with them. Raises as
        `hudi_core.build_indexes`.

        For example `table.index("column_stats", columns=["fare"])`.
        """
        settings = options_from(index_plan.IndexOptions, options, named)
        index_build.build_indexes(runners.on_runner(self, runner), kinds, settings)
        return self.refresh()

    def drop_index(self, name: str) -> tuple[str, ...]:
        """Drops an index by its name; returns the names of all that went with it."""
        return index_removal.drop_index(self, name)

    def metadata_records(
        self, partition: str, where: Condition | None = None, limit: int | None = None
    ) -> Iterator[dict[str, Any]]:
        """Reads the live records of a partition of the metadata table one by one, as `hudi_core.metadata_records` gives them."""
        return metadata.metadata_records(self, partition, where, limit)

    def advise(self, where: Sequence[Condition | Query]) -> Advice:
        """Advises which index or clustering would pay for these queries. Raises as `hudi_core.advise`."""
        return advice.advise(self, where)

    def validate(self, only: Sequence[str] | None = None, *, runner: Runner | None = None) -> Iterator[Finding]:
        """Checks the consistency of the table, and returns each finding as soon as it is made. Raises as `hudi_core.validate`."""
        return validation.validate(runners.on_runner(self, runner), only)


def _instant(time: str | None, name: str = "instant") -> str | None:
    """A requested time, as the argument of this name. Raises `UsageError` for what is no string."""
    if time is not None:
        refuse_no_name(time, name)
    return time


def _write_options(options: WriteOptions | None, named: WriteKeywords) -> WriteOptions | None:
    return options_from(operation.WriteOptions, options, named) if named or options is not None else None
