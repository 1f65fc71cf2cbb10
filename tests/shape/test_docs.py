"""Every Python block of the README and the guides runs, and every docstring example gives what it shows."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import hudi_core
from tests.conformance.differences import PAGE, page

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
MODULES = sorted(
    m.name for m in pkgutil.walk_packages(hudi_core.__path__, "hudi_core.") if not m.name.endswith("__main__")
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_blocks_run_in_order(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.M | re.S):
        exec(compile(block, str(page), "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_give_what_they_show(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0


def test_the_page_of_differences_is_made_from_the_declared_ones() -> None:
    assert PAGE.read_text("utf-8") == page(), "run python -m tests.conformance.differences"


def test_commands_of_the_readme_run(tmp_path: Path) -> None:
    command = Path(sys.executable).with_name("hudi-core")
    subprocess.run([command, "demo"], cwd=tmp_path, check=True, capture_output=True, timeout=300)
    lines = re.findall(r"^\$ hudi-core (.*)$", (ROOT / "README.md").read_text("utf-8"), re.M)
    assert lines
    for line in lines:
        found = subprocess.run(
            [command, *shlex.split(line, comments=True)], cwd=tmp_path, capture_output=True, text=True, timeout=120
        )
        assert found.returncode == 0, f"{line}: {found.stderr}"
