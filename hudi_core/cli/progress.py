"""How far a command is: on a terminal of standard error, from the first second on, gone when it is over.

Rules CLI-678, CLI-1085.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Timer
from typing import Final

from rich.console import Console
from rich.progress import Progress, ProgressColumn, SpinnerColumn, Task
from rich.text import Text

from hudi_core.cli.waiting import end_waiting
from hudi_core.cli.words import size
from hudi_core.planning.plan import ScanPlan
from hudi_core.reading.result import QueryResult
from hudi_core.table.scan import Scan
from hudi_core.tally import READING, Tally

PAUSE: Final = 1.0
"""Seconds before anything is shown: what is done by then needs no progress."""
_REFRESHES: Final = 4
"""Times a second at which the line is drawn again."""


def state(tally: Tally, what: str) -> str:
    """What a tally has, in words.

    >>> tally = Tally()
    >>> tally.enter("writing", total=12)
    >>> tally.add(done=3, written=400_000, size=35_700_000)
    >>> state(tally, "files")
    'writing: 3 of 12 files, 400,000 rows, 34.0 MiB'
    >>> tally.begin("compact")
    >>> state(tally, "files")
    'compact'
    """
    parts = []
    if tally.total is not None:
        parts.append(f"{tally.done:,} of {tally.total:,} {what}")
    elif tally.done:
        parts.append(f"{tally.done:,} {what}")
    both = bool(tally.rows_read and tally.rows_written) and tally.rows_read != tally.rows_written
    for rows, verb in (
        (tally.rows_read, "read"),
        (tally.rows_written if both or not tally.rows_read else 0, "written"),
    ):
        if rows:
            of_all = f" of {tally.all_rows:,}" if tally.all_rows else ""
            parts.append(f"{rows:,}{of_all} rows{f' {verb}' if both else ''}")
    if tally.bytes_written:
        parts.append(size(tally.bytes_written))
    return ": ".join(filter(None, (tally.work, tally.stage, ", ".join(parts)))) or "at work"


class _Words(ProgressColumn):
    """The state of a tally, for how long the command is at work, and about how long it will still be."""

    def __init__(self, tally: Tally, what: str) -> None:
        super().__init__()
        self._tally, self._what = tally, what

    def render(self, task: Task) -> Text:
        shown = f"{state(self._tally, self._what)}; {_clock(task.elapsed or 0.0)}"
        left = self._tally.seconds_left()
        return Text(shown if left is None or left < 1 else f"{shown}, about {_clock(left)} left", no_wrap=True)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


class _Shown:
    """A line that appears after a pause, unless the work ended before."""

    def __init__(self, console: Console, tally: Tally, what: str) -> None:
        spinner = "dots" if (console.encoding or "").lower().startswith("utf") else "line"
        columns = (SpinnerColumn(spinner), _Words(tally, what))
        # Standard output is left alone: what a command writes there while the line is shown goes to a file or a pipe.
        self._progress = Progress(
            *columns, console=console, transient=True, refresh_per_second=_REFRESHES, redirect_stdout=False
        )
        self._progress.add_task("", total=None)
        self._lock, self._is_over = Lock(), False
        self._timer = Timer(PAUSE, self._begin)
        self._timer.daemon = True
        self._timer.start()

    def _begin(self) -> None:
        with self._lock:
            if not self._is_over:
                self._progress.start()

    def end(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._is_over = True
            self._progress.stop()


def make_tally(*, prints_rows: bool = False) -> Tally | None:
    """A tally where somebody looks, None elsewhere.

    `prints_rows`: rows are printed meanwhile. On a terminal they show how far the command is.
    """
    if prints_rows and Console().is_terminal:
        return None
    return Tally() if Console(stderr=True).is_terminal else None


@contextmanager
def show_tally(tally: Tally | None, what: str) -> Iterator[None]:
    """Shows what is added to a tally, whose tasks have this name; nothing where there is none."""
    end_waiting()
    if tally is None:
        yield
        return
    shown = _Shown(Console(stderr=True), tally, what)
    try:
        yield
    finally:
        shown.end()


@contextmanager
def tally_progress(what: str, *, prints_rows: bool = False) -> Iterator[Tally | None]:
    """Shows what is added to the tally, whose tasks have this name. None where nobody looks, as `make_tally`."""
    tally = make_tally(prints_rows=prints_rows)
    with show_tally(tally, what):
        yield tally


def watch(rows: QueryResult, tally: Tally | None) -> Callable[[int], None] | None:
    """Lets a tally count the rows that are read of a query. If it gives a function, that has to get the rows of each batch."""
    if tally is None:
        return None
    if isinstance(rows, Scan) and rows.limit is None:
        rows.tally = tally
        return None
    tally.enter(READING)
    return lambda count: tally.add(read=count)


def plan_watched(scan: Scan) -> ScanPlan:
    """The plan of a scan; on a terminal, how many of the footers that it needs are read."""
    with tally_progress("files") as scan.tally:
        plan = scan.plan
    scan.tally = None
    return plan


@contextmanager
def progress(what: str, total: Callable[[], int | None] = lambda: None) -> Iterator[Callable[[int], None]]:
    """Shows the sum of the reported numbers; where somebody looks and it is known, also of how many."""
    with tally_progress(what) as tally:
        if tally is None:
            yield lambda _: None
            return
        tally.enter("", total())
        yield lambda count: tally.add(done=count)


@contextmanager
def task_progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Shows how many of how many tasks are done, and about the time that is left."""
    with tally_progress(what) as tally:
        yield (lambda _done, _total: None) if tally is None else tally.reach
