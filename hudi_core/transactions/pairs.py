"""What happens when two actions meet, as one table: conflict detection reads it, and `docs/guides/concurrency.md` shows it.

The first action of a pair began earlier and completes later; the second begins and ends, or wants to, in between. Rule
CONFLICT-890.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Role(StrEnum):
    """What an action does to rows and files."""

    ADD = "rows are added"
    LOOK_UP = "rows are looked up"
    OVERWRITE = "partitions are overwritten"
    CLUSTER = "clustering"
    COMPACT = "compaction"
    LOG_COMPACT = "log compaction"
    OTHER = "another change of the table"
    SCHEMA = "a change of the schema"
    CLEAN = "clean"
    ARCHIVE = "archive"
    SAVEPOINT = "savepoint"
    RESTORE = "restore"
    ROLLBACK = "rollback"
    BUILD = "index build"
    DROP = "dropped index"
    READ = "reader"


class Meeting(StrEnum):
    """What both actions have in common. Conflict detection looks for the first five among what completed since a write began."""

    FILE_GROUP = "one file group"
    NEW_FILE_GROUP = "a partition in which the second adds file groups"
    NEW_ROW = "a partition to which both add rows, without a record index or buckets"
    NEW_BUCKET = "one new bucket"
    KEY = "one key, under a record index"
    NOTHING = "different file groups"
    NEW_KEY = "one new key, without a record index"
    TABLE = "the table"


class Outcome(StrEnum):
    """What becomes of the two."""

    BOTH = "Both complete."
    AGAIN = "The first plans again."
    """Its attempts over, it is refused."""
    REFUSED = "The first is refused."
    KEPT_OUT = "The second is refused."


@dataclass(frozen=True, slots=True)
class Pair:
    """A cell of the table, for all actions of `firsts` and all of `seconds`."""

    name: str
    first: str
    second: str
    """Both in words."""
    meeting: Meeting
    outcome: Outcome
    hudi: str
    """What Apache Hudi 1.2 does, with optimistic concurrency and its default strategy."""
    rules: tuple[str, ...]
    why: str = ""
    firsts: frozenset[Role] = frozenset()
    seconds: frozenset[Role] = frozenset()


_ROWS: Final = frozenset({Role.ADD, Role.LOOK_UP, Role.OVERWRITE})
_COMPACTIONS: Final = frozenset({Role.COMPACT, Role.LOG_COMPACT})
_CHANGES: Final = _ROWS | {Role.CLUSTER, Role.OTHER}
_SAME: Final = "The same."
_FIRST_REFUSED: Final = "The first is refused."

PAIRS: Final = (
    Pair(
        "different file groups", "a write", "a write", Meeting.NOTHING, Outcome.BOTH, _SAME, ("CONFLICT-1",),
        firsts=_CHANGES, seconds=_CHANGES,
    ),
    Pair(
        "one file group", "a write", "a write", Meeting.FILE_GROUP, Outcome.AGAIN, _FIRST_REFUSED, ("CONFLICT-1",),
        firsts=_CHANGES, seconds=_CHANGES,
    ),
    Pair(
        "new file groups beside a look-up", "upsert, delete, update, overwrite, insert that looks up", "a write that adds rows",
        Meeting.NEW_FILE_GROUP, Outcome.AGAIN, "Both complete. A key may be there twice, and an overwrite may leave rows.",
        ("CONFLICT-2",), "The new rows may be its own.", frozenset({Role.LOOK_UP, Role.OVERWRITE}), _CHANGES,
    ),
    Pair(
        "new rows beside new rows", "upsert, insert that looks up", "a write that adds rows", Meeting.NEW_ROW, Outcome.AGAIN,
        "Both complete. A key may be there twice.", ("CONFLICT-1433",), "Both may have one new key.",
        frozenset({Role.LOOK_UP}), _CHANGES,
    ),
    Pair(
        "one key", "a write", "a write", Meeting.KEY, Outcome.AGAIN, "Both complete. The key may be there twice.",
        ("CONFLICT-530",), "It does not matter in which partitions the rows are.", _CHANGES, _CHANGES,
    ),
    Pair(
        "one new key", "insert, append", "insert, append", Meeting.NEW_KEY, Outcome.BOTH, _SAME, ("CONFLICT-530",),
        "The key is there twice.",
    ),
    Pair(
        "one bucket", "a write", "a write", Meeting.NEW_BUCKET, Outcome.AGAIN, _FIRST_REFUSED, ("CONFLICT-584",),
        "In a table with a bucket index.", _CHANGES, _CHANGES | _COMPACTIONS,
    ),
    Pair(
        "a schema", "a write", "a change of the schema", Meeting.TABLE, Outcome.REFUSED,
        "The first is refused, unless one schema serves both.", ("CONFLICT-5",), "Its commit would undo the change.",
    ),
    Pair(
        "a schema that nobody would see", "a write that changes the schema", "a write", Meeting.TABLE, Outcome.AGAIN,
        "Both complete. Readers have the schema of the second.", ("CONFLICT-1546",),
        "A table's schema is that of the write requested last. A change of the schema alone is refused.",
    ),
    Pair(
        "a clustering under way", "a clustering", "a write", Meeting.FILE_GROUP, Outcome.KEPT_OUT, _SAME,
        ("CONFLICT-3", "CONFLICT-6", "CONFLICT-10"),
        "Before it works. With `cancels_plans` a clustering that nobody runs gives way.",
    ),
    Pair(
        "a clustering of what is written", "a write", "a clustering", Meeting.FILE_GROUP, Outcome.AGAIN, _FIRST_REFUSED,
        ("CONFLICT-1",),
    ),
    Pair(
        "a compaction meanwhile", "a write of log files", "a compaction or a log compaction", Meeting.FILE_GROUP, Outcome.BOTH,
        _SAME, ("COMPACT-370", "COMPACT-1485"), "Version 8 and 9: the completion of a log file says which slice it belongs to.",
    ),
    Pair(
        "a write during a compaction", "a compaction or a log compaction", "a write of log files", Meeting.FILE_GROUP,
        Outcome.BOTH, _SAME, ("COMPACT-370", "COMPACT-371", "COMPACT-1485"), firsts=_COMPACTIONS, seconds=_CHANGES | _COMPACTIONS,
    ),
    Pair(
        "a compaction of version 6", "a write", "a compaction or a log compaction that is planned", Meeting.TABLE,
        Outcome.KEPT_OUT, "The compaction is planned, and the first is refused when it commits.", ("COMPACT-362", "COMPACT-371"),
        "Version 6: log files of the write would belong to the slice that is merged.",
    ),
    Pair(
        "a base file and a compaction", "a write that replaces file groups", "a compaction", Meeting.FILE_GROUP, Outcome.AGAIN,
        "Version 6: the first is refused. Version 8 and 9: both complete.", ("CONFLICT-1",), firsts=_CHANGES,
        seconds=_COMPACTIONS,
    ),
    Pair(
        "two compactions", "a compaction", "a compaction or a clustering", Meeting.FILE_GROUP, Outcome.BOTH, _SAME,
        ("COMPACT-356", "CLUSTER-15"), "A plan leaves out what another plan has. A plan is run by one process.",
    ),
    Pair(
        "a clean", "anything", "a clean", Meeting.TABLE, Outcome.BOTH, _SAME, ("CLEAN-384", "CLEAN-388"),
        "A clean keeps what its policy promises, what savepoints name, and what pending plans read.",
    ),
    Pair(
        "a savepoint", "a write", "a savepoint", Meeting.TABLE, Outcome.BOTH,
        "Both complete. The savepoint may hide what the write recorded in the metadata table.", ("RESTORE-530",),
        "The savepoint is of the write before.",
    ),
    Pair(
        "a savepoint of cleaned files", "a clean that is about to delete a file of the saved state", "a savepoint",
        Meeting.TABLE, Outcome.KEPT_OUT, _SAME, ("RESTORE-531",),
    ),
    Pair(
        "a restore beside a write", "a write", "a restore", Meeting.TABLE, Outcome.KEPT_OUT,
        "Both complete. It asks that no writer is at work.", ("RESTORE-459",),
    ),
    Pair(
        "a write during a restore", "a restore", "a write", Meeting.TABLE, Outcome.KEPT_OUT,
        "Both complete. It asks that no writer is at work.", ("RESTORE-455", "RESTORE-890"),
        "It can be tried again when the restore is complete, or was finished by another.",
    ),
    Pair(
        "a rollback", "a write whose writer seems dead", "a rollback of it", Meeting.TABLE, Outcome.REFUSED, _FIRST_REFUSED,
        ("CONFLICT-4", "COMMIT-530", "COMMIT-532"), "It removes what it has written since.",
    ),
    Pair(
        "an index build", "an index build", "a write", Meeting.TABLE, Outcome.BOTH, _SAME, ("META-90",),
        "The write keeps the index, too.",
    ),
    Pair(
        "a record index that comes", "a write", "a build of the record index", Meeting.TABLE, Outcome.REFUSED,
        "Both complete: the build waits for the write.", ("META-93",), "The write collected no keys for it.",
    ),
    Pair(
        "a dropped index", "a write", "a dropped index", Meeting.TABLE, Outcome.BOTH, _SAME, ("META-94",),
        "The write keeps what is left.",
    ),
    Pair(
        "an archive", "anything", "an archive", Meeting.TABLE, Outcome.BOTH, _SAME, ("ARCHIVE-382",),
        "It never passes a pending action, a savepoint, or what a clean needs.",
    ),
    Pair(
        "a reader", "a reader", "anything", Meeting.TABLE, Outcome.BOTH, _SAME, ("TIME-1",),
        "The reader sees the table between two commits. A clean may take the files of a reader that is very slow.",
    ),
)  # fmt: skip
"""All pairs, in the order of the page."""

_ROLES: Final = {
    "INSERT": Role.ADD,
    "BULK_INSERT": Role.ADD,
    "UPSERT": Role.LOOK_UP,
    "DELETE": Role.LOOK_UP,
    "INSERT_OVERWRITE": Role.OVERWRITE,
    "INSERT_OVERWRITE_TABLE": Role.OVERWRITE,
    "DELETE_PARTITION": Role.OVERWRITE,
    "CLUSTER": Role.CLUSTER,
    "COMPACT": Role.COMPACT,
    "LOG_COMPACT": Role.LOG_COMPACT,
}


def role_of(operation: str | None) -> Role:
    """The role of a write by its operation, as a commit has it."""
    return _ROLES.get((operation or "").upper(), Role.OTHER)


def conflicting_meetings(first: str | None, second: str | None, *, looks_up: bool = False) -> Set[Meeting]:
    """What a write of one operation may not have in common with one of another that completed since it began. With `looks_up` it
    looked up the keys of the rows that it adds."""
    mine, other = Role.LOOK_UP if looks_up else role_of(first), role_of(second)
    return {
        pair.meeting
        for pair in PAIRS
        if pair.outcome is Outcome.AGAIN and mine in pair.firsts and other in pair.seconds
    }
