"""Which actor comes next, and what happens to whom."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from tests.model.scheduler import Actor
from tests.model.world import World

MAX_STEPS = 5_000


@dataclass(frozen=True, slots=True)
class Chances:
    """Of a hundred steps how many go to another actor, kill one, and pause one."""

    switches: float = 20.0
    deaths: float = 0.7
    pauses: float = 0.7


def at_random(seed: int, chances: Chances = Chances()) -> Callable[[World], None]:
    """A schedule that a number draws, the same each time."""

    def run(world: World) -> None:
        draw = random.Random(seed)
        current: Actor | None = None
        for _ in range(MAX_STEPS):
            standing = world.scheduler.standing
            if not standing:
                return
            if current is None or current.done or current.at.waits or draw.random() * 100 < chances.switches:
                current = draw.choice([actor for actor in standing if not actor.at.waits] or standing)
            if all(actor.at.waits for actor in standing):
                world.pass_time()
            fate = draw.random() * 100
            if fate < chances.deaths:
                world.kill(current)
            elif fate < chances.deaths + chances.pauses:
                world.pass_time(current)
                current = next((actor for actor in standing if actor is not current), current)
            else:
                world.step(current)
        raise AssertionError(f"no end: {world.trace[-20:]}")

    return run


def switched(*stops: int, dies: bool = False, pauses: bool = False) -> Callable[[World], None]:
    """The first actor up to the first stop, the second up to the second one, the first again, and so on; after the last stop each
    to its end. With `dies` the first one ends where it is left for the first time, with `pauses` time passes it by there."""

    def run(world: World) -> None:
        left = list(stops)
        order = list(world.scheduler.actors)
        at = 0
        while world.scheduler.standing:
            actor = order[at % len(order)]
            goal = left.pop(0) if left else MAX_STEPS
            _run_up_to(world, actor, actor.points + goal)
            if at == 0 and not actor.done and dies:
                world.kill(actor)
            elif at == 0 and not actor.done and pauses:
                world.pass_time(actor)
            at += 1

    return run


def _run_up_to(world: World, actor: Actor, goal: int) -> None:
    """An actor that waits for the others lets them run: one that is done waits for nobody."""
    while not actor.done and actor.points < goal:
        if actor.at.waits:
            others = [other for other in world.scheduler.standing if other is not actor and not other.at.waits]
            if others:
                world.step(others[0])
            else:
                world.pass_time()
        world.step(actor)
