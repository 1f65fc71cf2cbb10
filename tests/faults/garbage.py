"""`python -m tests.faults.garbage [PATH ...]`: conformance tests with garbage in the place of our answers under deviations.

Each test with such an answer has to fail, and each declared rule has to meet an answer.

Without paths all tests are run that ask Apache Hudi's answers and start no JVM. Prints how many answers and tests of each subject
there were, and what is wrong: tests that pass with garbage, rules that meet nothing. The exit status is 0 when nothing is.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.deviations import Deviation
from tests.conformance.differences import declared

_ROOT = Path(__file__).parents[2]
_TESTS = ("tests/conformance/test_*.py", "tests/engines/plain/test_contract.py", "tests/engines/arrow/test_contract.py")
_OF_LEDGERS = "test_ledger.py"
"""Its tests expect ledgers to fail."""
_COMPARE = re.compile(r"[lL]edger|contract\.keys")
"""What stands in files of tests that compare answers."""
_OPTIONS = ("-q", "--no-header", "--no-summary", "--tb=no", "-p", "no:cacheprovider")


class Garbage:
    """A plugin of pytest: replaces answers as they are compared, and notes which test had how many."""

    def __init__(self) -> None:
        self.answers: dict[str, list[Deviation]] = defaultdict(list)
        """The rules that answers of a test fell under, one for each answer, by its node id."""
        self.passed: set[str] = set()
        """The tests that passed."""
        self._running = ""

    def pytest_collection_finish(self) -> None:
        from tests.support.ledger import Ledger  # noqa: PLC0415 - its assertions are rewritten once pytest runs

        settle = Ledger.settle

        def replaced(
            ledger: Ledger, case: Mapping[str, Any], question: Mapping[str, Any], ours: object, theirs: object
        ) -> None:
            settle(ledger, case, question, ours, theirs)
            rules = ledger.settled[-1].rules
            if rules:
                ledger.settled.pop()
                settle(ledger, case, question, object(), theirs)
                self.answers[self._running] += rules

        Ledger.settle = replaced  # type: ignore[method-assign]

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._running = nodeid

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self.passed.add(report.nodeid)

    @property
    def unnoticed(self) -> list[str]:
        """The tests that passed though an answer of theirs was garbage."""
        return sorted(self.passed & self.answers.keys())

    @property
    def unmet(self) -> list[Deviation]:
        """The declared rules that no answer fell under."""
        met = {(rule.subject, rule.name) for rules in self.answers.values() for rule in rules}
        return [rule for rule in declared() if (rule.subject, rule.name) not in met]


def comparing() -> list[str]:
    """The files of tests that compare answers with those of Apache Hudi."""
    files = sorted(path for pattern in _TESTS for path in _ROOT.glob(pattern) if path.name != _OF_LEDGERS)
    return [str(path) for path in files if _COMPARE.search(path.read_text("utf-8"))]


def main(arguments: list[str]) -> int:
    """Runs the experiment; the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults.garbage",
        description="Run conformance tests with garbage in the place of our answers.",
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="tests to run; by default all that compare answers")
    paths: list[str] = parser.parse_args(arguments).paths
    garbage = Garbage()
    pytest.main([*_OPTIONS, *(paths or comparing())], plugins=[garbage])
    answers = Counter(rule.subject for rules in garbage.answers.values() for rule in rules)
    tests = Counter(subject for rules in garbage.answers.values() for subject in {rule.subject for rule in rules})
    for subject, count in sorted(answers.items()):
        print(f"{subject}: {count} answers replaced in {tests[subject]} tests")
    for test in garbage.unnoticed:
        print("passes with garbage:", test)
    unmet = [] if paths else garbage.unmet
    for rule in unmet:
        print(f"meets no answer: {rule.subject}: {rule.name}")
    print(f"{len(garbage.unnoticed)} of {len(garbage.answers)} tests pass with garbage")
    return int(bool(garbage.unnoticed or unmet or not garbage.answers))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
