"""The public front: what `hudi_core` offers by name, sorted, documented and importable, and loaded when it is used.

Also covers: `cli/overview.py`, `version.py`.
"""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import hudi_core
from hudi_core.cli.application import app
from hudi_core.cli.overview import COMMANDS

SAYS = [["--version"], ["--help"], ["-h"]]


def loaded_by(statement: str, *arguments: str) -> set[str]:
    """The modules that a new interpreter has loaded after a statement."""
    code = f"import sys, io; out, sys.stdout = sys.stdout, io.StringIO(); {statement}; print(*sys.modules, file=out)"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True, timeout=120
    )
    return set(done.stdout.split())


def test_every_name_is_there_sorted_and_documented() -> None:
    assert hudi_core.__all__ == sorted(hudi_core.__all__)
    for name in hudi_core.__all__:
        assert inspect.getdoc(getattr(hudi_core, name)), name


def test_nothing_else_is_public() -> None:
    assert [name for name in dir(hudi_core) if not name.startswith("_")] == hudi_core.__all__
    with pytest.raises(AttributeError, match="module 'hudi_core' has no attribute 'opn'"):
        hudi_core.opn  # type: ignore[attr-defined]  # noqa: B018


def test_names_are_loaded_from_where_type_checkers_see_them() -> None:
    tree = ast.parse(Path(inspect.getfile(hudi_core)).read_text("utf-8"))
    (typed,) = [node for node in tree.body if isinstance(node, ast.If) and isinstance(node.test, ast.Name)]
    seen = {
        alias.asname or alias.name: f"{node.module}:{alias.name}" if alias.asname else node.module
        for node in typed.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == hudi_core._PLACES | hudi_core._FUNCTIONS_OF_PACKAGES
    assert sorted(seen) == hudi_core.__all__


def test_importing_the_package_loads_none_of_it() -> None:
    assert {name for name in loaded_by("import hudi_core") if name.startswith("hudi_core.")} == {
        "hudi_core.cluster",
        "hudi_core.evolve",
        "hudi_core.version",
    }


def test_a_function_and_a_package_of_one_name_do_not_get_mixed_up() -> None:
    statement = "import hudi_core, hudi_core.table.open; assert callable(hudi_core.evolve); assert hudi_core.Table"
    assert "hudi_core.evolve.apply" in loaded_by(statement)


@pytest.mark.parametrize("arguments", SAYS)
def test_help_and_version_are_printed_before_anything_is_loaded(arguments: list[str]) -> None:
    loaded = loaded_by("from hudi_core.cli.main import run; run()", *arguments)
    assert loaded & {"typer", "click", "rich", "numpy", "pydantic", "dataclasses", "importlib.metadata"} == set()
    assert "hudi_core.cli.application" not in loaded


@pytest.mark.parametrize("arguments", SAYS)
def test_the_overview_repeats_the_help_of_the_application(arguments: list[str]) -> None:
    answer = [
        subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True, timeout=120
        )
        for code in ("from hudi_core.cli.main import run; run()", "from hudi_core.cli.application import run; run()")
    ]
    assert answer[0].stdout == answer[1].stdout
    assert hudi_core.__version__ in answer[0].stdout or "--storage-option NAME=VALUE" in answer[0].stdout


def test_the_overview_has_every_command_with_the_first_paragraph_of_its_help() -> None:
    reported = {name: answer for commands in COMMANDS.values() for name, answer in commands.items()}
    helps = {item.name: inspect.getdoc(item.callback) or "" for item in app.registered_commands}
    assert reported == {name: " ".join(answer.split("\n\n")[0].split()) for name, answer in helps.items()}
