"""The operations that write rows with their options, and what follows from them: the columns of the rows, their order, what
happens to keys that are there, and which tables may be written to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from hudi_core.arguments import take_count, take_fields
from hudi_core.by_need import ModuleByNeed
from hudi_core.commit.times import Clock, system_clock
from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.keys.options import is_time_option
from hudi_core.merge.rules import merge_rules
from hudi_core.metadata.kinds import locates_keys
from hudi_core.notebook import show_briefly
from hudi_core.options import TableType
from hudi_core.schema.schema import Schema
from hudi_core.stated_properties import property_texts
from hudi_core.table.open import look_to_plan
from hudi_core.table.table import Table
from hudi_core.tagging.bucket_layout import bucket_layout
from hudi_core.tagging.choose import IndexType
from hudi_core.tally import Tally, refuse_other_tally
from hudi_core.transactions.refusals import refuse_other_keys, refuse_unwritable
from hudi_core.transactions.stream_batches import StreamBatch
from hudi_core.writing.batch_columns import BatchColumns, MissingColumns
from hudi_core.writing.bucket_plan import refuse_other_buckets
from hudi_core.writing.duplicates import INSERT_DUPLICATES, DuplicatePolicy, duplicate_policy
from hudi_core.writing.incoming_checks import refuse_unordered
from hudi_core.writing.plan import FileSizes
from hudi_core.writing.task_rows import RowOrder
from hudi_core.writing.timestamp_types import TIMESTAMP_TYPES, timestamp_types
from hudi_core.writing.write_properties import (
    NULL_FOR_MISSING,
    RECONCILE_SCHEMA,
    UPDATE_PARTITION_PATH,
    bulk_order,
    flag,
    refuse_idle_services,
    refuse_other_properties,
)

if TYPE_CHECKING:
    from hudi_core.writing import key_options
else:
    key_options = ModuleByNeed("hudi_core.writing.key_options")  # for tables that do not store them


class Operation(StrEnum):
    """The treatment of rows whose key the table may have."""

    UPSERT = "upsert"
    """Rows are merged with the stored row of their key."""
    INSERT = "insert"
    """Rows are added as they are, to small files first."""
    APPEND = "append"
    """Rows are added as they are, in new files alone; the table's rows are not read."""
    BULK_INSERT = "bulk_insert"
    """As `append`, in the order of their keys within each partition."""
    DELETE = "delete"
    """The stored row of each key is deleted; the data gives only the keys."""
    INSERT_OVERWRITE = "insert_overwrite"
    """The rows replace all rows of their partitions."""
    INSERT_OVERWRITE_TABLE = "insert_overwrite_table"
    """The rows replace all rows."""

    @property
    def adds_alone(self) -> bool:
        """It looks up no keys and no partitions of the table."""
        return self in (Operation.INSERT, Operation.APPEND, Operation.BULK_INSERT)

    @property
    def overwrites(self) -> bool:
        """It replaces file groups."""
        return self in (Operation.INSERT_OVERWRITE, Operation.INSERT_OVERWRITE_TABLE)

    @property
    def recorded_as(self) -> str:
        """Its name in a commit: Apache Hudi has no append."""
        return (Operation.INSERT if self is Operation.APPEND else self).upper()


Progress = Callable[[int, int], None]
"""Called with how many tasks are done, and of how many."""


@show_briefly
@dataclass(frozen=True, slots=True)
class WriteOptions:
    """Options of a write. `dry_run` plans it and writes nothing."""

    index: IndexType = IndexType.AUTO
    """How keys are located."""
    sizes: FileSizes = field(default_factory=FileSizes)
    record_positions: bool = True
    """`hoodie.write.record.positions`: log files record the positions of their records in the base file, where known."""
    partial_updates: bool = False
    """An update by predicate writes only the columns that it changes, where all readers merge that rightly; else whole rows."""
    missing_columns: MissingColumns | Literal["null", "keep"] | None = None
    """What rows that take the place of others have in columns that the batch lacks; None: such a batch is refused."""
    add_columns: bool | None = None
    """Whether the table gets columns that it lacks; None: where the batch has all columns of the table."""
    sort: RowOrder | Literal["global", "partition", "none"] | None = None
    """The order of the rows of a bulk insert in their files; None: global, all in the order of their keys."""
    attempts: int = 4
    """How many times a write is tried that meets conflicts."""
    dry_run: bool = False
    allow_empty: bool = False
    """A write that changes no file commits all the same, as streams need it that record how far they are."""
    batch: StreamBatch | None = None
    """The batch of a stream that the rows are. One that is committed is not written again: the result has no instant then."""
    cancels_plans: bool = False
    """A clustering of file groups that the write changes, and that nobody runs, is cancelled; else the write is refused."""
    properties: Mapping[str, str] = field(default_factory=dict)
    """Properties of Apache Hudi for this write: `write_properties.WRITE_PROPERTIES`."""
    progress: Progress | None = None
    tally: Tally | None = None
    """Gets what the write has done so far, as it goes on."""
    clock: Clock = system_clock

    def __post_init__(self) -> None:
        object.__setattr__(self, "properties", property_texts(self.properties, "properties"))
        refuse_other_properties(self.properties)
        refuse_other_tally(self.tally)
        take_fields(self)
        take_count("attempts", self.attempts, 1)
        self.sizes.refuse_small("larger ones get no rows")

    def columns(self, properties: Mapping[str, str], *, replaces: bool) -> BatchColumns:
        """What a write does with columns that only its rows or only the table has. `properties` are the table's."""
        missing = None if self.missing_columns is None else MissingColumns(self.missing_columns)
        if missing is None and any(
            flag(name, self.properties, properties) for name in (NULL_FOR_MISSING, RECONCILE_SCHEMA)
        ):
            missing = MissingColumns.NULL
        stated = self.properties.get(TIMESTAMP_TYPES, properties.get(TIMESTAMP_TYPES, ""))
        return BatchColumns(replaces, missing, self.add_columns, times=timestamp_types(stated))

    def moves(self, properties: Mapping[str, str]) -> bool:
        """Whether rows move that come with another partition than the stored row of their key. `properties` are the table's."""
        return flag(UPDATE_PARTITION_PATH, self.properties, properties) is not False


KEPT_GROUPS = "file groups that stay, as the nodes of consistent hashing name them"
"""What is expected of a write to buckets of consistent hashing, in errors."""


def refuse_unordered_upsert(table: Table, rows: Schema, operation: Operation) -> None:
    """Raises `UnknownColumnError` for rows to merge, of this schema, without an ordering column of the table."""
    if _merges(table, operation):
        refuse_unordered(table, rows)


def _merges(table: Table, operation: Operation) -> bool:
    return operation is Operation.UPSERT and bool(table.config.record_key_fields)


def columns_of_write(table: Table, operation: Operation, options: WriteOptions) -> BatchColumns:
    """What an operation does with columns that only its rows or only the table has. Raises `UsageError` where stored values
    are to be kept by an operation that looks no rows up."""
    upserts = _merges(table, operation)
    columns = options.columns(table.config.properties, replaces=upserts or operation.overwrites)
    if columns.missing is MissingColumns.KEEP and operation is not Operation.UPSERT:
        raise UsageError(
            "missing_columns", expected="null: only upsert can keep stored values", found=f"keep for {operation}"
        )
    if upserts and columns.missing is None and merge_rules(table.config, table.storage.uri).keeps_stored_values:
        return replace(columns, missing=MissingColumns.NULL)
    return columns


def order_of(table: Table, operation: Operation, options: WriteOptions) -> RowOrder:
    """The order of the rows that an operation adds. Raises `UsageError` for one that is not known."""
    if operation is Operation.APPEND:
        return RowOrder.NONE
    if operation is not Operation.BULK_INSERT:
        return RowOrder.GLOBAL
    stated = options.sort or bulk_order(options.properties, table.config.properties)
    return RowOrder(stated or RowOrder.GLOBAL)


def policy_of(table: Table, operation: Operation, options: WriteOptions) -> DuplicatePolicy:
    """What an operation does with rows whose key is there: other operations than insert look no keys up for it, or merge. Raises
    `UsageError` for a policy of a table without keys."""
    if operation is not Operation.INSERT:
        return DuplicatePolicy.NONE
    policy = duplicate_policy(options.properties, table.config.properties)
    if policy is not DuplicatePolicy.NONE and not table.config.record_key_fields:
        raise UsageError(INSERT_DUPLICATES, expected="none for a table without record keys", found=repr(str(policy)))
    return policy


def operation_of(op: str) -> Operation:
    """The operation of a name. Raises `UsageError` for an unknown one."""
    try:
        return Operation(op)
    except ValueError:
        raise UsageError("op", expected=f"one of {', '.join(Operation)}", found=repr(op)) from None


def latest_writable(table: Table, operation: Operation, properties: Mapping[str, str] | None = None) -> Table:
    """The table as it is now. `properties` are those of the write. Raises `UnsupportedError` where the operation may not write to
    it."""
    merges = operation in (Operation.UPSERT, Operation.DELETE)
    latest = look_to_plan(table, statistics=merges)
    refuse_idle_services(properties or {}, latest.config.properties)
    refuse_unwritable(latest, merges=merges)
    snapshot = latest.snapshot()
    snapshot.expect_hashing_nodes()
    if merges and locates_keys(latest.config.kept_partitions):
        _ = snapshot.definitions  # they were asked for beside the timeline; the plan would wait for them alone
    latest = with_key_options(latest, properties or {})
    if not operation.adds_alone:
        refuse_other_keys(latest)
    refuse_unfit(latest, operation.overwrites, properties or {})
    return latest


def with_key_options(table: Table, properties: Mapping[str, str]) -> Table:
    """The table as a write of these properties makes its keys. Raises as `key_options.state_key_options`."""
    return key_options.state_key_options(table, properties) if any(map(is_time_option, properties)) else table


def refuse_unfit(table: Table, overwrites: bool, properties: Mapping[str, str]) -> None:
    """Raises `UnsupportedError` where file groups are buckets and the properties of a write or of the table do not state them as
    they are, or where an operation would replace the file groups that nodes of consistent hashing name."""
    layout = bucket_layout(table, properties)
    if layout is None:
        return
    if overwrites and layout.consistent:
        raise UnsupportedError(table.storage.uri, expected=KEPT_GROUPS, found="an overwrite")
    refuse_other_buckets(table.snapshot(), layout)


def writes_logs(table: Table) -> bool:
    """Updates and deletes go to log files."""
    return table.config.type is TableType.MERGE_ON_READ
