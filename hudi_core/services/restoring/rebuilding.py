"""The metadata table of a table whose history changed, built anew. Rule RESTORE-461."""

from __future__ import annotations

from hudi_core.commit.times import Clock
from hudi_core.errors import TableError
from hudi_core.index_builds.build import build_indexes
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.table.table import Table


def build_anew(table: Table, partitions: tuple[str, ...], clock: Clock) -> tuple[str, ...]:
    """Builds the metadata table with these partitions, none for none, and returns them. Raises what a build raises, with what to
    do about it: the table is as it was asked for by then."""
    if not partitions:
        return ()
    try:
        build_indexes(table, partitions, IndexOptions(rebuild=True), clock=clock)
    except TableError as error:
        error.add_note(
            "the table is as wanted, and has no metadata table: hudi-core index build TABLE files builds one"
        )
        raise
    return partitions
