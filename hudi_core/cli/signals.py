"""Signals that end a command: it gives its lock back and rolls its write back, then ends with the status of the signal."""

from __future__ import annotations

import signal
from threading import current_thread, main_thread
from types import FrameType
from typing import Final

_FATAL: Final = 128
"""What shells add to the number of a signal that ended a process."""
_ENDING: Final = tuple(number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None)


class Stopped(KeyboardInterrupt):
    """The process was asked to end, by a signal other than that of Ctrl-C."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(number)

    @property
    def exit_status(self) -> int:
        return _FATAL + self.number


def stop_on_signals() -> None:
    """Has signals that would end the process at once end it as Ctrl-C does. A second one ends it at once; one that
    is ignored, as under `nohup`, stays so."""
    if current_thread() is not main_thread():
        return  # signals reach the main thread alone
    for number in _ENDING:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _stop)


def _stop(number: int, _: FrameType | None) -> None:
    signal.signal(number, signal.SIG_DFL)
    raise Stopped(number)
