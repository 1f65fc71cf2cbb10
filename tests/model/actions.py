"""What actors do, as data: each action with the change of the rows that it means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import pyarrow as pa

from hudi_core.cluster.operations import cluster
from hudi_core.cluster.options import ClusterOptions
from hudi_core.index_builds.build import build_indexes
from hudi_core.index_builds.removal import drop_index
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.services.archiving.operations import archive
from hudi_core.services.archiving.options import ArchiveOptions
from hudi_core.services.cleaning.operations import clean
from hudi_core.services.cleaning.options import CleanOptions
from hudi_core.services.compaction.operations import compact
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.services.restoring.run import restore
from hudi_core.services.restoring.savepoints import savepoint
from hudi_core.table.table import Table
from hudi_core.writing.by_predicate import delete_where, update
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import delete_partitions, write
from hudi_core.writing.plan import FileSizes

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64())])
State = Mapping[str, tuple[str, int]]
"""By key the partition and the number of its row."""
Row = tuple[str, str, int]
KEPT_COMMITS = 2
"""The writes whose states a clean keeps."""
ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Action:
    """`run` is the product's; `change` gives the rows after it from those before it, None where they stay the same."""

    name: str
    run: Callable[[Table], object]
    change: Callable[[State], State] | None = None


def rows_of(*rows: Row) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(TYPES.names, row, strict=True)) for row in rows], TYPES)


def upsert(*rows: Row) -> Action:
    return _written("upsert", rows, lambda state: {**state, **_state(rows)})


def append(*rows: Row) -> Action:
    """Rows of keys that no other action has."""
    return _written("append", rows, lambda state: {**state, **_state(rows)})


def insert(*rows: Row) -> Action:
    """As `append`, into small files."""
    return _written("insert", rows, lambda state: {**state, **_state(rows)})


def delete(*rows: Row) -> Action:
    gone = {row[0] for row in rows}
    return _written("delete", rows, lambda state: {key: row for key, row in state.items() if key not in gone})


def overwrite(*rows: Row) -> Action:
    """The rows are those of their partitions from then on."""
    return _written(
        "insert_overwrite", rows, lambda state: {**_without(state, {row[1] for row in rows}), **_state(rows)}
    )


def overwrite_table(*rows: Row) -> Action:
    return _written("insert_overwrite_table", rows, lambda _: _state(rows))


def drop_partition(partition: str) -> Action:
    def run(table: Table) -> object:
        return delete_partitions(table, [partition], _options())

    return Action(f"drop partition {partition}", run, lambda state: _without(state, {partition}))


def set_numbers(partition: str, number: int) -> Action:
    """An update by predicate: it reads the rows that it writes."""

    def change(state: State) -> State:
        return {key: (p, number if p == partition else n) for key, (p, n) in state.items()}

    return Action(
        f"set {partition} to {number}",
        lambda table: update(table, {"n": number}, f"p = '{partition}'", _options()),
        change,
    )


def delete_below(number: int) -> Action:
    return Action(
        f"delete below {number}",
        lambda table: delete_where(table, f"n < {number}", _options()),
        lambda state: {key: row for key, row in state.items() if row[1] >= number},
    )


def restore_to(instant: str, state: State) -> Action:
    return Action("restore", lambda table: restore(table, instant), lambda _: state)


COMPACT = Action("compact", compact)
COMPACT_LOGS = Action("compact logs", lambda table: compact(table, CompactionOptions(of_logs=True, min_log_blocks=2)))
CLUSTER = Action(
    "cluster", lambda table: cluster(table, ClusterOptions(sizes=FileSizes(target=1 << 20, small=1 << 19)))
)
CLEAN = Action("clean", lambda table: clean(table, CleanOptions(keep_commits=KEPT_COMMITS)))
ARCHIVE = Action(
    "archive",
    lambda table: archive(table, ArchiveOptions(KEPT_COMMITS, properties={"hoodie.clean.commits.retained": "1"})),
)
SAVE = Action("savepoint", savepoint)
BUILD = Action("build index", lambda table: build_indexes(table, ["record_index"]))
BUILD_SECONDARY = Action(
    "build secondary index", lambda table: build_indexes(table, ["secondary_index"], IndexOptions(["n"], name="by_n"))
)
REBUILD = Action("rebuild index", lambda table: build_indexes(table, ["column_stats"], IndexOptions(rebuild=True)))
DROP = Action("drop index", lambda table: drop_index(table, "partition_stats"))
SERVICES = (COMPACT, COMPACT_LOGS, CLUSTER, CLEAN, ARCHIVE, SAVE, BUILD, BUILD_SECONDARY, REBUILD, DROP)


def _options() -> WriteOptions:
    return WriteOptions(attempts=ATTEMPTS)


def _written(op: str, rows: tuple[Row, ...], change: Callable[[State], State]) -> Action:
    run = partial(_write, rows=rows, op=op)
    return Action(f"{op} {', '.join('-'.join(map(str, row)) for row in rows)}", run, change)


def _write(table: Table, rows: tuple[Row, ...], op: str) -> object:
    return write(table, rows_of(*rows), op, _options())


def _state(rows: tuple[Row, ...]) -> State:
    return {key: (partition, number) for key, partition, number in rows}


def _without(state: State, partitions: set[str]) -> State:
    return {key: row for key, row in state.items() if row[0] not in partitions}
