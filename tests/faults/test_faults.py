"""The list of faults fits the sources, and a sample of it is caught; `make faults` tries all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults import __main__ as command
from tests.faults import garbage
from tests.faults.faults import Fault, all_faults, stale
from tests.faults.planting import Field, Outcome
from tests.support.drawing import SOAK

FAULTS = all_faults()
LEAST = 120
SAMPLE = FAULTS[:: len(FAULTS) // (10 if SOAK else 2)]
"""From some lists one, since the list is in order of its subjects; `make faults` tries all."""

PROBE = "tests/core/types/test_decimals.py"


@pytest.fixture(scope="module")
def field(tmp_path_factory: pytest.TempPathFactory) -> Field:
    return Field(tmp_path_factory.mktemp("field"))


def test_every_fault_occurs_in_the_sources_exactly_once() -> None:
    assert not stale(FAULTS)
    assert len(FAULTS) >= LEAST


def test_all_subjects_are_covered() -> None:
    subjects = Counter(fault.subject for fault in FAULTS)
    covered = {"evolve", "metadata", "keys", "index", "footers", "timeline", "engines", "merge", "pruning"}
    assert covered <= subjects.keys()


@pytest.mark.parametrize("fault", SAMPLE, ids=str)
def test_a_fault_is_caught(field: Field, fault: Fault) -> None:
    verdict = field.tried(fault)
    assert verdict.outcome is Outcome.CAUGHT, verdict.output


def test_a_harmless_change_survives(field: Field) -> None:
    harmless = Fault("types", "harmless", "hudi_core/types/nodes.py", "def ", "def ", (PROBE,))
    assert field.tried(harmless).outcome is Outcome.SURVIVED


def test_sources_that_do_not_load_are_no_fault_that_was_caught(field: Field) -> None:
    broken = Fault("types", "broken", "hudi_core/types/nodes.py", "def ", "deaf ", (PROBE,))
    assert field.tried(broken).outcome is Outcome.BROKEN
    nowhere = Fault("types", "nowhere", "hudi_core/types/nodes.py", "def ", "def ", ("tests/core/nothing.py",))
    assert field.tried(nowhere).outcome is Outcome.BROKEN


def test_stale_entries_are_named(tmp_path: Path) -> None:
    (tmp_path / "hudi_core").mkdir()
    (tmp_path / "hudi_core" / "a.py").write_text("x = 1\ny = 1\n")
    (tmp_path / "test_a.py").write_text("def test_x() -> None: ...\n")

    def problem(right: str, file: str = "hudi_core/a.py", test: str = "test_a.py::test_x", wrong: str = "?") -> str:
        (found,) = stale([Fault("s", "n", file, right, wrong, (test,))], tmp_path) or [""]
        return found

    assert problem("x = 1") == ""
    assert "'z' stands there 0 times" in problem("z")
    assert "' = 1' stands there 2 times" in problem(" = 1")
    assert "no such source" in problem("x", file="hudi_core/b.py")
    assert "no such source" in problem("x", file="test_a.py")
    assert "there is no test_a.py::test_y" in problem("x", test="test_a.py::test_y")
    assert "nothing is wrong" in problem("x", wrong="x")
    twice = Fault("s", "n", "hudi_core/a.py", "x", "y", ("test_a.py",))
    assert len(stale([twice, twice], tmp_path)) == 2


@pytest.mark.parametrize("run", [command.main, garbage.main], ids=["faults", "garbage"])
@pytest.mark.parametrize(("option", "status"), [("--help", 0), ("--unheard-of", 2)])
def test_help_and_unknown_options_run_no_test(
    run: Callable[[list[str]], int], option: str, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run([option])
    assert ended.value.code == status
    assert "usage: python -m tests.faults" in "".join(capsys.readouterr())


def test_stale_reports_the_chosen_faults_alone(capsys: pytest.CaptureFixture[str]) -> None:
    chosen = [fault for fault in FAULTS if fault.subject == "pruning"]
    assert command.main(["--stale", "pruning:"]) == 0
    assert capsys.readouterr().out == f"{len(chosen)} faults, 0 stale\n"
