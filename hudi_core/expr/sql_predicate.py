"""The tree of a predicate given as SQL, nodes or a builder; the clock is read once for a whole query. EXPR-37.

An unknown function in a predicate becomes a warning: files are kept for it, and rows cannot be filtered by it. EXPR-42.
"""

from __future__ import annotations

import difflib
import time
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final, get_args

from hudi_core.by_need import ModuleByNeed
from hudi_core.errors import UsageError, describe
from hudi_core.expr.build import ExpressionBuilder
from hudi_core.expr.calls import ALIASES, SUGAR_NAMES
from hudi_core.expr.nodes import Call, Compare, Comparison, Expr, Literal
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import Predicate, unknowns_of
from hudi_core.expr.terms import FORMS
from hudi_core.expr.text import to_sql
from hudi_core.expr.walk import change_tree, check_depth, walk
from hudi_core.types import nodes as t

if TYPE_CHECKING:
    from hudi_core.functions import registry
else:
    registry = ModuleByNeed("hudi_core.functions.registry")  # most predicates call no function

_DAYS = frozenset({"current_date", "curdate"})
_INSTANTS = frozenset({"current_timestamp", "now"})
_MICROS_OF_A_DAY = 86_400_000_000


def predicate_tree(where: str | Expr | ExpressionBuilder, now: int | None = None) -> Expr:
    """The tree of a predicate. `now`, in microseconds since 1970 (None: the clock's), stands for `current_date` and its like.

    Raises `ExpressionError` for a string that is no predicate and for a tree that is too deep, `UsageError` for any other object.

    >>> predicate_tree("d < current_date", 86_400_000_000).right
    Literal(value=1, type=Date())
    """
    tree = (
        where.node
        if isinstance(where, ExpressionBuilder)
        else parse_predicate(where)
        if isinstance(where, str)
        else where
    )
    if not isinstance(tree, get_args(Expr)):
        raise UsageError(
            "where",
            expected="a predicate as SQL, as \"fare > 80 AND city = 'oslo'\", or made with hudi_core.col, "
            "as (col('fare') > 80) & (col('city') == 'oslo')",
            found=describe(where),
        )
    check_depth(tree)
    moment = time.time_ns() // 1000 if now is None else now

    def literal_of(node: Expr) -> Expr | None:
        match node:
            case Call(function, ()) if function in _DAYS:
                return Literal(moment // _MICROS_OF_A_DAY, t.Date())
            case Call(function, ()) if function in _INSTANTS:
                return Literal(moment, t.Timestamp())
            case Call("localtimestamp", ()):
                return Literal(moment, t.Timestamp(zoned=False))
            case _:
                return None

    return change_tree(tree, literal_of)


_SYNTAX: Final = frozenset({"cast", "try_cast", "collate", "get_field", "interval", "struct", "like", "ilike", "rlike"})
"""Calls that stand for syntax: nobody wrote their names."""

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
    return [f"{_shorten(text)} is not known: {_CONSEQUENCE}" for text in dict.fromkeys(conditions)]


def doubts_of(tree: Expr, columns: Collection[str]) -> list[str]:
    """A sentence for each comparison that is right and hardly meant: with NULL, and of a text in double quotes that names one of
    the columns. Rule EXPR-1087."""
    names = {name.lower(): name for name in columns}
    doubts: list[str] = []
    for node in walk(tree):
        if not isinstance(node, Compare) or node.operator is Comparison.NULL_SAFE_EQ:
            continue
        for side, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(side, Literal) and side.value is None:
                negated = " NOT" if node.operator is Comparison.NE else ""
                doubts.append(f"{to_sql(node)} is never true; write {to_sql(other)} IS{negated} NULL")
                break
        else:
            left = node.left.value if isinstance(node.left, Literal) else None
            if isinstance(left, str) and isinstance(node.right, Literal) and left.lower() in names:
                name = names[left.lower()]
                doubts.append(f"{to_sql(node)} compares two texts; write {name} or `{name}` for the column")
    return list(dict.fromkeys(doubts))


_CONSEQUENCE: Final = "no file is skipped by it and rows cannot be filtered by it"


def _unknown_functions(tree: Expr) -> Iterator[str]:
    for node in walk(tree):
        if isinstance(node, Call) and node.function[0].isalpha():
            is_known = node.function in {*registry.NAMES, *SUGAR_NAMES, *FORMS, *_SYNTAX}
            if not is_known:
                yield node.function


def _suggestion(name: str) -> str:
    if name == "col":
        return "; write the name of a column without col(...)"
    close = difflib.get_close_matches(name, sorted(registry.NAMES | ALIASES.keys() | SUGAR_NAMES), n=2, cutoff=_CLOSE)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 3]}..."
