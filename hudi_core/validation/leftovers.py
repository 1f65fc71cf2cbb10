"""Leftovers: markers and heartbeats of writes that are over, writes of dead writers, expired locks. Rules VALID-9, VALID-1145."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hudi_core.commit.abandoned import list_abandoned
from hudi_core.commit.heartbeat import HEARTBEATS, METADATA_HEARTBEATS
from hudi_core.commit.lock import LOCK_PATH, lock_is_expired
from hudi_core.commit.markers import marker_folder
from hudi_core.errors import CorruptFileError
from hudi_core.timeline.instants import Instant, InstantState
from hudi_core.transactions.remains import list_remains
from hudi_core.transactions.rollback import list_failed_writes
from hudi_core.transactions.rollback_plans import rollback_plan
from hudi_core.validation.findings import Finding, Mending, Severity, by_hand
from hudi_core.validation.subject import Subject

LEFTOVERS: Final = "leftovers"


def leftovers(subject: Subject) -> Iterator[Finding]:
    """What writes that died or forgot to clean up have left in Hudi's own folder."""
    now = subject.clock()
    for path in list_remains(subject.table, now):
        kind = "heartbeats" if path.startswith((HEARTBEATS, METADATA_HEARTBEATS)) else "markers"
        mending = Mending(f"delete the {kind} (validate --mend)", removes=path)
        yield Finding(
            LEFTOVERS, Severity.WARNING, path, f"{kind} of pending writes alone", "a write that is over", mending
        )
    for instant in list_failed_writes(subject.table, subject.clock):
        where = f"{subject.table.timeline.folder}/{instant.file}"
        words = _way_out(subject, instant)
        state = InstantState(instant.state).name.lower()
        yield Finding(LEFTOVERS, Severity.WARNING, where, "a writer that shows signs of life", f"none, {state}", words)
    for path in list_abandoned(subject.table.storage, subject.clock(), ""):
        mending = Mending("delete it (validate --mend); hudi-core rollback TABLE --failed does it too", removes=path)
        yield Finding(
            LEFTOVERS, Severity.WARNING, path, "no file that waits for its name", "one of a dead process", mending
        )
    if lock_is_expired(subject.table.storage, subject.clock()):
        words = by_hand("nothing: the next writer takes it")
        yield Finding(LEFTOVERS, Severity.INFO, LOCK_PATH, "no lock, or one that counts", "one that has expired", words)


def _way_out(subject: Subject, instant: Instant) -> Mending:
    try:
        rollback_plan(subject.table, instant)
    except CorruptFileError:
        words = (
            "delete its markers, which cannot be followed (validate --mend): then its files are found by their names"
        )
        return Mending(words, removes=marker_folder(instant.requested_time))
    return by_hand("roll it back: hudi-core rollback TABLE --failed; the next write does it too")
