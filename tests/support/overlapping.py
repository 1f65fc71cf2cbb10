"""Writes beside which others begin and complete, in one thread."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hudi_core.writing.operation import WriteOptions
from tests.support.drawing import SOAK

_EACH = [("cow", 6), ("mor", 8), ("cow", 9)]
_OTHERS = [("mor", 6), ("cow", 8), ("mor", 9)]
KINDS = pytest.mark.parametrize(("kind", "version"), [*_EACH, *(_OTHERS if SOAK else [])])
"""Kinds of tables; all of them in a soak."""


def beside(*actions: Callable[[], object], attempts: int = 1) -> WriteOptions:
    """Options of a write that is overtaken: an action runs in each attempt, when files of the write are there and before it
    commits."""
    left = list(reversed(actions))

    def progress(done: int, all_tasks: int) -> None:
        if left and done == all_tasks:
            left.pop()()

    return WriteOptions(progress=progress, attempts=attempts)
