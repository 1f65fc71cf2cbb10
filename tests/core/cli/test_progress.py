"""How far a command is."""

from __future__ import annotations

from io import StringIO
from time import sleep

import pytest
from rich.console import Console

from hudi_core.cli import progress as progressing
from hudi_core.cli.progress import progress, task_progress


def on_terminal(monkeypatch: pytest.MonkeyPatch, pause: float) -> StringIO:
    screen = StringIO()
    terminal = Console(file=screen, width=80, force_terminal=True, color_system=None)
    monkeypatch.setattr(progressing, "Console", lambda **_: terminal)
    monkeypatch.setattr(progressing, "PAUSE", pause)
    return screen


def test_what_is_over_within_the_pause_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """CLI-678."""
    screen = on_terminal(monkeypatch, 60.0)
    with task_progress("files") as report:
        report(1, 2)
    assert screen.getvalue() == ""


def test_what_takes_longer_shows_how_much_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """CLI-678."""
    screen = on_terminal(monkeypatch, 0.01)
    with task_progress("files") as report:
        report(1_200, 2_400)
        sleep(0.4)
    assert "1,200 of 2,400 files" in screen.getvalue()
    with progress("rows written") as advance:
        advance(5)
        advance(6)
        sleep(0.4)
    assert "11 rows written" in screen.getvalue()


def test_a_pipe_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """CLI-678."""
    with progress("rows") as advance:
        advance(1)
    assert capsys.readouterr().err == ""


def test_a_sum_of_which_the_whole_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """CLI-985: the whole is asked for where somebody looks only."""
    screen = on_terminal(monkeypatch, 0.01)
    with progress("rows written", lambda: 20) as advance:
        advance(5)
        sleep(0.4)
    assert "5 of 20 rows written" in screen.getvalue()
    monkeypatch.undo()
    with progress("rows", lambda: pytest.fail("nobody looks")) as advance:
        advance(1)
