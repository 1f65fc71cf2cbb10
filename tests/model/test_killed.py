"""Processes that are killed at random leave a table in which every row that was told to be written is there, once."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.model.killed import Reported, read_notes, run

SECONDS = float(os.environ.get("KILLED_SECONDS", "60"))


@pytest.mark.soak
@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 8), ("mor", 6)])
def test_no_row_is_lost_or_doubled_by_processes_that_are_killed(tmp_path: Path, kind: str, version: int) -> None:
    wrong, done = run(tmp_path, kind, version, SECONDS, seed=0)
    assert wrong == [], done


@pytest.mark.soak
@pytest.mark.parametrize(("kind", "version"), [("mor", 9), ("cow", 8), ("mor", 6)])
def test_no_row_is_lost_where_writers_are_taken_for_dead_and_go_on(tmp_path: Path, kind: str, version: int) -> None:
    """COMMIT-530, COMMIT-531: heartbeats and locks expire within seconds, clocks differ, and processes stop for longer."""
    wrong, done = run(tmp_path, kind, version, SECONDS, seed=0, speed=20)
    assert wrong == [], done


def test_the_notes_of_a_writer_say_what_may_be_there(tmp_path: Path) -> None:
    notes = tmp_path / "writer-0"
    lines: list[dict[str, dict[str, int]]] = [
        {"begun": {"a": 1}},
        {"told": {"a": 1}},
        {"begun": {"a": 2}},
        {"refused": {"a": 2}},
        {"begun": {"a": 3, "b": 3}},
    ]
    notes.write_text("\n".join(map(json.dumps, lines)) + '\n{"told": {"a"')
    read = read_notes(notes)
    assert [number for number in (None, 1, 2, 3) if read.fits("a", number)] == [1, 3]
    assert [number for number in (None, 2, 3) if read.fits("b", number)] == [None, 3]
    assert read_notes(tmp_path / "none") == Reported()
