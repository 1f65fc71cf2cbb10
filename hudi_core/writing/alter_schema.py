"""Schema changes as commits. Rules: COMMIT-13, COMMIT-14."""

from __future__ import annotations

from collections.abc import Iterable

from hudi_core.commit.statuses import TableChange
from hudi_core.commit.times import Clock, system_clock
from hudi_core.errors import UsageError
from hudi_core.evolve.apply import evolve
from hudi_core.evolve.changes import Change
from hudi_core.index_kinds.file_notes import list_noted_indexes
from hudi_core.index_kinds.secondary import list_indexed_columns
from hudi_core.schema.meta import bare_schema
from hudi_core.table.keying import refuse_misfits
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.instants import Instant
from hudi_core.transactions.metadata_steps import metadata_steps
from hudi_core.transactions.refusals import refuse_unwritable
from hudi_core.transactions.transaction import ALTER_SCHEMA, transaction
from hudi_core.writing.write_run import write_action


def alter_schema(
    table: Table, changes: str | Change | Iterable[str | Change], *, clock: Clock = system_clock
) -> Instant:
    """Changes a table's schema in one commit that writes no rows, and records its schema history from then on.

    Raises as `evolve.apply.evolve`; `UsageError` for changes that change nothing, `UnsupportedError` for those that take away
    a column that the table's properties name or give it a type under which stored rows have other keys or another order, for
    those that change a column with a secondary or an expression index, and for a table that this library does not write to,
    `ConflictError` where another writer was first.
    """
    latest = refreshed(table)
    refuse_unwritable(latest, merges=False)
    evolved = evolve(latest.schema, changes, case_sensitive=latest.case_sensitive)
    if evolved == latest.schema:
        raise UsageError("changes", expected="a change of the schema", found="none")
    refuse_misfits(latest, evolved)
    bare = bare_schema(evolved)
    list_indexed_columns(latest, bare)
    list_noted_indexes(latest, bare)
    action = write_action(latest)
    with transaction(latest, action, ALTER_SCHEMA, metadata_steps=metadata_steps, clock=clock) as running:
        running.start()
        return running.commit(TableChange(ALTER_SCHEMA, action, bare))
