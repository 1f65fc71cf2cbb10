"""Rows that are refused for their keys or ordering values before anything is written. Rules: WRITE-70, WRITE-71, WRITE-207."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.strings import take_strings
from hudi_core.commit.name_limits import describe_long_partition, name_limits
from hudi_core.errors import RowError, UnknownColumnError, UsageError
from hudi_core.merge.records import Precedence
from hudi_core.merge.rules import merge_rules
from hudi_core.metadata.kinds import locates_keys
from hudi_core.metadata_writer.delta_commit import partition_group_prefix
from hudi_core.pruning.ranks import order_texts
from hudi_core.schema.schema import Schema
from hudi_core.table.table import Table
from hudi_core.tagging.choose import has_partitioned_record_index
from hudi_core.tagging.key_columns import KeyColumns

_OWN_FOLDER: Final = ".hoodie"
_SHOWN: Final = 60
"""Characters of a path that an error shows."""
_NO_STEPS: Final = frozenset({"", ".", ".."})


def refuse_lost_paths(table: Table, keys: KeyColumns, first: int = 0) -> None:
    """Raises `RowError` for a partition path that names another folder than the one that storage makes of it, or a folder of
    the table's own files: listings would not give its files back; and for one that is too long for the table's storage.
    `first` is the number of the first row. Rule WRITE-70."""
    limits = name_limits(table.storage)
    # File groups of such an index are named by partitions.
    names_files = limits is not None and has_partitioned_record_index(table.snapshot())
    for number, path in enumerate(keys.paths):
        if not path:
            continue
        expected, found = "a partition path that is a folder below the table", _describe_lost(path)
        if limits is not None and not found:
            prefix = partition_group_prefix(path) if names_files else None
            expected, found = describe_long_partition(limits, path, prefix)
        if found:
            row = first + int((keys.partitions == number).argmax())
            shown = path if len(path) <= _SHOWN else f"{path[:_SHOWN]}..."
            raise RowError(row, expected=expected, found=f"{shown!r}, {found}")


def refuse_new_index(table: Table, index: Collection[str]) -> None:
    """Raises `UsageError` for an index of a frame that would make a new column: hardly anyone means that. Rule WRITE-1518."""
    new = sorted(name for name in index if table.schema.find((name,), case_sensitive=False) is None)
    if new:
        hint = "reset_index() makes it a new column, reset_index(drop=True) leaves it out"
        expected, found = "an index of a frame that is a column of the table", f"the index {new[0]}"
        raise UsageError("rows", expected=expected, found=found, hint=hint)


def refuse_unordered(table: Table, rows: Schema) -> None:
    """Raises `UnknownColumnError` for rows without an ordering column that the table has, where it decides which of two rows of
    one key wins: they would lose to all that is stored."""
    rules = merge_rules(table.config, table.storage.uri)
    if rules.precedence is Precedence.NEWER:
        return
    for name in rules.ordering_fields:
        if table.schema.find(name) is not None and rows.find(name) is None:
            found = f"none{rows.suggestion(name)}"
            raise UnknownColumnError(
                name, expected="the ordering column in the rows to merge, or an update by predicate", found=found
            )


def _describe_lost(path: str) -> str:
    steps = path.split("/")
    if steps[0] == _OWN_FOLDER:
        return "where the table's own files are"
    if not _NO_STEPS.isdisjoint(steps):
        return "with a step that names no folder"
    return "with a null character" if "\0" in path else ""


def refuse_repeated_keys(table: Table, keys: KeyColumns, numbers: Numbers | None = None) -> None:
    """Raises `RowError` for a key that rows which are added as they are have twice, where the table's record index takes each
    key once: in the whole table, or in each partition. `numbers` are the numbers of the rows, None where they are counted
    from 0."""
    if not locates_keys(table.config.kept_partitions) or len(keys) < 2:
        return
    if not has_partitioned_record_index(table.snapshot()):
        _refuse_repeated(keys, np.arange(len(keys), dtype=np.int64), numbers)
        return
    for _, rows in keys.by_partition():
        _refuse_repeated(keys, rows, numbers)


def _refuse_repeated(keys: KeyColumns, rows: Numbers, numbers: Numbers | None) -> None:
    records = take_strings(keys.records, rows)
    order, differs = order_texts(ByteStrings(records.offsets, records.data))
    if differs.all():
        return
    first = int(differs.argmin()) - 1
    stop = first + 1 + int(np.append(differs[first + 1 :], True).argmax())
    repeated = rows[order[first:stop]]
    earlier, later = np.sort(repeated if numbers is None else numbers[repeated])[:2].tolist()
    key = records.data[records.offsets[order[first]] : records.offsets[order[first] + 1]].tobytes().decode()
    expected = "a record key that no earlier row has, as the record index requires"
    raise RowError(later, expected=expected, found=f"{key!r} of row {earlier + 1:,}")
