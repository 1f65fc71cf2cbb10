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
_WORK_PAUSE: Final = 1.0
"""Seconds from which on a command shows that it is at work."""
_CLEARED: Final = "\r\x1b[2K"

_SHOWN: ContextVar[Waiting | None] = ContextVar("waiting", default=None)


class Waiting:
    """Shows the state of a storage on a stream from time to time, until it is ended."""

    def __init__(self, storage: Storage | None, stream: TextIO, *, terminal: bool, pause: float | None = None) -> None:
        self._storage, self._stream, self._terminal = storage, stream, terminal
        self._pause = pause or (_PAUSE if terminal else _LONG_PAUSE)
        self._ended = Event()
        self._thread = Thread(target=self._show, name="hudi-waiting", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Shows nothing from here on; of a terminal the line is cleared. Can be repeated."""
        self._ended.set()
        self._thread.join()

    def _state(self, seconds: float) -> str:
        assert self._storage is not None
        return f"{self._storage.uri}: {traffic(self._storage.traffic)} so far, {seconds:.0f} s"

    def _show(self) -> None:
        begun, shown = monotonic(), False
        with suppress(OSError, ValueError):  # nobody looks at it any more
            while not self._ended.wait(self._pause):
                state = self._state(monotonic() - begun)
                self._stream.write(f"{_CLEARED}{state}" if self._terminal else f"{state}\n")
                self._stream.flush()
                shown = True
            if shown and self._terminal:
                self._stream.write(_CLEARED)
                self._stream.flush()


class _Working(Waiting):
    """Shows how long a command is at work."""

    def __init__(self, command: str, stream: TextIO) -> None:
        self._command = command
        super().__init__(None, stream, terminal=True, pause=_WORK_PAUSE)

    def _state(self, seconds: float) -> str:
        return f"{self._command}: at work for {seconds:.0f} s"


def show_working(command: str, stream: TextIO | None) -> None:
    """Begins to show on a terminal that a command is at work, until its first output, its progress or its end."""
    if stream is not None and stream.isatty():
        end_waiting()
        _SHOWN.set(_Working(command, stream))


def show_waiting(storage: Storage, stream: TextIO | None, *, verbose: bool) -> None:
    """Begins to show what a command waits for, where the storage is remote and somebody may look."""
    if storage.is_remote and stream is not None and (stream.isatty() or verbose):
        end_waiting()
        _SHOWN.set(Waiting(storage, stream, terminal=stream.isatty()))


def end_waiting() -> None:
    """Ends it, before anything else is written."""
    shown = _SHOWN.get()
    if shown is not None:
        _SHOWN.set(None)
        shown.end()
