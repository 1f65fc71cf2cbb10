"""Writes beside which others begin and complete: in one thread, or held in a thread of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import pytest

from hudi_core.writing.operation import WriteOptions
from tests.support.drawing import SOAK

_EACH = [("cow", 6), ("mor", 8), ("cow", 9)]
_OTHERS = [("mor", 6), ("cow", 8), ("mor", 9)]
KINDS = pytest.mark.parametrize(("kind", "version"), [*_EACH, *(_OTHERS if SOAK else [])])
"""Kinds of tables; all of them in a soak."""
_PATIENCE = 60.0


def beside(*actions: Callable[[], object], attempts: int = 1) -> WriteOptions:
    """Options of a write that is overtaken: an action runs in each attempt, when files of the write are there and before it
    commits."""
    left = list(reversed(actions))

    def progress(done: int, all_tasks: int) -> None:
        if left and done == all_tasks:
            left.pop()()

    return WriteOptions(progress=progress, attempts=attempts)


@contextmanager
def held(action: Callable[[WriteOptions], object]) -> Iterator[Callable[[], object]]:
    """A write that stands in a thread of its own when its files are there, before it commits. What is given lets it go on, and
    gives what it returns or raises; the end of the block lets it go on, too."""
    stands, goes_on = Event(), Event()

    def stand() -> None:
        stands.set()
        goes_on.wait(_PATIENCE)

    with ThreadPoolExecutor(1) as pool:
        write = pool.submit(action, beside(stand))
        write.add_done_callback(lambda _: stands.set())
        assert stands.wait(_PATIENCE)

        def release() -> object:
            goes_on.set()
            return write.result()

        try:
            yield release
        finally:
            goes_on.set()
