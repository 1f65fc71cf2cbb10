"""Every Python block of the README and the guides runs, and every docstring example gives what it shows."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import tomllib
from pathlib import Path

import pytest

import hudi_core
from tests.conformance.differences import PAGE, page
from tests.shape.consoles import PAGES, README, commands, comparable, made, sessions, shows

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
_LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)")
_MADE = {ROOT / "docs" / "reference" / f"{name}.md" for name in ("api", "cli", "functions")}
"""Pages that the build of the site makes (`docs/reference_pages.py`)."""
MODULES = sorted(
    m.name for m in pkgutil.walk_packages(hudi_core.__path__, "hudi_core.") if not m.name.endswith("__main__")
)


def each_page_with(part: re.Pattern[str]) -> pytest.MarkDecorator:
    """Parametrise a test over the pages that have such a part."""
    pages = [ROOT / "README.md", *sorted({*ROOT.glob("docs/**/*.md")} - _MADE)]
    return pytest.mark.parametrize(
        "page",
        [page for page in pages if part.search(page.read_text("utf-8"))],
        ids=lambda page: str(page.relative_to(ROOT)),
    )


@each_page_with(_BLOCK)
@pytest.mark.does_not_raise("what a block promises it asserts itself")
def test_python_blocks_run_in_order(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in _BLOCK.findall(page.read_text("utf-8")):
        exec(compile(block, str(page), "exec"), names)


@each_page_with(_LINK)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in _LINK.findall(page.read_text("utf-8")):
        place = (page.parent / target).resolve()
        assert place.exists() or place in _MADE, f"{page.name}: {target}"


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_give_their_shown_results(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0


def test_the_page_of_differences_is_made_from_the_declared_ones() -> None:
    assert PAGE.read_text("utf-8") == page(), "run python -m tests.conformance.differences"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_print_the_shown_output(page: Path, tmp_path: Path) -> None:
    text = page.read_text("utf-8")
    assert commands(text)
    assert comparable(made(page, tmp_path)) == comparable(text), "run python -m tests.shape.consoles"


def test_other_output_than_the_shown_one_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ hudi-core count demo-out/rides --where 'fare > 95'\n82\n```\n", "utf-8")
    assert [shows(session) for session in sessions(page.read_text("utf-8"))] == [True]
    assert comparable(made(page, tmp_path)) != comparable(page.read_text("utf-8"))


def test_the_readme_explains_installation_and_activation_before_the_first_command() -> None:
    text = README.read_text("utf-8")
    (install,) = re.findall(r"^## Install\n.*?^```sh\n(.*?)^```", text, re.M | re.S)
    lines = [line.split("#")[0].strip() for line in install.splitlines()]
    assert lines == ["python3 -m venv .venv", ". .venv/bin/activate", "pip install .", "hudi-core demo"]
    assert text.index(install) < text.index("$ hudi-core")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert set(re.findall(r"\.\[(\w+)\]", install)) <= extras.keys()
