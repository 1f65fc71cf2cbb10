"""A test that compares nothing fails: the plugin of the test run, on tests of its own. Nor does one wait for a module of ours."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

TESTS = """
import warnings
import pytest

def test_compares():
    assert 1 == 1

def test_compares_in_a_function():
    def check(value):
        assert value
    check(1)

class Shown:
    times = 0

    def __repr__(self):
        Shown.times += 1
        return "shown"

def test_compares_and_makes_no_report_of_what_held():
    value = Shown()
    assert value == value
    assert Shown.times == 0

def test_expects_an_error():
    with pytest.raises(ValueError):
        int("")

def test_expects_a_warning():
    with pytest.warns(UserWarning):
        warnings.warn("w")

@pytest.mark.does_not_raise("it is enough that it ends")
def test_declares_it():
    int("1")

@pytest.mark.skip
def test_is_left_out():
    pass

def test_fails_by_itself():
    raise ValueError

def test_loops_over_nothing():
    for value in ():
        assert value

def test_has_no_assertion():
    int("1")

@pytest.mark.does_not_raise("it compares after all")
def test_declares_it_wrongly():
    assert 1 == 1

@pytest.mark.does_not_raise
def test_declares_it_without_a_reason():
    int("1")
"""

OURS = {"tests", "hudi_core", *(path.name for path in (ROOT / "engines").iterdir())}

FAILED = [
    "test_fails_by_itself",
    "test_loops_over_nothing",
    "test_has_no_assertion",
    "test_declares_it_wrongly",
    "test_declares_it_without_a_reason",
]


def test_a_test_that_compares_nothing_undeclared_fails(tmp_path: Path) -> None:
    (tmp_path / "test_made.py").write_text(TESTS)
    settings = ["-o", "enable_assertion_pass_hook=true", "-o", "markers=does_not_raise(reason)", "-c", "/dev/null"]
    options = ["-q", "-rf", "--tb=no", "-p", "tests.support.assertions", "-p", "no:cacheprovider"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *settings, f"--rootdir={tmp_path}", str(tmp_path / "test_made.py")],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    failed = [line.partition("::")[2].split()[0] for line in run.stdout.splitlines() if line.startswith("FAILED")]
    assert failed == FAILED, run.stdout + run.stderr
    assert "6 passed, 1 skipped" in run.stdout


def test_of_large_sides_the_first_differences_are_shown(tmp_path: Path) -> None:
    """Line by line is quadratic: minutes, where reports are long."""
    sides = "one, other = ({n: (f'{n % 3}%', None) for n in range(count)} for count in (3000, 2999))"
    (tmp_path / "test_made.py").write_text(f"def test_large():\n    {sides}\n    assert one == other\n")
    options = ["-vv", "-p", "tests.support.assertions", "-p", "no:cacheprovider", "-c", "/dev/null"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options, f"--rootdir={tmp_path}", str(tmp_path / "test_made.py")],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert "3000 and 2999 items, of which 1 differ" in run.stdout
    assert "2999: ('2%', None) != 'nothing'" in run.stdout
    assert "Full diff" not in run.stdout


def test_the_plugin_is_part_of_every_run(request: pytest.FixtureRequest) -> None:
    assert request.config.pluginmanager.has_plugin("tests.support.assertions")
    assert request.config.getini("enable_assertion_pass_hook")


def test_no_test_is_left_out_for_want_of_a_module_of_ours() -> None:
    """Where one cannot be imported, that is what is wrong."""
    sources = {path: path.read_text("utf-8") for path in (ROOT / "tests").rglob("*.py")}
    wanted = {name for text in sources.values() for name in re.findall(r"importorskip\(\s*[\"']([\w.]+)", text)}
    assert "pyspark.sql" in wanted
    assert [name for name in wanted if name.partition(".")[0] in OURS] == []
