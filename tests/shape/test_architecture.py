"""The map of the code is true: its layers are those that import-linter holds, and the files that documents name are there."""

from __future__ import annotations

import importlib
import re
import tomllib
from pathlib import Path

import pytest

import hudi_core

ROOT = Path(__file__).parents[2]
MAP = ROOT / "docs" / "architecture.md"
PAGES = [
    *(page for page in sorted(ROOT.glob("docs/**/*.md")) if page.parent.name != "reference"),  # that is made
    *sorted(ROOT.glob("specs/*.md")),
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
]
FILES = [
    path.relative_to(ROOT).as_posix()
    for top in ("hudi_core", "engines", "tests", "docs")
    for path in ROOT.glob(f"{top}/**/*.py")
]
USERS_OWN = {"trip_keys.py"}
"""Files that a guide tells its reader to write."""


def is_there(name: str) -> bool:
    """Whether a dotted name is that of a module, or of what a module has."""
    module, _, attribute = name.rpartition(".")
    try:
        return hasattr(importlib.import_module(module), attribute) or bool(importlib.import_module(name))
    except ModuleNotFoundError:
        return False


def layers() -> list[list[str]]:
    """The layers of the core, highest first, and the packages of each."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (ordered,) = [contract for contract in contracts if contract.get("containers") == ["hudi_core"]]
    return [layer.split(" | ") for layer in ordered["layers"]]


def named_files(text: str) -> list[str]:
    """The Python files that a page names; one with capitals (`tests/bench/SUBJECT.py`) stands for many."""
    return [name for name in re.findall(r"[\w./-]*\w\.py\b", text) if name == name.lower() and name not in USERS_OWN]


def test_the_map_has_the_layers_in_their_order() -> None:
    (table,) = re.findall(r"^\| layer \|.*\n\|[-|]+\n((?:\|.*\n)+)", MAP.read_text("utf-8"), re.MULTILINE)
    assert [re.findall(r"`(\w+)`", row.split("|")[1]) for row in table.splitlines()] == layers()


def test_the_package_names_the_packages_of_all_layers_in_their_order() -> None:
    names = re.findall(r"^    (\w+)  +\w", hudi_core.__doc__ or "", re.MULTILINE)
    order = {name: number for number, layer in enumerate(layers()) for name in layer}
    assert set(names) == set(order)
    assert [order[name] for name in names] == sorted(order.values())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_a_page_names_are_there(page: Path) -> None:
    missing = [
        name
        for name in named_files(page.read_text("utf-8"))
        if not any(f"/{path}".endswith(f"/{name}") for path in FILES)
    ]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_folders_that_a_page_names_are_there(page: Path) -> None:
    named = re.findall(r"`((?:hudi_core|engines|tests|docs|specs)/(?:\w+/)*)`", page.read_text("utf-8"))
    assert [name for name in named if not (ROOT / name).is_dir()] == []


def test_the_names_beside_those_of_apache_hudi_are_there() -> None:
    glossary = (ROOT / "docs" / "glossary.md").read_text("utf-8").partition("## In Apache Hudi's code")[2]
    rows = [line.split("|")[2] for line in glossary.splitlines() if line.startswith("| `")]
    names = [name for row in rows for name in re.findall(r"`([\w.]+)`", row)]
    assert len(names) > len(rows) > 20
    assert [name for name in names if not is_there(f"hudi_core.{name}")] == []
