"""COMMIT-1606: ends that Ctrl-C does not leave undone.

Also covers: `commit/steps.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from hudi_core.commit.heartbeat import HEARTBEATS, heartbeat
from hudi_core.commit.lock import LOCK_PATH, table_lock
from hudi_core.commit.steps import _GUARDS, finish, guard_steps
from hudi_core.local_files import _FENCE, _NAMING, _PASSING, fence, let_pass, look_before_naming
from hudi_plain.storage import PlainStorage

TIME = "20240101000000000"


class Interrupted(PlainStorage):
    """Ctrl-C comes while a file is deleted, as often as stated."""

    times = 1

    def delete(self, path: str) -> None:
        if self.times:
            self.times -= 1
            raise KeyboardInterrupt
        super().delete(path)


def test_an_interrupt_at_its_end_leaves_no_lock(tmp_path: Path) -> None:
    storage = Interrupted(str(tmp_path))
    with pytest.raises(KeyboardInterrupt), table_lock(storage):
        assert storage.exists(LOCK_PATH)
    assert not storage.exists(LOCK_PATH)


@pytest.mark.parametrize("lasting", [True, False])
def test_an_interrupt_at_its_end_leaves_no_heartbeat(tmp_path: Path, lasting: bool) -> None:
    storage = Interrupted(str(tmp_path))
    with pytest.raises(KeyboardInterrupt), heartbeat(storage, TIME, lasting=lasting):
        assert storage.list(HEARTBEATS)
    assert not storage.list(HEARTBEATS)


def test_a_second_interrupt_ends_it_at_once() -> None:
    done = []

    def step() -> None:
        done.append(1)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        finish(step)
    assert len(done) == 2


MANAGERS: dict[str, tuple[Callable[[], AbstractContextManager[Any]], Any]] = {
    "guards": (lambda: guard_steps(lambda: None), _GUARDS),
    "passing": (let_pass, _PASSING),
    "naming": (lambda: look_before_naming(lambda: None), _NAMING),
    "fence": (lambda: fence(Path(), lambda: None), _FENCE),
}


@pytest.mark.parametrize("name", MANAGERS)
def test_what_holds_in_a_block_holds_in_no_other_after_an_interrupt(name: str) -> None:
    """At any line before the block."""
    manager, variable = MANAGERS[name]
    before, lines = variable.get(), 0
    for number in range(1, 9):
        passed = 0

        def interrupt(frame: FrameType, event: str, _: object) -> Any:
            nonlocal passed
            if event == "line" and frame.f_code.co_name in ("guard_steps", "let_pass", "look_before_naming", "fence"):
                passed += 1
                if passed == number:  # noqa: B023  # called in this round alone
                    raise KeyboardInterrupt
            return interrupt

        tracer = sys.gettrace()
        try:
            sys.settrace(interrupt)
            with manager():
                sys.settrace(tracer)
                break
        except KeyboardInterrupt:
            lines += 1
        finally:
            sys.settrace(tracer)
        assert variable.get() == before
    assert lines >= 3
    assert variable.get() == before
