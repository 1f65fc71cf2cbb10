"""Runners of this process, as `hudi_core.engine.Runner` defines them. Rule ENGINE-9."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from hudi_core.parallel.limits import PROCESSORS
from hudi_core.parallel.ordered import in_order
from hudi_core.parallel.reach import Reach

T = TypeVar("T")
R = TypeVar("R")


class SerialRunner:
    """Runs one task after the other in the calling thread."""

    parallelism = 1
    reach = Reach.MEMORY

    def run(self, work: Callable[[T], R], tasks: Sequence[T]) -> list[R]:
        return [work(task) for task in tasks]


@dataclass(frozen=True)
class ThreadRunner:
    """Runs tasks in threads. Tasks that wait for storage gain from more threads than there are processors."""

    threads: int | None = None
    """At least 1; None for one a processor."""

    @property
    def parallelism(self) -> int:
        return PROCESSORS if self.threads is None else self.threads

    @property
    def reach(self) -> Reach:
        return Reach.MEMORY

    def run(self, work: Callable[[T], R], tasks: Sequence[T]) -> list[R]:
        return list(in_order(work, tasks, self.threads))
