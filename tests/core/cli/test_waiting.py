"""What commands show while they wait for remote storage."""

from __future__ import annotations

import io
from threading import Event
from threading import enumerate as enumerate_threads
from typing import cast

import pytest

from hudi_core.cli import waiting
from hudi_core.cli.output import say
from hudi_core.engine import Storage
from hudi_core.parallel.requests import Traffic


class Stream(io.StringIO):
    """A stream that knows when something was written to it."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal, self.written = terminal, Event()

    def isatty(self) -> bool:
        return self.terminal

    def flush(self) -> None:
        self.written.set()


class Remote:
    uri = "s3://lake/t"
    is_remote = True
    traffic = Traffic(12, 30_000, 2, 0.125)


STORAGE = cast(Storage, Remote())
STATE = "s3://lake/t: 12 requests of 29.3 KiB in 2 waves, 125.0 ms waited so far, 0 s"


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "_PAUSE", 0.01)
    monkeypatch.setattr(waiting, "_LONG_PAUSE", 0.01)


def test_a_terminal_shows_one_line_until_the_first_output() -> None:
    stream = Stream(terminal=True)
    waiting.show_waiting(STORAGE, stream, verbose=False)
    assert stream.written.wait(10)
    say("")
    shown = stream.getvalue()
    assert shown.startswith(f"\r\x1b[2K{STATE}") and shown.endswith("\r\x1b[2K") and "\n" not in shown
    waiting.end_waiting()
    assert stream.getvalue() == shown


def test_verbose_has_lines_where_there_is_no_terminal() -> None:
    stream = Stream(terminal=False)
    waiting.show_waiting(STORAGE, stream, verbose=True)
    assert stream.written.wait(10)
    waiting.end_waiting()
    assert stream.getvalue().startswith(f"{STATE}\n") and "\r" not in stream.getvalue()


@pytest.mark.parametrize(("remote", "terminal"), [(True, False), (False, True)])
def test_others_see_nothing(remote: bool, terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Remote, "is_remote", remote)
    stream = Stream(terminal)
    waiting.show_waiting(STORAGE, stream, verbose=False)
    assert not stream.written.wait(0.1)
    waiting.end_waiting()


def test_a_closed_stream_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "_PAUSE", 0.2)
    stream = Stream(terminal=True)
    stream.close()
    waiting.show_waiting(STORAGE, stream, verbose=False)
    (thread,) = (thread for thread in enumerate_threads() if thread.name == "hudi-waiting")
    thread.join(10)
    assert not thread.is_alive()
    waiting.end_waiting()


def test_a_command_that_works_for_long_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """CLI-985: on a terminal alone, and until anything else is shown."""
    monkeypatch.setattr(waiting, "_WORK_PAUSE", 0.01)
    terminal, pipe = Stream(terminal=True), Stream(terminal=False)
    waiting.show_working("count", pipe)
    waiting.show_working("count", terminal)
    assert terminal.written.wait(10)
    say("done")
    assert "count: at work for 0 s" in terminal.getvalue() and terminal.getvalue().endswith("\r\x1b[2K")
    assert pipe.getvalue() == ""
