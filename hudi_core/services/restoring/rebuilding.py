"""The metadata table of a table whose history changed, built anew. Rules RESTORE-461, RESTORE-1021, RESTORE-1041."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from hudi_core.commit.lock import table_lock
from hudi_core.commit.steps import run
from hudi_core.commit.times import Clock, next_time
from hudi_core.errors import HudiError, StorageError
from hudi_core.index_builds.build import build_indexes
from hudi_core.index_builds.removal import remove_definitions
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.metadata.definitions import IndexDefinition, index_definitions
from hudi_core.metadata.kinds import build_order, kind_of
from hudi_core.metadata_writer.delta_commit import delta_commit_steps
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.transactions.metadata_steps import require_metadata_table


def build_anew(table: Table, partitions: tuple[str, ...], clock: Clock) -> tuple[str, ...]:
    """Builds the metadata table with these partitions, none for none, and returns those that it has. What cannot be built is left
    out, and a warning names it with the command that builds it: the table is as it was asked for by then."""
    if not partitions:
        return ()
    anew = IndexOptions(rebuild=True)
    try:
        build_indexes(table, partitions, anew, clock=clock)
    except HudiError:
        return _build_each(table, partitions, anew, clock)
    return partitions


@contextmanager
def rebuild_after_failure(table: Table, clock: Clock) -> Iterator[list[str]]:
    """Builds those partitions of the metadata table again that a block adds to the list, if it fails: it dropped them, and has
    left the table as it was. To be entered before the table's lock is taken."""
    dropped: list[str] = []
    try:
        yield dropped
    except HudiError:
        if dropped:
            with suppress(HudiError):  # what ended the block is the error that counts
                build_anew(refreshed(table), tuple(dropped), clock)
        raise


def note_restore(table: Table, time: str, clock: Clock) -> None:
    """Adds a commit without rows to the metadata table, with the time of a restore; a warning says why that is not possible.

    A later build of an index by Apache Hudi looks for it. Where there is none it restores the metadata table as well, which fails
    where that was built after the write to go back to.
    """
    try:
        with table_lock(table.storage, clock=clock):
            latest = refreshed(table)
            if not latest.config.kept_partitions:
                return
            metadata = require_metadata_table(latest)
            if all(instant.requested_time != time for instant in metadata.timeline.instants):
                completion = next_time(metadata.timeline, clock, after=[time])
                building = latest.config.metadata_partitions_inflight
                run(latest.storage, delta_commit_steps(metadata, time, completion, (), building))
    except HudiError as error:
        warnings.warn(
            f"the table is as wanted, but Apache Hudi can build an index of it only after the next write: {error}",
            stacklevel=3,
        )


def _build_each(table: Table, partitions: tuple[str, ...], anew: IndexOptions, clock: Clock) -> tuple[str, ...]:
    """Builds one partition after the other, so that the others are there where one cannot be."""
    known = index_definitions(table.storage, table.config)
    for partition in sorted(partitions, key=build_order):
        if partition in refreshed(table).config.metadata_partitions:  # it was built with one that needs it
            continue
        try:
            build_indexes(table, [partition], anew, clock=clock)
        except HudiError as error:
            warnings.warn(
                f"the table is as wanted, but it has no {partition} any more: {error}; "
                f"hudi-core index build TABLE {_name(partition, known)} builds it where the table allows it",
                stacklevel=4,
            )
    there = refreshed(table).config.kept_partitions
    # A definition that stays is removed by a drop of the index.
    with suppress(StorageError), table_lock(table.storage, clock=clock):
        remove_definitions(refreshed(table), [partition for partition in partitions if partition not in there])
    return tuple(partition for partition in partitions if partition in there)


def _name(partition: str, known: Mapping[str, IndexDefinition]) -> str:
    """What a command calls an index."""
    kind, definition = kind_of(partition), known.get(partition)
    if kind is None or not kind.is_named or definition is None:
        return partition
    return f"{kind.name} --columns {','.join(definition.columns)}"
