"""Transactions: from the request of a write to its commit, or to its rollback. Rules: COMMIT-10 to COMMIT-13, COMMIT-200.

with transaction(table, DELTA_COMMIT, "UPSERT") as write:
    write.start(planned)                  # the inflight instant, before the first data file
    ...                                   # tasks announce files by markers, write them, and report statuses
    write.commit(change)                  # the one act that readers see
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Final, TypeVar

from hudi_core.commit.avro_schemas import REQUESTED_REPLACE_METADATA
from hudi_core.commit.heartbeat import Heartbeat, heartbeat, heartbeat_path, is_alive
from hudi_core.commit.lock import table_lock
from hudi_core.commit.markers import marker_folder
from hudi_core.commit.metadata import Stat, commit_record, encode_commit, metadata_record
from hudi_core.commit.statuses import ALTER_SCHEMA, COMPACTIONS, TableChange
from hudi_core.commit.steps import (
    Create,
    DeleteMany,
    Step,
    create_all_the_same,
    run,
    side_by_side,
    sync_changes,
)
from hudi_core.commit.times import Clock, next_time, system_clock
from hudi_core.errors import ConflictError, HudiError, NoSuchFileError, StorageError, UnsupportedError, UsageError
from hudi_core.formats.avro.container import write_container
from hudi_core.local_files import let_pass, look_before_naming
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.table.open import look_to_commit, look_to_plan, refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.instants import (
    CLUSTERING,
    COMMIT,
    DELTA_COMMIT,
    REPLACE_COMMIT,
    Instant,
    InstantFiles,
    InstantState,
    parse_instant,
)
from hudi_core.timeline.services import FileGroup, pending_work
from hudi_core.transactions.conflicts import list_touched_groups, refuse_clustered, refuse_conflicts
from hudi_core.transactions.refusals import refuse_restoring
from hudi_core.transactions.rollback import roll_back, roll_back_failed
from hudi_core.transactions.schema_commit import schema_commit, write_committed_schema
from hudi_core.transactions.taking_back import (
    delete_base_files,
    forget,
    list_left_files,
    lock_to_undo,
    show_death,
    take_back,
    take_back_commit,
)

T = TypeVar("T")
R = TypeVar("R")

MetadataSteps = Callable[[Table, str, TableChange], Sequence[Step]]
"""The steps that bring the metadata table up to date with a change, its completed instant last."""

Settled = Callable[[Table, TableChange], TableChange]
"""Returns the part of a change that still holds on a later state of the table. Raises `ConflictError` where none does."""

_CHECKPOINTS: Final = ("deltastreamer.checkpoint.", "streamer.checkpoint.")
"""Prefixes of the keys in `extraMetadata` from which streams of Apache Hudi resume."""
_DELETE_PARTITION: Final = "DELETE_PARTITION"


def _as_it_is(_: Table, change: TableChange) -> TableChange:
    return change


@dataclass
class Transaction:
    """A running write. `table` is the table as it was when the write was requested, failed writes rolled back."""

    table: Table
    action: str
    operation: str
    instant_time: str
    clock: Clock = system_clock
    metadata_steps: MetadataSteps | None = None
    cancels_plans: bool = False
    """Planned clusterings of its file groups that do not run are cancelled."""
    locks: ExitStack | None = None
    """Its end waits until locks are let go."""
    beat: Heartbeat | None = None
    committed: Instant | None = field(default=None, init=False)
    _started: bool = field(default=False, init=False)
    partitions: frozenset[str] = field(default=frozenset(), init=False)
    """The partitions that the write announced to change."""
    announced: set[str] = field(default_factory=set, init=False)
    """The paths of the data files that tasks of this process are to make."""
    has_lock: bool = field(default=False, init=False)
    """The table's lock was not let go: storage deletes no files, so the write can not be undone."""
    is_committing: bool = field(default=False, init=False)
    """From here on other files than its own data files may tell of the write."""

    @property
    def files(self) -> InstantFiles:
        """The instant's own files."""
        return InstantFiles(self.table.timeline.folder, self.table.config.layout, self.instant_time, self.action)

    @cached_property
    def before(self) -> Snapshot:
        """The table that the write goes on from: the files as they are, under the schema of when the write was requested. The run
        of a plan that waited writes under that schema, whatever became of it since: queries of times behind the plan read its
        files. Rule COMMIT-1545."""
        return self.table.snapshot().take_schema_of(self.instant_time)

    def is_own(self) -> bool:
        """Whether no other writer took the write for dead, and rolled it back or took it over."""
        return self.beat is None or self.beat.is_own()

    def refuse_taken(self) -> None:
        """Raises `ConflictError` where another writer took the write for dead."""
        if not self.is_own():
            where = f"{self.table.storage.uri}: {self.operation} of {self.instant_time}"
            raise ConflictError(where, expected="a pending write", found="one that another writer took for dead")

    def guard(self, work: Callable[[T], R]) -> Callable[[T], R]:
        """The work on a task of this process, whose files get their names only as long as nobody took the write for dead: whoever
        rolled it back does not look for them any more. Rule COMMIT-1477."""

        def work_while_own(task: T) -> R:
            self.refuse_taken()
            with look_before_naming(self.refuse_taken):
                return work(task)

        return work_while_own

    def start(self, planned: Mapping[str, Sequence[Stat]] | None = None, beside: Sequence[Step] = ()) -> None:
        """Makes the instant inflight, before the first data file, as the steps `beside` are made: the first markers. `planned`
        are the file groups that will be written to, by partition: writers of Apache Hudi look there for conflicts."""
        self.refuse_taken()
        record = metadata_record(planned or {}, self.operation)
        self.partitions = frozenset(planned or {})
        inflight = Create(self.files.inflight, encode_commit(record, self.table.config.layout))
        run(self.table.storage, side_by_side([[inflight], beside]))
        self._started = True

    def wait_for_lock(self) -> None:
        """Waits until the lock is let go under which the write was requested. Raises what that raises, once."""
        if self.locks is not None:
            self.has_lock = True
            self.locks.close()
            self.has_lock = False

    def refuse_clustered(self, groups: Set[FileGroup]) -> None:
        """Raises `ConflictError` when a clustering is going to rewrite file groups that the write is about to change, which its
        commit would be refused for: before any work is done."""

        def is_cancelled(instant: Instant) -> bool:
            return self.cancels_plans and gives_way(self.table, instant, self.clock)

        refuse_clustered(self.table, self.instant_time, self.operation, groups, is_cancelled)

    @contextmanager
    def refuse_missing(self) -> Iterator[None]:
        """Raises `ConflictError` in place of `NoSuchFileError` where others completed something since the write began: a clean
        took a file that it reads, most likely, and the table as it is then does not need it. Rule CONFLICT-1434."""
        try:
            yield
        except NoSuchFileError as error:
            if set(refreshed(self.table).timeline.completed) <= set(self.table.timeline.completed):
                raise
            where = f"{self.table.storage.uri}: {self.operation} of {self.instant_time}"
            found = f"{error.where} gone, after other changes"
            raise ConflictError(where, expected="the files that the write began with", found=found) from error

    def commit(self, change: TableChange, settled: Settled = _as_it_is) -> Instant:
        """Completes the write. Raises `ConflictError` when another writer changed what this one builds on.

        The metadata table goes first: until the instant is complete, readers ignore its records. `settled` gives the
        part of the change that still holds on the table as it is then; it is called under the table's lock.
        """
        if not self._started:
            self.start()
        config, storage = self.table.config, self.table.storage
        self.wait_for_lock()
        with _let_stay(self), table_lock(storage, clock=self.clock, until=self.locks) as lock:
            # A lasting heartbeat is looked for below, under the lock as the rest.
            beats = [self.beat.path] if self.beat is not None and self.beat.lasting else []
            latest = look_to_commit(self.table, files=beats)
            self.refuse_taken()
            change = settled(latest, change)
            if self.cancels_plans:
                latest = _without_plans(latest, change, self.clock)
            refuse_conflicts(self.table, latest, self.instant_time, change)
            begins = change.operation == ALTER_SCHEMA
            history = schema_commit(self.before, change.schema, self.instant_time, begins=begins)
            checkpoints = {} if change.operation in COMPACTIONS else _checkpoints(latest)
            whole = replace(change, extra={**checkpoints, **change.extra, **history.extra})
            record = commit_record(
                whole, self.instant_time, config.version, write_committed_schema(change.schema, config)
            )
            content = encode_commit(record, config.layout)
            self.is_committing = True
            steps = [] if self.metadata_steps is None else self.metadata_steps(latest, self.instant_time, change)
            run(storage, steps)
            # Greater than all times that the metadata table was just given.
            given = next_time(latest.timeline, self.clock, after=[self.instant_time, *_times_of(steps)])
            run(storage, history.steps(config.layout, self.instant_time, given))
            completion = next_time(latest.timeline, self.clock, after=[given])
            path = self.files.name_completed(completion)
            sync_changes(storage)
            lock.refuse_lost()
            error = create_all_the_same(storage, Create(path, content))
            self.committed = Instant(
                self.instant_time,
                self.action,
                InstantState.COMPLETED,
                None if config.layout == 1 else completion,
                path.rpartition("/")[2],
            )
            if error is not None:
                done = f"{self.operation} of {self.instant_time} is complete, but may not outlive a loss of power"
                warnings.warn(f"{done}: {error}", stacklevel=2)
        assert self.committed is not None
        return self.committed


@contextmanager
def transaction(
    table: Table,
    action: str,
    operation: str,
    *,
    metadata_steps: MetadataSteps | None = None,
    cancels_plans: bool = False,
    clock: Clock = system_clock,
) -> Iterator[Transaction]:
    """Requests a write, after failed ones were rolled back. A block that ends without a commit is undone at once, without a
    trace unless its commit had begun; where that fails, the next write rolls it back."""
    storage = table.storage
    with ExitStack() as locks, ExitStack() as alive:
        with table_lock(storage, clock=clock, until=locks):
            latest = refreshed(table)
            refuse_restoring(latest)  # one may have begun since the write was prepared
            healed = roll_back_failed(latest, clock)
            if healed.config.kept_partitions and metadata_steps is None:
                found = ", ".join(sorted(healed.config.kept_partitions))
                raise UnsupportedError(storage.uri, expected="a table without a metadata table", found=found)
            time = next_time(healed.timeline, clock)
            write = Transaction(healed, action, operation, time, clock, metadata_steps, cancels_plans, locks)
            lasting = action not in (COMMIT, DELTA_COMMIT)  # of these one without a heartbeat counts as dead
            write.beat = alive.enter_context(heartbeat(storage, write.instant_time, clock=clock, lasting=lasting))
            request = Create(write.files.requested, _make_requested_content(action, operation))
            run(storage, [request], durable=False)  # with the inflight instant, before the first data file
        with _end(write, alive, keep_plan=False):
            yield write


@contextmanager
def resume(
    table: Table,
    instant: Instant,
    operation: str,
    *,
    metadata_steps: MetadataSteps | None = None,
    takes_over: bool = False,
    clock: Clock = system_clock,
) -> Iterator[Transaction]:
    """Takes up an action that a plan requests, as a clustering. A block that ends without a commit leaves the plan as it was,
    to be taken up again.

    An earlier run that died is rolled back first. Raises `ConflictError` while a run is alive: one of another library may not
    show that it is alive, so one that never did counts as going on, unless the caller `takes_over`; `UsageError` where there
    is no such plan.
    """
    storage, time = table.storage, instant.requested_time
    with ExitStack() as locks, ExitStack() as alive:
        with table_lock(storage, clock=clock, until=locks):
            latest = look_to_plan(table)
            refuse_restoring(latest)
            planned = _pending(latest, instant)
            if planned.state is InstantState.INFLIGHT:
                if not gives_way(latest, planned, clock, takes_over=takes_over):
                    where = f"{storage.uri}: {planned.action} {time}"
                    raise ConflictError(where, expected="a plan that nobody runs", found="one that is being run")
                roll_back(latest, planned, clock, keep_plan=True)
                latest = refreshed(latest)
            healed = roll_back_failed(latest, clock)
            write = Transaction(healed, planned.action, operation, time, clock, metadata_steps, locks=locks)
            write.beat = alive.enter_context(heartbeat(storage, time, clock=clock))
            # Empty, as that of every run of a plan: it can be created once.
            run(storage, [Create(write.files.inflight)])
            write._started = True
        with _end(write, alive, keep_plan=True):
            yield write


def _pending(table: Table, instant: Instant) -> Instant:
    for pending in table.timeline.pending:
        if pending.requested_time == instant.requested_time and pending.action == instant.action:
            return pending
    expected = "a plan that waits to be run"
    raise UsageError(
        table.storage.uri, expected=expected, found=f"no pending {instant.action} {instant.requested_time}"
    )


@contextmanager
def _end(write: Transaction, alive: ExitStack, *, keep_plan: bool) -> Iterator[None]:
    """Ends a write: without a commit it is undone."""
    try:
        yield
    finally:
        if write.committed is None:
            is_undone = False
            try:
                is_undone = _undo(write, alive, keep_plan=keep_plan)
            finally:
                if keep_plan and not is_undone and write.beat is not None:
                    write.beat.stays = True
                    show_death(write.table.storage, write.instant_time)
                alive.close()
        else:
            storage, markers = write.table.storage, marker_folder(write.instant_time)
            with _let_stay(write), let_pass():
                # Listed beside the end of the heartbeat: all tasks are done, and attempts that others outran may announce files
                # behind any listing. They go behind its end alone.
                storage.expect(trees=[markers])
                alive.close()  # first, so that at any time something shows an attempt of a task that its write ended
                storage.delete_folder(markers)
            with _let_stay(write):
                write.wait_for_lock()


@contextmanager
def _let_stay(write: Transaction) -> Iterator[None]:
    """Warns of what storage does not delete behind the commit: an error would have the write tried again. Rule COMMIT-1478."""
    try:
        yield
    except StorageError as error:
        if write.committed is None:
            raise
        done = f"{write.operation} of {write.instant_time} is complete, but left something that a later write deletes"
        warnings.warn(f"{done}: {error}", stacklevel=2)


def _times_of(steps: Sequence[Step]) -> list[str]:
    """The times in the names of instants that steps create."""
    named = [parse_instant(step.path.rpartition("/")[2]) for step in steps if isinstance(step, Create)]
    instants = [instant for instant in named if instant is not None]
    return [time for one in instants for time in (one.requested_time, one.completion_time) if time is not None]


def _checkpoints(table: Table) -> dict[str, str]:
    """The checkpoints of streams that write to the table, from its newest commit with checkpoints: they are read there, and not
    far back."""
    for extra in reversed(table.timeline.extras()):
        checkpoints = {key: value for key, value in extra.items() if key.startswith(_CHECKPOINTS)}
        if checkpoints:
            return checkpoints
    return {}


def _without_plans(table: Table, change: TableChange, clock: Clock) -> Table:
    """The table after clusterings of the file groups that a change touches were cancelled, where nobody runs them."""
    groups = list_touched_groups(change)
    for work in pending_work(table.timeline):
        instant = work.instant
        if instant.action not in (CLUSTERING, REPLACE_COMMIT) or groups.isdisjoint(work.file_groups):
            continue
        if gives_way(table, instant, clock):
            roll_back(table, instant, clock)
    return refreshed(table)


def gives_way(table: Table, instant: Instant, clock: Clock, *, takes_over: bool = False) -> bool:
    """Whether a plan is not running. With `takes_over` a run without a heartbeat is none."""
    if instant.state is InstantState.REQUESTED:
        return True
    if takes_over:
        return not is_alive(table.storage, instant.requested_time, clock())
    return _has_died(table, instant, clock)


def _has_died(table: Table, instant: Instant, clock: Clock) -> bool:
    """Whether a run of a plan died before its instant completed. A run of another library may never have written a heartbeat:
    it counts as going on."""
    storage, time = table.storage, instant.requested_time
    return storage.read_modified(heartbeat_path(time)) is not None and not is_alive(storage, time, clock())


def _undo(write: Transaction, alive: ExitStack, *, keep_plan: bool) -> bool:
    """Undoes a write: it is taken back, and nothing tells of it, unless its commit had begun. Then it is rolled back, if storage
    takes the rollback. Of one that another writer took for dead, and rolled back, what was written since is removed. False where
    it is left to the next writer."""
    storage = write.table.storage
    if write.has_lock:
        return False
    try:
        write.wait_for_lock()
        with lock_to_undo(storage, write.clock, partial(_make_room, write, alive, keep_plan=keep_plan)) as was_own:
            # Under the lock: another may take the write over until then. Its heartbeat goes first, so that at any time something
            # shows an attempt of a task that its write ended.
            is_own = was_own or write.is_own()
            alive.close()
            latest = refreshed(write.table)
            present = [one for one in latest.timeline.instants if one.requested_time == write.instant_time]
            if not present:
                forget(latest, write.instant_time, write.action)
            elif not is_own:
                run(storage, [DeleteMany(list_left_files(latest, write.announced, present[0]))])
            for instant in [one for one in present if is_own and not one.completed]:
                if not write.is_committing:
                    take_back(latest, instant, write.partitions, keep_plan=keep_plan)
                    continue
                try:
                    roll_back(latest, instant, write.clock, keep_plan=keep_plan)
                except StorageError:
                    take_back_commit(refreshed(latest), instant, write.partitions, keep_plan=keep_plan)
    except HudiError:
        # What ended the write is the error that counts; the next writer rolls back.
        return False
    return True


def _make_room(write: Transaction, alive: ExitStack, *, keep_plan: bool) -> bool:
    """Deletes of a failed write what nobody else looks for. False where others may: of a plan, a commit, one taken for dead."""
    if keep_plan or write.is_committing or not write.is_own():
        return False
    delete_base_files(write.table.storage, write.announced)
    alive.close()
    return True


def _make_requested_content(action: str, operation: str) -> bytes:
    if action != REPLACE_COMMIT:
        return b""
    planned: dict[str, Any] = {"operationType": None, "clusteringPlan": None, "extraMetadata": None, "version": None}
    if operation == _DELETE_PARTITION:
        planned |= {"operationType": operation, "extraMetadata": {}, "version": 1}
    return write_container(REQUESTED_REPLACE_METADATA, [planned])
