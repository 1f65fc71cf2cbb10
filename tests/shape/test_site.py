"""The reference of the site is made from the code: each public name, each command, each function comes once."""

from __future__ import annotations

import re
import sys
from itertools import chain
from pathlib import Path
from types import ModuleType

import pytest

import hudi_core
from hudi_core.cli.overview import COMMANDS
from hudi_core.functions.registry import FUNCTIONS

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    """The module that makes the reference, which stands beside the pages."""
    sys.path.insert(0, str(DOCS))
    try:
        return __import__("reference_pages")
    finally:
        sys.path.remove(str(DOCS))


def test_what_is_public_is_one_list(reference: ModuleType) -> None:
    names = list(chain.from_iterable(reference.GROUPS.values()))
    assert sorted(names) == hudi_core.__all__
    documented = re.findall(r"^\.\. auto\w+:: .*\.(\w+)(?:\(\))?$", reference.api(), re.M)
    assert documented == names


def test_each_command_has_its_help(reference: ModuleType) -> None:
    page = reference.cli()
    assert re.findall(r"^### ([\w -]+)$", page, re.M) == list(chain.from_iterable(COMMANDS.values()))
    for options in ("`--where`", "`--as-of`", "`--json`"):
        assert page.count(options) > 3
    assert "None" not in page


def test_each_function_has_a_line(reference: ModuleType) -> None:
    page = reference.functions()
    assert page.count("\n| `") == len(FUNCTIONS) > 200
    (year,) = re.findall(r"^\| `year` .*$", page, re.M)
    assert year == "| `year` |  | 1 | yes |"
    assert "| `date_format` |  | 2 |" in page


def test_pages_are_written_where_they_changed(reference: ModuleType, tmp_path: Path) -> None:
    reference.write(tmp_path)
    first = {file.name: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    reference.write(tmp_path)
    assert {file.name: file.stat().st_mtime_ns for file in tmp_path.iterdir()} == first
    assert sorted(first) == ["api.md", "cli.md", "functions.md"]
