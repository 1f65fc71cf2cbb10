"""What the core does not know in a predicate, as warnings: files are kept for it, and rows cannot be filtered by it. EXPR-42."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Final

from hudi_core.expr.calls import ALIASES, SUGAR_NAMES
from hudi_core.expr.nodes import Call, Expr
from hudi_core.expr.predicate import Predicate, unknowns_of
from hudi_core.expr.walk import walk
from hudi_core.functions.registry import NAMES

_SYNTAX: Final = frozenset({"cast", "try_cast", "collate", "get_field", "interval", "struct", "like", "ilike", "rlike"})
"""Calls that stand for syntax: nobody wrote their names."""

_NAMES: Final = sorted(NAMES | ALIASES.keys() | SUGAR_NAMES)
_MAX_SHOWN: Final = 80
_CLOSE: Final = 0.7
"""How alike two names have to be, from 0 to 1, for one to be suggested for the other."""


def warnings_of(tree: Expr, predicate: Predicate) -> list[str]:
    """A sentence for each unknown function of a predicate, or for each condition that is not known for another reason."""
    conditions = unknowns_of(predicate)
    if not conditions:
        return []
    functions = list(dict.fromkeys(_unknown_functions(tree)))
    if functions:
        return [f"function {name} is not known: {_CONSEQUENCE}{_suggestion(name)}" for name in functions]
    return [f"{_shortened(text)} is not known: {_CONSEQUENCE}" for text in dict.fromkeys(conditions)]


_CONSEQUENCE: Final = "no file is skipped by it and rows cannot be filtered by it"


def _unknown_functions(tree: Expr) -> Iterator[str]:
    for node in walk(tree):
        if isinstance(node, Call) and node.function[0].isalpha():
            is_known = node.function in NAMES or node.function in SUGAR_NAMES or node.function in _SYNTAX
            if not is_known:
                yield node.function


def _suggestion(name: str) -> str:
    close = difflib.get_close_matches(name, _NAMES, n=2, cutoff=_CLOSE)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 3]}..."
