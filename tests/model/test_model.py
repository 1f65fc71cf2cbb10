"""Schedules of writers, services and readers over the product's own code: what must hold does, whatever comes between two steps.

An ordinary run takes a sample of them. A long one takes every switch of each pair of actions, with the first one killed or paused
there too, and many random schedules of three actors and more.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from hudi_core.errors import ConflictError
from hudi_core.front.opening import create_table, open_table
from hudi_core.index_builds.removal import drop_index
from hudi_core.services.restoring.savepoints import savepoint
from hudi_core.writing.operations import write
from tests.model import actions
from tests.model.actions import (
    SERVICES,
    TYPES,
    Action,
    Row,
    append,
    delete,
    delete_below,
    drop_partition,
    insert,
    overwrite,
    overwrite_table,
    restore_to,
    rows_of,
    set_numbers,
    upsert,
)
from tests.model.schedules import Chances, at_random, switched
from tests.model.world import PLAYED, Plays, State, Violation, World, fresh_copy
from tests.support.drawing import SOAK

FIRST: tuple[Row, ...] = (("a", "x", 1), ("b", "x", 2), ("c", "y", 3))
SECOND: Row = ("b", "x", 4)
THIRD: Row = ("c", "y", 5)
OTHER_FILE: Row = ("f", "x", 6)
"""In a file of its own, which a clustering joins to the first one."""
SAVED: State = {"a": ("x", 1), "b": ("x", 4), "c": ("y", 3)}
BEGINS_WITH: State = {**SAVED, "c": ("y", 5), "f": ("x", 6)}
KINDS = [("cow", 6), ("mor", 6), ("cow", 8), ("mor", 8), ("cow", 9), ("mor", 9)]
MOST_STOPS = 400
SCHEDULES = 300 if SOAK else 1
"""Random schedules for each kind of table."""
SAMPLE = 1 if SOAK else 4
"""An ordinary run takes one of so many pairs and kinds of tables."""


@dataclass(frozen=True)
class Made:
    """A table on which schedules play: its folder, and the instant to which it can be restored."""

    path: Path
    saved: str


class Tables:
    """One table of each kind, made when it is wanted first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made: dict[tuple[str, int, bool, bool], Made] = {}

    def __call__(self, kind: str, version: int, *, saved: bool = False, listed: bool = False) -> Made:
        """With `saved` a table that has a savepoint, with `listed` one of more commits and without a metadata table, which would
        hold back an archive until it is compacted."""
        key = (kind, version, saved, listed)
        if key not in self.made:
            path = self.folder / f"{kind}-{version}-{saved}-{listed}"
            indexes = ["column_stats", "record_index", *(["partition_stats"] if version > 6 else [])]
            create_table(path, TYPES, "id", partition_by="p", type=kind, version=version, indexes=indexes)  # type: ignore[arg-type]
            write(open_table(path), rows_of(*FIRST))
            second = write(open_table(path), rows_of(SECOND)).instant
            if saved:
                savepoint(open_table(path))
            for _ in range(3 if listed else 1):
                write(open_table(path), rows_of(THIRD))
            write(open_table(path), rows_of(OTHER_FILE), "append")
            if listed:
                drop_index(open_table(path), "files")
            self.made[key] = Made(path, second or "")
        return self.made[key]


@pytest.fixture(scope="module", autouse=True)
def tally(request: pytest.FixtureRequest) -> Iterator[None]:
    """A long run says with `-s` what it has played."""
    yield
    if SOAK:
        print(f"\n{PLAYED}")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    return Tables(tmp_path_factory.mktemp("made"))


COMPACT, COMPACT_LOGS, CLUSTER, CLEAN = actions.COMPACT, actions.COMPACT_LOGS, actions.CLUSTER, actions.CLEAN
UPSERT = upsert(("b", "x", 10), ("d", "x", 11))
PAIRS: dict[str, tuple[Action | None, Action | None, tuple[str, int]]] = {
    "a savepoint and a reader": (actions.SAVE, None, ("cow", 9)),
    "an index that comes meanwhile": (UPSERT, actions.BUILD_SECONDARY, ("cow", 9)),
    "a new row, and a dropped partition": (drop_partition("x"), append(("d", "x", 10)), ("cow", 9)),
    "a small file of an overwritten partition": (insert(("d", "x", 10)), overwrite(("e", "x", 11)), ("cow", 8)),
    "a row updated in an overwritten partition": (UPSERT, overwrite(("e", "x", 11)), ("mor", 8)),
    "a new key in two partitions": (upsert(("k", "x", 10)), upsert(("k", "y", 20)), ("cow", 9)),
    "a row updated twice": (UPSERT, upsert(("b", "x", 20), ("e", "y", 21)), ("mor", 9)),
    "rows added to one partition": (append(("d", "x", 10)), append(("e", "x", 99)), ("cow", 8)),
    "rows added to one small file": (insert(("d", "x", 10)), insert(("e", "x", 99)), ("cow", 6)),
    "a row deleted and updated": (delete(("b", "x", 0)), UPSERT, ("mor", 8)),
    "an update by predicate, and a new row": (set_numbers("x", 50), append(("d", "x", 10)), ("cow", 9)),
    "a delete by predicate, and a new row": (delete_below(11), append(("d", "x", 10)), ("mor", 9)),
    "an overwritten partition, and a new row": (overwrite(("d", "x", 10)), append(("e", "x", 11)), ("cow", 8)),
    "an overwritten table, and a new row": (overwrite_table(("d", "y", 10)), upsert(("e", "x", 11)), ("mor", 6)),
    "a dropped partition, and a new row": (append(("d", "x", 10)), drop_partition("x"), ("cow", 9)),
    "a compaction": (UPSERT, COMPACT, ("mor", 9)),
    "a compaction that is overtaken": (COMPACT, UPSERT, ("mor", 8)),
    "a compaction of version 6": (COMPACT, UPSERT, ("mor", 6)),
    "a compaction of logs": (COMPACT_LOGS, UPSERT, ("mor", 9)),
    "two compactions": (COMPACT, COMPACT_LOGS, ("mor", 8)),
    "a clustering": (UPSERT, CLUSTER, ("cow", 9)),
    "a clustering that is overtaken": (CLUSTER, UPSERT, ("mor", 9)),
    "a clustering of version 6": (CLUSTER, append(("d", "x", 10)), ("cow", 6)),
    "a compaction and a clustering": (CLUSTER, COMPACT, ("mor", 9)),
    "a clean": (CLEAN, UPSERT, ("cow", 9)),
    "two cleans": (CLEAN, CLEAN, ("mor", 8)),
    "a clean and a compaction": (COMPACT, CLEAN, ("mor", 9)),
    "a clean and a savepoint": (CLEAN, actions.SAVE, ("cow", 8)),
    "an archive": (actions.ARCHIVE, UPSERT, ("cow", 9)),
    "an archive of version 6": (actions.ARCHIVE, UPSERT, ("mor", 6)),
    "a clean and an archive": (actions.ARCHIVE, CLEAN, ("mor", 9)),
    "a built index": (actions.BUILD_SECONDARY, upsert(("k", "y", 7), ("b", "x", 8)), ("cow", 9)),
    "an index built again": (actions.REBUILD, append(("d", "x", 10)), ("mor", 9)),
    "a dropped index": (actions.DROP, UPSERT, ("cow", 8)),
    "a reader and a clean": (None, CLEAN, ("cow", 9)),
    "a reader and a savepoint": (None, actions.SAVE, ("cow", 9)),
    "a reader and a compaction": (None, COMPACT, ("mor", 9)),
    "a reader and an overwrite": (None, overwrite(("d", "x", 10)), ("mor", 8)),
    "a reader and an archive": (None, actions.ARCHIVE, ("mor", 9)),
}
"""Pairs of actions, of which None is a reader."""


def played(action: Action | None) -> Plays:
    return Plays(reads=1) if action is None else Plays((action,))


def stops(name: str, step: int, *, every: int = 1) -> Iterator[int]:
    """Every point, or so many of them; in an ordinary run some that differ from pair to pair."""
    yield from range(1, MOST_STOPS, every) if SOAK else range(1 + hash_of(name) % step, MOST_STOPS, step)


def hash_of(name: str) -> int:
    return sum(name.encode())


def kinds_of(name: str) -> list[tuple[str, int]]:
    """The kinds of tables on which a pair is played: in a long run all that have its actions."""
    first, second, own = PAIRS[name]
    logs = {COMPACT, COMPACT_LOGS} & {first, second}
    others = [kind for kind in KINDS if kind != own and (kind[0] == "mor" or not logs)]
    return [own, *(others if SOAK else [])]


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    ("name", "kind", "version"), [(name, *kind) for name in [*PAIRS][::SAMPLE] for kind in kinds_of(name)]
)
def test_one_action_goes_on_after_another_came_between(
    tmp_path: Path, tables: Tables, name: str, kind: str, version: int
) -> None:
    first, second, own = PAIRS[name]
    listed = actions.ARCHIVE in (first, second)
    for stop in stops(name, 60, every=1 if (kind, version) == own else 9):
        world = World(fresh_copy(tables(kind, version, listed=listed).path, tmp_path), BEGINS_WITH)
        assert world.violation([played(first), played(second)], switched(stop)) == ""
        if world.scheduler.actors[0].points < stop:
            return
    pytest.fail("the first action does not end")


@pytest.mark.soak
@pytest.mark.parametrize("fate", ["dies", "pauses"])
@pytest.mark.parametrize("name", [name for name in PAIRS if PAIRS[name][0] is not None])
def test_another_comes_when_one_died_or_is_paused(tmp_path: Path, tables: Tables, name: str, fate: str) -> None:
    first, second, kind = PAIRS[name]
    for stop in stops(name, 1):
        world = World(fresh_copy(tables(*kind, listed=actions.ARCHIVE in (first, second)).path, tmp_path), BEGINS_WITH)
        world.scheduler.sees_deaths = stop % 2 == 0
        schedule = switched(stop, dies=fate == "dies", pauses=fate == "pauses")
        assert world.violation([played(first), played(second)], schedule) == ""
        if world.scheduler.actors[0].points < stop:
            return
    pytest.fail("the first action does not end")


@pytest.mark.soak
@pytest.mark.parametrize(("name", "first"), [("compaction", COMPACT), ("clustering", CLUSTER)])
def test_a_run_that_was_taken_over_leaves_the_other_alone(
    tmp_path: Path, tables: Tables, name: str, first: Action
) -> None:
    made = tables("mor", 9)
    for stop in range(8, 24, 4):
        for second in range(4, 40, 6):
            world = World(fresh_copy(made.path, tmp_path), BEGINS_WITH)
            plays = [played(first), played(first), Plays(reads=1)]
            assert world.violation(plays, switched(stop, second, pauses=True)) == "", name


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    ("kind", "version", "restores_first"),
    [("mor", 9, True), ("cow", 9, False), ("cow", 6, True), ("mor", 8, False), ("mor", 6, True)][::SAMPLE],
)
def test_a_restore_beside_a_write(
    tmp_path: Path, tables: Tables, kind: str, version: int, restores_first: bool
) -> None:
    made = tables(kind, version, saved=True)
    pair = [restore_to(made.saved, SAVED), UPSERT]
    for stop in stops(f"{kind}{restores_first}", 60):
        world = World(fresh_copy(made.path, tmp_path), BEGINS_WITH)
        plays = [played(one) for one in (pair if restores_first else pair[::-1])]
        assert world.violation(plays, switched(stop)) == ""
        if world.scheduler.actors[0].points < stop:
            return
    pytest.fail("the first action does not end")


def drawn_writer(draw: random.Random, writer: int, *, stays: bool) -> Plays:
    """A writer of one or two actions. With `stays` no row moves to another partition: without a record index it would be there
    twice."""
    drawn: list[Action] = []
    for number in range(draw.randint(1, 2)):
        own, n, key, partition = (
            f"w{writer}{number}",
            100 * writer + draw.randint(10, 99),
            draw.choice("abcd"),
            draw.choice("xy"),
        )
        if stays:
            partition = BEGINS_WITH.get(key, ("x", 0))[0]
        drawn.append(
            draw.choice(
                [
                    upsert((key, partition, n), (own, "x", n)),
                    append((own, draw.choice("xyz"), n)),
                    insert((own, partition, n)),
                    delete((key, partition, 0)),
                    overwrite((own, "y", n)),
                    drop_partition("y"),
                    set_numbers("x", n),
                    delete_below(3),
                ]
            )
        )
    return Plays(tuple(drawn), skew=timedelta(seconds=draw.choice([0, 0, 90, -90])))


@pytest.mark.parametrize("seed", range(SCHEDULES))
@pytest.mark.parametrize(("kind", "version"), KINDS[::SAMPLE])
def test_random_schedules(tmp_path: Path, tables: Tables, kind: str, version: int, seed: int) -> None:
    draw = random.Random(f"{kind} {version} {seed}")
    services = [one for one in SERVICES if kind == "mor" or one not in (COMPACT, COMPACT_LOGS)]
    serving = Plays((draw.choice(services), draw.choice(services)), skew=timedelta(seconds=draw.choice([0, 60, -60])))
    listed = actions.ARCHIVE in serving.actions and draw.random() < 0.7
    world = World(fresh_copy(tables(kind, version, listed=listed).path, tmp_path), BEGINS_WITH)
    world.scheduler.sees_deaths = draw.random() < 0.5
    plays = [drawn_writer(draw, 1, stays=listed), drawn_writer(draw, 2, stays=listed), serving]
    if draw.random() < 0.3:
        plays.append(Plays(reads=2))
    assert world.violation(plays, at_random(seed, Chances(25, 1.5, 2))) == ""


def test_a_refused_action_that_is_committed_is_a_violation(tmp_path: Path, tables: Tables) -> None:
    world = World(fresh_copy(tables("cow", 9).path, tmp_path), BEGINS_WITH)

    def run(table: object) -> None:
        UPSERT.run(table)  # type: ignore[arg-type]
        raise ConflictError("here", expected="nothing", found="a commit")

    with pytest.raises(Violation, match="refused and is committed"):
        world.play([played(Action("breaks", run, UPSERT.change))], switched())


def test_rows_that_no_action_gives_are_a_violation(tmp_path: Path, tables: Tables) -> None:
    world = World(fresh_copy(tables("cow", 9).path, tmp_path), {**BEGINS_WITH, "ghost": ("x", 1)})
    with pytest.raises(Violation, match=r"expected .*ghost"):
        world.play([played(UPSERT)], switched())
