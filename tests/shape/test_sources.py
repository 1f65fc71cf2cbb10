"""Habits that a machine can check: a subject in a line for each file, thin `__init__` files, sizes, no machine paths."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted([*ROOT.glob("hudi_core/**/*.py"), *ROOT.glob("engines/**/*.py")])
LONGEST = 450
FRONTS = (ROOT / "hudi_core", ROOT / "engines" / "hudi_spark")
"""Packages that users name functions of."""


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_source_states_its_subject_and_keeps_its_size(source: Path) -> None:
    text = source.read_text("utf-8")
    tree = ast.parse(text)
    assert ast.get_docstring(tree), "no module docstring"
    assert len(text.splitlines()) <= LONGEST
    if source.name == "__init__.py" and source.parent not in FRONTS:
        assert len(tree.body) == 1, "an __init__ holds a docstring map and nothing else"


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_source_names_no_path_of_a_machine(source: Path) -> None:
    assert not re.search(r"[\"'](/home/|/Users/|/work/|/root/)", source.read_text("utf-8"))


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_objects_are_not_patched_from_outside_and_not_identified_by_id(source: Path) -> None:
    """What an object holds, it was made with or has looked up itself; an `id` is given again when its object is gone."""
    assert list(_patched_or_numbered(ast.parse(source.read_text("utf-8")))) == []


TOP_FILES = {
    ".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "SECURITY.md", "pyproject.toml",
}  # fmt: skip
TOP_FOLDERS = {".ci", "docs", "engines", "hudi_core", "specs", "tests"}


def test_the_top_level_has_what_belongs_there_and_no_links() -> None:
    """Output of a tool or a link to an environment is easily committed by mistake."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(["git", "ls-files", "--stage"], cwd=ROOT, capture_output=True, text=True, check=True)
    entries = [line.split(maxsplit=3) for line in listed.stdout.splitlines()]
    assert [path for mode, _, _, path in entries if not mode.startswith("100")] == []
    paths = [path.split("/") for _, _, _, path in entries]
    assert {parts[0] for parts in paths if len(parts) == 1} == TOP_FILES
    assert {parts[0] for parts in paths if len(parts) > 1} == TOP_FOLDERS


def test_types_of_arrays_have_their_names_from_one_module() -> None:
    """A type of array that `hudi_core/arrays.py` names is spelled out nowhere else."""
    home = ROOT / "hudi_core" / "arrays.py"
    named = _item_types(home)
    assert named > {"int64", "bool_"}
    assert [str(source.relative_to(ROOT)) for source in SOURCES if source != home and named & _item_types(source)] == []


def _item_types(source: Path) -> set[str]:
    return set(re.findall(r"\bNDArray\[np\.(\w+)\]", source.read_text("utf-8")))


def test_patches_from_outside_are_detected() -> None:
    made = "vars(self)\nself.__dict__\nid(a)\nvars(a)\na.__dict__\na.b.__dict__"
    assert list(_patched_or_numbered(ast.parse(made))) == [
        "line 3: id(a)",
        "line 4: vars(a)",
        "line 5: a.__dict__",
        "line 6: a.b.__dict__",
    ]


def _patched_or_numbered(tree: ast.Module) -> Iterator[str]:
    """What looks into an object that is not `self`, or takes an object's number."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Name("vars"), [ast.Name("self")]) | ast.Attribute(ast.Name("self"), "__dict__"):
                continue
            case ast.Call(ast.Name("id")) | ast.Call(ast.Name("vars"), [_]) | ast.Attribute(_, "__dict__"):
                yield f"line {node.lineno}: {ast.unparse(node)}"


def package_map(init: Path) -> str:
    """The lines of a package's docstring that name its modules: behind the essay, where there is one."""
    return init.read_text("utf-8").split('"""')[1].rpartition("\nThe modules:\n")[2]


def test_package_map_names_every_module() -> None:
    for init in ROOT.glob("hudi_core/*/__init__.py"):
        answer = package_map(init)
        for module in init.parent.glob("*.py"):
            if module.name not in ("__init__.py", "__main__.py"):
                assert re.search(rf"^{module.stem}\b", answer, re.M), (
                    f"{init.parent.name}/__init__.py does not name {module.stem}"
                )


def test_the_package_map_names_no_missing_module() -> None:
    for init in [*ROOT.glob("hudi_core/**/__init__.py"), *ROOT.glob("engines/**/__init__.py")]:
        for name in re.findall(r"^([a-z_0-9]+)/? +\S", package_map(init), re.M):
            package = init.parent / name
            assert package.exists() or package.with_suffix(".py").exists(), f"{init.relative_to(ROOT)} names {name}"
