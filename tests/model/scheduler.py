"""Actors of which one runs at a time, from one call of the storage to the next: which comes next is the caller's choice.

An actor is a thread with a storage of its own. It stops before each call that changes something (and, where it reads, before each
call), while it waits for the lock, and goes on when it is chosen. It can be killed wherever it stands. Time is the world's: a
clock that ticks with each question, from which an actor's own may differ; it passes only as the schedule has it.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, BinaryIO
from unittest.mock import patch

from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.commit import lock, storage_lock, times
from hudi_core.commit.heartbeat import HEARTBEATS
from hudi_core.commit.lock_owner import Life
from hudi_core.engine import FileInfo
from hudi_core.formats.random_access import RandomAccess
from hudi_core.parallel.ordered import work_alone

PAUSE = timedelta(minutes=10)
"""Longer than a lock or a heartbeat counts."""
_TICK = timedelta(milliseconds=1)
_STUCK_SECONDS = 8.0


class Death(BaseException):
    """The process of an actor ends: nothing of it runs any more."""


@dataclass(frozen=True, slots=True)
class Point:
    """Where an actor stands: before a call of the storage, at its beginning, or waiting."""

    kind: str
    path: str = ""

    @property
    def waits(self) -> bool:
        return self.kind == "wait"


@dataclass
class Scheduler:
    """The actors, and the time."""

    now: datetime = field(default_factory=times.system_clock)
    """Begins after all times that the table has."""
    actors: list[Actor] = field(default_factory=list)
    begins: datetime = field(init=False)
    modified: dict[str, datetime] = field(default_factory=dict)
    """When files were changed last: by the clock of the storage, which is right."""
    sees_deaths: bool = True
    """Whether actors see at once that the owner of a lock is dead; else it counts until it expires."""
    on_change: Callable[[Actor, str, str], None] = lambda *_: None
    """Called after each change: the actor, the call, the path."""
    turn: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def actor(self, name: str, uri: str, body: Callable[[Actor], object], **settings: Any) -> Actor:
        actor = Actor(name, self, uri, body, **settings)
        self.actors.append(actor)
        return actor

    def __post_init__(self) -> None:
        self.begins = self.now

    @property
    def standing(self) -> list[Actor]:
        """The actors that are not done."""
        return [actor for actor in self.actors if not actor.done]

    def step(self, actor: Actor) -> None:
        """Lets an actor run up to its next point."""
        if actor.thread.ident is None:
            actor.thread.start()
        else:
            actor.go.release()
        if not self.turn.acquire(timeout=_STUCK_SECONDS):
            raise AssertionError(f"{actor.name} does not come back from {actor.at}")

    def kill(self, actor: Actor) -> None:
        """Ends an actor where it stands."""
        actor.dead = True
        if actor.thread.ident is None:
            actor.done = True
        else:
            self.step(actor)
        assert actor.done, f"{actor.name} outlives its death"

    def pass_time(self, paused: Collection[Actor] = ()) -> None:
        """Time passes: those that are alive show it, but for those that are paused."""
        self.now += PAUSE
        for actor in self.standing:
            if actor not in paused:
                actor.show_life()

    def tick(self) -> datetime:
        self.now += _TICK
        return self.now

    @contextmanager
    def patches(self) -> Iterator[None]:
        """The world's time in place of the machine's, and what it knows of owners of locks."""
        whole_owner = lock.this_owner
        owners: dict[str, Actor] = {}

        def owner() -> str:
            name, actor = whole_owner(), self.running()
            if actor is not None:
                owners[name] = actor
            return name

        @contextmanager
        def renewed(held: lock.HeldLock, _: timedelta) -> Iterator[None]:
            actor = self.running()
            if actor is not None:
                actor.held = held
            try:
                yield
            finally:
                if actor is not None:
                    actor.held = None

        def life_of(name: str) -> Life:
            actor = owners.get(name)
            if not self.sees_deaths or actor is None:
                return Life.UNKNOWN
            return Life.DEAD if actor.done else Life.ALIVE

        def nanoseconds() -> int:
            actor = self.running()
            moment = self.tick() + (actor.skew if actor else timedelta())
            return int((moment - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1)) * 1000

        def sleep(_: float) -> None:
            actor = self.running()
            if actor is not None:
                actor.stand(Point("wait"))

        with ExitStack() as stack:
            for place, name, value in (
                (lock, "sleep", sleep),
                (lock, "monotonic", lambda: (self.now - self.begins).total_seconds()),
                (lock, "this_owner", owner),
                (lock, "_renew_while_held", renewed),
                (lock, "life_of", life_of),
                (storage_lock, "life_of", life_of),
                (times, "time_ns", nanoseconds),
                (threading.Event, "wait", _no_background(threading.Event.wait)),
                (functools.cached_property, "__get__", _without_lock),
            ):
                stack.enter_context(patch.object(place, name, value))
            # Of threads of its own the scheduler knows nothing: instants that are read side by side come one after the other.
            stack.enter_context(patch("hudi_core.timeline.timeline.in_order", lambda work, parts, _: map(work, parts)))
            stack.enter_context(patch("hudi_core.writing.write_run.time.sleep", sleep))
            yield

    def running(self) -> Actor | None:
        """The actor whose thread this is."""
        ident = threading.get_ident()
        return next((actor for actor in self.actors if actor.thread.ident == ident), None)


def _without_lock(cached: functools.cached_property[Any], instance: object, owner: type | None = None) -> object:
    """As Python 3.12 has it: before, one thread that stands in a cached property stops all others that want one of its name."""
    if instance is None:
        return cached
    values = vars(instance)
    name = cached.attrname
    assert name is not None
    if name not in values:
        values[name] = cached.func(instance)
    return values[name]


def _no_background(whole: Callable[..., bool]) -> Callable[..., bool]:
    """Heartbeats and renewals come when the schedule has it: their threads wait for their end alone."""

    def wait(event: threading.Event, timeout: float | None = None) -> bool:
        name = threading.current_thread().name
        return whole(event, None if name.startswith(("heartbeat-", "lock-renewal")) else timeout)

    return wait


class Actor:
    """One process: its thread, its storage, its clock, and where it stands."""

    def __init__(
        self,
        name: str,
        scheduler: Scheduler,
        uri: str,
        body: Callable[[Actor], object],
        *,
        skew: timedelta = timedelta(),
        stops_at_reads: bool = False,
    ) -> None:
        self.name, self.scheduler, self.body = name, scheduler, body
        self.skew, self.stops_at_reads = skew, stops_at_reads
        self.storage = StoppingStorage(uri, self)
        self.at = Point("begin")
        self.points = 0
        self.dead = self.done = False
        self.problem: BaseException | None = None
        self.held: lock.HeldLock | None = None
        self.go = threading.Semaphore(0)
        self.thread = threading.Thread(target=self._run, name=name, daemon=True)

    def _run(self) -> None:
        work_alone()
        try:
            self.body(self)
        except Death:
            pass
        except BaseException as problem:  # noqa: BLE001 - the world judges it
            self.problem = problem
        finally:
            self.done = True
            self.scheduler.turn.release()

    def stand(self, point: Point) -> None:
        """Stops before a call, until the actor is chosen again."""
        if self.dead:
            raise Death
        if self.done or threading.get_ident() != self.thread.ident:
            return
        self.at = point
        self.points += 1
        self.scheduler.turn.release()
        self.go.acquire()
        if self.dead:
            raise Death

    def apply(self, call: str, path: str) -> None:
        self.scheduler.modified[path] = self.scheduler.now
        self.scheduler.on_change(self, call, path)

    def show_life(self) -> None:
        """Its heartbeats, and its lock where it holds it, are as new."""
        for path in self.storage.beats:
            self.scheduler.modified[path] = self.scheduler.now
        if self.held is not None and not self.held._turn.locked():
            self.held.renew()


class StoppingStorage(ArrowStorage):
    """The storage of an actor."""

    def __init__(self, uri: str, actor: Actor) -> None:
        super().__init__(uri)
        self.actor = actor
        self.beats: set[str] = set()

    def create(self, path: str, content: bytes) -> None:
        self._change("create", path, lambda: super(StoppingStorage, self).create(path, content))

    def replace(self, path: str, content: bytes) -> None:
        if path.startswith(HEARTBEATS):
            self.beats.add(path)
        self._change("replace", path, lambda: super(StoppingStorage, self).replace(path, content))

    def delete(self, path: str) -> None:
        self.beats.discard(path)
        self._change("delete", path, lambda: super(StoppingStorage, self).delete(path))

    def delete_files(self, paths: Sequence[str], *, in_order: bool = False) -> None:
        for path in paths if in_order else reversed(paths):
            self.delete(path)

    def delete_folder(self, path: str) -> None:
        self._change("delete_folder", path, lambda: super(StoppingStorage, self).delete_folder(path))

    @contextmanager
    def output(self, path: str) -> Iterator[BinaryIO]:
        self.actor.stand(Point("output", path))
        with super().output(path) as stream:
            yield stream
            self.actor.stand(Point("written", path))
        self.actor.apply("output", path)

    def list(self, folder: str, *, recursive: bool = False, without: str = "") -> list[FileInfo]:
        self._read("list", folder)
        return super().list(folder, recursive=recursive, without=without)

    def read(self, path: str) -> bytes:
        self._read("read", path)
        return super().read(path)

    def exists(self, path: str) -> bool:
        self._read("exists", path)
        return super().exists(path)

    def open(self, path: str, size: int | None = None) -> RandomAccess:
        self._read("open", path)
        return super().open(path, size)

    def base_file(self, file: FileInfo) -> AbstractContextManager[Any]:
        self._read("open", file.path)
        return super().base_file(file)

    def read_modified(self, path: str) -> datetime | None:
        self._read("modified", path)
        there = super().read_modified(path)
        return None if there is None else self.actor.scheduler.modified.get(path, self.actor.scheduler.begins)

    def sync(self) -> None:
        """Does nothing: power is not lost here."""

    def _read(self, call: str, path: str) -> None:
        if self.actor.dead:
            raise Death
        if self.actor.stops_at_reads:
            self.actor.stand(Point(call, path))

    def _change(self, call: str, path: str, change: Callable[[], None]) -> None:
        self.actor.stand(Point(call, path))
        change()
        self.actor.apply(call, path)
