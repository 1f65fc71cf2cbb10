"""Benches run in the environment that `make bench` makes: what they load, and what that loads, is in it."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BESIDE = {"compaction_peer.py", "index_peer.py", "services_peer.py", "mor_logs_peer.py", "write_peer.py"}
"""What runs in the environment of Apache Hudi."""
BENCHES = [path for path in sorted((ROOT / "tests" / "bench").glob("[!_]*.py")) if not path.name.startswith("test_")]
OURS = ("tests", "hudi_core", "hudi_arrow", "hudi_plain", "hudi_spark")


def installed() -> set[str]:
    """What the package and the group `bench` ask for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras = project["project"]["optional-dependencies"]
    stated = [*project["project"]["dependencies"], *extras["arrow"], *project["dependency-groups"]["bench"]]
    return {re.split(r"[\[<>=; ]", requirement)[0].replace("-", "_") for requirement in stated}


def loaded(source: Path) -> Iterator[str]:
    """The modules that a source loads when it is loaded."""
    for node in ast.parse(source.read_text("utf-8")).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def of_others(source: Path, seen: set[Path]) -> set[str]:
    """The packages of others that a source loads, also by way of tests."""
    seen.add(source)
    names: set[str] = set()
    for module in loaded(source):
        file = ROOT / f"{module.replace('.', '/')}.py"
        if file.is_file() and module.startswith("tests.") and file not in seen:
            names |= of_others(file, seen)
        names.add(module.partition(".")[0])
    return names - sys.stdlib_module_names - set(OURS)


@pytest.mark.parametrize("bench", [path for path in BENCHES if path.name not in BESIDE], ids=lambda path: path.stem)
def test_packages_of_a_bench_are_installed_for_it(bench: Path) -> None:
    assert of_others(bench, set()) <= installed()
