"""Schema changes as commits. Rules: COMMIT-13, COMMIT-14, CHANGE-1543."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from hudi_core.commit.statuses import ALTER_SCHEMA, TableChange
from hudi_core.commit.times import Clock, system_clock
from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.evolve.apply import evolve
from hudi_core.evolve.changes import Change
from hudi_core.evolve.fields import retype
from hudi_core.index_kinds.file_notes import list_noted_indexes
from hudi_core.index_kinds.secondary import list_indexed_columns
from hudi_core.merge.rules import PartialUpdates, merge_rules
from hudi_core.schema.meta import bare_schema
from hudi_core.schema.schema import Schema
from hudi_core.table.change_effects import refuse_effects
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.instants import Instant
from hudi_core.transactions.metadata_steps import metadata_steps
from hudi_core.transactions.refusals import refuse_unwritable
from hudi_core.transactions.transaction import transaction
from hudi_core.types import nodes as t
from hudi_core.writing.write_run import write_action


def alter_schema(
    table: Table, changes: str | Change | Iterable[str | Change], *, clock: Clock = system_clock
) -> Instant:
    """Changes a table's schema in one commit that writes no rows, and records its schema history from then on.

    Raises as `evolve.apply.evolve`; `UsageError` for changes that change nothing, `UnsupportedError` for those that take away
    a column that the table's properties name or give it a type under which stored rows have other keys or another order, for
    those that change a column with a secondary or an expression index or what stored rows have by default, and for a table that
    this library does not write to, `ConflictError` where another writer was first.
    """
    latest = refreshed(table)
    refuse_unwritable(latest, merges=False)
    evolved = evolve(latest.schema, changes, case_sensitive=latest.case_sensitive)
    if evolved == latest.schema:
        raise UsageError("changes", expected="a change of the schema", found="none")
    refuse_effects(latest, evolved)
    _refuse_other_defaults(latest, evolved)
    bare = bare_schema(evolved)
    list_indexed_columns(latest, bare)
    list_noted_indexes(latest, bare)
    action = write_action(latest)
    with transaction(latest, action, ALTER_SCHEMA, metadata_steps=metadata_steps, clock=clock) as running:
        running.start()
        return running.commit(TableChange(ALTER_SCHEMA, action, bare))


def _refuse_other_defaults(table: Table, after: Schema) -> None:
    """Raises `UnsupportedError` for another default of a column that a file lacks: its rows have the default, and those of files
    that were rewritten meanwhile have the old one stored. Rule CHANGE-1543."""
    before = table.schema
    changed = [
        place
        for column, place in before.places.items()
        if (left := after.places.get(column)) is not None and _has_other_default(place.field, left.field)
    ]
    if not changed:
        return
    snapshot = table.snapshot()
    slices, history = snapshot.slices, snapshot.history
    by_default = len(slices.logs) > 0 and (
        merge_rules(table.config, table.storage.uri).partial is PartialUpdates.IGNORE_DEFAULTS
    )
    numbers = np.unique(np.concatenate([slices.instant_of, slices.log_instants])).tolist()
    for place in changed:
        lacking = [
            instant
            for instant in (slices.instants[number] for number in numbers)
            if not history.certain(instant) or place.field.id not in history.schemas[history.number_at(instant)].places
        ]
        if lacking or by_default:
            expected = "a default of rows to come, of a column that all files have"
            found = (
                f"files of {lacking[0]} without it" if lacking else "log files whose rows are merged by their defaults"
            )
            raise UnsupportedError(f"{table.storage.uri}: {place.name}", expected=expected, found=found)


def _has_other_default(had: t.Field, has: t.Field) -> bool:
    before, after = (None if field.default is t.ABSENT else field.default for field in (had, has))
    if isinstance(had.type, t.Nested) and had.type != has.type:
        return (before is None) != (after is None)  # parts that came or went are in both
    if before is not None and not isinstance(had.type, t.Nested):
        before = retype(had, has.type).default
    return before != after
