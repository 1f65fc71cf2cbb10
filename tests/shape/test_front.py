"""The public front: what `hudi_core` offers by name, sorted, documented and importable, and loaded when it is used.

Also covers: `cli/overview.py`, `version.py`.
"""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hudi_core
from hudi_core.cli.application import command_function
from hudi_core.cli.overview import COMMANDS
from tests.support.commands import rides

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


def test_what_is_documented_names_public_things_alone() -> None:
    """A reader of the reference has no use for the place of a function within the package. Methods are documented, too."""
    packages = "|".join(sorted(module.name for module in pkgutil.iter_modules(hudi_core.__path__)))
    inner = re.compile(rf"`(?:{packages})\.[a-z_.]+`")
    for name in hudi_core.__all__:
        value = getattr(hudi_core, name)
        members = vars(value) if inspect.isclass(value) else {}
        shown = {key: one for key, one in members.items() if not key.startswith("_") and _is_method(one)}
        for place, one in {name: value, **{f"{name}.{key}": one for key, one in shown.items()}}.items():
            text = inspect.getdoc(one)
            assert text and not inner.search(text), place


def _is_method(member: object) -> bool:
    return inspect.isfunction(member) or isinstance(member, property | classmethod | staticmethod)


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
        "hudi_core.expr",
        "hudi_core.version",
    }


def test_a_function_and_a_package_of_one_name_do_not_get_mixed_up() -> None:
    statement = "import hudi_core, hudi_core.evolve; assert hudi_core.Table; hudi_core.evolve(hudi_core.Schema, ())"
    with pytest.raises(subprocess.CalledProcessError):  # what is called is the function, which takes a schema
        loaded_by(statement)
    assert "hudi_core.evolve.apply" not in loaded_by("import hudi_core; assert callable(hudi_core.evolve)")


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
    helps = {name: inspect.getdoc(command_function(name)) or "" for name in reported}
    assert reported == {name: " ".join(answer.split("\n\n")[0].split()) for name, answer in helps.items()}


def test_a_table_is_open_before_what_plans_and_reads_it_is_loaded() -> None:
    statement = "import hudi_core, tests.support.commands as c; hudi_core.open(c.rides())"
    loaded = {name for name in loaded_by(statement) if name.startswith(("hudi_core.", "hudi_arrow."))}
    others = ("planning", "reading", "expr", "functions", "pruning", "metadata", "writing", "cluster.", "validation")
    choices = {"hudi_core.expr", "hudi_core.reading", "hudi_core.reading.damage"}
    assert {name for name in loaded if name.startswith(tuple(f"hudi_core.{other}" for other in others))} == choices
    assert "hudi_core.other_words" not in loaded
    assert "hudi_arrow.stores.storage" in loaded and "hudi_arrow.values" not in loaded


def test_a_command_loads_no_other_command() -> None:
    # The end of a command ends its thread alone.
    command = "from threading import Thread; thread = Thread(target=run); thread.start(); thread.join()"
    loaded = loaded_by(f"from hudi_core.cli.main import run; {command}", "timeline", "--help")
    assert {name for name in loaded if name.startswith("hudi_core.cli.")} >= {"hudi_core.cli.tables"}
    others = {"hudi_core.cli.writing", "hudi_core.cli.cluster", "hudi_core.cli.demo", "hudi_core.writing.operations"}
    assert loaded & {*others, "hudi_core.other_words"} == set()


_RUN = (
    "from threading import Thread; from hudi_core.cli.main import run;"
    "thread = Thread(target=run); thread.start(); thread.join()"
)
_READ = "import hudi_core; hudi_core.open(sys.argv[1]).scan(where=sys.argv[2])"
_NEVER = {"pandas", "pyspark", "duckdb", "polars", "dateutil", "urllib.request"}
_MOST = {
    "open": ("import hudi_core; hudi_core.open(sys.argv[1])", (), 100),
    "plan": (f"{_READ}.plan", ("passengers > 3",), 310),
    "rows": (f"{_READ}.to_arrow()", ("passengers > 3",), 350),
    "timeline": (_RUN, ("timeline",), 125),
    "files": (_RUN, ("files", "-w", "passengers > 3"), 325),
    "count": (_RUN, ("count", "-w", "passengers > 3"), 365),
}
"""What a new process does, and how many modules of this project it loads at most."""


@pytest.mark.parametrize("name", _MOST)
def test_a_process_loads_what_it_uses(name: str) -> None:
    """CLI-960."""
    statement, arguments, most = _MOST[name]
    command, *rest = arguments or ("",)
    given = [command, str(rides()), *rest] if statement is _RUN else [str(rides()), *arguments]
    loaded = loaded_by(statement, *given)
    own = {name for name in loaded if name.startswith(("hudi_core.", "hudi_arrow."))}
    assert loaded & _NEVER == set()
    assert "hudi_core.functions.registry" not in own and 50 < len(own) <= most, len(own)
