"""The field's words: values are named by nouns of `docs/glossary.md`, not by parts of speech that fit any of them; sentences are
plain."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted([*ROOT.glob("hudi_core/**/*.py"), *ROOT.glob("engines/**/*.py")])
VAGUE = frozenset({"asked", "at", "each", "found", "of", "ours", "said", "theirs", "told"})
"""Words that could name any value."""
TESTS = sorted(ROOT.glob("tests/**/*.py"))
VAGUE_IN_TESTS = frozenset({"asked", "each", "said", "told"})
"""Tests set `ours` beside `theirs`, and what is `found` beside what is expected."""


# fmt: off
PARTICIPLES = frozenset({
    "bent", "borne", "bound", "bought", "broken", "brought", "built", "caught", "chosen", "dealt", "drawn", "driven",
    "found", "frozen", "given", "gone", "grown", "hidden", "held", "kept", "known", "laid", "lent", "led",
    "left", "lost", "made", "meant", "met", "paid", "said", "seen", "sent", "shown", "sold", "sought",
    "spent", "stood", "stuck", "struck", "taken", "taught", "thrown", "told", "understood", "won", "worn", "woven",
    "written",
})
# fmt: on
"""Irregular ones; the others end in `ed`."""
VERBS_IN_ED = frozenset({"embed", "exceed", "feed", "need", "proceed", "seed", "shed", "speed", "succeed"})
NAMED_BY_OTHERS = {
    "Table": {"evolved"},  # as `sorted` beside `sort`: it answers, and changes nothing
    "ScanPlan": {"kept"},
    "": {"refreshed", "named_struct", "_left"},  # two functions of SQL
}
"""What is public, or a name of SQL."""


def participles(tree: ast.AST, owner: str = "") -> Iterator[tuple[int, str]]:
    """The lines of functions and methods that are named by a participle, as values are; properties are values."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            first = node.name.strip("_").split("_")[0]
            participle = first in PARTICIPLES or (first.endswith("ed") and len(first) > 4)
            is_value = any(
                ast.unparse(part).rpartition(".")[2] in {"property", "cached_property"} for part in node.decorator_list
            )
            noun = first == "bound" and node.name.endswith(("bound", "bounds"))
            if (
                participle
                and not is_value
                and not noun
                and first not in VERBS_IN_ED
                and node.name not in NAMED_BY_OTHERS.get(owner, ())
            ):
                yield node.lineno, node.name
        yield from participles(node, node.name if isinstance(node, ast.ClassDef) else owner)


def bound_names(node: ast.AST) -> Iterator[str]:
    """The names that one node gives to values: variables, parameters, fields, captures, functions and classes."""
    match node:
        case ast.Name(name, ast.Store()) | ast.Attribute(_, name, ast.Store()):
            yield name
        case ast.arg(name) | ast.MatchStar(name) | ast.MatchAs(_, name) | ast.MatchMapping(_, _, name) if name:
            yield name
        case ast.ExceptHandler(_, name) if name:
            yield name
        case ast.FunctionDef(name) | ast.ClassDef(name):
            yield name


def reports(scope: ast.AST) -> bool:
    """Whether a function or class makes an error of what was `expected` and what was `found` in its place."""
    names = {name for node in ast.walk(scope) for name in bound_names(node)}
    keywords = [keyword for node in ast.walk(scope) if isinstance(node, ast.Call) for keyword in node.keywords]
    return "expected" in names or any(
        keyword.arg == "found"
        and "found" in [name.id for name in ast.walk(keyword.value) if isinstance(name, ast.Name)]
        for keyword in keywords
    )


def vague_names(tree: ast.AST, *, reporting: bool = False) -> Iterator[tuple[int, str]]:
    """The lines that name a value by a vague word. `found` is the field's word in errors alone, beside `expected`."""
    for node in ast.iter_child_nodes(tree):
        scope = isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda)
        here = (reporting or reports(node)) if scope else reporting
        for name in bound_names(node):
            if name in VAGUE and not (name == "found" and here):
                yield getattr(node, "lineno", 0), name
        yield from vague_names(node, reporting=here)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_functions_are_named_by_verbs(source: Path) -> None:
    assert list(participles(ast.parse(source.read_text("utf-8")))) == []


def test_participles_are_seen_where_a_function_is_named() -> None:
    code = (
        "def joined(): ...\nclass A:\n    @property\n    def kept(self): ...\n"
        "    def _chosen_rows(self): ...\n    def need(self): ...\n    def lower_bound(self): ..."
    )
    assert [name for _, name in participles(ast.parse(code))] == ["joined", "_chosen_rows"]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_values_have_distinctive_names(source: Path) -> None:
    assert list(vague_names(ast.parse(source.read_text("utf-8")))) == []


@pytest.mark.parametrize("source", TESTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_values_of_tests_have_names_too(source: Path) -> None:
    names = vague_names(ast.parse(source.read_text("utf-8")))
    assert [(line, name) for line, name in names if name in VAGUE_IN_TESTS] == []


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("def f(of): ...", ["of"]),
        ("lambda at: at", ["at"]),
        ("[each for each in rows]", ["each"]),
        ("found = 1", ["found"]),
        ("self.told = 1", ["told"]),
        ("class A:\n    said: str", ["said"]),
        ("match row:\n    case [*ours]: ...", ["ours"]),
        ("def f(expected, found): ...", []),
        ("def f():\n    found = 'a map'\n    raise E(expected='a list', found=found)", []),
        ("def f():\n    found = g()\n    return found", ["found"]),
        ("np.add.at(rows, places, 1)", []),
    ],
)
def test_vague_names_are_seen_wherever_a_name_is_given(code: str, names: list[str]) -> None:
    assert [name for _, name in vague_names(ast.parse(code))] == names


RIDDLES = re.compile(
    r"\bstands? (in|on|at|behind|before|beside|there|first|under|among)\b|^ *\"\"\"(Those|Of) ", re.MULTILINE
)
"""Turns of phrase that a reader reads twice: what stands somewhere is there; a docstring begins with a noun or a verb."""


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_sentences_are_plain(source: Path) -> None:
    assert [match.group() for match in RIDDLES.finditer(source.read_text("utf-8"))] == []
