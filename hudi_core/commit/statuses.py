"""Write statuses, which tasks report, and the change of the table that a commit makes of them. They can be pickled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from hudi_core.columns.nodes import StringColumn
from hudi_core.engine import Runner
from hudi_core.formats.secondary_keys import KeyChange, SecondaryKeys
from hudi_core.schema.schema import Schema
from hudi_core.tally import Tally


@dataclass(frozen=True, slots=True)
class ColumnRange:
    """Statistics of one column of one file. Bounds are in the form of `hudi_core.values.domain`, None where unknown."""

    lower: object | None
    upper: object | None
    nulls: int
    values: int
    """Values of the column, nulls among them."""
    size: int = 0
    """Bytes in the file."""
    uncompressed_size: int = 0
    nan: bool = False
    """A floating-point column that holds NaN, which the bounds leave out."""


@dataclass(frozen=True, slots=True)
class MergedLogs:
    """The log files that a compaction merged into a file. `superseded` are the names of all files that the new one takes the
    place of: log files that came since belong to it."""

    files: int
    size: int
    blocks: int
    records: int
    updates: int
    superseded: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class WriteStatus:
    """A file that a task wrote. Paths are relative to the table's root."""

    partition: str
    file_id: str
    path: str
    size: int
    rows: int
    """The number of all rows of a base file, of the records in the data blocks of a log file."""
    inserts: int
    updates: int
    deletes: int
    is_log: bool = False
    previous_instant: str | None = None
    """The instant of the base file that the file group had before; None for a new file group."""
    previous_base: str | None = None
    """The name of that base file; None where there was none."""
    columns: Mapping[str, ColumnRange] = field(default_factory=dict)
    """By dotted name: the columns whose statistics are known."""
    added_keys: StringColumn | None = None
    """Record keys that the file group holds; all that are new to it are among them."""
    removed_keys: StringColumn | None = None
    """Record keys that the file group does not hold any more."""
    bloom_filter: bytes | None = None
    """The serialised filter of all record keys, as the footer has it; None also where the footer alone has it."""
    bloom_filter_type: str | None = None
    """The kind of the filter in the footer; None where there is none."""
    log_files: tuple[str, ...] = ()
    """Names of the log files of the slice, the one written last among them."""
    names_slice: bool = False
    """The statistic of the log file names the base file and all log files of its slice, in any table version."""
    is_partial: bool = False
    """A log file whose rows have values of `columns` alone, beside nested ones: what else they had stays."""
    change_logs: Mapping[str, int] = field(default_factory=dict)
    """Change logs of a base file: bytes by path."""
    secondary: Mapping[str, KeyChange] = field(default_factory=dict)
    """By metadata partition the file group's changes in secondary indexes, of the indexes that existed when it was written."""
    notes: Mapping[str, object] = field(default_factory=dict)
    """By metadata partition what an index is to record of the file, as an expression index statistics of the values or the
    serialised filter of them; None where these are not known. Of the indexes that existed when it was written."""
    merged: MergedLogs | None = None
    """What a compaction merged into the file."""


def add_written(tally: Tally, status: WriteStatus | None, *, counted: bool) -> None:
    """Adds a task and its file to a tally; `counted`: the rows of a base file are there already, added as they were written."""
    if status is None:
        tally.add(done=1)
        return
    rows = 0 if counted and not status.is_log else status.rows
    tally.add(done=1, written=rows, size=status.size + sum(status.change_logs.values()))


@dataclass(frozen=True, slots=True)
class StagedLog:
    """The content of a log file of the metadata table, which a task made before the commit. Rules META-1055, META-1170."""

    partition: str
    """The partition of the metadata table."""
    of_table: str | None
    """The partition of the table, for a partitioned record index."""
    groups: int
    """The file groups among which a hash chose."""
    group: int
    """The number of the file group among these."""
    path: str
    """Where the content waits, from the table's root."""
    size: int
    records: int
    deletes: int


@dataclass(frozen=True, slots=True, eq=False)
class StagedLogs:
    """Contents that wait for the commit, and the runner whose tasks bring them to their places."""

    logs: tuple[StagedLog, ...]
    partitions: frozenset[str]
    """The partitions of the metadata table whose part of the commit they are, with or without a log file."""
    runner: Runner

    def of_partition(self, partition: str) -> tuple[StagedLog, ...]:
        """Contents of one partition of the metadata table."""
        return tuple(log for log in self.logs if log.partition == partition)


CLUSTER: Final = "CLUSTER"
"""The operation that writes the rows of file groups to others as they are."""
COMPACT: Final = "COMPACT"
"""The operation that merges log files into base files of their file groups."""
LOG_COMPACT: Final = "LOG_COMPACT"
"""The operation that merges log files of a slice into one."""
COMPACTIONS: Final = frozenset({COMPACT, LOG_COMPACT})
"""The operations that leave each row in its file group."""
ALTER_SCHEMA: Final = "ALTER_SCHEMA"
"""The operation of a commit that changes the schema and no row."""
SERVICES: Final = COMPACTIONS | {CLUSTER}
"""The operations that write rows again as they are, by a plan."""


@dataclass(frozen=True, slots=True, eq=False)
class TableChange:
    """All that a commit changes. `operation` and `action` are Apache Hudi's names, as `UPSERT` and `deltacommit`."""

    operation: str
    action: str
    schema: Schema
    """The table's schema after the commit, without the meta columns."""
    statuses: tuple[WriteStatus, ...] = ()
    replaced: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By partition the ids of the file groups that are replaced."""
    replaced_keys: Mapping[str, StringColumn] = field(default_factory=dict)
    """By partition the record keys of those file groups, where the table has a record index."""
    deleted_partitions: tuple[str, ...] = ()
    extra: Mapping[str, str] = field(default_factory=dict)
    """Further entries of the commit's `extraMetadata`."""
    staged: StagedLogs | None = None
    """Parts of the commit in indexes of keys and in `bloom_filters` that tasks made: then statuses have no keys and filters of
    these, nor are any in `replaced_keys` and `replaced_secondary`."""
    replaced_secondary: Mapping[str, SecondaryKeys] = field(default_factory=dict)
    """By metadata partition the keys of the replaced file groups in secondary indexes, of the indexes that existed then."""
    looks_up: bool = False
    """Its keys were looked up, though its operation adds rows as they are."""
