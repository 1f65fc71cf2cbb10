"""Options that would have no effect in a write: they are refused. Rules WRITE-1585, WRITE-1593, WRITE-1630."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from hudi_core.errors import UsageError
from hudi_core.options import TableType
from hudi_core.table.table import Table
from hudi_core.tagging.bucket_layout import bucket_layout
from hudi_core.tagging.choose import IndexType, finds_keys_anywhere
from hudi_core.writing.batch_columns import MissingColumns
from hudi_core.writing.duplicates import DROP_DUPLICATES, INSERT_DUPLICATES, DuplicatePolicy
from hudi_core.writing.operation import Operation, WriteOptions, policy_of
from hudi_core.writing.timestamp_types import TIMESTAMP_TYPES
from hudi_core.writing.write_properties import (
    BULK_SORT,
    NULL_FOR_MISSING,
    RECONCILE_SCHEMA,
    UPDATE_PARTITION_PATH,
    flag,
)

_COLUMNS: Final = ("missing_columns", "add_columns", NULL_FOR_MISSING, RECONCILE_SCHEMA, TIMESTAMP_TYPES)
"""Options about columns that rows lack or add, and about their types."""
_LOGS: Final = ("record_positions", "partial_updates")
"""Options about log files."""
_OPTIONS: Final = ("index", *_LOGS, "missing_columns", "add_columns", "sort")
_PROPERTIES: Final = (
    NULL_FOR_MISSING,
    RECONCILE_SCHEMA,
    TIMESTAMP_TYPES,
    BULK_SORT,
    INSERT_DUPLICATES,
    DROP_DUPLICATES,
    UPDATE_PARTITION_PATH,
)
"""Options and properties that some writes alone have a use for."""
_ASK_FOR_NOTHING: Final = {INSERT_DUPLICATES: ("", DuplicatePolicy.NONE.value)}
"""Values by which properties ask for nothing; flags do by false."""
_NO_OPTIONS: Final = WriteOptions()


@dataclass(frozen=True, slots=True)
class Change:
    """What a write does, and which of these options it has a use for."""

    text: str
    uses: frozenset[str]

    @classmethod
    def using(cls, text: str, *names: str) -> Change:
        return cls(text, frozenset(names))


DELETE: Final = Change.using("a delete", "index", "record_positions")
DELETE_WHERE: Final = Change.using("a delete by predicate", "record_positions")
DELETE_PARTITIONS: Final = Change.using("a delete of partitions")
UPDATE: Final = Change.using("an update, which names its columns", *_LOGS)
MERGE: Final = Change.using(
    "a merge, whose clauses name the columns", "index", "record_positions", UPDATE_PARTITION_PATH
)
OVERWRITE_WHERE: Final = Change("an overwrite with a predicate", MERGE.uses)
TRANSACTION: Final = Change.using("a transaction", *_COLUMNS, "index", "record_positions", UPDATE_PARTITION_PATH)
TRANSACTION_OF_DELETES: Final = Change("a transaction of deletes", DELETE.uses)
_CHANGES: Final[Mapping[Operation, Change]] = MappingProxyType(
    {
        Operation.UPSERT: Change.using(Operation.UPSERT, *_COLUMNS, *_LOGS, "index", UPDATE_PARTITION_PATH),
        Operation.INSERT: Change.using(Operation.INSERT, *_COLUMNS, "index", INSERT_DUPLICATES, DROP_DUPLICATES),
        Operation.APPEND: Change.using(Operation.APPEND, *_COLUMNS),
        Operation.BULK_INSERT: Change.using(Operation.BULK_INSERT, *_COLUMNS, "sort", BULK_SORT),
        Operation.DELETE: DELETE,
        Operation.INSERT_OVERWRITE: Change.using(Operation.INSERT_OVERWRITE, *_COLUMNS),
        Operation.INSERT_OVERWRITE_TABLE: Change.using(Operation.INSERT_OVERWRITE_TABLE, *_COLUMNS),
    }
)


def refuse_idle(table: Table, operation: Operation, options: WriteOptions) -> None:
    """Raises `UsageError` for an option that would have no effect in an operation on the table."""
    if options == _NO_OPTIONS:
        return
    change = _CHANGES[operation]
    looks_up = operation is not Operation.INSERT or policy_of(table, operation, options) is not DuplicatePolicy.NONE
    if not looks_up:
        change = replace(change, uses=change.uses - {"index"})
    if bucket_layout(table, options.properties) is not None:  # rows that are added go to log files too
        change = replace(change, uses=change.uses | {"record_positions"})
    if operation is Operation.UPSERT and options.missing_columns is not MissingColumns.KEEP and options.partial_updates:
        expected = "missing_columns=keep beside it, without which an upsert writes whole rows"
        raise UsageError("partial_updates", expected=expected, found="none")
    refuse_idle_in(table, change, options)


def refuse_idle_in(table: Table, change: Change, options: WriteOptions) -> None:
    """Raises `UsageError` for an option that would have no effect in a change of the table."""
    if options == _NO_OPTIONS:
        return
    _refuse_useless(change, options)
    if options.index is not IndexType.AUTO:
        in_buckets = bucket_layout(table, options.properties) is not None
        if in_buckets is not (options.index is IndexType.BUCKET):
            expected = "auto or bucket, as the table has buckets" if in_buckets else "an index that the table has"
            raise UsageError("index", expected=expected, found=str(options.index))
    if not options.record_positions and table.config.type is not TableType.MERGE_ON_READ:
        expected = "a merge-on-read table: others have no log files"
        raise UsageError("record_positions", expected=expected, found="a copy-on-write one")
    if flag(UPDATE_PARTITION_PATH, options.properties) is True and not finds_keys_anywhere(table.snapshot()):
        expected = "a record index of the whole table, without which keys are looked for in their partition"
        raise UsageError(UPDATE_PARTITION_PATH, expected=expected, found="none")


def _refuse_useless(change: Change, options: WriteOptions) -> None:
    """Raises `UsageError` for an option that a change has no use for, whatever the table."""
    for name in _OPTIONS:
        if name in change.uses or not _is_given(options, name):
            continue
        value = getattr(options, name)
        found = str(value) if isinstance(value, str) else repr(value)  # the word of a choice
        if name == "index":
            raise UsageError(name, expected=f"auto for {change.text}, which looks no keys up", found=found)
        raise UsageError(name, expected=f"no such option for {change.text}", found=found)
    for name in _PROPERTIES:
        stated = options.properties.get(name, "")
        if name not in change.uses and stated.strip().lower() not in _ASK_FOR_NOTHING.get(name, ("", "false")):
            raise UsageError(name, expected=f"no such property for {change.text}", found=repr(stated))


def _is_given(options: WriteOptions, name: str) -> bool:
    return bool(getattr(options, name) != getattr(_NO_OPTIONS, name))
