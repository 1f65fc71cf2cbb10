"""Each pair of `transactions/pairs.py`, played: the second action comes when the first is about to commit. CONFLICT-890."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from hudi_core.front.opening import open_table
from hudi_core.index_builds.removal import drop_index
from hudi_core.services.compaction.operations import plan_only
from hudi_core.transactions.pairs import PAIRS, Outcome, Pair
from hudi_core.writing.alter_schema import alter_schema
from tests.model import actions
from tests.model.actions import Action, append, insert, overwrite, restore_to, upsert
from tests.model.schedules import switched
from tests.model.test_model import BEGINS_WITH, SAVED, Made, Tables, played
from tests.model.world import World, fresh_copy
from tests.support.drawing import SOAK

LOCK, FREED = "create .hoodie/lock", "delete .hoodie/lock"
COMMIT = re.compile(
    r"\.hoodie/(timeline/)?[0-9_]+\.(commit|deltacommit|replacecommit|clean|restore|savepoint|indexing)"
)
"""A completed instant, or one of version 6."""
UPSERT = upsert(("b", "x", 10), ("d", "x", 11))
ROOT = Path(__file__).parents[2]
RESTORE = Action("restore", lambda _: None)
"""To be replaced by a restore of the table at hand."""
SCHEDULE = Action("schedule compaction", plan_only)
EVOLVE = Action("evolve", lambda table: alter_schema(table, "add column m long"), lambda state: state)


@dataclass(frozen=True)
class Play:
    """Two actions, of which None is a reader, and the table on which they meet."""

    first: Action | None
    second: Action | None
    kind: str = "cow"
    version: int = 9
    prepares: Callable[[Path], object] = lambda _: None


def without_record_index(path: Path) -> None:
    drop_index(open_table(path), "record_index")


PLAYS: dict[str, tuple[Play, ...]] = {
    "different file groups": (Play(append(("d", "x", 10)), append(("e", "x", 11))),),
    "one file group": (
        Play(UPSERT, upsert(("b", "x", 20)), prepares=without_record_index),
        Play(overwrite(("d", "x", 1)), upsert(("b", "x", 20)), "mor", 8, without_record_index),
    ),
    "new file groups beside a look-up": (
        Play(overwrite(("d", "x", 1)), append(("e", "x", 20)), prepares=without_record_index),
        Play(UPSERT, append(("e", "x", 20)), "mor", 6, without_record_index),
    ),
    "one key": (
        Play(upsert(("k", "x", 10)), upsert(("k", "y", 20))),
        Play(upsert(("k", "x", 10)), insert(("k", "y", 20)), "mor", 8),
    ),
    "a schema": (Play(UPSERT, EVOLVE), Play(append(("d", "x", 10)), EVOLVE, "mor", 6)),
    "a clustering under way": (Play(actions.CLUSTER, UPSERT), Play(actions.CLUSTER, UPSERT, "mor", 6)),
    "a clustering of what is written": (Play(UPSERT, actions.CLUSTER), Play(UPSERT, actions.CLUSTER, "mor", 8)),
    "a compaction meanwhile": (
        Play(UPSERT, actions.COMPACT, "mor", 9),
        Play(UPSERT, actions.COMPACT, "mor", 8),
        Play(UPSERT, actions.COMPACT_LOGS, "mor", 9),
    ),
    "a write during a compaction": (
        Play(actions.COMPACT, UPSERT, "mor", 9),
        Play(actions.COMPACT_LOGS, UPSERT, "mor", 8),
        Play(actions.COMPACT, UPSERT, "mor", 6),
    ),
    "a compaction of version 6": (
        Play(UPSERT, SCHEDULE, "mor", 6),
        Play(overwrite(("d", "x", 10)), actions.COMPACT, "mor", 6),
    ),
    "a base file and a compaction": (
        Play(overwrite(("d", "x", 10)), actions.COMPACT, "mor", 9),
        Play(overwrite(("d", "x", 10)), actions.COMPACT, "mor", 8),
    ),
    "two compactions": (
        Play(actions.COMPACT, actions.COMPACT, "mor"),
        Play(actions.COMPACT, actions.COMPACT_LOGS, "mor", 8),
        Play(actions.COMPACT, actions.CLUSTER, "mor"),
    ),
    "a clean": (
        Play(UPSERT, actions.CLEAN),
        Play(actions.CLUSTER, actions.CLEAN, "mor"),
        Play(actions.CLEAN, actions.CLEAN, "mor", 6),
    ),
    "a savepoint": (Play(UPSERT, actions.SAVE), Play(UPSERT, actions.SAVE, "mor", 6)),
    "a restore beside a write": (Play(UPSERT, RESTORE), Play(append(("d", "x", 10)), RESTORE, "mor", 6)),
    "a write during a restore": (Play(RESTORE, UPSERT), Play(RESTORE, UPSERT, "mor", 6)),
    "an index build": (Play(actions.BUILD_SECONDARY, UPSERT), Play(actions.REBUILD, UPSERT, "mor", 6)),
    "a record index that comes": (Play(UPSERT, actions.BUILD, prepares=without_record_index),),
    "a dropped index": (Play(UPSERT, actions.DROP), Play(UPSERT, actions.DROP, "mor", 8)),
    "an archive": (Play(UPSERT, actions.ARCHIVE), Play(UPSERT, actions.ARCHIVE, "mor", 6)),
    "a reader": (Play(None, actions.CLEAN), Play(None, actions.COMPACT, "mor"), Play(None, overwrite(("d", "x", 1)), "mor", 6)),
}  # fmt: skip
ELSEWHERE = {
    "one new key": "tests/core/transactions/test_overlapping_writes.py",
    "new rows beside new rows": "tests/core/transactions/test_new_rows.py",
    "a schema that nobody would see": "tests/core/transactions/test_schema_commit.py",
    "one bucket": "tests/core/writing/test_bucket_plan.py",
    "a savepoint of cleaned files": "tests/core/services/restoring/test_savepoints.py",
    "a rollback": "tests/core/transactions/test_transaction.py",
}
"""Pairs that other tests play."""


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    return Tables(tmp_path_factory.mktemp("made"))


def last_lock(path: Path, first: Action | None) -> int:
    """How many points an action passes before it takes the lock for its commit, or before it commits where that is without the
    lock; of a reader half of all."""
    world, stop = World(path, BEGINS_WITH), 0
    with world.scheduler.patches():
        world.add([played(first)])
        (actor,) = world.scheduler.actors
        while not actor.done:
            world.step(actor)
            if f"{actor.at.kind} {actor.at.path}" == LOCK and (first is None or first.name != RESTORE.name):
                stop = actor.points  # a restore has the lock from its beginning on
            elif f"{actor.at.kind} {actor.at.path}" == FREED:
                stop = 0
            elif actor.at.kind == "create" and COMMIT.fullmatch(actor.at.path):
                break
        stop = stop or (actor.points // 2 if actor.done else actor.points)
        if not actor.done:
            world.kill(actor)
    return stop


def restoring(action: Action | None, made: Made) -> Action | None:
    return restore_to(made.saved, SAVED) if action is RESTORE else action


def outcome(pair: str, play: Play, tables: Tables, folder: Path) -> tuple[bool, bool]:
    """Whether the first and the second action were refused."""
    made = tables(play.kind, play.version, saved=RESTORE in (play.first, play.second))
    first, second = restoring(play.first, made), restoring(play.second, made)
    alone = fresh_copy(made.path, folder / "alone")
    play.prepares(alone)
    path = fresh_copy(made.path, folder / "both")
    play.prepares(path)
    world = World(path, BEGINS_WITH)
    assert world.violation([played(first), played(second)], switched(last_lock(alone, first))) == "", pair
    # A reader is no action, and actions that are alike are told apart by their actors.
    return world.is_refused("0"), world.is_refused("1")


ALL = [(pair, play) for pair in PAIRS for play in PLAYS.get(pair.name, ())]


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("pair", "play"), ALL if SOAK else ALL[::5])
def test_pairs_end_as_the_table_has_it(
    tmp_path: Path, tables: Tables, monkeypatch: pytest.MonkeyPatch, pair: Pair, play: Play
) -> None:
    """CONFLICT-890."""
    monkeypatch.setattr(actions, "ATTEMPTS", 1)
    refused = outcome(pair.name, play, tables, tmp_path)
    assert refused == (pair.outcome in (Outcome.AGAIN, Outcome.REFUSED), pair.outcome is Outcome.KEPT_OUT), pair.name
    if pair.outcome is Outcome.AGAIN:
        monkeypatch.setattr(actions, "ATTEMPTS", 3)
        assert outcome(pair.name, play, tables, tmp_path) == (False, False), pair.name


@pytest.mark.parametrize("name", [pair.name for pair in PAIRS])
def test_each_pair_is_played(name: str) -> None:
    assert (name in PLAYS) != (name in ELSEWHERE)
    assert name not in ELSEWHERE or (ROOT / ELSEWHERE[name]).is_file()
