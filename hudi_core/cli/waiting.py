"""The progress of requests to remote storage, on standard error until the command's first output.

A terminal shows one line that is written over; elsewhere `--verbose` has a line every few seconds.
"""

from __future__ import annotations

from contextlib import suppress
from contextvars import ContextVar
from threading import Event, Thread
from time import monotonic
from typing import Final, TextIO

from hudi_core.cli.words import traffic
from hudi_core.engine import Storage

_PAUSE: Final = 0.5
"""Seconds between two states on a terminal; nothing is shown before."""
_LONG_PAUSE: Final = 5.0
"""Seconds between two lines elsewhere."""
_CLEARED: Final = "\r\x1b[2K"

_SHOWN: ContextVar[Waiting | None] = ContextVar("waiting", default=None)


class Waiting:
    """Shows the state of a storage on a stream from time to time, until it is ended."""

    def __init__(self, storage: Storage, stream: TextIO, *, terminal: bool, pause: float | None = None) -> None:
        self._storage, self._stream, self._terminal = storage, stream, terminal
        self._pause = pause or (_PAUSE if terminal else _LONG_PAUSE)
        self._ended = Event()
        self._thread = Thread(target=self._show, name="hudi-waiting", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Shows nothing from here on; of a terminal the line is cleared. Can be repeated."""
        self._ended.set()
        self._thread.join()

    def _show(self) -> None:
        begun, shown = monotonic(), False
        with suppress(OSError, ValueError):  # nobody looks at it any more
            while not self._ended.wait(self._pause):
                state = f"{self._storage.uri}: {traffic(self._storage.traffic)} so far, {monotonic() - begun:.0f} s"
                self._stream.write(f"{_CLEARED}{state}" if self._terminal else f"{state}\n")
                self._stream.flush()
                shown = True
            if shown and self._terminal:
                self._stream.write(_CLEARED)
                self._stream.flush()


def show_waiting(storage: Storage, stream: TextIO | None, *, verbose: bool) -> None:
    """Begins to show what a command waits for, where the storage is remote and somebody may look."""
    end_waiting()
    if storage.is_remote and stream is not None and (stream.isatty() or verbose):
        _SHOWN.set(Waiting(storage, stream, terminal=stream.isatty()))


def end_waiting() -> None:
    """Ends it, before anything else is written."""
    shown = _SHOWN.get()
    if shown is not None:
        _SHOWN.set(None)
        shown.end()
