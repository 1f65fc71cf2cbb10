"""Operations on rows that are spread over many machines: the plan, the commit and all rules are those of `writing.operations`.

prepare   each part of the input, with its keys, checks, counts and a sample                   spread.prepared
locate    ranges of keys: rows to the slices that hold them, moves decided                     spread.located
route     rows to the tasks of the plan, which the calling process makes of counts             spread.routed
write     tasks write files, and report; the calling process commits                           spread.written
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from hudi_core.commit.times import next_time
from hudi_core.data_files.spool import Spool
from hudi_core.engine import Runner
from hudi_core.errors import RowError
from hudi_core.metadata.kinds import locates_keys
from hudi_core.parallel.flow import Flow, SpreadInput, SpreadRows
from hudi_core.planning.sources.sources import Sources
from hudi_core.rows.exact_types import widens_integers
from hudi_core.schema.meta import bare_schema
from hudi_core.schema.schema import Schema
from hudi_core.table.table import Table
from hudi_core.tagging.bucket_layout import BucketLayout, bucket_layout
from hudi_core.tagging.distributed import Distribution, RemoteTagging, distribution, remote_tagging
from hudi_core.tagging.key_reader import PARTITION_PATH, RECORD_KEY, input_schema
from hudi_core.transactions.key_exchange import KeyExchange
from hudi_core.transactions.refusals import list_excluded_groups
from hudi_core.transactions.reports import open_reports
from hudi_core.writing.batch_columns import BatchColumns
from hudi_core.writing.bucket_places import BucketParts, BucketPlaces, bucket_places
from hudi_core.writing.bucket_plan import route_buckets
from hudi_core.writing.duplicates import DuplicatePolicy
from hudi_core.writing.idle_options import refuse_idle
from hudi_core.writing.incoming import Preparation, preparation, row_schema, warn_of_partitions
from hudi_core.writing.operation import (
    Operation,
    WriteOptions,
    columns_of_write,
    latest_writable,
    operation_of,
    order_of,
    policy_of,
    refuse_unordered_upsert,
    writes_logs,
)
from hudi_core.writing.operation_plans import (
    bucket_use,
    list_replaced_groups,
    of_given_columns,
    tag_options,
    with_every_row,
    without_logs,
)
from hudi_core.writing.operations import run_of
from hudi_core.writing.plan import Planner, Routes
from hudi_core.writing.result import WriteResult, nothing_written
from hudi_core.writing.row_size import measure_stored_row_bytes
from hudi_core.writing.spread.cuts import KeyCuts, range_cuts, share_cuts
from hudi_core.writing.spread.located import (
    CheckKeys,
    DealRanges,
    Duplicates,
    LocatedReport,
    LocateRows,
    SliceParts,
    sum_reports,
)
from hudi_core.writing.spread.prepared import Changed, InputReport, PrepareRows, ReadKeys, input_report
from hudi_core.writing.spread.routed import InputOrder, RouteRows, deal_tasks, input_order
from hudi_core.writing.spread.written import WriteGathered, WriteRows, statuses
from hudi_core.writing.task_rows import RowOrder
from hudi_core.writing.tasks import Task, TaskRunner
from hudi_core.writing.write_run import Planned, Written

KEYS_OF_RANGE: Final = 1 << 20
"""Rows that are located together, at most about."""
_READERS_PER_CORE: Final = 2
"""Parts that read the keys of replaced slices, where there are fewer that write."""
WIDE_RANGES: Final = 4
"""Ranges, unless rows are too many for these, where most files may hold keys of any range: each range reads most files."""


def spread_write(
    table: Table, given: SpreadInput, op: str = "upsert", options: WriteOptions | None = None
) -> WriteResult:
    """As `writing.operations.write`, of rows in parts. They are read once, and kept in the form in which they are written; twice
    where numbers that are not whole come to a column of integers."""
    operation, settings = operation_of(op), options or WriteOptions()
    latest = latest_writable(table, operation, settings.properties)
    refuse_idle(latest, operation, settings)
    order_of(latest, operation, settings)
    if settings.batch is not None and settings.batch.is_committed(latest):
        return nothing_written(operation.upper())
    rows = given.like(input_schema(latest.schema))
    if operation is Operation.DELETE:
        return _spread_delete(latest, rows, settings)
    refuse_unordered_upsert(latest, rows.schema, operation)
    columns = columns_of_write(latest, operation, settings)
    if columns.replaces or not widens_integers(rows.schema, latest.schema):
        return _spread_rows(latest, rows, operation, settings, columns)
    try:
        return _spread_rows(latest, rows, operation, settings, columns)
    except RowError:
        return _spread_rows(latest, rows, operation, settings, replace(columns, whole=False))


def _spread_rows(
    table: Table, rows: SpreadRows, operation: Operation, options: WriteOptions, columns: BatchColumns
) -> WriteResult:
    prepares = preparation(table, rows.schema, next_time(table.timeline), columns)
    with prepare_rows(table, rows, prepares) as given:
        return given.upsert(options) if operation is Operation.UPSERT else given.add(operation, options)


def _spread_delete(table: Table, rows: SpreadRows, options: WriteOptions) -> WriteResult:
    """Deletes the rows of keys, which are in columns `record_key` and `partition_path` or are made by the table's generator."""
    with read_given_keys(table, rows, (RECORD_KEY, PARTITION_PATH)) as given:
        return given.delete(options)


@contextmanager
def read_given_keys(
    table: Table, rows: SpreadRows, names: tuple[str, str], *, of_slices: bool = False
) -> Iterator[GivenRows]:
    """The keys of rows, in columns of these names or made by the table's generator. With `of_slices` batches come with the
    numbers of the slices that they were read from."""
    bare = bare_schema(table.schema)
    with rows.map(ReadKeys(sendable(table), rows.schema, names, of_slices)).keep() as kept:
        report = input_report(kept.reports())
        yield GivenRows(table, rows, kept, report, bare, row_schema(table, bare), of_slices=of_slices)


@contextmanager
def prepare_rows(
    table: Table,
    rows: SpreadRows,
    prepares: Preparation,
    changed: Changed | None = None,
    *,
    of_slices: bool = False,
) -> Iterator[GivenRows]:
    """The rows of an input, prepared and checked; `of_slices` is as in `read_given_keys`."""
    measures = measure_stored_row_bytes(Sources(table.snapshot())) is None
    sent = replace(prepares, table=sendable(table))
    with rows.map(PrepareRows(sent, measures, changed, of_slices)).keep() as kept:
        report = input_report(kept.reports())
        warn_of_partitions(table, report.partitions)
        schema = prepares.schema
        yield GivenRows(table, rows, kept, report, schema.table, prepares.stored, schema.kept, of_slices)


def sendable(table: Table) -> Table:
    """The table for tasks, without what this process has looked up."""
    return replace(table, footer_cache=None, earlier=None)


@dataclass(frozen=True, slots=True, eq=False)
class PlannedUpsert:
    """The plan of a merge, and the numbers of its tasks with rows of an update that lose to what they were."""

    planned: Planned
    losing: frozenset[int]

    def loses(self, task: Task) -> bool:
        return task.target.number in self.losing


@dataclass(frozen=True, slots=True)
class GivenRows:
    """Prepared rows of a write. `table` is what they were checked against, `schema` what its schema becomes, `stored` that of the
    rows."""

    table: Table
    rows: SpreadRows
    kept: Flow
    report: InputReport
    schema: Schema
    stored: Schema
    lacking: frozenset[int] = frozenset()
    """The columns that the rows lack and whose stored values stay."""
    of_slices: bool = False
    """They were read from slices of the table, and stay there."""

    def add(self, operation: Operation, options: WriteOptions) -> WriteResult:
        """Rows are added as they are, or replace others."""
        if policy_of(self.table, operation, options) is DuplicatePolicy.NONE:
            self._refuse_repeated_keys()
        run = run_of(self.table, operation, self.schema, self._spool, options)
        with ExitStack() as kept:
            return run.run(lambda table, time: self._plan_adding(table, operation, time, options, kept))

    def _plan_adding(
        self, table: Table, operation: Operation, instant_time: str, options: WriteOptions, kept: ExitStack
    ) -> Planned:
        layout = bucket_layout(table, options.properties)
        if layout is not None:
            return self._plan_in_buckets(table, operation, instant_time, options, layout, kept).planned
        flow, inserts, samples, key_sums = (
            self.kept, self.report.partitions, self.report.samples, self.report.key_sums
        )  # fmt: skip
        if duplicates := self._duplicates(table, operation, options):
            flow, located = self._locate(table, options, kept, duplicates=duplicates)
            inserts, samples, key_sums = dict(located.inserts), list(located.samples), dict(located.key_sums)
        planner = self._planner(table, instant_time, options)
        routes = planner.insert(inserts, fill=operation is Operation.INSERT)
        order = order_of(table, operation, options)
        new_rows: KeyCuts | InputOrder
        if order is RowOrder.GLOBAL:
            new_rows = share_cuts(samples, routes.of_partitions)
        else:
            new_rows = input_order(routes.of_partitions, self.report)
        writes = _Writes(
            flow, key_sums, routes, new_rows, planner.row_bytes, order is not RowOrder.NONE, self.stored,
            self.rows.runner,
        )  # fmt: skip
        return Planned(routes.tasks, list_replaced_groups(table, operation, inserts), work=writes)

    def upsert(self, options: WriteOptions) -> WriteResult:
        """Rows are merged with those of their keys."""
        run = run_of(self.table, Operation.UPSERT, self.schema, self._spool, options, self.lacking)
        with ExitStack() as kept:

            def plan(table: Table, instant_time: str) -> Planned:
                planned = self.plan_upsert(table, instant_time, options, kept).planned
                return of_given_columns(planned, table, self.schema, self.lacking, options)

            return run.run(plan)

    def plan_upsert(
        self,
        table: Table,
        instant_time: str,
        options: WriteOptions,
        kept: ExitStack,
        *,
        removes: bool = False,
        once: bool = False,
    ) -> PlannedUpsert:
        """The plan of a merge; what is kept for it is let go of by `kept`. With `removes` some rows may stand for the deletion of
        their keys; with `once` a key that several rows of the table have is a `RowError`."""
        layout = None if self.of_slices else bucket_layout(table, options.properties)
        if layout is not None:
            operation = Operation.UPSERT
            return self._plan_in_buckets(
                table, operation, instant_time, options, layout, kept, removes=removes, once=once
            )
        planner = self._planner(table, instant_time, options)
        flow, located = self._locate(table, options, kept, once=once)
        routes = planner.upsert(located.updates, set(located.leaving), located.inserts, logs=writes_logs(table))
        cuts = share_cuts(located.samples, routes.of_partitions)
        writes = _Writes(flow, located.key_sums, routes, cuts, planner.row_bytes, True, self.stored, self.rows.runner)
        losing = frozenset(routes.of_slices[number] for number in located.losing)
        tasks = routes.tasks if removes or self.of_slices else without_logs(table, routes.tasks, located.losing)
        return PlannedUpsert(Planned(tasks, work=writes, stays=self.of_slices), losing)

    def _plan_in_buckets(
        self,
        table: Table,
        operation: Operation,
        instant_time: str,
        options: WriteOptions,
        layout: BucketLayout,
        kept: ExitStack,
        *,
        removes: bool = False,
        once: bool = False,
    ) -> PlannedUpsert:
        """As `writing.operation_plans.plan_in_buckets`: rows travel by the places of their keys. Rule WRITE-1151."""
        use, partitions = bucket_use(table, operation), self.report.partitions
        duplicates = self._duplicates(table, operation, options)
        planner = self._planner(table, instant_time, options)
        places, steps = bucket_places(planner.sources.snapshot, partitions, layout, anew=use.anew)
        tagging = remote_tagging(table, tag_options(table, options))
        if not use.looks_up(removes=removes or duplicates is not None):
            tagging = tagging.of_slices(())
        deals, ranges = BucketParts(places, self._ranges), self._ranges
        flow, located = self._locate_parts(
            deals, ranges, tagging, options, kept, buckets=places, duplicates=duplicates, once=once
        )
        routes = route_buckets(planner, places, located.updates, set(located.leaving), use)
        writes = _Writes(
            flow, located.key_sums, routes, KeyCuts.join({}), planner.row_bytes, use.combine, self.stored,
            self.rows.runner,
        )  # fmt: skip
        replaced = list_replaced_groups(table, operation, partitions)
        losing = frozenset(routes.of_slices[number] for number in located.losing)
        tasks = routes.tasks if removes else without_logs(table, routes.tasks, located.losing)
        return PlannedUpsert(Planned(tasks, replaced, work=writes, before=steps), losing)

    def delete(self, options: WriteOptions) -> WriteResult:
        """The rows of keys are deleted."""
        run = run_of(self.table, Operation.DELETE, self.schema, self._spool, options)
        with ExitStack() as kept:
            return run.run(lambda table, time: self.plan_delete(table, time, options, kept))

    def plan_delete(self, table: Table, instant_time: str, options: WriteOptions, kept: ExitStack) -> Planned:
        """The plan of a delete."""
        flow, located = self._locate(table, options, kept, deletes=True)
        planner = Planner(Sources(table.snapshot()), instant_time, 1.0)
        routes = planner.delete(set(located.leaving), logs=writes_logs(table))
        routes = replace(routes, tasks=with_every_row(table, routes.tasks, located.repeated))
        writes = _Writes(flow, located.key_sums, routes, KeyCuts.join({}), 1.0, True, self.stored, self.rows.runner)
        return Planned(routes.tasks, work=writes)

    def _locate(
        self,
        table: Table,
        options: WriteOptions,
        kept: ExitStack,
        *,
        deletes: bool = False,
        duplicates: Duplicates | None = None,
        once: bool = False,
    ) -> tuple[Flow, LocatedReport]:
        """The rows with their places, all of a key in one part."""
        tagging = remote_tagging(table, tag_options(table, options))
        ranges = self._ranges
        if self.of_slices:
            return self._locate_parts(SliceParts(ranges), ranges, tagging, options, kept, deletes=deletes)
        if tagging.slices:
            kind, tagging = distribution(tagging, self.rows.runner, ranges)
            if kind is not Distribution.KEY_RANGES:
                ranges = min(ranges, max(self._least_ranges, WIDE_RANGES))
        cuts = range_cuts(self.report.samples, ranges, by_key=tagging.options.whole_table)
        return self._locate_parts(
            cuts, ranges, tagging, options, kept, deletes=deletes, duplicates=duplicates, once=once
        )

    def _locate_parts(
        self,
        deals: KeyCuts | BucketParts | SliceParts,
        parts: int,
        tagging: RemoteTagging,
        options: WriteOptions,
        kept: ExitStack,
        *,
        deletes: bool = False,
        buckets: BucketPlaces | None = None,
        duplicates: Duplicates | None = None,
        once: bool = False,
    ) -> tuple[Flow, LocatedReport]:
        step = LocateRows(
            tagging, self.schema, self.stored, options.record_positions, deletes, self.lacking,
            dict(options.properties), buckets, duplicates, once,
        )  # fmt: skip
        dealt = self.kept.map(DealRanges(deals, tagging.table.engine, self.stored, self.report.key_sums)).deal(parts)
        flow = kept.enter_context(dealt.map(step).keep())
        return flow, sum_reports(flow.reports())

    def _duplicates(self, table: Table, operation: Operation, options: WriteOptions) -> Duplicates | None:
        policy = policy_of(table, operation, options)
        if policy is DuplicatePolicy.NONE:
            return None
        return Duplicates(policy, self.report.first_rows)

    def _refuse_repeated_keys(self) -> None:
        """Raises `RowError` for a key that comes twice, where the record index takes each once."""
        if not locates_keys(self.table.config.kept_partitions):
            return
        cuts = range_cuts(self.report.samples, self._ranges, by_key=True)
        deals = DealRanges(cuts, self.table.engine, self.stored, self.report.key_sums)
        dealt = self.kept.map(deals).deal(self._ranges)
        open_reports(dealt.map(CheckKeys(sendable(self.table), self.report.first_rows)).reports())

    def _planner(self, table: Table, instant_time: str, options: WriteOptions) -> Planner:
        sources = Sources(table.snapshot())
        row_bytes = measure_stored_row_bytes(sources) or self.report.row_bytes
        return Planner(sources, instant_time, row_bytes, options.sizes, list_excluded_groups(table))

    @property
    def _ranges(self) -> int:
        return max(self.kept.parallelism, self._least_ranges) if self.report.rows else 1

    @property
    def _least_ranges(self) -> int:
        return -(-self.report.rows // KEYS_OF_RANGE)

    @property
    def _spool(self) -> Spool:
        """No rows: these come to the tasks."""
        return Spool(self.table.engine, self.stored)


@dataclass(frozen=True, slots=True)
class _Writes:
    """Brings rows to the tasks of a plan, and runs these."""

    flow: Flow
    key_sums: Mapping[int, int]
    """The sum of keys of each part of the flow."""
    routes: Routes
    new_rows: KeyCuts | InputOrder
    row_bytes: float
    in_key_order: bool
    stored: Schema

    runner: Runner
    """Runs tasks beside those of the flow."""

    @property
    def parallelism(self) -> int:
        return self.flow.parallelism

    def __call__(
        self, runner: TaskRunner, tasks: Sequence[Task], exchange: KeyExchange | None, *, in_lines: bool = False
    ) -> Written:
        replaced = () if exchange is None else exchange.replaced
        if not tasks and not replaced:
            return Written(())
        parts = deal_tasks(tasks, self.row_bytes, self.flow.parallelism)
        count = max(int(parts.max(initial=0)) + 1, min(len(replaced), _READERS_PER_CORE * self.flow.parallelism))
        engine: Any = runner.snapshot.engine
        route = RouteRows(self.routes.of_slices, self.new_rows, parts, engine, self.stored, self.key_sums)
        write = WriteRows(runner, tasks, parts, count, self.in_key_order, exchange, in_lines)
        if count == 1:
            writes = self.flow.gather().map(WriteGathered(route, write))
        else:
            writes = self.flow.map(route).deal(count).map(write)
        if exchange is None:
            return Written(statuses(writes.reports()))
        return Written(*exchange.stage(writes, self.runner))
