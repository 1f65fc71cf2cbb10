"""How far a command is: on a terminal of standard error, from the first second on, gone when it is over. Rule CLI-678."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Timer
from typing import Final

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from hudi_core.cli.waiting import end_waiting

PAUSE: Final = 1.0
"""Seconds before anything is shown: what is done by then needs no progress."""


class _Shown:
    """A line that appears after a pause, unless the work ended before."""

    def __init__(self, console: Console, what: str, total: int | None = None) -> None:
        spinner = "dots" if (console.encoding or "").lower().startswith("utf") else "line"
        columns = (SpinnerColumn(spinner), TextColumn("{task.description}"), TimeElapsedColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=console, transient=True)
        self._what, self._done, self._total = what, 0, total
        self._task = self._progress.add_task(f"0 {what}", total=None)
        self._lock, self._is_over = Lock(), False
        self._timer = Timer(PAUSE, self._begin)
        self._timer.daemon = True
        self._timer.start()

    def _begin(self) -> None:
        with self._lock:
            if not self._is_over:
                self._progress.start()

    def advance(self, count: int) -> None:
        self._done += count
        of_total = f"{self._done:,} of {self._total:,}" if self._total else f"{self._done:,}"
        words = f"{of_total} {self._what}"
        self._progress.update(self._task, completed=self._done, total=self._total, description=words)

    def reach(self, done: int, total: int) -> None:
        words = f"{done:,} of {total:,} {self._what}"
        self._progress.update(self._task, completed=done, total=total, description=words)

    def end(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._is_over = True
            self._progress.stop()


@contextmanager
def _line(what: str, total: Callable[[], int | None] = lambda: None) -> Iterator[_Shown | None]:
    end_waiting()
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    shown = _Shown(console, what, total())
    try:
        yield shown
    finally:
        shown.end()


@contextmanager
def progress(what: str, total: Callable[[], int | None] = lambda: None) -> Iterator[Callable[[int], None]]:
    """Shows the sum of the reported numbers; where somebody looks and it is known, also of how many."""
    with _line(what, total) as shown:
        yield (lambda _: None) if shown is None else shown.advance


@contextmanager
def task_progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Shows how many of how many tasks are done, and about the time that is left."""
    with _line(what) as shown:
        yield (lambda _done, _total: None) if shown is None else shown.reach
