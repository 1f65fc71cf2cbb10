"""What a measurement says of its goal, and the exit status that follows."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.bench import __main__ as program
from tests.bench import goals
from tests.bench.goals import Goal, Verdict, chosen, line, read_goals, summary, verdict
from tests.bench.timing import Missing, Pair

GOALS = [
    {"bench": "made_up", "case": "fast", "peer": "loop", "at_least": 0.0, "note": ""},
    {"bench": "made_up", "case": "slow", "peer": "loop", "at_least": 1e9},
    {"bench": "made_up", "case": "wrong", "peer": "loop", "at_least": 1},
    {"bench": "made_up", "case": "bare", "peer": "loop", "at_least": 1},
    {"bench": "yet_to_be_built", "case": "any", "peer": "loop", "at_least": 1},
]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A list of goals, and a module that measures those of one subject."""
    written = tmp_path / "goals.json"
    written.write_text(json.dumps(GOALS))

    def equal(ours: object, theirs: object) -> None:
        assert ours == theirs, "one is not the other"

    def pair(case: str, peer: str) -> Pair:
        if case == "bare":
            raise Missing("a peer is not installed")
        return Pair(lambda: 1, lambda: 2 if case == "wrong" else 1, equal, 0.0, 1)

    module = ModuleType("tests.bench.made_up")
    module.pair = pair  # type: ignore[attr-defined]
    module.WITHOUT_GOAL = (("shown", "loop"),)  # type: ignore[attr-defined]
    module.__spec__ = goals.importlib.machinery.ModuleSpec("tests.bench.made_up", None)
    monkeypatch.setitem(sys.modules, "tests.bench.made_up", module)
    monkeypatch.setattr(goals, "_cold_seconds", lambda _goal, _side: 1.0)
    monkeypatch.setattr(program, "GOALS", written)
    monkeypatch.setattr(program, "read_goals", lambda: read_goals(written))
    return written


def test_each_goal_has_a_verdict(file: Path) -> None:
    verdicts = {goal.case: line(goal)["verdict"] for goal in read_goals(file)}
    assert verdicts == {
        "fast": Verdict.MET,
        "slow": Verdict.MISSED,
        "wrong": Verdict.WRONG,
        "bare": Verdict.NOT_MEASURED,
        "shown": Verdict.SHOWN,
        "any": Verdict.MISSING,
    }


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    ("names", "status"),
    [
        ((), 1),
        (("made_up", "fast"), 0),
        (("made_up", "slow"), 1),
        (("made_up", "wrong"), 1),
        (("made_up", "bare"), 1),
        (("made_up", "shown"), 0),
        (("yet_to_be_built",), 0),
        (("no such subject",), 2),
    ],
)
def test_the_exit_status_shows_whether_goals_are_met(file: Path, names: tuple[str, ...], status: int) -> None:
    assert program.main(*names) == status


def test_missed_goals_are_named(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program.main()
    answer = capsys.readouterr().err
    assert "made_up/slow against loop" in answer and "expected 1000000000.0" in answer
    assert "made_up/wrong against loop: one is not the other" in answer
    assert "made_up/fast" not in answer


def test_a_ratio_as_large_as_the_goal_meets_it() -> None:
    assert [verdict(2.0, ratio) for ratio in (1.99, 2.0)] == [Verdict.MISSED, Verdict.MET]


def test_goals_are_chosen_by_subject_and_beginning_of_the_case(file: Path) -> None:
    listed = read_goals(file)
    assert [goal.case for goal in chosen(listed, "made_up", "s")] == ["slow", "shown"]
    with pytest.raises(LookupError, match="fast"):
        chosen(listed, "made_up", "nothing begins so")


def test_met_goals_are_not_reported() -> None:
    assert list(summary([{"verdict": Verdict.MET}])) == ["met: 1"]


def test_a_case_may_have_a_module_of_its_own(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = ModuleType("tests.bench.made_up_wrong")
    own.pair = lambda _case, _peer: Pair(lambda: 3, lambda: 3, lambda _, __: None, 0.0, 1)  # type: ignore[attr-defined]
    own.__spec__ = goals.importlib.machinery.ModuleSpec("tests.bench.made_up_wrong", None)
    monkeypatch.setitem(sys.modules, "tests.bench.made_up_wrong", own)
    assert line(Goal("made_up", "wrong", "loop", 0.0))["verdict"] is Verdict.MET


def test_a_first_call_that_fails_is_a_reason_and_no_traceback() -> None:
    with pytest.raises(
        Missing, match=r"the first call of ours in a new process failed: .*no measurement of this subject"
    ):
        goals._cold_seconds(Goal("no_such_bench", "any", "loop"), "ours")
