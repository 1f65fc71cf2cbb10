"""How far a command is."""

from __future__ import annotations

from io import StringIO
from time import sleep

import pytest
from rich.console import Console

from hudi_core.cli import progress as progressing
from hudi_core.cli.progress import progress, state, tally_progress, task_progress
from hudi_core.tally import WRITING, Tally


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


def test_rows_bytes_and_the_time_that_is_left_grow_within_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    """CLI-1085: in one line of 80 columns."""
    screen = on_terminal(monkeypatch, 0.01)
    with tally_progress("files") as tally:
        assert tally is not None
        tally.enter(WRITING, total=12)
        sleep(0.4)
        tally.add(done=3, written=400_000, size=35_700_000)
        sleep(0.4)
        tally.add(written=5_000)
        sleep(0.4)
    shown = screen.getvalue()
    assert "writing: 3 of 12 files, 400,000 rows, 34.0 MiB; 0 s, about 1 s left" in shown
    assert "405,000 rows" in shown


def test_the_words_of_a_state() -> None:
    """CLI-1085."""
    tally = Tally()
    assert state(tally, "files") == "at work"
    tally.enter("reading rows", all_rows=2_000)
    assert state(tally, "parts") == "reading rows"
    tally.add(read=1_200)
    assert state(tally, "parts") == "reading rows: 1,200 of 2,000 rows"
    tally.add(written=100)
    assert state(tally, "parts") == "reading rows: 1,200 of 2,000 rows read, 100 of 2,000 rows written"
    tally.enter("committing")
    assert state(tally, "files") == "committing"
