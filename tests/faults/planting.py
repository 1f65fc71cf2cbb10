"""Runs tests against a copy of the sources with one fault planted, in a process of its own.

Processes are forked from one that has imported the libraries, and nothing of ours: that takes longer than most tests.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.faults.faults import ROOT, SOURCES, Fault
from tests.support.conformance import UNPACKED

_COPIED = (*SOURCES, "tests", "specs", "docs")
_FILES = ("pyproject.toml", "README.md", "CHANGELOG.md")
_OURS = ("tests", "hudi_core", "hudi_plain", "hudi_arrow", "hudi_spark")
_LIBRARIES = ["numpy", "pyarrow.parquet", "pyarrow.compute", "pydantic", "fastavro", "hypothesis.strategies", "pytest"]
_LONGEST = 300
"""Seconds after which tests are taken to hang."""

_OPTIONS = (
    "-q",
    "-x",
    "--no-header",
    "--tb=line",
    "--assert=plain",
    "-p",
    "no:cacheprovider",
    "--hypothesis-profile=planted",
)
"""Nobody reads what assertions say: they are not rewritten, and examples are not made small."""
_PASSED, _FAILED, _NO_RUN = 0, 1, 70
"""Exit codes of pytest; others say that tests did not run."""


class Outcome(Enum):
    """What became of a fault."""

    CAUGHT = "caught"
    SURVIVED = "survived"
    BROKEN = "no answer"
    """Tests could not be run, or did not end."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a run, and the last lines that it printed."""

    outcome: Outcome
    output: str


class Field:
    """A copy of the sources and tests that faults are planted in, one after the other."""

    def __init__(self, folder: Path, longest: int = _LONGEST) -> None:
        self._folder, self._longest = folder, longest
        self._processes = multiprocessing.get_context("forkserver")
        self._processes.set_forkserver_preload(_LIBRARIES)
        for name in _COPIED:
            shutil.copytree(ROOT / name, folder / name)
        for name in _FILES:
            shutil.copy2(ROOT / name, folder / name)

    def tried(self, fault: Fault) -> Verdict:
        """Plants the fault, runs its tests, and takes it out again."""
        return self.ran_with(fault.file, fault.planted((self._folder / fault.file).read_text("utf-8")), fault.tests)

    def ran_with(self, file: str, planted: str, tests: Sequence[str]) -> Verdict:
        """Runs tests with another content of a source, and puts its own back."""
        path = self._folder / file
        source, known = path.read_bytes(), path.stat()
        path.write_text(planted, "utf-8")
        try:
            return self.ran(tests)
        finally:
            path.write_bytes(source)
            os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))  # by which its bytecode is known

    def ran(self, tests: Sequence[str]) -> Verdict:
        """Runs tests until one fails."""
        output = self._folder / "output"
        # A process that is ended from outside, or by itself at once, does not remove the tables that it unpacked.
        with TemporaryDirectory(dir=self._folder, prefix="unpacked-") as unpacked:
            process = self._processes.Process(target=_run, args=(self._folder, list(tests), output, unpacked))
            process.start()
            process.join(self._longest)
            if process.is_alive():
                process.kill()
                process.join()
                return Verdict(Outcome.BROKEN, f"no end after {self._longest} s")
        code = process.exitcode
        outcome = Outcome.SURVIVED if code == _PASSED else Outcome.CAUGHT if code == _FAILED else Outcome.BROKEN
        return Verdict(outcome, "\n".join(output.read_text("utf-8", "replace").strip().splitlines()[-6:]))


def _run(folder: Path, tests: Sequence[str], output: Path, unpacked: str) -> None:
    """In a process of its own: runs the tests of a folder, and ends with pytest's exit code."""
    os.chdir(folder)
    for name in [name for name in os.environ if name.startswith(("PYTEST_", "COV_"))]:
        del os.environ[name]
    os.environ["HUDI_SOAK"] = "1"
    os.environ[UNPACKED] = unpacked
    os.environ.setdefault("HUDI_CONFORMANCE", str(ROOT.parent / "shared"))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), str(folder / "engines")])
    sys.path[:0] = [str(folder), str(folder / "engines")]
    sys.dont_write_bytecode = True
    for name in [name for name in sys.modules if name.partition(".")[0] in _OURS]:
        del sys.modules[name]
    code = _NO_RUN
    try:
        with output.open("w", encoding="utf-8") as file, redirect_stdout(file), redirect_stderr(file):
            code = int(pytest.main([*_OPTIONS, *tests]))
    finally:
        os._exit(code)  # what tests have left behind is not waited for
