"""How soon work can begin: the package imported, and the version told, each by a new process, beside PyIceberg.

Goals are about processor time, and those are seconds of the clock: on a machine with other work take the ratio.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

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
    return Pair(_started(_OURS[case]), _started(_PYICEBERG[case]), lambda _ours, _theirs: None)


def _started(command: list[str]) -> Callable[[], object]:
    return lambda: subprocess.run(command, capture_output=True, check=True)
