"""Walking over nodes: their parts, the names among them, and where the text of one stands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, assert_never

from hudi_core.errors import ExpressionError
from hudi_core.expr.nodes import (
    And,
    Between,
    Call,
    Case,
    Cast,
    Compare,
    Expr,
    In,
    Is,
    IsNull,
    Lambda,
    Like,
    Literal,
    Name,
    Not,
    Or,
    RegexLike,
)
from hudi_core.sql.place import Span


def parts_of(expr: Expr) -> tuple[Expr, ...]:
    """The nodes directly inside a node, in the order of the text."""
    match expr:  # the most common nodes first
        case Name() | Literal():
            return ()
        case Compare(_, left, right):
            return left, right
        case And(parts) | Or(parts):
            return parts
        case Not(part) | Is(part):
            return (part,)
        case In(value, choices):
            return (value, *choices)
        case Between(value, lower, upper):
            return value, lower, upper
        case Like(value) | RegexLike(value) | IsNull(value) | Cast(value):
            return (value,)
        case Call(_, arguments):
            return arguments
        case Case(branches, otherwise):
            return (*(part for branch in branches for part in branch), otherwise)
        case Lambda(_, body):
            return (body,)
        case _:
            assert_never(expr)


def walk(expr: Expr) -> Iterator[Expr]:
    """The node and every node inside it, in the order of the text."""
    waiting = [expr]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(parts_of(node)))


MAX_TREE_DEPTH: Final = 128
"""Nodes inside each other: all that is done with a tree goes down it by recursion, which Python gives so much room."""
MAX_DERIVED_DEPTH: Final = MAX_TREE_DEPTH + 16
"""Nodes inside each other of a tree that is made around or of one that a user wrote."""


_SHALLOW: Final = 16
"""Nodes inside each other for which there is room wherever anything is called."""
_FRAMES: Final = 5
"""Calls inside each other for each node, at most about."""


def _refuse_full_stack(depth: int) -> None:
    frame, used = sys._getframe(), 0
    while frame.f_back is not None:
        frame, used = frame.f_back, used + 1
    room = (sys.getrecursionlimit() - used) // _FRAMES
    if room < depth:
        expected = f"at most {max(room, 0)} nested conditions and calls, for which Python's stack has room"
        raise ExpressionError("predicate", expected=expected, found=str(depth))


def check_depth(expr: Expr, most: int = MAX_TREE_DEPTH) -> None:
    """Raises `ExpressionError` for a tree of more than so many nodes inside each other; `And` and `Or` may be as wide as they
    like. So does one that is too deep for what callers, whose own calls may be nested deeply, left of the interpreter's stack."""
    level: Sequence[Expr] = (expr,)
    for depth in range(1, most + 1):
        level = [part for node in level for part in parts_of(node)]
        if not level:
            if depth > _SHALLOW:
                _refuse_full_stack(depth)
            return
    raise ExpressionError("predicate", expected=f"at most {MAX_TREE_DEPTH} nested conditions and calls", found="more")


def conjuncts(expr: Expr) -> tuple[Expr, ...]:
    """The parts of the outermost AND; NOT is taken inside. A node that is no AND is its only part.

    >>> len(conjuncts(Not(Or((Name(("a",)), Not(Name(("b",))))))))
    2
    """
    return _flat(expr, And, Or)


def disjuncts(expr: Expr) -> tuple[Expr, ...]:
    """The parts of the outermost OR, as `conjuncts` gives those of AND."""
    return _flat(expr, Or, And)


def _flat(expr: Expr, kind: type[And] | type[Or], opposite: type[And] | type[Or]) -> tuple[Expr, ...]:
    """The parts of nodes of one kind inside one another; NOT over the opposite one is one of NOTs."""
    match expr:
        case Not(Not(part)):
            return _flat(part, kind, opposite)
        case And(parts) | Or(parts) if isinstance(expr, kind):
            return tuple(part for nested in parts for part in _flat(nested, kind, opposite))
        case Not((And(parts) | Or(parts)) as inner) if isinstance(inner, opposite):
            return tuple(part for nested in parts for part in _flat(Not(nested), kind, opposite))
        case _:
            return (expr,)


def names_in(expr: Expr) -> list[Name]:
    """The columns named, each as often as it is. What stands for a parameter of a lambda is none."""
    names: list[Name] = []
    waiting: list[tuple[Expr, frozenset[str]]] = [(expr, frozenset())]
    while waiting:
        node, hidden = waiting.pop()
        match node:
            case Name(path):
                if path[0].lower() not in hidden:
                    names.append(node)
            case Lambda(parameters, body):
                waiting.append((body, hidden.union(map(str.lower, parameters))))
            case _:
                waiting.extend((part, hidden) for part in reversed(parts_of(node)))
    return names


def place_of(expr: Expr) -> Span | None:
    """Where a node is in the text: its own place, or that of its first part that has one."""
    spans = (node.span for node in walk(expr) if isinstance(node, Name | Literal | Call | Cast | Like | Lambda))
    return next((span for span in spans if span is not None), None)


def change_tree(expr: Expr, change: Callable[[Expr], Expr | None]) -> Expr:
    """The tree with each node replaced for which `change` gives another, outermost first."""
    other = change(expr)
    if other is not None:
        return other

    def visit(part: Expr) -> Any:
        return change_tree(part, change)

    match expr:
        case Name() | Literal():
            return expr
        case Compare(operator, left, right):
            return Compare(operator, visit(left), visit(right))
        case And(parts) | Or(parts):
            return replace(expr, parts=tuple(map(visit, parts)))
        case Not(part) | Is(part):
            return replace(expr, part=visit(part))
        case In(value, choices):
            return replace(expr, value=visit(value), choices=tuple(map(visit, choices)))
        case Between(value, lower, upper):
            return replace(expr, value=visit(value), low=visit(lower), high=visit(upper))
        case Like(value) | RegexLike(value) | IsNull(value) | Cast(value):
            return replace(expr, value=visit(value))
        case Call(_, arguments):
            return replace(expr, arguments=tuple(map(visit, arguments)))
        case Case(branches, otherwise):
            return Case(tuple((visit(when), visit(then)) for when, then in branches), visit(otherwise))
        case Lambda(_, body):
            return replace(expr, body=visit(body))
        case _:
            assert_never(expr)
