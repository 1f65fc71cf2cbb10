"""How soon work can begin: the package imported, and the version told, each by a new process, beside PyIceberg.

Goals are about processor time, and those are seconds of the clock: on a machine with other work take the ratio.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path

from hudi_core.version import __version__
from tests.bench.timing import Missing, Pair

_OURS = {
    "import_package": [sys.executable, "-c", "import hudi_core"],
    "cli_version": [str(Path(sys.executable).with_name("hudi-core")), "--version"],
}
_PYICEBERG = {
    "import_package": [sys.executable, "-c", "import pyiceberg.table"],
    "cli_version": [str(Path(sys.executable).with_name("pyiceberg")), "version"],
}


def pair(case: str, peer: str) -> Pair:
    """The measurement of a case."""
    if peer != "pyiceberg" or case not in _OURS:
        raise Missing(f"no measurement of {case} against {peer}")
    if subprocess.run(_PYICEBERG["import_package"], capture_output=True, check=False).returncode:
        raise Missing("pyiceberg is not installed")
    return Pair(_started(_OURS[case]), _started(_PYICEBERG[case]), partial(_check, case))


def _started(command: list[str]) -> Callable[[], str]:
    """Runs a command to its end, which has to be a good one; what it prints."""
    return lambda: subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _check(case: str, ours: str, theirs: str) -> None:
    """Each side tells its own version, or prints nothing. What is imported is the package that is installed."""
    sides = (ours, __version__, "hudi_core"), (theirs, version("pyiceberg"), "pyiceberg.table")
    for printed, release, module in sides:
        if case == "cli_version":
            assert release in printed.split(), f"version {release} of {module}, printed was {printed!r}"
        else:
            loaded = _started([sys.executable, "-c", f"import sys, {module}; print({module!r} in sys.modules)"])()
            assert (printed, loaded) == ("", "True\n"), f"importing {module} printed {printed!r}"
