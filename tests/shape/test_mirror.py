"""`tests/core` mirrors `hudi_core`: a module has the test file of its name there, or the test that covers it says so.

The line in the docstring of such a test (a law, a contract, the test of a neighbour) is "Also covers: `expr/moments.py`."
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CORE, MIRROR = ROOT / "hudi_core", ROOT / "tests" / "core"
TESTS = sorted(path for path in ROOT.glob("tests/**/*.py") if path.parent.name != "bench")


def has_code(module: Path) -> bool:
    """Whether a module holds more than its docstring."""
    return module.name != "__main__.py" and len(ast.parse(module.read_text("utf-8")).body) > 1


def mirrored(module: str) -> bool:
    path = MIRROR / module
    return path.with_name(f"test_{path.name}").exists()


def covered(test: Path) -> list[str]:
    """The modules that a test says it covers."""
    docstring = ast.get_docstring(ast.parse(test.read_text("utf-8"))) or ""
    return [
        name
        for names in re.findall(r"^Also covers: ((?:`[^`]+`[,.\s]*)+)", docstring, re.MULTILINE)
        for name in re.findall(r"`([^`]+)`", names)
    ]


COVERED = {test: covered(test) for test in TESTS if covered(test)}
MODULES = [path.relative_to(CORE).as_posix() for path in sorted(CORE.rglob("*.py")) if has_code(path)]
FRONT = "__init__.py"
"""The package itself, whose test is `tests/shape/test_front.py`."""


@pytest.mark.parametrize("module", [name for name in MODULES if name != FRONT])
def test_a_module_has_its_test_file_or_one_that_declares_to_cover_it(module: str) -> None:
    assert mirrored(module) or any(module in names for names in COVERED.values())


@pytest.mark.parametrize("test", COVERED, ids=lambda test: str(test.relative_to(ROOT)))
def test_a_module_that_a_test_covers_has_no_test_file_of_its_own(test: Path) -> None:
    assert [module for module in COVERED[test] if module not in MODULES or mirrored(module)] == []
    assert any(
        isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        for node in ast.walk(ast.parse(test.read_text("utf-8")))
    )
