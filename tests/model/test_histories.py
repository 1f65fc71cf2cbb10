"""Long histories of tables of all kinds: each step leaves the rows that it means, and whatever can be asked of the table."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.model.history import History, rows_of
from tests.model.history_kinds import Kind
from tests.model.history_steps import take_step
from tests.support.drawing import SOAK, seed

HISTORIES = 40 if SOAK else 1
STEPS = 24 if SOAK else 8


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [6, 8, 9])
@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_drawn_histories(tmp_path: Path, kind: str, version: int) -> None:
    for number in range(HISTORIES):
        draw = Random(f"{seed(7)} {kind} {version} {number}")
        history = History.begin(draw, tmp_path / str(number), Kind.draw(draw, kind, version))
        for _ in range(STEPS):
            take_step(history)
        assert len(rows_of(history.open().scan())) == len(history.state)
