"""Runners of tests: one whose tasks run in other processes, and one whose tasks run twice, as those of a cluster may."""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hudi_core.parallel.flow import Packet
from hudi_core.parallel.reach import Reach
from tests.support.local_flow import LocalFlow


@dataclass(frozen=True)
class RepeatingRunner:
    """`hudi_core.engine.Runner` and `hudi_core.parallel.flow.FlowRunner`, whose tasks see nothing of this process and run twice:
    of some the first run counts, of others the second."""

    parallelism: int = 2
    reach: Reach = Reach.NOTHING

    def run(self, work: Callable[[Any], Any], tasks: Sequence[Any]) -> list[Any]:
        sent = pickle.dumps(work)
        runs = [[pickle.loads(sent)(pickle.loads(pickle.dumps(task))) for _ in range(2)] for task in tasks]
        return [pickle.loads(pickle.dumps(run[number % 2])) for number, run in enumerate(runs)]

    def flow(self, work: Callable[[int, Any], Iterator[Packet]], tasks: Sequence[Any]) -> LocalFlow:
        sent = pickle.dumps(work)

        def parts() -> list[list[Packet]]:
            return [
                list(pickle.loads(sent)(number, pickle.loads(pickle.dumps(task)))) for number, task in enumerate(tasks)
            ]

        return LocalFlow(parts, repeats=True, parallelism=self.parallelism)


@dataclass(frozen=True)
class ProcessRunner:
    """`hudi_core.engine.Runner` of other processes of this machine."""

    pool: ProcessPoolExecutor
    parallelism: int = 2
    reach: Reach = Reach.FILES

    def run(self, work: Callable[[Any], Any], tasks: Sequence[Any]) -> list[Any]:
        return list(self.pool.map(work, tasks))


@contextmanager
def process_runner() -> Iterator[ProcessRunner]:
    """A runner of two processes."""
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        yield ProcessRunner(pool)
