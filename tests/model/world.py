"""One run: a table, actors over it, a schedule, and what must hold afterwards.

* No commit is lost: what an action was told to be committed is there, and nothing else is. The rows are those that the actions
  give, one after the other in the order in which they completed: no row twice, none of a refused action.
* Snapshots are isolated: a reader sees the rows as they were between two commits, at a moment while it read.
* Nothing dangles: no reader meets a missing file, and every state that a clean promises to keep can be read.
* Indexes are those that the rows would give, and nothing else is wrong: `validate` finds no error.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from hudi_core.errors import ConflictError, LockedError, UsageError
from hudi_core.front.opening import open_table
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.instants import CLEAN, RESTORE, WRITES, parse_instant
from hudi_core.validation.findings import Severity
from hudi_core.validation.validate import validate
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from tests.model.actions import CLEAN as CLEANING
from tests.model.actions import KEPT_COMMITS, Action, State, rows_of
from tests.model.scheduler import Actor, Scheduler

LAST = ("last", "z", 999)
"""The row of the writer that comes when all others are done: it mends what they left."""
_REFUSED = (ConflictError, LockedError)
"""What an action may be refused with; then nothing of it is there."""


class Violation(AssertionError):
    """What must hold does not."""


@dataclass(frozen=True, slots=True)
class Plays:
    """What one actor does, one action after the other; a reader reads so many times."""

    actions: tuple[Action, ...] = ()
    reads: int = 0
    skew: timedelta = timedelta()


@dataclass
class Tally:
    """How many schedules were played, and what was in them."""

    schedules: int = 0
    steps: int = 0
    longest: int = 0
    deaths: int = 0
    pauses: int = 0
    commits: int = 0

    def __str__(self) -> str:
        return (
            f"{self.schedules} schedules of {self.steps} steps (the longest {self.longest}), "
            f"{self.commits} commits, {self.deaths} deaths, {self.pauses} pauses"
        )


PLAYED = Tally()
"""Of this process."""


@dataclass
class Committed:
    """An instant that completed, and the change that it means."""

    time: str
    change: Callable[[State], State] | None


@dataclass
class World:
    """A table in a folder of its own, and what happened to it."""

    path: Path
    begins_with: State
    scheduler: Scheduler = field(default_factory=Scheduler)
    history: list[Committed] = field(default_factory=list)
    current: dict[str, Action] = field(default_factory=dict)
    reported: list[tuple[Action, str | None]] = field(default_factory=list)
    """What actions were told: the instant of each that returned."""
    refused: list[str] = field(default_factory=list)
    """The actors of which an action was refused."""
    reads: list[tuple[int, int, State, int]] = field(default_factory=list)
    """How many commits there were when a reader began and ended, the rows, and how many there were."""
    trace: list[str] = field(default_factory=list)

    def violation(self, plays: Sequence[Plays], schedule: Callable[[World], None]) -> str:
        """What does not hold after the actors ran by a schedule, with the end of the way there; empty where all does."""
        try:
            self.play(plays, schedule)
        except Violation as problem:
            return "\n".join([str(problem), *self.trace[-40:]])
        return ""

    def play(self, plays: Sequence[Plays], schedule: Callable[[World], None]) -> None:
        """Runs the actors by a schedule, mends, and checks. Raises `Violation`."""
        self.scheduler.on_change = self._on_change
        with self.scheduler.patches():
            self.add(plays)
            schedule(self)
            self._count()
            for actor in self.scheduler.actors:
                if actor.problem is not None:
                    raise Violation(f"{actor.name}: {actor.problem!r}") from actor.problem
            self.scheduler.now += timedelta(hours=1)
            self._mend()
            self._check()

    def add(self, plays: Sequence[Plays]) -> None:
        """Makes an actor of each, named by its number."""
        for number, part in enumerate(plays):
            self._actor(f"{number}", part)

    def is_refused(self, actor: str) -> bool:
        return actor in self.refused

    def _count(self) -> None:
        steps = sum(actor.points for actor in self.scheduler.actors)
        PLAYED.schedules += 1
        PLAYED.steps += steps
        PLAYED.longest = max(PLAYED.longest, steps)
        PLAYED.commits += len(self.history)
        PLAYED.deaths += sum(actor.dead for actor in self.scheduler.actors)

    def step(self, actor: Actor) -> None:
        self.trace.append(f"{actor.name}: {actor.at.kind} {actor.at.path}")
        self.scheduler.step(actor)

    def kill(self, actor: Actor) -> None:
        self.trace.append(f"{actor.name} dies before {actor.at.kind} {actor.at.path}")
        self.scheduler.kill(actor)

    def pass_time(self, *paused: Actor) -> None:
        PLAYED.pauses += bool(paused)
        self.trace.append(f"time passes, {', '.join(actor.name for actor in paused) or 'nobody'} is paused")
        self.scheduler.pass_time(paused)

    def _actor(self, name: str, part: Plays) -> None:
        opened = open_table(self.path)

        def body(actor: Actor) -> None:
            table = Table(opened.engine, actor.storage, opened.config, opened.timeline)
            for action in part.actions:
                self._act(actor, table, action)
            for _ in range(part.reads):
                self._read(table)

        self.scheduler.actor(name, str(self.path), body, skew=part.skew, stops_at_reads=part.reads > 0)

    def _act(self, actor: Actor, table: Table, action: Action) -> None:
        self.current[actor.name] = action
        before = len(self.history)
        try:
            result = action.run(table)
        except _REFUSED:
            self.refused.append(actor.name)
            mine = [one for one in self.history[before:] if one.change is action.change and action.change is not None]
            if mine:
                raise Violation(f"{action.name} was refused and is committed as {mine[0].time}") from None
        except UsageError as problem:
            if action.change is not None and "partition" not in str(problem):
                raise
        else:
            self.reported.append((action, getattr(result, "instant", None)))

    def _read(self, table: Table) -> None:
        begun = len(self.history)
        state, count = _rows(refreshed(table))
        self.reads.append((begun, len(self.history), state, count))

    def _on_change(self, actor: Actor, call: str, path: str) -> None:
        time = self._completes(path) if call == "create" else None
        if time is not None:
            action = self.current[actor.name]
            self.history.append(Committed(time, action.change))

    def _completes(self, path: str) -> str | None:
        """The requested time of the instant that a file completes, where it may change rows."""
        folder, _, name = path.rpartition("/")
        if folder not in (".hoodie", ".hoodie/timeline"):
            return None
        instant = parse_instant(name)
        if instant is None or not instant.completed or instant.action not in WRITES | {RESTORE}:
            return None
        return instant.requested_time

    def _mend(self) -> None:
        self.current["last"] = Action("last", lambda _: None, lambda state: {**state, LAST[0]: LAST[1:]})
        result = write(open_table(self.path), rows_of(LAST), "append", WriteOptions(attempts=2))
        assert result.instant is not None
        self.history.append(Committed(result.instant, self.current["last"].change))
        if any(instant.action == CLEAN for instant in open_table(self.path).timeline.pending):
            CLEANING.run(open_table(self.path))  # the next clean finishes one that died

    def states(self) -> list[State]:
        """The rows before each commit and after the last."""
        states = [self.begins_with]
        for committed in self.history:
            states.append(states[-1] if committed.change is None else committed.change(states[-1]))
        return states

    def _check(self) -> None:
        table, states = open_table(self.path), self.states()
        times = {one.time for one in self.history}
        for action, instant in self.reported:
            if action.change is not None and instant is not None and instant not in times:
                raise Violation(f"{action.name} was told of a commit {instant} that is not there")
        for mode in (MetadataMode.AUTO, MetadataMode.OFF):
            state, count = _rows(open_table(self.path, metadata=mode))
            if state != states[-1] or count != len(state):
                raise Violation(f"metadata {mode}: expected {dict(states[-1])}, found {count} rows {dict(state)}")
        for begun, ended, state, count in self.reads:
            if count != len(state) or all(state != states[at] for at in range(begun, ended + 1)):
                raise Violation(f"a reader saw {count} rows {dict(state)}, which the table had at no time meanwhile")
        for commit in table.timeline.commits[-KEPT_COMMITS:]:
            table.scan(as_of=commit.requested_time).to_arrow()
        errors = [str(one) for one in validate(table) if one.severity is Severity.ERROR]
        if errors:
            raise Violation("; ".join(errors))


def _rows(table: Table) -> tuple[State, int]:
    rows: list[dict[str, Any]] = list(table.scan(columns=["id", "p", "n"]).to_json_rows())
    return {row["id"]: (row["p"], row["n"]) for row in rows}, len(rows)


def fresh_copy(made: Path, folder: Path) -> Path:
    """A copy of a table to play on, in place of an earlier one."""
    path = folder / "t"
    with suppress(FileNotFoundError):
        shutil.rmtree(path)
    shutil.copytree(made, path)
    return path
