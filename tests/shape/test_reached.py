"""Code that nothing reaches is gone: a name of a module is used by the package, or a document shows it to users."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import hudi_core

ROOT = Path(__file__).parents[2]
SOURCES = sorted([*ROOT.glob("hudi_core/**/*.py"), *ROOT.glob("engines/**/*.py")])
DOCUMENTS = [ROOT / "pyproject.toml", *sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])]

_PROSE = re.compile(r'"""[\s\S]*?"""|(?:^|\s)# [^\n]*')
_GIVEN = re.compile(r"^(?:(?:def|class) (\w+)|(\w+)(?:: [^=\n]+)? =)", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_]\w*")


def given_names(source: str) -> list[str]:
    """The names that a module gives to functions, classes and values, without those of the language."""
    names = [function or value for function, value in _GIVEN.findall(source)]
    return [name for name in names if not name.startswith("__")]


def unreached(sources: dict[str, str], documents: str) -> list[str]:
    """The names that stand nowhere but where they are given: in no other code (docstrings and comments are none) and no
    document. Sources are read as text, which is ten times as fast as parsing them."""
    code = {path: _PROSE.sub(" ", source) for path, source in sources.items()}
    words = Counter(word for source in code.values() for word in _WORD.findall(source))
    given = {path: given_names(source) for path, source in code.items()}
    times = Counter(name for names in given.values() for name in names)
    shown = set(_WORD.findall(documents))
    return [
        f"{path}: {name}"
        for path, names in given.items()
        for name in names
        if words[name] <= times[name] and name not in shown
    ]


def test_every_name_is_used_or_shown_to_users() -> None:
    sources = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in SOURCES}
    documents = "\n".join([*hudi_core.__all__, *(path.read_text("utf-8") for path in DOCUMENTS)])
    assert len(sources) > 300
    assert unreached(sources, documents) == []


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ('def f():\n    """See f."""\n', ["m.py: f"]),
        ("def f(): ...\ng = f()", ["m.py: g"]),
        ("A = 1\nB: int = 2  # B\nclass C: ...", ["m.py: A", "m.py: B", "m.py: C"]),
        ("A = 1\nprint(m.A)", []),
        ("def shown(): ...\n__all__ = []", []),
    ],
)
def test_names_are_unreached_where_no_code_has_them(code: str, names: list[str]) -> None:
    assert unreached({"m.py": code}, "call `shown` for it") == names
