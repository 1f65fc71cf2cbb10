"""Two checkouts, side by side: made-up ones with one case each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.beside import measured
from tests.bench.goals import Goal

GOAL = Goal("write", "some", "peer")


def checkout(folder: Path, call: str) -> Path:
    bench = folder / "tests" / "bench"
    bench.mkdir(parents=True)
    for package in (folder / "tests", bench):
        (package / "__init__.py").touch()
    (bench / "timing.py").write_text("class Missing(Exception): ...\n")
    (bench / "goals.py").write_text(
        "import time\nfrom types import SimpleNamespace\nfrom tests.bench.timing import Missing\n"
        "Goal = lambda *names: names\n"
        f"def pair_of(goal):\n    return SimpleNamespace(ours=lambda: {call})\n"
    )
    return folder


def test_each_checkout_runs_its_own_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HUDI_BENCH_CLOCK", raising=False)
    fast, slow = checkout(tmp_path / "a", "time.sleep(0.001)"), checkout(tmp_path / "b", "time.sleep(0.05)")
    answer = measured(fast, slow, GOAL)
    assert answer["turns"] == 7
    assert float(str(answer["ratio"])) > 5
    assert float(str(measured(slow, fast, GOAL)["ratio"])) < 0.2


def test_a_case_that_one_of_them_lacks_is_left_out(tmp_path: Path) -> None:
    there = checkout(tmp_path / "a", "0")
    lacks = checkout(tmp_path / "b", "0")
    (lacks / "tests" / "bench" / "goals.py").write_text(
        "from tests.bench.timing import Missing\nGoal = lambda *names: names\n"
        "def pair_of(goal):\n    raise Missing('no measurement of this case')\n"
    )
    assert measured(there, lacks, GOAL) == {"bench": "write", "case": "some", "left_out": "no measurement of this case"}


def test_a_side_that_dies_is_left_out(tmp_path: Path) -> None:
    there, dies = checkout(tmp_path / "a", "0"), checkout(tmp_path / "b", "1 / 0")
    assert measured(there, dies, GOAL)["left_out"] == "its process ended with 1"
