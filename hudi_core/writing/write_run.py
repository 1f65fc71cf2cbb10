"""The run of one write: a plan on the table as it is, tasks, a commit; again where another writer came first."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Final, Protocol

from hudi_core.by_need import ModuleByNeed
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import concat_strings
from hudi_core.commit.heartbeat import heartbeat_path
from hudi_core.commit.markers import MOST_FILES, lines_step, markers_steps
from hudi_core.commit.metadata import Stat, plan_stat
from hudi_core.commit.statuses import StagedLogs, TableChange, WriteStatus, add_written
from hudi_core.commit.steps import Ensure, SideBySide, Step, run, side_by_side
from hudi_core.commit.times import next_time
from hudi_core.data_files.file_properties import block_bytes, codec_of
from hudi_core.data_files.spool import Spool
from hudi_core.engine import Runner
from hudi_core.errors import ConflictError, LockedError, PendingPlanError, UsageError
from hudi_core.index_kinds.file_notes import NotedIndex, list_noted_indexes
from hudi_core.index_kinds.secondary import Indexed, IndexedColumn, list_indexed_columns, read_replaced_secondary
from hudi_core.metadata.kinds import locates_keys
from hudi_core.options import TableType
from hudi_core.parallel.flow import FlowRunner
from hudi_core.parallel.reach import Reach
from hudi_core.planning.sources.sources import Sources
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.tagging.slice_keys import SliceKeyReader
from hudi_core.tally import COMMITTING, LOOKING_UP, WRITING
from hudi_core.timeline.instants import COMMIT, DELTA_COMMIT
from hudi_core.timeline.services import FileGroup
from hudi_core.transactions.attempts import Attempts, delete_others
from hudi_core.transactions.conflicts import refuse_clustered
from hudi_core.transactions.early_conflicts import EARLY_DETECTION, refuse_marked
from hudi_core.transactions.filter_logs import join_staged, stage_filters
from hudi_core.transactions.key_exchange import KeyExchange, plan_exchange
from hudi_core.transactions.left_out import refuse_lost_values
from hudi_core.transactions.metadata_steps import metadata_steps
from hudi_core.transactions.stream_batches import StreamBatch
from hudi_core.transactions.transaction import Transaction, transaction
from hudi_core.writing.announce import partition_steps, task_files
from hudi_core.writing.incoming import file_schema
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.result import WriteResult, nothing_written, result_of
from hudi_core.writing.tasks import NewFile, RewriteFile, Task, TaskRunner, row_count, runner_of
from hudi_core.writing.write_properties import ALLOW_EMPTY, flag, refuse_idle_services

if TYPE_CHECKING:
    from hudi_core.writing import rehearsal
else:
    rehearsal = ModuleByNeed("hudi_core.writing.rehearsal")  # for dry runs alone


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """What tasks report. `staged` are the parts of the commit in indexes of keys and in `bloom_filters` that tasks made."""

    statuses: tuple[WriteStatus, ...]
    staged: StagedLogs | None = None


class Work(Protocol):
    """Runs the tasks of a write with rows that are elsewhere, each as the runner does. A task may run more than once: each
    attempt announces its files itself (`writing.announce`)."""

    @property
    def parallelism(self) -> int: ...

    @property
    def runner(self) -> Runner:
        """Runs tasks beside those with rows."""
        ...

    def __call__(
        self, runner: TaskRunner, tasks: Sequence[Task], exchange: KeyExchange | None, *, in_lines: bool
    ) -> Written:
        """Gives what tasks report; their keys go the way of the exchange, where there is one. `in_lines`: markers of files are
        lines of files, as was announced."""
        ...


_TASKS_AT_ONCE: Final = 4
"""For each that runs: between two reports of progress."""
_WAIT_SECONDS: Final = 0.5
_ATTEMPTS_BESIDE_PLANS: Final = 2
"""How often a write is planned that meets a plan: one that was just made may be about to be run, others wait for somebody."""


@dataclass(frozen=True, slots=True, eq=False)
class Planned:
    """The plan of a write: tasks, and by partition the file groups that it replaces."""

    tasks: tuple[Task, ...]
    replaced: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    deleted_partitions: tuple[str, ...] = ()
    spool: Spool | None = None
    """The rows of the tasks, where they are not those of the run."""
    before: tuple[Ensure, ...] = ()
    """Files of the table's own folder that have to be there before the first file; they stay whatever becomes of the write."""
    stays: bool = False
    """Rows stay in their slices, whatever partitions they have."""
    work: Work | None = None
    """Runs the tasks where their rows are not here; None: they are in the spool."""


Plan = Callable[[Table, str], Planned]
"""Plans a write on a table, whose commit has this requested time. Called again for each attempt."""


@dataclass(frozen=True)
class WriteRun:
    """One write. `table` is what its rows were checked against, `schema` what the table's schema becomes (without Hudi's own
    columns), `rows` the schema of the rows in `spool`."""

    table: Table
    operation: str
    action: str
    schema: Schema
    rows: Schema
    spool: Spool
    options: WriteOptions
    kept: frozenset[int] = frozenset()
    """The columns that the rows lack and whose stored values stay."""
    looks_up: bool = False
    """An insert that looked its keys up: it conflicts as an upsert does."""

    def run(self, plan: Plan) -> WriteResult:
        """Plans, writes and commits. Raises `ConflictError` when other writers won each attempt."""
        refuse_idle_services(self.options.properties, self.table.config.properties)
        if self.options.dry_run:
            return self._dry_run(plan)
        attempt = 1
        while True:
            try:
                return self._attempt(plan)
            except LockedError:
                raise
            except PendingPlanError:
                if attempt >= min(self.options.attempts, _ATTEMPTS_BESIDE_PLANS):
                    raise
            except ConflictError as error:
                if attempt >= self.options.attempts:
                    times = "once" if attempt == 1 else f"{attempt} times"
                    error.add_note(
                        f"the write was planned {times} and changed nothing: write again, or with more `attempts`"
                    )
                    raise
            time.sleep(_WAIT_SECONDS * 2 ** (attempt - 1))
            attempt += 1

    def _attempt(self, plan: Plan) -> WriteResult:
        begun = perf_counter()
        with (
            transaction(
                self.table,
                self.action,
                self.operation,
                metadata_steps=metadata_steps,
                cancels_plans=self.options.cancels_plans,
                clock=self.options.clock,
            ) as running,
            running.refuse_missing(),
        ):
            batch = self.options.batch
            if batch is not None and batch.is_committed(running.table):
                return nothing_written(self.operation)
            self._refuse_other_schema(running.table)
            columns = list_indexed_columns(running.table, self.schema)
            indexed = Indexed(columns, self.schema) if columns else None
            noted = list_noted_indexes(running.table, self.schema)
            self._enter(LOOKING_UP)
            planned = self._plan(plan, running.table, running.instant_time)
            if not (planned.tasks or planned.replaced or self._allows_empty(running.table)):
                return nothing_written(self.operation, perf_counter() - begun)
            running.refuse_clustered(_list_changed_groups(planned))
            self._announce(running, planned)
            exchange = _plan_exchange(running, planned, columns)
            written = self._write(running, planned, indexed, noted, exchange)
            self._enter(COMMITTING)
            staged = frozenset[str]() if written.staged is None else written.staged.partitions
            left = [column for column in columns if column.partition not in staged]
            change = TableChange(
                self.operation, self.action, self.schema, written.statuses, planned.replaced,
                {} if locates_keys(staged) else _read_replaced_keys(running.table, planned.replaced),
                planned.deleted_partitions, staged=written.staged,
                replaced_secondary=read_replaced_secondary(running.table, left, planned.replaced), looks_up=self.looks_up,
            )  # fmt: skip
            if batch is None:
                running.commit(change)
            else:
                running.commit(change, partial(_with_batch, batch))
        replaced = sum(map(len, planned.replaced.values()))
        return result_of(running.instant_time, self.operation, written.statuses, replaced, perf_counter() - begun)

    def _plan(self, plan: Plan, table: Table, instant_time: str) -> Planned:
        """The tasks of the write. Raises `UsageError` for an overwrite of the whole table by no rows: all would be gone, for want
        of a file perhaps. Rules WRITE-1633, WRITE-1652."""
        planned = plan(table, instant_time)
        overwrites = self.operation == "INSERT_OVERWRITE_TABLE"
        if overwrites and planned.replaced and not planned.tasks and not self._allows_empty(table):
            raise UsageError(
                "rows", expected="a row, or `allow_empty`, which takes all rows of the table away", found="none"
            )
        if table.config.left_out_columns:
            partitions = dict.fromkeys(task.target.partition for task in planned.tasks)
            refuse_lost_values(table.config, self.schema, partitions, table.storage.uri)
        return planned

    def _announce(self, running: Transaction, planned: Planned) -> None:
        """Makes the write inflight, and the markers of the files of tasks that run here."""
        table, tasks, time = running.table, planned.tasks, running.instant_time
        detects_early = self._detects_early(table)
        if detects_early:
            refuse_marked(table, time, _list_changed_groups(planned), self.options.clock)
        markers: list[Step] = []
        if planned.work is None and tasks:
            files = [file for task in tasks for file in task_files(task, table.config)]
            markers = markers_steps(time, files, apart=detects_early)
        if table.storage.is_remote:
            # Beside the inflight instant: nobody looks for a partition before it has a file, and whoever undoes a write treats a
            # new one alike whether the write was inflight or requested. Local ones are synced with their first files.
            markers = side_by_side([markers, _folders(planned, time)])
        running.start(_plan_stats(tasks), beside=markers)
        run(table.storage, planned.before)

    def _detects_early(self, table: Table) -> bool:
        return flag(EARLY_DETECTION, self.options.properties, table.config.properties) is True

    def _enter(self, stage: str, tasks: Sequence[Task] = ()) -> None:
        """Says what begins. How many rows there will be is known where no file is rewritten."""
        if self.options.tally is not None:
            known = all(not isinstance(task, RewriteFile) for task in tasks)
            rows = sum(map(row_count, tasks)) if known else None
            self.options.tally.enter(stage, len(tasks) or None, rows or None)

    def _allows_empty(self, table: Table) -> bool:
        stated = flag(ALLOW_EMPTY, self.options.properties, table.config.properties)
        return self.options.allow_empty or self.options.batch is not None or stated is True

    def _write(
        self,
        running: Transaction,
        planned: Planned,
        indexed: Indexed | None,
        noted: tuple[NotedIndex, ...],
        exchange: KeyExchange | None,
    ) -> Written:
        """Runs the tasks, whose files are announced, each behind the folder of its partition."""
        table, tasks = running.table, planned.tasks
        self._enter(WRITING, tasks)
        runner = self._task_runner(table.snapshot().without_slices(), table, planned)
        runner = replace(runner, indexed=indexed, noted=noted)
        if planned.work is not None:
            in_lines = len(tasks) > MOST_FILES and not self._detects_early(table)
            return self._run_elsewhere(running, planned.work, runner, tasks, exchange, in_lines=in_lines)
        if exchange is not None:
            assert isinstance(table.engine.runner, FlowRunner)  # file groups are replaced, and there are no tasks
            return Written(*exchange.remove(table.engine.runner))
        if not table.storage.is_remote:  # there they were announced
            folders = _folders(planned, running.instant_time)
            run(table.storage, folders, durable=False)  # with the files in them, before the commit
        return Written(self._run_here(table, runner, tasks, running))

    def _task_runner(self, snapshot: Snapshot, table: Table, planned: Planned) -> TaskRunner:
        stated = table.config.properties
        return TaskRunner(
            snapshot, self.rows, file_schema(self.schema), planned.spool or self.spool, kept=self.kept,
            stays=planned.stays or not self.options.moves(stated),
            codec=codec_of(self.options.properties, stated), block_bytes=block_bytes(self.options.properties, stated),
        )  # fmt: skip

    def _run_elsewhere(
        self, running: Transaction, work: Work, runner: TaskRunner, tasks: Sequence[Task],
        exchange: KeyExchange | None, *, in_lines: bool,
    ) -> Written:  # fmt: skip
        """Runs tasks where their rows are. Of several attempts of a task one counts: what the others made is deleted."""
        if in_lines:
            run(running.table.storage, [lines_step(running.instant_time)])
        written = work(runner, tasks, exchange, in_lines=in_lines)
        delete_others(running, written.statuses)
        filters = stage_filters(running.table, running.instant_time, written.statuses, work.runner)
        self._add_written(written.statuses)
        if self.options.progress is not None:
            self.options.progress(len(tasks), len(tasks))
        return replace(written, staged=join_staged(written.staged, filters))

    def _run_here(
        self, table: Table, runner: TaskRunner, tasks: Sequence[Task], running: Transaction | None = None
    ) -> tuple[WriteStatus, ...]:
        """Runs tasks whose rows are in the spool, a share at a time where somebody follows the progress of other processes."""
        progress, tally = self.options.progress, self.options.tally
        work = runner_of(table.engine, table.storage, tasks)
        in_memory = work.reach is Reach.MEMORY
        if in_memory:
            runner = replace(runner, tally=tally)
        task_work = runner.run if running is None or not in_memory else running.guard(runner.run)
        at_once = progress is None and (in_memory or tally is None)
        share = len(tasks) if at_once else work.parallelism * _TASKS_AT_ONCE
        statuses: list[WriteStatus | None] = []
        for start in range(0, len(tasks), max(share, 1)):
            done = work.run(task_work, tasks[start : start + share])
            statuses += done
            if not in_memory:
                self._add_written(done)
            if progress is not None:
                progress(len(statuses), len(tasks))
        return tuple(status for status in statuses if status is not None)

    def _add_written(self, statuses: Iterable[WriteStatus | None]) -> None:
        """Adds what tasks of other processes report."""
        if self.options.tally is not None:
            for status in statuses:
                add_written(self.options.tally, status, counted=False)

    def _refuse_other_schema(self, latest: Table) -> None:
        if latest.schema != self.table.schema:
            raise ConflictError(
                latest.storage.uri, expected="the schema that the rows were checked against", found="a changed one"
            )

    def _dry_run(self, plan: Plan) -> WriteResult:
        """Runs the tasks as a write does, with files that nobody else sees. Rule WRITE-1490."""
        begun = perf_counter()
        latest = refreshed(self.table)
        self._refuse_other_schema(latest)
        time = next_time(latest.timeline, self.options.clock)
        planned = self._plan(plan, latest, time)
        changed = _list_changed_groups(planned)
        refuse_clustered(latest, time, self.operation, changed, lambda _: self.options.cancels_plans)
        storage = rehearsal.RehearsedStorage(latest.storage, frozenset({heartbeat_path(time)}))
        snapshot = replace(latest.snapshot().without_slices(), storage=storage)
        runner = self._task_runner(snapshot, latest, planned)
        if planned.work is None:
            statuses = self._run_here(latest, runner, planned.tasks)
        else:
            statuses = planned.work(runner, planned.tasks, None, in_lines=False).statuses
        replaced = sum(map(len, planned.replaced.values()))
        return result_of(None, self.operation, statuses, replaced, perf_counter() - begun)


def _folders(planned: Planned, instant_time: str) -> list[Step]:
    """The step that makes the folders of tasks that run here partitions."""
    return [] if planned.work is not None else [SideBySide(tuple(partition_steps(planned.tasks, instant_time)))]


def _with_batch(batch: StreamBatch, latest: Table, change: TableChange) -> TableChange:
    """The change with the entry of its batch. Raises `ConflictError` where the batch is committed since the write began."""
    if batch.is_committed(latest):
        found = f"the commit of batch {batch.number}"
        raise ConflictError(latest.storage.uri, expected=f"a new batch of {batch.stream}", found=found)
    return replace(change, extra={**change.extra, **batch.entry(latest)})


def write_action(table: Table) -> str:
    """The action by which rows of a table are written."""
    return DELTA_COMMIT if table.config.type is TableType.MERGE_ON_READ else COMMIT


def _read_replaced_keys(table: Table, replaced: Mapping[str, Sequence[str]]) -> Mapping[str, StringColumn]:
    """The record keys of replaced file groups, which have to be removed from the table's record index."""
    if not locates_keys(table.config.kept_partitions):
        return {}
    stored = SliceKeyReader(Sources(table.snapshot()))
    parts: dict[str, list[StringColumn]] = {}
    for file_slice in stored.sources.snapshot.slices:
        if file_slice.file_id in replaced.get(file_slice.partition, ()):
            parts.setdefault(file_slice.partition, []).extend(stored.of_slice(file_slice))
    return {partition: concat_strings(keys) for partition, keys in parts.items() if keys}


def _plan_exchange(running: Transaction, planned: Planned, columns: Sequence[IndexedColumn]) -> KeyExchange | None:
    """The exchange of the keys of a write whose rows are elsewhere, or that has none and only replaces file groups; None where
    statuses have the keys."""
    table, work = running.table, planned.work
    if work is None and (planned.tasks or not isinstance(table.engine.runner, FlowRunner)):
        return None
    parallelism = table.engine.runner.parallelism if work is None else work.parallelism
    keys = sum(map(row_count, planned.tasks))
    partitions = {task.target.partition for task in planned.tasks}
    return plan_exchange(
        table, Attempts(table.storage, running.instant_time), partitions, keys, parallelism, planned.replaced,
        columns,
    )  # fmt: skip


def _plan_stats(tasks: Sequence[Task]) -> Mapping[str, Sequence[Stat]]:
    """The write statistics that other writers see of a pending write, by partition."""
    stats: dict[str, list[Stat]] = {}
    for task in tasks:
        of_partition = stats.setdefault(task.target.partition, [])
        if isinstance(task, NewFile):
            of_partition.append(plan_stat("", None, row_count(task), 0))
        else:
            of_partition.append(plan_stat(task.slice.file_id, task.slice.instant, 0, row_count(task)))
    return stats


def _list_changed_groups(planned: Planned) -> set[FileGroup]:
    """The existing file groups that a write updates or replaces."""
    changed = {(task.slice.partition, task.slice.file_id) for task in planned.tasks if not isinstance(task, NewFile)}
    return changed | {(partition, file_id) for partition, ids in planned.replaced.items() for file_id in ids}
